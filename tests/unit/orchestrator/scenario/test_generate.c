/*  orchestrator/scenario/generate and generate_text: the generated topologies, and that a scenario
 *  accepts the printed text (TB-10, TB-11). */
#include <stdlib.h>
#include <string.h>

#include "nodes/control/control.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/scenario/generate_text.h"
#include "tests/testing.h"

static const struct link_config edge = { .rate_bps = 1 }, fabric = { .rate_bps = 2 },
				global = { .rate_bps = 3, .tier = TIER_GLOBAL };
static struct scenario scenario;

static void tear_down(void)
{
	scenario_free(&scenario);
}

static void generate(enum generate_kind kind, const struct generate_size *size)
{
	struct generate_totals totals;

	memset(&scenario, 0, sizeof(scenario));
	ck_assert_int_eq(generate_topology(kind, size, &edge, &fabric, &global, &scenario), 0);
	totals = generate_totals(kind, size);
	ck_assert_uint_eq(scenario.switch_count, totals.switches);
	ck_assert_uint_eq(scenario.host_count, totals.hosts);
	ck_assert_uint_eq(scenario.link_count, totals.links);
}

TEST_GROUP(generate, .teardown = tear_down);

TEST(generate_topology__star)
{
	generate(GENERATE_STAR,
		 &(const struct generate_size){ .counts = { [GENERATE_HOSTS] = 5 } });
	ck_assert_uint_eq(scenario.switch_count, 1);
	ck_assert_uint_eq(scenario.host_count, 5);
	ck_assert_uint_eq(scenario.link_count, 0);
	ck_assert_str_eq(scenario.switches[0].name, "s0");
	ck_assert_str_eq(scenario.hosts[4].name, "h4");
	ck_assert_uint_eq(scenario.hosts[4].link.rate_bps, 1);
}

TEST(generate_topology__chain)
{
	generate(GENERATE_CHAIN,
		 &(const struct generate_size){
			 .counts = { [GENERATE_SWITCHES] = 3, [GENERATE_HOSTS_PER_SWITCH] = 2 } });
	ck_assert_uint_eq(scenario.host_count, 6);
	ck_assert_uint_eq(scenario.hosts[5].switch_index, 2);
	ck_assert_uint_eq(scenario.link_count, 2);
	ck_assert_uint_eq(scenario.links[1].switch_a, 1);
	ck_assert_uint_eq(scenario.links[1].switch_b, 2);
	ck_assert_uint_eq(scenario.links[1].settings.rate_bps, 2);
}

TEST(generate_topology__dumbbell)
{
	generate(GENERATE_DUMBBELL,
		 &(const struct generate_size){ .counts = { [GENERATE_HOSTS_PER_SIDE] = 3 } });
	ck_assert_str_eq(scenario.switches[0].name, "left");
	ck_assert_str_eq(scenario.switches[1].name, "right");
	ck_assert_uint_eq(scenario.hosts[2].switch_index, 0);
	ck_assert_uint_eq(scenario.hosts[3].switch_index, 1);
	ck_assert_uint_eq(scenario.link_count, 1);
}

TEST(generate_topology__leaf_spine)
{
	generate(GENERATE_LEAF_SPINE,
		 &(const struct generate_size){ .counts = { [GENERATE_LEAVES] = 3,
							    [GENERATE_HOSTS_PER_LEAF] = 4,
							    [GENERATE_SPINES] = 2 } });
	ck_assert_uint_eq(scenario.switch_count, 5);
	ck_assert_uint_eq(scenario.host_count, 12);
	ck_assert_uint_eq(scenario.link_count, 6);
	ck_assert_str_eq(scenario.switches[2].name, "leaf2");
	ck_assert_str_eq(scenario.switches[3].name, "spine0");
	ck_assert_uint_eq(scenario.links[3].switch_a, 1);
	ck_assert_uint_eq(scenario.links[3].switch_b, 4);
	ck_assert_uint_eq(scenario.hosts[11].switch_index, 2);
}

TEST(generate_topology__full_mesh)
{
	static const uint32_t pairs[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 },
					     { 1, 2 }, { 1, 3 }, { 2, 3 } };

	generate(GENERATE_FULL_MESH,
		 &(const struct generate_size){
			 .counts = { [GENERATE_SWITCHES] = 4, [GENERATE_HOSTS_PER_SWITCH] = 3 } });
	ck_assert_uint_eq(scenario.switch_count, 4);
	ck_assert_uint_eq(scenario.host_count, 12);
	ck_assert_uint_eq(scenario.link_count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_uint_eq(scenario.links[i].switch_a, pairs[i][0]);
		ck_assert_uint_eq(scenario.links[i].switch_b, pairs[i][1]);
	}
	ck_assert_uint_eq(scenario.hosts[11].switch_index, 3);
}

