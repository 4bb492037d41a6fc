/*  ethernet_queue - shared buffer, ECN and output queue: what a packet inside counts for
 *  (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_QUEUE_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_QUEUE_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_queue_bytes() - what @packet counts for in a queue and in the buffer: with FCS, a cell
 *  at least. Pure. */
uint32_t ethernet_queue_bytes(const struct packet *packet);

/** ethernet_queue_push() - enqueues @packet at output @port, or drops and counts it. Takes it. */
void ethernet_queue_push(struct ethernet *eth, uint32_t port, struct packet *packet,
			 node_time_t now);

/** ethernet_queue_levels() - a parameter or the rate of @port's link has changed: kmin, kmax, THh
 *  and THl of its queues follow (RC-1, RC-9). O(classes). */
void ethernet_queue_levels(struct ethernet *eth, uint32_t port);

/** ethernet_queue_mark_leaving() - @packet, just dequeued, is about to be sent: it is marked if its
 *  class marks at dequeue and the queue that remains is long enough (RC-1). */
void ethernet_queue_mark_leaving(struct ethernet *eth, struct packet *packet, node_time_t now);

/** ethernet_queue_take() - dequeues the first packet of a queue that has one, and releases its
 *  buffer. switch_leave() follows. */
struct packet *ethernet_queue_take(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
				   node_time_t now);

#endif
