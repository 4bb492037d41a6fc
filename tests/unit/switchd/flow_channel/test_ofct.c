/*  switchd/flow_channel/ofct: the channels of a link, allocated by its sender, and the return path
 *  of ACKs (FC-5, FC-8, FC-9, FC-14). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/config/config.h"
#include "switchd/flow_channel/ifct.h"
#include "switchd/flow_channel/ofct.h"
#include "tests/testing.h"

#define CHANNELS 16u
#define SOMEWHERE 7u

static struct ofct ofct;
static uint32_t towards[OFCT_DESTINATIONS];

static void setup(void)
{
	memset(towards, 0, sizeof(towards));
	ck_assert_int_eq(ofct_init(&ofct, CHANNELS, 1, towards, 1, NULL), 0);
}

static void teardown(void)
{
	ofct_fini(&ofct);
}

/* a channel with @units in flight */
static int open_channel(uint32_t input_port, uint32_t flow_id, uint32_t units)
{
	int id = ofct_lookup(&ofct, input_port, flow_id, 0);

	if (id >= 0)
		ofct_send(&ofct, (uint32_t)id, units, SOMEWHERE);
	return id;
}

TEST_GROUP(ofct, .setup = setup, .teardown = teardown);

TEST(ofct_init__all_free)
{
	ck_assert_uint_eq(ofct.used, 0);
	ck_assert_uint_eq(ofct.channels, CHANNELS);
}

/* FC-8: the key is the input port and the flow_id there, both of them */
TEST(ofct_lookup__port_and_flow_id_are_the_key)
{
	int a = open_channel(0, 5, 1), b = open_channel(1, 5, 1), c = open_channel(0, 6, 1);

	ck_assert(a != b && b != c && a != c);
	ck_assert_int_eq(ofct_lookup(&ofct, 0, 5, 0), a);
	ck_assert_int_eq(ofct_lookup(&ofct, 1, 5, 0), b);
	ck_assert_int_eq(ofct_lookup(&ofct, 0, 6, 0), c);
	ck_assert_uint_eq(ofct.used, 3);
}

/* FC-5: 2048 channels from 64 ports, every id given out once */
TEST(ofct_lookup__ids_are_unique)
{
	static bool taken[NODE_CHANNELS_MAX];
	struct ofct large;

	ck_assert_int_eq(ofct_init(&large, NODE_CHANNELS_MAX, 1, towards, 1, NULL), 0);
	for (uint32_t i = 0; i < NODE_CHANNELS_MAX; i++) {
		int id = ofct_lookup(&large, i % NODE_PORTS_MAX, i, 0);

		ck_assert(id >= 0 && id < (int)NODE_CHANNELS_MAX && !taken[id]);
		taken[id] = true;
		ofct_send(&large, (uint32_t)id, 1, SOMEWHERE);
	}
	ck_assert_int_eq(ofct_lookup(&large, 9, 8, 0), -ENOSPC);
	for (uint32_t i = 0; i < NODE_CHANNELS_MAX; i++)
		ck_assert(ofct_lookup(&large, i % NODE_PORTS_MAX, i, 0) >= 0);
	ofct_fini(&large);
}

/* FC-9: new flows find no line, existing ones continue; the high-water mark is kept */
/* flows with low ids do not touch the memory of the far chains */
TEST(ofct_lookup__low_ids_have_near_chains)
{
	struct ofct wide;
	uint32_t far = 0;

	ck_assert_int_eq(ofct_init(&wide, NODE_CHANNELS_MAX, 1, towards, NODE_PORTS_MAX, NULL), 0);
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		for (uint32_t flow = 0; flow < OFCT_NEAR_CHAINS / NODE_PORTS_MAX; flow++)
			ck_assert_int_ge(ofct_lookup(&wide, port, flow, 0), 0);
	ck_assert_uint_eq(wide.used, OFCT_NEAR_CHAINS);
	for (uint32_t c = 0; c <= wide.hash_mask; c++)
		far += wide.chains[c];
	ck_assert_uint_eq(far, 0);
	ck_assert_int_ge(ofct_lookup(&wide, 0, OFCT_NEAR_CHAINS / NODE_PORTS_MAX, 0), 0);
	for (uint32_t c = 0; c <= wide.hash_mask; c++)
		far += wide.chains[c];
	ck_assert_uint_ne(far, 0);
	ofct_fini(&wide);
}

