/*  nodes/control/config_check: each limit of a node's configuration is enforced, and the error
 *  names the field and its value (TB-6, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/config_check.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

static struct node_config config;
static struct why why;

TEST(node_config_check__examples_pass)
{
	example_switch(&config);
	ck_assert_msg(node_config_check(&config, &why) == 0, "%s", why.text);
	node_config_free(&config);
	example_nic(&config);
	ck_assert_msg(node_config_check(&config, &why) == 0, "%s", why.text);
	node_config_free(&config);
}

TEST(node_config_free__accepts_zeroes)
{
	memset(&config, 0, sizeof(config));
	node_config_free(&config);
	ck_assert_int_eq(node_config_check(&config, &why), -EINVAL);
}

/* a field of the node itself has no part in front of its name */
TEST(node_config_check__kind_is_named)
{
	example_switch(&config);
	config.kind = NODE_KINDS;
	ck_assert_int_eq(node_config_check(&config, &why), -EINVAL);
	ck_assert_int_eq(strncmp(why.text, "kind is ", 8), 0);
	config.kind = NODE_SWITCH;
	node_config_free(&config);
}

TEST(node_config_check__missing_elements_are_an_error)
{
	example_switch(&config);
	free(config.switch_.routes);
	config.switch_.routes = NULL;
	ck_assert_int_eq(node_config_check(&config, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "switch.route_count"));
	config.switch_.route_count = 0;
	node_config_free(&config);
}

/* as many flows as frames can name, and those to one destination more */
TEST_RANGE(node_config_check__flows_of_all_workloads, 0, 2)
{
	struct workload_config *workload;

	example_nic(&config);
	workload = &config.nic.workloads[1];
	config.nic.workloads[0].destination_count = 1 + (uint32_t)_i;
	config.nic.workloads[0].connections = ROCE_CONNECTIONS_MAX;
	free(workload->destinations);
	workload->destination_count = NIC_FLOWS_MAX / ROCE_CONNECTIONS_MAX - 1;
	workload->destinations = calloc(workload->destination_count, sizeof(uint32_t));
	workload->connections = ROCE_CONNECTIONS_MAX;
	ck_assert_int_eq(node_config_check(&config, &why), _i ? -EINVAL : 0);
	if (_i)
		ck_assert_ptr_nonnull(strstr(why.text, "flows of all workloads is 16842752"));
	node_config_free(&config);
}

/* class 1 is lossless, and now has no threshold that could pause it */
static uint64_t roce_unstopped(void)
{
	config.roce.classes[1].alpha_permille = 0;
	return 0;
}

#define SETTING(row) switch_.congestion.settings[row]

/* the example to which a mistake is added */
enum example { SWITCH, NIC, PORT_GROUP, ROCE, ROCE_SWITCH, ROCE_NIC };

static const struct {
	enum example example;
	const char *text;
} mistakes[] = {
#define MISTAKE(example, change, text) { example, text },
#include "tests/unit/nodes/control/config_mistakes.def"
#undef MISTAKE
};

/* makes mistake @i of the list */
static void mistake_make(int i)
{
	enum { FIRST = __COUNTER__ + 1 };
	switch (i) {
#define MISTAKE(example, change, text) \
	case __COUNTER__ - FIRST:      \
		config.change;         \
		break;
#include "tests/unit/nodes/control/config_mistakes.def"
#undef MISTAKE
	}
}

static void example_make(enum example example)
{
	if (example == NIC || example == ROCE_NIC)
		example_nic(&config);
	else
		example_switch(&config);
	if (example == PORT_GROUP)
		example_port_group(&config);
	else if (example != SWITCH && example != NIC)
		example_roce(&config);
}

TEST_RANGE(node_config_check__mistake_is_named, 0, COUNT_OF(mistakes))
{
	uint32_t port_count;

	example_make(mistakes[_i].example);
	port_count = config.port_count;
	mistake_make(_i);
	ck_assert_int_eq(node_config_check(&config, &why), -EINVAL);
	ck_assert_msg(strstr(why.text, mistakes[_i].text), "'%s' does not say '%s'", why.text,
		      mistakes[_i].text);
	config.port_count = port_count;
	node_config_free(&config);
}

TEST(node_config_check__roce_examples_pass)
{
	example_switch(&config);
	example_roce(&config);
	ck_assert_msg(node_config_check(&config, &why) == 0, "%s", why.text);
	node_config_free(&config);
	example_nic(&config);
	example_roce(&config);
	ck_assert_msg(node_config_check(&config, &why) == 0, "%s", why.text);
	/* only a fabric of kind roce has transports */
	config.fabric = FABRIC_FLOW_CHANNEL;
	config.ports[0].guarded = true;
	ck_assert_int_eq(node_config_check(&config, &why), -EINVAL);
	ck_assert_msg(strstr(why.text, "nic.workloads[0].transport is 1, it must be 0..0"), "%s",
		      why.text);
	node_config_free(&config);
}

TEST(node_config_check__port_group_examples_pass)
{
	example_switch(&config);
	example_port_group(&config);
	ck_assert_msg(node_config_check(&config, &why) == 0, "%s", why.text);
	node_config_free(&config);
	example_nic(&config);
	example_port_group(&config);
	ck_assert_msg(node_config_check(&config, &why) == 0, "%s", why.text);
	node_config_free(&config);
}

/* TB-7: a link without propagation delay at a node without latency leaves the clock no lookahead */
TEST(node_config_check__some_lookahead_is_required)
{
	example_nic(&config);
	config.nic.latency_ps = 0;
	ck_assert_int_eq(node_config_check(&config, &why), 0);
	config.ports[0].delay_ps = 0;
	ck_assert_int_eq(node_config_check(&config, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "ports[0].delay_ps is 0"));
	node_config_free(&config);
}

TEST(node_config_check__nic_has_one_port)
{
	example_nic(&config);
	node_config_free(&config);
	example_node(&config, NODE_NIC, 2);
	config.nic = (struct nic_config){ .latency_ps = 1, .flows_max = 1 };
	ck_assert_int_eq(node_config_check(&config, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "port_count is 2"));
	node_config_free(&config);
}
