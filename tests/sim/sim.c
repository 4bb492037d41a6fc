#include "tests/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nicd/dataplane/dataplane.h"
#include "nodes/control/config_check.h"
#include "nodes/process/control_library.h"
#include "nodes/stats/series.h"
#include "nodes/stats/trace.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/results/expect.h"
#include "orchestrator/results/results_json.h"
#include "orchestrator/scenario/scenario.h"
#include "switchd/kinds/switch_kinds.h"
#include "tests/sim/fault_tables.h"

#define LAST_ENTRIES 16u /* of the trace ring, after a failed invariant */
/* of all windows so far, between two checks: a long run costs little more than a short one */
#define CHECK_PART 256u

/* zeroed memory whose pages exist once they are written; munmap() frees it */
static void *untouched(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	if (!memory)
		abort();
	return memset(memory, 0, (bytes + 63) / 64 * 64);
}

static void refuse(const struct scenario_errors *errors)
{
	for (unsigned i = 0; i < errors->count && i < SCENARIO_ERRORS_MAX; i++)
		fprintf(stderr, "%s\n", errors->texts[i]);
	abort();
}

/* ---- building ---- */

static void rings_make(struct sim *sim)
{
	sim->rings = zeroed(2 * sim->plan.link_count * sizeof(*sim->rings));
	for (uint32_t i = 0; i < sim->plan.link_count; i++) {
		const struct plan_link *link = &sim->plan.links[i];
		uint32_t a = sim->plan.nodes[link->node_a].ports[link->port_a].ring_bytes;
		uint32_t b = sim->plan.nodes[link->node_b].ports[link->port_b].ring_bytes;
		uint32_t captured_max = link_captured_max(&sim->plan.nodes[link->node_a]);

		sim->rings[2 * i] = untouched(ring_bytes(a));
		sim->rings[2 * i + 1] = untouched(ring_bytes(b));
		ring_init(sim->rings[2 * i], a, captured_max);
		ring_init(sim->rings[2 * i + 1], b, captured_max);
	}
}

/* what a failed invariant of the node adds */
static void invariant_report(const void *owner, const char *text)
{
	(void)text;
	trace_print_last(owner, LAST_ENTRIES, stderr);
}

/* invariants that fail from now on are those of node @index, until the next call */
static struct sim_node *act_as(struct sim *sim, uint32_t index)
{
	struct sim_node *node = &sim->nodes[index];

	node->ensure_context = (struct ensure_context){ .node = node->config->name,
							.now_ps = &node->stats->now_ps,
							.owner = node->stats,
							.report = invariant_report };
	ensure_context_set(&node->ensure_context);
	return node;
}

/* a congestion control of the user's: one library for all NICs */
static void control_load(struct sim *sim, uint32_t index, struct stats_page *stats)
{
	struct node_config *config = &sim->plan.nodes[index];
	struct why why;

	if (!node_config_has_control(config))
		return;
	config->control =
		control_library_load(sim->plan.origin->control.fd, &stats->control_call, &why);
	if (!config->control) {
		fprintf(stderr, "%s: %s\n", sim->plan.origin->control.name, why.text);
		abort();
	}
}

static void node_make(struct sim *sim, uint32_t index)
{
	struct sim_node *node = &sim->nodes[index];
	const struct node_config *config = &sim->plan.nodes[index];
	struct why why;

	if (node_config_check(config, &why)) {
		fprintf(stderr, "%s: %s\n", config->name, why.text);
		abort();
	}
	node->config = config;
	node->stats = untouched(stats_bytes(config));
	stats_init(node->stats, config);
	if (config->series) {
		node->series_fd = memfd_create("series", MFD_CLOEXEC);
		series_file(node->stats, node->series_fd);
	}
	control_load(sim, index, node->stats);
	node->links = zeroed(config->port_count * sizeof(*node->links));
	for (uint32_t p = 0; p < config->port_count; p++) {
		uint32_t i = config->ports[p].link_index;
		bool is_a = sim->plan.links[i].node_a == index && sim->plan.links[i].port_a == p;
		struct ring_page *tx = sim->rings[2 * i + !is_a], *rx = sim->rings[2 * i + is_a];

		if (link_init(&node->links[p], config, p, tx, ring_bytes(tx->data_bytes), rx,
			      ring_bytes(rx->data_bytes), node->stats))
			abort();
	}
	node->ops = config->kind == NODE_NIC ? &nicd_ops : switch_kinds[config->fabric];
	act_as(sim, index);
	node->dataplane = node->ops->create(config, node->links, node->stats);
	if (!node->dataplane)
		abort();
	node_window_init(&node->window, &sim->clock, config, node->links, node->ops,
			 node->dataplane);
}

