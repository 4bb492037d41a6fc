/*  nicd/gates/fgfc_gate: which flows are paused, until when, and with how much credit (EC-16,
 *  EC-17). */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "nicd/gates/fgfc_gate.h"
#include "tests/testing.h"

#define ENTRIES 4u
#define PAUSE (50 * NODE_US)

static struct fgfc_gate gate;

static void setup(void)
{
	ck_assert_int_eq(fgfc_gate_init(&gate, ENTRIES), 0);
}

static void teardown(void)
{
	fgfc_gate_fini(&gate);
}

/* the complete name of flow @flow of a pair of hosts */
static struct flow_name name_of(uint32_t flow)
{
	return (struct flow_name){ .source_ip = { 10, 0, 0, 1 },
				   .destination_ip = { 10, 0, 0, 2 },
				   .source_port = (uint16_t)flow,
				   .destination_port = 5000,
				   .ip_protocol = 6,
				   .fields = MATCH_ALL,
				   .kind = FLOW_IPV4 };
}

static int frame(uint32_t flow, uint32_t match, node_time_t pause_ps, uint32_t credit_units,
		 node_time_t now, uint32_t *entry)
{
	struct flow_name whole = name_of(flow);
	struct fgfc_frame f = { .name = flow_name_under(&whole, match),
				.pause_ps = pause_ps,
				.credit_units = credit_units };

	*entry = FGFC_NONE;
	return fgfc_gate_on_frame(&gate, &f, now, entry);
}

static uint32_t find(uint32_t flow)
{
	struct flow_name whole = name_of(flow);

	return fgfc_gate_find(&gate, &whole);
}

TEST_GROUP(fgfc_gate, .setup = setup, .teardown = teardown);

TEST(fgfc_gate_on_frame__pauses_the_named_flow_only)
{
	uint32_t entry;

	ck_assert_uint_eq(find(7), FGFC_NONE);
	ck_assert_int_eq(frame(7, MATCH_ALL, PAUSE, 0, 0, &entry), 0);
	ck_assert_uint_eq(find(7), entry);
	ck_assert_uint_eq(find(8), FGFC_NONE);
	ck_assert(gate.entries[entry].held && !fgfc_gate_may_send(&gate, entry));
	ck_assert_uint_eq(gate.held, 1);
	ck_assert_uint_eq(gate.changes, 2);
}

/* what was found is kept, and looked up again after an entry was taken or given back */
TEST(fgfc_gate_look__follows_changes)
{
	struct flow_name whole = name_of(7);
	struct fgfc_look look = { 0 };
	uint32_t entry;

	ck_assert_uint_eq(fgfc_gate_look(&gate, &whole, &look), FGFC_NONE);
	ck_assert_int_eq(frame(7, MATCH_ALL, PAUSE, 0, 0, &entry), 0);
	ck_assert_uint_eq(fgfc_gate_look(&gate, &whole, &look), entry);
	look.entry = entry + 1; /* nothing has changed: no look at the table */
	ck_assert_uint_eq(fgfc_gate_look(&gate, &whole, &look), entry + 1);
	ck_assert_uint_eq(fgfc_gate_step(&gate, PAUSE), entry);
	fgfc_gate_free(&gate, entry);
	ck_assert_uint_eq(fgfc_gate_look(&gate, &whole, &look), FGFC_NONE);
}

TEST(fgfc_gate_on_frame__pauses_a_group_of_flows)
{
	uint32_t entry;

	ck_assert_int_eq(frame(7, MATCH_IP_PAIR, PAUSE, 0, 0, &entry), 0);
	for (uint32_t flow = 0; flow < 20; flow++)
		ck_assert_uint_eq(find(flow), entry);
}

/* FC-2: the name of flow @flow under a mask of its source port */
static int masked_frame(uint32_t flow, uint16_t port_mask, node_time_t pause_ps, node_time_t now,
			uint32_t *entry)
{
	struct flow_name whole = name_of(flow);
	struct fgfc_frame f = { .mask = { .source_port = port_mask }, .pause_ps = pause_ps };

	f.name = flow_name_masked(&whole, MATCH_PORTS, &f.mask);
	return fgfc_gate_on_frame(&gate, &f, now, entry);
}

