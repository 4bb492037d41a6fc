#include "orchestrator/results/pause_cycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "orchestrator/base/human.h"

#define HOPS_SHOWN 16u
#define NOT_THERE UINT32_MAX

/* a paused output, and what the peer's input at its link is full of, as of the reading of the
 * page: a running node continues */
struct output {
	struct pause_hop hop;
	/* by class: the peer's outputs, if its input has sent XOFF */
	uint64_t waits_for[NODE_CLASSES_MAX];
	bool waits; /* this output may be part of a cycle */
};

/* the outputs that have been paused for long enough, by node, port, class; those that wait for no
 * other one are removed one by one */
struct graph {
	const struct plan *plan;
	struct stats_page *const *pages;
	struct output *outputs;
	uint32_t count;
};

static int outputs_find(struct graph *g, node_time_t before_ps);
static void leaves_drop(struct graph *g);
static uint32_t waiting_find(const struct graph *g);
static int cycle_take(struct graph *g, uint32_t first, struct pause_cycles *cycles);

int pause_cycles_find(const struct plan *plan, struct stats_page *const *pages,
		      node_time_t before_ps, struct pause_cycles *cycles)
{
	struct graph g = { .plan = plan, .pages = pages };
	uint32_t first;
	int error;

	*cycles = (struct pause_cycles){ 0 };
	if (plan_fabric(plan) != FABRIC_ROCE)
		return 0;
	error = outputs_find(&g, before_ps);
	leaves_drop(&g);
	while (!error && (first = waiting_find(&g)) != NOT_THERE) {
		error = cycle_take(&g, first, cycles);
		leaves_drop(&g);
	}
	free(g.outputs);
	if (error)
		pause_cycles_free(cycles);
	return error;
}

void pause_cycles_free(struct pause_cycles *cycles)
{
	for (uint32_t i = 0; i < cycles->count; i++)
		free(cycles->list[i].hops);
	free(cycles->list);
	*cycles = (struct pause_cycles){ 0 };
}

node_time_t pause_cycles_before_ps(const struct plan *plan, node_time_t now,
				   node_time_t drained_from_ps)
{
	node_time_t watchdog_ps = plan->nodes[0].roce.watchdog_ps;
	node_time_t before_ps = now > watchdog_ps ? now - watchdog_ps : 0;

	return drained_from_ps < now ? node_time_max(before_ps, drained_from_ps) : before_ps;
}

/* ---- the graph ---- */

/* the statistics of @traffic_class at a port; NULL if there are none */
static const struct class_stats *class_find(const struct graph *g, uint32_t node, uint32_t port,
					    uint32_t traffic_class)
{
	struct stats_page *page = g->pages[node];

	return page && stats_has_classes(page) && port < page->port_count
		       ? stats_class(page, port, traffic_class)
		       : NULL;
}

/* reads what the peer's input at @output is full of. PAUSE stops all classes because of any. */
static void waits_read(const struct graph *g, struct output *output)
{
	const struct port_config *port = &g->plan->nodes[output->hop.node].ports[output->hop.port];
	bool any = g->plan->nodes[output->hop.node].roce.pause;

	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++) {
		const struct class_stats *input =
			class_find(g, port->peer_index, port->peer_port, c);

		if (input && input->xoff_since_ps && (any || c == output->hop.traffic_class))
			output->waits_for[c] = input->waits_for;
	}
}

static int output_add(struct graph *g, const struct pause_hop *hop)
{
	struct output *outputs = g->outputs;

	if (!(g->count & (g->count - 1))) { /* full: twice as many */
		outputs = reallocarray(outputs, g->count ? 2ul * g->count : 1, sizeof(*outputs));
		if (!outputs)
			return -ENOMEM;
		g->outputs = outputs;
	}
	outputs[g->count] = (struct output){ .hop = *hop, .waits = true };
	waits_read(g, &outputs[g->count++]);
	return 0;
}

