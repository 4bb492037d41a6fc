#include "nicd/workload/workload_destination.h"

void workload_destination_init(struct workload_destination *destination,
			       const struct workload_config *config, uint64_t stream)
{
	*destination = (struct workload_destination){ .kind = config->destination,
						      .count = config->destination_count };
	random_init(&destination->random, config->seed, stream);
}

uint32_t workload_destination_next(struct workload_destination *destination)
{
	uint32_t place = 0;

	if (destination->kind == DESTINATION_RANDOM)
		return (uint32_t)random_below(&destination->random, destination->count);
	if (destination->kind == DESTINATION_ROUND_ROBIN) {
		place = destination->next;
		destination->next = place + 1 < destination->count ? place + 1 : 0;
	}
	return place;
}
