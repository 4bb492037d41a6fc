/*  workload_size - how large the next message is: fixed, or drawn from a flow-size distribution
 *  (TB-12).
 *
 *  A distribution is given by points (bytes, cumulative share), linear between them, from 0 bytes
 *  at share 0. A size is drawn by inverse transform of one 64-bit random number: between points a
 *  and b every whole number of bytes from a + 1 to b is equally likely. So sizes are at least 1,
 *  and means are exact sums. Integers only. */
#ifndef HEDDLE_NICD_WORKLOAD_WORKLOAD_SIZE_H
#define HEDDLE_NICD_WORKLOAD_WORKLOAD_SIZE_H

#include <stdint.h>

#include "nicd/traffic/message.h"
#include "nodes/base/random.h"
#include "nodes/config/config.h"

/* larger sizes are limited to what a frame can state */
#define WORKLOAD_SIZE_BYTES_MAX FRAME_MESSAGE_BYTES_MAX
#define WORKLOAD_SIZE_PPM 1000000u

struct workload_size {
	uint64_t fixed_bytes; /* 0: from points */
	uint32_t point_count;
	const struct size_point *points; /* borrowed from the config */
	struct random random;
};

/** workload_size_init() - as @config says, which outlives @size. @stream of its random numbers. */
void workload_size_init(struct workload_size *size, const struct workload_config *config,
			uint64_t stream);

/** workload_size_next() - bytes of the next message, 1..WORKLOAD_SIZE_BYTES_MAX. O(points). */
uint64_t workload_size_next(struct workload_size *size);

/** workload_size_of() - the size at @share / 2^64 of the distribution: 0 gives the smallest.
 *  Pure. */
uint64_t workload_size_of(const struct size_point *points, uint32_t point_count, uint64_t share);

/** workload_size_mean_ubytes() - link bytes of a message on average, in millionths of a byte: its
 *  own bytes, and @extra_bytes for each packet of @shape. With extra_bytes 0: the mean size.
 *  Padding of the last packet counts if the size is fixed. Else (a few bytes) it does not. */
uint64_t workload_size_mean_ubytes(const struct workload_size *size,
				   const struct message_shape *shape, uint32_t extra_bytes);

#endif
