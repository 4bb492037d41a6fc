/*  Failed allocations of scenarios, plans, messages and nodes (TB-22): tests/allocation.h. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/config_check.h"
#include "nodes/control/control.h"
#include "orchestrator/plan/placement.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_spare.h"
#include "switchd/common/waiting.h"
#include "tests/testing.h"
#include "tests/unit/nodes/node/built_node.h"

/* ---- fabrics of the three kinds ---- */

#define FABRIC                                                                        \
	"run: {duration: 100us, sample: 10us}\n"                                      \
	"topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 2, spines: 2}\n" \
	"classes: [{name: a}, {name: b}]\n"                                           \
	"workloads:\n"                                                                \
	"  - {name: w, pattern: permutation, size: 10kB, class: b}\n"                 \
	"  - {name: v, pattern: incast, to: h0, size: 10kB}\n"
#define TCP "  - {name: t, pattern: permutation, size: 10kB, transport: tcp}\n"
#define EXPECT "expect:\n  - lost == 0\n"

static const char *const texts[FABRIC_KINDS] = {
	[FABRIC_FLOW_CHANNEL] =
		"name: t\nfabric: flow-channel\nrouting: {choice: adaptive}\n" FABRIC EXPECT,
	[FABRIC_ROCE] = "name: t\nfabric: roce\n" FABRIC TCP EXPECT,
	[FABRIC_PORT_GROUP] = "name: t\nfabric: port-group\n" FABRIC EXPECT,
};

/* plans with more in them: faults, detours, other paths than the shortest ones, given routes */
static const char *const more_texts[] = {
	"name: t\nfabric: flow-channel\nrouting: {choice: adaptive, detour: adaptive}\n"
	"run: {duration: 100us}\n"
	"topology: {generate: dragonfly, hosts-per-switch: 1, switches-per-group: 2,\n"
	"  global-links: 1}\n",
	"name: t\nfabric: port-group\nfaults:\n  - {at: 10us, switch: spine0, for: 5us}\n" FABRIC,
	"name: t\nfabric: roce\nfaults:\n  - {at: 10us, link: [leaf0, spine0]}\n" FABRIC,
	"name: t\nfabric: roce\nrun: {duration: 100us}\n"
	"topology: {switches: [s0, s1, s2], hosts: {h0: s0, h1: s1, h2: s2},\n"
	"  links: [[s0, s1], [s1, s2], [s2, s0]]}\n"
	"routing: {routes: [{at: s0, to: h2, by: s1}, {at: s1, to: h2, by: s0}]}\n",
};

#define MORE_TEXTS (sizeof(more_texts) / sizeof(more_texts[0]))

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;

static int scenario_read(int kind)
{
	return scenario_read_memory("t.yaml", texts[kind], strlen(texts[kind]), NULL, 0, &scenario,
				    &errors);
}

static void scenario_end(void)
{
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	memset(&scenario, 0, sizeof(scenario));
	memset(&errors, 0, sizeof(errors));
}

static int kind_now;

static void tear_down(void)
{
	plan_free(&plan);
	scenario_end();
}

