/*  injection - how fast and how far a flow may go on from an input: the reaction to endpoint
 *  congestion (EC-5 ... EC-8).
 *
 *  The ECA received last selects one of the settings; ACK_DELTA selects the first again, which is
 *  full speed. A setting limits the flow's bandwidth (after a packet the next one waits), its
 *  flow_extent (above upstream_flow_extent nothing goes on), and, at an ingress edge port with
 *  limit-after-ack, its mean share of the egress queue to less than one frame: with the extent
 *  above the limit the flow is BLOCK_UNTIL_EMPTY, and when the last ACK is back it is RUNNING again
 *  with
 *      wake_up = local_time + ack_size_delta * (BYTE_TIME << BYTE_TIME_SCALE)
 *  ack_size_delta: the bytes that this last ACK acknowledged, in whole data units.
 *  A new flow begins with the setting for a slow start at its ingress edge. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_INJECTION_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_INJECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/base/units.h"
#include "nodes/config/config.h"
#include "switchd/flow_channel/ifct.h"

/* may the flow's next packet go on? */
enum injection_verdict {
	INJECTION_GO,
	INJECTION_EXTENT, /* EC-7: when an ACK is back */
	INJECTION_EMPTY,  /* EC-8: when the last ACK is back */
	INJECTION_LATER,  /* EC-5, EC-8: at wake_up_ps */
};

struct injection {
	const struct congestion_config *config;
	uint8_t setting_of[256]; /* by ECA */
	/* a byte's time at the setting's bandwidth; 0: no limit */
	uint32_t byte_ps[CONGESTION_SETTINGS];
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

/** injection_on_eca() - ACK_ECA @factor (1..255) has come up the flow. */
void injection_on_eca(const struct injection *injection, struct ifct_entry *flow, uint32_t factor,
		      bool ingress);

/** injection_on_ack() - @units were delivered or lost and are off the flow_extent; @clears: it was
 *  an ACK_DELTA. */
void injection_on_ack(const struct injection *injection, struct ifct_entry *flow, uint32_t units,
		      bool clears, node_time_t now);

/** injection_check() - may the next packet go on now? O(1). */
enum injection_verdict injection_check(const struct injection *injection,
				       const struct ifct_entry *flow, node_time_t now);

/** injection_extent_ps() - how long the flow takes for its whole flow_extent limit at its
 *  bandwidth. */
static inline node_time_t injection_extent_ps(const struct injection *injection,
					      const struct ifct_entry *flow)
{
	return (uint64_t)injection_setting(injection, flow)->flow_extent_units * UNIT_BYTES *
	       injection->byte_ps[flow->setting];
}

/** injection_forwarded() - a packet of @frame_bytes, which asked for its output at @asked, has gone
 *  on. For a flow that is not at full speed, which is setting 0. The next packet may go when the
 *  bytes of this one have taken their time, from its own wake-up time on, or from @asked on: its
 *  wait for its turn does not delay the flow. */
void injection_forwarded(const struct injection *injection, struct ifct_entry *flow,
			 uint32_t frame_bytes, bool ingress, node_time_t asked);

#endif