/* ---- faults ---- */

static struct node_window *end_of(struct sim *sim, uint32_t node)
{
	return &act_as(sim, node)->window;
}

void sim_link_down(struct sim *sim, uint32_t link)
{
	const struct plan_link *ends = &sim->plan.links[link];

	node_window_link_down(end_of(sim, ends->node_a), ends->port_a);
	node_window_link_down(end_of(sim, ends->node_b), ends->port_b);
}

void sim_link_up(struct sim *sim, uint32_t link)
{
	const struct plan_link *ends = &sim->plan.links[link];

	node_window_link_up(end_of(sim, ends->node_a), ends->port_a);
	node_window_link_up(end_of(sim, ends->node_b), ends->port_b);
}

static int fault_link_down(void *owner, uint32_t link)
{
	sim_link_down(owner, link);
	return 0;
}

static int fault_link_up(void *owner, uint32_t link)
{
	sim_link_up(owner, link);
	return 0;
}

static int fault_report_left(void *owner, uint32_t node, uint32_t port,
			     const struct channel_set *left)
{
	node_window_link_settle(end_of(owner, node), port, left);
	return 0;
}

/* computed from the plan, with the same result as by a fabric manager */
static int fault_manage(void *owner)
{
	struct sim *sim = owner;
	struct plan follower;
	int error = fault_tables_make(&sim->plan, sim->faults.down, &follower);

	for (uint32_t i = 0; i < follower.switch_count && !error; i++) {
		struct node_window *window = end_of(sim, i);

		error = window->ops->tables(window->dataplane, &follower.nodes[i].switch_);
		if (!error)
			node_window_changed(window);
	}
	fault_tables_free(&follower);
	return error;
}

static const struct stats_page *fault_page(void *owner, uint32_t node)
{
	return ((struct sim *)owner)->nodes[node].stats;
}

static void faults_init(struct sim *sim)
{
	const struct fault_fabric fabric = { .owner = sim,
					     .link_down = fault_link_down,
					     .link_up = fault_link_up,
					     .report_left = fault_report_left,
					     .manage = fault_manage,
					     .page = fault_page };

	if (fault_schedule_init(&sim->faults, &sim->plan, &fabric))
		abort();
}

typedef int plan_maker(const struct scenario *, struct plan *, struct scenario_errors *);

static void plan_of(struct sim *sim, plan_maker *make, struct scenario *scenario,
		    struct scenario_errors *errors)
{
	if (make(scenario, &sim->plan, errors))
		refuse(errors);
	scenario_free(scenario);
}

static void build(struct sim *sim)
{
	sim->page = zeroed(clock_bytes(sim->plan.node_count));
	clock_init(sim->page, sim->plan.node_count, sim->plan.lookahead_ps);
	if (clock_attach(&sim->clock, sim->page, clock_bytes(sim->plan.node_count)))
		abort();
	sim->nodes = zeroed(sim->plan.node_count * sizeof(*sim->nodes));
	sim->wake = zeroed(sim->plan.node_count * sizeof(*sim->wake));
	sim->taking_part = zeroed(sim->plan.node_count * sizeof(*sim->taking_part));
	rings_make(sim);
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		sim->plan.nodes[i].series = sim->plan.nodes[i].sample_ps != 0;
		sim->plan.nodes[i].events |= sim->plan.nodes[i].series; /* as in heddle run */
		node_make(sim, i);
	}
	faults_init(sim);
}

