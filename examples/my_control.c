/*  my_control - a congestion control in 30 lines: more window after each round trip without an ECN
 *  mark, less after one with a mark (AIMD, as DCTCP). The guide: docs/own-congestion-control.md.
 *
 *      make -C examples
 *      heddle run topologies/score/incast.yaml --cc examples/my_control.so */
#include <heddle/congestion_control.h>

#define ONE 1000000u /* a packet, in the unit of `window` */

struct state {
	uint64_t window; /* in millionths of a packet */
	uint64_t cut_ns; /* time of the last cut */
	uint64_t rtt_ns; /* the last one */
};

static void decide(struct heddle_flow *flow, uint64_t window)
{
	struct state *state = flow->state;
	uint64_t most = (uint64_t)flow->window_max_packets * ONE;

	state->window = window < ONE ? ONE : window > most ? most : window;
	flow->window_packets = (uint32_t)(state->window / ONE);
}

static void start(struct heddle_flow *flow)
{
	decide(flow, 8 * ONE);
}

static void on_ack(struct heddle_flow *flow, const struct heddle_ack *ack)
{
	struct state *state = flow->state;

	if (ack->rtt_ns)
		state->rtt_ns = ack->rtt_ns;
	if (!ack->echo) /* one packet more each round trip */
		decide(flow, state->window + (uint64_t)ack->packets * ONE * ONE / state->window);
	else if (flow->now_ns - state->cut_ns > state->rtt_ns) { /* half, once a round trip */
		state->cut_ns = flow->now_ns;
		decide(flow, state->window / 2);
	}
}

const struct heddle_control heddle_control = {
	.version = HEDDLE_CONTROL_VERSION,
	.state_bytes = sizeof(struct state),
	.open = start,
	.on_ack = on_ack,
};