static int outputs_find(struct graph *g, node_time_t before_ps)
{
	int error = 0;

	for (uint32_t node = 0; node < g->plan->node_count; node++) {
		const struct node_config *config = &g->plan->nodes[node];
		uint32_t ports = config->kind == NODE_SWITCH ? config->port_count : 0;

		for (uint32_t i = 0; i < ports * NODE_CLASSES_MAX && !error; i++) {
			struct pause_hop hop = { node, i / NODE_CLASSES_MAX, i % NODE_CLASSES_MAX,
						 0 };
			const struct class_stats *class =
				class_find(g, node, hop.port, hop.traffic_class);

			hop.since_ps = class && !config->ports[hop.port].vacant
					       ? class->paused_since_ps
					       : 0;
			if (hop.since_ps && hop.since_ps <= before_ps)
				error = output_add(g, &hop);
		}
	}
	return error;
}

static bool waits_for(const struct graph *g, const struct output *from, const struct output *to)
{
	const struct port_config *port = &g->plan->nodes[from->hop.node].ports[from->hop.port];

	return port->peer_index == to->hop.node &&
	       from->waits_for[to->hop.traffic_class] >> to->hop.port & 1;
}

/* the first waiting output that @from waits for; NOT_THERE */
static uint32_t next_of(const struct graph *g, uint32_t from)
{
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->outputs[i].waits && waits_for(g, &g->outputs[from], &g->outputs[i]))
			return i;
	}
	return NOT_THERE;
}

static uint32_t waiting_find(const struct graph *g)
{
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->outputs[i].waits)
			return i;
	}
	return NOT_THERE;
}

static void leaves_drop(struct graph *g)
{
	bool dropped = true;

	while (dropped) {
		dropped = false;
		for (uint32_t i = 0; i < g->count; i++) {
			if (g->outputs[i].waits && next_of(g, i) == NOT_THERE) {
				g->outputs[i].waits = false;
				dropped = true;
			}
		}
	}
}

/* ---- cycles ---- */

/* follows the waits from @first until one comes again: that is where the cycle begins */
static int cycle_take(struct graph *g, uint32_t first, struct pause_cycles *cycles)
{
	uint32_t *path = calloc(g->count, sizeof(*path));
	uint32_t *place = calloc(g->count, sizeof(*place)); /* in the path, from 1; 0: not on it */
	struct pause_cycle *list = reallocarray(cycles->list, cycles->count + 1, sizeof(*list)),
			   cycle = { 0 };
	uint32_t length = 0, at = first;

	cycles->list = list ? list : cycles->list;
	if (path && place && list) {
		for (; !place[at]; at = next_of(g, at)) {
			path[length++] = at;
			place[at] = length;
		}
		cycle.length = length - (place[at] - 1);
		cycle.hops = calloc(cycle.length, sizeof(*cycle.hops));
	}
	for (uint32_t i = 0; cycle.hops && i < cycle.length; i++) {
		uint32_t hop = path[place[at] - 1 + i];

		cycle.hops[i] = g->outputs[hop].hop;
		cycle.since_ps = node_time_max(cycle.since_ps, cycle.hops[i].since_ps);
		g->outputs[hop].waits = false;
	}
	if (cycle.hops)
		cycles->list[cycles->count++] = cycle;
	free(path);
	free(place);
	return cycle.hops ? 0 : -ENOMEM;
}

const char *pause_cycle_describe(const struct plan *plan, const struct pause_cycle *cycle,
				 char *text, size_t text_max)
{
	const struct node_config *first = &plan->nodes[cycle->hops[0].node];
	uint32_t traffic_class = cycle->hops[0].traffic_class;
	char since[HUMAN_TEXT_MAX];
	size_t length = 0;

	for (uint32_t i = 0; i < cycle->length && length < text_max; i++) {
		if (i < HOPS_SHOWN)
			length += (size_t)snprintf(text + length, text_max - length, "%s -> ",
						   plan->nodes[cycle->hops[i].node].name);
		else if (i == HOPS_SHOWN)
			length += (size_t)snprintf(text + length, text_max - length, "%u more -> ",
						   cycle->length - HOPS_SHOWN);
	}
	if (length < text_max)
		snprintf(text + length, text_max - length,
			 "%s, class %s: each waits for the next since %s", first->name,
			 traffic_class < first->class_count ? first->classes[traffic_class].name
							    : "?",
			 human_time(cycle->since_ps, since));
	return text;
}