/* the switches to which @at has a link, and how many links @at has to @to */
static uint32_t degree(uint32_t at)
{
	uint32_t links = 0;

	for (uint32_t i = 0; i < scenario.link_count; i++)
		links += (scenario.links[i].switch_a == at) + (scenario.links[i].switch_b == at);
	return links;
}

static uint32_t links_between(uint32_t a, uint32_t b)
{
	uint32_t links = 0;

	for (uint32_t i = 0; i < scenario.link_count; i++) {
		uint32_t from = scenario.links[i].switch_a, to = scenario.links[i].switch_b;

		links += (from == a && to == b) || (from == b && to == a);
	}
	return links;
}

static uint32_t switch_called(const char *name)
{
	int64_t index = scenario_switch_find(&scenario, name);

	ck_assert_msg(index >= 0, "no switch %s", name);
	return (uint32_t)index;
}

/* k^3/4 hosts, 5 k^2/4 switches of k ports [Al-Fares et al. 2008] */
TEST_RANGE(generate_topology__fat_tree, 0, 3)
{
	static const struct {
		uint32_t radix, hosts, switches;
	} sizes[] = { { 4, 16, 20 }, { 8, 128, 80 }, { 16, 1024, 320 } };
	struct generate_size size = { .counts = { [GENERATE_RADIX] = sizes[_i].radix } };

	generate(GENERATE_FAT_TREE, &size);
	ck_assert_uint_eq(scenario.host_count, sizes[_i].hosts);
	ck_assert_uint_eq(scenario.switch_count, sizes[_i].switches);
	for (uint32_t i = 0; i < scenario.switch_count; i++)
		ck_assert_uint_eq(degree(i), i < 2 * scenario.host_count / sizes[_i].radix
						     ? sizes[_i].radix / 2
						     : sizes[_i].radix);
	ck_assert_uint_eq(scenario.hosts[scenario.host_count - 1].switch_index,
			  2 * scenario.host_count / sizes[_i].radix - 1);
	ck_assert_uint_eq(links_between(switch_called("p1e1"), switch_called("p1a0")), 1);
	ck_assert_uint_eq(links_between(switch_called("p1e1"), switch_called("p0a0")), 0);
	for (uint32_t pod = 0; pod < sizes[_i].radix; pod++) {
		char name[NODE_NAME_MAX];

		snprintf(name, sizeof(name), "p%ua1", pod);
		ck_assert_uint_eq(links_between(switch_called(name), switch_called("c0")), 0);
		snprintf(name, sizeof(name), "p%ua0", pod);
		ck_assert_uint_eq(links_between(switch_called(name), switch_called("c0")), 1);
	}
}

TEST(generate_topology__tapered_fat_tree)
{
	generate(GENERATE_FAT_TREE,
		 &(const struct generate_size){
			 .counts = { [GENERATE_RADIX] = 8, [GENERATE_TAPER] = 2 } });
	ck_assert_uint_eq(scenario.host_count, 128);
	ck_assert_uint_eq(scenario.switch_count, 32 + 16 + 8);
	ck_assert_uint_eq(degree(switch_called("p0e0")), 2); /* for four hosts */
	ck_assert_uint_eq(degree(switch_called("p7a1")), 8);
	ck_assert_uint_eq(degree(switch_called("c7")), 8);
}

/* a (a h + 1) switches; within a group all linked, one link between any two groups [Kim et al.
 * 2008] */
