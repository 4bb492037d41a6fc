/*  switchd/ethernet/roce_queue: the three states, and when a CNP is sent (RC-7, RC-8). */
#include <stdlib.h>
#include <string.h>

#include "switchd/ethernet/roce_queue.h"
#include "tests/testing.h"

#define KMAX 200000u
#define REFERENCE 300000u /* 1.5 kmax */
#define PERIOD (55 * NODE_US)
#define LACKS (PERIOD - PERIOD / 16) /* a CNP is sent this long after the last one */
#define LACKS_S4 (300 * NODE_US - 300 * NODE_US / 16)
#define FLOWS 4u

static struct roce_config roce;
static struct class_stats stats;
static struct roce_queue queue;
static struct flow_line lines[FLOWS];

static void restart(void)
{
	stats = (struct class_stats){ 0 };
	roce_queue_init(&queue, &roce, &roce.classes[1], &stats);
}

static void setup(void)
{
	roce = (struct roce_config){ .supplement = true,
				     .increase_period_ps = PERIOD,
				     .idle_ps = NODE_S,
				     .reference_permille = 1500 };
	roce.classes[1] = (struct roce_class_config){ .kmin_bytes = 5000,
						      .kmax_bytes = KMAX,
						      .watched = true };
	memset(lines, 0, sizeof(lines));
	restart();
}

TEST_GROUP(roce_queue, .setup = setup);

TEST(states__in_their_order)
{
	roce_queue_on_length(&queue, REFERENCE, false, 10);
	/* RC-7: the reference range ends at 1.5 kmax */
	ck_assert_int_eq(queue.state, ROCE_ECN_NORMAL);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 20);
	ck_assert_int_eq(queue.state, ROCE_ECN_FAILED);
	roce_queue_on_length(&queue, 3 * KMAX, false, 20 + PERIOD - 1);
	ck_assert_int_eq(queue.state, ROCE_ECN_FAILED);
	roce_queue_on_length(&queue, 3 * KMAX, false, 20 + PERIOD);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 30 + PERIOD);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
	roce_queue_on_length(&queue, REFERENCE, false, 40 + PERIOD);
	ck_assert_int_eq(queue.state, ROCE_ECN_NORMAL);
}

TEST(states__above_without_interruption)
{
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	roce_queue_on_length(&queue, REFERENCE, false, PERIOD - 2);
	roce_queue_on_length(&queue, REFERENCE + 1, false, PERIOD - 1);
	roce_queue_on_length(&queue, REFERENCE + 1, false, PERIOD);
	/* it was in the reference range meanwhile */
	ck_assert_int_eq(queue.state, ROCE_ECN_FAILED);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 2 * PERIOD - 1);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
}

/* keeps the queue too long for a period, until @now */
static void fail_cnps(node_time_t now)
{
	roce_queue_on_length(&queue, 3 * KMAX, false, now - PERIOD);
	roce_queue_on_length(&queue, 3 * KMAX, false, now);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
}

TEST(states__failed_cnps_are_remembered_for_a_period)
{
	fail_cnps(PERIOD);
	roce_queue_on_length(&queue, REFERENCE, false, 2 * PERIOD);
	ck_assert_int_eq(queue.state, ROCE_ECN_NORMAL);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 3 * PERIOD - 1);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
	roce_queue_on_length(&queue, REFERENCE, false, 4 * PERIOD);
	roce_queue_on_length(&queue, 0, false, 4 * PERIOD + 1);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 5 * PERIOD);
	ck_assert_int_eq(queue.state, ROCE_ECN_FAILED); /* it has been calm */
}

TEST(states__queue_short_by_pauses_is_not_calm)
{
	fail_cnps(PERIOD);
	roce_queue_on_length(&queue, REFERENCE, true, 2 * PERIOD);
	roce_queue_on_length(&queue, REFERENCE - 1, true, 9 * PERIOD); /* a slow link */
	roce_queue_on_length(&queue, 1000, false, 9 * PERIOD + 1);     /* all were resumed */
	roce_queue_on_length(&queue, REFERENCE + 1, false, 10 * PERIOD - 1);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
}

TEST(states__without_supplementing_cnps_do_not_fail)
{
	roce.supplement = false;
	restart();
	roce_queue_on_length(&queue, 10 * KMAX, false, 0);
	roce_queue_on_length(&queue, 10 * KMAX, false, 100 * PERIOD);
	ck_assert_int_eq(queue.state, ROCE_ECN_FAILED); /* RC-7: "though CNPs are supplemented" */
}

