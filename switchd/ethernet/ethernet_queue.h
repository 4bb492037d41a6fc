/*  ethernet_queue - what a packet counts for while it is inside: shared buffer, ECN, output queue
 *  (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_QUEUE_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_QUEUE_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_queue_push() - @packet is to leave at @port. Takes it: into the queue, or it is dropped
 *  and counted. */
void ethernet_queue_push(struct ethernet *eth, uint32_t port, struct packet *packet,
			 node_time_t now);

/** ethernet_queue_levels() - a parameter, or the rate of @port's link, is another: kmin, kmax, THh
 *  and THl of its queues follow (RC-1, RC-9). O(classes). */
void ethernet_queue_levels(struct ethernet *eth, uint32_t port);

/** ethernet_queue_mark_leaving() - @packet, just taken, is about to be sent: marked if its class
 *  marks at dequeue and what it leaves in the queue says so (RC-1). */
void ethernet_queue_mark_leaving(struct ethernet *eth, struct packet *packet);

/** ethernet_queue_take() - the first packet of a queue that has one; its room in the buffer is
 *  free. switch_leave() later. */
struct packet *ethernet_queue_take(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
				   node_time_t now);

#endif
