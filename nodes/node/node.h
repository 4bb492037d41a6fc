/*  node - what switchd and nicd have in common: ports on links, a dataplane that is given time,
 *  tables to show.
 *
 *  The runtime (node_main.c under real processes, tests/sim in one process) drives a dataplane
 *  through node_ops only, so both run the same objects. A dataplane makes no system call, reads no
 *  clock and allocates only in create(). */
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

	/* Handles every event before @end, in the order (time, source). Never looks beyond.
	 * Return: the time of the next event, NODE_TIME_NEVER if there is none. */
	node_time_t (*run)(void *dataplane, node_time_t end);

	/* Writes table @table of port @port (-1: of all ports) in the form of show_text.h. What
	 * lasts at @now, the fabric's time, counts up to @now: the node's own last event may lie
	 * far before it.
	 * Return: 0, -ENOENT for an unknown table (the names go to @out), -EINVAL for a port that
	 * is not there. */
	int (*show)(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

	/* Changes a parameter. Under the virtual clock run(0) then knows what is due earlier.
	 * Return: 0, -ENOENT (unknown; the names go to @out), -EINVAL (bad value). */
	int (*set)(void *dataplane, const char *name, const char *value, FILE *out);

	void (*destroy)(void *dataplane);

	/* ---- switches: what the fabric manager reads and writes (table_block.h); under the
	 * virtual clock while that stands ---- */

	/* How many blocks of @table are in use: beyond them all entries are blank. */
	uint32_t (*table_blocks)(void *dataplane, enum table_kind table);

	/* Block @block->number of @block->table, one that is in use, as the dataplane goes by it
	 * now: into @block->bytes. */
	void (*table_read)(void *dataplane, struct table_block *block);

	/* All tables of @tables (borrowed) replace the present ones. Return: 0 or -ENOMEM (nothing
	 * changed). */
	int (*tables)(void *dataplane, const struct switch_config *tables);

	/* ---- links and tables that change; under the virtual clock while it stands, so that @now
	 * is that moment ---- */

	/* The link at @port is gone: whatever was on it or committed to it, or waited for it to get
	 * to its host, is lost, counted (DROP_LINK_DOWN) and reported to its flow's source (FC-17),
	 * with flow channels once link_settle() says that it is; what came in over it goes on. From
	 * now on nothing is sent or received there. A port that is down already stays so. */
	void (*link_down)(void *dataplane, uint32_t port, node_time_t now);

	/* NULL: nothing waits for it. Of what ever went over the link at @port, which has failed,
	 * only that in channels @left is in the fabric any more: what is not acknowledged of others
	 * was lost, and flows that must not overtake it go on (FC-15). */
	void (*link_settle)(void *dataplane, uint32_t port, const struct channel_set *left,
			    node_time_t now);

	/* A new link is at @port: config->ports[port] and links[port] have been set up again, its
	 * first record may be there already. Records wait until the dataplane has disposed of what
	 * the former link left. */
	void (*link_up)(void *dataplane, uint32_t port, node_time_t now);

	/* Rate, delay and losses of the link at @port are those of config->ports[port] from now
	 * on. */
	void (*link_set)(void *dataplane, uint32_t port);

	/* ---- the real clock only ---- */

	/* NICs with an attached host, else NULL: takes over its @count packet sockets,
	 * non-blocking. Return: 0 or -errno. */
	int (*host_open)(void *dataplane, const int *fds, uint32_t count);

	/* Receives from the sockets in the set *@readable while there is free buffer, stamped @now;
	 * *@readable becomes the set of those that may hold more.  Return: true if something was
	 * received. */
	bool (*host_receive)(void *dataplane, uint32_t *readable, node_time_t now);

	/* Hands the host what has arrived for it. Called at the end of every turn.
	 * Return: when to call it again at the latest, @now being the end of the turn;
	 * NODE_TIME_NEVER: all is delivered. */
	node_time_t (*host_deliver)(void *dataplane, node_time_t now);
};

#endif
