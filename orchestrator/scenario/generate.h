/*  generate - topologies that a rule describes better than a list (TB-11).
 *
 *  Hosts are h0, h1, ... in the order of their switches; switches with hosts come first.
 *      star        's0'
 *      chain       's0', 's1', ... in a row
 *      dumbbell    'left', 'right'
 *      leaf-spine  'leaf0', ..., 'spine0', ...: every leaf linked to every spine
 *      full-mesh   's0', ...: every one linked to every other
 *      fat-tree    three levels of switches with `radix` = k ports each: k pods of k/2 edge
 *                  switches 'p0e0', ... with k/2 hosts each and k/2 aggregation switches 'p0a0',
 *                  ...; (k/2)^2 core switches 'c0', ...; aggregation switch i of each pod is linked
 *                  to core switches i k/2 .. (i + 1) k/2 - 1 [Al-Fares et al. 2008]. `taper` = t:
 *                  an edge switch has only k/(2 t) links up, a t-th of its hosts, and there are t
 *                  times fewer aggregation and core switches
 *      dragonfly   groups of a switches 'g0s0', ..., all linked to each other, with p hosts and h
 *                  links to other groups each; at most a h + 1 groups; link j of a group goes to
 *                  the j-th of the other groups [Kim et al. 2008]. With fewer groups there are
 *                  several links between two
 *      hyperx      switches 's0.0', ... on a grid, each linked to all that differ in one
 *                  coordinate [Ahn et al. 2009]
 *      torus       switches on a grid that wraps around, each linked to the adjacent ones */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_GENERATE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_GENERATE_H

#include "orchestrator/scenario/scenario.h"

/* one row for each kind: constant, name in a scenario, explanation for `heddle gen` */
#define GENERATE_KIND_ROWS(ROW)                                                                   \
	ROW(STAR, "star", "every host on one switch")                                             \
	ROW(CHAIN, "chain", "switches in a row, the same number of hosts on each")                \
	ROW(DUMBBELL, "dumbbell", "two switches with hosts, one link between them")               \
	ROW(LEAF_SPINE, "leaf-spine",                                                             \
	    "every leaf switch linked to every spine switch, hosts on the leaves")                \
	ROW(FULL_MESH, "full-mesh",                                                               \
	    "every switch linked to every other one, the same number of hosts on each")           \
	ROW(FAT_TREE, "fat-tree", "three levels of switches with so many ports, radix^3/4 hosts") \
	ROW(DRAGONFLY, "dragonfly",                                                               \
	    "groups of switches, all linked within a group, and every group to every other one")  \
	ROW(HYPERX, "hyperx",                                                                     \
	    "switches on a grid, each linked to all in its row, its column, ...")                 \
	ROW(TORUS, "torus",                                                                       \
	    "switches on a grid that wraps around, each linked to the adjacent ones")

#define GENERATE_KIND_CONSTANT(constant, name, about) GENERATE_##constant,
enum generate_kind { GENERATE_KIND_ROWS(GENERATE_KIND_CONSTANT) GENERATE_KINDS };

enum generate_count {
	GENERATE_HOSTS,
	GENERATE_SWITCHES,
	GENERATE_HOSTS_PER_SWITCH,
	GENERATE_HOSTS_PER_SIDE,
	GENERATE_LEAVES,
	GENERATE_HOSTS_PER_LEAF,
	GENERATE_SPINES,
	GENERATE_RADIX,
	GENERATE_TAPER, /* 0: 1 */
	GENERATE_SWITCHES_PER_GROUP,
	GENERATE_GLOBAL_LINKS, /* of a switch */
	GENERATE_GROUPS,       /* 0: as many as possible */
	GENERATE_COUNTS
};

#define GENERATE_DIMENSIONS_MAX 6u

struct generate_size {
	uint32_t counts[GENERATE_COUNTS];
	uint32_t dimensions; /* of hyperx and torus */
	uint32_t shape[GENERATE_DIMENSIONS_MAX];
};

extern const char *const generate_kind_name[GENERATE_KINDS];
/* as a scenario's key: "hosts-per-leaf" */
extern const char *const generate_count_name[GENERATE_COUNTS];
extern const char *const generate_kind_about[GENERATE_KINDS];

/** generate_takes(), generate_needs() - true if @kind accepts, or requires, the number @count. */
bool generate_takes(enum generate_kind kind, enum generate_count count);
bool generate_needs(enum generate_kind kind, enum generate_count count);

/** generate_has_shape() - true if @kind is a grid with a shape. */
bool generate_has_shape(enum generate_kind kind);

/** generate_has_groups() - true if @kind has links of tier global. */
bool generate_has_groups(enum generate_kind kind);

/** generate_check() - checks whether the numbers of @size fit together. Each number that @kind
 *  needs is 1 to NODE_COUNT_MAX, also in the shape.  Return: NULL: they do; else a sentence. */
const char *generate_check(enum generate_kind kind, const struct generate_size *size);

/* of nodes and links; 64 bits, so that absurd sizes can be reported */
struct generate_totals {
	uint64_t switches, hosts, links;
};

/** generate_totals() - the numbers of nodes and links of @kind with a @size that generate_check()
 *  accepts. */
struct generate_totals generate_totals(enum generate_kind kind, const struct generate_size *size);

/** generate_topology() - fills switches, hosts and links of @scenario, which has none.
 *  @edge, @fabric, @global  settings of its links: to hosts, between switches, between groups.
 *  Return: 0 or -ENOMEM. */
int generate_topology(enum generate_kind kind, const struct generate_size *size,
		      const struct link_config *edge, const struct link_config *fabric,
		      const struct link_config *global, struct scenario *scenario);

#endif
