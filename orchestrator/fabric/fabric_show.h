/*  fabric_show - a table of a node of a fabric, for `show` at a prompt and in a running fabric. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_SHOW_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_SHOW_H

#include "nodes/base/why.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/node_table.h"

#define FABRIC_SHOW_REFUSED 1 /* the node has no such table or port */

/** fabric_show() - table @name of node @node, of port @port or -1: all. Of a running fabric, or
 *  while the virtual clock is stopped. "trace" is read without the node, which may be dead.
 *  Return: 0 with @table filled, node_table_free() later; FABRIC_SHOW_REFUSED with a sentence in
 *  @why; else the error of fabric_ask(), or -ENOMEM. */
int fabric_show(struct fabric *fabric, uint32_t node, const char *name, int64_t port,
		struct node_table *table, struct why *why);

#endif
