#include "nicd/gates/fgfc_gate.h"

#include <errno.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "nodes/base/table.h"

int fgfc_gate_init(struct fgfc_gate *gate, uint32_t entries_max)
{
	uint32_t chains = 16;

	while (chains < entries_max)
		chains *= 2;
	*gate = (struct fgfc_gate){
		.entries = table_alloc(entries_max + 1, sizeof(*gate->entries)),
		.chains = table_alloc(chains, sizeof(*gate->chains)),
		.entries_max = entries_max,
		.hash_mask = chains - 1,
		.changes = 1,
	};
	if (event_tree_init(&gate->timers, entries_max) || !gate->entries || !gate->chains) {
		fgfc_gate_fini(gate);
		return -ENOMEM;
	}
	return 0;
}

void fgfc_gate_fini(struct fgfc_gate *gate)
{
	table_free(gate->entries, gate->entries_max + 1, sizeof(*gate->entries));
	table_free(gate->chains, gate->hash_mask + 1, sizeof(*gate->chains));
	event_tree_fini(&gate->timers);
	*gate = (struct fgfc_gate){ 0 };
}

/* ---- names ---- */

static uint32_t *chain_of(const struct fgfc_gate *gate, const struct flow_name *name)
{
	return &gate->chains[XXH3_64bits(name, sizeof(*name)) & gate->hash_mask];
}

/* the entry of @name under set @set */
static uint32_t lookup(const struct fgfc_gate *gate, const struct flow_name *name, uint32_t set)
{
	for (uint32_t next = *chain_of(gate, name); next; next = gate->entries[next - 1].next)
		if (flow_name_equal(&gate->entries[next - 1].name, name) &&
		    gate->entries[next - 1].set == set)
			return next - 1;
	return FGFC_NONE;
}

uint32_t fgfc_gate_find(const struct fgfc_gate *gate, const struct flow_name *name)
{
	for (uint32_t s = 0; s < gate->sets_end; s++) {
		struct flow_name under;
		uint32_t entry;

		if (!gate->sets[s].entries)
			continue;
		if (gate->masked >> s & 1)
			under = flow_name_masked(name, gate->sets[s].match, &gate->masks[s]);
		else
			under = flow_name_under(name, gate->sets[s].match);
		entry = lookup(gate, &under, s);
		if (entry != FGFC_NONE)
			return entry;
	}
	return FGFC_NONE;
}

/* the set that @frame names its flow under, or an unused one; FGFC_SETS_MAX: all are in use */
static uint32_t set_of(const struct fgfc_gate *gate, const struct fgfc_frame *frame)
{
	uint32_t unused = FGFC_SETS_MAX;

	for (uint32_t s = 0; s < FGFC_SETS_MAX; s++) {
		const struct fgfc_set *set = &gate->sets[s];

		if (set->entries && set->match == frame->name.fields &&
		    flow_name_equal(&gate->masks[s], &frame->mask))
			return s;
		if (!set->entries && unused == FGFC_SETS_MAX)
			unused = s;
	}
	return unused;
}

/* ---- entries ---- */

/* an entry for the flow of @frame under set @set, not HELD yet; FGFC_NONE: the table is full */
static uint32_t take(struct fgfc_gate *gate, const struct fgfc_frame *frame, uint32_t set)
{
	uint32_t *chain = chain_of(gate, &frame->name), entry;

	if (gate->free) {
		entry = gate->free - 1;
		gate->free = gate->entries[entry].next;
	} else if (gate->fresh < gate->entries_max) {
		entry = gate->fresh++;
	} else {
		return FGFC_NONE;
	}
	gate->sets[set].match = frame->name.fields;
	gate->sets[set].entries++;
	gate->masks[set] = frame->mask;
	gate->masked &= ~(1u << set);
	gate->masked |= (uint32_t)flow_name_is_masked(&frame->mask) << set;
	if (set >= gate->sets_end)
		gate->sets_end = set + 1;
	gate->entries[entry] = (struct fgfc_entry){
		.name = frame->name, .next = *chain, .set = (uint8_t)set, .used = true
	};
	*chain = entry + 1;
	gate->used++;
	ENSURE(gate->used, <=, gate->entries_max);
	gate->changes++;
	return entry;
}

void fgfc_gate_free(struct fgfc_gate *gate, uint32_t entry)
{
	struct fgfc_entry *e = &gate->entries[entry];
	uint32_t *link = chain_of(gate, &e->name);

	ENSURE(e->used, ==, true);
	ENSURE(e->held, ==, false);
	ENSURE(gate->used, >, gate->held);
	ENSURE(gate->sets[e->set].entries, !=, 0u);
	while (*link != entry + 1) {
		ENSURE(*link, !=, 0u);
		link = &gate->entries[*link - 1].next;
	}
	*link = e->next;
	gate->sets[e->set].entries--;
	while (gate->sets_end && !gate->sets[gate->sets_end - 1].entries)
		gate->sets_end--;
	e->used = false;
	e->next = gate->free;
	gate->free = entry + 1;
	gate->used--;
	gate->changes++;
}

static void end(struct fgfc_gate *gate, uint32_t entry)
{
	struct fgfc_entry *e = &gate->entries[entry];

	gate->held -= e->held;
	e->held = false;
	e->credit_units = 0;
	event_tree_set(&gate->timers, entry, NODE_TIME_NEVER);
}

static void hold(struct fgfc_gate *gate, uint32_t entry, const struct fgfc_frame *frame,
		 node_time_t now)
{
	struct fgfc_entry *e = &gate->entries[entry];

	gate->held += !e->held;
	e->held = true;
	e->until_ps = now + frame->pause_ps;
	e->credit_units += frame->credit_units;
	event_tree_set(&gate->timers, entry, e->until_ps);
	ENSURE(gate->held, <=, gate->used);
}

int fgfc_gate_on_frame(struct fgfc_gate *gate, const struct fgfc_frame *frame, node_time_t now,
		       uint32_t *entry)
{
	uint32_t set = set_of(gate, frame);
	uint32_t found = set < FGFC_SETS_MAX && gate->sets[set].entries
				 ? lookup(gate, &frame->name, set)
				 : FGFC_NONE;

	if (!frame->pause_ps) {
		if (found == FGFC_NONE)
			return -ENOENT;
		end(gate, found);
	} else {
		if (found == FGFC_NONE && set < FGFC_SETS_MAX)
			found = take(gate, frame, set);
		if (found == FGFC_NONE)
			return -ENOSPC;
		hold(gate, found, frame, now);
	}
	*entry = found;
	return 0;
}

uint32_t fgfc_gate_step(struct fgfc_gate *gate, node_time_t now)
{
	uint32_t entry;

	if (fgfc_gate_next_at(gate) > now)
		return FGFC_NONE;
	entry = event_tree_first(&gate->timers);
	ENSURE(gate->entries[entry].held, ==, true);
	end(gate, entry);
	return entry;
}
