#include "orchestrator/generate.h"

#include <errno.h>
#include <stdlib.h>

const char *const generate_kind_name[GENERATE_KINDS] = { "star", "chain", "dumbbell", "leaf-spine", "full-mesh" };

const char *const generate_kind_about[GENERATE_KINDS] = {
	"every host on one switch",
	"switches in a row, the same number of hosts on each",
	"two switches with hosts, one link between them",
	"every leaf switch linked to every spine switch, hosts on the leaves",
	"every switch linked to every other one, the same number of hosts on each",
};

const char *const generate_count_name[GENERATE_COUNTS] = {
	"hosts", "switches", "hosts-per-switch", "hosts-per-side", "leaves", "hosts-per-leaf", "spines",
};

static const uint32_t needed[GENERATE_KINDS] = {
	[GENERATE_STAR] = 1u << GENERATE_HOSTS,
	[GENERATE_CHAIN] = 1u << GENERATE_SWITCHES | 1u << GENERATE_HOSTS_PER_SWITCH,
	[GENERATE_DUMBBELL] = 1u << GENERATE_HOSTS_PER_SIDE,
	[GENERATE_LEAF_SPINE] = 1u << GENERATE_LEAVES | 1u << GENERATE_HOSTS_PER_LEAF | 1u << GENERATE_SPINES,
	[GENERATE_FULL_MESH] = 1u << GENERATE_SWITCHES | 1u << GENERATE_HOSTS_PER_SWITCH,
};

bool generate_needs(enum generate_kind kind, enum generate_count count)
{
	return needed[kind] >> count & 1;
}

/* how many switches have hosts (they come first), and how many hosts each */
static void edge_counts(enum generate_kind kind, const uint32_t *counts, uint32_t *switches, uint32_t *hosts_each)
{
	switch (kind) {
	case GENERATE_CHAIN:
	case GENERATE_FULL_MESH:
		*switches = counts[GENERATE_SWITCHES];
		*hosts_each = counts[GENERATE_HOSTS_PER_SWITCH];
		break;
	case GENERATE_DUMBBELL:
		*switches = 2;
		*hosts_each = counts[GENERATE_HOSTS_PER_SIDE];
		break;
	case GENERATE_LEAF_SPINE:
		*switches = counts[GENERATE_LEAVES];
		*hosts_each = counts[GENERATE_HOSTS_PER_LEAF];
		break;
	default:
		*switches = 1;
		*hosts_each = counts[GENERATE_HOSTS];
		break;
	}
}

void generate_counts(enum generate_kind kind, const uint32_t *counts, uint64_t *switches, uint64_t *hosts,
		     uint64_t *links)
{
	uint32_t edge_switches, hosts_each;

	edge_counts(kind, counts, &edge_switches, &hosts_each);
	*switches = edge_switches;
	*hosts = (uint64_t)edge_switches * hosts_each;
	*links = kind == GENERATE_FULL_MESH ? (uint64_t)edge_switches * (edge_switches - 1) / 2 : edge_switches - 1;
	if (kind == GENERATE_LEAF_SPINE) {
		*switches += counts[GENERATE_SPINES];
		*links = (uint64_t)edge_switches * counts[GENERATE_SPINES];
	}
}

static void name_switch(enum generate_kind kind, uint32_t index, uint32_t leaves, char *name)
{
	if (kind == GENERATE_DUMBBELL)
		snprintf(name, NODE_NAME_MAX, "%s", index ? "right" : "left");
	else if (kind == GENERATE_LEAF_SPINE)
		snprintf(name, NODE_NAME_MAX, index < leaves ? "leaf%u" : "spine%u",
			 index < leaves ? index : index - leaves);
	else
		snprintf(name, NODE_NAME_MAX, "s%u", index);
}

/* the next link of a full mesh: to the next higher switch, or of the next lower one */
static void next_pair(uint32_t switches, uint32_t *a, uint32_t *b)
{
	if (++*b == switches)
		*b = ++*a + 1;
}

static void link_switches(enum generate_kind kind, const struct scenario_link_settings *fabric, uint32_t edge_switches,
			  struct scenario *scenario)
{
	uint32_t spines = scenario->switch_count - edge_switches, a = 0, b = 1;

	for (uint32_t i = 0; i < scenario->link_count; i++) {
		struct scenario_link *link = &scenario->links[i];

		link->switch_a = kind == GENERATE_LEAF_SPINE ? i / spines : kind == GENERATE_FULL_MESH ? a : i;
		link->switch_b = kind == GENERATE_LEAF_SPINE  ? edge_switches + i % spines
				 : kind == GENERATE_FULL_MESH ? b
							      : i + 1;
		next_pair(scenario->switch_count, &a, &b);
		link->settings = *fabric;
		link->place = scenario->topology_place;
	}
}

int generate_topology(enum generate_kind kind, const uint32_t *counts, const struct scenario_link_settings *edge,
		      const struct scenario_link_settings *fabric, struct scenario *scenario)
{
	uint32_t edge_switches, hosts_each;
	uint64_t switches, hosts, links;

	edge_counts(kind, counts, &edge_switches, &hosts_each);
	generate_counts(kind, counts, &switches, &hosts, &links);
	scenario->switches = calloc(switches, sizeof(*scenario->switches));
	scenario->hosts = calloc(hosts, sizeof(*scenario->hosts));
	scenario->links = calloc(links + 1, sizeof(*scenario->links));
	if (!scenario->switches || !scenario->hosts || !scenario->links)
		return -ENOMEM;
	scenario->switch_count = (uint32_t)switches;
	scenario->host_count = (uint32_t)hosts;
	scenario->link_count = (uint32_t)links;
	for (uint32_t i = 0; i < switches; i++) {
		name_switch(kind, i, edge_switches, scenario->switches[i].name);
		scenario->switches[i].place = scenario->topology_place;
	}
	for (uint32_t i = 0; i < hosts; i++) {
		struct scenario_host *host = &scenario->hosts[i];

		snprintf(host->name, NODE_NAME_MAX, "h%u", i);
		host->switch_index = i / hosts_each;
		host->link = *edge;
		host->place = scenario->topology_place;
	}
	link_switches(kind, fabric, edge_switches, scenario);
	return 0;
}
