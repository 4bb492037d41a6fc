/*  nodes/link/pfc: quanta, headroom, what the neighbour says and what it is told (RC-5, RC-11). */
#include <stdlib.h>

#include "nodes/link/pfc.h"
#include "tests/testing.h"

#define RATE (100ull * 1000 * 1000 * 1000)
#define QUANTUM (5120 * (node_time_t)1) /* 512 bits at 100 Gb/s */
#define FULL (PAUSE_QUANTA_MAX * QUANTUM)
#define GAP 20u

static struct pfc_gate gate;
static struct pfc_teller teller;

static void setup(void)
{
	pfc_gate_init(&gate, 0x0a);
	pfc_teller_init(&teller, false);
}

static uint32_t take(uint8_t enabled, uint16_t quanta, node_time_t now)
{
	struct pause_frame frame = { .enabled = enabled };

	for (uint32_t c = 0; c < PAUSE_PRIORITIES; c++)
		frame.quanta[c] = enabled >> c & 1 ? quanta : 0;
	return pfc_gate_take(&gate, &frame, RATE, now);
}

static uint32_t take_port(uint16_t quanta, node_time_t now)
{
	struct pause_frame frame = { .port = true, .quanta = { quanta } };

	return pfc_gate_take(&gate, &frame, RATE, now);
}

TEST_GROUP(pfc, .setup = setup);

TEST(quantum__is_512_bit_times)
{
	ck_assert_uint_eq(pfc_quantum_ps(200000000000), 2560);
	ck_assert_uint_eq(pfc_quantum_ps(10000000000), 51200);
	ck_assert_uint_eq(pfc_quantum_ps(300000000000), 1707); /* 1706.7 */
	ck_assert_uint_eq(pfc_quantum_ps(800000000000), 640);
	ck_assert_uint_eq(pfc_quantum_ps(1000000), 512 * NODE_US);
}

/* 100 Gb/s, 100 m of fibre (500 ns), 9216 bytes; the sender stops deciding after 1 us */
TEST(headroom__terms_add_up)
{
	uint64_t frame = 9216 + 4 + GAP, pfc = 60 + 4 + GAP;
	uint64_t way = 2 * 6250, response = 12500; /* 12.5 bytes a nanosecond */

	ck_assert_uint_eq(pfc_headroom_bytes(RATE, 500 * NODE_NS, NODE_US, 9216, GAP),
			  2 * frame + pfc + way + response);
	ck_assert_uint_eq(pfc_headroom_bytes(RATE, 0, 0, 64, 0), 2 * (64 + 4) + 64);
	/* rounded up */
	ck_assert_uint_eq(pfc_headroom_bytes(1000000, 1, 0, 64, 0), 2 * (64 + 4) + 64 + 1);
}

/* A sender with frames back to back. XOFF is decided when the last bit of one is here, and when a
 * frame of ours has just begun, which the PFC frame has to wait for. All frames that it begins
 * before it obeys still come. */
TEST_RANGE(headroom__holds_what_still_comes, 0, 9)
{
	static const uint64_t rates[] = { 10000000000, 100000000000, 200000000000 };
	static const node_time_t delays[] = { 10 * NODE_NS, 500 * NODE_NS, 50 * NODE_US };
	const node_time_t response = 300 * NODE_NS;
	const uint32_t mtu = 4096, wire = mtu + 4 + GAP;
	uint64_t rate = rates[_i / 3], came = 0, headroom;
	node_time_t delay = delays[_i % 3], frame = node_time_of_bytes(wire, rate);
	node_time_t obeys = frame + node_time_of_bytes(60 + 4 + GAP, rate) + delay + response;

	headroom = pfc_headroom_bytes(rate, delay, response, mtu, GAP);
	/* as it would be seen here */
	for (node_time_t begun = 0; begun < obeys + delay; begun += frame)
		came += wire;
	ck_assert_uint_le(came, headroom);
	ck_assert_uint_gt(came + wire, headroom); /* and not more than needed */
}

TEST(gate__time_runs_out)
{
	ck_assert_uint_eq(take(0x06, 10, 1000), 0x06); /* RC-11 */
	ck_assert_uint_eq(pfc_gate_held(&gate, 1000), 0x06);
	ck_assert_uint_eq(pfc_gate_held(&gate, 1000 + 10 * QUANTUM - 1), 0x06);
	ck_assert_uint_eq(pfc_gate_held(&gate, 1000 + 10 * QUANTUM), 0);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 1000), 1000 + 10 * QUANTUM);
	/* none of those is held */
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xf9, 1000), NODE_TIME_NEVER);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 1000 + 10 * QUANTUM), NODE_TIME_NEVER);
}

TEST(gate__time_0_lets_go)
{
	take(0x06, PAUSE_QUANTA_MAX, 0);
	ck_assert_uint_eq(take(0x02, 0, 500), 0x02); /* RC-11 */
	ck_assert_uint_eq(pfc_gate_held(&gate, 500), 0x04);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 500), FULL);
	ck_assert_uint_eq(take(0x02, 0, 501), 0);      /* no news */
	ck_assert_uint_eq(take(0x04, 0, FULL + 1), 0); /* nor when it is over already */
}

