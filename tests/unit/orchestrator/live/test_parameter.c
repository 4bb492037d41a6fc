/*  orchestrator/live/parameter: values of `set` with units (TB-6, TB-10). */
#include <errno.h>
#include <stdlib.h>

#include "orchestrator/live/parameter.h"
#include "tests/testing.h"

static char text[64], why[256];

static const char *converted(enum fabric_kind fabric, const char *name, const char *value)
{
	ck_assert_int_eq(
		parameter_convert(fabric, name, value, text, sizeof(text), why, sizeof(why)), 0);
	return text;
}

TEST(parameter_convert__to_the_units_of_nodes)
{
	ck_assert_str_eq(converted(FABRIC_ROCE, "roce.xoff", "50kB"), "50000");
	ck_assert_str_eq(converted(FABRIC_ROCE, "xoff", "1MiB"), "1048576");
	ck_assert_str_eq(converted(FABRIC_ROCE, "roce.pmax", "10%"), "100000");
	ck_assert_str_eq(converted(FABRIC_ROCE, "watchdog", "1ms"), "1000");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "ack.t1", "1us"), "1000");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "output-queue", "32KiB"), "128");
	ck_assert_str_eq(converted(FABRIC_PORT_GROUP, "queue", "32KiB"), "128");
	ck_assert_str_eq(converted(FABRIC_PORT_GROUP, "hold", "2us"), "2000");
	ck_assert_str_eq(converted(FABRIC_PORT_GROUP, "workload.load.load", "90%"), "900");
}

/* A plain number is in the unit of the node. What has no unit here is left to the node. */
TEST(parameter_convert__keeps_plain_values)
{
	ck_assert_str_eq(converted(FABRIC_ROCE, "roce.xoff", "50000"), "50000");
	ck_assert_str_eq(converted(FABRIC_ROCE, "roce.ecn", "on"), "on");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "ack.collect", "4"), "4");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "xoff", "50kB"), "50kB");
}

TEST(parameter_convert__rejects)
{
	static const char *const wrong[][2] = { { "roce.xoff", "50ns" },
						{ "roce.xoff", "-1" },
						{ "watchdog", "1500ns" },
						{ "roce.xoff", "many" } };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		why[0] = 0;
		ck_assert_int_eq(parameter_convert(FABRIC_ROCE, wrong[i][0], wrong[i][1], text,
						   sizeof(text), why, sizeof(why)),
				 -EINVAL);
		ck_assert_msg(why[0] == '\'', "%s %s: %s", wrong[i][0], wrong[i][1], why);
	}
}
