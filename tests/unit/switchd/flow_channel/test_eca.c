/*  switchd/flow_channel/eca: the three congestion factors at the corners of their formulas (EC-1
 *  ... EC-3). */
#include <stdlib.h>

#include "nodes/base/units.h"
#include "switchd/flow_channel/eca.h"
#include "tests/testing.h"

#define OFF UINT32_MAX /* a threshold that nothing reaches */

static struct congestion_config config;
static struct eca eca;

static void setup(void)
{
	config = (struct congestion_config){ .lbf_thresh_units = OFF,
					     .lpf_thresh = OFF,
					     .dbf_thresh_units = OFF,
					     .dbf_clk_cnt = 100 };
	eca_init(&eca, &config);
}

static void fill(uint32_t packets, uint32_t bytes, node_time_t now)
{
	while (packets--)
		eca_enqueue(&eca, bytes, now);
}

TEST_GROUP(factors, .setup = setup);

TEST(lbf__threshold_shift_and_limits)
{
	config.lbf_thresh_units = 100;
	config.lbf_shift = 2;
	fill(100, UNIT_BYTES, 0);
	ck_assert_uint_eq(eca_factor(&eca, 0), 0);                  /* at the threshold: none */
	ck_assert_uint_eq(eca_enqueue(&eca, 3 * UNIT_BYTES, 0), 0); /* 3 >> 2 */
	/* a part of 256 bytes does not count */
	ck_assert_uint_eq(eca_enqueue(&eca, UNIT_BYTES - 1, 0), 0);
	ck_assert_uint_eq(eca_enqueue(&eca, 1, 0), 1); /* 4 >> 2 */
	fill(1, 1015 * UNIT_BYTES, 0);
	ck_assert_uint_eq(eca_factor(&eca, 0), 254); /* 1019 >> 2 */
	ck_assert_uint_eq(eca_enqueue(&eca, UNIT_BYTES, 0), 255);
	ck_assert_uint_eq(eca_enqueue(&eca, 100000 * UNIT_BYTES, 0), 255); /* and never more */
}

TEST(lbf__never_negative)
{
	config.lbf_thresh_units = 0xffffff;
	config.lbf_shift = 0;
	ck_assert_uint_eq(eca_enqueue(&eca, 9000, 0), 0);
}

TEST(lpf__finds_many_small_packets)
{
	config.lbf_thresh_units = 1000;
	config.lpf_thresh = 64;
	config.lpf_shift = 3;
	fill(71, 64, 0);
	ck_assert_uint_eq(eca_factor(&eca, 0), 0);
	ck_assert_uint_eq(eca_enqueue(&eca, 64, 0), 1); /* (72 - 64) >> 3; lbf is still 0 */
	fill(3000, 64, 0);
	ck_assert_uint_eq(eca_factor(&eca, 0), 255);
}

TEST(dbf__computed_once_a_period)
{
	config.dbf_thresh_units = 10;
	config.dbf_shift = 1;
	fill(50, UNIT_BYTES, 20 * NODE_NS);
	ck_assert_uint_eq(eca_factor(&eca, 99 * NODE_NS), 0);   /* the period has not ended */
	ck_assert_uint_eq(eca_factor(&eca, 100 * NODE_NS), 25); /* (50 - 0) >> 1 */
	fill(8, UNIT_BYTES, 120 * NODE_NS);
	ck_assert_uint_eq(eca_factor(&eca, 199 * NODE_NS), 25); /* the value of the last period */
	ck_assert_uint_eq(eca_factor(&eca, 200 * NODE_NS), 4);  /* (58 - 50) >> 1 */
	ck_assert_uint_eq(eca_factor(&eca, 300 * NODE_NS), 0);  /* it rose no more */
}

TEST(dbf__a_fall_is_no_congestion)
{
	config.dbf_thresh_units = 10;
	config.dbf_shift = 0;
	fill(200, UNIT_BYTES, 0);
	ck_assert_uint_eq(eca_factor(&eca, 100 * NODE_NS), 200);
	for (uint32_t i = 0; i < 100; i++)
		eca_dequeue(&eca, UNIT_BYTES, 110 * NODE_NS);
	ck_assert_uint_eq(eca_factor(&eca, 200 * NODE_NS), 0);
}

TEST(dbf__zero_up_to_its_threshold)
{
	config.dbf_thresh_units = 50;
	fill(50, UNIT_BYTES, 0);
	ck_assert_uint_eq(eca_factor(&eca, 100 * NODE_NS), 0);
	fill(1, UNIT_BYTES, 110 * NODE_NS);
	ck_assert_uint_eq(eca_factor(&eca, 200 * NODE_NS), 1);
}

TEST(dbf__unobserved_periods_count)
{
	config.dbf_thresh_units = 10;
	fill(50, UNIT_BYTES, 20 * NODE_NS);
	/* it rose in the first of ten periods */
	ck_assert_uint_eq(eca_factor(&eca, 1050 * NODE_NS), 0);
	fill(30, UNIT_BYTES, 1060 * NODE_NS);
	/* and periods still end at multiples of a hundred */
	ck_assert_uint_eq(eca_factor(&eca, 1100 * NODE_NS), 30);
}

TEST(eca__greatest_factor_counts)
{
	config.lbf_thresh_units = 0;
	config.lbf_shift = 4;
	config.lpf_thresh = 0;
	config.lpf_shift = 0;
	fill(10, 16 * UNIT_BYTES, 0);
	ck_assert_uint_eq(eca_factor(&eca, 0), 10);
	config.lpf_shift = 3;
	ck_assert_uint_eq(eca_factor(&eca, 0), 10); /* lbf: 160 >> 4 */
}

TEST(dequeue__reports_the_state_before_it)
{
	config.lbf_thresh_units = 15;
	config.lbf_shift = 0;
	fill(1, 16 * UNIT_BYTES, 0);
	ck_assert_uint_eq(eca_dequeue(&eca, 16 * UNIT_BYTES, 0), 1);
	ck_assert_uint_eq(eca.qu_bytes, 0);
	ck_assert_uint_eq(eca.qu_pkt, 0);
	ck_assert_uint_eq(eca_factor(&eca, 0), 0);
}
