/*  The plans of scenarios are those that are kept in same_plans.txt, byte by byte: configurations
 *  of nodes as they are sent, under both clocks, what `heddle check` prints, and the scenario that
 *  is saved. So whatever changes how a scenario is read, its routes or a derived number is seen
 *  here; what is right, other tests say. The scenarios: topologies/ and same/.
 *
 *  After a change that is meant: WRITE=yes build/asan/unit/test_same_plans (contributing.md). */
#include <unistd.h>

#include "nodes/control/control.h"
#include "orchestrator/plan/congestion_text.h"
#include "orchestrator/plan/plan_congestion_make.h"
#include "orchestrator/plan/plan_given.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_save.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/plan/roce_text.h"
#include "orchestrator/plan/routing_text.h"
#include "orchestrator/scenario/scenario.h"
#include "orchestrator/scenario/scenario_idle.h"
#include "tests/kept.h"

#define KEPT "tests/unit/orchestrator/plan/same_plans.txt"

enum part { NODES, TRAFFIC, TEXTS, LIVE, SAVED, PARTS };
static const char *const part_names[PARTS] = { "nodes", "traffic", "texts", "live", "saved" };

static const char *const names[] = {
#define TOPOLOGY(name) "topologies/" name ".yaml"
	TOPOLOGY("cnp-failure"),
	TOPOLOGY("cnp-rate"),
	TOPOLOGY("congested-link"),
	TOPOLOGY("credit-deadlock"),
	TOPOLOGY("dcqcn-one-cnp"),
	TOPOLOGY("dragonfly-adaptive"),
	TOPOLOGY("dragonfly-valiant"),
	TOPOLOGY("ets-shares"),
	TOPOLOGY("failure-dragonfly"),
	TOPOLOGY("flow-key-masks"),
	TOPOLOGY("flow-limit"),
	TOPOLOGY("group-redirect"),
	TOPOLOGY("gups"),
	TOPOLOGY("hyperx"),
	TOPOLOGY("incast-victims"),
	TOPOLOGY("link-failure"),
	TOPOLOGY("parking-lot"),
	TOPOLOGY("path-pause-clos"),
	TOPOLOGY("pfc-deadlock"),
	TOPOLOGY("pfc-headroom"),
	TOPOLOGY("pfc-ring-of-four"),
	TOPOLOGY("port-group-dragonfly"),
	TOPOLOGY("port-group-incast"),
	TOPOLOGY("port-group-permutation"),
	TOPOLOGY("port-limit"),
	TOPOLOGY("redirect"),
	TOPOLOGY("routing-loop"),
	TOPOLOGY("slow-receiver"),
	TOPOLOGY("small-packets"),
	TOPOLOGY("source-victim"),
	TOPOLOGY("switch-failure"),
	TOPOLOGY("tapered-s2"),
	TOPOLOGY("three-subnets"),
	TOPOLOGY("torus"),
	TOPOLOGY("two-racks"),
	TOPOLOGY("web-search"),
#define OWN(name) "tests/unit/orchestrator/plan/same/" name ".yaml"
	OWN("hosts"),
	OWN("flows"),
	OWN("roce"),
	OWN("lids"),
	OWN("slow-lids"),
};

#define ROWS (sizeof(names) / sizeof(names[0]))

static struct scenario scenario;
static struct plan plan;

/* ---- reading ---- */

typedef int make_fn(const struct scenario *scenario, struct plan *plan,
		    struct scenario_errors *errors);

/* Return: the digest of the errors if there is no such plan, else 0 */
static uint64_t plan_of(const char *path, make_fn *make)
{
	struct scenario_errors errors = { 0 };
	uint64_t digest = KEPT_NOTHING;
	int error = scenario_read_file(path, NULL, 0, &scenario, &errors);

	ck_assert_msg(!error, "%s: %s", path, errors.count ? errors.texts[0] : "no error");
	error = make(&scenario, &plan, &errors);
	for (unsigned i = 0; i < errors.count; i++)
		digest = kept_digest(digest, errors.texts[i], strlen(errors.texts[i]));
	scenario_errors_free(&errors);
	return error ? digest : 0;
}

static void close_all(void)
{
	plan_free(&plan);
	scenario_free(&scenario);
	plan = (struct plan){ 0 };
}

/* ---- parts ---- */

/* the configurations, then what the fabric manager writes into tables and what the plan has beside
 * the nodes */
