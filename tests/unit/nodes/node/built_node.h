/*  built_node - a node of a plan for the virtual clock, with rings that no other node reads, for
 *  tests of allocations that fail: what it has around its dataplane never fails. */
#ifndef TESTS_UNIT_BUILT_NODE_H
#define TESTS_UNIT_BUILT_NODE_H

#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/dataplane.h"
#include "nodes/link/link.h"
#include "switchd/kinds/switch_kinds.h"
#include "tests/allocation.h"

static struct built {
	const struct node_ops *ops;
	struct node_config *config;
	struct stats_page *stats;
	struct link *links;
	struct ring_page **rings; /* two for each port */
} built;

static void *built_zeroed(size_t bytes)
{
	void *memory = __real_aligned_alloc(64, (bytes + 63) / 64 * 64);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, (bytes + 63) / 64 * 64);
}

/** built_begin() - all of the node of @config, borrowed, but its dataplane. */
static void built_begin(struct node_config *config)
{
	built = (struct built){
		.ops = config->kind == NODE_NIC ? &nicd_ops : switch_kinds[config->fabric],
		.config = config,
		.stats = built_zeroed(stats_bytes(config)),
		.links = built_zeroed(config->port_count * sizeof(*built.links)),
		.rings = built_zeroed(2 * config->port_count * sizeof(*built.rings))
	};
	stats_init(built.stats, config);
	for (uint32_t p = 0; p < config->port_count; p++) {
		uint32_t data_bytes = config->ports[p].ring_bytes;
		size_t bytes = ring_bytes(data_bytes);

		for (uint32_t i = 0; i < 2; i++) {
			built.rings[2 * p + i] = built_zeroed(bytes);
			ring_init(built.rings[2 * p + i], data_bytes, RING_CAPTURED_MAX);
		}
		ck_assert_int_eq(link_init(&built.links[p], config, p, built.rings[2 * p], bytes,
					   built.rings[2 * p + 1], bytes, built.stats),
				 0);
	}
}

static void built_end(void)
{
	for (uint32_t p = 0; p < built.config->port_count; p++) {
		link_fini(&built.links[p]);
		free(built.rings[2 * p]);
		free(built.rings[2 * p + 1]);
	}
	free(built.rings);
	free(built.links);
	free(built.stats);
}

#endif
