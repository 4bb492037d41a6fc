/*  gate - whether a flow may send now: one interface for all that stops single flows at a NIC.
 *
 *  Each kind keeps state for keys, and several flows may share a key:
 *
 *      GATE_FGFC  flows that the edge switch has named (EC-17). Key: entry of fgfc_gate.h. Its
 *                 flows share its credit, so all of them return to their rings when credit comes
 *      GATE_RATE  destinations that have sent BECN (PG-10). Key: agent of rate_agent.h. A packet
 *                 closes it until the delay after the packet is over, so one flow of each class
 *                 returns then
 *
 *  A transport (transport.h) is the gate of its own flows: its window and its pacing. It has the
 *  same functions, transport_settle() in the place of _may_send(), and no key: a flow that may not
 *  send leaves its ring and returns on its own.
 *
 *      find      the key of a flow; GATE_KEY_NONE: nothing limits it
 *      may_send  may a flow of the key send a packet now?
 *      sent      a flow of the key has sent a packet
 *      next_at   when the state of a key changes without a packet or a frame ...
 *      step      ... and that it does
 *
 *  Flows of a closed key wait at places of their own (gate_place()), so they do not delay others of
 *  their class. Which flows wait there is the owner's: nic_gate.h. It calls gate_wait() for a
 *  closed key that something waits for, and gate_free() for an ended one that nothing waits for.
 *  The kind follows from the fabric, and a NIC has one such gate. All functions are inline and
 *  choose by kind, so a packet costs no indirect call. */
#ifndef HEDDLE_NICD_GATES_GATE_H
#define HEDDLE_NICD_GATES_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/gates/fgfc_gate.h"
#include "nicd/gates/rate_agent.h"
#include "nodes/base/units.h"

#define GATE_KEY_NONE UINT32_MAX

enum gate_kind {
	GATE_FGFC,
	GATE_RATE,
};

struct gate {
	enum gate_kind kind;
	uint32_t places_each;    /* places of a key: one, or one for each traffic class */
	struct fgfc_gate fgfc;   /* GATE_FGFC */
	struct rate_agents rate; /* GATE_RATE */
};

/* what a gate knows a flow by */
struct gate_flow {
	const struct flow_name *name; /* GATE_FGFC: its whole name, */
	struct fgfc_look *look;       /* and what was found for it; filled */
	uint32_t lid;                 /* GATE_RATE: its destination */
};

/** gate_init() - no flow is limited.  Return: 0 or -ENOMEM; gate_fini() is due in any case. */
static inline int gate_init(struct gate *gate, const struct node_config *config)
{
	if (config->fabric == FABRIC_PORT_GROUP) {
		*gate = (struct gate){ .kind = GATE_RATE, .places_each = config->class_count };
		return rate_agents_init(&gate->rate, &config->port_group);
	}
	*gate = (struct gate){ .kind = GATE_FGFC, .places_each = 1 };
	return fgfc_gate_init(&gate->fgfc, config->nic.fgfc_entries_max);
}

static inline void gate_fini(struct gate *gate)
{
	if (gate->kind == GATE_FGFC)
		fgfc_gate_fini(&gate->fgfc);
	else
		rate_agents_fini(&gate->rate);
}

/** gate_places() - number of places of all keys. */
static inline uint32_t gate_places(const struct gate *gate)
{
	return gate->kind == GATE_FGFC ? gate->fgfc.entries_max
				       : RATE_AGENTS_MAX * gate->places_each;
}

/** gate_place() - where flows of @key and @traffic_class wait.  gate_place_key() - the reverse. */
static inline uint32_t gate_place(const struct gate *gate, uint32_t key, uint32_t traffic_class)
{
	return key * gate->places_each + (gate->places_each == 1 ? 0 : traffic_class);
}

static inline uint32_t gate_place_key(const struct gate *gate, uint32_t place)
{
	return place / gate->places_each;
}

/** gate_used() - keys that limit a flow at present. */
static inline uint32_t gate_used(const struct gate *gate)
{
	return gate->fgfc.used | gate->rate.used; /* one of them is never used */
}

/** gate_find() - the key that limits @flow; GATE_KEY_NONE: it may send. For callers that found
 *  gate_used(). O(1) expected. */
static inline uint32_t gate_find(const struct gate *gate, const struct gate_flow *flow)
{
	return gate->kind == GATE_FGFC ? fgfc_gate_look(&gate->fgfc, flow->name, flow->look)
				       : rate_agents_find(&gate->rate, flow->lid);
}

/** gate_may_send() - may a flow of @key, which is in use, send a packet at @now? O(1). */
static inline bool gate_may_send(const struct gate *gate, uint32_t key, node_time_t now)
{
	return gate->kind == GATE_FGFC ? fgfc_gate_may_send(&gate->fgfc, key)
				       : rate_agents_may_send(&gate->rate, key, now);
}

/** gate_sent() - a flow of @key has sent a packet at @now, of @frame_bytes without FCS, that takes
 *  the link for @length_ps. O(1). */
static inline void gate_sent(struct gate *gate, uint32_t key, uint32_t frame_bytes,
			     node_time_t length_ps, node_time_t now)
{
	if (gate->kind == GATE_FGFC)
		fgfc_gate_sent(&gate->fgfc, key, units_of_bytes(frame_bytes));
	else
		rate_agents_sent(&gate->rate, key, length_ps, now);
}

/** gate_next_at() - when to call gate_step(); NODE_TIME_NEVER: no key waits for a time. O(1). */
static inline node_time_t gate_next_at(const struct gate *gate)
{
	return gate->kind == GATE_FGFC ? fgfc_gate_next_at(&gate->fgfc)
				       : rate_agents_next_at(&gate->rate);
}

/** gate_step() - what is due first at @now, which is not before gate_next_at().
 *  Return: the key whose state has changed. O(log keys). */
static inline uint32_t gate_step(struct gate *gate, node_time_t now)
{
	return gate->kind == GATE_FGFC ? fgfc_gate_step(&gate->fgfc, now)
				       : rate_agents_step(&gate->rate, now);
}

/** gate_has_ended() - true if @key no longer limits its flows. It may be kept for frames that wait.
 */
static inline bool gate_has_ended(const struct gate *gate, uint32_t key)
{
	return gate->kind == GATE_FGFC ? !gate->fgfc.entries[key].held
				       : !gate->rate.agents[key].index;
}

/** gate_lets_all() - true if all flows that wait for @key, which may send, return to their rings;
 *  false: only one of each class does. */
static inline bool gate_lets_all(const struct gate *gate, uint32_t key)
{
	return gate->kind == GATE_FGFC || gate_has_ended(gate, key);
}

/** gate_wait() - something waits for @key, which is closed: gate_step() when it opens. O(log
 *  keys). */
static inline void gate_wait(struct gate *gate, uint32_t key)
{
	if (gate->kind == GATE_RATE)
		rate_agents_wait(&gate->rate, key);
}

/** gate_free() - @key, which has ended, is in use no longer. O(1). */
static inline void gate_free(struct gate *gate, uint32_t key)
{
	if (gate->kind == GATE_FGFC)
		fgfc_gate_free(&gate->fgfc, key);
	else
		rate_agents_free(&gate->rate, key);
}

#endif
