/*  nicd/transport/swift_control: Swift, compared with the rules of its paper in floating point,
 *  which share no code with it (RC-16). */
#include "nicd/transport/swift_control.h"

#include <math.h>
#include <string.h>

#include "tests/testing.h"

#define FRAME_BYTES 1250u /* on the link */
#define RTT_PS (40 * NODE_US)

static struct node_config config;
static struct swift_shared shared;
static struct swift_flow flow;

static struct congestion_flow opened(void)
{
	return (struct congestion_flow){ .timer_ps = NODE_TIME_NEVER,
					 .window_packets = 1u << 20,
					 .window_packets_max = 1u << 20,
					 .packet_bytes = 1024,
					 .frame_bytes = FRAME_BYTES };
}

static void setup(void)
{
	config = (struct node_config){ .roce = { .swift = {
							 .base_target_ps = 20 * NODE_US,
							 .hop_ps = 3 * NODE_US,
							 .fs_range_ps = 100 * NODE_US,
							 .fs_min_ppm = 100000,
							 .fs_max_ppm = 100000000,
							 .ai_ppm = 1000000,
							 .beta_ppm = 800000,
							 .mdf_max_ppm = 500000,
							 .cwnd_min_ppm = 1000,
							 .cwnd_max_ppm = 1000000000,
							 .cwnd_initial_ppm = 10000000,
							 .retransmits = 5,
						 } } };
	swift_control.init(&shared, &config, 100000000000ull);
	flow = (struct swift_flow){ .base = opened() };
	swift_control.open(&shared, &flow.base, 0);
}

static double window(void)
{
	return (double)flow.cwnd / SWIFT_ONE;
}

static void window_is(double packets)
{
	ck_assert_double_eq_tol(window(), packets, 1e-5 * packets + 1e-6);
}

static void window_set(double packets)
{
	flow.cwnd = (uint64_t)(packets * SWIFT_ONE);
}

static void ack(uint32_t packets, node_time_t rtt_ps, uint32_t hops, node_time_t now)
{
	const struct congestion_ack said = {
		.packets = packets, .bytes = 1024ull * packets, .rtt_ps = rtt_ps, .hops = hops
	};

	swift_control.on_ack(&shared, &flow.base, &said, now);
}

static double clamped(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* the target delay of the paper, in us */
static double target_us(double packets, double hops)
{
	double a = 100 / (1 / sqrt(0.1) - 1 / sqrt(100)), b = -a / sqrt(100);

	return 20 + 3 * hops + clamped(a / sqrt(packets) + b, 0, 100);
}

TEST_GROUP(swift, .setup = setup);

/* ---- target ---- */

/* RC-16: base, hops, and more for small windows, between fs_min and fs_max */
TEST(swift_target_ps__follows_the_formula)
{
	const double windows[] = {
		0.001, 0.05, 0.1, 0.2, 0.5, 1, 2, 3.7, 10, 40, 99, 100, 101, 900
	};

	for (uint32_t i = 0; i < COUNT_OF(windows); i++)
		for (uint32_t hops = 0; hops < 7; hops += 3)
			ck_assert_double_eq_tol(
				(double)swift_target_ps(&shared, (uint64_t)(windows[i] * SWIFT_ONE),
							hops) /
					1e6,
				target_us(windows[i], hops), 0.01);
	ck_assert_uint_eq(swift_target_ps(&shared, SWIFT_ONE / 100, 0), 120 * NODE_US);
	ck_assert_uint_eq(swift_target_ps(&shared, 100 * SWIFT_ONE, 2), 26 * NODE_US);
}

/* fs-min and fs-max whose roots are equal: nothing is added between them */
TEST(swift_target_ps__steep_curve_adds_nothing)
{
	config.roce.swift.fs_min_ppm = 99999900;
	swift_control.init(&shared, &config, 100000000000ull);
	for (uint64_t below = 0; below <= 2000; below++) {
		uint64_t added_ps = swift_target_ps(&shared, 100 * (uint64_t)SWIFT_ONE - below, 0) -
				    20 * NODE_US;

		ck_assert(!added_ps || added_ps == 100 * NODE_US);
		ck_assert(below || !added_ps);
		ck_assert(below < 1700 || added_ps);
	}
}

/* RC-16: more hops allow a larger delay */
TEST(swift__more_hops_allow_more_delay)
{
	node_time_t rtt_ps = swift_target_ps(&shared, 10 * SWIFT_ONE, 1);

	ack(1, rtt_ps, 2, RTT_PS);
	window_is(10.1);
	setup();
	ack(1, rtt_ps, 1, RTT_PS);
	window_is(10); /* at the target: decreased by nothing */
	setup();
	ack(1, rtt_ps, 0, RTT_PS);
	ck_assert(window() < 10);
}

/* ---- increase and decrease ---- */

/* RC-16: a packet more per acknowledged window; below one packet, a packet per packet */
TEST(swift__adds_a_packet_per_window)
{
	double model = 10;

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t packets = 1 + i % 16;

		ack(packets, 10 * NODE_US, 0, i * NODE_US);
		model += packets / model;
		window_is(model);
		ck_assert_uint_eq(flow.base.window_packets, (uint32_t)window());
		ck_assert_uint_eq(flow.base.rate_bps, 0);
	}
	window_set(0.25);
	ack(1, 10 * NODE_US, 0, NODE_MS);
	window_is(1.25);
	for (uint32_t i = 0; i < 100; i++)
		ack(1u << 20, 10 * NODE_US, 0, NODE_MS);
	window_is(1000); /* cwnd-max */
}

