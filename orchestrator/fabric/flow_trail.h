/*  flow_trail - `show flow A B`: the flows from one host to another, hop by hop: where their bytes
 *  wait, and what for (SE-8).
 *
 *  It joins tables of the nodes on the path (docs/tables.md), whatever the kind of fabric:
 *      flow channels  a row of `efct` is a flow; `ofct` has the id under which the next switch has
 *                     it in `ifct`. The tables say what waits and what is not acknowledged.
 *      port-group     `lft` has the port; `waiting` whose packets are in its queue; `lanes` credit
 *      roce           the switch computes the output from the flow's headers (SWITCH_SHOW_OUTPUT);
 *                     `waiting`, `pfc`
 *  In a fabric of kind roce the headers of a program's flow are not known: where several ports lead
 *  to the destination, all of them are followed.
 *  Under the virtual clock all rows are of one moment; under the real one tables are read one after
 *  the other. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FLOW_TRAIL_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FLOW_TRAIL_H

#include <stdbool.h>

#include "nodes/base/why.h"
#include "orchestrator/fabric/fabric.h"

#define FLOW_TRAIL_BLOCKS_MAX 256u
#define FLOW_TRAIL_PORT_NONE (-1)

struct flow_trail_hop {
	uint32_t node;
	int64_t in_port, out_port; /* FLOW_TRAIL_PORT_NONE: none, or not known */
	int64_t in_id, out_id;     /* flow channels there; -1: none */
	uint64_t waiting_bytes;
	int64_t unacknowledged_bytes; /* -1: not known at this place */
	char held_by[160];            /* "": nothing waits */
};

/* one flow */
struct flow_trail_block {
	char workload[NODE_NAME_MAX]; /* "": it is no workload's, or several share it */
	char traffic_class[NODE_NAME_MAX];
	int64_t slot; /* at its source; -1: not one alone */
	char note[160];
	uint32_t hop_count, hops_max;
	struct flow_trail_hop *hops;
};

struct flow_trail {
	const struct plan *plan;
	uint32_t from, to; /* nodes */
	uint32_t block_count;
	bool cut; /* there are more than FLOW_TRAIL_BLOCKS_MAX */
	struct flow_trail_block *blocks;
};

/** flow_trail_find() - the flows from host @from to host @to of @fabric, whose clock is stopped or
 *  real.
 *  Return: 0 with @trail filled; FABRIC_SHOW_REFUSED with a sentence in @why: no such host, no such
 *  flow; else as fabric_show(). flow_trail_free() is due in any case. */
int flow_trail_find(struct fabric *fabric, const char *from, const char *to,
		    struct flow_trail *trail, struct why *why);
void flow_trail_free(struct flow_trail *trail);

#endif
