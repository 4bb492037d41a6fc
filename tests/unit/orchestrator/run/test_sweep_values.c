/*  orchestrator/run/sweep_values: ranges and lists of --sweep and --seeds (SE-12). */
#include "orchestrator/run/sweep_values.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

static struct sweep_values values;
static char all[4096];
static struct why why;

/* the values of @text, with a blank between two */
static const char *of(const char *text)
{
	ck_assert_msg(!sweep_values_parse(text, &values, &why), "%s: %s", text, why.text);
	all[0] = 0;
	for (uint32_t i = 0; i < values.count; i++) {
		strcat(all, i ? " " : "");
		strcat(all, values.texts[i]);
	}
	return all;
}

static void refused(const char *text, const char *words)
{
	ck_assert_int_eq(sweep_values_parse(text, &values, &why), -EINVAL);
	ck_assert_msg(strstr(why.text, words) != NULL, "%s: %s", text, why.text);
}

TEST_GROUP(sweep_values);

TEST(sweep_values_parse__ranges)
{
	ck_assert_str_eq(of("1..4"), "1 2 3 4");
	ck_assert_str_eq(of("10..30Gb/s..10"), "10Gb/s 20Gb/s 30Gb/s");
	ck_assert_str_eq(of("10Gb/s..35Gb/s..10Gb/s"), "10Gb/s 20Gb/s 30Gb/s");
	ck_assert_str_eq(of("0.1%..0.3%..0.1%"), "0.1% 0.2% 0.3%");
	ck_assert_str_eq(of("1..64..x2"), "1 2 4 8 16 32 64");
	ck_assert_str_eq(of("1..4us..x1.5"), "1us 1.5us 2.25us 3.375us");
	ck_assert_str_eq(of("0..0"), "0");
	ck_assert_str_eq(of("5..8..x2300000000"), "5");
	ck_assert_str_eq(of("5..8..200000000"), "5");
	ck_assert_str_eq(of("18446744073709551614..18446744073709551615"),
			 "18446744073709551614 18446744073709551615");
	ck_assert_str_eq(of("10000000000000000000..18446744073709551615..x18446744073709551615"),
			 "10000000000000000000");
	of("1..1000");
	ck_assert_uint_eq(values.count, 1000);
}

TEST(sweep_values_parse__lists)
{
	ck_assert_str_eq(of("dcqcn,swift"), "dcqcn swift");
	ck_assert_str_eq(of("1us,1ms"), "1us 1ms");
	ck_assert_str_eq(of("one"), "one");
}

TEST(sweep_values_parse__refused)
{
	refused("1..1001", "more than 1000");
	refused("4..1", "must rise");
	refused("1us..2ms", "same unit");
	refused("1..2..0", "no end");
	refused("0..8..x2", "no end");
	refused("1..8..x1", "no end");
	refused("a..b", "expected a range");
	refused("1..", "expected a range");
	refused("..1", "expected a range");
	refused("1..18446744073709551616", "expected a range");
	refused("1..99999999999999999999", "expected a range");
	refused("0.0000000001..1", "expected a range");
	refused("a,,b", "1 to 63");
	refused("", "1 to 63");
}

TEST(sweep_values_parse__long_lists)
{
	char text[2 * SWEEP_VALUES_MAX + 3] = "", word[SWEEP_VALUE_MAX + 1] = "";

	for (uint32_t i = 0; i < SWEEP_VALUES_MAX; i++)
		memcpy(text + 2 * i, ",1", 2);
	ck_assert_int_eq(sweep_values_parse(text + 1, &values, &why), 0);
	ck_assert_uint_eq(values.count, SWEEP_VALUES_MAX);
	strcat(text, ",2");
	refused(text + 1, "the list has more than 1000 values");
	memset(word, 'a', SWEEP_VALUE_MAX - 1);
	ck_assert_str_eq(of(word), word);
	word[SWEEP_VALUE_MAX - 1] = 'a';
	refused(word, "1 to 63");
}
