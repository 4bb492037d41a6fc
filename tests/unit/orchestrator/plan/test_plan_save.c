/*  orchestrator/plan/plan_save: what is written is the fabric as it is, and is read back as the
 *  same one; sections that nothing has changed keep each byte (DU-6). */
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_save.h"
#include "orchestrator/plan/plan_spare.h"
#include "tests/testing.h"

#define HEAD "name: t # a name\nfabric: roce\n\n# how long\nrun: {duration: 10s}\n"
#define TWO                                                                              \
	HEAD "topology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2, C: s2}\n"         \
	     "  links: [[s1, s2], [s1, s2]]\n  at: {s1: [0, 0], A: [1, 2.5]}\n# after\n" \
	     "links: {rate: 1Gb/s, edge: {delay: 2us}}\n"

static struct plan plan, again;
static char *text;
static size_t size;

static void plan_of(const char *scenario_text, const char *const *settings, unsigned count,
		    struct plan *made)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", scenario_text, strlen(scenario_text), settings,
					 count, &scenario, &errors);

	if (!error)
		error = plan_make_real(&scenario, made, &errors);
	ck_assert_msg(error == 0, "%s\n%s", errors.count ? errors.texts[0] : "no error",
		      scenario_text);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	ck_assert_int_eq(plan_spare_make(made), 0);
}

static void tear_down(void)
{
	plan_free(&plan);
	plan_free(&again);
	free(text);
	text = NULL;
}

/* saves the plan to `text`, and reads it back to `again` */
static void save(const bool *taken)
{
	const struct plan_saving saving = {
		.fabric = "f", .when = "noon", .folder = "/there", .taken = taken
	};
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(plan_save(&plan, &saving, out), 0);
	fclose(out);
	plan_of(text, NULL, 0, &again);
}

static void says(const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in\n%s", part, text);
}

static void lacks(const char *part)
{
	ck_assert_msg(!strstr(text, part), "'%s' in\n%s", part, text);
}

static uint32_t at(const char *name)
{
	const struct node_config *node = plan_node_find(&plan, name);

	ck_assert_ptr_nonnull(node);
	return node->index;
}

static const char *end_of(const struct plan *of, uint32_t link, bool b)
{
	return of->nodes[b ? of->links[link].node_b : of->links[link].node_a].name;
}

/* both directions of link @index are the same in both plans, @other in the second */
static void same_link(uint32_t index, uint32_t other)
{
	for (int back = 0; back < 2; back++) {
		struct link_config here, there;
		struct link_config *out[] = { &here, &there };
		const struct plan *plans[] = { &plan, &again };
		uint32_t links[] = { index, other };

		for (int i = 0; i < 2; i++) {
			const struct plan_link *ends = &plans[i]->links[links[i]];
			const struct port_config *a =
				&plans[i]->nodes[ends->node_a].ports[ends->port_a];
			const struct port_config *b =
				&plans[i]->nodes[ends->node_b].ports[ends->port_b];

			port_direction_get(back ? b : a, back ? a : b, out[i]);
		}
		ck_assert_msg(parameters_equal(&link_parameters, &here, &there),
			      "link %u to %u, %d:\n%s", index, other, back, text);
	}
}

/* each link of the plan is in the other one, in the same order among links of its kind */
static void same_links(void)
{
	uint32_t count = 0, others = 0;
	bool *found = calloc(again.link_count, sizeof(*found));

	for (uint32_t i = 0; i < plan.link_count; i++) {
		uint32_t k = 0;

		if (plan.links[i].vacant)
			continue;
		count++;
		while (k < again.link_count &&
		       (again.links[k].vacant || found[k] ||
			strcmp(end_of(&plan, i, false), end_of(&again, k, false)) != 0 ||
			strcmp(end_of(&plan, i, true), end_of(&again, k, true)) != 0))
			k++;
		ck_assert_uint_lt(k, again.link_count);
		found[k] = true;
		same_link(i, k);
	}
	for (uint32_t k = 0; k < again.link_count; k++)
		others += !again.links[k].vacant;
	ck_assert_uint_eq(count, others);
	free(found);
}

