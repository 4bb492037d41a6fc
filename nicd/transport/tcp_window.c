#include "nicd/transport/tcp_window.h"

#include "nodes/base/number.h"

#define DUPLICATES 3u    /* RFC 5681 */
#define THRESHOLD_MIN 2u /* RFC 5681, equation 4 */
#define BACKOFF_MAX 16u
#define RTO_INITIAL_FACTOR 3u /* RFC 6298, 2.2: R + 4 (R / 2) */

void tcp_window_init(struct tcp_window *window, const struct tcp_config *config)
{
	*window = (struct tcp_window){
		.timed_ps = NODE_TIME_NEVER,
		.window_packets = config->initial_packets,
		.threshold = UINT32_MAX,
	};
}

void tcp_window_sent(struct tcp_window *window, uint64_t packet, bool again, node_time_t now)
{
	if (again) {
		window->timed_ps = NODE_TIME_NEVER;
	} else if (window->timed_ps == NODE_TIME_NEVER && !window->recovering) {
		window->timed = packet;
		window->timed_ps = now;
	}
}

/* ---- round trips ---- */

/* RFC 6298, 2.2 and 2.3 */
static void round_trip(struct tcp_window *window, node_time_t took_ps)
{
	node_time_t error_ps;

	/* only now: else a path that is longer than the timeout would never be measured [5] */
	window->backoff = 0;
	if (!window->smoothed_ps) {
		window->smoothed_ps = took_ps;
		window->variation_ps = took_ps / 2;
		return;
	}
	error_ps = window->smoothed_ps > took_ps ? window->smoothed_ps - took_ps
						 : took_ps - window->smoothed_ps;
	window->variation_ps = (3 * window->variation_ps + error_ps) / 4;
	window->smoothed_ps = (7 * window->smoothed_ps + took_ps) / 8;
}

/* The shortest timeout is also what one is longer than the round trip at least, as in Linux.
 * RFC 6298, 2.3 has the granularity of the clock there: with none, a constant round trip would time
 * out at once. */
node_time_t tcp_window_rto_ps(const struct tcp_window *window, const struct tcp_config *config)
{
	node_time_t rto_ps = window->smoothed_ps
				     ? window->smoothed_ps + node_time_max(4 * window->variation_ps,
									   config->rto_min_ps)
				     : RTO_INITIAL_FACTOR * config->rto_min_ps;

	rto_ps = number_min(rto_ps, TCP_RTO_MAX);
	return number_min(rto_ps << window->backoff, TCP_RTO_MAX);
}

/* ---- growing and shrinking ---- */

/* the most that was in flight within this round trip and the one before */
static void usage(struct tcp_window *window, const struct tcp_heard *heard)
{
	uint32_t flight = (uint32_t)(heard->top - heard->before);

	if (flight > window->used)
		window->used = flight;
	if (heard->packet < window->round_until)
		return;
	window->used_before = window->used;
	window->used = flight;
	window->round_until = heard->top;
}

static void grow(struct tcp_window *window, const struct tcp_config *config, uint64_t packets)
{
	if (window->window_packets >= config->window_packets_max ||
	    window->window_packets >= 2ull * number_max32(window->used, window->used_before))
		return;
	if (window->window_packets < window->threshold) {
		window->window_packets++;
		return;
	}
	window->growth += (uint32_t)number_min(packets, window->window_packets);
	if (window->growth < window->window_packets)
		return;
	window->growth -= window->window_packets;
	window->window_packets++;
}

/* ssthresh after a loss, when @flight may be in flight: half of it. But not of what waits after a
 * hole or was sent before a timeout, which the window does not cover [as in BSD: the lesser of
 * the window and what is out]. */
static uint32_t half(const struct tcp_window *window, uint64_t flight)
{
	return number_max32((uint32_t)number_min(flight, window->window_packets) / 2,
			    THRESHOLD_MIN);
}

/* does the ACK say more than that all had arrived which was sent when something happened? RFC
 * 6582's "covers more than recover" */
static bool is_beyond(uint64_t packet, uint64_t top_then)
{
	return !top_then || packet > top_then;
}

