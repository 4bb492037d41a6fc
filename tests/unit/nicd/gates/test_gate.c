/*  nicd/gates/gate: each kind of gate keeps the contract of gate.h (EC-17, PG-10). */
#include <stdlib.h>

#include "nicd/gates/gate.h"
#include "tests/testing.h"

#define CLASSES 3u
#define LID 7u
#define PAUSE (50 * NODE_US)
#define FRAME 1000u
#define LENGTH_PS 1000u

static struct gate gate;
static struct flow_name name = { .source_port = 9, .fields = MATCH_ALL, .kind = FLOW_IPV4 };
static const struct flow_name other = { .source_port = 8, .fields = MATCH_ALL, .kind = FLOW_IPV4 };

/* _i: enum gate_kind */
static void gate_of(int kind)
{
	static struct node_config kept; /* the gate borrows from it */

	kept.fabric = kind == GATE_RATE ? FABRIC_PORT_GROUP : FABRIC_FLOW_CHANNEL;
	kept.class_count = CLASSES;
	kept.nic.fgfc_entries_max = 4;
	kept.port_group.ccti_increase = 2;
	kept.port_group.ccti_max = 100;
	kept.port_group.ccti_step_permille = 1000;
	kept.port_group.ccti_timer_ps = PAUSE;
	ck_assert_int_eq(gate_init(&gate, &kept), 0);
	ck_assert_int_eq(gate.kind, kind);
}

/* The flow is limited from time 0 on: it may send one packet.  Return: its key. */
static uint32_t limit(void)
{
	struct fgfc_frame frame = { .name = name, .pause_ps = PAUSE, .credit_units = 1 };
	uint32_t key;

	if (gate.kind == GATE_RATE)
		return rate_agents_on_becn(&gate.rate, LID, 0);
	ck_assert_int_eq(fgfc_gate_on_frame(&gate.fgfc, &frame, 0, &key), 0);
	return key;
}

TEST_RANGE(gate__each_kind_keeps_the_contract, GATE_FGFC, GATE_RATE + 1)
{
	struct fgfc_look look = { 0 }, free_look = { 0 };
	struct gate_flow flow = { .name = &name, .look = &look, .lid = LID };
	struct gate_flow free_flow = { .name = &other, .look = &free_look, .lid = LID + 1 };
	node_time_t now = 0;
	uint32_t key;

	gate_of(_i);
	ck_assert_uint_eq(gate_used(&gate), 0);
	ck_assert_uint_eq(gate_next_at(&gate), NODE_TIME_NEVER);
	key = limit();
	ck_assert_uint_eq(gate_used(&gate), 1);
	ck_assert_uint_eq(gate_find(&gate, &flow), key);
	ck_assert_uint_eq(gate_find(&gate, &free_flow), GATE_KEY_NONE);
	ck_assert(!gate_has_ended(&gate, key));
	ck_assert(gate_may_send(&gate, key, now));
	gate_sent(&gate, key, FRAME, LENGTH_PS, now);
	ck_assert(!gate_may_send(&gate, key, now));
	gate_wait(&gate, key);
	/* it opens without a packet or a frame, and ends */
	for (int i = 0; !gate_has_ended(&gate, key); i++) {
		ck_assert_int_lt(i, 4);
		ck_assert_uint_ne(gate_next_at(&gate), NODE_TIME_NEVER);
		now = node_time_max(now, gate_next_at(&gate));
		ck_assert_uint_eq(gate_step(&gate, now), key);
		ck_assert(gate_may_send(&gate, key, now));
	}
	ck_assert(gate_lets_all(&gate, key));
	gate_free(&gate, key);
	ck_assert_uint_eq(gate_used(&gate), 0);
	gate_fini(&gate);
}

/* flows that share a credit are released together; a delay releases one flow of each class */
TEST_RANGE(gate_lets_all__only_shared_credit, GATE_FGFC, GATE_RATE + 1)
{
	gate_of(_i);
	ck_assert_int_eq(gate_lets_all(&gate, limit()), _i == GATE_FGFC);
	gate_fini(&gate);
}

/* no two keys wait in one place, nor, with GATE_RATE, two classes */
TEST_RANGE(gate_place__separate_for_each_key, GATE_FGFC, GATE_RATE + 1)
{
	bool taken[4 * CLASSES] = { false };

	gate_of(_i);
	for (uint32_t key = 0; key < 4; key++)
		for (uint32_t c = 0; c < (_i == GATE_RATE ? CLASSES : 1); c++) {
			uint32_t place = gate_place(&gate, key, c);

			ck_assert_uint_lt(place, 4 * CLASSES);
			ck_assert(!taken[place]);
			taken[place] = true;
			ck_assert_uint_eq(gate_place_key(&gate, place), key);
		}
	ck_assert_uint_le(_i == GATE_RATE ? RATE_AGENTS_MAX * CLASSES : 4, gate_places(&gate));
	gate_fini(&gate);
}
