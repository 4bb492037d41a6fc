#include "switchd/flow_channel/dataplane_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void dataplane_settings_init(struct dataplane *dp)
{
	dp->settings = dp->sw.config->switch_;
	injection_init(&dp->injection, &dp->settings.congestion);
}

/* the edge port of @name, "match.pN"; -1: there is no such port */
static long port_of(const struct dataplane *dp, const char *name)
{
	const char *number = name + strlen("match.p");
	char *end;
	long port;

	if (strncmp(name, "match.p", strlen("match.p")) != 0)
		return -1;
	port = strtol(number, &end, 10);
	return *number && !*end && port >= 0 && port < (long)dp->sw.port_count &&
			       dp->ports[port].kind == PORT_EDGE
		       ? port
		       : -1;
}

/* FC-2: what tells flows apart, at every edge port or ("match.pN") at one */
static int match_set(void *dataplane, const char *name, const char *value, struct why *why)
{
	struct dataplane *dp = dataplane;
	bool all = !strcmp(name, "match");
	long port = all ? 0 : port_of(dp, name);
	struct flow_match match;

	if (port < 0)
		return why_say(why, -EINVAL, "%.40s: not an edge port", name);
	if (flow_match_parse(value, &match, why))
		return -EINVAL;
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		if (all ? dp->ports[p].kind == PORT_EDGE : p == (uint32_t)port)
			efct_match_set(&dp->ports[p].edge.efct, &match);
	return 0;
}

/* the pool is made for the configured output queues */
static int settings_check(const void *dataplane, const void *changed, struct why *why)
{
	const struct dataplane *dp = dataplane;
	const struct switch_config *settings = changed;
	uint32_t units_max = dp->sw.config->switch_.output_queue_units_max;

	if (settings->ack_t1_ps > settings->ack_t2_ps || settings->ack_t2_ps > settings->ack_t3_ps)
		return why_say(why, -EINVAL,
			       "the ACK timers must not fall: expected t1 <= t2 <= t3");
	if (settings->output_queue_units_max <= units_max)
		return 0;
	return why_say(why, -EINVAL, "output-queue: this switch has memory for %u units",
		       units_max);
}

/* A flow that a limit pauses resumes with its next ACK or at its wake-up time, as before. ACKs
 * that wait may be due earlier: every port is touched. */
static void settings_changed(void *dataplane, node_time_t now)
{
	struct dataplane *dp = dataplane;
	const struct switch_config *settings = &dp->settings;

	(void)now;
	for (uint32_t p = 0; p < dp->sw.port_count; p++) {
		struct ack_collector *acks = &dp->ports[p].fabric.acks;

		acks->t1_ps = settings->ack_t1_ps;
		acks->t2_ps = settings->ack_t2_ps;
		acks->t3_ps = settings->ack_t3_ps;
		acks->collect = settings->ack_collect;
		for (uint32_t c = 0; c < dp->lane_count; c++)
			dp->ports[p].output[c].queue.units_max = settings->output_queue_units_max;
		switch_touch(&dp->sw, p);
	}
	injection_init(&dp->injection, &settings->congestion);
}

const struct switch_settings dataplane_settings = {
	.table = &switch_parameters,
	.offset = offsetof(struct dataplane, settings),
	.check = settings_check,
	.changed = settings_changed,
	.own_name = "match",
	.own_set = match_set,
};
