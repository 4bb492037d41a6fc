/*  fgfc_gate - the flows that are held at this NIC because the edge switch asks for it (FGFC,
 *  EC-15..17).
 *
 *  A frame names one flow or group of flows, a pause and credit: until the pause ends, the flow may
 *  send its credit only; others of its traffic class go on, which is what a pause of the link
 *  cannot do.
 *
 *      (free) --frame with a pause--> HELD --pause is over, or a frame ends it--> ENDED
 *      --fgfc_gate_free()--> (free)
 *                                      ^ |                                          |
 *                                      +-+ another frame | frame with a pause: HELD again
 *                                      ^--------------------------------------------+
 *
 *  Credit adds up, because each frame gives what was forwarded since the one before: nothing is
 *  given twice, and nothing is lost with a frame that only renews the pause. The last packet may
 *  take more than there is; the debt is kept (as in EC-12). ENDED is for the caller who has kept
 *  frames of the flow, which must go before newer ones.
 *
 *  Finding. Flows are named under a set of match fields, and under a mask if the edge port has one,
 *  which the frame brings along (FC-2). Of such sets few are in use at a time, mostly one: per set
 *  in use a name is looked up by its hash. Whoever was not found need not be looked up again before
 *  `changes` has changed. Memory: entries_max entries, allocated in _init, never later; a full
 *  table is normal (-ENOSPC): the flow runs free.
 *  Place: called through gate.h, and by nic_gate.c for frames. No I/O; 'now' is given, never goes back. Source: [S3 fig. 9A,
 *  9B]. */
#ifndef HEDDLE_NICD_GATES_FGFC_GATE_H
#define HEDDLE_NICD_GATES_FGFC_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/base/event_tree.h"
#include "nodes/base/time.h"
#include "nodes/wire/fgfc_frame.h"

#define FGFC_NONE UINT32_MAX
/* in use at a time: an edge port has one, with a mask one for each kind of frame, and others after
 * a change. Ours */
#define FGFC_SETS_MAX 8u

struct fgfc_entry {
	struct flow_name name;
	node_time_t until_ps; /* HELD: the pause ends */
	int64_t credit_units; /* HELD: may be sent; < 0: sent beyond it */
	uint64_t sent_units;  /* since it was held first */
	uint32_t next;        /* in its hash chain or the free list: index + 1, 0 is the end */
	uint8_t set;          /* that it is named under */
	bool used, held;
};

struct fgfc_set {
	uint32_t match;   /* set of enum match_field */
	uint32_t entries; /* that are named under it; 0: unused */
};

struct fgfc_gate {
	struct fgfc_entry *entries;
	uint32_t *chains; /* by hash, like `next` */
	uint32_t entries_max, hash_mask;
	/* entries never used begin at fresh; list of those given back, like `next` */
	uint32_t fresh, free;
	uint32_t used, held; /* entries */
	uint32_t changes;    /* times that a flow was taken in; modulo 2^32 */
	uint32_t sets_end;   /* sets from here on are unused */
	uint32_t masked;     /* bit s: set s has a mask */
	struct fgfc_set sets[FGFC_SETS_MAX];
	struct flow_name masks[FGFC_SETS_MAX]; /* of the sets; 0 only: whole fields */
	struct event_tree timers;              /* source: entry */
};

/** fgfc_gate_init() - an empty table of @entries_max entries (0 .. EVENT_SOURCES_MAX). Return: 0 or
 *  -ENOMEM. */
int fgfc_gate_init(struct fgfc_gate *gate, uint32_t entries_max);
void fgfc_gate_fini(struct fgfc_gate *gate);

/** fgfc_gate_on_frame() - begins, renews or ends the pause of a flow.
 *  @frame as fgfc_frame_read() gave it; borrowed. @entry filled if 0 is returned: HELD, or ENDED
 *  now.
 *  Return: 0; -ENOSPC: no room, nothing changed; -ENOENT: an end for a flow that is not here (its
 *  timer was faster). O(1). */
int fgfc_gate_on_frame(struct fgfc_gate *gate, const struct fgfc_frame *frame, node_time_t now,
		       uint32_t *entry);

/** fgfc_gate_next_at() - when the first pause ends; NODE_TIME_NEVER: none is. O(1). */
static inline node_time_t fgfc_gate_next_at(const struct fgfc_gate *gate)
{
	return event_tree_next_at(&gate->timers);
}

/** fgfc_gate_step() - the pause of an entry that ends first, at or before @now, is over.
 *  Return: the entry, ENDED; FGFC_NONE: none is due. O(log entries). */
uint32_t fgfc_gate_step(struct fgfc_gate *gate, node_time_t now);

/** fgfc_gate_find() - the entry of the flow with the whole name @name, HELD or ENDED; FGFC_NONE: it
 *  is free. O(sets). */
uint32_t fgfc_gate_find(const struct fgfc_gate *gate, const struct flow_name *name);

/** fgfc_gate_may_send() - may the flow of @entry send a packet now? */
static inline bool fgfc_gate_may_send(const struct fgfc_gate *gate, uint32_t entry)
{
	return !gate->entries[entry].held || gate->entries[entry].credit_units > 0;
}

/** fgfc_gate_sent() - the flow of @entry, which may, has sent a packet of @units. */
static inline void fgfc_gate_sent(struct fgfc_gate *gate, uint32_t entry, uint32_t units)
{
	ENSURE(gate->entries[entry].used, ==, true);
	if (gate->entries[entry].held) {
		ENSURE(gate->entries[entry].credit_units, >, (int64_t)0);
		gate->entries[entry].credit_units -= units;
	}
	gate->entries[entry].sent_units += units;
}

/** fgfc_gate_free() - @entry, which is ENDED, is forgotten. O(1). */
void fgfc_gate_free(struct fgfc_gate *gate, uint32_t entry);

#endif