/* RC-16: a decrease by beta times the relative excess over the target, at most by max-mdf */
TEST(swift__decreases_by_beta_times_the_excess)
{
	for (uint32_t i = 0; i < 40; i++) {
		double rtt_us = 50 + 10 * i, target, cut;

		setup();
		target = target_us(10, 4);
		cut = clamped(0.8 * (rtt_us - target) / rtt_us, 0, 0.5);
		ack(4, (node_time_t)(rtt_us * 1e6), 4, NODE_MS);
		if (rtt_us < target)
			window_is(10.4);
		else
			ck_assert_double_eq_tol(window(), 10 * (1 - cut), 0.002);
	}
}

/* RC-16: at most once per round trip */
TEST(swift__one_decrease_a_round_trip)
{
	const node_time_t rtt_ps = 500 * NODE_US;

	ack(1, rtt_ps, 0, NODE_MS);
	window_is(5);
	for (node_time_t at = 1; at < 500; at += 7) {
		ack(1, rtt_ps, 0, NODE_MS + at * NODE_US);
		swift_control.on_loss(&shared, &flow.base, false, NODE_MS + at * NODE_US);
		window_is(5);
	}
	ack(1, rtt_ps, 0, NODE_MS + rtt_ps);
	window_is(2.5);
	swift_control.on_loss(&shared, &flow.base, false, NODE_MS + 2 * rtt_ps);
	window_is(1.25);
	ack(1, rtt_ps, 0, NODE_MS + 2 * rtt_ps + NODE_US);
	window_is(1.25);
}

/* an ACK without a round trip: no effect before the first one, later as the last one */
TEST(swift__ack_without_round_trip_uses_the_last_one)
{
	ack(16, 0, 0, NODE_US);
	window_is(10);
	ack(1, 10 * NODE_US, 0, 2 * NODE_US);
	window_is(10.1);
	ack(1, 0, 0, 3 * NODE_US);
	window_is(10.1 + 1 / 10.1);
	ack(1, NODE_MS, 0, 4 * NODE_US);
	window_set(8);
	ack(1, 0, 0, 3 * NODE_MS);
	window_is(4);
}

/* ---- below one packet ---- */

