/*  lid_forward - where a packet goes: link -> output port (lid_switch.h). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_FORWARD_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_FORWARD_H

#include "switchd/port_group/lid_switch.h"

/** lid_arrival() - a data frame has arrived on port @port (its header, if the switch cuts through).
 *  @bytes  captured, in shared memory. */
void lid_arrival(struct lid_switch *lid, uint32_t port, const struct record *header,
		 const uint8_t *bytes, node_time_t now);

/** lid_forward_again() - @packet, in no queue, cannot leave where it was to: another way, or it is
 *  dropped. Takes it. */
void lid_forward_again(struct lid_switch *lid, struct packet *packet, node_time_t now);

/** lid_follow() - tables or ports have changed: what waits for a port that its DLID leaves by no
 *  more goes to the one that it leaves by, so what is to be in order stays so, in this switch, and
 *  nothing is sent where it would be lost. O(packets that wait). */
void lid_follow(void *dataplane, node_time_t now);

#endif
