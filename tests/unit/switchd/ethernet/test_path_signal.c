/*  switchd/ethernet/path_signal: which flows a congested switch tells to pause and to resume, and
 *  when (RC-9). */
#include <stdlib.h>

#include "nodes/wire/pause_frame.h"
#include "switchd/ethernet/path_signal.h"
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/watched_flow.h"

#define HIGH 600000u
#define LOW 200000u
#define RATE (100ull * 1000 * 1000 * 1000)
/* half of the pause of a PFC frame at RATE */
#define RENEW (PAUSE_QUANTA_MAX * (node_time_t)5120 / 2)

static struct roce_config roce;
static struct flow_watch watch;
static struct path_signal signals;

static void setup(void)
{
	ck_assert_int_eq(flow_watch_init(&watch, 4096), 0);
	roce = (struct roce_config){ .path_pause = true,
				     .path_target = ROCE_CNP_FAILED,
				     .path_high_bytes = HIGH,
				     .path_low_bytes = LOW };
	path_signal_init(&signals, &roce, RATE);
}

static void teardown(void)
{
	flow_watch_fini(&watch);
}

static bool packet(uint16_t flow, enum roce_state state, uint64_t bytes, node_time_t now)
{
	return path_signal_on_packet(&signals, &watch, watched_line(&watch, flow, now), state,
				     bytes, now);
}

/* the port of the flow that is signalled next; -1: none */
static int next(enum roce_state state, uint64_t bytes, node_time_t now, uint8_t what)
{
	uint8_t said = ROCE_SIGNAL_NONE;
	struct flow_line *line = path_signal_next(&signals, &watch, state, bytes, now, &said);

	if (!line)
		return -1;
	ck_assert_uint_eq(said, what);
	return line->key.source_port;
}

static node_time_t due_at(enum roce_state state, uint64_t bytes)
{
	return path_signal_due_at(&signals, &watch, state, bytes);
}

TEST_GROUP(path_signal, .setup = setup, .teardown = teardown);

TEST(pause__once_for_each_flow_that_feeds_the_queue)
{
	ck_assert(packet(1, ROCE_CNP_FAILED, HIGH + 1, 0)); /* RC-9 */
	ck_assert(!packet(1, ROCE_CNP_FAILED, HIGH + 1, 1));
	ck_assert(packet(2, ROCE_CNP_FAILED, HIGH + 1, 2));
	ck_assert_uint_eq(signals.paused, 2);
}

TEST(pause__only_in_the_target_state_and_above_high)
{
	ck_assert(!packet(1, ROCE_CNP_FAILED, HIGH, 0));
	ck_assert(!packet(1, ROCE_ECN_FAILED, 10 * HIGH, 0)); /* RC-9 */
	ck_assert(!packet(1, ROCE_ECN_NORMAL, 10 * HIGH, 0));
	roce.path_target = ROCE_ECN_FAILED;
	path_signal_init(&signals, &roce, RATE);
	ck_assert(packet(1, ROCE_ECN_FAILED, HIGH + 1, 0));
	ck_assert(packet(2, ROCE_CNP_FAILED, HIGH + 1, 0)); /* a worse state counts, too */
	ck_assert(!packet(3, ROCE_ECN_NORMAL, HIGH + 1, 0));
}

TEST(pause__never_if_off)
{
	roce.path_pause = false;
	path_signal_init(&signals, &roce, RATE);
	ck_assert(!packet(1, ROCE_CNP_FAILED, 10 * HIGH, 0));
	ck_assert_uint_eq(due_at(ROCE_CNP_FAILED, 0), NODE_TIME_NEVER);
}

TEST(pause__repeated_while_still_above)
{
	packet(1, ROCE_CNP_FAILED, HIGH + 1, 0);
	packet(2, ROCE_CNP_FAILED, HIGH + 1, 10);
	ck_assert_uint_eq(due_at(ROCE_CNP_FAILED, HIGH + 1), RENEW);
	ck_assert_int_eq(next(ROCE_CNP_FAILED, HIGH + 1, RENEW - 1, ROCE_SIGNAL_PAUSE), -1);
	ck_assert_int_eq(next(ROCE_CNP_FAILED, HIGH + 1, RENEW, ROCE_SIGNAL_PAUSE), 1);
	ck_assert_uint_eq(due_at(ROCE_CNP_FAILED, HIGH + 1), 10 + RENEW);
	ck_assert_int_eq(next(ROCE_CNP_FAILED, HIGH + 1, 10 + RENEW, ROCE_SIGNAL_PAUSE), 2);
	ck_assert_uint_eq(due_at(ROCE_CNP_FAILED, HIGH + 1), 2 * RENEW);
	ck_assert_uint_eq(signals.paused, 2);
}