static struct port_config *port_of(const char *node, uint32_t port)
{
	return &plan.nodes[at(node)].ports[port];
}

TEST_GROUP(saving, .teardown = tear_down);

TEST(plan_save__unchanged_is_the_same)
{
	plan_of(TWO, NULL, 0, &plan);
	save(NULL);
	same_links();
	says("name: t # a name\nfabric: roce\n\n# how long\nrun: {duration: 10s}\ntopology:\n");
	says("    A: {switch: s1}\n");
	says("    - {between: [s1, s2]}\n");
	says("    A: [1, 2.5]\n# after\nlinks: {rate: 1Gb/s, edge: {delay: 2us}}\n");
	lacks("faults:");
	lacks("addresses");
}

/* a value that needs all its digits, and that a fabric can carry */
static uint64_t value_of(const struct parameter *row, uint32_t bit)
{
	if (row->unit == PARAMETER_UNIT_TIME || row->unit == PARAMETER_UNIT_RATE)
		return 10000001 + bit;
	return row->max - bit % 2;
}

TEST_RANGE(plan_save__each_setting_of_each_direction, 0, 3)
{
	static const char *const kinds[] = { "roce", "flow-channel", "port-group" };
	char scenario[1024];

	snprintf(scenario, sizeof(scenario),
		 "name: t\nfabric: %s\nrun: {duration: 10s}\nlinks: {rate: 1Gb/s}\n"
		 "topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n",
		 kinds[_i]);
	plan_of(scenario, NULL, 0, &plan);
	for (uint32_t i = 0, bit = 0; !plan.links[i].vacant; i++)
		for (int back = 0; back < 2; back++) {
			const struct plan_link *ends = &plan.links[i];
			struct port_config *a = &plan.nodes[ends->node_a].ports[ends->port_a];
			struct port_config *b = &plan.nodes[ends->node_b].ports[ends->port_b];
			struct link_config link;

			port_direction_get(back ? b : a, back ? a : b, &link);
			for (size_t r = 0; r < link_parameters.count; r++) {
				const struct parameter *row = &link_parameters.rows[r];
				bool order = !strcmp(row->key, "reorder") ||
					     !strcmp(row->key, "duplicate");

				if (row->live &&
				    !(order && link_counts_frames(plan_fabric(&plan), a->kind)))
					parameter_put(row, &link, value_of(row, bit++));
			}
			port_direction_put(back ? b : a, back ? a : b, &link);
		}
	save(NULL);
	same_links();
}

/* all lines of the head, and nothing more before the scenario */
TEST(plan_save__head)
{
	static const char *const settings[] = { "run.duration=20s" };
	static const char commands[] = "host A web stop\nhost B date";
	struct plan_saving saving = {
		.fabric = "f", .when = "noon", .folder = "/there", .commands = commands
	};
	static const char *const origins[] = { "t.yaml", "standard input" };

	for (unsigned count = 0; count < 2; count++) {
		char expected[1000];
		FILE *out = open_memstream(&text, &size);

		plan_of(TWO, settings, count, &plan);
		if (count)
			strcpy(plan.file, "-");
		ck_assert_int_eq(plan_save(&plan, &saving, out), 0);
		fclose(out);
		snprintf(expected, sizeof(expected),
			 "# heddle save: the fabric f as it was at noon, started from %s\n"
			 "# heddle save: switches, hosts and links with all changes; links that "
			 "were down as faults at 0s\n"
			 "# heddle save: the other sections are those of that file%s\n"
			 "# heddle save: not in a scenario: host A web stop\n"
			 "# heddle save: not in a scenario: host B date\n"
			 "name: t # a name\n",
			 origins[count], count ? ", with --set" : "");
		ck_assert_msg(!strncmp(text, expected, strlen(expected)), "%s\nin place of\n%s",
			      text, expected);
		if (!count) {
			plan_free(&plan);
			free(text);
		}
	}
}