TEST(gate__later_frame_replaces_earlier)
{
	take(0x03, 100, 0);
	ck_assert_uint_eq(take(0x01, 100, 10 * QUANTUM), 0x01);
	ck_assert_uint_eq(pfc_gate_held(&gate, 105 * QUANTUM), 0x01);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 105 * QUANTUM), 110 * QUANTUM);
	ck_assert_uint_eq(take(0x01, 1, 105 * QUANTUM), 0x01); /* shorter, too */
	ck_assert_uint_eq(pfc_gate_held(&gate, 106 * QUANTUM), 0);
}

TEST(gate__times_differ_by_class)
{
	struct pause_frame frame = { .enabled = 0x07, .quanta = { 5, 0, 9, 7 } };

	take(0x02, 100, 0);
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 0), 0x07);
	ck_assert_uint_eq(pfc_gate_held(&gate, 0), 0x05);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 0), 5 * QUANTUM);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0x04, 0), 9 * QUANTUM);
}

TEST(gate__pause_is_another_matter_than_pfc)
{
	take(0x01, 100, 0);
	ck_assert_uint_eq(take_port(10, 0), 0xff);
	ck_assert_uint_eq(pfc_gate_held(&gate, 0), 0xff);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0x80, 0), 10 * QUANTUM);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0x01, 0), 100 * QUANTUM);
	take(0x02, 0, 0); /* XON of PFC does not end PAUSE */
	ck_assert_uint_eq(pfc_gate_held(&gate, 0), 0xff);
	ck_assert_uint_eq(take_port(0, QUANTUM), 0xff); /* nor PAUSE 0 PFC */
	ck_assert_uint_eq(pfc_gate_held(&gate, QUANTUM), 0x01);
}

/* RC-5: a time counts only if its bit in the vector is set [802.1Qbb], so without a bit none
 * does */
TEST(gate__no_priority_means_nothing)
{
	struct pause_frame frame = { .enabled = 0x03, .quanta = { 8, 8 } };

	pfc_gate_init(&gate, 0);
	pfc_gate_take(&gate, &frame, RATE, 0);
	ck_assert_uint_eq(pfc_gate_held(&gate, 0), 0x03);
	frame = (struct pause_frame){ .quanta = { 0 } };
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 0), 0); /* does not let go */
	ck_assert_uint_eq(pfc_gate_held(&gate, 0), 0x03);
	frame = (struct pause_frame){ .quanta = { 9, 9, 9, 9, 9, 9, 9, 9 } };
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 0), 0); /* does not hold */
	ck_assert_uint_eq(pfc_gate_held(&gate, 0), 0x03);
	ck_assert_uint_eq(pfc_gate_held(&gate, 8 * QUANTUM), 0);
}

/* RC-10, RC-11: only where path-level PFC has the form that leaves the choice to the device */
TEST(unnamed__form_none_only)
{
	struct roce_config roce = {
		.path_pause = true,
		.classes = { [1] = { .lossless = true }, [3] = { .lossless = true } }
	};

	for (uint32_t form = 0; form < PATH_PAUSE_FORMS; form++) {
		roce.path_form = (enum path_pause_form)form;
		ck_assert_uint_eq(pfc_unnamed(&roce, 8), form == PATH_PAUSE_NONE ? 0x0a : 0);
	}
	roce.path_form = PATH_PAUSE_NONE;
	ck_assert_uint_eq(pfc_unnamed(&roce, 3), 0x02);
	roce.path_pause = false;
	ck_assert_uint_eq(pfc_unnamed(&roce, 8), 0);
}

TEST(gate__no_priority_means_the_unnamed_classes)
{
	struct pause_frame frame = { .quanta = { 8, 1, 2 } };

	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 0), 0x0a); /* RC-10 */
	ck_assert_uint_eq(pfc_gate_held(&gate, 8 * QUANTUM - 1), 0x0a);
	frame.quanta[0] = 0;
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, QUANTUM), 0x0a);
	ck_assert_uint_eq(pfc_gate_held(&gate, QUANTUM), 0);
}

TEST(teller__news_at_once)
{
	struct pause_frame frame;

	ck_assert_uint_eq(pfc_teller_due_at(&teller), NODE_TIME_NEVER);
	pfc_teller_want(&teller, 3, true);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 0); /* RC-5 */
	frame = pfc_teller_frame(&teller, RATE, 7);
	ck_assert(!frame.port);
	ck_assert_uint_eq(frame.enabled, 0x08);
	ck_assert_uint_eq(frame.quanta[3], PAUSE_QUANTA_MAX);
	pfc_teller_want(&teller, 3, true); /* no news */
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 7 + FULL / 2);
	pfc_teller_want(&teller, 3, false);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 0);
	frame = pfc_teller_frame(&teller, RATE, 9);
	ck_assert_uint_eq(frame.enabled, 0x08);
	ck_assert_uint_eq(frame.quanta[3], 0);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), NODE_TIME_NEVER);
}