static unsigned count_settings(const char *const *settings)
{
	unsigned count = 0;

	while (settings && settings[count])
		count++;
	return count;
}

static void open_variant(struct sim *sim, plan_maker *make, const char *path, uint32_t variant,
			 const char *const *settings)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };

	*sim = (struct sim){ 0 };
	if (scenario_read_variant(path, settings, count_settings(settings), variant, &scenario,
				  &errors))
		refuse(&errors);
	plan_of(sim, make, &scenario, &errors);
	build(sim);
}

void sim_open_file(struct sim *sim, const char *path, const char *const *settings)
{
	open_variant(sim, plan_make, path, SCENARIO_NO_VARIANT, settings);
}

void sim_open_real(struct sim *sim, const char *path, const char *const *settings)
{
	open_variant(sim, plan_make_real, path, SCENARIO_NO_VARIANT, settings);
}

static uint32_t variant_find(const char *path, const char *name)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	uint32_t variant = 0;

	if (scenario_read_file(path, NULL, 0, &scenario, &errors))
		refuse(&errors);
	while (scenario.compare && variant < scenario.compare->variant_count &&
	       strcmp(scenario.compare->variants[variant].name, name) != 0)
		variant++;
	if (!scenario.compare || variant == scenario.compare->variant_count) {
		fprintf(stderr, "%s has no variant '%s'\n", path, name);
		abort();
	}
	scenario_free(&scenario);
	return variant;
}

void sim_open_variant(struct sim *sim, const char *path, const char *name,
		      const char *const *settings)
{
	open_variant(sim, plan_make, path, variant_find(path, name), settings);
}

void sim_open_text(struct sim *sim, const char *text, const char *const *settings)
{
	sim_open_prepared(sim, text, settings, NULL, NULL);
}

void sim_open_prepared(struct sim *sim, const char *text, const char *const *settings,
		       void (*prepare)(struct plan *plan, const void *data), const void *data)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };

	*sim = (struct sim){ 0 };
	if (scenario_read_memory("test.yaml", text, strlen(text), settings,
				 count_settings(settings), &scenario, &errors))
		refuse(&errors);
	plan_of(sim, plan_make, &scenario, &errors);
	if (prepare)
		prepare(&sim->plan, data);
	build(sim);
}

void sim_close(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		struct sim_node *node = act_as(sim, i);

		node->ops->destroy(node->dataplane);
		for (uint32_t p = 0; p < node->config->port_count; p++)
			link_fini(&node->links[p]);
		free(node->links);
		if (node->config->series)
			close(node->series_fd);
		munmap(node->stats, stats_bytes(node->config));
	}
	ensure_context_set(NULL);
	for (uint32_t i = 0; i < 2 * sim->plan.link_count; i++)
		munmap(sim->rings[i], ring_bytes(sim->rings[i]->data_bytes));
	free(sim->rings);
	free(sim->nodes);
	free(sim->wake);
	free(sim->taking_part);
	free(sim->page);
	fault_schedule_fini(&sim->faults);
	plan_free(&sim->plan);
}

/* ---- running ---- */

/* every node that takes part in the open window; in falling order every other time, for the result
 * may not depend on it */
static void run_window(struct sim *sim)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		uint32_t node = sim->windows % 2 ? sim->plan.node_count - 1 - i : i;

		if (clock_takes_part(&sim->clock, node))
			sim->taking_part[count++] = node;
	}
	for (uint32_t i = 0; i < count; i++)
		node_window_run(end_of(sim, sim->taking_part[i]), sim->wake);
	sim->windows++;
}

static void go(struct sim *sim, node_time_t limit)
{
	sim->limit_ps = limit;
	clock_resume(&sim->clock, limit, sim->wake);
	while (!clock_stopped(&sim->clock)) {
		run_window(sim);
		if (!sim->check_windows || sim->windows < sim->check_at)
			continue;
		sim_check(sim);
		sim->check_at = sim->windows + sim->check_windows + sim->windows / CHECK_PART;
	}
}

