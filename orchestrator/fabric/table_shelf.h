/*  table_shelf - a cache of tables of nodes, each requested once, for code that joins several. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_TABLE_SHELF_H
#define HEDDLE_ORCHESTRATOR_FABRIC_TABLE_SHELF_H

#include "orchestrator/fabric/fabric_show.h"

#define TABLE_SHELF_MAX 1024u

struct shelf_table {
	uint32_t node;
	char *name;
	struct node_table table;
};

struct table_shelf {
	struct fabric *fabric;
	uint32_t count;
	struct shelf_table *tables;
	int error; /* the first one: 0, or as fabric_show() */
	struct why why;
};

/** table_shelf_init() - no tables. @fabric borrowed, of a stopped or real clock. */
void table_shelf_init(struct table_shelf *shelf, struct fabric *fabric);
void table_shelf_free(struct table_shelf *shelf);

/** table_shelf_get() - table @name of node @node. Borrowed until table_shelf_free().
 *  Return: never NULL; an empty table after an error, which is kept in shelf->error. */
const struct node_table *table_shelf_get(struct table_shelf *shelf, uint32_t node,
					 const char *name);

#endif
