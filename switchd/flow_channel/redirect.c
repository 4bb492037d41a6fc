#include "switchd/flow_channel/redirect.h"

#include "nodes/base/units.h"

#define ASKED_MAX 8u /* flows that an output asks within an interval */

/* how much deeper the queue is than at the begin of the interval, units; a new interval begins with what it is now */
static uint64_t growth(const struct routing_config *config, struct redirect_gauge *gauge, uint64_t depth_bytes,
		       node_time_t now)
{
	if (now - gauge->since_ps >= config->redirect_interval_ps) {
		gauge->since_ps = now;
		gauge->base_bytes = depth_bytes;
	}
	return depth_bytes > gauge->base_bytes ? (depth_bytes - gauge->base_bytes) / UNIT_BYTES : 0;
}

/* how many of @flows that wait are asked within an interval */
static uint32_t asked_of(uint32_t flows)
{
	uint32_t asked = flows / 4;

	return asked < 1 ? 1 : asked > ASKED_MAX ? ASKED_MAX : asked;
}

bool redirect_wanted(const struct routing_config *config, struct redirect_gauge *gauge, struct random *random,
		     uint64_t depth_bytes, uint32_t flows, node_time_t now)
{
	uint64_t depth = depth_bytes / UNIT_BYTES, value = growth(config, gauge, depth_bytes, now);

	if (!config->redirect || depth <= config->redirect_depth_units || now < gauge->quiet_until_ps)
		return false;
	value = value * config->redirect_growth_weight_permille / 1000 + depth - config->redirect_depth_units;
	if (!config->redirect_full_units || value <= random_below(random, config->redirect_full_units))
		return false;
	if (config->redirect_rule == REDIRECT_BY_LOADS)
		gauge->quiet_until_ps = now + config->redirect_interval_ps / asked_of(flows);
	return true;
}
