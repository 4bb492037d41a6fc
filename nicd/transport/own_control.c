#include "nicd/transport/own_control.h"

#include <heddle/congestion_control.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 0xa5c35a3c96f00f69ull /* the bytes after the state; ours */

struct own_flow {
	struct congestion_flow base;
	struct heddle_flow flow; /* as the control sees it */
	/* the state, then the guard */
	_Alignas(16) uint8_t state[];
};

static struct own_flow *flow_of(struct congestion_flow *base)
{
	return (struct own_flow *)base;
}

static struct own_control *own_of(const void *shared)
{
	return *(struct own_control *const *)shared;
}

static uint32_t state_bytes_of(const struct own_control *own)
{
	return (own->functions->state_bytes + 15u) & ~15u;
}

/* ---- a call ---- */

static void __attribute__((noreturn, cold))
give_up(const struct own_control *own, enum control_fault fault, uint64_t value)
{
	own->call->value = value;
	own->call->line_bps = own->line_bps;
	own->call->fault = fault;
	abort();
}

static uint64_t guard_of(const struct own_control *own, const struct own_flow *own_flow)
{
	uint64_t value;

	memcpy(&value, own_flow->state + own->functions->state_bytes, sizeof(value));
	return value;
}

/* what holds now; written for each call, so the control cannot change it */
static struct heddle_flow *enter(const void *shared, struct congestion_flow *base,
				 enum control_function function, node_time_t now)
{
	struct own_control *own = own_of(shared);
	struct own_flow *own_flow = flow_of(base);
	struct heddle_flow *flow = &own_flow->flow;

	flow->now_ns = now / NODE_NS;
	flow->line_bps = own->line_bps;
	flow->packet_bytes = base->packet_bytes;
	flow->frame_bytes = base->frame_bytes;
	flow->window_max_packets = base->window_packets_max;
	flow->index = base->slot;
	flow->state = own_flow->state;
	if (flow->rate_bps > own->line_bps)
		flow->rate_bps = own->line_bps;
	own->call->slot = base->slot;
	own->call->at_ps = now;
	own->call->count++;
	own->call->function = function;
	return flow;
}

/* checks the decisions and hands them on */
static void leave(const void *shared, struct congestion_flow *base, uint64_t timer_ns_before)
{
	struct own_control *own = own_of(shared);
	const struct heddle_flow *flow = &flow_of(base)->flow;

	if (flow->rate_bps < HEDDLE_RATE_MIN_BPS || flow->rate_bps > own->line_bps)
		give_up(own, CONTROL_RATE, flow->rate_bps);
	if (!flow->window_packets || flow->window_packets > HEDDLE_WINDOW_MAX)
		give_up(own, CONTROL_WINDOW, flow->window_packets);
	if (flow->timer_ns != timer_ns_before && flow->timer_ns <= own->call->at_ps / NODE_NS)
		give_up(own, CONTROL_TIMER, flow->timer_ns);
	if (guard_of(own, flow_of(base)) != GUARD)
		give_up(own, CONTROL_STATE, own->functions->state_bytes);
	own->call->function = CONTROL_NONE;
	base->rate_bps = flow->rate_bps;
	base->window_packets = flow->window_packets;
	base->timer_ps = flow->timer_ns < NODE_TIME_NEVER / NODE_NS ? flow->timer_ns * NODE_NS
								    : NODE_TIME_NEVER;
}

/* ---- the seam ---- */

static void init(void *shared, const struct node_config *config, uint64_t line_bps)
{
	(void)shared, (void)config, (void)line_bps;
}

static void line(void *shared, uint64_t line_bps)
{
	own_of(shared)->line_bps = line_bps;
}

