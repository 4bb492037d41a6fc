/*  fgfc_gate - flows of this NIC that the edge switch has paused (FGFC, EC-15..17).
 *
 *  A frame names one flow or group of flows, a pause, and credit. Until the pause ends, the flow
 *  may send its credit only. Unlike a pause of the link, it does not stop other flows of the class.
 *
 *      from    to      when
 *      (free)  HELD    a frame with a pause
 *      HELD    HELD    another frame with a pause
 *      HELD    ENDED   the pause is over, or a frame ends it
 *      ENDED   HELD    a frame with a pause
 *      ENDED   (free)  fgfc_gate_free()
 *
 *  Credit adds up, because each frame grants what was forwarded since the one before: no unit is
 *  granted twice, and none is lost with a frame that only renews the pause. The last packet may
 *  take more credit than there is; the debt is kept (as in EC-12). An entry is ENDED while older
 *  frames of its flow wait, which must be sent before newer ones.
 *
 *  Finding. A name has a set of match fields, and a mask if the edge port has one; the frame
 *  carries both (FC-2). Few such sets are in use at a time, mostly one. In each of them a name is
 *  looked up by its hash. What was found need not be looked up again while `changes` is the same.
 *
 *  Memory: entries_max entries, allocated in _init, never later. A full table is a normal state
 *  (-ENOSPC): the flow is not limited.
 *  Place: called through gate.h, and by nic_gate.c for frames. No I/O; 'now' is given, never goes
 *  back. Source: [S3 fig. 9A, 9B]. */
#ifndef HEDDLE_NICD_GATES_FGFC_GATE_H
#define HEDDLE_NICD_GATES_FGFC_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/base/event_tree.h"
#include "nodes/base/time.h"
#include "nodes/wire/fgfc_frame.h"

#define FGFC_NONE UINT32_MAX
/* in use at a time (ours): an edge port has one, with a mask one for each kind of frame, and
 * further ones after a change */
#define FGFC_SETS_MAX 8u

struct fgfc_entry {
	struct flow_name name;
	node_time_t until_ps; /* HELD: the pause ends */
	int64_t credit_units; /* HELD: may be sent; < 0: debt */
	uint64_t sent_units;  /* since it became HELD first */
	uint32_t next;        /* in its hash chain or the free list: index + 1, 0 is the end */
	uint8_t set;          /* of match fields of the name */
	bool used, held;
};

struct fgfc_set {
	uint32_t match;   /* set of enum match_field */
	uint32_t entries; /* with a name of this set; 0: the set is unused */
};

/* what was found for a name, as of which change; zeroed: it was not looked up yet */
struct fgfc_look {
	uint64_t changes;
	uint32_t entry;
};

struct fgfc_gate {
	struct fgfc_entry *entries;
	uint32_t *chains; /* by hash, like `next` */
	uint32_t entries_max, hash_mask;
	/* entries never used begin at fresh; list of those given back, like `next` */
	uint32_t fresh, free;
	uint32_t used, held; /* entries */
	uint32_t sets_end;   /* sets from here on are unused */
	uint32_t masked;     /* bit s: set s has a mask */
	uint64_t changes;    /* 1 + entries taken and given back so far */
	struct fgfc_set sets[FGFC_SETS_MAX];
	struct flow_name masks[FGFC_SETS_MAX]; /* of the sets; 0 only: whole fields */
	struct event_tree timers;              /* source: entry */
};

/** fgfc_gate_init() - an empty table of @entries_max entries (0 .. EVENT_SOURCES_MAX). Return: 0 or
 *  -ENOMEM. */
int fgfc_gate_init(struct fgfc_gate *gate, uint32_t entries_max);
void fgfc_gate_fini(struct fgfc_gate *gate);

/** fgfc_gate_on_frame() - begins, renews or ends the pause of a flow.
 *  @frame as of fgfc_frame_read(); borrowed. @entry filled if 0 is returned: HELD, or ENDED.
 *  Return: 0; -ENOSPC: the table is full, nothing changed; -ENOENT: an end of a pause that the
 *  timer has ended before. O(1). */
int fgfc_gate_on_frame(struct fgfc_gate *gate, const struct fgfc_frame *frame, node_time_t now,
		       uint32_t *entry);

/** fgfc_gate_next_at() - when the first pause ends; NODE_TIME_NEVER: there is none. O(1). */
static inline node_time_t fgfc_gate_next_at(const struct fgfc_gate *gate)
{
	return event_tree_next_at(&gate->timers);
}

/** fgfc_gate_step() - ends the first pause that is over at @now.
 *  Return: its entry, ENDED; FGFC_NONE: none is over. O(log entries). */
uint32_t fgfc_gate_step(struct fgfc_gate *gate, node_time_t now);

/** fgfc_gate_find() - the entry of the flow with the whole name @name, HELD or ENDED; FGFC_NONE: it
 *  has none. O(sets). */
uint32_t fgfc_gate_find(const struct fgfc_gate *gate, const struct flow_name *name);

/** fgfc_gate_look() - the same for a caller that keeps @look for @name: it is looked up again only
 *  after a change. */
static inline uint32_t fgfc_gate_look(const struct fgfc_gate *gate, const struct flow_name *name,
				      struct fgfc_look *look)
{
	if (look->changes != gate->changes)
		*look = (struct fgfc_look){ gate->changes, fgfc_gate_find(gate, name) };
	return look->entry;
}

/** fgfc_gate_may_send() - may the flow of @entry send a packet now? */
static inline bool fgfc_gate_may_send(const struct fgfc_gate *gate, uint32_t entry)
{
	return !gate->entries[entry].held || gate->entries[entry].credit_units > 0;
}

/** fgfc_gate_sent() - the flow of @entry, which may send, has sent a packet of @units. */
static inline void fgfc_gate_sent(struct fgfc_gate *gate, uint32_t entry, uint32_t units)
{
	ENSURE(gate->entries[entry].used, ==, true);
	if (gate->entries[entry].held) {
		ENSURE(gate->entries[entry].credit_units, >, (int64_t)0);
		gate->entries[entry].credit_units -= units;
	}
	gate->entries[entry].sent_units += units;
}

/** fgfc_gate_free() - frees @entry, which is ENDED. O(1) expected. */
void fgfc_gate_free(struct fgfc_gate *gate, uint32_t entry);

#endif
