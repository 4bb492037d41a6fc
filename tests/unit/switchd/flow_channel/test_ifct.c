/*  switchd/flow_channel/ifct: extents, holes, set-up and release of flow channels (FC-6, FC-7,
 *  FC-14, FC-17). */
#include <stdlib.h>

#include "nodes/config/config.h"
#include "switchd/flow_channel/ifct.h"
#include "tests/testing.h"

#define CHANNELS 8u
#define PACKETS 256u
#define FLOW 5u

static struct ifct ifct;
static struct packet_pool pool;

static void setup(void)
{
	ck_assert_int_eq(ifct_init(&ifct, CHANNELS, NULL), 0);
	ck_assert_int_eq(packet_pool_init(&pool, PACKETS, 0), 0);
}

static void teardown(void)
{
	ifct_fini(&ifct);
	packet_pool_fini(&pool);
}

static struct packet *packet_of(uint32_t flow_id, uint32_t units)
{
	struct packet *packet = packet_alloc(&pool, 0);

	ck_assert_ptr_nonnull(packet);
	*packet = (struct packet){ .flow_id = (uint16_t)flow_id,
				   .units = (uint16_t)units,
				   .frame_bytes = units * 256,
				   .fabric_address = 9,
				   .egress_port = 3,
				   .traffic_class = 1,
				   .lane = 1 };
	return packet;
}

/* where the last packet of flow @flow_id ended: at @position */
static void begin_at(uint32_t flow_id, uint32_t position)
{
	TABLE_AT(ifct.entries, flow_id)->next_data_flow =
		TABLE_AT(ifct.entries, flow_id)->data_flow =
			TABLE_AT(ifct.entries, flow_id)->ack_flow = position;
}

/* @units of flow @flow_id arrive at @table at @position and are queued */
static struct ifct_entry *arrive(struct ifct *table, uint32_t flow_id, uint32_t position,
				 uint32_t units)
{
	struct packet *packet = packet_of(flow_id, units);
	uint32_t hole_units;
	struct ifct_entry *entry = ifct_arrive(table, packet, (uint16_t)position, &hole_units);

	ck_assert_ptr_nonnull(entry);
	ck_assert_uint_eq(hole_units, 0);
	ifct_push(entry, packet);
	return entry;
}

static void extents_expect(const struct ifct_entry *entry, uint32_t queue_extent,
			   uint32_t flow_extent)
{
	ck_assert_uint_eq(ifct_queue_extent(entry), queue_extent);
	ck_assert_uint_eq(ifct_flow_extent(entry), flow_extent);
	ck_assert_uint_eq(ifct_total_extent(entry), queue_extent + flow_extent);
}

/* as in the dataplane: the last ACK frees the channel */
static bool acked(struct ifct *table, uint32_t flow_id, uint32_t units)
{
	struct ifct_entry *entry = TABLE_AT(table->entries, flow_id);

	if (!ifct_on_ack(table, flow_id, units))
		return false;
	if (!ifct_total_extent(entry))
		ifct_release(table, flow_id);
	return true;
}

TEST_GROUP(ifct, .setup = setup, .teardown = teardown);

TEST(flow_ref__port_and_id_come_back)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		for (uint32_t id = 0; id < NODE_CHANNELS_MAX; id += 89) {
			ck_assert_uint_eq(flow_ref_port(flow_ref(port, id)), port);
			ck_assert_uint_eq(flow_ref_id(flow_ref(port, id)), id);
			ck_assert_uint_ne(flow_ref(port, id), FLOW_REF_NONE);
		}
}

TEST(ifct_init__all_free)
{
	for (uint32_t i = 0; i < CHANNELS; i++) {
		ck_assert(!TABLE_AT(ifct.entries, i)->active);
		ck_assert(!acked(&ifct, i, 0));
	}
	ck_assert_uint_eq(ifct.used, 0);
}

/* one switch of figure 2B: @arrived units came, @sent of them were forwarded */
static const struct ifct_entry *switch_of_figure(struct ifct *table, uint32_t arrived,
						 uint32_t sent)
{
	struct ifct_entry *entry = NULL;

	ck_assert_int_eq(ifct_init(table, CHANNELS, NULL), 0);
	for (uint32_t i = 0; i < arrived; i++)
		entry = arrive(table, FLOW, i, 1);
	for (uint32_t i = 0; i < sent; i++)
		packet_free(&pool, ifct_pop(entry));
	return entry;
}

/* FC-7, worked example of S2/S3: 226 has 1 unit sent and 6 queued; 2 are in flight to it from 224,
 * which queues 3; 1 is in flight to 224 from 222: flow extent 9 at 224, 13 at 222 */
