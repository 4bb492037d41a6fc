/*  ethernet_transmit - output queue -> link (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_TRANSMIT_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_TRANSMIT_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_transmit_next_at() - when port @port should transmit next; NODE_TIME_NEVER if it has
 *  nothing that it may send. */
node_time_t ethernet_transmit_next_at(void *dataplane, uint32_t port, node_time_t now);

/** ethernet_transmit() - puts one thing on port @port's link: a PFC frame that is due, else a
 *  packet. */
void ethernet_transmit(void *dataplane, uint32_t port, node_time_t now);

#endif
