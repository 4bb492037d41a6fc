/*  orchestrator/scenario/scenario_class_map: which values of DSCP and priority a class has, as
 *  texts and ranges (DU-3). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario.h"
#include "tests/unit/orchestrator/scenario/read_scenario.h"

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

TEST_GROUP(scenario_class_map, .setup = setup, .teardown = teardown);

/* a class of which @key is @value */
static int read_class(const char *key, const char *value)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "name: t\nrun: {duration: 1us}\ntopology: {generate: star, hosts: 2}\n"
		 "classes: [{name: a, %s: %s}]\n",
		 key, value);
	return read_text("t.yaml", text);
}

static const struct {
	const char *key, *value;
	uint64_t set;
} good[] = {
	{ "dscp", "0", 1 },
	{ "dscp", "63", 1ull << 63 },
	{ "dscp", "[1]", 2 },
	{ "dscp", "[46, 32-39]", 1ull << 46 | 0xffull << 32 },
	{ "dscp", "0-63", UINT64_MAX },
	{ "dscp", "7-7", 1 << 7 },
	{ "dscp", "62-63", 3ull << 62 },
	{ "dscp", "[007, 7]", 1 << 7 },
	{ "pcp", "0", 1 },
	{ "pcp", "7", 1 << 7 },
	{ "pcp", "[5, 6-7]", 7 << 5 },
	{ "pcp", "0-7", 0xff },
};

TEST_RANGE(scenario_class_map__values, 0, COUNT(good))
{
	ck_assert_msg(!read_class(good[_i].key, good[_i].value), "%s", errors.texts[0]);
	ck_assert_uint_eq(strcmp(good[_i].key, "pcp") ? scenario.classes[0].dscp_set
						      : scenario.classes[0].pcp_set,
			  good[_i].set);
}

static const struct {
	const char *key, *value;
} bad[] = {
	{ "dscp", "64" },
	{ "dscp", "0-64" },
	{ "dscp", "7-6" },
	{ "dscp", "-1" },
	{ "dscp", "x" },
	{ "dscp", "4x" },
	{ "dscp", "4-" },
	{ "dscp", "4-x" },
	{ "dscp", "4-5x" },
	{ "dscp", "4-5-6" },
	{ "dscp", "'4 - 5'" },
	{ "dscp", "''" },
	{ "dscp", "' 4'" },
	{ "dscp", "+4" },
	{ "dscp", "[4, [5]]" },
	{ "dscp", "{a: 4}" },
	{ "dscp", "1e1" },
	{ "dscp", "4--5" },
	{ "dscp", "18446744073709551620" },
	{ "pcp", "8" },
	{ "pcp", "0-8" },
	{ "pcp", "'-'" },
	{ "pcp", "[1, 8]" },
};

TEST_RANGE(scenario_class_map__no_values, 0, COUNT(bad))
{
	ck_assert_int_ne(read_class(bad[_i].key, bad[_i].value), 0);
	ck_assert_msg(
		strstr(errors.texts[0], strcmp(bad[_i].key, "pcp")
						? "expected numbers from 0 to 63, such as [46, "
						  "32-39], and ranges from the smaller to the "
						  "larger"
						: "expected numbers from 0 to 7, such as [5, "
						  "6-7], and ranges from the smaller to the "
						  "larger"),
		"%s", errors.texts[0]);
}

/* both classes have 46; the second class may not have what generated frames of the first carry */
TEST(scenario_class_map__between_classes)
{
	static const char *const wrong[][2] = {
		{ "{name: a, dscp: 46}, {name: b, dscp: [1, 46]}",
		  "DSCP 46 is of two classes, 'a' and 'b'" },
		{ "{name: a}, {name: b, dscp: 0}",
		  "DSCP 0 is what generated frames of class 'a' carry, number 0 in the list: class "
		  "'b' cannot have it" },
		{ "{name: a, pcp: 1}, {name: b}",
		  "priority 1 is what generated frames of class 'b' carry, number 1 in the list: "
		  "class 'a' cannot have it" },
	};
	char text[512];

	for (int i = 0; i < COUNT(wrong); i++) {
		snprintf(text, sizeof(text),
			 "name: t\nrun: {duration: 1us}\ntopology: {generate: star, hosts: 2}\n"
			 "classes: [%s]\n",
			 wrong[i][0]);
		ck_assert_int_ne(read_text("t.yaml", text), 0);
		ck_assert_msg(strstr(errors.texts[0], wrong[i][1]) != NULL, "%s", errors.texts[0]);
		teardown();
		setup();
	}
}
