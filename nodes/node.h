/*  node - what switchd and nicd have in common: ports on links, a dataplane that is given time, tables to show.
 *
 *  The runtime (node_main.c under real processes, tests/sim in one process) drives a dataplane through node_ops only, so
 *  both run the same objects. A dataplane makes no system call, reads no clock and allocates only in create().         */
#ifndef HEDDLE_NODES_NODE_H
#define HEDDLE_NODES_NODE_H

#include <stdint.h>
#include <stdio.h>

#include "nodes/config.h"
#include "nodes/link.h"
#include "nodes/stats.h"
#include "nodes/time.h"

struct node_ops {
	/* Builds the dataplane. @config, @links (config->port_count of them, attached) and @stats (laid out) are borrowed
	 * and outlive it. Return: NULL if memory is short.                                                          */
	void *(*create)(const struct node_config *config, struct link *links, struct stats_page *stats);

	/* Handles every event before @end, in the order (time, source). Never looks beyond.
	 * Return: the time of the next event, NODE_TIME_NEVER if there is none.                                      */
	node_time_t (*run)(void *dataplane, node_time_t end);

	/* Writes table @table of port @port (-1: of all ports) as text, a header line first.
	 * Return: 0, -ENOENT for an unknown table (the names go to @out), -EINVAL for a port that is not there.      */
	int (*show)(void *dataplane, const char *table, int port, FILE *out);

	/* Changes a parameter, from the node's next event on.  Return: 0, -ENOENT (unknown; the names go to @out), -EINVAL (bad value).     */
	int (*set)(void *dataplane, const char *name, const char *value, FILE *out);

	void (*destroy)(void *dataplane);
};

/** node_main() - main() of a node process: takes its file descriptors and configuration over the control socket,
 *  joins the clock, runs until the fabric ends.  Return: the exit status.                                         */
int node_main(int argc, char **argv, enum node_kind kind, const struct node_ops *ops);

#endif
