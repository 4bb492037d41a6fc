/*  right_control - a right answer to lab 13: a window that follows the delay, paced, so that it can
 *  be less than a packet in a round trip. Once in a round trip it grows by half a packet, or falls
 *  by a quarter if the round trip is QUEUE_NS longer than the least one. For lab_answers.py. */
#include <heddle/congestion_control.h>

#define ONE 1000000u /* a packet, in the unit of `window` */
#define QUEUE_NS 12000u
#define NS_PER_S 1000000000u

struct state {
	uint64_t window; /* in millionths of a packet */
	uint64_t change_ns;
	uint64_t least_ns; /* round trip; 0: none yet */
};

static void decide(struct heddle_flow *flow, uint64_t window)
{
	struct state *state = flow->state;

	state->window = window < ONE / 8 ? ONE / 8 : window > 64 * ONE ? 64 * ONE : window;
	flow->window_packets = state->window < ONE ? 1 : (uint32_t)(state->window / ONE);
	flow->rate_bps = flow->line_bps;
	if (state->least_ns) {
		uint64_t bits = state->window * flow->frame_bytes * 8 / ONE;
		uint64_t rate = bits * NS_PER_S / state->least_ns * 5 / 4;

		if (rate < flow->line_bps)
			flow->rate_bps = rate;
	}
}

static void start(struct heddle_flow *flow)
{
	decide(flow, 2 * ONE);
}

static void on_ack(struct heddle_flow *flow, const struct heddle_ack *ack)
{
	struct state *state = flow->state;

	if (!ack->rtt_ns)
		return;
	if (!state->least_ns || ack->rtt_ns < state->least_ns)
		state->least_ns = ack->rtt_ns;
	if (flow->now_ns - state->change_ns < ack->rtt_ns)
		return;
	state->change_ns = flow->now_ns;
	if (ack->rtt_ns > state->least_ns + QUEUE_NS)
		decide(flow, state->window - state->window / 4);
	else
		decide(flow, state->window + ONE / 2);
}

const struct heddle_control heddle_control = {
	.version = HEDDLE_CONTROL_VERSION,
	.state_bytes = sizeof(struct state),
	.open = start,
	.on_ack = on_ack,
};