TEST(ofct_lookup__full_table_keeps_existing_flows)
{
	uint32_t flow;
	bool freed;
	int first = open_channel(3, 0, 2);

	for (uint32_t i = 1; i < CHANNELS; i++)
		ck_assert_int_ge(open_channel(3, i, 2), 0);
	ck_assert_int_eq(ofct_lookup(&ofct, 3, CHANNELS, 0), -ENOSPC);
	ck_assert_int_eq(ofct_lookup(&ofct, 3, 0, 0), first);
	ck_assert_uint_eq(ofct.used, CHANNELS);
	ck_assert(ofct_on_ack(&ofct, (uint32_t)first, 2, &flow, &freed) && freed);
	ck_assert_int_eq(ofct_lookup(&ofct, 3, CHANNELS, 0), first);
	ck_assert_uint_eq(ofct.used_max, CHANNELS);
}

/* FC-9: a level without a channel can have the last one; others leave one for each such level */
TEST(ofct_may_take__one_for_each_level)
{
	struct ofct levels;
	int first;

	ck_assert_int_eq(ofct_init(&levels, 5, 3, towards, 1, NULL), 0);
	first = ofct_lookup(&levels, 0, 0, 0);
	ck_assert_int_ge(first, 0);
	ck_assert_int_ge(ofct_lookup(&levels, 0, 1, 1), 0);
	ck_assert(ofct_may_take(&levels, 0)); /* of 3 free ones, one is left for level 2 */
	ck_assert_int_ge(ofct_lookup(&levels, 0, 2, 0), 0);
	ck_assert(ofct_may_take(&levels, 0));
	ck_assert_int_ge(ofct_lookup(&levels, 0, 3, 0), 0);
	ck_assert(!ofct_may_take(&levels, 0) && !ofct_may_take(&levels, 1));
	ck_assert(ofct_may_take(&levels, 2));
	ck_assert_int_ge(ofct_lookup(&levels, 0, 4, 2), 0);
	ck_assert(!ofct_may_take(&levels, 2));
	ofct_fini(&levels);
}

TEST(ofct_send__position_is_what_was_sent_before)
{
	uint32_t id = (uint32_t)ofct_lookup(&ofct, 2, 9, 0);
	uint16_t start = ofct_send(&ofct, id, 3, SOMEWHERE);

	ck_assert_uint_eq(ofct_send(&ofct, id, 16, SOMEWHERE), (uint16_t)(start + 3));
	ck_assert_uint_eq(ofct_send(&ofct, id, 1, SOMEWHERE), (uint16_t)(start + 19));
	ck_assert_uint_eq(ofct_flow_extent(TABLE_AT(ofct.entries, id)), 20);
}

/* FC-7: positions wrap, in the header after 2^16, in the table after 2^32 */
TEST(ofct_send__in_flight_by_destination)
{
	int near = ofct_lookup(&ofct, 0, 1, 0), far = ofct_lookup(&ofct, 0, 2, 0),
	    too = ofct_lookup(&ofct, 1, 2, 0);
	uint32_t flow;
	bool freed;

	ofct_send(&ofct, (uint32_t)near, 3, 1);
	ofct_send(&ofct, (uint32_t)far, 16, UINT16_MAX);
	ofct_send(&ofct, (uint32_t)too, 5, UINT16_MAX);
	ck_assert_uint_eq(*ofct_towards(&ofct, 1), 3);
	ck_assert_uint_eq(*ofct_towards(&ofct, UINT16_MAX), 21);
	ck_assert(ofct_on_ack(&ofct, (uint32_t)far, 10, &flow, &freed));
	ck_assert_uint_eq(*ofct_towards(&ofct, UINT16_MAX), 11);
	ck_assert_uint_eq(ofct_lose(&ofct, (uint32_t)far, &flow), 6);
	ck_assert_uint_eq(*ofct_towards(&ofct, UINT16_MAX), 5);
	ck_assert_uint_eq(*ofct_towards(&ofct, 1), 3);
	ck_assert_uint_eq(ofct.extent_units, 8);
}

