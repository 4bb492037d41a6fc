/*  nodes/link/pfc: quanta, headroom, pauses received from the peer and sent to it (RC-5, RC-11). */
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

/* 100 Gb/s, 100 m of fibre (500 ns), 9216 bytes; the sender obeys within 1 us */
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

/* A sender transmits frames back to back. XOFF is decided when the last bit of a frame has arrived,
 * and a frame of the receiver has just begun, for which the PFC frame waits. All frames that the
 * sender begins before it obeys still arrive. */
TEST_RANGE(headroom__holds_all_that_is_sent_after_xoff, 0, 9)
{
	static const uint64_t rates[] = { 10000000000, 100000000000, 200000000000 };
	static const node_time_t delays[] = { 10 * NODE_NS, 500 * NODE_NS, 50 * NODE_US };
	const node_time_t response = 300 * NODE_NS;
	const uint32_t mtu = 4096, wire = mtu + 4 + GAP;
	uint64_t rate = rates[_i / 3], came = 0, headroom;
	node_time_t delay = delays[_i % 3], frame = node_time_of_bytes(wire, rate);
	node_time_t obeys = frame + node_time_of_bytes(60 + 4 + GAP, rate) + delay + response;

	headroom = pfc_headroom_bytes(rate, delay, response, mtu, GAP);
	/* at the receiver */
	for (node_time_t begun = 0; begun < obeys + delay; begun += frame)
		came += wire;
	ck_assert_uint_le(came, headroom);
	ck_assert_uint_gt(came + wire, headroom); /* not more than needed */
}

TEST(gate__pause_ends_after_its_time)
{
	ck_assert_uint_eq(take(0x06, 10, 1000), 0x06); /* RC-11 */
	ck_assert_uint_eq(pfc_gate_paused(&gate, 1000), 0x06);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 1000 + 10 * QUANTUM - 1), 0x06);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 1000 + 10 * QUANTUM), 0);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 1000), 1000 + 10 * QUANTUM);
	/* none of these is paused */
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xf9, 1000), NODE_TIME_NEVER);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 1000 + 10 * QUANTUM), NODE_TIME_NEVER);
}

TEST(gate__time_0_resumes)
{
	take(0x06, PAUSE_QUANTA_MAX, 0);
	ck_assert_uint_eq(take(0x02, 0, 500), 0x02); /* RC-11 */
	ck_assert_uint_eq(pfc_gate_paused(&gate, 500), 0x04);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 500), FULL);
	ck_assert_uint_eq(take(0x02, 0, 501), 0);      /* the peer said so already */
	ck_assert_uint_eq(take(0x04, 0, FULL + 1), 0); /* no change after it has ended, either */
}

TEST(gate__later_frame_replaces_earlier)
{
	take(0x03, 100, 0);
	ck_assert_uint_eq(take(0x01, 100, 10 * QUANTUM), 0x01);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 105 * QUANTUM), 0x01);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 105 * QUANTUM), 110 * QUANTUM);
	ck_assert_uint_eq(take(0x01, 1, 105 * QUANTUM), 0x01); /* a shorter time, too */
	ck_assert_uint_eq(pfc_gate_paused(&gate, 106 * QUANTUM), 0);
}

TEST(gate__times_differ_by_class)
{
	struct pause_frame frame = { .enabled = 0x07, .quanta = { 5, 0, 9, 7 } };

	take(0x02, 100, 0);
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 0), 0x07);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 0), 0x05);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0xff, 0), 5 * QUANTUM);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0x04, 0), 9 * QUANTUM);
}

TEST(gate__pause_and_pfc_are_separate)
{
	take(0x01, 100, 0);
	ck_assert_uint_eq(take_port(10, 0), 0xff);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 0), 0xff);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0x80, 0), 10 * QUANTUM);
	ck_assert_uint_eq(pfc_gate_next_at(&gate, 0x01, 0), 100 * QUANTUM);
	take(0x02, 0, 0); /* XON of PFC does not end PAUSE */
	ck_assert_uint_eq(pfc_gate_paused(&gate, 0), 0xff);
	ck_assert_uint_eq(take_port(0, QUANTUM), 0xff); /* PAUSE with time 0 does not end PFC */
	ck_assert_uint_eq(pfc_gate_paused(&gate, QUANTUM), 0x01);
}

/* RC-5: a time counts only if its bit in the vector is set [802.1Qbb]; without a bit none does */
TEST(gate__no_priority_has_no_effect)
{
	struct pause_frame frame = { .enabled = 0x03, .quanta = { 8, 8 } };

	pfc_gate_init(&gate, 0);
	pfc_gate_take(&gate, &frame, RATE, 0);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 0), 0x03);
	frame = (struct pause_frame){ .quanta = { 0 } };
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 0), 0); /* does not resume */
	ck_assert_uint_eq(pfc_gate_paused(&gate, 0), 0x03);
	frame = (struct pause_frame){ .quanta = { 9, 9, 9, 9, 9, 9, 9, 9 } };
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 0), 0); /* does not pause */
	ck_assert_uint_eq(pfc_gate_paused(&gate, 0), 0x03);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 8 * QUANTUM), 0);
}

