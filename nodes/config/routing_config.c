#include "nodes/config/routing_config.h"

#include <errno.h>

const char *const routing_choice_words[ROUTING_CHOICES] = {
	[ROUTING_STATIC] = "static", [ROUTING_HASH] = "hash", [ROUTING_ADAPTIVE] = "adaptive"
};
const char *const routing_detour_words[ROUTING_DETOURS] = {
	[DETOUR_NEVER] = "never", [DETOUR_ADAPTIVE] = "adaptive", [DETOUR_ALWAYS] = "always"
};
const char *const redirect_rule_words[REDIRECT_RULES] = {
	[REDIRECT_BY_LOADS] = "loads", [REDIRECT_BY_DEPTH] = "depth"
};
static const char *const load_words[] = { "path", "queue" };

static const struct parameter routing_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct routing_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/routing.def"
};
const struct parameter_table routing_parameters =
	PARAMETER_TABLE_OF(struct routing_config, routing_rows);

int routing_config_check(const struct routing_config *config, struct why *why)
{
	const char *wrong = NULL;

	if (parameters_check(&routing_parameters, "switch.routing.", config, why))
		return -EINVAL;
	if (config->detour == DETOUR_ADAPTIVE && !config->detour_draws)
		wrong = "detour_draws is 0, but detours are compared with the shortest path";
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
	return wrong ? why_say(why, -EINVAL, "switch.routing.%s", wrong) : 0;
}
