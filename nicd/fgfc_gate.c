#include "nicd/fgfc_gate.h"

#include <errno.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int fgfc_gate_init(struct fgfc_gate *gate, uint32_t entries_max)
{
	uint32_t chains = 16;

	while (chains < entries_max)
		chains *= 2;
	*gate = (struct fgfc_gate){
		.entries = calloc(entries_max + 1, sizeof(*gate->entries)),
		.chains = calloc(chains, sizeof(*gate->chains)),
		.entries_max = entries_max,
		.hash_mask = chains - 1,
	};
	if (event_tree_init(&gate->timers, entries_max) || !gate->entries || !gate->chains) {
		fgfc_gate_fini(gate);
		return -ENOMEM;
	}
	return 0;
}

void fgfc_gate_fini(struct fgfc_gate *gate)
{
	free(gate->entries);
	free(gate->chains);
	event_tree_fini(&gate->timers);
	*gate = (struct fgfc_gate){ 0 };
}

/* ---- names ---- */

static uint32_t *chain_of(const struct fgfc_gate *gate, const struct flow_name *name)
{
	return &gate->chains[XXH3_64bits(name, sizeof(*name)) & gate->hash_mask];
}

/* the entry of exactly this name */
static uint32_t lookup(const struct fgfc_gate *gate, const struct flow_name *name)
{
	for (uint32_t next = *chain_of(gate, name); next; next = gate->entries[next - 1].next)
		if (flow_name_equal(&gate->entries[next - 1].name, name))
			return next - 1;
	return FGFC_NONE;
}

uint32_t fgfc_gate_find(const struct fgfc_gate *gate, const struct flow_name *name)
{
	for (uint32_t s = 0; gate->used && s < FGFC_SETS_MAX; s++) {
		struct flow_name under;
		uint32_t entry;

		if (!gate->sets[s].entries)
			continue;
		under = flow_name_under(name, gate->sets[s].match);
		entry = lookup(gate, &under);
		if (entry != FGFC_NONE)
			return entry;
	}
	return FGFC_NONE;
}

/* the place of the set @match, an unused one if it has none; NULL: too many are in use */
static struct fgfc_set *set_of(struct fgfc_gate *gate, uint32_t match)
{
	struct fgfc_set *unused = NULL;

	for (uint32_t s = 0; s < FGFC_SETS_MAX; s++) {
		struct fgfc_set *set = &gate->sets[s];

		if (set->entries && set->match == match)
			return set;
		if (!set->entries)
			unused = set;
	}
	return unused;
}

/* ---- entries ---- */

/* an entry for @name, not HELD yet; FGFC_NONE: there is no room */
static uint32_t take(struct fgfc_gate *gate, const struct flow_name *name)
{
	struct fgfc_set *set = set_of(gate, name->fields);
	uint32_t *chain = chain_of(gate, name), entry;

	if (!set)
		return FGFC_NONE;
	if (gate->free) {
		entry = gate->free - 1;
		gate->free = gate->entries[entry].next;
	} else if (gate->fresh < gate->entries_max) {
		entry = gate->fresh++;
	} else {
		return FGFC_NONE;
	}
	set->match = name->fields;
	set->entries++;
	gate->entries[entry] = (struct fgfc_entry){ .name = *name, .next = *chain, .used = true };
	*chain = entry + 1;
	gate->used++;
	gate->changes++;
	return entry;
}

void fgfc_gate_free(struct fgfc_gate *gate, uint32_t entry)
{
	struct fgfc_entry *e = &gate->entries[entry];
	uint32_t *link = chain_of(gate, &e->name);

	while (*link != entry + 1)
		link = &gate->entries[*link - 1].next;
	*link = e->next;
	set_of(gate, e->name.fields)->entries--;
	e->used = false;
	e->next = gate->free;
	gate->free = entry + 1;
	gate->used--;
}

static void end(struct fgfc_gate *gate, uint32_t entry)
{
	struct fgfc_entry *e = &gate->entries[entry];

	gate->held -= e->held;
	e->held = false;
	e->credit_units = 0;
	event_tree_set(&gate->timers, entry, NODE_TIME_NEVER);
}

static void hold(struct fgfc_gate *gate, uint32_t entry, const struct fgfc_frame *frame, node_time_t now)
{
	struct fgfc_entry *e = &gate->entries[entry];

	gate->held += !e->held;
	e->held = true;
	e->until_ps = now + frame->pause_ps;
	e->credit_units += frame->credit_units;
	event_tree_set(&gate->timers, entry, e->until_ps);
}

int fgfc_gate_on_frame(struct fgfc_gate *gate, const struct fgfc_frame *frame, node_time_t now, uint32_t *entry)
{
	uint32_t found = lookup(gate, &frame->name);

	if (!frame->pause_ps) {
		if (found == FGFC_NONE)
			return -ENOENT;
		end(gate, found);
	} else {
		if (found == FGFC_NONE)
			found = take(gate, &frame->name);
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
	end(gate, entry);
	return entry;
}