/* a loss in a window of which a mark has cut the window does not do so again [RFC 3168, 6.1.2] */
static void recovery_begin(struct tcp_window *window, const struct tcp_config *config,
			   const struct tcp_heard *heard)
{
	if (heard->packet >= window->cut_until)
		window->threshold = half(window, heard->top - heard->packet);
	window->reduced |= config->ecn;
	window->window_packets = window->threshold + DUPLICATES;
	window->growth = 0;
	window->recover = heard->top;
	window->recovering = true;
	window->patience = false;
	window->timed_ps = NODE_TIME_NEVER;
}

/* everything is acknowledged that was in flight when the loss was found */
static void recovery_end(struct tcp_window *window, const struct tcp_heard *heard)
{
	uint64_t flight = heard->top - heard->packet;

	window->window_packets = (uint32_t)number_min(window->threshold, (flight ? flight : 1) + 1);
	window->recovering = false;
}

/* a partial ACK: what it acknowledged has left the network, one goes in its place */
static void deflate(struct tcp_window *window, uint64_t packets)
{
	window->window_packets -= (uint32_t)number_min(packets, window->window_packets - 1);
	window->window_packets++;
}

/* ---- ACKs ---- */

static struct tcp_answer on_duplicate(struct tcp_window *window, const struct tcp_config *config,
				      const struct tcp_heard *heard)
{
	struct tcp_answer answer = { 0 };

	window->duplicates++;
	if (window->recovering) {
		window->window_packets++;
	} else if (window->duplicates == DUPLICATES && is_beyond(heard->packet, window->recover)) {
		recovery_begin(window, config, heard);
		answer.resend = answer.restart_timer = true;
	}
	return answer;
}

static struct tcp_answer on_progress(struct tcp_window *window, const struct tcp_config *config,
				     const struct tcp_heard *heard, node_time_t now)
{
	uint64_t packets = heard->packet - heard->before;
	struct tcp_answer answer = { .restart_timer = true };

	window->duplicates = 0;
	window->timed_out = false;
	usage(window, heard);
	if (window->timed_ps != NODE_TIME_NEVER && heard->packet > window->timed) {
		round_trip(window, now - window->timed_ps);
		window->timed_ps = NODE_TIME_NEVER;
	}
	if (!window->recovering) {
		/* RFC 3168, 6.1.2. But CWR goes with new packets only, so what is sent again after
		 * a timeout is answered with ECE all the time */
		if (!heard->echo || !is_beyond(heard->packet, window->recover))
			grow(window, config, packets);
	} else if (heard->packet >= window->recover) {
		recovery_end(window, heard);
	} else {
		deflate(window, packets);
		answer.resend = true;
		answer.restart_timer = !window->patience;
		window->patience = true;
	}
	return answer;
}

/* RFC 3168, 6.1.2: once a window, and not on top of a loss */
static bool on_echo(struct tcp_window *window, const struct tcp_heard *heard)
{
	if (window->recovering || !is_beyond(heard->packet, window->cut_until) ||
	    !is_beyond(heard->packet, window->recover))
		return false;
	window->threshold = half(window, UINT64_MAX);
	window->window_packets = (uint32_t)number_min(window->window_packets, window->threshold);
	window->growth = 0;
	window->cut_until = heard->top;
	window->reduced = true;
	return true;
}

struct tcp_answer tcp_window_ack(struct tcp_window *window, const struct tcp_config *config,
				 const struct tcp_heard *heard, node_time_t now)
{
	bool reduced = heard->echo && on_echo(window, heard);
	struct tcp_answer answer = { 0 };

	if (heard->packet != heard->before)
		answer = on_progress(window, config, heard, now);
	else if (heard->top != heard->packet)
		answer = on_duplicate(window, config, heard);
	answer.reduced = reduced;
	return answer;
}

void tcp_window_timeout(struct tcp_window *window, uint64_t acknowledged, uint64_t top)
{
	/* a packet that is lost again does not halve it again [RFC 5681], nor does one whose loss
	 * has done so */
	if (!window->timed_out && !window->recovering)
		window->threshold = half(window, top - acknowledged);
	window->window_packets = 1;
	window->growth = 0;
	window->recover = top;
	window->recovering = false;
	window->timed_out = true;
	window->duplicates = 0;
	window->timed_ps = NODE_TIME_NEVER;
	if (window->backoff < BACKOFF_MAX)
		window->backoff++;
}
