/*  orchestrator/base/human: numbers for people, in the largest unit that fits. */
#include "orchestrator/base/human.h"
#include "tests/testing.h"

static char text[HUMAN_TEXT_MAX];

TEST(human_time__units)
{
	ck_assert_str_eq(human_time(0, text), "0 ps");
	ck_assert_str_eq(human_time(999, text), "999 ps");
	ck_assert_str_eq(human_time(NODE_NS, text), "1.000 ns");
	ck_assert_str_eq(human_time(12310000, text), "12.31 us");
	ck_assert_str_eq(human_time(123 * NODE_MS, text), "123.0 ms");
	ck_assert_str_eq(human_time(500 * NODE_S, text), "500.0 s");
	ck_assert_str_eq(human_time(NODE_TIME_NEVER, text), "never");
}

TEST(human_rate__units)
{
	ck_assert_str_eq(human_rate(0, text), "0 b/s");
	ck_assert_str_eq(human_rate(1500, text), "1.500 kb/s");
	ck_assert_str_eq(human_rate(18180000000, text), "18.18 Gb/s");
	ck_assert_str_eq(human_rate(1000000000000, text), "1.000 Tb/s");
}

/* four digits also where rounding adds one */
TEST(human_rate__rounded_up)
{
	ck_assert_str_eq(human_rate(9999400000, text), "9.999 Gb/s");
	ck_assert_str_eq(human_rate(9999600000, text), "10.00 Gb/s");
	ck_assert_str_eq(human_rate(99994000000, text), "99.99 Gb/s");
	ck_assert_str_eq(human_rate(99996000000, text), "100.0 Gb/s");
	ck_assert_str_eq(human_rate(999940000000, text), "999.9 Gb/s");
	ck_assert_str_eq(human_rate(999960000000, text), "1.000 Tb/s");
	ck_assert_str_eq(human_rate(999, text), "999 b/s");
}

TEST(human_bytes__units)
{
	ck_assert_str_eq(human_bytes(999, text), "999 B");
	ck_assert_str_eq(human_bytes(4096, text), "4.096 kB");
	ck_assert_str_eq(human_bytes(2000000, text), "2.000 MB");
}

/* none of the digits is rounded; at least three decimals */
TEST(human_us__three_to_six_decimals)
{
	ck_assert_str_eq(human_us(50 * NODE_US, text), "50.000 us");
	ck_assert_str_eq(human_us(50008560, text), "50.00856 us");
	ck_assert_str_eq(human_us(1, text), "0.000001 us");
	ck_assert_str_eq(human_us(1200000, text), "1.200 us");
	ck_assert_str_eq(human_us(0, text), "0.000 us");
}
