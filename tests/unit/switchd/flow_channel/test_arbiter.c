/*  switchd/flow_channel/arbiter: by flow or by input port, fair in bytes (FC-11, FC-19, FC-20,
 *  FC-25). */
#include <stdlib.h>

#include "switchd/flow_channel/arbiter.h"
#include "tests/testing.h"

#define PORTS 4u
#define CHANNELS 16u
#define PACKETS 4096u
#define MTU 4096u

static struct ifct ifcts[PORTS];
static struct packet_pool pool;
static struct arbiter arbiter;

static void setup(void)
{
	for (uint32_t p = 0; p < PORTS; p++)
		ck_assert_int_eq(ifct_init(&ifcts[p], CHANNELS, NULL), 0);
	ck_assert_int_eq(packet_pool_init(&pool, PACKETS, 0), 0);
}

static void teardown(void)
{
	for (uint32_t p = 0; p < PORTS; p++)
		ifct_fini(&ifcts[p]);
	packet_pool_fini(&pool);
	arbiter_fini(&arbiter);
}

static void start(enum arbiter_kind kind)
{
	ck_assert_int_eq(arbiter_init(&arbiter, kind, ifcts, PORTS, MTU), 0);
}

/* adds @count packets of @bytes for flow (@port, @id), which then requests a grant */
static void request(uint32_t port, uint32_t id, uint32_t bytes, uint32_t count)
{
	struct ifct_entry *flow = TABLE_AT(ifcts[port].entries, id);

	while (count--) {
		struct packet *packet = packet_alloc(&pool, 0);

		ck_assert_ptr_nonnull(packet);
		packet->frame_bytes = bytes;
		packet->units = (uint16_t)((bytes + 255) / 256);
		if (ifct_push(flow, packet))
			arbiter_add(&arbiter, flow_ref(port, id));
	}
}

/* serves one packet; the rest of its flow's queue stays */
static uint32_t serve(uint64_t sent[PORTS][CHANNELS])
{
	uint32_t ref = arbiter_first(&arbiter);
	struct packet *packet;

	if (ref == FLOW_REF_NONE)
		return ref;
	ck_assert_uint_eq(arbiter_first(&arbiter), ref);
	packet = ifct_pop(flow_of(ifcts, ref));
	sent[flow_ref_port(ref)][flow_ref_id(ref)] += packet->frame_bytes;
	arbiter_served(&arbiter, packet->frame_bytes);
	packet_free(&pool, packet);
	return ref;
}

/* serves @total bytes; every flow that is served gets another packet like the last, so that it
 * never becomes empty */
static void serve_saturated(uint64_t total, uint32_t bytes, uint64_t sent[PORTS][CHANNELS])
{
	for (uint64_t served = 0; served < total; served += bytes) {
		uint32_t ref = serve(sent);

		ck_assert_uint_ne(ref, FLOW_REF_NONE);
		request(flow_ref_port(ref), flow_ref_id(ref), bytes, 1);
	}
}

static void share_expect(uint64_t bytes, uint64_t total, uint32_t numerator, uint32_t denominator)
{
	int64_t off = (int64_t)bytes - (int64_t)(total * numerator / denominator);

	ck_assert_int_le(llabs(off), 3 * MTU);
}

TEST_GROUP(arbiter, .setup = setup, .teardown = teardown);

TEST_RANGE(arbiter_first__none_without_requests, 0, 2)
{
	start(_i ? ARBITER_BY_PORT : ARBITER_BY_FLOW);
	ck_assert_uint_eq(arbiter_first(&arbiter), FLOW_REF_NONE);
	request(2, 3, 100, 1);
	ck_assert_uint_eq(arbiter_first(&arbiter), flow_ref(2, 3));
}

/* S3 fig. 5 at switch 508: J and K are ports of their own, nine flows arrive at the third. By port
 * 1/3, 1/3 and 1/27 each; by flow 1/11 each (FC-20). */
static void last_switch_of_fig_5(enum arbiter_kind kind, uint64_t total,
				 uint64_t sent[PORTS][CHANNELS])
{
	start(kind);
	request(0, 0, MTU, 2);
	request(1, 0, MTU, 2);
	for (uint32_t id = 0; id < 9; id++)
		request(2, id, MTU, 2);
	serve_saturated(total, MTU, sent);
}

TEST(arbiter_first__fig_5_by_port)
{
	uint64_t sent[PORTS][CHANNELS] = { 0 }, total = 27 * 400 * MTU;

	last_switch_of_fig_5(ARBITER_BY_PORT, total, sent);
	share_expect(sent[0][0], total, 1, 3);
	share_expect(sent[1][0], total, 1, 3);
	for (uint32_t id = 0; id < 9; id++)
		share_expect(sent[2][id], total, 1, 27);
}

TEST(arbiter_first__fig_5_by_flow)
{
	uint64_t sent[PORTS][CHANNELS] = { 0 }, total = 11 * 400 * MTU;

	last_switch_of_fig_5(ARBITER_BY_FLOW, total, sent);
	share_expect(sent[0][0], total, 1, 11);
	share_expect(sent[1][0], total, 1, 11);
	for (uint32_t id = 0; id < 9; id++)
		share_expect(sent[2][id], total, 1, 11);
}

/* FC-20: fair in bytes: a flow of small packets gets as much as one of large packets, whatever
 * ports they share */