/* RC-16: one packet in flight, the next one after rtt / cwnd; from one packet on not paced */
TEST(swift__paced_below_one_packet)
{
	const double windows[] = { 0.9, 0.5, 0.04, 0.002 };

	for (uint32_t i = 0; i < COUNT_OF(windows); i++) {
		double gap_us;

		setup();
		window_set(2 * windows[i]);
		ack(1, NODE_MS, 0, NODE_MS); /* halves it */
		window_is(windows[i]);
		ck_assert_uint_eq(flow.base.window_packets, 1);
		gap_us = (double)node_time_of_bytes(FRAME_BYTES, flow.base.rate_bps) / 1e6;
		ck_assert_double_eq_tol(gap_us, 1000 / windows[i], 1000 / windows[i] * 1e-4);
		ck_assert_uint_eq(swift_control.rate_bps(&shared, &flow.base, NODE_MS),
				  flow.base.rate_bps);
	}
	ack(1, 10 * NODE_US, 0, 2 * NODE_MS);
	window_is(1.002);
	ck_assert_uint_eq(flow.base.rate_bps, 0);
}

/* ---- losses ---- */

/* RC-16: A loss halves the window. So does a timeout, and the fifth in a row sets the smallest
 * window. An ACK restarts this count. */
TEST(swift__losses_cut_the_window)
{
	node_time_t at = NODE_MS;

	for (uint32_t i = 0; i < 4; i++, at += NODE_MS)
		swift_control.on_loss(&shared, &flow.base, true, at);
	window_is(10 / 16.0);
	ack(1, 10 * NODE_US, 0, at);
	window_is(10 / 16.0 + 1);
	for (uint32_t i = 0; i < 4; i++, at += NODE_MS)
		swift_control.on_loss(&shared, &flow.base, true, at);
	ck_assert(window() > 0.1);
	swift_control.on_loss(&shared, &flow.base, true,
			      at - NODE_MS); /* also within a round trip */
	window_is(0.001);
	for (uint32_t i = 0; i < 20; i++)
		swift_control.on_loss(&shared, &flow.base, false, at += NODE_MS);
	window_is(0.001); /* cwnd-min */
}

/* ---- the whole loop ---- */

#define FLOWS 8u

/* N flows with window w fill a queue. Its delay is the target of w where w FRAME N / rate =
 * target(w). */
static double balance(double rate_bps)
{
	double low = 0.1, high = 1000;

	for (uint32_t i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (middle * FRAME_BYTES * 8 * FLOWS / rate_bps * 1e6 < target_us(middle, 2))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* RC-16: Windows converge to where the delay of their queue is their target: the closed formula,
 * within what one round trip adds. */
TEST_RANGE(swift__converges_to_the_target, 0, 3)
{
	const double rates[] = { 10e9, 25e9, 100e9 }, rate_bps = rates[_i];
	const double packet_us = FRAME_BYTES * 8 / rate_bps * 1e6, goal = balance(rate_bps);
	struct swift_flow flows[FLOWS];
	double now_us = 1000, sum_us = 0, sum_windows = 0;
	uint32_t rounds = 0;

	for (uint32_t i = 0; i < FLOWS; i++) {
		flows[i] = (struct swift_flow){ .base = opened() };
		swift_control.open(&shared, &flows[i].base, 0);
	}
	for (uint32_t round = 0; round < 4000; round++) {
		double windows = 0, delay_us;

		for (uint32_t i = 0; i < FLOWS; i++)
			windows += (double)flows[i].cwnd / SWIFT_ONE;
		delay_us = clamped(windows * packet_us, 5, 1e9);
		now_us += delay_us;
		for (uint32_t i = 0; i < FLOWS; i++) {
			flow = flows[i];
			ack(flow.base.window_packets, (node_time_t)(delay_us * 1e6), 2,
			    (node_time_t)(now_us * 1e6));
			flows[i] = flow;
		}
		if (round < 2000)
			continue;
		sum_us += delay_us;
		sum_windows += windows / FLOWS;
		rounds++;
	}
	ck_assert_double_eq_tol(sum_us / rounds, target_us(goal, 2), FLOWS * packet_us);
	ck_assert_double_eq_tol(sum_windows / rounds, goal, 1);
}
