/*  ecmp - which of several equally long ways a flow takes: by a hash of what is the same in all its
 *  packets.
 *
 *  IP: addresses, protocol, ports (the 5-tuple); so queue pairs differ by their UDP source port.
 *  Fragments have no ports and all take one way. Other frames: MAC addresses and HPC endpoints.
 *  Each switch has a seed of its own, else the flows that one switch sends one way would all take
 *  the same way at the next, too (polarisation).
 *  A flow keeps its way as long as that is up; while it is not, its flows spread over the others,
 *  and come back (FC-26). Without state: nothing is remembered of any flow. */
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
