/*  rankd/link/crossing: two ranks in one process. What a node on one of them sends arrives in the
 *  ring of its peer on the other, and the receiver's worker is due; what is wrong is refused (SC-4,
 *  TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/clock/clock_gate.h"
#include "rankd/link/crossing.h"
#include "tests/testing.h"

#define LOOKAHEAD 1000u

/* one worker, with one node, on each rank; a link between them */
static struct rank_plan *plan;

struct side {
	struct clock_page *clock_page;
	struct places_page *places_page;
	uint8_t *rings;
	struct places places;
	struct clock_gate gate;
	struct crossing crossing;
	struct ring_tx tx; /* of the node */
	struct ring_rx rx;
};

static struct side sides[2];

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, (bytes + 4095) / 4096 * 4096);
}

static void plan_make(void)
{
	uint64_t ring = (ring_bytes(RING_BYTES_MIN) + 4095) / 4096 * 4096;
	size_t bytes = rank_plan_bytes(2, 2);
	const char *why = "";

	plan = zeroed(bytes);
	*plan = (struct rank_plan){ .magic = RANK_PLAN_MAGIC,
				    .bytes = (uint32_t)bytes,
				    .rank_count = 2,
				    .worker_count = 2,
				    .place_count = 16,
				    .ring_count = 2,
				    .rings_bytes = 2 * ring,
				    .lookahead_ps = LOOKAHEAD,
				    .loop = "auto" };
	for (uint32_t i = 0; i < 2; i++) {
		rank_plan_workers(plan)[i] =
			(struct rank_worker){ .rank = i, .first_place = 8 * i, .node_count = 1 };
		rank_plan_rings(plan)[i] = (struct rank_ring){ .at = i * ring,
							       .data_bytes = RING_BYTES_MIN,
							       .captured_max = 224,
							       .from_worker = i,
							       .to_worker = !i,
							       .to_place = 8 * !i };
	}
	ck_assert_msg(rank_plan_check(plan, bytes, 2, &why), "%s", why);
}

static void side_make(struct side *side, uint32_t rank)
{
	struct clock clock;

	side->clock_page = zeroed(clock_bytes(2));
	clock_init(side->clock_page, 2, LOOKAHEAD);
	ck_assert_int_eq(clock_attach(&clock, side->clock_page, clock_bytes(2)), 0);
	ck_assert_int_eq(clock_gate_init(&side->gate, &clock), 0);
	clock.own_next[!rank] = NODE_TIME_NEVER;
	side->places_page = zeroed(places_bytes(2, 16));
	places_init(side->places_page, 2, 16);
	ck_assert_int_eq(places_attach(&side->places, side->places_page, places_bytes(2, 16)), 0);
	side->rings = zeroed(plan->rings_bytes);
	for (uint32_t i = 0; i < 2; i++)
		ring_init((struct ring_page *)(side->rings + rank_plan_rings(plan)[i].at),
			  RING_BYTES_MIN, 224);
	ck_assert_int_eq(crossing_init(&side->crossing, plan, rank, &side->gate.clock,
				       &side->places, side->rings),
			 0);
	ck_assert_uint_eq(side->crossing.neighbour_count, 1);
	ck_assert_int_eq(
		ring_tx_attach(&side->tx,
			       (struct ring_page *)(side->rings + rank_plan_rings(plan)[rank].at),
			       ring_bytes(RING_BYTES_MIN)),
		0);
	ck_assert_int_eq(
		ring_rx_attach(&side->rx,
			       (struct ring_page *)(side->rings + rank_plan_rings(plan)[!rank].at),
			       ring_bytes(RING_BYTES_MIN)),
		0);
}

static void make(void)
{
	plan_make();
	side_make(&sides[0], 0);
	side_make(&sides[1], 1);
}

static void done(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		crossing_fini(&sides[i].crossing);
		clock_gate_fini(&sides[i].gate);
		free(sides[i].clock_page);
		free(sides[i].places_page);
		free(sides[i].rings);
	}
	free(plan);
}

TEST_GROUP(crossing, .setup = make, .teardown = done);

/* the node of rank 0 sends what arrives at @at, as window.c does */
static void node_sends(node_time_t at, const char *text)
{
	uint32_t length = (uint32_t)strlen(text);
	struct record *record = ring_reserve(&sides[0].tx, length);

	ck_assert_ptr_nonnull(record);
	*record = (struct record){ .at_ps = at, .kind = RECORD_PACKET, .captured_bytes = length };
	memcpy(record_captured(record), text, length);
	ring_commit(&sides[0].tx, length);
	ring_publish(&sides[0].tx);
	atomic_store(&sides[0].places.inbox_next[8], at);
	clock_notify(&sides[0].gate.clock, 1, at);
}

/* of rank 0; Return: its message */
static const struct rank_records *collected(uint32_t window)
{
	ck_assert_int_eq(crossing_collect(&sides[0].crossing, window), 0);
	return &sides[0].crossing.messages[0];
}

static int delivered(const struct rank_records *message, uint32_t window, node_time_t end)
{
	return crossing_deliver(&sides[1].crossing, 0, message->bytes, message->length, window,
				end);
}

