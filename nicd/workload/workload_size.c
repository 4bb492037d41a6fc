#include "nicd/workload/workload_size.h"

typedef unsigned __int128 u128;

void workload_size_init(struct workload_size *size, const struct workload_config *config,
			uint64_t stream)
{
	*size = (struct workload_size){
		.fixed_bytes = config->message_bytes,
		.point_count = config->size_count,
		.points = config->sizes,
	};
	random_init(&size->random, config->seed, stream);
}

static uint64_t at_most(u128 value, uint64_t max)
{
	return value < max ? (uint64_t)value : max;
}

static uint64_t clamp(uint64_t bytes)
{
	return bytes ? at_most(bytes, WORKLOAD_SIZE_BYTES_MAX) : 1;
}

uint64_t workload_size_next(struct workload_size *size)
{
	if (size->fixed_bytes || !size->point_count)
		return clamp(size->fixed_bytes);
	return workload_size_of(size->points, size->point_count, random_next(&size->random));
}

/* a segment of the distribution: sizes first+1..last bytes, or `last` alone if first == last */
struct stretch {
	uint64_t first_bytes, last_bytes;
	uint32_t first_ppm, last_ppm;
};

static struct stretch stretch_of(const struct size_point *points, uint32_t index)
{
	struct stretch s = { .last_bytes = clamp(points[index].bytes),
			     .last_ppm = points[index].cumulative_ppm };

	if (index) {
		s.first_bytes = at_most(points[index - 1].bytes, WORKLOAD_SIZE_BYTES_MAX);
		s.first_ppm = points[index - 1].cumulative_ppm;
	}
	return s;
}

uint64_t workload_size_of(const struct size_point *points, uint32_t point_count, uint64_t share)
{
	/* share in ppm, with 32 bits of fraction */
	u128 at = (u128)share * WORKLOAD_SIZE_PPM >> 32;
	struct stretch s;
	uint32_t i = 0;

	while (i + 1 < point_count && at >= (u128)points[i].cumulative_ppm << 32)
		i++;
	s = stretch_of(points, i);
	if (s.last_bytes <= s.first_bytes)
		return s.last_bytes;
	at -= (u128)s.first_ppm << 32;
	at = at * (s.last_bytes - s.first_bytes) / ((u128)(s.last_ppm - s.first_ppm) << 32);
	return s.first_bytes + 1 + (uint64_t)at;
}

/* link bytes of all messages of 1..@bytes bytes, one of each size */
static u128 link_bytes_up_to(uint64_t bytes, const struct message_shape *shape,
			     uint32_t extra_bytes)
{
	uint64_t capacity = shape->capacity_bytes;
	uint64_t full = bytes / capacity, rest = bytes % capacity;
	u128 packets = (u128)capacity * full * (full + 1) / 2 + (u128)rest * (full + 1);

	return (u128)bytes * (bytes + 1) / 2 + packets * extra_bytes;
}

static u128 link_bytes_of(uint64_t bytes, const struct message_shape *shape, uint32_t extra_bytes)
{
	return bytes + (u128)message_packets(shape, bytes) * extra_bytes;
}

/* the bytes that pad the last packet of a message */
static uint32_t padding_bytes(uint64_t bytes, const struct message_shape *shape)
{
	uint32_t last_bytes = (uint32_t)((bytes - 1) % shape->capacity_bytes + 1);

	return message_frame_bytes(shape, last_bytes) - shape->overhead_bytes - last_bytes;
}

uint64_t workload_size_mean_ubytes(const struct workload_size *size,
				   const struct message_shape *shape, uint32_t extra_bytes)
{
	u128 sum = 0;

	if (size->fixed_bytes || !size->point_count) {
		uint64_t bytes = clamp(size->fixed_bytes);
		uint32_t padding = extra_bytes ? padding_bytes(bytes, shape) : 0;

		return at_most((link_bytes_of(bytes, shape, extra_bytes) + padding) *
				       WORKLOAD_SIZE_PPM,
			       UINT64_MAX);
	}
	for (uint32_t i = 0; i < size->point_count; i++) {
		struct stretch s = stretch_of(size->points, i);
		uint32_t ppm = s.last_ppm - s.first_ppm;

		if (s.last_bytes <= s.first_bytes)
			sum += ppm * link_bytes_of(s.last_bytes, shape, extra_bytes);
		else
			sum += ppm *
			       (link_bytes_up_to(s.last_bytes, shape, extra_bytes) -
				link_bytes_up_to(s.first_bytes, shape, extra_bytes)) /
			       (s.last_bytes - s.first_bytes);
	}
	return at_most(sum, UINT64_MAX);
}
