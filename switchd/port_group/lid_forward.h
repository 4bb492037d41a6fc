/*  lid_forward - forwarding: link -> output port (lid_switch.h). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_FORWARD_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_FORWARD_H

#include "switchd/port_group/lid_switch.h"

/** lid_arrival() - a data frame has arrived on port @port (its header, if the switch cuts through).
 *  @bytes  captured, in shared memory. */
void lid_arrival(struct lid_switch *lid, uint32_t port, const struct record *header,
		 const uint8_t *bytes, node_time_t now);

/** lid_forward_again() - @packet, in no queue, cannot leave by its former port: it is enqueued at
 *  another port, or dropped. Takes it. */
void lid_forward_again(struct lid_switch *lid, struct packet *packet, node_time_t now);

/** lid_follow() - switch_ops.follow: tables or ports have changed. Packets that wait at a port that
 *  their DLID does not use any more move to the new one. So packets of a DLID stay in order in this
 *  switch, and none is sent to a port where it would be lost. O(packets that wait). */
void lid_follow(void *dataplane, node_time_t now);

#endif
