/*  injection - limits of a flow at an input, of its rate and of its data in flight: the reaction to
 *  endpoint congestion (EC-5 ... EC-8).
 *
 *  The ECA received last selects one of the settings. ACK_DELTA selects the first one again, which
 *  is full speed. A setting has three limits:
 *  - Bandwidth: after a packet the next one waits.
 *  - flow_extent: above upstream_flow_extent no packet is granted.
 *  - At an ingress edge port with limit-after-ack: a mean share of the egress queue of less than
 *    one frame. With its extent above the limit the flow is BLOCK_UNTIL_EMPTY. With its last ACK it
 *    is RUNNING again, and waits until
 *        wake_up = local_time + ack_size_delta * (BYTE_TIME << BYTE_TIME_SCALE)
 *    where ack_size_delta is what this last ACK acknowledged: bytes, in whole data units.
 *  A new flow begins with the setting for a slow start at its ingress edge. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_INJECTION_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_INJECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/base/units.h"
#include "nodes/config/config.h"
#include "switchd/flow_channel/ifct.h"

/* whether the flow's next packet may be granted, and what it waits for */
enum injection_verdict {
	INJECTION_GO,
	INJECTION_EXTENT, /* EC-7: for an ACK */
	INJECTION_EMPTY,  /* EC-8, FC-25: for the last ACK; fc_state is not RUNNING */
	INJECTION_LATER,  /* EC-5, EC-8: for wake_up_ps */
};

struct injection {
	const struct congestion_config *config;
	uint8_t setting_of[256]; /* by ECA */
	/* a byte's time at the setting's bandwidth, in whole ps; 0: no limit */
	uint64_t byte_ps[CONGESTION_SETTINGS];
	uint64_t byte_time_ps[CONGESTION_SETTINGS]; /* BYTE_TIME << BYTE_TIME_SCALE */
};

/** injection_init() - @config  checked, borrowed. */
void injection_init(struct injection *injection, const struct congestion_config *config);

/** injection_setting() - the setting that is in force for @flow. */
static inline const struct congestion_setting *injection_setting(const struct injection *injection,
								 const struct ifct_entry *flow)
{
	return &injection->config->settings[flow->setting];
}

/** injection_begin() - @flow has just been set up at an ingress edge port. */
static inline void injection_begin(const struct injection *injection, struct ifct_entry *flow)
{
	if (injection->config->slow_start)
		flow->setting = (uint8_t)injection->config->slow_start_setting;
}

/** injection_on_eca() - an ACK_ECA with @factor (1..255) has arrived for @flow. @ingress  its input
 *  is an edge port. */
void injection_on_eca(const struct injection *injection, struct ifct_entry *flow, uint32_t factor,
		      bool ingress);

/** injection_on_ack() - @units were delivered or lost; flow_extent no longer counts them. @clears
 *  the ACK was an ACK_DELTA: there is no congestion. @ingress  its input is an edge port. A flow
 *  that must leave its output stays BLOCK_FOR_REDIRECT; with limit-after-ack it wakes no earlier
 *  than any other flow. */
void injection_on_ack(const struct injection *injection, struct ifct_entry *flow, uint32_t units,
		      bool clears, bool ingress, node_time_t now);

/** injection_check() - whether the next packet may be granted at @now. O(1). */
enum injection_verdict injection_check(const struct injection *injection,
				       const struct ifct_entry *flow, node_time_t now);

/** injection_extent_ps() - time in which the flow, at the bandwidth of its setting, sends as much
 *  as its flow_extent limit; 0: no bandwidth limit. */
static inline node_time_t injection_extent_ps(const struct injection *injection,
					      const struct ifct_entry *flow)
{
	return (uint64_t)injection_setting(injection, flow)->flow_extent_units * UNIT_BYTES *
	       injection->byte_ps[flow->setting];
}

/** injection_forwarded() - a packet of @frame_bytes, which requested its output at @requested_ps,
 *  was granted. For a flow below full speed (setting != 0). The next packet may be granted one
 *  packet time, at the bandwidth of the setting, after @requested_ps or after the flow's own
 *  wake-up time, whichever is later. So the wait for a grant does not slow the flow. */
void injection_forwarded(const struct injection *injection, struct ifct_entry *flow,
			 uint32_t frame_bytes, bool ingress, node_time_t requested_ps);

#endif
