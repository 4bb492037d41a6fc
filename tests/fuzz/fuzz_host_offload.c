/*  Fuzzes nicd/host/host_offload (TB-15, TB-23): cutting and merging what a host's kernel, or the
 *  fabric, hands over.
 *
 *  Input: a virtio_net_hdr, then a frame. Cut, every piece is an Ethernet frame within what was
 *  announced; read as a segment and merged with itself, the result cuts again into as many. Memory
 *  is exactly as long as the frame. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/host/host_offload.h"

#define PIECES_MAX 70000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size + !size);

	assert(copy);
	memcpy(copy, bytes, size);
	return copy;
}

static uint32_t cut(const struct virtio_net_hdr *header, const uint8_t *frame, uint32_t frame_bytes)
{
	struct host_cut state;
	uint32_t pieces = 0, bytes;

	if (host_cut_init(&state, header, frame, frame_bytes))
		return 0;
	while ((bytes = host_cut_bytes(&state))) {
		uint8_t *piece = malloc(bytes);

		assert(piece && bytes >= 60 && bytes <= (frame_bytes < 60 ? 60 : frame_bytes));
		if (pieces % 3 == 2)
			host_cut_skip(&state);
		else
			host_cut_write(&state, piece);
		free(piece);
		assert(++pieces < PIECES_MAX);
	}
	return pieces;
}

static void merge(const uint8_t *frame, uint32_t frame_bytes)
{
	struct virtio_net_hdr header = { 0 };
	struct host_segment segment;
	struct host_merge state;
	uint8_t *first, *super;

	if (host_segment_read(frame, frame_bytes, &segment) != HOST_SEGMENT_TCP)
		return;
	assert(!segment.mergeable || segment.headers_bytes + segment.payload_bytes <= frame_bytes);
	first = copy_of(frame, frame_bytes);
	host_merge_start(&state, &segment);
	segment.sequence += segment.payload_bytes; /* as if the same followed once more */
	if (host_merge_add(&state, first, frame, &segment)) {
		uint32_t super_bytes = segment.headers_bytes + state.payload_bytes;

		assert(super_bytes <= HOST_SUPER_BYTES_MAX);
		host_merge_finish(&state, first, &header);
		super = malloc(super_bytes);
		assert(super);
		memcpy(super, first, segment.headers_bytes);
		memset(super + segment.headers_bytes, 0, state.payload_bytes);
		assert(cut(&header, super, super_bytes) == state.segments);
		free(super);
	} else {
		host_merge_finish(&state, first, &header);
	}
	free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct virtio_net_hdr header;
	uint8_t *frame;

	if (size < sizeof(header) || size - sizeof(header) > HOST_SUPER_BYTES_MAX)
		return 0;
	memcpy(&header, data, sizeof(header));
	size -= sizeof(header);
	frame = copy_of(data + sizeof(header), size);
	cut(&header, frame, (uint32_t)size);
	merge(frame, (uint32_t)size);
	free(frame);
	return 0;
}