TEST(ofct_send__positions_wrap)
{
	uint32_t id = (uint32_t)ofct_lookup(&ofct, 2, 9, 0), flow;
	bool freed;

	TABLE_AT(ofct.entries, id)->data_flow = TABLE_AT(ofct.entries, id)->ack_flow =
		UINT32_MAX - 1;
	ck_assert_uint_eq(ofct_send(&ofct, id, 5, SOMEWHERE), 65534);
	ck_assert_uint_eq(ofct_send(&ofct, id, 5, SOMEWHERE), 3);
	ck_assert_uint_eq(ofct_flow_extent(TABLE_AT(ofct.entries, id)), 10);
	ck_assert(ofct_on_ack(&ofct, id, 4, &flow, &freed) && !freed);
	ck_assert_uint_eq(ofct_flow_extent(TABLE_AT(ofct.entries, id)), 6);
}

/* FC-8, FC-12: the reverse lookup gives the flow of an ACK */
TEST(ofct_on_ack__finds_the_flow)
{
	uint32_t id = (uint32_t)open_channel(63, 2047, 4), flow = 0;
	bool freed = true;

	ck_assert(ofct_on_ack(&ofct, id, 1, &flow, &freed));
	ck_assert_uint_eq(flow_ref_port(flow), 63);
	ck_assert_uint_eq(flow_ref_id(flow), 2047);
	ck_assert(!freed);
	ck_assert(ofct_on_ack(&ofct, id, 0, &flow, &freed) && !freed);
}

/* FC-14: free again with the last unit. Another flow may use the id at once; its positions
 * continue. */
TEST(ofct_on_ack__last_unit_frees)
{
	uint32_t id = (uint32_t)open_channel(1, 1, 4), flow;
	bool freed;

	ck_assert(ofct_on_ack(&ofct, id, 3, &flow, &freed) && !freed);
	ck_assert(ofct_on_ack(&ofct, id, 1, &flow, &freed) && freed);
	ck_assert_uint_eq(ofct.used, 0);
	ck_assert_int_eq(ofct_lookup(&ofct, 4, 7, 0), (int)id);
	ck_assert_uint_eq(ofct_send(&ofct, id, 1, SOMEWHERE), 4);
	ck_assert(ofct_on_ack(&ofct, id, 1, &flow, &freed) && freed);
	ck_assert_uint_eq(flow, flow_ref(4, 7));
}

/* TB-23: an ACK for units that are not in flight changes nothing */
TEST(ofct_on_ack__unsent_units_change_nothing)
{
	uint32_t id = (uint32_t)open_channel(1, 1, 4), flow;
	bool freed;

	ck_assert(!ofct_on_ack(&ofct, id, 5, &flow, &freed));
	ck_assert(!ofct_on_ack(&ofct, id + 1, 1, &flow, &freed));
	ck_assert(!ofct_on_ack(&ofct, CHANNELS, 1, &flow, &freed));
	ck_assert(!ofct_on_ack(&ofct, UINT32_MAX, 0, &flow, &freed));
	ck_assert_uint_eq(ofct_flow_extent(TABLE_AT(ofct.entries, id)), 4);
	ck_assert(ofct_on_ack(&ofct, id, 4, &flow, &freed) && freed);
	ck_assert(!ofct_on_ack(&ofct, id, 0, &flow, &freed) && !freed);
}

