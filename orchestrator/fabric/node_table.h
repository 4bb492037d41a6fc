/*  node_table - a table of a node, read from what the node writes (nodes/node/show_text.h): nodes
 *  and hosts have names instead of numbers, ports have their peers.
 *
 *  As text for people it has aligned columns. As JSON it is an object with "node", "table", what is
 *  said of the whole table, and "rows", a list of objects with the names of the columns as keys.
 *  Both have the same names and units; JSON has no rounding, and null where text has "-".
 *  A node may write anything: what is no table is text in a single column. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_NODE_TABLE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_NODE_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"

#define NODE_TABLE_COLUMNS_MAX 48u
#define NODE_TABLE_FACTS_MAX 16u
#define NODE_TABLE_DIGITS 15 /* for JSON_REAL_PRECISION(): microseconds have six after the point */

struct node_column {
	char name[48];
	unsigned kind; /* of node_table.c */
};

struct node_fact {
	struct node_column column;
	char *cell;
};

struct node_table {
	uint32_t column_count, row_count, fact_count;
	struct node_column columns[NODE_TABLE_COLUMNS_MAX];
	struct node_fact facts[NODE_TABLE_FACTS_MAX];
	char **cells; /* [row_count * column_count]; NULL: no value */
	uint32_t cells_max;
};

/** node_table_read() - the table that node @node of @plan has written as @text, which is changed.
 *  Return: 0 with @table filled, node_table_free() later; or -ENOMEM. O(length). */
int node_table_read(const struct plan *plan, uint32_t node, char *text, struct node_table *table);
void node_table_free(struct node_table *table);

/** node_table_trace() - the last trace records of node @node, from its statistics page, which is
 *  not trusted. The same return. */
int node_table_trace(const struct plan *plan, uint32_t node, const struct stats_page *page,
		     struct node_table *table);

/** node_table_print() - for people. */
void node_table_print(const struct node_table *table, FILE *out);

/** node_table_json() - for programs: table @name of node @node.  Return: NULL if memory is
 *  short. */
json_t *node_table_json(const struct node_table *table, const char *node, const char *name);

/** node_table_cell() - the cell of @column in row @row, with names instead of numbers of nodes, in
 *  the unit of the node; NULL: no value, or no such column. Borrowed. O(columns). */
const char *node_table_cell(const struct node_table *table, uint32_t row, const char *column);

/** node_table_number() - the same as a number; 0: it is none. */
int64_t node_table_number(const struct node_table *table, uint32_t row, const char *column);

#endif
