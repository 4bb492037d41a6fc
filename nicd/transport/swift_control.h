/*  swift_control - Swift as a congestion control: a window that follows the delay of the fabric
 *  (congestion_control.h, RC-16).
 *
 *      target    base_target + hops * hop + max(0, min(a / sqrt(cwnd) + b, fs_range)), with
 *                a = fs_range / (1 / sqrt(fs_min) - 1 / sqrt(fs_max)), b = -a / sqrt(fs_max)
 *      delay < target   cwnd += ai * acknowledged / cwnd; below one packet: ai * acknowledged
 *      else             cwnd *= max(1 - beta (delay - target) / delay, 1 - max_mdf)
 *      gap reported     cwnd *= 1 - max_mdf
 *      timeout          the same; the `retransmits`th in a row: cwnd = cwnd_min
 *
 *  cwnd stays in [cwnd_min, cwnd_max]. It is reduced at most once in a round trip, the timeout that
 *  sets cwnd_min excepted; before a round trip is measured, by each loss. Below one packet one
 *  packet is in flight at most, and the next one is sent rtt / cwnd after it; from one packet on
 *  nothing is paced, and the window is cwnd rounded down. Integers only, so a run is the same on
 *  every machine: cwnd in 2^-24 packets.
 *
 *  Where this NIC differs from the paper (ours). The delay is the whole round trip: a NIC here
 *  has no host stack whose delay would have to be subtracted, so there is one window, that of the
 *  fabric. The hops are those of the ACK, from its TTL. An ACK without a round-trip time (see
 *  congestion_control.h) counts with the last one that was measured; before the first it changes
 *  nothing. The gap of a paced packet is in proportion to its length.
 *  Memory: 88 bytes per queue pair.
 *  Source: [Kumar et al., Swift: Delay is Simple and Effective for Congestion Control in the
 *  Datacenter, SIGCOMM 2020, algorithm 1 and section 3]. Parameters: nodes/config/swift.def. */
#ifndef HEDDLE_NICD_TRANSPORT_SWIFT_CONTROL_H
#define HEDDLE_NICD_TRANSPORT_SWIFT_CONTROL_H

#include "nicd/transport/congestion_control.h"

#define SWIFT_ONE (1u << 24) /* a packet of cwnd */

/* what all flows of a NIC have in common */
struct swift_shared {
	const struct swift_config *config;
	uint64_t cwnd_min, cwnd_max, cwnd_initial; /* 2^-24 packets */
	uint64_t fs_min;                           /* the same */
	uint64_t root_min, root_max;               /* 1 / sqrt() of fs_min, fs_max, in 2^-20 */
};

struct swift_flow {
	struct congestion_flow base;
	uint64_t cwnd;          /* 2^-24 packets */
	node_time_t rtt_ps;     /* the last one measured; 0: none yet */
	node_time_t reduced_ps; /* cwnd was reduced last; 0: never */
	uint32_t hops;          /* of the last ACK */
	uint32_t timeouts;      /* in a row */
};

/** swift_target_ps() - the target delay of a flow with the window @cwnd (2^-24 packets), whose
 *  packets pass @hops switches. Pure. */
node_time_t swift_target_ps(const struct swift_shared *shared, uint64_t cwnd, uint32_t hops);

extern const struct congestion_control swift_control;

#endif