/* freeing a line removes it from its chain, and no other line */
TEST(ofct_on_ack__chains_stay_whole)
{
	uint32_t flow, id;
	bool freed;

	for (uint32_t round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < CHANNELS; i++)
			ck_assert_int_ge(open_channel(i % 4, (round * 7 + i * 16) % 2048, 1), 0);
		for (uint32_t i = 0; i < CHANNELS; i++) {
			uint32_t k = (i * 5 + round) % CHANNELS;

			id = (uint32_t)ofct_lookup(&ofct, k % 4, (round * 7 + k * 16) % 2048, 0);
			ck_assert(ofct_on_ack(&ofct, id, 1, &flow, &freed) && freed);
			ck_assert_uint_eq(flow, flow_ref(k % 4, (round * 7 + k * 16) % 2048));
		}
		ck_assert_uint_eq(ofct.used, 0);
	}
}

/* FC-17: The peer reports a loss that is followed by an arrival, whichever of the two the sender
 * learns first: the loss from the link, or the ACKs. Only a loss at the end is taken back, once
 * nothing of the channel is in flight. */
TEST(ofct_missing__only_the_tail_is_taken_back)
{
	uint32_t id = (uint32_t)open_channel(1, 1, 4), flow;
	bool freed;

	ofct_send(&ofct, id, 4, SOMEWHERE);
	ofct_send(&ofct, id, 3, SOMEWHERE);
	ck_assert_uint_eq(ofct_missing(&ofct, id, 4), 0); /* 4 and 3 are in flight */
	ofct_seen(&ofct, id, 4);
	ck_assert_uint_eq(ofct_missing(&ofct, id, 3), 3);
	ck_assert(ofct_take_back(&ofct, id, 3, &flow, &freed) && !freed);
	ck_assert_uint_eq(flow, flow_ref(1, 1));
	ck_assert_uint_eq(ofct_flow_extent(TABLE_AT(ofct.entries, id)), 8);
	ck_assert_uint_eq(ofct.extent_units, 8);
	ck_assert_uint_eq(ofct_send(&ofct, id, 2, SOMEWHERE), 8);
	/* before the link reports it */
	ck_assert(ofct_on_ack(&ofct, id, 10, &flow, &freed) && freed);
	ck_assert_int_eq(open_channel(2, 2, 5), (int)id);
	ofct_seen(&ofct, id, 2);
	ck_assert_uint_eq(ofct_missing(&ofct, id, 5), 5);
	ck_assert(ofct_take_back(&ofct, id, 5, &flow, &freed) && freed);
	ck_assert_uint_eq(flow, flow_ref(2, 2));
	ck_assert_uint_eq(ofct.extent_units, 0);
}

/* TB-23: no peer may report a unit as acknowledged and lost */
TEST(ofct_take_back__never_what_was_acknowledged)
{
	uint32_t id = (uint32_t)open_channel(1, 1, 4), flow;
	bool freed;

	ck_assert(ofct_on_ack(&ofct, id, 4, &flow, &freed));
	ck_assert_uint_eq(ofct_missing(&ofct, id, 4), 4);
	ck_assert(!ofct_take_back(&ofct, id, 4, &flow, &freed) && !freed);
	ck_assert_uint_eq(ofct.extent_units, 0);
}

/* a new link: both ends count from 0 */
TEST(ofct_restart__positions_begin_at_0)
{
	uint32_t id = (uint32_t)open_channel(1, 1, 4), flow;

	ofct_missing(&ofct, id, 2);
	ofct_lose(&ofct, id, &flow);
	ofct_restart(&ofct);
	ck_assert_int_eq(ofct_lookup(&ofct, 1, 1, 0), (int)id);
	ck_assert_uint_eq(ofct_send(&ofct, id, 1, SOMEWHERE), 0);
	ck_assert_uint_eq(ofct_missing(&ofct, id, 1), 1);
}