TEST(between__no_signal)
{
	packet(1, ROCE_CNP_FAILED, HIGH + 1, 0);
	ck_assert_uint_eq(due_at(ROCE_CNP_FAILED, HIGH), NODE_TIME_NEVER);
	ck_assert_uint_eq(due_at(ROCE_ECN_NORMAL, LOW), NODE_TIME_NEVER);
	ck_assert_int_eq(next(ROCE_ECN_NORMAL, LOW, 10 * RENEW, ROCE_SIGNAL_PAUSE), -1);
	/* not in the target state */
	ck_assert_uint_eq(due_at(ROCE_ECN_FAILED, HIGH + 1), NODE_TIME_NEVER);
}

TEST(resume__all_that_were_paused)
{
	for (uint16_t flow = 1; flow <= 3; flow++)
		packet(flow, ROCE_CNP_FAILED, HIGH + 1, flow);
	ck_assert_uint_eq(due_at(ROCE_ECN_NORMAL, LOW - 1), 0); /* RC-9 */
	for (uint16_t flow = 1; flow <= 3; flow++)
		ck_assert_int_eq(next(ROCE_ECN_NORMAL, LOW - 1, 10, ROCE_SIGNAL_RESUME), flow);
	ck_assert_int_eq(next(ROCE_ECN_NORMAL, LOW - 1, 10, ROCE_SIGNAL_RESUME), -1);
	ck_assert_uint_eq(due_at(ROCE_ECN_NORMAL, 0), NODE_TIME_NEVER);
	ck_assert_uint_eq(signals.paused, 0);
}

TEST(resume__then_pause_again)
{
	packet(1, ROCE_CNP_FAILED, HIGH + 1, 0);
	next(ROCE_ECN_NORMAL, LOW - 1, 10, ROCE_SIGNAL_RESUME);
	ck_assert(!watched_line(&watch, 1, 11)->pinned);
	ck_assert(packet(1, ROCE_CNP_FAILED, HIGH + 1, 20));
	ck_assert(packet(2, ROCE_CNP_FAILED, HIGH + 1, 30));
	ck_assert_int_eq(next(ROCE_ECN_NORMAL, 0, 40, ROCE_SIGNAL_RESUME), 1);
	ck_assert_int_eq(next(ROCE_ECN_NORMAL, 0, 40, ROCE_SIGNAL_RESUME), 2);
}

TEST(two_queues__a_flow_belongs_to_one)
{
	struct path_signal other = signals;
	struct flow_line *line = watched_line(&watch, 1, 0);

	packet(1, ROCE_CNP_FAILED, HIGH + 1, 0);
	/* it was signalled already */
	ck_assert(!path_signal_on_packet(&other, &watch, line, ROCE_CNP_FAILED, HIGH + 1, 5));
	ck_assert_int_eq(next(ROCE_ECN_NORMAL, 0, 10, ROCE_SIGNAL_RESUME), 1);
	ck_assert(path_signal_on_packet(&other, &watch, line, ROCE_CNP_FAILED, HIGH + 1, 15));
}

/* paused flows stay in the table whatever other flows arrive, so each gets its resume signal */
TEST(paused_flows__outlive_a_full_table)
{
	uint32_t told = 0, resumed = 0;

	for (uint16_t flow = 0; flow < 500; flow++)
		told += packet(flow, ROCE_CNP_FAILED, HIGH + 1, flow);
	ck_assert_uint_eq(told, 500);
	for (uint32_t flow = 500; flow < 65536; flow++)
		watched_line(&watch, (uint16_t)flow, flow);
	while (next(ROCE_ECN_NORMAL, 0, 100000, ROCE_SIGNAL_RESUME) == (int)resumed)
		resumed++;
	ck_assert_uint_eq(resumed, 500);
}
