/*  managed - a node as its fabric manager sees it: what it is, what its ports lead to, the tables that it goes by (PG-11, TB-14).
 *
 *  A node answers from what it has: its ports' state from its links, its tables from the dataplane. Blocks of tables are checked before
 *  anything believes them. Those of a dataplane without node_ops.table_write are collected here and take effect together, with
 *  managed_commit(), so that no packet meets half of a change; in the others each takes effect at once, as in InfiniBand.
 *  The process (node_main.c) and tests/sim share this.                                                              */
#ifndef HEDDLE_NODES_MANAGED_H
#define HEDDLE_NODES_MANAGED_H

#include "nodes/node.h"

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

/* a table being collected: blocks as they are to be */
struct staged_table {
	uint32_t block_count;
	uint8_t *bytes;
};

struct managed {
	const struct node_config *config; /* all borrowed */
	const struct link *links;
	const struct node_ops *ops;
	void *dataplane;
	bool staging; /* a change has begun: `staged` holds all tables */
	struct staged_table staged[TABLE_KINDS];
};

void managed_init(struct managed *managed, const struct node_config *config, const struct link *links,
		  const struct node_ops *ops, void *dataplane);
void managed_fini(struct managed *managed);

/** managed_identify() - who this node is, and its ports, as they are now. */
void managed_identify(const struct managed *managed, struct node_identity *identity);

/** managed_read() - block @block->number of @block->table as it is in effect, blank beyond those in use.
 *  Return: 0; -ENOENT: there is no such table; -EINVAL: no such block; a sentence in @why.                       */
int managed_read(const struct managed *managed, struct table_block *block, char *why, unsigned why_max);

/** managed_write() - @block takes effect: at once, or with the next managed_commit().
 *  Return: 0; as table_block_check(); -ENOMEM.                                                                   */
int managed_write(struct managed *managed, const struct table_block *block, char *why, unsigned why_max);

/** managed_commit() - what was written takes effect.  Return: 0; -ENOMEM: all is as before, what was written is forgotten. */
int managed_commit(struct managed *managed);

#endif