TEST(states__are_counted)
{
	roce_queue_on_length(&queue, 3 * KMAX, false, 7);
	roce_queue_on_length(&queue, 3 * KMAX, false, 7 + PERIOD);
	roce_queue_on_length(&queue, 0, false, 8 + PERIOD);
	roce_queue_on_length(&queue, 3 * KMAX, false, 9 + 3 * PERIOD);
	ck_assert_uint_eq(stats.state, ROCE_ECN_FAILED);
	ck_assert_uint_eq(stats.state_max, ROCE_CNP_FAILED);
	ck_assert_uint_eq(stats.ecn_failed_ps, 7); /* the first time */
	ck_assert_uint_eq(stats.cnp_failed_ps, 7 + PERIOD);
}

/* ---- CNPs of the switch: flow i has had its first packet at @now, and its queue pair is known
 * ---- */

static void flow_begin(uint32_t i, node_time_t now)
{
	lines[i] =
		(struct flow_line){ .queue_pair = 0x400000 + i, .first_ps = now, .seen_ps = now };
	ck_assert(roce_queue_on_packet(&queue, &lines[i], now));
}

/* What is due at @now, if the first packet of the queue is @oldest_ps old.  Return: NULL if no CNP
 * is due. */
static struct flow_line *next(node_time_t oldest_ps, node_time_t now)
{
	ck_assert_uint_le(roce_queue_due_at(&queue), now);
	return roce_queue_next(&queue, oldest_ps, now);
}

/* RC-8, the example of S4: a packet every 500 us, sources that raise their rates every 300 us */
TEST(supplement__needs_no_packet)
{
	node_time_t now = 0;

	roce.increase_period_ps = 300 * NODE_US;
	flow_begin(0, 0);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	for (uint32_t packet = 0; packet < 20; packet++) {
		node_time_t at = packet * 500 * NODE_US;

		while (roce_queue_due_at(&queue) <= at) {
			ck_assert_uint_eq(roce_queue_due_at(&queue), now + LACKS_S4);
			now = roce_queue_due_at(&queue);
			ck_assert_ptr_eq(next(0, now), &lines[0]);
			ck_assert_uint_eq(lines[0].cnp_ps, now);
		}
		lines[0].seen_ps = at;
		roce_queue_on_packet(&queue, &lines[0], at);
	}
	ck_assert_uint_eq(now, 33 * LACKS_S4);
	ck_assert_uint_eq(stats.cnps_supplemented, 33);
	ck_assert_uint_eq(lines[0].cnps_supplemented, 33);
}

TEST(supplement__cnp_of_the_receiver_counts)
{
	flow_begin(0, 0);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	for (node_time_t now = 0; now < 10 * LACKS; now += LACKS - 1) {
		ck_assert_uint_gt(roce_queue_due_at(&queue), now); /* RC-8 */
		roce_queue_on_cnp(&queue, &lines[0], now);         /* from the receiver */
	}
	ck_assert_uint_eq(stats.cnps_seen, 11);
	ck_assert_uint_eq(lines[0].cnps_seen, 11);
	ck_assert_uint_eq(stats.cnps_supplemented, 0);
}

TEST(supplement__flow_that_lacks_one_longest_first)
{
	for (uint32_t i = 0; i < FLOWS; i++)
		flow_begin(i, i);
	roce_queue_on_length(&queue, REFERENCE + 1, false, FLOWS);
	roce_queue_on_cnp(&queue, &lines[1], FLOWS);
	ck_assert_ptr_eq(next(0, LACKS), &lines[0]);
	ck_assert_ptr_eq(next(0, LACKS + 2), &lines[2]);
	ck_assert_uint_eq(roce_queue_due_at(&queue), LACKS + 3);
	ck_assert_ptr_eq(next(0, LACKS + 3), &lines[3]);
	ck_assert_ptr_eq(next(0, LACKS + FLOWS), &lines[1]);
	ck_assert_ptr_eq(next(0, 2 * LACKS), &lines[0]);
}