TEST_RANGE(arbiter_first__fair_in_bytes, 0, 2)
{
	static const uint32_t bytes[3] = { 64, 1500, MTU };
	uint64_t sent[PORTS][CHANNELS] = { 0 }, total = 0;

	start(_i ? ARBITER_BY_PORT : ARBITER_BY_FLOW);
	for (uint32_t p = 0; p < 3; p++)
		request(p, 1, bytes[p], 100);
	while (total < 3000 * MTU) {
		uint32_t port = flow_ref_port(serve(sent));

		request(port, 1, bytes[port], 1);
		total += bytes[port];
	}
	for (uint32_t p = 0; p < 3; p++)
		share_expect(sent[p][1], total, 1, 3);
}

/* a single flow gets everything, in any number of turns */
TEST_RANGE(arbiter_first__single_flow_gets_everything, 0, 2)
{
	uint64_t sent[PORTS][CHANNELS] = { 0 };

	start(_i ? ARBITER_BY_PORT : ARBITER_BY_FLOW);
	request(3, 15, 1000, 3);
	serve_saturated(1000 * 1000, 1000, sent);
	ck_assert_uint_eq(sent[3][15], 1000 * 1000);
}

/* an idle flow saves up nothing: when it returns, it gets its share and no more */
TEST_RANGE(arbiter_add__idle_flows_save_nothing, 0, 2)
{
	uint64_t sent[PORTS][CHANNELS] = { 0 };

	start(_i ? ARBITER_BY_PORT : ARBITER_BY_FLOW);
	request(0, 0, 64, 1);
	request(1, 0, MTU, 2);
	while (serve(sent) != flow_ref(0, 0))
		;
	serve_saturated(500 * MTU, MTU, sent);
	sent[0][0] = sent[1][0] = 0;
	request(0, 0, MTU, 2);
	serve_saturated(100 * MTU, MTU, sent);
	share_expect(sent[0][0], 100 * MTU, 1, 2);
}

/* no flow waits longer than one round, in which all others use their quantum */
TEST(arbiter_add__served_within_a_round)
{
	uint64_t sent[PORTS][CHANNELS] = { 0 };
	uint32_t served = 0;

	start(ARBITER_BY_FLOW);
	for (uint32_t p = 0; p < 3; p++)
		for (uint32_t id = 0; id < CHANNELS; id++)
			request(p, id, MTU, 4);
	request(3, 0, MTU, 1);
	while (serve(sent) != flow_ref(3, 0))
		served++;
	ck_assert_uint_le(served, 3 * CHANNELS);
}

/* the last packet of a flow removes it; the others are served to the end, none twice */
TEST_RANGE(arbiter_served__empty_flows_leave, 0, 2)
{
	uint64_t sent[PORTS][CHANNELS] = { 0 };
	uint32_t served = 0;

	start(_i ? ARBITER_BY_PORT : ARBITER_BY_FLOW);
	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t id = 0; id < CHANNELS; id++)
			request(p, id, 100 * (id + 1), 1 + (p + id) % 5);
	while (serve(sent) != FLOW_REF_NONE)
		served++;
	for (uint32_t p = 0; p < PORTS; p++)
		for (uint32_t id = 0; id < CHANNELS; id++) {
			ck_assert_uint_eq(sent[p][id], 100 * (id + 1) * (1 + (p + id) % 5));
			served -= 1 + (p + id) % 5;
		}
	ck_assert_uint_eq(served, 0);
	ck_assert_uint_eq(pool.used, 0);
}

/* FC-9: a flow that must wait elsewhere is removed with its packets, and returns */
TEST_RANGE(arbiter_remove_first__leaves_with_its_packets, 0, 2)
{
	uint64_t sent[PORTS][CHANNELS] = { 0 };
	uint32_t first;

	start(_i ? ARBITER_BY_PORT : ARBITER_BY_FLOW);
	request(0, 0, 500, 2);
	request(0, 1, 500, 2);
	request(1, 0, 500, 2);
	first = arbiter_first(&arbiter);
	arbiter_remove_first(&arbiter);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_ne(serve(sent), first);
	ck_assert_uint_eq(arbiter_first(&arbiter), FLOW_REF_NONE);
	ck_assert_ptr_nonnull(flow_of(ifcts, first)->queue.head);
	arbiter_add(&arbiter, first);
	ck_assert_uint_eq(serve(sent), first);
	ck_assert_uint_eq(serve(sent), first);
	ck_assert_uint_eq(serve(sent), FLOW_REF_NONE);
}

/* visits the flows in order, without a change of turns; by port one group after the other */
TEST_RANGE(arbiter_look__visits_in_order, 0, 2)
{
	uint32_t refs[8],
		by_port[] = { flow_ref(2, 5), flow_ref(2, 6), flow_ref(0, 1), flow_ref(3, 1) };
	uint32_t by_flow[] = { flow_ref(2, 5), flow_ref(0, 1), flow_ref(2, 6), flow_ref(3, 1) };

	start(_i ? ARBITER_BY_PORT : ARBITER_BY_FLOW);
	ck_assert_uint_eq(arbiter_look(&arbiter, refs, 8), 0);
	request(2, 5, 1000, 1);
	request(0, 1, 1000, 1);
	request(2, 6, 1000, 2);
	request(3, 1, 1000, 1);
	for (uint32_t max = 0; max <= 8; max++) {
		uint32_t count = arbiter_look(&arbiter, refs, max);

		ck_assert_uint_eq(count, max < 4 ? max : 4);
		ck_assert_mem_eq(refs, _i ? by_port : by_flow, count * sizeof(refs[0]));
	}
	ck_assert_uint_eq(arbiter_first(&arbiter), flow_ref(2, 5));
	ck_assert_uint_eq(arbiter.flow_count, 4);
}