TEST(teller__change_of_mind_is_no_news)
{
	pfc_teller_want(&teller, 3, true);
	pfc_teller_want(&teller, 3, false);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), NODE_TIME_NEVER);
}

TEST(teller__refreshes_at_half_the_time)
{
	struct pause_frame frame;

	pfc_teller_want(&teller, 0, true);
	pfc_teller_frame(&teller, RATE, 0);
	frame = pfc_teller_frame(&teller, RATE, FULL / 2);
	ck_assert_uint_eq(frame.enabled, 0x01);
	ck_assert_uint_eq(frame.quanta[0], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), FULL / 2 + FULL / 2);
}

TEST(teller__news_refreshes_the_others)
{
	struct pause_frame frame;

	pfc_teller_want(&teller, 0, true);
	pfc_teller_frame(&teller, RATE, 0);
	pfc_teller_want(&teller, 1, true);
	frame = pfc_teller_frame(&teller, RATE, 1000);
	ck_assert_uint_eq(frame.enabled, 0x03);
	pfc_teller_want(&teller, 0, false);
	frame = pfc_teller_frame(&teller, RATE, 2000);
	ck_assert_uint_eq(frame.enabled, 0x03);
	ck_assert_uint_eq(frame.quanta[0], 0);
	ck_assert_uint_eq(frame.quanta[1], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 2000 + FULL / 2);
}

TEST(teller__what_it_says_the_gate_obeys)
{
	struct pause_frame frame;

	pfc_teller_want(&teller, 5, true);
	for (node_time_t now = 0; now < 4 * FULL; now = pfc_teller_due_at(&teller)) {
		frame = pfc_teller_frame(&teller, RATE, now);
		pfc_gate_take(&gate, &frame, RATE, now);
		/* without a break */
		ck_assert_uint_eq(pfc_gate_held(&gate, pfc_teller_due_at(&teller)), 0x20);
	}
	pfc_teller_want(&teller, 5, false);
	frame = pfc_teller_frame(&teller, RATE, 4 * FULL);
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 4 * FULL), 0x20);
	ck_assert_uint_eq(pfc_gate_held(&gate, 4 * FULL), 0);
}

TEST(teller__pause_stops_the_port)
{
	struct pause_frame frame;

	pfc_teller_init(&teller, true);
	pfc_teller_want(&teller, 2, true);
	frame = pfc_teller_frame(&teller, RATE, 0);
	ck_assert(frame.port);
	ck_assert_uint_eq(frame.quanta[0], PAUSE_QUANTA_MAX);
	pfc_teller_want(&teller, 4, true); /* the port stands already */
	ck_assert_uint_eq(pfc_teller_due_at(&teller), FULL / 2);
	pfc_teller_want(&teller, 2, false); /* and still has to */
	ck_assert_uint_eq(pfc_teller_due_at(&teller), FULL / 2);
	pfc_teller_want(&teller, 4, false);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 0);
	frame = pfc_teller_frame(&teller, RATE, 0);
	ck_assert(frame.port);
	ck_assert_uint_eq(frame.quanta[0], 0);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), NODE_TIME_NEVER);
}

/* the full time lasts longer where its renewal may come late; a shorter one, and the word to go on,
 * mean what they say */
TEST(gate__late_renewal)
{
	gate.late_ps = NODE_MS;
	take(0x04, PAUSE_QUANTA_MAX, 0);
	ck_assert_uint_eq(pfc_gate_held(&gate, FULL + NODE_MS - 1), 0x04);
	ck_assert_uint_eq(pfc_gate_held(&gate, FULL + NODE_MS), 0);
	take(0x04, PAUSE_QUANTA_MAX - 1, 0);
	ck_assert_uint_eq(pfc_gate_held(&gate, FULL - QUANTUM), 0);
	take_port(PAUSE_QUANTA_MAX, 0);
	ck_assert_uint_eq(pfc_gate_held(&gate, FULL + NODE_MS - 1), 0xff);
	take_port(0, FULL);
	ck_assert_uint_eq(pfc_gate_held(&gate, FULL), 0);
}

/* only the real clock makes anybody late; and where the word to go on may be lost, time has to end
 * a pause */
TEST(late__real_clock_without_loss)
{
	struct port_config port = { .mtu_bytes = 1514 };
	struct node_config config = { .clock = CLOCK_VIRTUAL, .ports = &port };

	ck_assert_uint_eq(pfc_late_ps(&config, 0), 0);
	config.clock = CLOCK_REAL;
	ck_assert_uint_eq(pfc_late_ps(&config, 0), PFC_LATE_PS);
	port.loss_ppb = 1;
	ck_assert_uint_eq(pfc_late_ps(&config, 0), 0);
	port = (struct port_config){ .bit_error_e15 = 1 };
	ck_assert_uint_eq(pfc_late_ps(&config, 0), 0);
}
