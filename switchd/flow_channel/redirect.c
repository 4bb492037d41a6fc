#include "switchd/flow_channel/redirect.h"

#include "nodes/base/number.h"
#include "nodes/base/units.h"

#define REQUESTS_MAX 8u /* of an output, within an interval */

/* how much deeper the queue is than at the begin of the interval, units; a new interval begins with
 * what it is now */
static uint64_t growth(const struct routing_config *config, struct redirect_gauge *gauge,
		       uint64_t depth_bytes, node_time_t now)
{
	if (now - gauge->since_ps >= config->redirect_interval_ps) {
		gauge->since_ps = now;
		gauge->base_bytes = depth_bytes;
	}
	return depth_bytes > gauge->base_bytes ? (depth_bytes - gauge->base_bytes) / UNIT_BYTES : 0;
}

/* for how many of @flows that wait a redirect is requested within an interval */
static uint32_t requests_of(uint32_t flows)
{
	return number_min32(number_max32(flows / 4, 1), REQUESTS_MAX);
}

/* congestion of an output @depth_bytes deep, to be compared with a random number; 0: none */
static uint64_t value_of(const struct routing_config *config, struct redirect_gauge *gauge,
			 uint64_t depth_bytes, node_time_t now)
{
	uint64_t depth = depth_bytes / UNIT_BYTES, value = growth(config, gauge, depth_bytes, now);

	if (depth <= config->redirect_depth_units)
		return 0;
	return value * config->redirect_growth_weight_permille / 1000 + depth -
	       config->redirect_depth_units;
}

static bool drawn(const struct routing_config *config, struct random *random, uint64_t value)
{
	return config->redirect_full_units &&
	       value > random_below(random, config->redirect_full_units);
}

bool redirect_wanted(const struct routing_config *config, struct redirect_gauge *gauge,
		     struct random *random, uint64_t depth_bytes, uint32_t flows, node_time_t now)
{
	uint64_t value = value_of(config, gauge, depth_bytes, now);

	if (!config->redirect || !value || now < gauge->quiet_until_ps ||
	    !drawn(config, random, value))
		return false;
	if (config->redirect_group > 1)
		gauge->quiet_until_ps = now + config->redirect_interval_ps;
	else if (config->redirect_rule == REDIRECT_BY_LOADS)
		gauge->quiet_until_ps = now + config->redirect_interval_ps / requests_of(flows);
	return true;
}

uint32_t redirect_group_most(const struct routing_config *config, uint32_t flows)
{
	return number_min32(config->redirect_group, flows / 2);
}

bool redirect_also_wanted(const struct routing_config *config, struct redirect_gauge *gauge,
			  struct random *random, uint64_t depth_bytes, node_time_t now)
{
	uint64_t value = value_of(config, gauge, depth_bytes, now);

	return value && drawn(config, random, value);
}
