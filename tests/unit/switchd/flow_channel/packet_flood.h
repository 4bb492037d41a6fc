/*  packet_flood - sends raw frames through one_switch.h until its buffers are full (TB-26).
 *
 *  For the tests of the dataplanes' pools. Host 0 sends whole frames, as real programs do, faster
 *  than host 1 receives them; a test sets their lengths. Received bytes are compared with those
 *  that were sent. The test states what precedes a frame on the link, and when there is buffer. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_PACKET_FLOOD_H
#define HEDDLE_TESTS_UNIT_SWITCHD_FLOW_CHANNEL_PACKET_FLOOD_H

#include "nodes/base/random.h"
#include "nodes/wire/address.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define FLOOD_MTU 9216u
#define FLOOD_GREATEST_CELLS packet_cells(FLOOD_MTU)
#define FLOOD_GREATEST_BYTES ((size_t)FLOOD_GREATEST_CELLS * PACKET_CELL_BYTES)
#define FLOOD_FRAMES_MAX 40000u
#define FLOOD_REFUSED 30u      /* a flood ends after this many rejected frames */
#define FLOOD_OUT_BPS 1000000u /* of host 1: hardly anything is sent during a flood */

struct flood {
	struct packet_pool *pool;
	uint32_t front_bytes;                                /* before each frame */
	void (*front)(uint32_t frame_bytes, uint8_t *bytes); /* writes these bytes */
	/* is there buffer for one more? NULL: drops decide */
	bool (*has_buffer)(uint32_t frame_bytes);
	uint32_t number, received, inside; /* frames */
	/* of those inside, in order */
	uint32_t numbers[FLOOD_FRAMES_MAX], lengths[FLOOD_FRAMES_MAX];
	struct random random;
};

/* the lengths at which a packet needs one cell more, or one unit of buffer more */
static const uint32_t flood_lengths[] = { 14,  59,  60,  61,  64,   65,   124,  125,
					  128, 129, 252, 256, 257,  312,  313,  496,
					  497, 512, 513, 600, 1024, 1514, 4096, FLOOD_MTU };
#define FLOOD_LENGTHS (sizeof(flood_lengths) / sizeof(flood_lengths[0]))
#define FLOOD_MIXED 0u /* any of these lengths, drawn at random */

#define FLOOD_UNITS 1024u /* of buffer of an input with credit or STOP */

static inline bool flood_input_has_buffer(uint32_t frame_bytes)
{
	return s.links[0].rx.held_units[0] + units_of_bytes(frame_bytes) <= s.ports[0].buffer_units;
}

static inline void flood_configure(void)
{
	s.config.clock = CLOCK_REAL;
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].mtu_bytes = FLOOD_MTU;
	s.ports[1].rate_bps = FLOOD_OUT_BPS;
}

static inline void flood_frame_make(uint32_t number, uint32_t frame_bytes, uint8_t *bytes)
{
	for (uint32_t i = 0; i < frame_bytes; i++)
		bytes[i] = (uint8_t)(number * 31 + i * 7 + i / 256);
	address_mac(1, bytes);
	address_mac(0, bytes + 6);
	bytes[12] = 0x88; /* an unknown EtherType */
	bytes[13] = 0xb5;
}

static inline void flood_send(struct flood *flood, uint32_t frame_bytes)
{
	static uint8_t bytes[RING_CAPTURED_MAX];
	uint64_t before = drops_all(), no_cell = drops(DROP_BUFFER_OVERFLOW);
	bool buffer = !flood->has_buffer || flood->has_buffer(frame_bytes);

	if (flood->front_bytes)
		flood->front(frame_bytes, bytes);
	flood_frame_make(flood->number, frame_bytes, bytes + flood->front_bytes);
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET,
			     s.links[0].front_bytes + frame_bytes + FRAME_FCS_BYTES, 0, bytes,
			     flood->front_bytes + frame_bytes);
	one_switch_run(&s, s.neighbours[0].busy_until_ps);
	if (drops_all() == before) {
		ck_assert_uint_lt(flood->inside, FLOOD_FRAMES_MAX);
		flood->numbers[flood->inside] = flood->number;
		flood->lengths[flood->inside++] = frame_bytes;
	} else if (buffer) { /* the pool has cells for all that fits into the buffer */
		ck_assert_uint_eq(drops(DROP_BUFFER_OVERFLOW), no_cell);
	}
	flood->number++;
}