void sim_run_until(struct sim *sim, node_time_t limit)
{
	node_time_t fault_at;

	while ((fault_at = fault_schedule_next_at(&sim->faults)) < limit) {
		go(sim, fault_at);
		if (fault_schedule_step(&sim->faults))
			abort();
	}
	go(sim, limit);
}

/* are there further changes by faults, not only measurements? */
static bool faults_act(const struct sim *sim)
{
	return sim->faults.action < sim->plan.faults.action_count ||
	       sim->faults.look_at != NODE_TIME_NEVER;
}

void sim_run(struct sim *sim)
{
	sim_run_until(sim, sim->plan.duration_ps);
	sim_check(sim);
	if (sim->plan.drain && (clock_earliest(&sim->clock) != NODE_TIME_NEVER || faults_act(sim)))
		sim_run_until(sim, sim->plan.drain_max_ps);
	sim_check(sim);
}

/* packets that receivers took for the first time: what is sent again and comes twice is no
 * progress */
static uint64_t received_packets(const struct sim *sim)
{
	uint64_t packets = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		for (uint32_t f = 0; f < sim->nodes[i].stats->flow_rx_count; f++)
			packets += stats_flow_rx(sim->nodes[i].stats, f)->packets;
	return packets;
}

bool sim_run_on(struct sim *sim, node_time_t part_ps)
{
	uint64_t before, after = received_packets(sim);

	do {
		before = after;
		sim_run_until(sim, sim->limit_ps + part_ps);
		after = received_packets(sim);
	} while (clock_earliest(&sim->clock) != NODE_TIME_NEVER && after > before);
	sim_check(sim);
	return clock_earliest(&sim->clock) == NODE_TIME_NEVER;
}

/* ---- results ---- */

void sim_results(struct sim *sim, struct results *results)
{
	struct stats_page **pages = zeroed(sim->plan.node_count * sizeof(*pages));

	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		pages[i] = sim->nodes[i].stats;
	*results = (struct results){ 0 };
	results->empty = clock_earliest(&sim->clock) == NODE_TIME_NEVER;
	results->end_ps = results->empty ? atomic_load(&sim->page->start_ps) : sim->limit_ps;
	if (results_gather(&sim->plan, pages, results) ||
	    fault_schedule_report(&sim->faults, results))
		abort();
	if (expect_evaluate(&sim->plan, results))
		abort();
	free(pages);
}

char *sim_json(struct sim *sim)
{
	struct results results;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		abort();
	sim_results(sim, &results);
	if (results_json_write(&sim->plan, &results, NULL, out))
		abort();
	fclose(out);
	results_free(&results);
	return text;
}

bool sim_expectations_hold(struct sim *sim)
{
	struct results results;
	bool all = true;

	sim_results(sim, &results);
	for (uint32_t i = 0; i < results.expectation_count; i++) {
		const struct result_expectation *expectation = &results.expectations[i];

		if (expectation->ok)
			continue;
		fprintf(stderr, "%s: %s (%s)\n", sim->plan.scenario, expectation->text,
			expectation->shown);
		all = false;
	}
	results_free(&results);
	return all;
}

static void *switch_find(struct sim *sim, const char *name, enum fabric_kind fabric)
{
	const struct node_config *config = plan_node_find(&sim->plan, name);

	if (!config || config->kind != NODE_SWITCH || config->fabric != fabric)
		abort();
	return sim->nodes[config->index].dataplane;
}

struct dataplane *sim_switch(struct sim *sim, const char *name)
{
	return switch_find(sim, name, FABRIC_FLOW_CHANNEL);
}

struct ethernet *sim_ethernet(struct sim *sim, const char *name)
{
	return switch_find(sim, name, FABRIC_ROCE);
}

uint64_t sim_drops(const struct sim *sim, enum drop_reason reason)
{
	uint64_t drops = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++)
		drops += sim->nodes[i].stats->drops[reason];
	return drops;
}