TEST(ifct_flow_extent__fig_2b)
{
	struct ifct at_222, at_224, at_226;
	const struct ifct_entry *entry_226 = switch_of_figure(&at_226, 1 + 6, 1);
	const struct ifct_entry *entry_224 = switch_of_figure(&at_224, 1 + 6 + 2 + 3, 1 + 6 + 2);
	const struct ifct_entry *entry_222 = switch_of_figure(&at_222, 13, 13);

	extents_expect(entry_226, 6, 1);
	extents_expect(entry_224, 3, 9);
	extents_expect(entry_222, 0, 13);
	ck_assert(acked(&at_226, FLOW, 1) && acked(&at_224, FLOW, 1) && acked(&at_222, FLOW, 1));
	extents_expect(entry_226, 6, 0);
	extents_expect(entry_224, 3, 8);
	extents_expect(entry_222, 0, 12);
	ifct_fini(&at_222);
	ifct_fini(&at_224);
	ifct_fini(&at_226);
}

/* FC-14: the first packet sets the channel up, from whatever position its sender has reached */
TEST(ifct_arrive__first_packet_sets_up)
{
	struct ifct_entry *entry = arrive(&ifct, FLOW, 40000, 3);

	ck_assert(entry->active && entry == TABLE_AT(ifct.entries, FLOW));
	ck_assert_uint_eq(entry->fabric_address, 9);
	ck_assert_uint_eq(entry->egress_port, 3);
	ck_assert_uint_eq(entry->traffic_class, 1);
	extents_expect(entry, 3, 0);
	ck_assert_uint_eq(ifct.used, 1);
	arrive(&ifct, FLOW, 40003, 1);
	ck_assert_uint_eq(ifct.used, 1);
	arrive(&ifct, FLOW + 1, 0, 1);
	ck_assert_uint_eq(ifct.used, 2);
	ck_assert_uint_eq(ifct.used_max, 2);
}

/* FC-17: a gap is reported once and belongs to no extent */
TEST(ifct_arrive__gap_is_reported_once)
{
	struct packet *packet = packet_of(FLOW, 2);
	struct ifct_entry *entry;
	uint32_t hole_units;

	begin_at(FLOW, 100);
	entry = arrive(&ifct, FLOW, 100, 4);
	packet_free(&pool, ifct_pop(entry));
	extents_expect(entry, 0, 4);
	ck_assert_ptr_eq(ifct_arrive(&ifct, packet, 107, &hole_units), entry);
	ck_assert_uint_eq(hole_units, 3);
	extents_expect(entry, 0, 4);
	ck_assert_uint_eq(ifct_total_extent(entry), 4);
	ifct_push(entry, packet);
	extents_expect(entry, 2, 4);
	arrive(&ifct, FLOW, 109, 1);
	ck_assert(acked(&ifct, FLOW, 4));
	extents_expect(entry, 3, 0);
}

/* a gap is less than half of what 16 bits can count: beyond that a position is a former one */
TEST_RANGE(ifct_arrive__longest_gap, 0, 2)
{
	struct packet *packet = packet_of(FLOW, 1);
	struct ifct_entry *entry;
	uint32_t hole_units, gap = 32767 + (uint32_t)_i;

	begin_at(FLOW, 100);
	entry = arrive(&ifct, FLOW, 100, 4);
	packet_free(&pool, ifct_pop(entry));
	ck_assert_ptr_eq(ifct_arrive(&ifct, packet, (uint16_t)(104 + gap), &hole_units),
			 _i ? NULL : entry);
	if (!_i)
		ck_assert_uint_eq(hole_units, gap);
	packet_free(&pool, packet);
}

/* FC-17: a packet that cannot be queued: what is missing in front of it is told, a former position
 * changes nothing */
TEST(ifct_skip__units_missing)
{
	struct ifct_entry *entry;

	begin_at(FLOW, 100);
	entry = arrive(&ifct, FLOW, 100, 4);
	ck_assert_uint_eq(ifct_skip(&ifct, FLOW, 104, 2), 0);
	ck_assert_uint_eq(entry->next_data_flow, 106);
	ck_assert_uint_eq(ifct_skip(&ifct, FLOW, 109, 2), 3);
	ck_assert_uint_eq(entry->next_data_flow, 111);
	ck_assert_uint_eq(ifct_skip(&ifct, FLOW, 110, 2), 0);
	ck_assert_uint_eq(entry->next_data_flow, 111);
	extents_expect(entry, 4, 0);
}

/* FC-7: positions are modular: neither 2^16 in the header nor 2^32 in the table is a gap */
TEST(ifct_arrive__positions_wrap)
{
	struct ifct_entry *entry = arrive(&ifct, FLOW, 65530, 4);
	uint32_t position = 65534;

	for (uint32_t i = 0; i < 9000; i++) {
		entry = arrive(&ifct, FLOW, position, 16);
		position += 16;
		packet_free(&pool, ifct_pop(entry));
		if (i)
			ck_assert(acked(&ifct, FLOW, 16));
	}
	extents_expect(entry, 16, 4);
	entry->next_data_flow += UINT32_MAX - 20 - entry->ack_flow;
	entry->data_flow += UINT32_MAX - 20 - entry->ack_flow;
	entry->ack_flow = UINT32_MAX - 20;
	entry = arrive(&ifct, FLOW, entry->next_data_flow, 36);
	extents_expect(entry, 52, 4);
	packet_free(&pool, ifct_pop(entry));
	extents_expect(entry, 36, 20);
	ck_assert(acked(&ifct, FLOW, 20));
	extents_expect(entry, 36, 0);
}

