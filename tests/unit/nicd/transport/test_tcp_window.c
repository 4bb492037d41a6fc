/*  nicd/transport/tcp_window: how a TCP window grows, what cuts it, and what is sent again and when
 *  (RC-6). */
#include <stdlib.h>

#include "nicd/transport/tcp_window.h"
#include "tests/testing.h"

static struct tcp_config config;
static struct tcp_window window;
static uint64_t una, top; /* as the sender keeps them */
static node_time_t now;

static void start(void)
{
	config = (struct tcp_config){ .initial_packets = 10,
				      .window_packets_max = 1024,
				      .rto_min_ps = NODE_MS };
	una = top = now = 0;
	tcp_window_init(&window, &config);
}

/* sends as much as the window allows */
static void fill(void)
{
	while (top - una < tcp_window_packets(&window, &config))
		tcp_window_sent(&window, top++, false, now);
}

static struct tcp_answer ack_with(uint64_t packet, bool echo)
{
	struct tcp_heard heard = { .before = una, .packet = packet, .top = top, .echo = echo };

	una = packet;
	return tcp_window_ack(&window, &config, &heard, now);
}

static struct tcp_answer ack(uint64_t packet)
{
	return ack_with(packet, false);
}

/* @count round trips without a loss */
static void round_trips(uint32_t count)
{
	while (count--) {
		uint64_t until;

		fill();
		now += 100 * NODE_US;
		for (until = top; una < until;)
			ack(una + 1);
	}
	fill();
}

/* three duplicate ACKs */
static void lose_first(void)
{
	ck_assert(!ack(una).resend);
	ck_assert(!ack(una).resend);
	ck_assert(ack(una).resend);
	tcp_window_sent(&window, una, true, now);
}

/* one packet more for each ACK: doubled in a round trip, up to the limit */
TEST(tcp_window_ack__slow_start)
{
	start();
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 10);
	round_trips(1);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 20);
	round_trips(1);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 40);
	round_trips(10);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 1024);
	ck_assert_uint_eq(window.window_packets, 1024);
}

TEST(tcp_window_ack__congestion_avoidance)
{
	start();
	window.threshold = 10;
	for (uint32_t i = 0; i < 50; i++) {
		ck_assert_uint_eq(tcp_window_packets(&window, &config), 10 + i);
		round_trips(1);
	}
}

/* a window that is not used does not grow */
TEST(tcp_window_ack__unused_window_does_not_grow)
{
	start();
	for (uint32_t i = 0; i < 100; i++) {
		tcp_window_sent(&window, top++, false, now);
		ack(top);
	}
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 10);
}

/* one loss: the third duplicate ACK sends it again, further ones permit new packets, and the full
 * ACK leaves half the window */
TEST(tcp_window_ack__fast_retransmit_halves)
{
	start();
	round_trips(2);
	ck_assert_uint_eq(top - una, 40);
	lose_first();
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 23);
	for (uint32_t i = 4; i < 40; i++)
		ck_assert(!ack(una).resend);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 20 + 39);
	fill();
	ck_assert_uint_eq(top - una, 59);
	ack(una + 40);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 20);
	ck_assert(!window.recovering);
	ack(una + 1);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 20); /* congestion avoidance */
}

/* several losses in a window: a partial ACK names the next gap; only the first one restarts the
 * timer */
TEST(tcp_window_ack__partial_ack_names_the_next_gap)
{
	struct tcp_answer answer;

	start();
	round_trips(2);
	lose_first();
	answer = ack(una + 5);
	ck_assert(answer.resend && answer.restart_timer);
	ck_assert(window.recovering);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 23 - 5 + 1);
	answer = ack(una + 5);
	ck_assert(answer.resend && !answer.restart_timer);
	ck_assert_uint_eq(window.threshold, 20); /* halved once */
	answer = ack(una + 30);
	ck_assert(!answer.resend && answer.restart_timer);
	ck_assert(!window.recovering);
}

/* duplicate ACKs after a timeout come from what was sent twice, not from a new loss [RFC 6582,
 * 4.1] */
TEST(tcp_window_timeout__no_false_retransmit)
{
	start();
	round_trips(2);
	tcp_window_timeout(&window, una, top);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 1);
	ck_assert_uint_eq(window.threshold, 20);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert(!ack(una).resend);
	ack(top);
	fill();
	for (uint32_t i = 0; i < 5; i++)
		ck_assert(!ack(una).resend); /* all of the old ones, and no more */
	ack(una + 1);
	fill();
	lose_first();
}

/* RFC 6298: first 3 rto_min; then SRTT + 4 RTTVAR; doubled by each timeout, and reset when a round
 * trip is measured again */
TEST(tcp_window_rto_ps__follows_the_formula)
{
	start();
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), 3 * NODE_MS);
	tcp_window_sent(&window, top++, false, now);
	now += 8 * NODE_MS;
	ack(1);
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), 24 * NODE_MS);
	tcp_window_sent(&window, top++, false, now);
	now += 16 * NODE_MS;
	ack(2); /* RTTVAR 3/4 4 + 1/4 8, SRTT 7/8 8 + 1/8 16 */
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), 9 * NODE_MS + 4 * 5 * NODE_MS);
	tcp_window_sent(&window, top++, false, now);
	tcp_window_timeout(&window, una, top);
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), 58 * NODE_MS);
	tcp_window_timeout(&window, una, top);
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), 116 * NODE_MS);
	ck_assert_uint_eq(window.threshold, 2);
	for (uint32_t i = 0; i < 100; i++)
		tcp_window_timeout(&window, una, top);
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), TCP_RTO_MAX);
	ack(3); /* of a packet that was sent more than once */
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), TCP_RTO_MAX);
	tcp_window_sent(&window, top++, false, now);
	now += 9 * NODE_MS;
	ack(4); /* RTTVAR 3/4 5 */
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), 24 * NODE_MS);
}