/* FC-2, EC-16: all flows that are equal in the bits that count are paused, and no others */
TEST(fgfc_gate_on_frame__mask_pauses_all_equal_flows)
{
	uint32_t entry, again;

	ck_assert_int_eq(masked_frame(0x4207, 0xff00, PAUSE, 0, &entry), 0);
	for (uint32_t flow = 0x4200; flow < 0x4300; flow++)
		ck_assert_uint_eq(find(flow), entry);
	ck_assert_uint_eq(find(0x41ff), FGFC_NONE);
	ck_assert_uint_eq(find(0x4300), FGFC_NONE);
	ck_assert_int_eq(masked_frame(0x42ff, 0xff00, PAUSE, 1, &again), 0);
	ck_assert_uint_eq(again, entry);
	ck_assert_uint_eq(gate.used, 1);
	/* another mask, another flow */
	ck_assert_int_eq(masked_frame(0x4200, 0xf000, 0, 2, &again), -ENOENT);
	ck_assert_int_eq(masked_frame(0x4242, 0xff00, 0, 2, &again), 0);
	ck_assert_uint_eq(again, entry);
}

/* the same bytes under two masks, and without one, are three flows */
TEST(fgfc_gate_on_frame__masks_do_not_mix)
{
	uint32_t a, b, c;

	ck_assert_int_eq(masked_frame(0x4000, 0xff00, PAUSE, 0, &a), 0);
	ck_assert_int_eq(masked_frame(0x4000, 0xf000, PAUSE, 1, &b), 0);
	ck_assert_int_eq(frame(0x4000, MATCH_PORTS, PAUSE, 0, 2, &c), 0);
	ck_assert_uint_eq(gate.used, 3);
	ck_assert_uint_eq(find(0x4100), b);
	fgfc_gate_step(&gate, PAUSE);
	fgfc_gate_free(&gate, a);
	fgfc_gate_step(&gate, PAUSE + 1);
	fgfc_gate_free(&gate, b);
	ck_assert_uint_eq(find(0x4000), c);
	ck_assert_uint_eq(find(0x4100), FGFC_NONE);
}

/* credit may be overdrawn once; the debt is kept */
TEST(fgfc_gate_sent__uses_up_credit)
{
	uint32_t entry;

	frame(7, MATCH_ALL, PAUSE, 20, 0, &entry);
	ck_assert(fgfc_gate_may_send(&gate, entry));
	fgfc_gate_sent(&gate, entry, 16);
	ck_assert(fgfc_gate_may_send(&gate, entry));
	fgfc_gate_sent(&gate, entry, 16);
	ck_assert(!fgfc_gate_may_send(&gate, entry));
	ck_assert_int_eq(gate.entries[entry].credit_units, -12);
	frame(7, MATCH_ALL, PAUSE, 12, 1, &entry);
	ck_assert(!fgfc_gate_may_send(&gate, entry));
	frame(7, MATCH_ALL, PAUSE, 1, 2, &entry);
	ck_assert(fgfc_gate_may_send(&gate, entry));
	ck_assert_uint_eq(gate.entries[entry].sent_units, 32);
	ck_assert_uint_eq(gate.used, 1);
	ck_assert_uint_eq(gate.changes, 2);
}

/* a frame without credit renews the pause and changes nothing else */
TEST(fgfc_gate_on_frame__renews_the_pause)
{
	uint32_t entry;

	frame(7, MATCH_ALL, PAUSE, 20, 0, &entry);
	ck_assert_uint_eq(fgfc_gate_next_at(&gate), PAUSE);
	frame(7, MATCH_ALL, PAUSE, 0, PAUSE / 2, &entry);
	ck_assert_uint_eq(fgfc_gate_next_at(&gate), PAUSE / 2 + PAUSE);
	ck_assert_int_eq(gate.entries[entry].credit_units, 20);
	ck_assert_uint_eq(fgfc_gate_step(&gate, PAUSE), FGFC_NONE);
}

TEST(fgfc_gate_on_frame__ends_the_pause)
{
	uint32_t entry, held;

	frame(7, MATCH_ALL, PAUSE, 0, 0, &held);
	ck_assert_int_eq(frame(8, MATCH_ALL, 0, 0, 1, &entry), -ENOENT);
	ck_assert_int_eq(frame(7, MATCH_ALL, 0, 0, 2, &entry), 0);
	ck_assert_uint_eq(entry, held);
	ck_assert(!gate.entries[entry].held && fgfc_gate_may_send(&gate, entry));
	ck_assert_uint_eq(fgfc_gate_next_at(&gate), NODE_TIME_NEVER);
	ck_assert_uint_eq(find(7), entry); /* until the caller releases it */
	fgfc_gate_free(&gate, entry);
	ck_assert_uint_eq(find(7), FGFC_NONE);
	ck_assert_uint_eq(gate.used + gate.held, 0);
}

