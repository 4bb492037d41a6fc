/*  headroom - credit per flow and hop: what keeps a fabric link's input buffer from overflowing
 *  (EC-12 ... EC-14).
 *
 *  At the input of a link (the downstream end). When the flow's queue_extent reaches its target
 *  level, UM is set and a HEADROOM ACK starts metering at the switch upstream. From then on every
 *  packet that is forwarded gives credit, by the queue_extent that it leaves:
 *      above high                none
 *      above target, to high     a little less than the packet: an eighth, at least a unit
 *      from drop to target       a little more, as much
 *      below drop, or empty      UM is cleared, and a HEADROOM ACK with the greatest value ends it
 *  At the input of the switch upstream, DM is set while the flow needs credit. A packet is granted
 *  while the headroom is above 0. Its units are subtracted, so the headroom may end below 0.
 *
 *  ours, so that the sum of all is exact: the first credit is counted from what is not
 *  acknowledged. With it comes the total_extent of the downstream input; what the upstream end has
 *  put on the link beyond that is in flight and already counts against the credit. So the
 *  downstream end knows committed_units = queue_extent + data in flight + headroom upstream, and
 *  what may still come (headroom_promise()); buffer is reserved for it. The target is lower
 *  where little buffer is left, so many flows share a buffer that few could fill.
 *  On a guarded link an end of metering precedes every start, in the same frame. Otherwise, after
 *  the loss of an end, the first credit would be added to old credit. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_HEADROOM_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "switchd/flow_channel/ifct.h"

#define HEADROOM_END UINT32_MAX /* instead of a credit: no more metering */

/** headroom_promise() - units that the flow may still bring into its input buffer on credit given.
 *  @mtu_units of the longest packet: the last one that has any credit goes as a whole. */
static inline uint32_t headroom_promise(const struct ifct_entry *flow, uint32_t mtu_units)
{
	int32_t coming = flow->committed_units - (int32_t)ifct_queue_extent(flow);

	return flow->um && coming > 0 ? (uint32_t)coming + mtu_units - 1 : 0;
}

/* ---- at the downstream end ---- */

/** headroom_starts() - true if @flow, a packet of which was just queued, is to be metered.
 *  @free_units  free input buffer before the peer must stop. */
static inline bool headroom_starts(const struct ifct_entry *flow,
				   const struct congestion_setting *setting, uint32_t free_units)
{
	/* ours: N flows at their target leave a 16th of N + 16 parts free */
	uint32_t share = free_units / 16;
	uint32_t target = setting->target_units < share ? setting->target_units : share;
	uint32_t queued = ifct_queue_extent(flow);

	return !flow->um && queued && queued >= target;
}

/** headroom_start() - starts to meter @flow.   Return: value of the first HEADROOM ACK, units. */
uint32_t headroom_start(struct ifct_entry *flow);

/** headroom_again() - HEADROOM ACKs of @flow, which is metered, may be lost: all credit is sent
 *  again. Packets sent meanwhile use credit that is counted here, so the promise stays valid.
 *  Return: the value of the HEADROOM ACK that follows HEADROOM_END. */
uint32_t headroom_again(struct ifct_entry *flow);

/** headroom_on_forward() - a packet of @units has just left the queue of @flow, which is metered.
 *  @free_units  as above, with what is kept free for this flow. @mtu_units of the longest packet.
 *  Return: the credit for it, 0: none; HEADROOM_END: metering is over. */
uint32_t headroom_on_forward(struct ifct_entry *flow, const struct congestion_setting *setting,
			     uint32_t units, uint32_t free_units, uint32_t mtu_units);

/* ---- at the upstream end ---- */

/** headroom_on_ack() - a HEADROOM ACK of @credit or HEADROOM_END has come for @flow.
 *  @downstream_units  the flow's extent downstream of this switch, as the OFCT counts it. */
void headroom_on_ack(struct ifct_entry *flow, uint32_t credit, uint32_t downstream_units);

/** headroom_credited() - the same for one branch of a tree (flow_tree.h), with its own @headroom.
 *  @metered  whether it needed credit so far.   Return: whether it needs credit from now on. */
bool headroom_credited(bool metered, int32_t *headroom, uint32_t credit, uint32_t downstream_units);

#endif
