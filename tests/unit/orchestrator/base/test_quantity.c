/*  orchestrator/base/quantity: quantities with units become exact integers; an error says what was
 *  expected (TB-11). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/quantity.h"
#include "tests/testing.h"

static uint64_t parsed(enum quantity_kind kind, const char *text)
{
	struct why why = { "" };
	uint64_t value = 0;
	int error = quantity_parse(kind, text, &value, &why);

	ck_assert_msg(error == 0, "%s", why.text);
	return value;
}

/* Return: why @text is rejected */
static const char *refused(enum quantity_kind kind, const char *text)
{
	static struct why why;
	uint64_t value;

	why.text[0] = 0;
	ck_assert_int_eq(quantity_parse(kind, text, &value, &why), -EINVAL);
	return why.text;
}

TEST(quantity_parse__times)
{
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "350ns"), 350000);
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "1us"), 1000000);
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "1 us"), 1000000);
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "2.5ms"), 2500000000);
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "0.001ns"), 1);
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "0"), 0);
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "3600s"), 3600000000000000);
	ck_assert_uint_eq(parsed(QUANTITY_TIME, "5\xc2\xb5s"), 5000000);
}

TEST(quantity_parse__rates)
{
	ck_assert_uint_eq(parsed(QUANTITY_RATE, "200Gb/s"), 200000000000);
	ck_assert_uint_eq(parsed(QUANTITY_RATE, "0.8 Tb/s"), 800000000000);
	ck_assert_uint_eq(parsed(QUANTITY_RATE, "1Mbps"), 1000000);
	ck_assert_uint_eq(parsed(QUANTITY_RATE, "25Gbit/s"), 25000000000);
}

TEST(quantity_parse__sizes)
{
	ck_assert_uint_eq(parsed(QUANTITY_BYTES, "4096"), 4096);
	ck_assert_uint_eq(parsed(QUANTITY_BYTES, "512KiB"), 524288);
	ck_assert_uint_eq(parsed(QUANTITY_BYTES, "64 kB"), 64000);
	ck_assert_uint_eq(parsed(QUANTITY_BYTES, "0.5KiB"), 512);
	ck_assert_uint_eq(parsed(QUANTITY_BYTES, "20B"), 20);
}

TEST(quantity_parse__shares)
{
	ck_assert_uint_eq(parsed(QUANTITY_SHARE, "100%"), QUANTITY_SHARE_ONE);
	ck_assert_uint_eq(parsed(QUANTITY_SHARE, "0.1%"), QUANTITY_SHARE_ONE / 1000);
	ck_assert_uint_eq(parsed(QUANTITY_SHARE, "1e-12"), 1000);
	ck_assert_uint_eq(parsed(QUANTITY_SHARE, "1/144"), QUANTITY_SHARE_ONE / 144);
	ck_assert_uint_eq(parsed(QUANTITY_SHARE, "1 / 4"), QUANTITY_SHARE_ONE / 4);
	ck_assert_uint_eq(parsed(QUANTITY_SHARE, "0"), 0);
}

TEST(quantity_parse__counts)
{
	ck_assert_uint_eq(parsed(QUANTITY_COUNT, "16"), 16);
	ck_assert_uint_eq(parsed(QUANTITY_COUNT, "1e3"), 1000);
	ck_assert_uint_eq(parsed(QUANTITY_COUNT, "18446744073709551615"), UINT64_MAX);
}

TEST(quantity_parse__rejects_missing_or_unknown_unit)
{
	ck_assert_str_eq(
		refused(QUANTITY_TIME, "100"),
		"'100' lacks its unit; expected a time such as 350ns or 1us (ps, ns, us, ms, s)");
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_RATE, "200GB/s"), "(did you mean 'Gb/s'?)"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "3 weeks"), "unknown unit 'weeks'"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_COUNT, "16 hosts"), "is not a whole number"));
}

TEST(quantity_parse__rejects_what_is_no_number)
{
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, ""), "is empty"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "soon"), "is not a number"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "."), "is not a number"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "1..2ns"), "unknown unit"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "-5ns"), "is negative"));
	/* an exponent has digits */
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "1e-ns"), "unknown unit 'e-ns'"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "1ens"), "unknown unit 'ens'"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_COUNT, "0x10"), "is not a whole number"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_COUNT, "010"), "begins with a zero"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "00ns"), "begins with a zero"));
}

TEST(quantity_parse__never_rounds)
{
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "0.5ps"), "finer than can be kept"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_COUNT, "2.5"), "is not a whole number"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_SHARE, "1e-16"), "finer than can be kept"));
}

TEST(quantity_parse__rejects_what_is_too_large)
{
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_TIME, "99999999s"), "is too large"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_COUNT, "1e30"), "is too large"));
	ck_assert_ptr_nonnull(
		strstr(refused(QUANTITY_COUNT, "99999999999999999999"), "is too large"));
	ck_assert_ptr_nonnull(
		strstr(refused(QUANTITY_COUNT, "100000000000000000000"), "too many digits"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_COUNT, "1e99"), "too many digits"));
}

TEST(quantity_parse__rejects_a_bad_fraction)
{
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_SHARE, "1/0"), "is not a fraction"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_SHARE, "1/"), "is not a fraction"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_SHARE, "1/2/3"), "is not a fraction"));
	ck_assert_ptr_nonnull(strstr(refused(QUANTITY_SHARE, "9999999/1"), "is not a fraction"));
}

TEST(quantity_format__largest_whole_unit)
{
	char text[QUANTITY_TEXT_MAX];

	ck_assert_str_eq(quantity_format(QUANTITY_TIME, 350000, text), "350ns");
	ck_assert_str_eq(quantity_format(QUANTITY_TIME, 1350000, text), "1350ns");
	ck_assert_str_eq(quantity_format(QUANTITY_TIME, 1, text), "1ps");
	ck_assert_str_eq(quantity_format(QUANTITY_TIME, 0, text), "0");
	ck_assert_str_eq(quantity_format(QUANTITY_RATE, 200000000000, text), "200Gb/s");
	ck_assert_str_eq(quantity_format(QUANTITY_BYTES, 524288, text), "512KiB");
	ck_assert_str_eq(quantity_format(QUANTITY_BYTES, 64000, text), "64kB");
	ck_assert_str_eq(quantity_format(QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000, text), "0.1%");
	ck_assert_str_eq(quantity_format(QUANTITY_SHARE, 1000, text), "0.0000000001%");
}

TEST(quantity_format__is_read_back)
{
	static const uint64_t values[] = {
		0, 1, 7, 999, 1000, 1024, 123456789, 1000000000000, UINT64_MAX / 2, UINT64_MAX
	};
	char text[QUANTITY_TEXT_MAX];

	for (unsigned kind = 0; kind < QUANTITY_KINDS; kind++)
		for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			quantity_format((enum quantity_kind)kind, values[i], text);
			ck_assert_uint_eq(parsed((enum quantity_kind)kind, text), values[i]);
		}
}