/* TB-23: a packet that contradicts its channel is rejected and changes nothing */
TEST(ifct_arrive__contradiction_is_rejected)
{
	struct packet *packet = packet_of(FLOW, 1);
	struct ifct_entry *entry, before;
	uint32_t hole_units;

	begin_at(FLOW, 100);
	entry = arrive(&ifct, FLOW, 100, 4);
	before = *entry;
	ck_assert_ptr_null(ifct_arrive(&ifct, packet, 103, &hole_units));
	ck_assert_ptr_null(ifct_arrive(&ifct, packet, 99, &hole_units));
	packet->traffic_class = packet->lane = 0;
	ck_assert_ptr_null(ifct_arrive(&ifct, packet, 104, &hole_units));
	packet->traffic_class = packet->lane = 1;
	packet->fabric_address = 8;
	ck_assert_ptr_null(ifct_arrive(&ifct, packet, 104, &hole_units));
	packet->fabric_address = 9;
	packet->egress_port = 2;
	ck_assert_ptr_null(ifct_arrive(&ifct, packet, 104, &hole_units));
	packet->egress_port = 3;
	ck_assert_mem_eq(entry, &before, sizeof(before));
	ck_assert_ptr_eq(ifct_arrive(&ifct, packet, 104, &hole_units), entry);
}

TEST(ifct_push__tells_whether_it_was_empty)
{
	struct packet *a = packet_of(FLOW, 1), *b = packet_of(FLOW, 1);
	uint32_t hole_units;
	struct ifct_entry *entry = ifct_arrive(&ifct, a, 0, &hole_units);

	ck_assert(ifct_push(entry, a));
	ck_assert(!ifct_push(entry, b));
	ifct_pop(entry);
	ifct_pop(entry);
	ck_assert(ifct_push(entry, a));
}

/* FC-7, FC-15: first in, first out; units move from one extent to the other */
TEST(ifct_pop__in_order)
{
	struct ifct_entry *entry = NULL;
	uint32_t position = 0, sent = 0;

	for (uint32_t units = 1; units <= 5; units++) {
		entry = arrive(&ifct, FLOW, position, units);
		position += units;
	}
	for (uint32_t units = 1; units <= 5; units++) {
		ck_assert_uint_eq(ifct_pop(entry)->units, units);
		sent += units;
		extents_expect(entry, 15 - sent, sent);
	}
}

/* FC-14: free when both extents are 0, and not before */
TEST(ifct_on_ack__frees_with_the_last_unit)
{
	struct ifct_entry *entry = arrive(&ifct, FLOW, 0, 2);

	arrive(&ifct, FLOW, 2, 1);
	ifct_pop(entry);
	ck_assert(acked(&ifct, FLOW, 2));
	ck_assert(entry->active); /* one still queued */
	ifct_pop(entry);
	ck_assert(acked(&ifct, FLOW, 1));
	ck_assert(!entry->active);
	ck_assert_uint_eq(ifct.used, 0);
	ck_assert_uint_eq(ifct.used_max, 1);
}

/* FC-14: a freed channel is ready for the first packet of another flow. FC-17: its positions
 * continue, so a loss before that packet is a gap (_i: 1). A jump that cannot be a gap is accepted
 * (_i: 2). */
TEST_RANGE(ifct_on_ack__freed_channel_is_reused, 0, 3)
{
	static const uint16_t positions[] = { 1, 4999, 60000 };
	struct ifct_entry *entry = arrive(&ifct, FLOW, 0, 1);
	struct packet *packet = packet_of(FLOW, 1);
	uint32_t hole_units;

	ifct_pop(entry);
	ck_assert(acked(&ifct, FLOW, 1));
	packet->fabric_address = 2;
	packet->traffic_class = 0;
	ck_assert_ptr_eq(ifct_arrive(&ifct, packet, positions[_i], &hole_units), entry);
	ck_assert_uint_eq(hole_units, _i == 1 ? 4998 : 0);
	extents_expect(entry, 0, 0);
	ck_assert_uint_eq((uint16_t)entry->next_data_flow, positions[_i]);
	ck_assert_uint_eq(entry->fabric_address, 2);
	ck_assert_uint_eq(entry->traffic_class, 0);
}

/* TB-23, TB-25: an ACK for more than was sent is rejected: queued units, too many, a free
 * channel */
TEST(ifct_on_ack__rejects_more_than_was_sent)
{
	struct ifct_entry *entry = arrive(&ifct, FLOW, 0, 2);

	arrive(&ifct, FLOW, 2, 4);
	ck_assert(!acked(&ifct, FLOW, 1));
	ifct_pop(entry);
	ck_assert(!acked(&ifct, FLOW, 3));
	ck_assert(!acked(&ifct, FLOW, UINT32_MAX));
	ck_assert(!acked(&ifct, FLOW + 1, 0));
	extents_expect(entry, 4, 2);
}