TEST(plan_save__joined_and_left)
{
	int64_t s3, host, link;
	struct port_config like;

	plan_of(TWO, NULL, 0, &plan);
	plan_spare_node_remove(&plan, at("A"));
	s3 = plan_spare_switch(&plan, "s3");
	like = plan_spare_template(&plan, (uint32_t)s3, at("s1"));
	like.rate_bps = 123000000;
	ck_assert_int_ge(plan_spare_link(&plan, (uint32_t)s3, at("s1"), &like), 0);
	plan_spare_switch(&plan, "lonely");
	host = plan_spare_host(&plan, "D");
	like = plan_spare_template(&plan, (uint32_t)host, at("s3"));
	link = plan_spare_link(&plan, (uint32_t)host, at("s3"), &like);
	ck_assert_int_ge(link, 0);
	save(NULL);
	same_links();
	says("{between: [s3, s1], rate: 123Mb/s}");
	says("# heddle save: left out: switch lonely, which has no link\n");
	/* D has the place of A, and each host its addresses */
	says("    D: {switch: s3}\n    B: {switch: s2}\n");
	lacks("A: [1");
	ck_assert_ptr_null(plan_node_find(&again, "A"));
}

TEST(plan_save__addresses_stay)
{
	plan_of(TWO, NULL, 0, &plan);
	plan_spare_node_remove(&plan, at("B"));
	save(NULL);
	says("    A: {switch: s1}\n"
	     "    C: {switch: s2, addresses: [\"10.0.0.3/8\", \"fd48::3/64\"]}\n");
}

TEST(plan_save__links_that_are_down)
{
	bool *taken;

	plan_of(TWO "faults: [{at: 1s, link: [s2, C]}]\n", NULL, 0, &plan);
	taken = calloc(plan.link_count, sizeof(*taken));
	plan.links[port_of("s1", 2)->link_index].down = true;
	plan.links[port_of("B", 0)->link_index].down = true;
	plan.links[port_of("C", 0)->link_index].down = true;
	taken[port_of("C", 0)->link_index] = true;
	save(taken);
	free(taken);
	says("  - {at: 1s, link: [s2, C]}\n");
	says("  - {at: 0s, link: [\"s1:2\", \"s2:3\"]} # was down\n");
	says("  - {at: 0s, link: [B, s2]} # was down\n");
	ck_assert_uint_eq(again.faults.count, 3);
}

TEST(plan_save__names_that_have_left)
{
	static const char scenario[] = HEAD
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2, C: s2}, links: [[s1, s2]]}\n"
		"hosts: {'A': {router: yes}, '[BC]': {router: yes}}\n"
		"workloads:\n"
		"  - {name: w, pattern: incast, from: [A, B], to: C, size: 1kB}\n"
		"  - {name: x, pattern: incast, from: [B, C], to: A, size: 1kB}\n"
		"  - {name: y, pattern: pairs, pairs: [[A, B], [B, C]], size: 1kB}\n"
		"pauses: [{host: A, start: 1s, every: 1s, for: 10ms}]\n"
		"faults: [{at: 1s, link: [s1, A]}, {at: 1s, link: [s1, s2]},\n"
		"         {at: 1s, switch: s2}]\n";

	plan_of(scenario, NULL, 0, &plan);
	plan_spare_node_remove(&plan, at("A"));
	plan_spare_link_remove(&plan, port_of("s1", 1)->link_index);
	plan_spare_link(&plan, plan_spare_host(&plan, "D"), at("s1"), port_of("B", 0));
	ck_assert_int_ge(plan_spare_switch(&plan, "s3"), 0);
	for (int i = 1; i < 3; i++) {
		char name[] = { 's', (char)('0' + i), 0 };

		ck_assert_int_ge(plan_spare_link(&plan, at("s3"), at(name), port_of("B", 0)), 0);
	}
	save(NULL);
	same_links();
	says("  - {name: w, pattern: incast, from: [B], to: C, size: 1kB}\n");
	says("  - {name: y, pattern: pairs, pairs: [[B, C]], size: 1kB}\n");
	says("left out of workloads: x\n");
	says("left out of hosts: A\n");
	says("left out of faults: {at: 1s, link: [s1, A]}\n");
	says("left out of faults: {at: 1s, link: [s1, s2]}\n");
	says("left out of pauses: {host: A, ");
	says("faults:\n  - {at: 1s, switch: s2}\n");
}

