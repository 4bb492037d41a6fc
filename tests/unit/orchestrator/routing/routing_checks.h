/*  routing_checks - a topology, its routing, and checks of its paths: each choice of candidates
 *  arrives, and no cycle of waits is possible. */
#ifndef TESTS_UNIT_ORCHESTRATOR_ROUTING_CHECKS_H
#define TESTS_UNIT_ORCHESTRATOR_ROUTING_CHECKS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_topology.h"
#include "orchestrator/routing/routing_cycle.h"
#include "orchestrator/routing/routing_in_flight.h"
#include "orchestrator/routing/routing_minimal.h"
#include "tests/testing.h"

#define RING5                                                                                     \
	"{switches: [a, b, c, d, e], hosts: {A: a, B: b, C: c, D: d, E: e}, links: [[a, b], [b, " \
	"c], [c, d], [d, e], "                                                                    \
	"[e, a]]}"
#define DRAGONFLY \
	"{generate: dragonfly, hosts-per-switch: 2, switches-per-group: 4, global-links: 2}"

static const char *const topologies[] = {
	"{generate: leaf-spine, leaves: 3, hosts-per-leaf: 2, spines: 2}",
	"{generate: fat-tree, radix: 4}",
	DRAGONFLY,
	"{generate: hyperx, shape: [3, 3], hosts-per-switch: 1}",
	"{generate: torus, shape: [3, 3], hosts-per-switch: 1}",
	"{generate: full-mesh, switches: 5, hosts-per-switch: 1}",
	"{generate: chain, switches: 4, hosts-per-switch: 1}",
	RING5,
};

#define TOPOLOGIES (int)(sizeof(topologies) / sizeof(topologies[0]))

static struct topology topology;
static struct routing routing;
static struct why why;

static inline void tear_down(void)
{
	routing_free(&routing);
	topology_free(&topology);
}

static inline void topology_of(const char *text)
{
	char *whole = NULL;
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	struct plan plan;
	int error;

	ck_assert_int_gt(asprintf(&whole, "name: t\nrun: {duration: 1us}\ntopology: %s\n", text),
			 0);
	error = scenario_read_memory("t.yaml", whole, strlen(whole), NULL, 0, &scenario, &errors);
	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	ck_assert_int_eq(plan_topology(&plan, &topology), 0);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	free(whole);
}

static inline int make(struct routing_request request)
{
	request.lanes_max = request.lanes_max ? request.lanes_max : NODE_LANES_MAX;
	routing_free(&routing);
	return routing_make(&topology, &request, &routing, &why);
}

static inline void made(struct routing_request request)
{
	ck_assert_msg(!make(request), "%s", why.text);
}

static inline uint32_t find(const char *name)
{
	for (uint32_t i = 0; i < topology.switch_count; i++)
		if (!strcmp(topology.switches[i].name, name))
			return i;
	ck_abort_msg("no switch %s", name);
	return 0;
}

static inline void link_set(uint32_t at, uint32_t port, bool up)
{
	struct topology_port *end = &topology.switches[at].ports[port];

	end->up = up;
	topology.switches[end->peer].ports[end->peer_port].up = up;
}

static inline uint32_t candidates(const char *from, const char *to)
{
	return (uint32_t)__builtin_popcountll(routing_route(&routing, find(from), find(to))->ports);
}

/* ---- paths ---- */

/* every choice of candidates leads from @at to @to */
static inline void walk(uint32_t at, uint32_t to, uint32_t hops_left)
{
	uint64_t ports;

	if (at == to)
		return;
	ports = routing_route(&routing, at, to)->ports;
	ck_assert_msg(ports, "%s has no path to %s", topology.switches[at].name,
		      topology.switches[to].name);
	ck_assert_msg(hops_left, "the path to %s does not end", topology.switches[to].name);
	for (; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		ck_assert_msg(topology_leads_on(&topology, at, port), "%s:%u leads nowhere",
			      topology.switches[at].name, port);
		walk(topology.switches[at].ports[port].peer, to, hops_left - 1);
	}
}

/* every switch with hosts reaches all those to which it is connected, within hops_max */
static inline void all_walk(void)
{
	routing_distance_t *distances = routing_distances(&topology);
	size_t count = topology.switch_count;

	ck_assert_ptr_nonnull(distances);
	for (uint32_t from = 0; from < count; from++)
		for (uint32_t to = 0; to < count; to++) {
			if (!topology_has_hosts(&topology, from) ||
			    !topology_has_hosts(&topology, to) || from == to)
				continue;
			if (distances[to * count + from] == ROUTING_UNREACHED)
				ck_assert_msg(!routing_route(&routing, from, to)->ports,
					      "a route to a switch that is not connected");
			else
				walk(from, to,
				     routing.hops_max ? routing.hops_max : (uint32_t)count);
		}
	free(distances);
}

static inline void no_cycle_expect(void)
{
	char *cycle;

	ck_assert_int_eq(routing_cycle_find(&topology, &routing, &cycle), 0);
	ck_assert_msg(!cycle, "%s", cycle);
}

#endif