TEST_RANGE(generate_topology__dragonfly, 0, 2)
{
	static const struct {
		uint32_t p, a, h, hosts;
	} sizes[] = { { 2, 4, 2, 72 }, { 4, 8, 4, 1056 } };
	uint32_t a = sizes[_i].a, groups = a * sizes[_i].h + 1,
		 *pairs = calloc(groups * groups, sizeof(*pairs));

	generate(GENERATE_DRAGONFLY, &(const struct generate_size){
					     .counts = { [GENERATE_HOSTS_PER_SWITCH] = sizes[_i].p,
							 [GENERATE_SWITCHES_PER_GROUP] = a,
							 [GENERATE_GLOBAL_LINKS] = sizes[_i].h } });
	ck_assert_uint_eq(scenario.host_count, sizes[_i].hosts);
	ck_assert_uint_eq(scenario.switch_count, a * groups);
	for (uint32_t i = 0; i < scenario.switch_count; i++)
		ck_assert_uint_eq(degree(i), a - 1 + sizes[_i].h);
	for (uint32_t i = 0; i < scenario.link_count; i++) {
		const struct scenario_link *link = &scenario.links[i];
		uint32_t from = link->switch_a / a, to = link->switch_b / a;

		ck_assert_int_eq(link->settings.tier, from == to ? TIER_LOCAL : TIER_GLOBAL);
		pairs[from * groups + to]++;
	}
	for (uint32_t from = 0; from < groups; from++)
		for (uint32_t to = from; to < groups; to++)
			ck_assert_uint_eq(pairs[from * groups + to],
					  from == to ? a * (a - 1) / 2 : 1);
	free(pairs);
}

/* fewer groups than possible: their links are spread evenly */
TEST(generate_topology__dragonfly_of_few_groups)
{
	generate(GENERATE_DRAGONFLY,
		 &(const struct generate_size){ .counts = { [GENERATE_HOSTS_PER_SWITCH] = 1,
							    [GENERATE_SWITCHES_PER_GROUP] = 4,
							    [GENERATE_GLOBAL_LINKS] = 2,
							    [GENERATE_GROUPS] = 3 } });
	ck_assert_uint_eq(scenario.link_count, 3 * 6 + 3 * 4);
	for (uint32_t i = 0; i < scenario.switch_count; i++)
		ck_assert_uint_eq(degree(i), 3 + 2);
}

TEST(generate_topology__hyperx)
{
	generate(GENERATE_HYPERX,
		 &(const struct generate_size){ .counts = { [GENERATE_HOSTS_PER_SWITCH] = 2 },
						.dimensions = 2,
						.shape = { 3, 4 } });
	ck_assert_uint_eq(scenario.host_count, 24);
	ck_assert_uint_eq(scenario.link_count, 12 * (2 + 3) / 2);
	for (uint32_t i = 0; i < scenario.switch_count; i++)
		ck_assert_uint_eq(degree(i), 2 + 3);
	ck_assert_uint_eq(links_between(switch_called("s0.1"), switch_called("s2.1")), 1);
	ck_assert_uint_eq(links_between(switch_called("s0.1"), switch_called("s2.3")), 0);
}

TEST(generate_topology__torus)
{
	generate(GENERATE_TORUS,
		 &(const struct generate_size){ .counts = { [GENERATE_HOSTS_PER_SWITCH] = 1 },
						.dimensions = 3,
						.shape = { 4, 2, 3 } });
	ck_assert_uint_eq(scenario.switch_count, 24);
	for (uint32_t i = 0; i < scenario.switch_count; i++)
		ck_assert_uint_eq(degree(i), 2 + 1 + 2);
	ck_assert_uint_eq(links_between(switch_called("s0.0.0"), switch_called("s3.0.0")), 1);
	ck_assert_uint_eq(links_between(switch_called("s0.0.0"), switch_called("s2.0.0")), 0);
	ck_assert_uint_eq(links_between(switch_called("s0.0.0"), switch_called("s0.1.0")), 1);
}

TEST(generate_check__rejects_numbers_that_do_not_fit)
{
	const struct generate_size
		odd = { .counts = { [GENERATE_RADIX] = 5 } },
		third = { .counts = { [GENERATE_RADIX] = 8, [GENERATE_TAPER] = 3 } },
		six = { .counts = { [GENERATE_HOSTS_PER_SWITCH] = 1,
				    [GENERATE_SWITCHES_PER_GROUP] = 2,
				    [GENERATE_GLOBAL_LINKS] = 2,
				    [GENERATE_GROUPS] = 6 } };

	ck_assert_ptr_nonnull(strstr(generate_check(GENERATE_FAT_TREE, &odd), "even"));
	ck_assert_ptr_nonnull(strstr(generate_check(GENERATE_FAT_TREE, &third), "taper"));
	ck_assert_ptr_nonnull(strstr(generate_check(GENERATE_DRAGONFLY, &six), "groups"));
}