/* frames of @frame_bytes, or FLOOD_MIXED, until FLOOD_REFUSED of them were rejected */
static inline void flood_fill(struct flood *flood, uint32_t frame_bytes)
{
	uint64_t end = drops_all() + FLOOD_REFUSED;

	while (drops_all() < end)
		flood_send(flood,
			   frame_bytes
				   ? frame_bytes
				   : flood_lengths[random_below(&flood->random, FLOOD_LENGTHS)]);
}

/* host 1 receives all that is inside; it equals what was sent, in order */
static inline void flood_drain(struct flood *flood)
{
	static uint8_t bytes[FLOOD_MTU];
	node_time_t end = s.neighbours[0].busy_until_ps;
	uint32_t i = 0;

	for (uint32_t idle = 0; i < flood->inside && idle < 100; idle++) {
		one_switch_run(&s, end += 100 * NODE_MS);
		while (neighbour_receive(&s, 1, RECORD_PACKET, &got)) {
			flood_frame_make(flood->numbers[i], flood->lengths[i], bytes);
			ck_assert_uint_eq(got.header.captured_bytes,
					  flood->front_bytes + flood->lengths[i]);
			ck_assert_mem_eq(got.bytes + flood->front_bytes, bytes, flood->lengths[i]);
			i++;
			idle = 0;
		}
	}
	ck_assert_uint_eq(i, flood->inside);
	s.neighbours[0].busy_until_ps = end;
	flood->received += i;
	flood->inside = 0;
}

/* One flood after another, while all other cells of the pool are in use. @own_cells, which the
 * documentation promises for the flooded buffer, must suffice.  Return: the most bytes that packets
 * used at one time. */
static inline size_t flood_all(struct flood *flood, uint32_t own_cells)
{
	struct packet_pool *pool = flood->pool;
	struct packet_queue others = { 0 };
	size_t others_bytes, most_bytes = 0;
	uint32_t others_count;

	random_init(&flood->random, 26, 1);
	ck_assert_uint_le(own_cells, pool->cell_count);
	while (pool->cell_count - pool->cells_used > own_cells)
		packet_queue_push(&others, packet_alloc(pool, 0));
	others_count = pool->used;
	others_bytes = (size_t)pool->fresh * PACKET_CELL_BYTES;
	for (uint32_t i = 0; i <= FLOOD_LENGTHS; i++) {
		size_t held_bytes;

		flood_fill(flood, i < FLOOD_LENGTHS ? flood_lengths[i] : FLOOD_MIXED);
		held_bytes = (size_t)(pool->cells_used - others_count) * PACKET_CELL_BYTES;
		if (held_bytes > most_bytes)
			most_bytes = held_bytes;
		flood_drain(flood);
		ck_assert_uint_eq(pool->used, others_count);
		ck_assert_uint_eq(pool->cells_used, others_count);
		/* a frame that was rejected for lack of buffer may have had its cells */
		ck_assert_uint_le((size_t)pool->fresh * PACKET_CELL_BYTES,
				  others_bytes + most_bytes + FLOOD_GREATEST_BYTES);
	}
	while (others.head)
		packet_free(pool, packet_queue_pop(&others));
	return most_bytes;
}

/* what the cells of the pool need, bytes */
static inline size_t flood_pool_bytes(const struct flood *flood)
{
	return (size_t)flood->pool->cell_count * PACKET_CELL_BYTES;
}

#endif
