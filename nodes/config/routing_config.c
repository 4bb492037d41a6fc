#include "nodes/config/routing_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "nodes/base/array.h"
#include "nodes/base/limits.h"

static const struct limit routing_limits[] = {
	LIMIT(struct routing_config, choice, 0, ROUTING_CHOICES - 1),
	LIMIT(struct routing_config, detour, 0, ROUTING_DETOURS - 1),
	LIMIT(struct routing_config, lane_rule, 0, LANE_RULES - 1),
	LIMIT(struct routing_config, redirect_rule, 0, REDIRECT_RULES - 1),
	LIMIT(struct routing_config, detour_weight_permille, 0, ROUTING_WEIGHT_PERMILLE_MAX),
	LIMIT(struct routing_config, detour_bias_units, 0, ROUTING_UNITS_MAX),
	LIMIT(struct routing_config, detour_draws, 0, ROUTING_DRAWS_MAX),
	LIMIT(struct routing_config, hold_ps, 0, ROUTING_TIME_MAX_PS),
	LIMIT(struct routing_config, redirect_depth_units, 0, ROUTING_UNITS_MAX),
	LIMIT(struct routing_config, redirect_full_units, 0, ROUTING_UNITS_MAX),
	LIMIT(struct routing_config, redirect_growth_weight_permille, 0,
	      ROUTING_WEIGHT_PERMILLE_MAX),
	LIMIT(struct routing_config, redirect_group, 0, ROUTING_GROUP_MAX),
	LIMIT(struct routing_config, redirect_interval_ps, 0, ROUTING_TIME_MAX_PS),
	LIMIT(struct routing_config, redirect_pause_ps, 0, ROUTING_TIME_MAX_PS),
};

int routing_config_check(const struct routing_config *config, char *why, unsigned why_max)
{
	const char *wrong = NULL;

	if (limits_check(config, "switch.routing.", routing_limits, COUNT_OF(routing_limits), why,
			 why_max))
		return -EINVAL;
	if (config->detour == DETOUR_ADAPTIVE && !config->detour_draws)
		wrong = "detour_draws is 0, but detours are compared with the minimal way";
	else if (config->redirect_full_units &&
		 config->redirect_full_units < config->redirect_depth_units)
		wrong = "redirect_full_units is less than redirect_depth_units";
	else if (config->redirect && config->redirect_growth_weight_permille &&
		 !config->redirect_interval_ps)
		wrong = "redirect_interval_ps is 0, but the growth within it counts";
	else if (config->redirect && config->redirect_group > 1 && !config->redirect_interval_ps)
		wrong = "redirect_interval_ps is 0, but a group is asked once in it";
	else if (config->hold_sources && !config->hold_ps)
		wrong = "hold_ps is 0, but sources of congestion are held";
	if (wrong)
		snprintf(why, why_max, "switch.routing.%s", wrong);
	return wrong ? -EINVAL : 0;
}
