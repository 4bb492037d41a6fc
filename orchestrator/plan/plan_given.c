#include "orchestrator/plan/plan_given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/suggest.h"
#include "orchestrator/plan/plan_routes.h"
#include "orchestrator/scenario/scenario_keys.h"

/* ---- from names ---- */

/* Return: index of switch @name; with @hosts also of the switch of host @name; -1 and an error */
static int64_t switch_named(const struct scenario *scenario, const struct scenario_route *route,
			    const char *name, bool hosts, struct scenario_errors *errors)
{
	int64_t found = scenario_switch_find(scenario, name),
		host = scenario_host_find(scenario, name);
	char hint[SUGGEST_BYTES_MAX + 32];

	if (found >= 0)
		return found;
	if (host >= 0 && hosts)
		return scenario->hosts[host].switch_index;
	key_name_hint(name, scenario->switches[0].name, scenario->switch_count,
		      sizeof(*scenario->switches), hint, sizeof(hint));
	if (host >= 0)
		scenario_errors_at(errors, scenario, &route->place,
				   "'%s' is a host: 'at' and 'by' of a route are switches", name);
	else
		scenario_errors_at(errors, scenario, &route->place, "there is no switch%s '%s'%s",
				   hosts ? " or host" : "", name, hint);
	return -1;
}

static bool is_linked(const struct scenario *scenario, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < scenario->link_count; i++) {
		const struct scenario_link *link = &scenario->links[i];

		if ((link->switch_a == a && link->switch_b == b) ||
		    (link->switch_a == b && link->switch_b == a))
			return true;
	}
	return false;
}

static bool is_duplicate(const struct route_said *said, uint32_t count, uint32_t at, uint32_t to)
{
	for (uint32_t i = 0; i < count; i++)
		if (said[i].at == at + 1 && said[i].to == to + 1)
			return true;
	return false;
}

/* fills @said[@count]; adds an error if the route is not possible */
static void route_resolve(const struct scenario *scenario, const struct scenario_route *route,
			  struct route_said *said, uint32_t count, struct scenario_errors *errors)
{
	int64_t at = switch_named(scenario, route, route->at, false, errors);
	int64_t to = switch_named(scenario, route, route->to, true, errors);
	int64_t by = switch_named(scenario, route, route->by, false, errors);
	const char *at_name;

	if (at < 0 || to < 0 || by < 0)
		return;
	at_name = scenario->switches[at].name;
	if (at == to)
		scenario_errors_at(
			errors, scenario, &route->place,
			"switch '%s' is the destination switch of '%s': it needs no route", at_name,
			route->to);
	else if (!is_linked(scenario, (uint32_t)at, (uint32_t)by))
		scenario_errors_at(errors, scenario, &route->place,
				   "no link leads from switch '%s' to switch '%s'", at_name,
				   scenario->switches[by].name);
	else if (is_duplicate(said, count, (uint32_t)at, (uint32_t)to))
		scenario_errors_at(errors, scenario, &route->place,
				   "switch '%s' has a route to switch '%s' already", at_name,
				   scenario->switches[to].name);
	said[count] = (struct route_said){ (uint32_t)at + 1, (uint32_t)to + 1, (uint32_t)by + 1 };
}

int plan_given_make(const struct scenario *scenario, struct plan *plan,
		    struct scenario_errors *errors)
{
	uint32_t count = scenario->routing.route_count;
	unsigned errors_before = errors->count;
	struct route_said *said;

	if (!count)
		return 0;
	said = calloc(count, sizeof(*said));
	if (!said)
		return -ENOMEM;
	plan->routes_said = said;
	for (uint32_t i = 0; i < count; i++)
		route_resolve(scenario, &scenario->routing.routes[i], said, i, errors);
	plan->routing.said = said;
	plan->routing.said_count = scenario->fabric == FABRIC_ROCE ? count : 0;
	return errors->count == errors_before ? 0 : -EINVAL;
}

