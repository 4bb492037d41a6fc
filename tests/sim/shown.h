/*  shown - all that the nodes of a fabric show of themselves, and the blocks of their tables. */
#ifndef HEDDLE_TESTS_SIM_SHOWN_H
#define HEDDLE_TESTS_SIM_SHOWN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

#define NODES_SHOWN 24u /* of a large fabric, switches come first */

/* the blocks of all tables that the fabric manager may read of the switch */
static inline void blocks_show(const struct sim_node *node, FILE *out)
{
	for (unsigned kind = 0; node->ops->table_blocks && kind < TABLE_KINDS; kind++) {
		struct table_block block = { .table = (enum table_kind)kind };
		uint32_t count;

		if (!table_of_fabric(node->config->fabric, block.table))
			continue;
		count = node->ops->table_blocks(node->dataplane, block.table);
		fprintf(out, "# %s %s %u\n", node->config->name, table_kind_name[kind], count);
		for (block.number = 0; block.number < count; block.number++) {
			node->ops->table_read(node->dataplane, &block);
			fwrite(block.bytes, 1, sizeof(block.bytes), out);
		}
	}
}

/* all that the node shows: each table that it names if it is asked for one that it does not have */
static inline void node_show(const struct sim *sim, const struct sim_node *node, FILE *out)
{
	char *names = NULL, *rest;
	size_t length;
	FILE *list = open_memstream(&names, &length);

	ck_assert_int_eq(node->ops->show(node->dataplane, "", -1, sim->limit_ps, list), -ENOENT);
	fclose(list);
	rest = names;
	for (char *name; (name = strsep(&rest, " \n"));) {
		if (!name[0] || !strcmp(name, "trace")) /* of the page, shown by the orchestrator */
			continue;
		fprintf(out, "# %s %s\n", node->config->name, name);
		ck_assert_int_eq(node->ops->show(node->dataplane, name, -1, sim->limit_ps, out), 0);
	}
	free(names);
}

/** sim_show() - writes to @out what the first NODES_SHOWN nodes show, at the time where @sim is. */
static inline void sim_show(const struct sim *sim, FILE *out)
{
	for (uint32_t i = 0; i < sim->plan.node_count && i < NODES_SHOWN; i++) {
		node_show(sim, &sim->nodes[i], out);
		blocks_show(&sim->nodes[i], out);
	}
}

#endif
