/*  dcqcn_control - DCQCN as a congestion control: a reaction point for every queue pair of a NIC
 *  (congestion_control.h, RC-3).
 *
 *  dcqcn_rp.h has the rules. Nothing happens between two events, so a queue pair that has nothing
 *  to send costs nothing.
 *  Memory: 120 bytes per queue pair. */
#ifndef HEDDLE_NICD_TRANSPORT_DCQCN_CONTROL_H
#define HEDDLE_NICD_TRANSPORT_DCQCN_CONTROL_H

#include "nicd/transport/congestion_control.h"

extern const struct congestion_control dcqcn_control;

#endif