/* the queue is longer than the first timeout: some packets are sent twice, then the timeout fits */
TEST(tcp_window_rto_ps__adapts_to_a_long_queue)
{
	node_time_t sent_ps = 0;
	uint32_t timeouts = 0;

	start();
	for (uint32_t i = 0; i < 20; i++) {
		tcp_window_sent(&window, top++, false, now);
		for (sent_ps = now;;) {
			node_time_t rto_ps = tcp_window_rto_ps(&window, &config);

			if (now + rto_ps >= sent_ps + 30 * NODE_MS)
				break;
			now += rto_ps;
			tcp_window_timeout(&window, una, top);
			tcp_window_sent(&window, una, true, now);
			timeouts++;
		}
		now = sent_ps + 30 * NODE_MS;
		ack(top);
	}
	ck_assert_uint_ge(timeouts, 1);
	ck_assert_uint_le(timeouts, 4);
	ck_assert_uint_eq(window.smoothed_ps, 30 * NODE_MS);
	ck_assert_uint_ge(tcp_window_rto_ps(&window, &config), 31 * NODE_MS);
}

/* the loss of another packet halves the window again, even without a measured round trip in between
 * [RFC 5681] */
TEST(tcp_window_timeout__another_loss_halves_again)
{
	start();
	round_trips(2);
	tcp_window_timeout(&window, una, top);
	ck_assert_uint_eq(window.threshold, 20);
	tcp_window_timeout(&window, una, top);
	ck_assert_uint_eq(window.threshold, 20);
	for (uint32_t i = 0; i < 10; i++)
		ack(una + 1);
	tcp_window_timeout(&window, una, top);
	ck_assert_uint_lt(window.threshold, 20);
}

/* a round trip that never varies does not time out */
TEST(tcp_window_rto_ps__has_a_minimum)
{
	start();
	round_trips(20);
	ck_assert_uint_eq(tcp_window_rto_ps(&window, &config), 100 * NODE_US + NODE_MS);
	ck_assert_uint_eq(window.smoothed_ps, 100 * NODE_US);
}

/* Karn: a packet that is sent again is not timed */
TEST(tcp_window_sent__again_is_not_timed)
{
	start();
	tcp_window_sent(&window, top++, false, now);
	tcp_window_timeout(&window, una, top);
	tcp_window_sent(&window, 0, true, now);
	now += NODE_S;
	ack(1);
	ck_assert_uint_eq(window.smoothed_ps, 0);
}

/* RFC 3168: half, once a window, and CWR is due */
TEST(tcp_window_ack__echo_halves_once_a_window)
{
	start();
	round_trips(2);
	ck_assert(ack_with(una + 1, true).reduced);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 20);
	ck_assert(window.reduced);
	/* nor does an ACK with ECE enlarge the window */
	for (uint64_t until = top; una < until;)
		ck_assert(!ack_with(una + 1, true).reduced);
	ck_assert_uint_eq(tcp_window_packets(&window, &config), 20);
	fill();
	ck_assert(ack_with(una + 1, true).reduced);
	ck_assert_uint_le(tcp_window_packets(&window, &config), 11);
	for (uint32_t i = 0; i < 1000; i++) {
		fill();
		ack_with(una + 1, true);
	}
	ck_assert_uint_eq(window.threshold, 2);
}

/* RFC 3168, 6.1.2: marks and losses of one window cut it once, in either order, and CWR is due
 * after a loss, too */
TEST(tcp_window_ack__mark_then_loss_cut_once)
{
	start();
	round_trips(2);
	ck_assert(ack_with(una + 1, true).reduced);
	ck_assert_uint_eq(window.threshold, 20);
	lose_first();
	ck_assert(window.recovering);
	ck_assert_uint_eq(window.threshold, 20);
}

TEST(tcp_window_ack__loss_then_mark_cut_once)
{
	start();
	config.ecn = true;
	round_trips(2);
	lose_first();
	ck_assert_uint_eq(window.threshold, 20);
	ck_assert(window.reduced);
	for (uint64_t until = top; una < until;)
		ck_assert(!ack_with(una + 1, true).reduced);
	ck_assert_uint_eq(window.threshold, 20);
}

/* a mark does not enlarge a window of one packet */
TEST(tcp_window_ack__echo_with_one_packet)
{
	start();
	window.window_packets = 1;
	tcp_window_sent(&window, top++, false, now);
	ck_assert(ack_with(una + 1, true).reduced);
	ck_assert_uint_eq(window.window_packets, 1);
}

/* after a timeout the receiver says ECE until CWR, which goes with new packets only: what is sent
 * again is in slow start all the same */
TEST(tcp_window_timeout__slow_start_with_echo)
{
	start();
	config.ecn = true;
	round_trips(2);
	tcp_window_timeout(&window, una, top);
	ck_assert_uint_eq(window.window_packets, 1);
	for (uint32_t i = 0; i < 8; i++)
		ck_assert(!ack_with(una + 1, true).reduced);
	ck_assert_uint_ge(window.window_packets, 8);
}
