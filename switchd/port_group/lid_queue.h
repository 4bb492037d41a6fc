/*  lid_queue - buffers, turns and gauges: what a packet counts for while it is inside
 *  (lid_switch.h). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_QUEUE_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_QUEUE_H

#include "switchd/port_group/lid_switch.h"

/** lid_enter() - @packet, for which its input's buffer has been charged unless it is a copy, is
 *  inside the switch. */
void lid_enter(struct lid_switch *lid, struct packet *packet);

/** lid_leave() - @packet, in no queue, is no longer: its room is free again. */
void lid_leave(struct lid_switch *lid, struct packet *packet);

/** lid_queue_push() - @packet is to leave at @port on lane packet->out_lane. */
void lid_queue_push(struct lid_switch *lid, uint32_t port, struct packet *packet, node_time_t now);

/** lid_queue_take() - the packet whose turn it is, of a lane that has one. */
struct packet *lid_queue_take(struct lid_switch *lid, uint32_t port, uint32_t lane,
			      node_time_t now);

#endif
