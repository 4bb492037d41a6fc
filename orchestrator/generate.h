/*  generate - topologies that a rule describes better than a list: star, chain, dumbbell, leaf-spine, full mesh
 *  (TB-11).
 *
 *  Hosts are h0, h1, ... in the order of their switches. Switches: star 's0'; chain 's0', 's1', ...; dumbbell 'left',
 *  'right'; leaf-spine 'leaf0', ... then 'spine0', ..., every leaf linked to every spine, in the leaves' order;
 *  full-mesh 's0', 's1', ..., every one linked to every other, in the order of the lower one.                        */
#ifndef HEDDLE_ORCHESTRATOR_GENERATE_H
#define HEDDLE_ORCHESTRATOR_GENERATE_H

#include "orchestrator/scenario.h"

enum generate_kind {
	GENERATE_STAR,
	GENERATE_CHAIN,
	GENERATE_DUMBBELL,
	GENERATE_LEAF_SPINE,
	GENERATE_FULL_MESH,
	GENERATE_KINDS
};

enum generate_count {
	GENERATE_HOSTS,
	GENERATE_SWITCHES,
	GENERATE_HOSTS_PER_SWITCH,
	GENERATE_HOSTS_PER_SIDE,
	GENERATE_LEAVES,
	GENERATE_HOSTS_PER_LEAF,
	GENERATE_SPINES,
	GENERATE_COUNTS
};

extern const char *const generate_kind_name[GENERATE_KINDS];
extern const char *const generate_count_name[GENERATE_COUNTS]; /* as a scenario's key: "hosts-per-leaf" */
extern const char *const generate_kind_about[GENERATE_KINDS];

/** generate_needs() - does @kind need @count? It takes no others. */
bool generate_needs(enum generate_kind kind, enum generate_count count);

/** generate_counts() - how many nodes and links of @kind with @counts; 64 bits, so that absurd counts can be told.
 *  @counts  [GENERATE_COUNTS], each at least 1 where needed and at most NODE_COUNT_MAX.                          */
void generate_counts(enum generate_kind kind, const uint32_t *counts, uint64_t *switches, uint64_t *hosts,
		     uint64_t *links);

/** generate_topology() - fills switches, hosts and links of @scenario, which has none.
 *  @edge, @fabric  what its links are like.   Return: 0 or -ENOMEM.                                             */
int generate_topology(enum generate_kind kind, const uint32_t *counts, const struct scenario_link_settings *edge,
		      const struct scenario_link_settings *fabric, struct scenario *scenario);

#endif