static uint64_t nodes_digest(void)
{
	uint64_t digest = KEPT_NOTHING;

	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct control_message message = { .kind = CONTROL_CONFIGURE,
						   .config = &plan.nodes[i] };
		const struct switch_config *tables = &plan.nodes[i].switch_;
		uint8_t *bytes;
		int length = control_pack(&message, &bytes);

		ck_assert_int_gt(length, 0);
		digest = kept_digest(digest, bytes, (size_t)length);
		free(bytes);
		if (plan.nodes[i].kind != NODE_SWITCH)
			continue;
		for (uint32_t r = 0; r < tables->route_count; r++)
			digest = kept_digest(digest, &tables->routes[r].ports,
					     sizeof(tables->routes[r].ports));
		digest = kept_digest(digest, tables->vias,
				     tables->via_count * sizeof(*tables->vias));
	}
	for (uint32_t i = 0; i < plan.link_count; i++) {
		const struct plan_link *link = &plan.links[i]; /* its members, as it has gaps */
		const uint64_t members[] = { link->node_a,    link->port_a,   link->node_b,
					     link->port_b,    link->rate_bps, link->delay_ps,
					     link->mtu_bytes, link->vacant,   link->down };

		digest = kept_digest(digest, members, sizeof(members));
	}
	return kept_digest(digest, &plan.duration_ps, sizeof(plan.duration_ps));
}

static uint64_t text_digest(char *text, size_t length)
{
	uint64_t digest = kept_digest(KEPT_NOTHING, text, length);

	if (getenv("SHOW"))
		fwrite(text, 1, length, stdout);
	free(text);
	return digest;
}

static uint64_t texts_digest(void)
{
	struct congestion_basis basis;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	routing_print(&plan, out);
	routing_ungrouped_print(&plan, "ungrouped: ", out);
	ck_assert_int_ge(plan_loops_print(&plan, "loop: ", out), 0);
	scenario_idle_print(&scenario, "no effect: ", out);
	if (plan_fabric(&plan) == FABRIC_ROCE) {
		roce_print(&plan, out);
	} else if (plan_fabric(&plan) == FABRIC_FLOW_CHANNEL) {
		ck_assert_int_eq(plan_congestion_basis(CLOCK_VIRTUAL, &plan, &basis), 0);
		congestion_print(&basis, &plan.nodes[0].switch_.congestion, out);
		flow_match_print(&plan.match, out);
	}
	fclose(out);
	return text_digest(text, length);
}

static uint64_t saved_digest(void)
{
	static const char *const settings[] = { "links.delay=3ms", "seed=5" };
	const struct plan_saving saving = { .fabric = "f",
					    .when = "noon",
					    .folder = "/there",
					    .settings = settings,
					    .setting_count = 2,
					    .commands = "a command\n" };
	char here[4096], *text, *at;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_eq(plan_save(&plan, &saving, out), 0);
	fclose(out);
	/* of paths the part that is the same wherever the tree is */
	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	while ((at = strstr(text, here)))
		memmove(at, at + strlen(here), strlen(at + strlen(here)) + 1);
	return text_digest(text, strlen(text));
}

static struct kept_row row_of(size_t index)
{
	struct kept_row row = { 0 };

	row.digests[NODES] = plan_of(names[index], plan_make);
	if (!row.digests[NODES]) {
		row.digests[NODES] = nodes_digest();
		row.digests[TEXTS] = texts_digest();
	}
	close_all();
	row.digests[TRAFFIC] = plan_of(names[index], plan_make_traffic);
	if (!row.digests[TRAFFIC])
		row.digests[TRAFFIC] = nodes_digest();
	close_all();
	row.digests[LIVE] = plan_of(names[index], plan_make_real);
	if (!row.digests[LIVE]) {
		ck_assert_int_eq(plan_spare_make(&plan), 0);
		row.digests[LIVE] = nodes_digest();
		row.digests[SAVED] = saved_digest();
	}
	close_all();
	return row;
}

TEST_RANGE(plans__are_those_that_are_kept, 0, ROWS)
{
	struct kept_row row;

	if (kept_is_written()) {
		if (!_i)
			kept_write(KEPT, names, ROWS, part_names, PARTS, row_of);
		return;
	}
	row = row_of((size_t)_i);
	kept_check(KEPT, names[_i], part_names, PARTS, &row);
}
