/*  managed - a node's interface to the fabric manager: its identity, the peers at its ports, its
 *  tables (PG-11, TB-14).
 *
 *  A node answers with its present state: that of its ports from its links, its tables from the
 *  dataplane. Blocks of tables that are written are checked first. Between managed_begin() and
 *  managed_commit() they are collected here, can be read back, and take effect together, so no
 *  packet is forwarded by half of a change. Otherwise each takes effect at once, as in InfiniBand.
 *  The process (node_main.c) and tests/sim share this. */
#ifndef HEDDLE_NODES_NODE_MANAGED_H
#define HEDDLE_NODES_NODE_MANAGED_H

#include "nodes/config/switch_image.h"
#include "nodes/node/node.h"

struct port_identity {
	enum port_kind kind;
	bool plugged; /* there is a link */
	bool up;      /* ... and this end of it carries data */
	enum link_tier tier;
	uint32_t peer_index; /* the neighbour: node and port */
	uint32_t peer_port;
	uint64_t rate_bps;
};

struct node_identity {
	enum node_kind kind;
	enum fabric_kind fabric;
	char name[NODE_NAME_MAX];
	uint32_t index;
	uint32_t fabric_address;            /* switch */
	uint32_t host_index;                /* NIC */
	uint32_t table_blocks[TABLE_KINDS]; /* switch: blocks in use */
	uint32_t port_count;
	struct port_identity ports[NODE_PORTS_MAX];
};

struct managed {
	const struct node_config *config; /* all borrowed */
	const struct link *links;
	const struct node_ops *ops;
	void *dataplane;
	bool staging; /* blocks are collected: `staged` holds all tables as they are to be */
	/* memory was short: what is staged is dropped, and blocks are refused until the next
	 * managed_begin() */
	bool spoiled;
	struct switch_image staged;
};

void managed_init(struct managed *managed, const struct node_config *config,
		  const struct link *links, const struct node_ops *ops, void *dataplane);
void managed_fini(struct managed *managed);

/** managed_identify() - name and ports of this node, as they are now. */
void managed_identify(const struct managed *managed, struct node_identity *identity);

/** managed_identify_planned() - the same of a node that is not here, from its configuration: all
 *  of its ports are up, and it has no tables. */
void managed_identify_planned(const struct node_config *config, struct node_identity *identity);

/** managed_read() - block @block->number of @block->table as it is in effect, blank beyond those in
 *  use.
 *  Return: 0; -ENOENT: there is no such table; -EINVAL: no such block; a sentence in @why. */
int managed_read(const struct managed *managed, struct table_block *block, struct why *why);

/** managed_begin() - blocks are collected from now on, on top of the tables as they are. What was
 *  collected before, by a manager that did not come to its end, is forgotten. Return: 0; -ENOENT:
 *  there are no tables; -ENOMEM: whatever follows is refused. */
int managed_begin(struct managed *managed);

/** managed_write() - @block is collected, or takes effect at once.
 *  Return: 0; as table_block_check(); -ENOMEM: all is as before, and whatever follows is refused
 *  until the next managed_begin(). */
int managed_write(struct managed *managed, const struct table_block *block, struct why *why);

/** managed_read_back() - as managed_read(), of what is collected. Return: also -EINVAL: nothing
 *  is. */
int managed_read_back(const struct managed *managed, struct table_block *block, struct why *why);

/** managed_commit() - what was collected takes effect.
 *  Return: 0; -EINVAL: nothing was begun; -ENOMEM: all is as before, what was collected is
 *  forgotten. */
int managed_commit(struct managed *managed);

#endif
