/*  rankd/link/windows: a rank opens the windows that all ranks agree on, until the clock must stop;
 *  what its owner says ends any wait (SC-4). */
#include "rankd/link/windows.h"

#include "nodes/base/monotonic.h"
#include "tests/unit/rankd/one_rank.h"

#define LOOK_NS 5000000u

static struct rank rank;
static uint32_t looks, looks_max;
static enum letter_state looked_state;
static uint64_t looked_ns;

/* ends the wait at look number looks_max */
static int look(void *owner, enum letter_state state, uint64_t waited_ns)
{
	ck_assert_ptr_eq(owner, &rank);
	ck_assert_uint_gt(waited_ns, looked_ns);
	looked_ns = waited_ns;
	looked_state = state;
	return ++looks == looks_max ? 7 : 0;
}

static void begin(uint32_t number)
{
	plan_make();
	ranks_begin(number, RANKS);
	rank_make(&rank, number);
	rank.windows.look = look;
	rank.windows.owner = &rank;
	looks = 0;
	looked_ns = 0;
	looks_max = 1;
}

static void done(void)
{
	rank_end(&rank);
	ranks_end();
}

TEST_GROUP(windows, .teardown = done);

/* what rank 0 answers in round @window: its message, and the least times of all */
static void round_send(uint32_t window, uint64_t least, uint64_t limit)
{
	struct rank_records_head head = { .magic = RANK_RECORDS_MAGIC, .window = window };

	ranks_send(RANKS_PART, 0, NULL, &head, sizeof(head));
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ least, limit }, NULL, 0);
}

/* what this rank has sent: a message, and its times */
static void round_was(uint64_t next, uint64_t limit, uint32_t parts)
{
	while (parts--) {
		ck_assert(ranks_round(&item));
		ck_assert_uint_eq(item.kind, RANKS_PART);
	}
	ck_assert(ranks_round(&item));
	ck_assert_uint_eq(item.kind, RANKS_ROUND);
	ck_assert_uint_eq(item.times[0], next);
	ck_assert_uint_eq(item.times[1], limit);
}

static struct clock_page *page(void)
{
	return rank.windows.gate.clock.page;
}

static void due(node_time_t first, node_time_t second)
{
	rank.windows.gate.clock.own_next[1] = first;
	rank.windows.gate.clock.own_next[2] = second;
}

/* the limit of rank 0 counts here too; a window in which no worker here takes part ends at once */
TEST(windows_run__until_the_limit)
{
	begin(1);
	due(9000, 8000);
	round_send(0, 2000, 5000);
	round_send(1, 4500, 5000);
	round_send(2, 5000, 5000);
	ck_assert_int_eq(windows_run(&rank.windows), 0);
	ck_assert_uint_eq(rank.windows.earliest, 8000);
	ck_assert_uint_eq(rank.windows.count, 3);
	ck_assert_uint_eq(rank.windows.end, 5000); /* not 5500 */
	ck_assert_uint_eq(page()->limit_ps, 5000);
	ck_assert_uint_eq(page()->window, 2);
	ck_assert_uint_eq(looks, 0);
	for (int i = 0; i < 3; i++)
		round_was(8000, NODE_TIME_NEVER, 1);
}

TEST(windows_run__a_whole_window)
{
	begin(1);
	due(9000, 8000);
	round_send(0, 2000, 5000);
	round_send(1, 6000, 5000);
	ck_assert_int_eq(windows_run(&rank.windows), 0);
	ck_assert_uint_eq(page()->start_ps, 2000);
	ck_assert_uint_eq(page()->end_ps, 2000 + LOOKAHEAD);
}

TEST(windows_run__at_the_limit_already)
{
	begin(1);
	due(9000, 8000);
	round_send(0, 5000, 5000);
	ck_assert_int_eq(windows_run(&rank.windows), 0);
	ck_assert_uint_eq(page()->window, 0);
	ck_assert_uint_eq(rank.windows.count, 1);
}

/* rank 0 has the limit from its orchestrator, and keeps it */
TEST(windows_run__rank_0)
{
	struct rank_records_head head = { .magic = RANK_RECORDS_MAGIC };

	begin(0);
	rank.windows.gate.clock.own_next[0] = 700;
	page()->limit_ps = 6000;
	ranks_send(RANKS_PART, 1, NULL, &head, sizeof(head));
	ranks_send(RANKS_PART, 2, NULL, &head, sizeof(head));
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ 700, 600 }, NULL, 0);
	ck_assert_int_eq(windows_run(&rank.windows), 0);
	round_was(700, 6000, 2);
	ck_assert_uint_eq(page()->limit_ps, 6000);
}

