/*  lid_queue - input buffers, queues and gauges: what a packet inside the switch counts for
 *  (lid_switch.h). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_QUEUE_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_QUEUE_H

#include "switchd/port_group/lid_switch.h"

/** lid_enter() - @packet is inside the switch. Its input buffer has been charged, unless it is a
 *  copy. */
void lid_enter(struct lid_switch *lid, struct packet *packet);

/** lid_leave() - @packet, in no queue, leaves the switch: its buffer is released, and it is
 *  freed. */
void lid_leave(struct lid_switch *lid, struct packet *packet);

/** lid_queue_push() - enqueues @packet at output @port, on lane packet->out_lane. */
void lid_queue_push(struct lid_switch *lid, uint32_t port, struct packet *packet, node_time_t now);

/** lid_queue_take() - dequeues the packet whose turn it is, of a lane that has one. */
struct packet *lid_queue_take(struct lid_switch *lid, uint32_t port, uint32_t lane,
			      node_time_t now);

#endif
