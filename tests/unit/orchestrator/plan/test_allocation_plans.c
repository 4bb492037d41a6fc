/*  Failed allocations of scenarios and plans that have much in them, of what is made of them, and
 *  of new tables of a switch (TB-22): tests/allocation.h. */
#include <stdlib.h>
#include <string.h>

#include "nodes/control/control.h"
#include "orchestrator/manager/manager_tables.h"
#include "orchestrator/plan/partition.h"
#include "orchestrator/plan/plan_machines.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_routing.h"
#include "orchestrator/plan/plan_save.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/plan/plan_topology.h"
#include "orchestrator/routing/routing_in_flight.h"
#include "orchestrator/routing/routing_minimal.h"
#include "orchestrator/scenario/containerlab_text.h"
#include "orchestrator/scenario/generate_text.h"
#include "tests/testing.h"
#include "tests/unit/nodes/node/built_node.h"

static const char *const files[] = { "tests/unit/orchestrator/plan/same/hosts.yaml",
				     "tests/unit/orchestrator/plan/same/flows.yaml",
				     "tests/unit/orchestrator/plan/same/roce.yaml",
				     "tests/unit/orchestrator/plan/same/lids.yaml" };

#define FILES (sizeof(files) / sizeof(files[0]))
enum { HOSTS, FLOWS, ROCE, LIDS };

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static const char *file;

static void scenario_end(void)
{
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	memset(&scenario, 0, sizeof(scenario));
	memset(&errors, 0, sizeof(errors));
}

static void plan_end(void)
{
	plan_free(&plan);
	memset(&plan, 0, sizeof(plan));
	scenario_errors_free(&errors);
	memset(&errors, 0, sizeof(errors));
}

static void tear_down(void)
{
	plan_end();
	scenario_end();
}