static void plan_of(int kind)
{
	int error;

	kind_now = kind;
	error = scenario_read(kind);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	error = plan_make(&scenario, &plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
}

/* ---- a node ---- */

/* a node that records events and samples, too */
static void node_build(struct node_config *config)
{
	struct why why;

	config->events = config->series = true;
	ck_assert_msg(!node_config_check(config, &why), "%s", why.text);
	built_begin(config);
}

static int node_create(void)
{
	void *dataplane = built.ops->create(built.config, built.links, built.stats);

	if (!dataplane)
		return -ENOMEM;
	built.ops->destroy(dataplane);
	return 0;
}

/* ---- tests ---- */

TEST_GROUP(allocation, .teardown = tear_down, .timeout_s = 300);

TEST_RANGE(create__switch_survives_each_failure, 0, FABRIC_KINDS)
{
	plan_of(_i);
	node_build(&plan.nodes[0]);
	all_fail("create() of a switch", node_create);
	built_end();
}

TEST_RANGE(create__nic_survives_each_failure, 0, FABRIC_KINDS)
{
	plan_of(_i);
	node_build(&plan.nodes[plan.switch_count]);
	all_fail("create() of a NIC", node_create);
	built_end();
}

/* with the sockets of an attached host, and the flows of it that are held */
TEST(nic_create__with_a_host_survives_each_failure)
{
	struct node_config *config;

	plan_of(FABRIC_FLOW_CHANNEL);
	config = &plan.nodes[plan.switch_count];
	config->clock = CLOCK_REAL;
	config->nic.host_queues = 2;
	config->nic.fgfc_entries_max = 8;
	node_build(config);
	all_fail("create() of a NIC with a host", node_create);
	built_end();
}

static int plan_attempt(void)
{
	int error = plan_make(&scenario, &plan, &errors);

	plan_free(&plan);
	memset(&plan, 0, sizeof(plan));
	return error;
}

TEST_RANGE(plan_make__survives_each_failure, 0, FABRIC_KINDS)
{
	ck_assert_int_eq(scenario_read(_i), 0);
	all_fail("plan_make()", plan_attempt);
}

TEST_RANGE(plan_make__with_more_survives_each_failure, 0, MORE_TEXTS)
{
	int error = scenario_read_memory("t.yaml", more_texts[_i], strlen(more_texts[_i]), NULL, 0,
					 &scenario, &errors);

	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	error = plan_attempt();
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	all_fail("plan_make()", plan_attempt);
}

static int spare_attempt(void)
{
	int error = plan_make(&scenario, &plan, &errors);

	if (!error)
		error = plan_spare_make(&plan);
	plan_free(&plan);
	memset(&plan, 0, sizeof(plan));
	return error;
}

/* places for nodes and links that join later (plan_spare.h) */
TEST_RANGE(plan_spare_make__survives_each_failure, 0, FABRIC_KINDS)
{
	ck_assert_int_eq(scenario_read(_i), 0);
	all_fail("plan_spare_make()", spare_attempt);
}

static int placement_attempt(void)
{
	static uint32_t core_of[NODE_COUNT_MAX];

	return placement_make(&plan, 2, core_of);
}

TEST(placement_make__survives_each_failure)
{
	plan_of(FABRIC_ROCE);
	all_fail("placement_make()", placement_attempt);
}

static int scenario_attempt(void)
{
	int error = scenario_read(kind_now);

	fails_at = 0;
	scenario_end();
	return error;
}

TEST_RANGE(scenario_read__survives_each_failure, 0, FABRIC_KINDS)
{
	kind_now = _i;
	all_fail("scenario_read_memory()", scenario_attempt);
}

static int pack_attempt(void)
{
	struct control_message message = { .kind = CONTROL_CONFIGURE,
					   .config = (struct node_config *)built.config };
	uint8_t *bytes = NULL;
	int length = control_pack(&message, &bytes);

	if (length < 0)
		return length;
	free(bytes);
	return 0;
}

TEST_RANGE(control_pack__survives_each_failure, 0, 2 * FABRIC_KINDS)
{
	plan_of(_i / 2);
	built.config = &plan.nodes[_i % 2 ? plan.switch_count : 0];
	all_fail("control_pack()", pack_attempt);
}

static uint8_t *packed;
static int packed_length;

static int unpack_attempt(void)
{
	struct control_message message = { 0 };
	struct why why;
	int error = control_unpack(packed, (size_t)packed_length, &message, &why);

	if (!error)
		control_message_free(&message);
	return error;
}

TEST_RANGE(control_unpack__survives_each_failure, 0, 2 * FABRIC_KINDS)
{
	struct control_message message = { .kind = CONTROL_CONFIGURE };

	plan_of(_i / 2);
	message.config = &plan.nodes[_i % 2 ? plan.switch_count : 0];
	packed_length = control_pack(&message, &packed);
	ck_assert_int_gt(packed_length, 0);
	all_fail("control_unpack()", unpack_attempt);
	free(packed);
}

static uint32_t no_bytes(const struct packet *packet)
{
	(void)packet;
	return 0;
}

/* without one of the two tables nothing is counted */
static int waiting_attempt(void)
{
	static alignas(64) uint8_t memory[sizeof(struct packet) + 64];
	struct packet *packet = (struct packet *)(void *)memory;
	struct packet_queue queue = { packet, packet };
	struct waiting waiting;
	int error;

	packet->captured_bytes = 12;
	waiting_init(&waiting);
	waiting_add(&waiting, &queue, 0, no_bytes);
	error = waiting.count ? 0 : -ENOMEM;
	free(waiting.lines);
	free(waiting.chains);
	return error;
}

TEST(waiting_init__survives_each_failure)
{
	all_fail("waiting_init()", waiting_attempt);
}