/* RC-10, RC-11: only if the form of path-level PFC leaves the choice to the device */
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
	ck_assert_uint_eq(pfc_gate_paused(&gate, 8 * QUANTUM - 1), 0x0a);
	frame.quanta[0] = 0;
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, QUANTUM), 0x0a);
	ck_assert_uint_eq(pfc_gate_paused(&gate, QUANTUM), 0);
}

TEST(teller__change_is_sent_at_once)
{
	struct pause_frame frame;

	ck_assert_uint_eq(pfc_teller_due_at(&teller), NODE_TIME_NEVER);
	pfc_teller_want(&teller, 3, true);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 0); /* RC-5 */
	frame = pfc_teller_frame(&teller, RATE, 7);
	ck_assert(!frame.port);
	ck_assert_uint_eq(frame.enabled, 0x08);
	ck_assert_uint_eq(frame.quanta[3], PAUSE_QUANTA_MAX);
	pfc_teller_want(&teller, 3, true); /* no change */
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 7 + FULL / 2);
	pfc_teller_want(&teller, 3, false);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 0);
	frame = pfc_teller_frame(&teller, RATE, 9);
	ck_assert_uint_eq(frame.enabled, 0x08);
	ck_assert_uint_eq(frame.quanta[3], 0);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), NODE_TIME_NEVER);
}

TEST(teller__withdrawn_change_is_not_sent)
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

TEST(teller__change_refreshes_the_others)
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

TEST(teller__gate_of_the_peer_obeys)
{
	struct pause_frame frame;

	pfc_teller_want(&teller, 5, true);
	for (node_time_t now = 0; now < 4 * FULL; now = pfc_teller_due_at(&teller)) {
		frame = pfc_teller_frame(&teller, RATE, now);
		pfc_gate_take(&gate, &frame, RATE, now);
		/* without a gap */
		ck_assert_uint_eq(pfc_gate_paused(&gate, pfc_teller_due_at(&teller)), 0x20);
	}
	pfc_teller_want(&teller, 5, false);
	frame = pfc_teller_frame(&teller, RATE, 4 * FULL);
	ck_assert_uint_eq(pfc_gate_take(&gate, &frame, RATE, 4 * FULL), 0x20);
	ck_assert_uint_eq(pfc_gate_paused(&gate, 4 * FULL), 0);
}

TEST(teller__pause_stops_the_port)
{
	struct pause_frame frame;

	pfc_teller_init(&teller, true);
	pfc_teller_want(&teller, 2, true);
	frame = pfc_teller_frame(&teller, RATE, 0);
	ck_assert(frame.port);
	ck_assert_uint_eq(frame.quanta[0], PAUSE_QUANTA_MAX);
	pfc_teller_want(&teller, 4, true); /* the port is paused already */
	ck_assert_uint_eq(pfc_teller_due_at(&teller), FULL / 2);
	pfc_teller_want(&teller, 2, false); /* and stays paused */
	ck_assert_uint_eq(pfc_teller_due_at(&teller), FULL / 2);
	pfc_teller_want(&teller, 4, false);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), 0);
	frame = pfc_teller_frame(&teller, RATE, 0);
	ck_assert(frame.port);
	ck_assert_uint_eq(frame.quanta[0], 0);
	ck_assert_uint_eq(pfc_teller_due_at(&teller), NODE_TIME_NEVER);
}

/* If its renewal may be late, the full time lasts longer. A shorter time and XON are exact. */
TEST(gate__late_renewal_keeps_the_pause)
{
	gate.late_ps = NODE_MS;
	take(0x04, PAUSE_QUANTA_MAX, 0);
	ck_assert_uint_eq(pfc_gate_paused(&gate, FULL + NODE_MS - 1), 0x04);
	ck_assert_uint_eq(pfc_gate_paused(&gate, FULL + NODE_MS), 0);
	take(0x04, PAUSE_QUANTA_MAX - 1, 0);
	ck_assert_uint_eq(pfc_gate_paused(&gate, FULL - QUANTUM), 0);
	take_port(PAUSE_QUANTA_MAX, 0);
	ck_assert_uint_eq(pfc_gate_paused(&gate, FULL + NODE_MS - 1), 0xff);
	take_port(0, FULL);
	ck_assert_uint_eq(pfc_gate_paused(&gate, FULL), 0);
}

/* Only under the real clock is a renewal late. If XON may be lost, time must end the pause. */
TEST(late__only_real_clock_without_loss)
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

/* a record may capture more than a frame has, or less */
TEST(pfc_frame_read__of_any_length)
{
	static const uint8_t mac[6] = { 2 };
	struct pause_frame frame = { .enabled = 4, .quanta[2] = 77 }, read;
	uint8_t bytes[4 * PAUSE_FRAME_BYTES] = { 0 };

	pause_frame_write(&frame, mac, bytes);
	ck_assert_int_eq(pfc_frame_read(bytes, sizeof(bytes), &read), 0);
	ck_assert_uint_eq(read.enabled, 4);
	ck_assert_uint_eq(read.quanta[2], 77);
	ck_assert_int_eq(pfc_frame_read(bytes, PAUSE_FRAME_BYTES, &read), 0);
	ck_assert_int_ne(pfc_frame_read(bytes, 20, &read), 0);
	ck_assert_int_ne(pfc_frame_read(bytes, 0, &read), 0);
}
