/*  rtt_probe - which packets of a flow are timed, and the round-trip time that an ACK gives.
 *
 *  A ring of packets in flight, in the order of their numbers, with the time at which each was
 *  sent. An ACK removes what it covers; the last one of these gives the round trip. A loss removes
 *  all: after it an ACK may be for either copy of a packet [Karn and Partridge, SIGCOMM 1987].
 *  A full ring times no more packets until an ACK has come.
 *  Memory: 104 bytes per flow. All zero is empty. Place: called by transport.c. */
#ifndef HEDDLE_NICD_TRANSPORT_RTT_PROBE_H
#define HEDDLE_NICD_TRANSPORT_RTT_PROBE_H

#include <stdint.h>

#include "nodes/base/time.h"

#define RTT_PROBES 8u /* ours: with an ACK for every 16th packet, 128 packets in flight */

struct rtt_probe {
	node_time_t sent_ps[RTT_PROBES];
	uint32_t packets[RTT_PROBES]; /* lower halves of numbers */
	uint32_t first, count;
};

/** rtt_probe_sent() - @packet, for which an ACK was asked, is sent for the first time. Numbers
 *  rise. O(1). */
void rtt_probe_sent(struct rtt_probe *probe, uint64_t packet, node_time_t now);

/** rtt_probe_acknowledged() - all packets before @packet have arrived.
 *  Return: the round-trip time of the last one of them that was timed; 0: none was. At most
 *  RTT_PROBES steps. */
node_time_t rtt_probe_acknowledged(struct rtt_probe *probe, uint64_t packet, node_time_t now);

/** rtt_probe_lost() - packets are sent again: what is in flight gives no round trip. */
static inline void rtt_probe_lost(struct rtt_probe *probe)
{
	probe->count = 0;
}

#endif
