#include "switchd/flow_channel/dataplane_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIMER_NS_MAX 1000000u
#define OUTPUT_QUEUE_UNITS_MAX (1u << 20)

void dataplane_settings_init(struct dataplane *dp)
{
	const struct switch_config *config = &dp->sw.config->switch_;

	dp->settings = (struct dataplane_settings){
		.ack_t1_ps = config->ack_t1_ps,
		.ack_t2_ps = config->ack_t2_ps,
		.ack_t3_ps = config->ack_t3_ps,
		.ack_collect = config->ack_collect,
		.output_queue_units_max = config->output_queue_units_max,
		.congestion = config->congestion,
	};
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
static int match_set(void *dataplane, const char *name, const char *value, char *why,
		     size_t why_max)
{
	struct dataplane *dp = dataplane;
	bool all = !strcmp(name, "match");
	long port = all ? 0 : port_of(dp, name);
	struct flow_match match;

	if (port < 0) {
		snprintf(why, why_max, "%.40s: not an edge port", name);
		return -EINVAL;
	}
	if (flow_match_parse(value, &match, why, why_max))
		return -EINVAL;
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		if (all ? dp->ports[p].kind == PORT_EDGE : p == (uint32_t)port)
			efct_match_set(&dp->ports[p].efct, &match);
	return 0;
}

/* the pool is made for the configured output queues */
static int settings_check(const void *dataplane, const void *changed, char *why, size_t why_max)
{
	const struct dataplane *dp = dataplane;
	const struct dataplane_settings *settings = changed;
	uint32_t units_max = dp->sw.config->switch_.output_queue_units_max;

	if (settings->output_queue_units_max <= units_max)
		return 0;
	snprintf(why, why_max, "output-queue: this switch has memory for %u units", units_max);
	return -EINVAL;
}

/* A flow that a limit pauses resumes with its next ACK or at its wake-up time, as before. ACKs
 * that wait may be due earlier: every port is touched. */
static void settings_changed(void *dataplane, node_time_t now)
{
	struct dataplane *dp = dataplane;
	const struct dataplane_settings *settings = &dp->settings;

	(void)now;
	for (uint32_t p = 0; p < dp->sw.port_count; p++) {
		struct ack_collector *acks = &dp->ports[p].acks;

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

#define AT(member) offsetof(struct dataplane_settings, member)
#define TIMER(name, member)                                         \
	{                                                           \
		name, PARAMETER_NS, AT(member), .max = TIMER_NS_MAX \
	}
#define ON_OFF(name, member)                                                        \
	{                                                                           \
		name, PARAMETER_FLAG, AT(congestion.member), .words = switch_on_off \
	}

static const struct switch_parameter parameters[] = {
	TIMER("ack.t1", ack_t1_ps),
	TIMER("ack.t2", ack_t2_ps),
	TIMER("ack.t3", ack_t3_ps),
	{ "ack.collect", PARAMETER_NUMBER, AT(ack_collect), .min = 1, .max = ACK_FRAME_ACKS_MAX },
	{ "output-queue", PARAMETER_NUMBER, AT(output_queue_units_max), .min = 1,
	  .max = OUTPUT_QUEUE_UNITS_MAX, .unit = "units" },
	{ "match", PARAMETER_OWN, .set = match_set,
	  .values = "fields such as source-mac,destination-ip/24,source-port&0xff00, or the sum "
		    "of 1 source-mac, 2 destination-mac, 4 vlan, 8 ip-pair, 16 ports, "
		    "32 flow-label, 64 hpc; match.pN: of edge port N" },
	ON_OFF("congestion.inputs", inputs),
	ON_OFF("congestion.rate-limit", rate_limit),
	ON_OFF("congestion.flow-limit", flow_limit),
	ON_OFF("congestion.limit-after-ack", limit_after_ack),
	{ .name = NULL },
};

const struct switch_settings dataplane_settings = {
	.parameters = parameters,
	.offset = offsetof(struct dataplane, settings),
	.bytes = sizeof(struct dataplane_settings),
	.check = settings_check,
	.changed = settings_changed,
};
