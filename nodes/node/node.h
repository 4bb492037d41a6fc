/*  node - what switchd and nicd have in common: ports on links, a dataplane that is driven by time,
 *  tables to show.
 *
 *  The runtime (node_main.c under real processes, tests/sim in one process) drives a dataplane
 *  through node_ops only, so both run the same objects. A dataplane reads no clock and allocates
 *  only in create(). Its only system calls are those of a NIC for its attached host (host_*), and
 *  writes of captures and logs, if there are any (capture.h, page_log.h). */
#ifndef HEDDLE_NODES_NODE_NODE_H
#define HEDDLE_NODES_NODE_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/config/table_block.h"
#include "nodes/link/link.h"
#include "nodes/stats/stats.h"

struct node_ops {
	/* Builds the dataplane. @config, @links (config->port_count of them, attached) and @stats
	 * (laid out) are borrowed and outlive it. Return: NULL if memory is short. */
	void *(*create)(const struct node_config *config, struct link *links,
			struct stats_page *stats);

	/* Handles every event before @end, in the order (time, source), and none at or after it.
	 * Return: the time of the next event, NODE_TIME_NEVER if there is none. */
	node_time_t (*run)(void *dataplane, node_time_t end);

	/* Writes table @table of port @port (-1: of all ports) in the form of show_text.h. A state
	 * that lasts, such as a pause, counts up to @now, the fabric's time; the node's own last
	 * event may be far before that.
	 * Return: 0, -ENOENT for an unknown table (the names go to @out), -EINVAL for a port that
	 * is not there. */
	int (*show)(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

	/* Changes parameter @name to @value. Virtual clock: an event may be due earlier
	 * afterwards; run(0) returns its time.
	 * Return: 0, -ENOENT (unknown; the names go to @out), -EINVAL (bad value). */
	int (*set)(void *dataplane, const char *name, const char *value, FILE *out);

	void (*destroy)(void *dataplane);

	/* ---- switches: what the fabric manager reads and writes (table_block.h); virtual clock:
	 * while it is stopped ---- */

	/* How many blocks of @table are in use: beyond them all entries are blank. */
	uint32_t (*table_blocks)(void *dataplane, enum table_kind table);

	/* Fills @block->bytes with block @block->number of @block->table, which must be in use, as
	 * it is in force now. */
	void (*table_read)(void *dataplane, struct table_block *block);

	/* All tables of @tables (borrowed) replace the present ones. Return: 0 or -ENOMEM (nothing
	 * changed). */
	int (*tables)(void *dataplane, const struct switch_config *tables);

	/* ---- links and tables that change; virtual clock: while it is stopped, at @now ---- */

	/* The link at @port is down: nothing is sent or received there from now on. Packets on it,
	 * granted to it, or waiting for it because it leads to their host are lost, counted
	 * (DROP_LINK_DOWN) and reported to the sources of their flows (FC-17); with flow channels,
	 * the loss of packets that had left is reported by link_settle(). Packets that have arrived
	 * over it continue. No effect on a port that is down already. */
	void (*link_down)(void *dataplane, uint32_t port, node_time_t now);

	/* NULL: no flow waits for it. Of the packets that have crossed the failed link at @port,
	 * only those in channels @left are still in the fabric. So what other channels have
	 * unacknowledged was lost, and flows that must not overtake it continue (FC-15). */
	void (*link_settle)(void *dataplane, uint32_t port, const struct channel_set *left,
			    node_time_t now);

	/* A new link is at @port: config->ports[port] and links[port] have been set up again. Its
	 * records, the first of which may have arrived, wait until nothing of the former link is in
	 * use in the dataplane. */
	void (*link_up)(void *dataplane, uint32_t port, node_time_t now);

	/* Rate, delay and losses of the link at @port are those of config->ports[port] from now
	 * on. */
	void (*link_set)(void *dataplane, uint32_t port);

	/* ---- the real clock only ---- */

	/* NICs with an attached host, else NULL: takes over its @count packet sockets,
	 * non-blocking. Return: 0 or -errno. */
	int (*host_open)(void *dataplane, const int *fds, uint32_t count);

	/* Gives back those sockets, in @fds (NIC_HOST_QUEUES_MAX): the caller closes them. Nothing
	 * is received any more. Return: how many, also 0. */
	uint32_t (*host_release)(void *dataplane, int *fds);

	/* Receives from the sockets in the set *@readable while there is free buffer, stamped @now;
	 * *@readable becomes the set of those that may hold more.  Return: true if something was
	 * received. */
	bool (*host_receive)(void *dataplane, uint32_t *readable, node_time_t now);

	/* Delivers to the host the frames that have arrived for it. Called at the end of every
	 * turn, which is @now.
	 * Return: when to call it again at the latest; NODE_TIME_NEVER: all is delivered. */
	node_time_t (*host_deliver)(void *dataplane, node_time_t now);
};

#endif
