/*  PG-5, PG-9, PG-11, FC-26: a dragonfly with groups of longer paths. Its links between switches
 *  fail in turn under full load, and return.
 *
 *       |<- reaction ->|<------------- no packet is lost: checked ------------->|
 *     fails          tables              returns        tables          the next one fails
 *
 *  Until tables follow, packets without another path are lost, and so is what was on the link.
 *  After that none is lost: neither a new packet, nor one in flight on a path of the former tables,
 *  nor one that meets a link that has just returned. After each change all paths of the switches'
 *  tables are walked: each ends at its host, within the lanes, and passes no switch twice. A packet
 *  that looped all the same would use up its lanes, which is counted. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

#define STEP_US 60u
#define REACTION_US 10u /* routing.reaction */

/* for how long a link is down: up to before the next one fails, or to after it */
static const uint32_t away_us[] = { 30, 80 };

static const char dragonfly[] = "name: port-group-faults\n"
				"fabric: port-group\n"
				"run: {duration: %uus, warmup: 1us, drain: yes, drain-max: 100ms}\n"
				"links: {rate: 200Gb/s, delay: 100ns}\n"
				"topology: {generate: dragonfly, hosts-per-switch: 1, "
				"switches-per-group: 3, global-links: 1}\n"
				"port-group: {non-minimal: yes}\n"
				"workloads:\n"
				"  - {name: w, pattern: permutation, shift: 4, size: 16KiB, "
				"packet: 4096, arrival: closed, window: 4}\n";

static struct sim sim;

TEST_GROUP(faults, .timeout_s = 300);

static bool is_inside(const struct plan_link *link)
{
	return link->node_a < sim.plan.switch_count && link->node_b < sim.plan.switch_count;
}

/* a fault of each link between switches, one after the other.  Return: how many */
static uint32_t open_with_faults(uint32_t for_us)
{
	char start[1024], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	uint32_t count = 0;

	snprintf(start, sizeof(start), dragonfly, STEP_US);
	sim_open_text(&sim, start, NULL);
	for (uint32_t i = 0; i < sim.plan.link_count; i++)
		count += is_inside(&sim.plan.links[i]);
	fprintf(out, dragonfly, (count + 3) * STEP_US);
	fprintf(out, "faults:\n");
	for (uint32_t i = 0, n = 0; i < sim.plan.link_count; i++) {
		const struct plan_link *link = &sim.plan.links[i];

		if (is_inside(link))
			fprintf(out, "  - {at: %uus, for: %uus, link: [%s, %s]}\n", ++n * STEP_US,
				for_us, sim.plan.nodes[link->node_a].name,
				sim.plan.nodes[link->node_b].name);
	}
	fclose(out);
	sim_close(&sim);
	sim_open_text(&sim, text, NULL);
	free(text);
	return count;
}

/* ---- the paths of the tables ---- */

/* ports by which a packet for @lid may leave; one from a host may take members on longer paths,
 * too */
static uint64_t ports_to(const struct lid_switch *lid_switch, uint32_t lid, bool from_host)
{
	const struct port_group *tables = &lid_switch->tables;
	uint64_t ports =
		tables->lids[lid].home < NODE_PORTS_MAX ? 1ull << tables->lids[lid].home : 0;

	if (from_host || tables->lids[lid].group < PORT_GROUP_EDGE_FROM)
		ports |= port_group_members(tables, lid);
	return ports;
}

/* all paths from switch @at on, where a packet is after @hops links; @passed  set of switches */
static void walk(uint32_t at, uint32_t lid, uint32_t hops, uint64_t passed)
{
	const struct node_config *node = sim.nodes[at].config;
	uint64_t ports = ports_to(sim.nodes[at].dataplane, lid, !hops);

	ck_assert_msg(!(passed >> at & 1), "%s is passed twice on a path to LID %u", node->name,
		      lid);
	ck_assert_msg(hops <= sim.plan.routing.lanes, "%s: LID %u after %u links", node->name, lid,
		      hops);
	ck_assert_msg(ports, "%s: no port to LID %u", node->name, lid);
	for (; ports; ports &= ports - 1) {
		const struct port_config *port = &node->ports[__builtin_ctzll(ports)];

		if (port->kind == PORT_EDGE)
			ck_assert_uint_eq(port->peer_index, sim.plan.switch_count + lid - 1);
		else
			walk(port->peer_index, lid, hops + 1, passed | 1ull << at);
	}
}

static void walk_all(void)
{
	ck_assert_uint_le(sim.plan.switch_count, 64);
	for (uint32_t at = 0; at < sim.plan.switch_count; at++)
		for (uint32_t host = 0; host < sim.plan.host_count; host++)
			walk(at, host + 1, 0, 0);
}

/* ---- what is lost ---- */

static uint64_t astray(void)
{
	return sim_drops(&sim, DROP_NO_ROUTE) + sim_drops(&sim, DROP_NO_LANE) +
	       sim_drops(&sim, DROP_BAD_LID) + sim_drops(&sim, DROP_LINK_DOWN);
}

static uint64_t choices_other(void)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < sim.plan.switch_count; i++)
		for (uint32_t p = 0; p < sim.plan.nodes[i].port_count; p++)
			count += stats_port(sim.nodes[i].stats, p)->choices_other;
	return count;
}

/* up to just before @at_us no packet is lost */
static void runs_without_loss(uint32_t at_us, const char *what)
{
	uint64_t before = astray(), no_route = sim_drops(&sim, DROP_NO_ROUTE),
		 no_lane = sim_drops(&sim, DROP_NO_LANE);

	sim_run_until(&sim, at_us * NODE_US);
	ck_assert_msg(astray() == before,
		      "%s, up to %u us: %lu lost: %lu without a route, %lu without a lane", what,
		      at_us, astray() - before, sim_drops(&sim, DROP_NO_ROUTE) - no_route,
		      sim_drops(&sim, DROP_NO_LANE) - no_lane);
}

/* up to just after the change at @at_us */
static void runs_past(uint32_t at_us)
{
	sim_run_until(&sim, at_us * NODE_US + 1);
}

TEST_RANGE(every_link__in_turn, 0, sizeof(away_us) / sizeof(away_us[0]))
{
	uint32_t count = open_with_faults(away_us[_i]);

	sim.check_windows = 50;
	walk_all();
	for (uint32_t i = 0; i < count; i++) {
		const char *what = sim.plan.faults.list[i].name;
		uint32_t at_us = (i + 1) * STEP_US, tables_us = at_us + REACTION_US;

		runs_without_loss(at_us, what);
		runs_past(tables_us);
		walk_all();
		runs_without_loss(at_us + STEP_US / 2 + REACTION_US, what);
		runs_past(at_us + STEP_US / 2 + REACTION_US);
		walk_all();
	}
	runs_without_loss((count + 3) * STEP_US, "all are back");
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
	ck_assert_uint_gt(sim_drops(&sim, DROP_LINK_DOWN), 0);
	ck_assert_uint_gt(sim_drops(&sim, DROP_NO_ROUTE), 0);
	ck_assert_uint_gt(choices_other(), 1000); /* many take longer paths */
	sim_close(&sim);
}
