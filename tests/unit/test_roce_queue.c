/*  switchd/roce_queue: the three states and when a CNP is made (RC-7, RC-8). */
#include <check.h>
#include <stdlib.h>

#include "switchd/roce_queue.h"

#define KMAX 200000u
#define REFERENCE 300000u /* 1.5 kmax */
#define PERIOD (55 * NODE_US)

static struct roce_config roce;
static struct class_stats stats;
static struct roce_queue queue;
static struct flow_line line;

static void restart(void)
{
	stats = (struct class_stats){ 0 };
	roce_queue_init(&queue, &roce, 1, &stats);
}

static void setup(void)
{
	roce = (struct roce_config){ .supplement = true, .increase_period_ps = PERIOD, .reference_permille = 1500 };
	roce.classes[1] = (struct roce_class_config){ .kmin_bytes = 5000, .kmax_bytes = KMAX, .watched = true };
	line = (struct flow_line){ .queue_pair = 0x400001 };
	restart();
}

START_TEST(states__in_their_order)
{
	roce_queue_on_length(&queue, REFERENCE, false, 10);
	ck_assert_int_eq(queue.state, ROCE_ECN_NORMAL); /* RC-7: the reference range ends at 1.5 kmax */
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
END_TEST

START_TEST(states__above_without_a_break)
{
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	roce_queue_on_length(&queue, REFERENCE, false, PERIOD - 2);
	roce_queue_on_length(&queue, REFERENCE + 1, false, PERIOD - 1);
	roce_queue_on_length(&queue, REFERENCE + 1, false, PERIOD);
	ck_assert_int_eq(queue.state, ROCE_ECN_FAILED); /* it was in the range meanwhile */
	roce_queue_on_length(&queue, REFERENCE + 1, false, 2 * PERIOD - 1);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
}
END_TEST

/* the queue is too long, for a period, until @now */
static void fail_cnps(node_time_t now)
{
	roce_queue_on_length(&queue, 3 * KMAX, false, now - PERIOD);
	roce_queue_on_length(&queue, 3 * KMAX, false, now);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
}

START_TEST(states__failed_cnps_are_remembered_for_a_period)
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
END_TEST

START_TEST(states__short_by_pauses_is_not_calm)
{
	fail_cnps(PERIOD);
	roce_queue_on_length(&queue, REFERENCE, true, 2 * PERIOD);
	roce_queue_on_length(&queue, REFERENCE - 1, true, 9 * PERIOD); /* a slow link */
	roce_queue_on_length(&queue, 1000, false, 9 * PERIOD + 1);     /* all were resumed */
	roce_queue_on_length(&queue, REFERENCE + 1, false, 10 * PERIOD - 1);
	ck_assert_int_eq(queue.state, ROCE_CNP_FAILED);
}
END_TEST

START_TEST(states__without_supplementing_cnps_do_not_fail)
{
	roce.supplement = false;
	restart();
	roce_queue_on_length(&queue, 10 * KMAX, false, 0);
	roce_queue_on_length(&queue, 10 * KMAX, false, 100 * PERIOD);
	ck_assert_int_eq(queue.state, ROCE_ECN_FAILED); /* RC-7: "though CNPs are supplemented" */
}
END_TEST

START_TEST(states__are_counted)
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
END_TEST

START_TEST(supplement__none_within_a_period)
{
	line.cnp_ps = 5;
	roce_queue_on_length(&queue, REFERENCE + 1, false, 5);
	ck_assert(!roce_queue_supplements(&queue, &line, 5 + PERIOD - 1)); /* RC-8 */
	ck_assert(roce_queue_supplements(&queue, &line, 5 + PERIOD));
	roce_queue_on_supplement(&queue, &line, 5 + PERIOD);
	ck_assert(!roce_queue_supplements(&queue, &line, 6 + PERIOD)); /* the time is noted */
	ck_assert(roce_queue_supplements(&queue, &line, 5 + 2 * PERIOD));
	ck_assert_uint_eq(stats.cnps_supplemented, 1);
	ck_assert_uint_eq(line.cnps_supplemented, 1);
}
END_TEST

START_TEST(supplement__one_that_passed_counts)
{
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	for (node_time_t now = 0; now < 10 * PERIOD; now += PERIOD - 1) {
		ck_assert(!roce_queue_supplements(&queue, &line, now));
		line.cnp_ps = now; /* from the receiver */
	}
}
END_TEST

START_TEST(supplement__not_unless_congested)
{
	ck_assert(!roce_queue_supplements(&queue, &line, 100 * PERIOD)); /* RC-8 */
	roce_queue_on_length(&queue, REFERENCE, false, 0);
	ck_assert(!roce_queue_supplements(&queue, &line, 100 * PERIOD));
}
END_TEST

START_TEST(supplement__a_new_flow_has_lacked_none_yet)
{
	line.first_ps = 10 * PERIOD;
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	ck_assert(!roce_queue_supplements(&queue, &line, 11 * PERIOD - 1));
	ck_assert(roce_queue_supplements(&queue, &line, 11 * PERIOD));
}
END_TEST

START_TEST(supplement__needs_the_queue_pair)
{
	line.queue_pair = FLOW_QUEUE_PAIR_UNKNOWN;
	roce_queue_on_length(&queue, REFERENCE + 1, false, 0);
	ck_assert(!roce_queue_supplements(&queue, &line, PERIOD));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("roce_queue");
	TCase *tests = tcase_create("roce_queue");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, states__in_their_order);
	tcase_add_test(tests, states__above_without_a_break);
	tcase_add_test(tests, states__failed_cnps_are_remembered_for_a_period);
	tcase_add_test(tests, states__short_by_pauses_is_not_calm);
	tcase_add_test(tests, states__without_supplementing_cnps_do_not_fail);
	tcase_add_test(tests, states__are_counted);
	tcase_add_test(tests, supplement__none_within_a_period);
	tcase_add_test(tests, supplement__one_that_passed_counts);
	tcase_add_test(tests, supplement__not_unless_congested);
	tcase_add_test(tests, supplement__a_new_flow_has_lacked_none_yet);
	tcase_add_test(tests, supplement__needs_the_queue_pair);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
