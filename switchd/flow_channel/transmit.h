/*  transmit - a packet's last leg: output queue -> link (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_TRANSMIT_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_TRANSMIT_H

#include "switchd/flow_channel/dataplane.h"

/** transmit_next_at() - switch_ops.transmit_next_at. */
node_time_t transmit_next_at(void *dataplane, uint32_t port, node_time_t now);

/** transmit() - sends one thing on port @port's link, if it is free and up: control words that are
 *  due, else an FGFC frame, else an ACK frame, else a packet, else a report of the guard.
 *  Return: the lane whose output queue has free space now; -1: none. */
int transmit(struct dataplane *dp, uint32_t port, node_time_t now);

#endif
