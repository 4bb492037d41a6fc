/*  lid_transmit - turns -> link (lid_switch.h). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_TRANSMIT_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_TRANSMIT_H

#include "switchd/port_group/lid_switch.h"

/** lid_transmit_next_at() - when port @port should transmit next; NODE_TIME_NEVER if it has nothing
 *  that it may send. */
node_time_t lid_transmit_next_at(void *dataplane, uint32_t port, node_time_t now);

/** lid_transmit() - puts one thing on port @port's link: its own control words, or a packet. */
void lid_transmit(void *dataplane, uint32_t port, node_time_t now);

#endif
