/*  nicd/transport/dcqcn_control: what samples and tables say of a flow (RC-3, TB-11). The rate
 *  itself is tested in test_dcqcn_rp.c. */
#include "nicd/transport/dcqcn_control.h"

#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"
#include "tests/unit/nicd/transport/dcqcn_rate.h"

static struct node_config node;
static void *shared;
static struct congestion_flow *flow;

static void begin(void)
{
	reset();
	node = (struct node_config){ .roce = { .dcqcn = config } };
	shared = calloc(1, dcqcn_control.shared_bytes);
	flow = calloc(1, dcqcn_control.flow_bytes);
	dcqcn_control.init(shared, &node, LINE);
	dcqcn_control.open(shared, flow, 0);
}

static void end(void)
{
	free(shared);
	free(flow);
}

static struct congestion_sample sample_at(node_time_t now)
{
	struct congestion_sample sample;

	dcqcn_control.sample(shared, flow, now, &sample);
	return sample;
}

TEST_GROUP(dcqcn_control, .setup = begin, .teardown = end);

TEST(dcqcn_control__at_the_rate_of_the_link_there_is_no_stage)
{
	ck_assert_uint_eq(flow->rate_bps, LINE);
	ck_assert_uint_eq(sample_at(T / 2).rate_bps, LINE);
	ck_assert_int_eq(sample_at(T / 2).stage, CONGESTION_NO_STAGE);
}

/* the timer counts 1, 2, ... after a cut: below F = 5 it is fast recovery */
TEST(dcqcn_control__stages_of_a_flow_whose_byte_counter_stands)
{
	dcqcn_control.on_cnp(shared, flow, 0);
	ck_assert_uint_eq(flow->rate_bps, LINE / 2);
	ck_assert_int_eq(sample_at(0).stage, CONGESTION_FAST_RECOVERY);
	ck_assert_int_eq(sample_at(4 * T - 1).stage, CONGESTION_FAST_RECOVERY);
	ck_assert_int_eq(sample_at(4 * T).stage, CONGESTION_ADDITIVE);
	ck_assert_uint_lt(sample_at(4 * T).rate_bps, LINE);
	ck_assert_uint_eq(sample_at(4 * T).rate_bps, LINE - LINE / 32);
}

/* a low target, so that the rate stays below that of the link */
TEST(dcqcn_control__hyper_once_both_are_beyond_fast_recovery)
{
	node.roce.dcqcn.byte_counter_bytes = 1000;
	dcqcn_control.on_cnp(shared, flow, 0);
	dcqcn_control.on_cnp(shared, flow, 0);
	dcqcn_control.on_cnp(shared, flow, 0);
	for (uint32_t i = 0; i < 6; i++)
		dcqcn_control.on_sent(shared, flow, 1000, false, 0);
	ck_assert_int_eq(sample_at(0).stage, CONGESTION_ADDITIVE);
	ck_assert_int_eq(sample_at(4 * T).stage, CONGESTION_ADDITIVE);
	ck_assert_int_eq(sample_at(5 * T).stage, CONGESTION_HYPER);
}

TEST(dcqcn_control__a_look_changes_nothing)
{
	struct congestion_flow *copy = malloc(dcqcn_control.flow_bytes);

	dcqcn_control.on_cnp(shared, flow, 0);
	memcpy(copy, flow, dcqcn_control.flow_bytes);
	sample_at(9 * T);
	ck_assert_uint_gt(dcqcn_control.rate_bps(shared, flow, 9 * T), flow->rate_bps);
	ck_assert_mem_eq(copy, flow, dcqcn_control.flow_bytes);
	free(copy);
}

/* alpha falls by 1/256 per timer, and is given in millionths */
TEST(dcqcn_control__sample_has_target_and_alpha)
{
	dcqcn_control.on_cnp(shared, flow, 0);
	ck_assert_uint_eq(sample_at(0).target_bps, LINE);
	ck_assert_uint_eq(sample_at(0).alpha_ppm, 1000000);
	ck_assert_uint_eq(sample_at(T).alpha_ppm, 1000000u * 255 / 256);
}

TEST(dcqcn_control__a_slower_link_limits_the_flow)
{
	dcqcn_control.line(shared, LINE / 4);
	dcqcn_control.on_sent(shared, flow, 1000, false, 0);
	ck_assert_uint_eq(flow->rate_bps, LINE / 4);
	ck_assert_int_eq(sample_at(0).stage, CONGESTION_NO_STAGE);
}

static unsigned tabs(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\t';
	return count;
}

/* one cell for each column */
TEST(dcqcn_control__show_fills_its_columns)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	dcqcn_control.on_cnp(shared, flow, 0);
	dcqcn_control.on_sent(shared, flow, 700, false, 0);
	dcqcn_control.show(shared, flow, 0, out);
	fclose(out);
	ck_assert_uint_eq(tabs(text), tabs(dcqcn_control.columns));
	ck_assert_str_eq(text, "\t40000000000\t1.000000\t0\t0\t700");
	free(text);
}
