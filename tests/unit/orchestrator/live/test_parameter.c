/*  orchestrator/live/parameter: values of `set` with units (TB-6, TB-10). */
#include <errno.h>
#include <string.h>

#include "orchestrator/live/parameter.h"
#include "tests/testing.h"

static char text[64];
static struct why why;

static struct node_config node_of(enum fabric_kind fabric)
{
	return (struct node_config){ .kind = NODE_SWITCH,
				     .fabric = fabric,
				     .class_count = 2,
				     .classes = { { .name = "roce" }, { .name = "tcp" } } };
}

static const char *converted(enum fabric_kind fabric, const char *name, const char *value)
{
	struct node_config node = node_of(fabric);

	ck_assert_int_eq(parameter_convert(&node, name, value, text, sizeof(text), &why), 0);
	return text;
}

/* names and values are those of a scenario's keys */
TEST(parameter_convert__to_the_units_of_nodes)
{
	struct node_config nic = { .kind = NODE_NIC };

	ck_assert_str_eq(converted(FABRIC_ROCE, "roce.xoff", "50kB"), "50000");
	ck_assert_str_eq(converted(FABRIC_ROCE, "xoff", "1MiB"), "1048576");
	/* a limit that was set is taken back */
	ck_assert_str_eq(converted(FABRIC_ROCE, "xoff", "none"), "0");
	ck_assert_str_eq(converted(FABRIC_ROCE, "roce.alpha", "none"), "0");
	ck_assert_str_eq(converted(FABRIC_ROCE, "queue", "none"), "0");
	ck_assert_str_eq(converted(FABRIC_ROCE, "roce.ecn.pmax", "10%"), "100000");
	ck_assert_str_eq(converted(FABRIC_ROCE, "tcp.ecn", "on"), "1");
	ck_assert_str_eq(converted(FABRIC_ROCE, "pfc.watchdog", "1500ns"), "1500000");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "acks.t1", "1us"), "1000000");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "acks.collect", "4"), "4");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "output-queue", "32KiB"), "128");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "congestion.inputs", "yes"), "1");
	ck_assert_str_eq(converted(FABRIC_PORT_GROUP, "queue", "32KiB"), "128");
	ck_assert_str_eq(converted(FABRIC_PORT_GROUP, "policy", "greedy"), "1");
	ck_assert_str_eq(converted(FABRIC_PORT_GROUP, "log.window", "2us"), "2000000");
	ck_assert_int_eq(
		parameter_convert(&nic, "workload.load.load", "90%", text, sizeof(text), &why), 0);
	ck_assert_str_eq(text, "900");
}

/* what is no row is left to the node */
TEST(parameter_convert__keeps_other_values)
{
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "xoff", "50kB"), "50kB");
	ck_assert_str_eq(converted(FABRIC_FLOW_CHANNEL, "match.p1", "ports"), "ports");
	ck_assert_str_eq(converted(FABRIC_ROCE, "other.xoff", "50kB"), "50kB");
	ck_assert_str_eq(converted(FABRIC_ROCE, "buffer", "1"), "1"); /* not while it runs */
}

TEST(parameter_convert__rejects)
{
	static const char *const wrong[][3] = {
		{ "roce.xoff", "50ns", "roce.xoff: '50ns' has the unknown unit" },
		{ "roce.xoff", "-1", "roce.xoff: '-1' is negative" },
		{ "pfc.watchdog", "1500", "pfc.watchdog: '1500' lacks its unit" },
		{ "reference", "50%", "reference: '50%' is out of range; expected" },
		{ "ecn", "many", "ecn: 'many' is neither yes nor no" },
		{ "path-pause.high", "", "'path-pause.high' is empty" },
	};
	struct node_config node = node_of(FABRIC_ROCE);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		why.text[0] = 0;
		ck_assert_int_eq(parameter_convert(&node, wrong[i][0], wrong[i][1], text,
						   sizeof(text), &why),
				 -EINVAL);
		ck_assert_msg(strstr(why.text, wrong[i][2]) == why.text, "%s", why.text);
	}
}