/* A fault is that of the same link, whatever numbers the ports have in the saved scenario. */
TEST(plan_save__faults_of_parallel_links)
{
	static const char scenario[] =
		HEAD "topology: {switches: [s1, s2, s3], hosts: {A: s1, B: s2},\n"
		     "           links: [[s1, s2], [s1, s2], [s2, s3]]}\n"
		     "faults: [{at: 1s, link: ['s1:p1', s2]}, {at: 1s, link: [s2, 's1:p2']},\n"
		     "         {at: 1s, link: [A, s1]}, {at: 1s, link: [s2, s3]}]\n";

	plan_of(scenario, NULL, 0, &plan);
	save(NULL);
	says("faults: [{at: 1s, link: ['s1:p1', s2]}, ");
	tear_down();
	plan_of(scenario, NULL, 0, &plan);
	ck_assert_int_ge(
		plan_spare_link(&plan, plan_spare_host(&plan, "D"), at("s1"), port_of("B", 0)), 0);
	ck_assert_int_ge(plan_spare_link(&plan, at("s3"), at("s2"), port_of("s3", 0)), 0);
	save(NULL);
	says("  - {at: 1s, link: [\"s1:2\", \"s2:1\"]}\n  - {at: 1s, link: [\"s1:3\", \"s2:2\"]}\n"
	     "  - {at: 1s, link: [A, s1]}\n  - {at: 1s, link: [\"s2:3\", \"s3:0\"]}\n");
	tear_down();
	plan_of(scenario, NULL, 0, &plan);
	plan_spare_link_remove(&plan, port_of("s1", 1)->link_index);
	save(NULL);
	says("left out of faults: {at: 1s, link: [\"s1:p1\", s2]}\n");
	says("  - {at: 1s, link: [s1, s2]}\n  - {at: 1s, link: [A, s1]}\n"
	     "  - {at: 1s, link: [s2, s3]}\n");
}

TEST(plan_save__generated_keys_of_hosts)
{
	static const char scenario[] =
		HEAD "topology: {generate: star, hosts: 3, flow-keys: {h1: [ip-pair], h2: []},\n"
		     "           at: {h1: [1, 2]}}\n";

	plan_of(scenario, NULL, 0, &plan);
	save(NULL);
	says("    h0: {switch: s0}\n    h1: {switch: s0, flow-key: [ip-pair]}\n"
	     "    h2: {switch: s0, flow-key: []}\n");
	says("  at:\n    h1: [1, 2]\n");
	tear_down();
	plan_of(scenario, NULL, 0, &plan);
	plan_spare_node_remove(&plan, at("h1"));
	save(NULL);
	lacks("  at:");
}

/* switches stay on their machines; one that has joined has none */
TEST(plan_save__machines)
{
	static const char scenario[] =
		HEAD "topology: {switches: [s1, s2, s3], hosts: {A: s1, B: s2, C: s3},\n"
		     "           links: [[s1, s2], [s2, s3]], machines: {m: [s1, s3], n: [s2]}}\n";

	plan_of(scenario, NULL, 0, &plan);
	save(NULL);
	says("  machines:\n    m: [s1, s3]\n    n: [s2]\n");
	tear_down();
	plan_of(scenario, NULL, 0, &plan);
	plan_spare_node_remove(&plan, at("C"));
	plan_spare_node_remove(&plan, at("s3"));
	save(NULL);
	says("  machines:\n    m: [s1]\n    n: [s2]\n");
	tear_down();
	plan_of(scenario, NULL, 0, &plan);
	ck_assert_int_ge(plan_spare_switch(&plan, "s4"), 0);
	ck_assert_int_ge(plan_spare_link(&plan, at("s4"), at("s1"), port_of("s1", 1)), 0);
	save(NULL);
	lacks("machines:\n");
	says("left out of topology: machines, since a switch has none\n");
}