static void open(const void *shared, struct congestion_flow *base, node_time_t now)
{
	const struct own_control *own = own_of(shared);
	const uint64_t mark = GUARD;
	struct own_flow *own_flow = flow_of(base);
	struct heddle_flow *flow;

	own_flow->flow = (struct heddle_flow){
		.rate_bps =
			own->line_bps > HEDDLE_RATE_MIN_BPS ? own->line_bps : HEDDLE_RATE_MIN_BPS,
		.timer_ns = HEDDLE_NEVER,
		.window_packets = base->window_packets_max,
	};
	memset(own_flow->state, 0, own->functions->state_bytes);
	memcpy(own_flow->state + own->functions->state_bytes, &mark, sizeof(mark));
	flow = enter(shared, base, CONTROL_OPEN, now);
	if (own->functions->open)
		own->functions->open(flow);
	leave(shared, base, HEDDLE_NEVER);
}

static void on_sent(const void *shared, struct congestion_flow *base, uint32_t wire_bytes,
		    bool again, node_time_t now)
{
	struct heddle_flow *flow = enter(shared, base, CONTROL_ON_SENT, now);
	uint64_t timer_ns = flow->timer_ns;

	own_of(shared)->functions->on_sent(flow, wire_bytes, again);
	leave(shared, base, timer_ns);
}

static void on_ack(const void *shared, struct congestion_flow *base,
		   const struct congestion_ack *told, node_time_t now)
{
	struct heddle_flow *flow = enter(shared, base, CONTROL_ON_ACK, now);
	const struct heddle_ack ack = {
		.rtt_ns = told->rtt_ps / NODE_NS,
		.bytes = told->bytes,
		.packets = told->packets,
		.in_flight_packets = told->in_flight,
		.hops = told->hops,
		.echo = told->echo,
	};
	uint64_t timer_ns = flow->timer_ns;

	own_of(shared)->functions->on_ack(flow, &ack);
	leave(shared, base, timer_ns);
}

static void on_cnp(const void *shared, struct congestion_flow *base, node_time_t now)
{
	struct heddle_flow *flow = enter(shared, base, CONTROL_ON_CNP, now);
	uint64_t timer_ns = flow->timer_ns;

	own_of(shared)->functions->on_cnp(flow);
	leave(shared, base, timer_ns);
}

static void on_loss(const void *shared, struct congestion_flow *base, bool timeout, node_time_t now)
{
	struct heddle_flow *flow = enter(shared, base, CONTROL_ON_LOSS, now);
	uint64_t timer_ns = flow->timer_ns;

	own_of(shared)->functions->on_loss(flow, timeout);
	leave(shared, base, timer_ns);
}

/* it is called once for each time that the control sets */
static void on_timer(const void *shared, struct congestion_flow *base, node_time_t now)
{
	struct heddle_flow *flow = enter(shared, base, CONTROL_ON_TIMER, now);

	flow->timer_ns = HEDDLE_NEVER;
	own_of(shared)->functions->on_timer(flow);
	leave(shared, base, HEDDLE_NEVER);
}

static void show(const void *shared, const struct congestion_flow *base, node_time_t now, FILE *out)
{
	(void)shared, (void)now;
	fprintf(out, "\t%" PRIu32, base->window_packets);
}

int own_control_init(struct own_control *own, struct congestion *congestion,
		     const struct node_config *config, struct stats_page *stats, uint64_t line_bps,
		     uint32_t flows_max)
{
	const struct heddle_control *functions = config->control;
	int error;

	*own = (struct own_control){ .functions = functions,
				     .call = &stats->control_call,
				     .line_bps = line_bps };
	own->seam = (struct congestion_control){
		.name = "own",
		.shared_bytes = sizeof(own),
		.flow_bytes = (uint32_t)sizeof(struct own_flow) + state_bytes_of(own) + 16,
		.cnps = functions->on_cnp,
		.echo = functions->on_ack,
		.rtt = functions->on_ack,
		.init = init,
		.line = line,
		.open = open,
		.on_sent = functions->on_sent ? on_sent : NULL,
		.on_ack = functions->on_ack ? on_ack : NULL,
		.on_cnp = functions->on_cnp ? on_cnp : NULL,
		.on_loss = functions->on_loss ? on_loss : NULL,
		.on_timer = functions->on_timer ? on_timer : NULL,
		.columns = "\twindow_packets",
		.show = show,
	};
	error = congestion_init(congestion, &own->seam, config, line_bps, flows_max);
	if (!error)
		*(struct own_control **)congestion->shared = own;
	return error;
}
