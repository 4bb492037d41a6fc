/*  orchestrator/plan/routing_text: `heddle check` prints how paths are selected, for people and for
 *  programs (FC-23 ... FC-25, PG-3 ... PG-10). */
#include "orchestrator/plan/routing_text.h"
#include "tests/unit/orchestrator/plan/plan_text.h"

#define TWO                                                                                       \
	"name: t\nrun: {duration: 100us}\ntopology: {switches: [s1, s2], hosts: {A: s1, B: s2}, " \
	"links: [[s1, s2]]}\n"

static void printed(const char *yaml)
{
	printed_by(routing_print, yaml);
}

TEST_GROUP(routing_text, .teardown = tear_down);

TEST(routing_print__static)
{
	printed(TWO);
	ck_assert_str_eq(text, "paths         static, one lane for each class\n");
}

TEST(routing_print__adaptive)
{
	printed(TWO "routing: {choice: adaptive, lanes: 2, detour: {weight: 1.5, bias: 16KiB, "
		    "draws: 3}, hold-sources: "
		    "{for: 30us},\n"
		    "  redirect: {depth: 100kB, full: 256kB, growth: 2, interval: 3us, pause: "
		    "40us, anywhere: yes}}\n");
	says("paths         adaptive, 2 lanes for each class, ");
	says("  detours     the better of 3, if the load of the minimal path exceeds 1.5 times its "
	     "load plus 16.38 kB\n");
	says("  sources     of congestion keep their path, for 30.00 us after the last congestion "
	     "ACK\n");
	says("  redirects   above a queue of 100.1 kB, always from 256.0 kB on; growth within "
	     "3.000 us counts 2 times; the same flow again after 40.00 us; at any switch\n");
	ck_assert_ptr_null(strstr(text, "groups"));
}

#define LEAVES                                                                                \
	"name: t\nrun: {duration: 100us}\nrouting: {choice: adaptive}\n"                      \
	"topology: {switches: [a, b, x, y, z], hosts: {A: a, B: b}, links: [[a, x], [a, y], " \
	"[a, z], "

/* FC-25: whether inputs request redirects follows from the order of the links */
TEST(routing_print__plug_order)
{
	printed(LEAVES "[b, x], [b, y], [b, z]]}\n");
	says("; inputs request, at any switch\n");
	ck_assert_ptr_null(strstr(text, "agree on"));
	tear_down();
	printed(LEAVES "[b, y], [b, x], [b, z]]}\n");
	says("; at any switch\n");
	says("              inputs request none: switches are cabled in different orders, and "
	     "agree "
	     "on 33.3 % of the paths up\n");
}

TEST(routing_print__groups)
{
	printed(TWO "routing: {choice: adaptive, redirect: {group: 12}}\n");
	says("              groups of up to 12 flows, at most half of those that wait\n");
}

/* of roce only the hash */
TEST(routing_print__roce)
{
	printed(TWO "fabric: roce\nrouting: {detour: always}\n");
	ck_assert_str_eq(text, "paths         hash, one lane for each class\n");
}

TEST(routing_print__port_group)
{
	printed(TWO "fabric: port-group\nport-group: {lid-bits: 24, policy: greedy, update: no, "
		    "pending: 4KiB, queue: "
		    "8KiB,\n"
		    "  log: {marks: 5, window: 7us}, hold: 2us, fecn: {at: 64KiB},\n"
		    "  becn: {interval: 20us, increase: 2, max: 500, step: 25%, timer: 30us}}\n");
	says("port groups   LIDs of 24 bits, policy greedy, the choice applies to one packet\n");
	says("  congested   without credit, or if 4.096 kB wait for it and that rises, or after 5 "
	     "marks, from a queue of 8.192 kB, within 7.000 us; an entry again after 2.000 us\n");
	says("  classes     adaptive, any order: best-effort\n");
	says("  FECN        from a queue of 65.54 kB on, of which sources are notified\n");
	says("  BECN        one in 20.00 us; each raises the index by 2 up to 500, each 30.00 us "
	     "lowers it by 1; rate "
	     "/ (1 + 0.25 "
	     "* index)\n");
	says("paths         one lane for each class\n");
}

/* PG-4, PG-8: which classes adapt, and which keep order because they request it */
TEST(routing_print__classes)
{
	printed(TWO "fabric: port-group\nclasses: [{name: a}, {name: b, unordered: no}, {name: c}, "
		    "{name: d, "
		    "unordered: no}]\n");
	says("  classes     adaptive, any order: a, c; in order, static ports: b, d\n");
}

TEST(routing_print__classes_in_order)
{
	printed(TWO "fabric: port-group\nclasses: [{name: b, unordered: no}]\n");
	says("  classes     in order, static ports: b\n");
}

/* PG-5: 8 bits for a group; what is left out is printed, with switch and number */
TEST(routing_print__lack_of_groups_is_printed)
{
	size_t length;
	FILE *out = open_memstream(&text, &length);

	plan_of(TWO "fabric: port-group\n");
	for (uint32_t i = 0, switches = 0; i < plan.node_count; i++)
		if (plan.nodes[i].kind == NODE_SWITCH)
			plan.nodes[i].switch_.lids.ungrouped = 7 - 4 * switches++;
	routing_print(&plan, out);
	fclose(out);
	says("  groups      a switch has at most 255; destinations without a group have their "
	     "static "
	     "port only: 7 at s1, 3 at s2\n");
}

