/*  orchestrator/fabric/control_fate: which function of the user's congestion control a NIC ended
 *  in, and for which flow (SE-10). The page is of a process that ran foreign code. */
#include "orchestrator/fabric/control_fate.h"

#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

enum { HOSTS = 2, SWITCH = 0, H0 = 1, H1 = 2, NODES = 3 };

static struct node_config configs[NODES];
static struct port_config ports[NODES];
static struct plan_workload workloads[1];
static struct origin origin;
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct fabric fabric;
static struct control_call *call;
static char text[256];

static void setup(void)
{
	origin = (struct origin){ 0 };
	snprintf(origin.control.name, sizeof(origin.control.name), "my.so");
	plan = (struct plan){ .nodes = configs,
			      .node_count = NODES,
			      .switch_count = 1,
			      .host_count = HOSTS,
			      .workloads = workloads,
			      .workload_count = 1,
			      .origin = &origin };
	workloads[0] = (struct plan_workload){ .name = "incast", .connections = 1 };
	for (uint32_t i = 0; i < NODES; i++) {
		configs[i] = (struct node_config){ .kind = i ? NODE_NIC : NODE_SWITCH,
						   .fabric = FABRIC_ROCE,
						   .port_count = 1,
						   .ports = &ports[i],
						   .nic.flows_max = 4 };
		configs[i].roce.congestion = CONGESTION_OWN;
		snprintf(configs[i].name, sizeof(configs[i].name), i ? "h%u" : "s%u",
			 i ? i - 1 : 0);
		nodes[i] = (struct fabric_node){ .lead = i, .slot = i, .control = -1 };
		nodes[i].stats = calloc(1, stats_bytes(&configs[i]));
		stats_init(nodes[i].stats, &configs[i]);
	}
	fabric = (struct fabric){ .plan = &plan, .nodes = nodes };
	call = &nodes[H0].stats->control_call;
	*call = (struct control_call){ .function = CONTROL_ON_ACK,
				       .slot = 2,
				       .at_ps = 12 * NODE_US + 5000,
				       .line_bps = 1000000 };
	stats_flow_tx(nodes[H0].stats, 2)->destination = 1;
	strcpy(text, "unchanged");
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		free(nodes[i].stats);
}

TEST_GROUP(control_fate, .setup = setup, .teardown = teardown);

TEST(control_fate__names_function_flow_and_time)
{
	ck_assert(control_fate(&fabric, H0, "signal 11", text, sizeof(text)));
	ck_assert_str_eq(text,
			 "ended: the control my.so ended the process in on_ack of flow h0 -> h1 "
			 "(incast) at 12.005000 us: signal 11");
	ck_assert(control_fate(&fabric, H0, NULL, text, sizeof(text)));
	ck_assert_str_eq(text,
			 "hangs: the control my.so does not return from on_ack of flow h0 -> h1 "
			 "(incast) at 12.005000 us");
}

/* only where there are several */
TEST(control_fate__names_the_connection)
{
	workloads[0].connections = 4;
	stats_flow_tx(nodes[H0].stats, 2)->connection = 3;
	ck_assert(control_fate(&fabric, H0, NULL, text, sizeof(text)));
	ck_assert_ptr_nonnull(strstr(text, "h0 -> h1 (incast, connection 3) at"));
}

TEST(control_fate__a_constructor_has_no_flow)
{
	call->function = CONTROL_LOAD;
	ck_assert(control_fate(&fabric, H0, "signal 6", text, sizeof(text)));
	ck_assert_str_eq(text,
			 "ended: the control my.so ended the process in a constructor: signal 6");
}

/* TB-23: what is not there is not named */
TEST_RANGE(control_fate__any_flow, 0, 3)
{
	if (_i == 0)
		call->slot = 4;
	else if (_i == 1)
		stats_flow_tx(nodes[H0].stats, 2)->destination = HOSTS;
	else
		stats_flow_tx(nodes[H0].stats, 2)->workload_index = 1;
	ck_assert(control_fate(&fabric, H0, NULL, text, sizeof(text)));
	ck_assert_str_eq(text,
			 _i ? "hangs: the control my.so does not return from on_ack of flow 2"
			    : "hangs: the control my.so does not return from on_ack of flow 4");
}

TEST_RANGE(control_fate__it_was_not_the_control, 0, 4)
{
	struct stats_page *was = nodes[H0].stats;
	uint32_t node = _i == 3 ? H1 : H0; /* which is in no function */

	if (_i == 0)
		plan.origin = NULL;
	else if (_i == 1)
		nodes[H0].stats = NULL;
	else if (_i == 2)
		configs[H0].roce.congestion = CONGESTION_DCQCN;
	ck_assert(!control_fate(&fabric, node, NULL, text, sizeof(text)));
	ck_assert_str_eq(text, "unchanged");
	nodes[H0].stats = was;
}