/* a window shortly before the end of time */
TEST(windows_run__the_end_of_time)
{
	begin(1);
	due(NODE_TIME_NEVER, NODE_TIME_NEVER - LOOKAHEAD + 1);
	round_send(0, NODE_TIME_NEVER - LOOKAHEAD + 1, NODE_TIME_NEVER);
	ck_assert_int_eq(windows_run(&rank.windows), 7);
	ck_assert_uint_eq(page()->end_ps, NODE_TIME_NEVER);
	ck_assert_int_eq(looked_state, LETTER_WORKS);
}

TEST(windows_run__nothing_ever_happens)
{
	begin(1);
	due(NODE_TIME_NEVER, NODE_TIME_NEVER);
	round_send(0, NODE_TIME_NEVER, NODE_TIME_NEVER);
	ck_assert_int_eq(windows_run(&rank.windows), 0);
	ck_assert_uint_eq(rank.windows.earliest, NODE_TIME_NEVER);
}

/* while workers do not finish it looks, and goes on as long as nothing is said */
TEST(windows_run__looks_while_workers_work)
{
	begin(1);
	looks_max = 4;
	due(9000, 100);
	round_send(0, 100, 5000);
	ck_assert_int_eq(windows_run(&rank.windows), 7);
	ck_assert_uint_eq(looks, 4);
	ck_assert_int_eq(looked_state, LETTER_WORKS);
	ck_assert_uint_ge(looked_ns, 4 * LOOK_NS);
	ck_assert_uint_eq(rank.windows.count, 1);
}

TEST(windows_run__looks_while_others_are_late)
{
	begin(1);
	looks_max = 3;
	ck_assert_int_eq(windows_run(&rank.windows), 7);
	ck_assert_uint_eq(looks, 3);
	ck_assert_int_eq(looked_state, LETTER_WAITS);
	ck_assert_uint_ge(looked_ns, 3 * LOOK_NS);
	ck_assert_uint_eq(rank.windows.count, 0);
}

TEST(windows_run__a_message_that_is_wrong)
{
	begin(1);
	round_send(1, 100, 5000); /* of another window */
	ck_assert_int_eq(windows_run(&rank.windows), -EINVAL);
	ck_assert_str_eq(rank.windows.crossing.why, "rank 0 sent no message of window 0");
}

/* what arrives in the last round counts for the earliest event */
TEST(windows_run__what_arrives_last)
{
	struct record record = { .at_ps = 6000, .kind = RECORD_PACKET };
	struct rank_records message = { 0 };

	begin(1);
	due(9000, 8000);
	ck_assert_int_eq(rank_records_begin(&message, 0), 0);
	ck_assert_int_eq(rank_records_add(&message, 0, &record, (const uint8_t *)""), 0);
	ranks_send(RANKS_PART, 0, NULL, message.bytes, message.length);
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ 6000, 5000 }, NULL, 0);
	ck_assert_int_eq(windows_run(&rank.windows), 0);
	ck_assert_uint_eq(rank.windows.earliest, 6000);
	rank_records_free(&message);
}

/* a record of a time that has passed ends the run: the second window has opened at 2000 */
TEST(windows_run__what_arrives_late)
{
	struct record record = { .at_ps = 2999, .kind = RECORD_PACKET };
	struct rank_records message = { 0 };

	begin(1);
	due(9000, 8000);
	ck_assert_int_eq(rank_records_begin(&message, 1), 0);
	ck_assert_int_eq(rank_records_add(&message, 0, &record, (const uint8_t *)""), 0);
	round_send(0, 2000, 5000);
	ranks_send(RANKS_PART, 0, NULL, message.bytes, message.length);
	ranks_send(RANKS_ROUND, 0, (uint64_t[]){ 2999, 5000 }, NULL, 0);
	ck_assert_int_eq(windows_run(&rank.windows), -EINVAL);
	rank_records_free(&message);
}

TEST(windows_wait__counts_turns)
{
	uint64_t began_ns = monotonic_ns();
	uint32_t turn = 0;

	for (int i = 0; i < 64; i++)
		windows_wait(&turn);
	ck_assert_uint_eq(turn, 64);
	began_ns = monotonic_ns();
	windows_wait(&turn); /* sleeps from now on, at least 20 us */
	ck_assert_uint_ge(monotonic_ns() - began_ns, 20000);
	turn = 1000000;
	began_ns = monotonic_ns();
	windows_wait(&turn);
	ck_assert_uint_ge(monotonic_ns() - began_ns, 500000);
	begin(1);
}
