/*  ecn - the congestion point: does a queue of this length mark a packet that joins it (RC-1)?
 *
 *      probability: 0 up to kmin, then linear up to pmax at kmax, 1 above it
 *      [Zhu et al., SIGCOMM 2015, fig. 5]
 *
 *  The length is the present one that the packet finds, not an average. Integers only, so runs
 *  repeat exactly. */
#ifndef HEDDLE_SWITCHD_ETHERNET_ECN_H
#define HEDDLE_SWITCHD_ETHERNET_ECN_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/config/roce_config.h"

/** ecn_congested() - does a queue of @queue_bytes mark the next packet? Uses @random between kmin
 *  and kmax only. Whether the packet can be marked: nodes/wire/ecn_mark.h. O(1). */
bool ecn_congested(const struct roce_class_config *class, uint64_t queue_bytes,
		   struct random *random);

#endif
