/*  workload_destination - the destination of the next message: always the same, one at random, or
 *  each in turn (TB-12). */
#ifndef HEDDLE_NICD_WORKLOAD_WORKLOAD_DESTINATION_H
#define HEDDLE_NICD_WORKLOAD_WORKLOAD_DESTINATION_H

#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/config/config.h"

struct workload_destination {
	enum destination_kind kind;
	uint32_t count; /* destinations, >= 1 */
	uint32_t next;  /* DESTINATION_ROUND_ROBIN */
	struct random random;
};

/** workload_destination_init() - as @config says.  @stream  of its random numbers. */
void workload_destination_init(struct workload_destination *destination,
			       const struct workload_config *config, uint64_t stream);

/** workload_destination_next() - place of the next message's destination in the config's list.
 *  Fixed: the first. Random: uniform over the list. Round robin: in the order of the list. O(1). */
uint32_t workload_destination_next(struct workload_destination *destination);

#endif
