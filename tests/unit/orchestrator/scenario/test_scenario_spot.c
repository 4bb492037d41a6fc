/*  orchestrator/scenario/scenario_spot: the places that a scenario gives to switches and hosts, in
 *  thousandths, and what is refused (TB-11). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario.h"
#include "tests/unit/orchestrator/scenario/read_scenario.h"

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

TEST_GROUP(scenario_spot, .setup = setup, .teardown = teardown);

static int read_at(const char *at)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "name: t\nrun: {duration: 1us}\ntopology:\n  switches: [s1, s2]\n"
		 "  hosts: {A: s1, B: s2, server: s2}\n  links: [[s1, s2]]\n  at: %s\n",
		 at);
	return read_text("t.yaml", text);
}

static const struct {
	const char *number;
	int32_t value;
} numbers[] = {
	{ "0", 0 },        { "1", 1000 },         { "-1", -1000 },         { "0.5", 500 },
	{ "0.0004", 0 },   { "0.0005", 1 },       { "-0.0005", -1 },       { "2.7184", 2718 },
	{ "1e2", 100000 }, { "10000", 10000000 }, { "-10000", -10000000 },
};

TEST_RANGE(scenario_spots_read__number, 0, COUNT(numbers))
{
	char at[128];

	snprintf(at, sizeof(at), "{s2: [%s, 7], B: [-3, %s]}", numbers[_i].number,
		 numbers[_i].number);
	ck_assert_msg(!read_at(at), "%s", errors.texts[0]);
	ck_assert(!scenario.switches[0].spot.given);
	ck_assert(!scenario.hosts[0].spot.given);
	ck_assert(scenario.switches[1].spot.given);
	ck_assert_int_eq(scenario.switches[1].spot.x, numbers[_i].value);
	ck_assert_int_eq(scenario.switches[1].spot.y, 7000);
	ck_assert(scenario.hosts[1].spot.given);
	ck_assert_int_eq(scenario.hosts[1].spot.x, -3000);
	ck_assert_int_eq(scenario.hosts[1].spot.y, numbers[_i].value);
}

static const struct {
	const char *at, *error;
} bad[] = {
	{ "{s1: [10000.001, 0]}", "'10000.001' is no number from -10000 to 10000" },
	{ "{s1: [0, -10000.001]}", "'-10000.001' is no number from -10000 to 10000" },
	{ "{s1: [nan, 0]}", "'nan' is no number from -10000 to 10000" },
	{ "{s1: [0, inf]}", "'inf' is no number from -10000 to 10000" },
	{ "{s1: [1x, 0]}", "'1x' is no number from -10000 to 10000" },
	{ "{s1: [[1], 0]}", "a number" },
	{ "{s1: [1]}",
	  "expected the place of s1 as two numbers, right and down, such as [2, 0.5]" },
	{ "{s1: [1, 2, 3]}", "expected the place of s1 as two numbers" },
	{ "{A: 1}", "expected the place of A as two numbers" },
	{ "{A: {x: 1, y: 2}}", "expected the place of A as two numbers" },
	{ "{s3: [1, 2]}", "there is no switch or host 's3' - did you mean 's1'?" },
	{ "{servre: [1, 2]}", "there is no switch or host 'servre' - did you mean 'server'?" },
	{ "{xyzzy: [1, 2]}", "there is no switch or host 'xyzzy'" },
	{ "[s1, A]",
	  "'at' must give switches and hosts their places, such as {s1: [0, 0], A: [-1, 0.5]}" },
};

TEST_RANGE(scenario_spots_read__refused, 0, COUNT(bad))
{
	ck_assert_int_ne(read_at(bad[_i].at), 0);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_msg(strstr(errors.texts[0], bad[_i].error) != NULL, "%s", errors.texts[0]);
}