TEST(plan_save__settings_are_applied)
{
	static const char *const settings[] = { "links.edge.delay=7us", "routing.reaction=20us",
						"run.duration=20s" };

	plan_of(TWO, settings, COUNT_OF(settings), &plan);
	save(NULL);
	same_links();
	says("links:\n  rate: 1Gb/s\n  edge: {delay: 7us}\n");
	says("\n# how long\nrun:\n  duration: 20s\ntopology:");
	says("routing:\n  reaction: 20us\n");
	says("name: t # a name\n");
}

TEST_RANGE(plan_save__any_form_of_document, 0, 3)
{
	static const char *const forms[] = {
		"{name: t, run: {duration: 10s},\n"
		" topology: {switches: [s1], hosts: {A: s1, B: s1}}}",
		"---\nname: t\nrun: {duration: 10s}\ntopology:\n  generate: star\n  hosts: "
		"3\n...\n",
		"name: t\nrun: {duration: 10s}\ntopology: {switches: [s1], hosts: {A: s1, B: s1}}",
	};

	plan_of(forms[_i], NULL, 0, &plan);
	plan.links[0].down = true; /* a section more */
	save(NULL);
	same_links();
	lacks("generate");
}

TEST(plan_save__again)
{
	char *first;

	plan_of(TWO, NULL, 0, &plan);
	save(NULL);
	first = text;
	text = NULL;
	plan_free(&plan);
	plan = again;
	memset(&again, 0, sizeof(again));
	save(NULL);
	ck_assert_str_eq(first, text);
	free(first);
}

TEST(plan_save__paths)
{
	plan_of(TWO, NULL, 0, &plan);
	free(plan.origin->text);
	plan.origin->text = strdup(TWO "hosts:\n  A: {mounts: [{from: site, to: /srv/site},\n"
				       "               {from: /etc, to: /srv/etc}]}\n");
	strcpy(plan.folder, "/here");
	{
		struct plan_saving saving = { .fabric = "f", .when = "noon", .folder = "/there" };
		FILE *out = open_memstream(&text, &size);

		ck_assert_int_eq(plan_save(&plan, &saving, out), 0);
		fclose(out);
		says("{from: /here/site, to: /srv/site}, {from: /etc,");
		free(text);
		saving.folder = "/here";
		out = open_memstream(&text, &size);
		ck_assert_int_eq(plan_save(&plan, &saving, out), 0);
		fclose(out);
		says("{from: site, to: /srv/site},\n");
	}
}

/* what names a file, also in a variant, and nothing else of that name */
TEST(plan_save__paths_by_their_place)
{
	static const char *const sections[] = {
		"hosts:\n  A: {env: {sizes: big, rootfs: tree}, mounts: {from: one, to: "
		"/srv/one}}\n",
		"compare:\n  columns: [lost]\n  variants:\n"
		"    - {name: sizes, set: {workloads.w.sizes: a.csv, workloads.w: {sizes: b.csv},\n"
		"                         roce.own-control: c.so, hosts.A.env.sizes: big,\n"
		"                         hosts.A.mounts.0.from: two}}\n",
	};
	struct plan_saving saving = { .fabric = "f", .when = "noon", .folder = "/there" };
	FILE *out;

	plan_of(TWO, NULL, 0, &plan);
	strcpy(plan.folder, "/here");
	for (int i = 0; i < 2; i++) {
		free(plan.origin->text);
		ck_assert_int_gt(asprintf(&plan.origin->text, TWO "%s", sections[i]), 0);
		out = open_memstream(&text, &size);
		ck_assert_int_eq(plan_save(&plan, &saving, out), 0);
		fclose(out);
		if (!i) {
			says("env: {sizes: big, rootfs: tree}");
			says("from: /here/one,");
			free(text);
			continue;
		}
		says("workloads.w.sizes: /here/a.csv, workloads.w: {sizes: /here/b.csv}");
		says("roce.own-control: /here/c.so, hosts.A.env.sizes: big");
		says("hosts.A.mounts.0.from: /here/two}");
	}
}