/* of a chain of @switches, each of which lacks groups */
static void lack_at(uint32_t switches)
{
	char yaml[200];
	size_t length;
	FILE *out = open_memstream(&text, &length);

	snprintf(yaml, sizeof(yaml),
		 "name: t\nrun: {duration: 100us}\nfabric: port-group\n"
		 "topology: {generate: chain, switches: %u, hosts-per-switch: 1}\n",
		 switches);
	plan_of(yaml);
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (plan.nodes[i].kind == NODE_SWITCH)
			plan.nodes[i].switch_.lids.ungrouped = 10 + i;
	routing_ungrouped_print(&plan, "> ", out);
	fclose(out);
}

/* eight are named */
TEST(routing_print__lack_of_groups_at_many_switches)
{
	lack_at(8);
	ck_assert_str_eq(text, "> a switch has at most 255; destinations without a group have "
			       "their static port only: 10 at s0, 11 at s1, 12 at s2, 13 at s3, "
			       "14 at s4, 15 at s5, 16 at s6, 17 at s7\n");
	tear_down();
	lack_at(10);
	says(", 17 at s7, more at 2 other switches\n");
}

/* Two of @mids switches lead from s to each of all the others, to each by another pair: as many
 * sets of ports. */
static void pairs_of(unsigned mids, const char *port_group)
{
	char *yaml;
	size_t length;
	FILE *out = open_memstream(&yaml, &length);

	fprintf(out,
		"name: t\nrun: {duration: 1us}\nfabric: port-group\n%s\ntopology:\n"
		"  switches: [s",
		port_group);
	for (unsigned i = 0; i < mids; i++)
		fprintf(out, ", m%u", i);
	for (unsigned i = 0; i < mids * (mids - 1) / 2; i++)
		fprintf(out, ", d%u", i);
	fputs("]\n  hosts:\n", out);
	for (unsigned i = 0; i < mids * (mids - 1) / 2; i++)
		fprintf(out, "    h%u: d%u\n", i, i);
	fputs("  links:\n", out);
	for (unsigned i = 0; i < mids; i++)
		fprintf(out, "  - [s, m%u]\n", i);
	for (unsigned i = 0, d = 0; i < mids; i++)
		for (unsigned k = 0; k < i; k++, d++)
			fprintf(out, "  - [m%u, d%u]\n  - [m%u, d%u]\n", i, d, k, d);
	fclose(out);
	plan_of(yaml);
	free(yaml);
}

/* PG-5: 17 switches have 136 pairs, and there are 127 groups beside those for hosts alone */
TEST(routing_lids__more_sets_of_ports_than_groups)
{
	const struct lid_tables *lids;

	pairs_of(17, "port-group: {non-minimal: yes}");
	lids = &plan_node_find(&plan, "s")->switch_.lids;
	ck_assert_uint_eq(lids->ungrouped, 9);
	ck_assert_uint_eq(lids->group_count, 128);
	for (uint32_t lid = 1; lid <= 136; lid++)
		ck_assert_uint_eq(lids->pgft[lid], lid <= 127 ? lid : 0);
	tear_down();
	pairs_of(16, "port-group: {non-minimal: yes}");
	lids = &plan_node_find(&plan, "s")->switch_.lids;
	ck_assert_uint_eq(lids->ungrouped, 0);
	ck_assert_uint_eq(lids->group_count, 121);
}

/* PG-5: entries with longer paths are counted, or the text says that there are none */
TEST(routing_print__non_minimal)
{
	printed("name: t\nrun: {duration: 1us}\ntopology: {switches: [a, b, c], hosts: {A: a, B: "
		"b, C: c}, links: [[a, "
		"b], "
		"[b, c], [c, a]]}\nfabric: port-group\nport-group: {non-minimal: yes}\n");
	says("  non-minimal packets from hosts may take one more link, where a single port is "
	     "shortest: 6 of 9 entries\n");
	says("paths         2 lanes for each class, the next higher one at every hop\n");
}

TEST(routing_print__non_minimal_none)
{
	printed(TWO "fabric: port-group\nport-group: {non-minimal: yes}\n");
	says("  non-minimal none: no destination has a single shortest port and a longer path "
	     "within "
	     "the lanes\n");
}

TEST(routing_print__static_ports)
{
	printed(TWO "fabric: port-group\nport-group: {adaptive: no, fecn: no}\n");
	ck_assert_str_eq(text, "port groups   LIDs of 16 bits, static ports only\npaths         "
			       "one lane for each class\n");
}

TEST(routing_json__numbers)
{
	json_t *root;

	plan_of(TWO "fabric: port-group\nrouting: {order: up-down, redirect: {depth: 256B, full: "
		    "512B}}\nport-group: "
		    "{queue: 1KiB}\n");
	root = routing_json(&plan);
	ck_assert_str_eq(json_string_value(json_object_get(root, "order")), "up-down");
	ck_assert_str_eq(json_string_value(json_object_get(root, "choice")), "static");
	ck_assert_str_eq(json_string_value(json_object_get(root, "load")), "path");
	ck_assert_str_eq(json_string_value(json_object_get(root, "lane_rule")), "keep");
	ck_assert_int_eq(json_integer_value(json_object_get(root, "lanes")), 1);
	ck_assert_ptr_null(json_object_get(root, "load_queue"));
	ck_assert_ptr_null(json_object_get(root, "seed")); /* each switch has its own */
	ck_assert_int_eq(json_integer_value(json_object_get(root, "redirect_depth_units")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(root, "redirect_full_units")), 2);
	json_decref(root);
	root = port_group_json(&plan);
	ck_assert_str_eq(json_string_value(json_object_get(root, "policy")), "greedy-random");
	ck_assert_int_eq(json_integer_value(json_object_get(root, "queue_units")), 4);
	ck_assert_uint_eq(json_array_size(json_object_get(root, "adaptive_classes")), 1);
	json_decref(root);
}