/* ---- loops ---- */

struct loop_search {
	const struct plan *plan;
	uint32_t target;
	uint32_t *from;  /* by switch: the one before it; UINT32_MAX: not visited */
	uint32_t *queue; /* [switch_count] */
};

/* searches breadth first from @start along the routes to the target. Return: the last switch of a
 * loop through @start, or UINT32_MAX */
static uint32_t loop_find(const struct loop_search *search, uint32_t start)
{
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < search->plan->switch_count; i++)
		search->from[i] = UINT32_MAX;
	search->from[start] = start;
	search->queue[end++] = start;
	while (first < end) {
		uint32_t at = search->queue[first++];
		const struct node_config *node = &search->plan->nodes[at];

		for (uint64_t ports = plan_route(node, search->target)->ports; ports;
		     ports &= ports - 1) {
			uint32_t next = node->ports[__builtin_ctzll(ports)].peer_index;

			if (next == start)
				return at;
			if (next == search->target || search->from[next] != UINT32_MAX)
				continue;
			search->from[next] = at;
			search->queue[end++] = next;
		}
	}
	return UINT32_MAX;
}

/* writes the loop, from @start to @last, to the first elements of queue[]. Return: their number */
static uint32_t loop_list(const struct loop_search *search, uint32_t start, uint32_t last)
{
	uint32_t length = 0;

	for (uint32_t at = last; at != start; at = search->from[at])
		search->queue[length++] = at;
	search->queue[length++] = start;
	for (uint32_t i = 0; i < length / 2; i++) {
		uint32_t other = search->queue[i];

		search->queue[i] = search->queue[length - 1 - i];
		search->queue[length - 1 - i] = other;
	}
	return length;
}

/* Has a route before the @index-th reported this loop? Then the loop, from @last along from[],
 * leads through the switch of that route. */
static bool is_reported(const struct loop_search *search, const struct routing_request *request,
			uint32_t index, uint32_t start, uint32_t last)
{
	for (uint32_t i = 0; i < index; i++)
		for (uint32_t at = last; request->said[i].to == search->target + 1 && at != start;
		     at = search->from[at])
			if (at == request->said[i].at - 1)
				return true;
	return false;
}

int plan_loops_each(const struct plan *plan, plan_loop_fn *each, void *context)
{
	struct loop_search search = { .plan = plan,
				      .from = calloc(plan->switch_count, sizeof(*search.from)),
				      .queue = calloc(plan->switch_count, sizeof(*search.queue)) };
	int error = search.from && search.queue ? 0 : -ENOMEM, loops = 0;

	for (uint32_t i = 0; !error && i < plan->routing.said_count; i++) {
		uint32_t start = plan->routing.said[i].at - 1, last;

		search.target = plan->routing.said[i].to - 1;
		last = loop_find(&search, start);
		if (last == UINT32_MAX || is_reported(&search, &plan->routing, i, start, last))
			continue;
		each(context, search.target, search.queue, loop_list(&search, start, last));
		loops++;
	}
	free(search.from);
	free(search.queue);
	return error ? error : loops;
}

struct loop_text {
	const struct plan *plan;
	const char *label;
	FILE *out;
};

static void loop_print(void *context, uint32_t target, const uint32_t *switches, uint32_t count)
{
	const struct loop_text *text = context;
	const struct node_config *nodes = text->plan->nodes;

	fprintf(text->out, "%sto %s: ", text->label, nodes[target].name);
	for (uint32_t i = 0; i < count; i++)
		fprintf(text->out, "%s -> ", nodes[switches[i]].name);
	fprintf(text->out, "%s\n", nodes[switches[0]].name);
}

int plan_loops_print(const struct plan *plan, const char *label, FILE *out)
{
	struct loop_text text = { .plan = plan, .label = label, .out = out };

	return plan_loops_each(plan, loop_print, &text);
}
