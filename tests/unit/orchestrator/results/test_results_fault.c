/*  orchestrator/results/results_fault: what faults did, as a table and as JSON (FC-26, TB-13). */
#include "orchestrator/results/results_fault.h"
#include "orchestrator/plan/plan_fault.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

static struct plan_fault list[] = {
	{ .kind = FAULT_SWITCH, .name = "switch s1", .at_ps = NODE_US, .until_ps = 4 * NODE_US },
	{ .kind = FAULT_LINK, .name = "link", .at_ps = 2 * NODE_US, .until_ps = NODE_TIME_NEVER },
	{ .kind = FAULT_LINK, .name = "late", .at_ps = 9 * NODE_US, .until_ps = NODE_TIME_NEVER },
};

#define FAULTS 3u

static struct result_fault rows[FAULTS];

static void faults_set(void)
{
	set_up();
	plan.faults.list = list;
	plan.faults.count = FAULTS;
	rows[0] = (struct result_fault){ .failed = true,
					 .returned = true,
					 .lost = 7,
					 .astray = 8,
					 .before_bps = 2000000000,
					 .least_bps = 1000000000,
					 .recovery_ps = 3 * NODE_US };
	rows[1] = (struct result_fault){ .failed = true,
					 .before_bps = 5000000000,
					 .recovery_ps = NODE_TIME_NEVER };
	rows[2] = (struct result_fault){ .recovery_ps = NODE_TIME_NEVER };
	results.faults = calloc(FAULTS, sizeof(*rows));
	memcpy(results.faults, rows, sizeof(rows));
	results.fault_count = FAULTS;
}

TEST_GROUP(results_fault, .setup = faults_set, .teardown = tear_down);

/* a time that never comes is null; all others are numbers */
TEST(results_fault_json__each)
{
	json_t *array = results_fault_json(&plan, &results), *row;

	ck_assert_uint_eq(json_array_size(array), FAULTS);
	row = json_array_get(array, 0);
	ck_assert_str_eq(json_string_value(json_object_get(row, "kind")), "switch");
	ck_assert_str_eq(json_string_value(json_object_get(row, "what")), "switch s1");
	ck_assert_int_eq(json_integer_value(json_object_get(row, "at_ps")), NODE_US);
	ck_assert_int_eq(json_integer_value(json_object_get(row, "until_ps")), 4 * NODE_US);
	ck_assert(json_is_true(json_object_get(row, "failed")));
	ck_assert(json_is_true(json_object_get(row, "returned")));
	ck_assert_int_eq(json_integer_value(json_object_get(row, "lost_packets")), 7);
	ck_assert_int_eq(json_integer_value(json_object_get(row, "astray_packets")), 8);
	ck_assert_int_eq(json_integer_value(json_object_get(row, "before_bps")), 2000000000);
	ck_assert_int_eq(json_integer_value(json_object_get(row, "least_bps")), 1000000000);
	ck_assert_int_eq(json_integer_value(json_object_get(row, "recovery_ps")), 3 * NODE_US);
	row = json_array_get(array, 1);
	ck_assert_str_eq(json_string_value(json_object_get(row, "kind")), "link");
	ck_assert(json_is_null(json_object_get(row, "until_ps")));
	ck_assert(json_is_null(json_object_get(row, "recovery_ps")));
	ck_assert(json_is_false(json_object_get(row, "returned")));
	json_decref(array);
}

/* one that has not failed yet has its times only; without a rate before there is none after */
TEST(results_fault_write__table)
{
	char *text = written(results_fault_write);

	ck_assert_str_eq(
		text,
		"\nfailed             at       until    lost  astray        before         least   "
		"recovered\n"
		"switch s1    1.000 us    4.000 us       7       8    2.000 Gb/s    1.000 Gb/s    "
		"3.000 us\n"
		"link         2.000 us     the end       0       0    5.000 Gb/s         0 b/s     "
		"not yet\n"
		"late         9.000 us     the end\n");
	free(text);
	results.faults[1].before_bps = 0;
	text = written(results_fault_write);
	HAS(text, "\nlink         2.000 us     the end       0       0             -             "
		  "-           -\n");
	free(text);
}

TEST(results_fault_write__none)
{
	char *text;

	results.fault_count = 0;
	text = written(results_fault_write);
	ck_assert_str_eq(text, "");
	free(text);
}