/* the text of a generated scenario, read and planned */
static void text_accepted(enum generate_kind kind, enum fabric_kind kind_of_fabric,
			  bool explicit_topology, struct plan *plan)
{
	struct generate_size size = { .dimensions = 2, .shape = { 3, 4 } };
	struct scenario_errors errors = { 0 };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error;

	for (unsigned i = 0; i < GENERATE_COUNTS; i++)
		size.counts[i] = i == GENERATE_RADIX ? 12 : 3;
	ck_assert_int_eq(generate_text(kind, &size, kind_of_fabric, explicit_topology, NULL, out),
			 0);
	fclose(out);
	error = scenario_read_memory("gen", text, length, NULL, 0, &scenario, &errors);
	if (!error)
		error = plan_make(&scenario, plan, &errors);
	ck_assert_msg(error == 0, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	free(text);
}

TEST_RANGE(generate_text__is_accepted_and_explicit_means_the_same, 0, GENERATE_KINDS)
{
	struct plan generated, written_out;

	text_accepted((enum generate_kind)_i, FABRIC_FLOW_CHANNEL, false, &generated);
	text_accepted((enum generate_kind)_i, FABRIC_FLOW_CHANNEL, true, &written_out);
	ck_assert_uint_eq(generated.node_count, written_out.node_count);
	ck_assert_uint_eq(generated.link_count, written_out.link_count);
	for (uint32_t i = 0; i < generated.node_count; i++) {
		ck_assert_str_eq(generated.nodes[i].name, written_out.nodes[i].name);
		ck_assert_uint_eq(generated.nodes[i].port_count, written_out.nodes[i].port_count);
	}
	for (uint32_t i = 0; i < generated.link_count; i++)
		ck_assert_uint_eq(generated.links[i].node_b, written_out.links[i].node_b);
	plan_free(&generated);
	plan_free(&written_out);
}

/* the same of kind port-group, whose text also shows defaults */
TEST(generate_text__port_group_shows_the_defaults)
{
	static const char bare[] = "name: t\nfabric: port-group\nrun: {duration: 200us}\ntopology: "
				   "{generate: star, hosts: 3}\n";
	struct scenario_errors errors = { 0 };
	struct plan generated, plain;

	text_accepted(GENERATE_STAR, FABRIC_PORT_GROUP, false, &generated);
	ck_assert_int_eq(scenario_read_memory("t", bare, strlen(bare), NULL, 0, &scenario, &errors),
			 0);
	ck_assert_int_eq(plan_make(&scenario, &plain, &errors), 0);
	ck_assert_int_eq(plan_fabric(&generated), FABRIC_PORT_GROUP);
	ck_assert_mem_eq(&generated.nodes[0].port_group, &plain.nodes[0].port_group,
			 sizeof(struct port_group_config));
	ck_assert_uint_eq(generated.nodes[0].ports[0].buffer_units,
			  plain.nodes[0].ports[0].buffer_units);
	ck_assert_uint_eq(generated.nodes[0].switch_.output_queue_units_max,
			  plain.nodes[0].switch_.output_queue_units_max);
	plan_free(&generated);
	plan_free(&plain);
}

/* the numbers in a text for fabric kind roce are the defaults: without them the nodes get the
 * same */
TEST(generate_text__roce_shows_the_defaults)
{
	static const char bare[] = "name: t\nfabric: roce\nrun: {duration: 200us}\ntopology: "
				   "{generate: star, hosts: 3}\n"
				   "classes: [{name: tcp, lossless: no, ecn: no}, {name: rdma}, "
				   "{name: cnp, lossless: no, ecn: no}]\n";
	struct scenario_errors errors = { 0 };
	struct plan generated, plain;
	uint8_t *bytes[2] = { 0 };
	int length;

	text_accepted(GENERATE_STAR, FABRIC_ROCE, false, &generated);
	ck_assert_int_eq(scenario_read_memory("t", bare, strlen(bare), NULL, 0, &scenario, &errors),
			 0);
	ck_assert_int_eq(plan_make(&scenario, &plain, &errors), 0);
	ck_assert_int_eq(plan_fabric(&generated), FABRIC_ROCE);
	generated.nodes[0].measure_from_ps = 0;
	/* shares */
	memcpy(generated.nodes[0].classes, plain.nodes[0].classes, sizeof(plain.nodes[0].classes));
	length = control_pack(&(struct control_message){ .kind = CONTROL_CONFIGURE,
							 .config = &generated.nodes[0] },
			      &bytes[0]);
	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(control_pack(&(struct control_message){ .kind = CONTROL_CONFIGURE,
								 .config = &plain.nodes[0] },
				      &bytes[1]),
			 length);
	ck_assert_mem_eq(bytes[0], bytes[1], length);
	free(bytes[0]);
	free(bytes[1]);
	scenario_free(&scenario);
	plan_free(&generated);
	plan_free(&plain);
}
