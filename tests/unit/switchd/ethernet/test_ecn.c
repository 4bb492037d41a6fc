/*  switchd/ethernet/ecn: the marking curve, exact at its corners, in proportion between them
 *  (RC-1). */
#include <stdlib.h>

#include "switchd/ethernet/ecn.h"
#include "tests/testing.h"

#define DRAWS 200000u

static struct random random_;
static struct roce_class_config class;

static void setup(void)
{
	random_init(&random_, 1, 1);
	class = (struct roce_class_config){
		.ecn = true, .kmin_bytes = 5000, .kmax_bytes = 200000, .pmax_ppm = 100000
	};
}

static uint32_t marks(uint64_t queue_bytes)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < DRAWS; i++)
		count += ecn_congested(&class, queue_bytes, &random_);
	return count;
}

/* four standard deviations of a binomial count */
static void share_expect(uint64_t queue_bytes, double share)
{
	double mean = share * DRAWS, tolerance = 4 * __builtin_sqrt(mean * (1 - share));

	ck_assert_double_eq_tol(marks(queue_bytes), mean, tolerance);
}

TEST_GROUP(ecn, .setup = setup);

TEST(ecn_congested__corners)
{
	ck_assert_uint_eq(marks(0), 0);
	ck_assert_uint_eq(marks(5000), 0);
	ck_assert_uint_eq(marks(200001), DRAWS);
	ck_assert_uint_eq(marks(UINT32_MAX), DRAWS);
}

TEST(ecn_congested__linear_between)
{
	share_expect(5000 + 195000 / 4, 0.025);
	share_expect(5000 + 195000 / 2, 0.05);
	share_expect(5000 + 195000 / 4 * 3, 0.075);
	share_expect(200000, 0.1);
}

/* kmin = kmax: a step, as in DCTCP */
TEST(ecn_congested__equal_levels_are_a_step)
{
	class.kmin_bytes = class.kmax_bytes = 30000;
	ck_assert_uint_eq(marks(30000), 0);
	ck_assert_uint_eq(marks(30001), DRAWS);
}

TEST(ecn_congested__extremes)
{
	class.pmax_ppm = 1000000;
	ck_assert_uint_eq(marks(200000), DRAWS);
	class.pmax_ppm = 0;
	ck_assert_uint_eq(marks(200000), 0);
	ck_assert_uint_eq(marks(200001), DRAWS);
	class = (struct roce_class_config){ .ecn = true,
					    .kmax_bytes = ROCE_BYTES_MAX,
					    .pmax_ppm = 1000000 };
	share_expect(ROCE_BYTES_MAX / 2, 0.5); /* nothing overflows */
}

TEST(ecn_congested__never_if_off)
{
	class.ecn = false;
	ck_assert_uint_eq(marks(UINT32_MAX), 0);
}

/* TB-7: whether a packet at the lower level is marked is no question of chance */
TEST(ecn_congested__no_draw_at_the_corners)
{
	struct random before = random_;

	ck_assert(!ecn_congested(&class, 5000, &random_));
	ck_assert(ecn_congested(&class, 200001, &random_));
	ck_assert_mem_eq(&before, &random_, sizeof(before));
}

/* TB-7: the same seed marks the same packets; outside the slope no random number is drawn */
TEST(ecn_congested__same_seed_same_marks)
{
	struct random other = random_;

	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_int_eq(ecn_congested(&class, 100000, &random_),
				 ecn_congested(&class, 100000, &other));
		ecn_congested(&class, 1000, &random_);
		ecn_congested(&class, 300000, &random_);
	}
}