TEST(crossing__what_is_sent_arrives_and_is_due)
{
	const struct rank_records *message;
	struct record record;
	const uint8_t *bytes;

	sides[0].gate.clock.own_next[0] = 9000;
	node_sends(2500, "one");
	node_sends(2600, "two");
	/* it counts for the earliest event, then leaves this rank's times */
	ck_assert_uint_eq(clock_gate_earliest(&sides[0].gate), 2500);
	message = collected(1);
	ck_assert_uint_eq(clock_gate_earliest(&sides[0].gate), 9000);
	ck_assert_int_eq(delivered(message, 1, 2000), 0);
	crossing_publish(&sides[1].crossing);
	sides[1].gate.clock.own_next[1] = 9000;
	ck_assert_uint_eq(clock_gate_earliest(&sides[1].gate), 2500);
	ck_assert_uint_eq(sides[1].places.inbox_next[8], 2500);
	ring_refresh(&sides[1].rx);
	bytes = ring_peek(&sides[1].rx, &record);
	ck_assert_uint_eq(record.at_ps, 2500);
	ck_assert_mem_eq(bytes, "one", 3);
	ring_pop(&sides[1].rx, &record);
	bytes = ring_peek(&sides[1].rx, &record);
	ck_assert_mem_eq(bytes, "two", 3);
}

TEST(crossing_collect__nothing_was_sent)
{
	const struct rank_records *message;

	clock_gate_earliest(&sides[0].gate);
	message = collected(3);
	ck_assert_uint_eq(message->length, sizeof(struct rank_records_head));
	ck_assert_int_eq(delivered(message, 3, 0), 0);
	ck_assert_int_eq(delivered(message, 4, 0), -EINVAL);
}

/* each change of a sound message is refused, with the rank and the ring */
TEST(crossing_deliver__refuses)
{
	const struct rank_records *message;
	struct rank_record *entry;

	node_sends(2500, "one");
	clock_gate_earliest(&sides[0].gate);
	message = collected(1);
	entry = (struct rank_record *)(message->bytes + sizeof(struct rank_records_head));
	ck_assert_int_eq(delivered(message, 1, 2501), -EINVAL);
	ck_assert_str_eq(sides[1].crossing.why,
			 "rank 0 sent what arrives at 2500 ps on ring 0: that has passed");
	entry->ring = 1;
	ck_assert_int_eq(delivered(message, 1, 0), -EINVAL);
	entry->ring = 2;
	ck_assert_int_eq(delivered(message, 1, 0), -EINVAL);
	entry->ring = 0;
	entry->record.kind = RECORD_PAD;
	ck_assert_int_eq(delivered(message, 1, 0), -EINVAL);
	entry->record.kind = RECORD_KINDS;
	ck_assert_int_eq(delivered(message, 1, 0), -EINVAL);
	entry->record.kind = RECORD_PACKET;
	entry->record.wire_bytes = RING_CAPTURED_MAX + 1;
	ck_assert_int_eq(delivered(message, 1, 0), -EINVAL);
	entry->record.wire_bytes = 0;
	ck_assert_int_eq(delivered(message, 1, 0), 0);
	entry->record.at_ps = 2499; /* before an earlier one */
	ck_assert_int_eq(delivered(message, 1, 0), -EINVAL);
}

/* a ring that leads here, from another rank than the one that sent the message */
TEST(crossing_deliver__ring_of_another_rank)
{
	const struct rank_records *message;
	struct record record;

	node_sends(2500, "one");
	clock_gate_earliest(&sides[0].gate);
	message = collected(1);
	sides[1].crossing.neighbours[0] = 7;
	ck_assert_int_eq(delivered(message, 1, 0), -EINVAL);
	ck_assert_str_eq(sides[1].crossing.why,
			 "rank 7 sent a record of ring 0, which is not its own");
	crossing_publish(&sides[1].crossing);
	ring_refresh(&sides[1].rx);
	ck_assert_ptr_null(ring_peek(&sides[1].rx, &record));
}

/* a rank that sends more than any node could have sent */
TEST(crossing_deliver__a_full_ring)
{
	const struct rank_records *message;
	int error = 0;

	node_sends(2500, "one");
	clock_gate_earliest(&sides[0].gate);
	message = collected(1);
	for (uint32_t i = 0; i < RING_BYTES_MIN / RING_LINE && !error; i++)
		error = delivered(message, 1, 0);
	ck_assert_int_eq(error, -EINVAL);
	ck_assert_str_eq(sides[1].crossing.why, "ring 0 is full");
}

/* one that writes wildly into its ring */
TEST(crossing_collect__a_broken_ring)
{
	node_sends(2500, "one");
	atomic_store(&sides[0].tx.page->tail, 63);
	clock_gate_earliest(&sides[0].gate);
	ck_assert_int_eq(crossing_collect(&sides[0].crossing, 1), -EINVAL);
	ck_assert_str_eq(sides[0].crossing.why, "a record in ring 0 breaks the rules");
}
