/*  ecmp - equal-cost multipath: a hash of the flow selects one of the candidate ports.
 *
 *  IP: addresses, protocol, ports (the 5-tuple), so queue pairs differ by their UDP source port.
 *  Fragments have no ports; those of a pair of hosts share a path. Other frames: MAC addresses and
 *  HPC endpoints. Each switch has its own seed. With one seed for all, the flows that a switch
 *  sends over one port would all select the same port at the next switch (polarisation).
 *  A flow keeps its port while that is up. The flows of a port that is down spread over the others,
 *  and return to it (FC-26). Stateless: no flow is remembered. */
#ifndef HEDDLE_SWITCHD_COMMON_ECMP_H
#define HEDDLE_SWITCHD_COMMON_ECMP_H

#include <stdint.h>

#include "nodes/wire/frame.h"
#include "switchd/common/route.h"

/** ecmp_hash() - of the flow that a frame with @fields belongs to. Pure. */
uint64_t ecmp_hash(const struct frame_fields *fields, uint64_t seed);

/** ecmp_choose() - the output port towards @egress_port of switch @fabric_address for a flow of
 *  @hash.
 *  Return: -1 if none that is up leads there. O(1); O(candidates) if the first choice is down. */
int ecmp_choose(const struct route_table *table, uint32_t fabric_address, uint32_t egress_port,
		uint64_t hash);

#endif