/* EC-16: a lost frame that ends the pause blocks nothing */
TEST(fgfc_gate_step__timer_ends_the_pause)
{
	uint32_t first, second;

	frame(7, MATCH_ALL, PAUSE, 0, 0, &first);
	frame(8, MATCH_ALL, PAUSE, 0, 1, &second);
	ck_assert_uint_eq(fgfc_gate_step(&gate, PAUSE - 1), FGFC_NONE);
	ck_assert_uint_eq(fgfc_gate_step(&gate, PAUSE), first);
	fgfc_gate_free(&gate, first);
	ck_assert_uint_eq(find(7), FGFC_NONE);
	ck_assert_uint_eq(find(8), second);
	ck_assert_uint_eq(fgfc_gate_step(&gate, PAUSE), FGFC_NONE);
	ck_assert_uint_eq(fgfc_gate_step(&gate, PAUSE + 1), second);
	ck_assert(!gate.entries[second].held);
}

/* Paused again before the entry of the last pause is released: the debt of that pause is
 * forgotten. */
TEST(fgfc_gate_on_frame__new_pause_forgets_the_debt)
{
	uint32_t entry, again;

	frame(7, MATCH_ALL, PAUSE, 1, 0, &entry);
	fgfc_gate_sent(&gate, entry, 16);
	frame(7, MATCH_ALL, 0, 0, 1, &entry);
	fgfc_gate_sent(&gate, entry, 16); /* needs no credit any more */
	ck_assert_int_eq(frame(7, MATCH_ALL, PAUSE, 3, 2, &again), 0);
	ck_assert_uint_eq(again, entry);
	ck_assert(gate.entries[entry].held);
	ck_assert_int_eq(gate.entries[entry].credit_units, 3);
	ck_assert_uint_eq(gate.held, 1);
}

TEST(fgfc_gate_on_frame__full_table_rejects)
{
	uint32_t entry;

	for (uint32_t flow = 0; flow < ENTRIES; flow++)
		ck_assert_int_eq(frame(flow, MATCH_ALL, PAUSE, 0, flow, &entry), 0);
	ck_assert_int_eq(frame(99, MATCH_ALL, PAUSE, 0, 9, &entry), -ENOSPC);
	ck_assert_uint_eq(find(99), FGFC_NONE);
	for (uint32_t flow = 0; flow < ENTRIES; flow++)
		ck_assert(!fgfc_gate_may_send(&gate, find(flow)));
	entry = fgfc_gate_step(&gate, PAUSE);
	fgfc_gate_free(&gate, entry);
	ck_assert_int_eq(frame(99, MATCH_ALL, PAUSE, 0, PAUSE, &entry), 0);
	ck_assert_uint_eq(find(99), entry);
	ck_assert_uint_eq(find(0), FGFC_NONE);
}

TEST(fgfc_gate_on_frame__too_many_sets_are_rejected)
{
	uint32_t entry;

	fgfc_gate_fini(&gate);
	/* space for an entry, not for a set */
	ck_assert_int_eq(fgfc_gate_init(&gate, FGFC_SETS_MAX + 1), 0);
	for (uint32_t set = 0; set < FGFC_SETS_MAX; set++)
		ck_assert_int_eq(frame(7, MATCH_PORTS | set, PAUSE, 0, set, &entry), 0);
	fgfc_gate_step(&gate, PAUSE);
	ck_assert_int_eq(frame(7, MATCH_ALL, PAUSE, 0, 0, &entry), -ENOSPC);
	fgfc_gate_free(&gate, 0);
	ck_assert_int_eq(frame(7, MATCH_ALL, PAUSE, 0, 0, &entry), 0);
}

/* many flows start and end: chains and the list of free entries stay valid */
TEST(fgfc_gate__lists_stay_valid)
{
	uint32_t entry;

	for (uint32_t i = 0; i < 1000; i++) {
		node_time_t now = i * PAUSE / 3;

		while ((entry = fgfc_gate_step(&gate, now)) != FGFC_NONE)
			fgfc_gate_free(&gate, entry);
		ck_assert_int_eq(frame(i, MATCH_ALL, PAUSE, 0, now, &entry), 0);
		ck_assert_uint_le(gate.used, 3);
		ck_assert_uint_eq(find(i), entry);
		ck_assert_uint_eq(find(i + 1), FGFC_NONE);
		if (i >= 3)
			ck_assert_uint_eq(find(i - 3), FGFC_NONE);
	}
}

/* an entry that still pauses its flow must not be released */
TEST_SIGNAL(fgfc_gate_free__of_a_paused_flow_aborts, SIGABRT)
{
	uint32_t entry;

	frame(1, MATCH_ALL, PAUSE, 0, 0, &entry);
	fgfc_gate_free(&gate, entry);
}

/* nothing may be sent without credit */
TEST_SIGNAL(fgfc_gate_sent__without_credit_aborts, SIGABRT)
{
	uint32_t entry;

	frame(1, MATCH_ALL, PAUSE, 0, 0, &entry);
	fgfc_gate_sent(&gate, entry, 1);
}