static void scenario_of(int index)
{
	int error;

	file = files[index];
	error = scenario_read_file(file, NULL, 0, &scenario, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
}

static void plan_of(int index)
{
	scenario_of(index);
	ck_assert_int_eq(plan_make_real(&scenario, &plan, &errors), 0);
	ck_assert_int_eq(plan_spare_make(&plan), 0);
}

TEST_GROUP(allocation_plans, .teardown = tear_down, .timeout_s = 300);

/* ---- scenarios ---- */

/* a file that cannot be read is a mistake of the scenario */
static int read_attempt(void)
{
	int error = scenario_read_file(file, NULL, 0, &scenario, &errors);

	if (error == -EINVAL && strstr(errors.texts[0], strerror(ENOMEM)))
		error = -ENOMEM;
	fails_at = 0;
	scenario_end();
	return error;
}

TEST_RANGE(scenario_read_file__survives_each_failure, 0, FILES)
{
	file = files[_i];
	all_fail("scenario_read_file()", read_attempt);
}

static struct generate_size size;
static enum generate_kind kind;

static int generate_attempt(void)
{
	char text[1 << 16];
	FILE *out = fmemopen(text, sizeof(text), "w");
	int error = generate_text(kind, &size, FABRIC_FLOW_CHANNEL, true, NULL, out);

	fclose(out);
	return error;
}

TEST(generate_text__survives_each_failure)
{
	kind = GENERATE_LEAF_SPINE;
	size = (struct generate_size){ 0 };
	for (unsigned i = 0; i < GENERATE_COUNTS; i++)
		size.counts[i] = 2;
	all_fail("generate_text()", generate_attempt);
}

#define LAB                                                                                   \
	"name: l\nmgmt: {ipv4-subnet: 172.20.5.0/24}\ntopology:\n  defaults: {kind: linux}\n" \
	"  kinds: {linux: {image: 'i:1', env: {A: b}}}\n  groups: {g: {dns: {servers: "       \
	"[1.1.1.1]}}}\n"                                                                      \
	"  nodes:\n    a: {group: g, exec: [ip a, 'echo \"x y\"'], binds: ['x:/y:ro']}\n"     \
	"    b: {memory: 64mb, sysctls: {net.ipv4.ip_forward: 1}, cmd: sleep 5}\n"            \
	"    s: {kind: bridge}\n    t: {kind: bridge}\n    r: {kind: router}\n"               \
	"  links:\n    - {endpoints: ['a:eth1', 'b:eth1']}\n    - {endpoints: ['a:eth2', "    \
	"'s:p1']}\n"                                                                          \
	"    - {endpoints: ['s:p2', 't:p1']}\n"

static int lab_attempt(void)
{
	const struct containerlab_options options = { .folder = "/there/" };
	struct containerlab lab;
	char text[1 << 14];
	int error = containerlab_read("l.yml", LAB, strlen(LAB), &lab, &errors);
	FILE *out;

	if (!error) {
		out = fmemopen(text, sizeof(text), "w");
		error = containerlab_text(&lab, &options, out);
		fclose(out);
	}
	fails_at = 0;
	containerlab_free(&lab);
	scenario_errors_free(&errors);
	memset(&errors, 0, sizeof(errors));
	return error;
}

TEST(containerlab__survives_each_failure)
{
	all_fail("containerlab_read() and containerlab_text()", lab_attempt);
}

/* ---- plans ---- */

static int make_attempt(void)
{
	int error = plan_make(&scenario, &plan, &errors);

	fails_at = 0;
	plan_end();
	return error;
}

TEST_RANGE(plan_make__survives_each_failure, FLOWS, FILES)
{
	scenario_of(_i);
	all_fail("plan_make()", make_attempt);
}

static int real_attempt(void)
{
	int error = plan_make_real(&scenario, &plan, &errors);

	if (!error)
		error = plan_spare_make(&plan);
	fails_at = 0;
	plan_end();
	return error;
}

TEST(plan_make_real__survives_each_failure)
{
	scenario_of(HOSTS);
	all_fail("plan_make_real()", real_attempt);
}

static int machines_attempt(void)
{
	static const struct machine_list machines = { .count = 2, .names = { "left", "right" } };
	int error = plan_make_machines(&scenario, &machines, &plan, &errors);

	fails_at = 0;
	plan_end();
	return error;
}

TEST(plan_make_machines__survives_each_failure)
{
	scenario_of(HOSTS);
	all_fail("plan_make_machines()", machines_attempt);
}

static int save_attempt(void)
{
	static const char *const settings[] = { "seed=3" };
	static char text[1 << 16];
	const struct plan_saving saving = { .fabric = "f",
					    .when = "noon",
					    .folder = "/there",
					    .settings = settings,
					    .setting_count = 1 };
	FILE *out = fmemopen(text, sizeof(text), "w");
	int error = plan_save(&plan, &saving, out);

	fclose(out);
	return error;
}

TEST_RANGE(plan_save__survives_each_failure, 0, ROCE)
{
	plan_of(_i);
	all_fail("plan_save()", save_attempt);
}

static int pack_attempt(void)
{
	struct control_message message = { .kind = CONTROL_CONFIGURE, .config = &plan.nodes[0] };
	uint8_t *bytes = NULL;
	int length = control_pack(&message, &bytes);

	if (length < 0)
		return length;
	free(bytes);
	return 0;
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

TEST_RANGE(control_pack__survives_each_failure, FLOWS, ROCE)
{
	struct control_message message = { .kind = CONTROL_CONFIGURE };

	plan_of(_i);
	all_fail("control_pack()", pack_attempt);
	message.config = &plan.nodes[0];
	packed_length = control_pack(&message, &packed);
	ck_assert_int_gt(packed_length, 0);
	all_fail("control_unpack()", unpack_attempt);
	free(packed);
}

/* ---- of a plan ---- */

static int partition_attempt(void)
{
	static uint32_t part_of[4096];
	enum partition_kind found;
	int error = partition_make(&plan, 2, part_of, &found);

	for (uint32_t i = 0; i < plan.node_count && !error; i++)
		error = part_of[i] < 2 ? 0 : -EINVAL;
	/* without memory for one method there is another */
	return !error && made >= fails_at ? -ENOMEM : error;
}

TEST_RANGE(partition_make__survives_each_failure, FLOWS, FILES)
{
	scenario_of(_i);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_uint_le(plan.node_count, 4096);
	all_fail("partition_make()", partition_attempt);
}

/* ---- the tables of a fabric ---- */

static struct topology topology;

/* routes of the fabric, then the tables of each switch as blocks */
static int images_attempt(void)
{
	struct routing_request request = plan_routing_request(&scenario);
	struct routing routing = { 0 };
	struct switch_image image = { 0 };
	struct why why;
	int error = routing_make(&topology, &request, &routing, &why);

	for (uint32_t i = 0; i < topology.switch_count && !error; i++) {
		error = manager_tables_make(plan_fabric(&plan), &topology, &routing, i, 0, &image);
		switch_image_free(&image);
	}
	routing_free(&routing);
	return error;
}

TEST_RANGE(manager_tables_make__survives_each_failure, FLOWS, FILES)
{
	scenario_of(_i);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_int_eq(plan_topology(&plan, &topology), 0);
	all_fail("routing_make() and manager_tables_make()", images_attempt);
	topology_free(&topology);
}

static int in_flight_attempt(void)
{
	struct routing_request request = plan_routing_request(&scenario);
	routing_distance_t *after = routing_distances(&topology);
	struct routing routing = { 0 };
	uint32_t hops = 0;
	struct why why;
	int error = after ? routing_make(&topology, &request, &routing, &why) : -ENOMEM;

	if (!error)
		error = routing_in_flight_hops(&topology, &routing, after, &hops);
	routing_free(&routing);
	free(after);
	return error;
}

TEST_RANGE(routing_in_flight_hops__survives_each_failure, FLOWS, FILES)
{
	scenario_of(_i);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_int_eq(plan_topology(&plan, &topology), 0);
	all_fail("routing_in_flight_hops()", in_flight_attempt);
	topology_free(&topology);
}

/* ---- a switch ---- */

/* what is in use before new tables come stays in use without them */
static int tables_attempt(void)
{
	void *dataplane = built.ops->create(built.config, built.links, built.stats);
	int error;

	if (!dataplane)
		return -ENOMEM;
	error = built.ops->tables(dataplane, &built.config->switch_);
	built.ops->destroy(dataplane);
	return error;
}

/* of the plan for the virtual clock, whose links are of shared memory */
TEST_RANGE(tables__survive_each_failure, FLOWS, FILES)
{
	scenario_of(_i);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	built_begin(&plan.nodes[0]);
	all_fail("create() and new tables of a switch", tables_attempt);
	built_end();
}

TEST(tables__with_prefixes_survive_each_failure)
{
	scenario_of(HOSTS);
	ck_assert_int_eq(plan_make_real(&scenario, &plan, &errors), 0);
	for (uint32_t p = 0; p < plan.nodes[0].port_count; p++)
		plan.nodes[0].ports[p].medium = MEDIUM_SHM;
	built_begin(&plan.nodes[0]);
	all_fail("create() and new tables of a switch with prefixes", tables_attempt);
	built_end();
}
