/*  nodes/config/roce_config: levels of ECN marking at links of other rates (RC-1). */
#include "nodes/config/roce_config.h"
#include "tests/testing.h"

#define GIGA 1000000000ull

/* at the reference rate as configured; at others in proportion, but a slow link keeps space for a
 * frame, unless it was configured with less */
TEST(roce_level_bytes__by_rate)
{
	ck_assert_uint_eq(roce_level_bytes(20000, 0, 400 * GIGA, 1000), 20000);
	ck_assert_uint_eq(roce_level_bytes(20000, 100 * GIGA, 100 * GIGA, 50000), 20000);
	ck_assert_uint_eq(roce_level_bytes(20000, 100 * GIGA, 400 * GIGA, 50000), 80000);
	ck_assert_uint_eq(roce_level_bytes(20000, 100 * GIGA, 25 * GIGA, 5000), 5000);
	ck_assert_uint_eq(roce_level_bytes(20000, 100 * GIGA, 25 * GIGA, 5001), 5001);
	ck_assert_uint_eq(roce_level_bytes(4000, 100 * GIGA, 25 * GIGA, 5001), 4000);
	ck_assert_uint_eq(roce_level_bytes(ROCE_BYTES_MAX, GIGA, 2 * GIGA, 0), ROCE_BYTES_MAX);
}

/* kmin has space for one frame, kmax for two */
TEST(roce_class_at__own_rates)
{
	struct roce_class_config at, class = { .lossless = true,
					       .kmin_bytes = 20000,
					       .kmax_bytes = 80000,
					       .kmin_per_bps = 100 * GIGA,
					       .kmax_per_bps = 100 * GIGA };

	at = roce_class_at(&class, 200 * GIGA, 9216);
	ck_assert_uint_eq(at.kmin_bytes, 40000);
	ck_assert_uint_eq(at.kmax_bytes, 160000);
	ck_assert(at.lossless);
	at = roce_class_at(&class, GIGA, 9216);
	ck_assert_uint_eq(at.kmin_bytes, 9216);
	ck_assert_uint_eq(at.kmax_bytes, 2 * 9216);
}

/* only one of the two follows the rate: kmin is never more than kmax */
TEST(roce_class_at__never_crossed)
{
	struct roce_class_config at,
		class = { .kmin_bytes = 20000, .kmax_bytes = 80000, .kmin_per_bps = 100 * GIGA };

	at = roce_class_at(&class, 399 * GIGA, 9216);
	ck_assert_uint_eq(at.kmin_bytes, 79800);
	at = roce_class_at(&class, 800 * GIGA, 9216);
	ck_assert_uint_eq(at.kmin_bytes, 80000);
	ck_assert_uint_eq(at.kmax_bytes, 80000);
}
