/*  ethernet - the switch of fabric kind roce: an Ethernet switch with a shared buffer, queues per traffic class, ECN and PFC.
 *
 *      link -> classify -> forward (MAC/IP, ECMP) -> admit to the shared buffer -> output queue of the class -> ECN -> link
 *      link <- PFC                                  <- XOFF, XON                                                           */
#ifndef HEDDLE_SWITCHD_ETHERNET_H
#define HEDDLE_SWITCHD_ETHERNET_H

#include "nodes/node.h"

/* node.h has the contract */
extern const struct node_ops ethernet_ops;

#endif