TEST(supplement__not_unless_congested)
{
	flow_begin(0, 0);
	ck_assert_uint_eq(roce_queue_due_at(&queue), NODE_TIME_NEVER); /* RC-8 */
	roce_queue_on_length(&queue, REFERENCE, false, LACKS);
	ck_assert_uint_eq(roce_queue_due_at(&queue), NODE_TIME_NEVER);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 100 * LACKS);
	ck_assert_ptr_eq(next(0, 100 * LACKS), &lines[0]); /* it has lacked one for long */
	roce_queue_on_length(&queue, 0, false, 100 * LACKS + 1);
	ck_assert_uint_eq(roce_queue_due_at(&queue), NODE_TIME_NEVER);
}

TEST(supplement__new_flow_lacks_none_yet)
{
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	flow_begin(0, 10 * LACKS);
	ck_assert_uint_eq(roce_queue_due_at(&queue), 11 * LACKS);
}

TEST(supplement__needs_the_queue_pair)
{
	flow_begin(1, 0);
	lines[0] = (struct flow_line){ .queue_pair = FLOW_QUEUE_PAIR_UNKNOWN };
	ck_assert(roce_queue_on_packet(&queue, &lines[0], 0));
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	roce_queue_on_cnp(&queue, &lines[1], 1);
	ck_assert_ptr_null(next(0, LACKS));
	/* not requested again with each packet */
	ck_assert(!roce_queue_on_packet(&queue, &lines[0], LACKS + 1));
	ck_assert_uint_eq(roce_queue_due_at(&queue), LACKS + 1);
	lines[0].queue_pair = 0x400000;
	ck_assert(roce_queue_on_queue_pair(&queue, &lines[0]));
	ck_assert_ptr_eq(next(0, LACKS), &lines[0]); /* at once */
	ck_assert_ptr_eq(next(0, LACKS + 1), &lines[1]);
	ck_assert(!roce_queue_on_queue_pair(&queue, &lines[0])); /* the timer runs */
}

/* a flow feeds the queue until idle_ps after its last packet left it */
TEST(supplement__not_for_a_flow_that_has_ended)
{
	roce.idle_ps = 3 * LACKS;
	flow_begin(0, 0);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	ck_assert_ptr_eq(next(0, 9 * LACKS), &lines[0]); /* its packet is the first of the queue */
	ck_assert_ptr_eq(next(3 * LACKS, 10 * LACKS), &lines[0]);
	ck_assert_ptr_null(next(3 * LACKS + 1, 11 * LACKS));
	ck_assert_uint_eq(roce_queue_due_at(&queue), NODE_TIME_NEVER);
	lines[0].seen_ps = 12 * LACKS;
	ck_assert(roce_queue_on_packet(&queue, &lines[0], 12 * LACKS)); /* like a new flow */
	ck_assert_uint_eq(roce_queue_due_at(&queue), 13 * LACKS);
}

/* RC-9: It is paused and sends nothing. After it resumes it has a period without CNPs, like a new
 * flow. */
TEST(supplement__not_for_a_paused_flow)
{
	flow_begin(0, 0);
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	lines[0].pinned = true;
	ck_assert_ptr_null(next(0, LACKS));
	ck_assert_uint_eq(stats.cnps_supplemented, 0);
	lines[0].pinned = false;
	ck_assert_uint_eq(roce_queue_due_at(&queue), 2 * LACKS);
	ck_assert_ptr_eq(next(0, 2 * LACKS), &lines[0]);
}

TEST(supplement__a_flow_feeds_one_queue)
{
	struct roce_queue other;

	roce_queue_init(&other, &roce, &roce.classes[1], &stats);
	flow_begin(0, 0);
	ck_assert(roce_queue_on_packet(&other, &lines[0], 5)); /* it uses another path now */
	roce_queue_on_length(&queue, REFERENCE + 1, false, 5);
	roce_queue_on_length(&other, REFERENCE + 1, false, 5);
	ck_assert_uint_eq(roce_queue_due_at(&queue), NODE_TIME_NEVER);
	ck_assert_uint_eq(roce_queue_due_at(&other), 5 + LACKS);
}

TEST(supplement__never_if_off)
{
	roce.supplement = false;
	lines[0] = (struct flow_line){ .queue_pair = 1 };
	ck_assert(!roce_queue_on_packet(&queue, &lines[0], 0));
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	roce_queue_on_cnp(&queue, &lines[0], 1);
	ck_assert_uint_eq(roce_queue_due_at(&queue), NODE_TIME_NEVER);
	ck_assert_uint_eq(stats.cnps_seen, 1);
}
