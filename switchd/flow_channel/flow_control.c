/*  A flow waits at its input for the limits of its setting (injection.h), for credit (headroom.h),
 *  for the port's limit, for a channel of its output, or for the peer's buffer. How it resumes:
 *  resume.c.
 *
 *  A flow with packets is in exactly one place:
 *  - IFCT_REQUESTING: in its output's arbiter.
 *  - IFCT_WAITING_CHANNEL, IFCT_STOPPED, IFCT_PORT_LIMIT: in a list of flows that wait for the same
 *    channel, buffer or limit.
 *  - IFCT_ASLEEP: in dataplane.wakes.
 *  - IFCT_BLOCKED: in no list. An ACK of its own resumes it. */
#include "switchd/flow_channel/flow_control.h"

#include "nodes/base/ensure.h"
#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"
#include "switchd/flow_channel/flow_trace.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/path_load.h"

static void list_remove(struct dataplane *dp, struct flow_list *list, uint32_t ref)
{
	struct flow_list others = *list;
	uint32_t each;

	list->first = FLOW_REF_NONE;
	while ((each = flow_list_pop(dp->ifcts, &others)) != FLOW_REF_NONE)
		if (each != ref)
			flow_list_push(dp->ifcts, list, each);
}

/* causes that are counted, as bits of packet.blocked */
enum cause {
	CAUSE_EXTENT = 1 << 0,
	CAUSE_EMPTY = 1 << 1,
	CAUSE_RATE = 1 << 2,
	CAUSE_PORT = 1 << 3,
	CAUSE_HEADROOM = 1 << 4,
};

/* Adds 1 to @count if @packet waits for @cause for the first time here. */
static void count_wait(struct packet *packet, enum cause cause, uint64_t *count)
{
	*count += !(packet->blocked & cause);
	packet->blocked |= (uint8_t)cause;
}

enum ifct_wait flow_wait_reason(struct dataplane *dp, const struct port *out, uint32_t ref,
				node_time_t now)
{
	const struct port *in = &dp->ports[flow_ref_port(ref)];
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	bool metered = tree_metered(dp, ref, flow->follow_port);
	struct packet *packet = flow->queue.head;
	uint32_t port_limit_units = dp->injection.config->port_limit_units;

	/* in its last switch a packet waits for nothing */
	if (out->kind == PORT_EDGE && in->kind == PORT_FABRIC)
		return IFCT_REQUESTING;

	/* the limits of its setting */
	switch (injection_check(&dp->injection, flow, now)) {
	case INJECTION_GO:
		break;
	case INJECTION_EXTENT:
		count_wait(packet, CAUSE_EXTENT, &in->stats->blocked_extent);
		return IFCT_BLOCKED;
	case INJECTION_EMPTY:
		count_wait(packet, CAUSE_EMPTY, &in->stats->blocked_empty);
		return IFCT_BLOCKED;
	case INJECTION_LATER:
		count_wait(packet, CAUSE_RATE, &in->stats->blocked_rate);
		return IFCT_ASLEEP;
	}

	/* the limit of its ingress port */
	if (port_limit_units && in->kind == PORT_EDGE && in->edge.extent_units > port_limit_units) {
		count_wait(packet, CAUSE_PORT, &in->stats->blocked_port);
		return IFCT_PORT_LIMIT;
	}

	/* credit, or without it the peer's STOP */
	if (metered && tree_headroom(dp, ref, flow->follow_port) <= 0) {
		count_wait(packet, CAUSE_HEADROOM, &in->stats->blocked_headroom);
		return IFCT_BLOCKED;
	}
	/* a port that is down grants nothing, and no control word from there would end the wait */
	return !metered && out->kind == PORT_FABRIC && dataplane_port_up(dp, flow->follow_port) &&
			       link_stopped(out->link, flow->out_lane)
		       ? IFCT_STOPPED
		       : IFCT_REQUESTING;
}

/* the list of flows that wait, like flow @ref, for @wait; NULL: there is no such list */
static struct flow_list *list_of(struct dataplane *dp, uint32_t ref, enum ifct_wait wait)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct port *out = &dp->ports[flow->follow_port];

	switch (wait) {
	case IFCT_WAITING_CHANNEL:
		return &out->fabric.no_channel;
	case IFCT_STOPPED:
		return &out->output[flow->out_lane].stopped;
	case IFCT_PORT_LIMIT:
		return &dp->ports[flow_ref_port(ref)].edge.port_limit;
	default:
		return NULL;
	}
}

void flow_wait(struct dataplane *dp, uint32_t ref, enum ifct_wait wait)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct flow_list *list = list_of(dp, ref, wait);

	ENSURE(wait, !=, IFCT_NOT_WAITING);
	ENSURE(wait, !=, IFCT_REQUESTING); /* such a flow is in an arbiter */
	ENSURE(flow->queue.head, !=, NULL);
	flow->wait = (uint8_t)wait;
	if (list)
		flow_list_push(dp->ifcts, list, ref);
	if (wait == IFCT_ASLEEP)
		deadline_heap_set(&dp->wakes, ref, flow->wake_up_ps);
	if (wait == IFCT_STOPPED)
		switch_touch(&dp->sw, flow->follow_port); /* its pause may begin: transmit.c */
	if (wait != IFCT_WAITING_CHANNEL)
		return;
	dp->ports[flow->follow_port].stats->channel_waits++;
	flow_trace(dp, TRACE_CHANNEL_WAIT, ref, flow->follow_port, dp->sw.stats->now_ps);
}

void flow_stop_waiting(struct dataplane *dp, uint32_t ref)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct flow_list *list = list_of(dp, ref, flow->wait);

	if (list)
		list_remove(dp, list, ref);
	deadline_heap_set(&dp->wakes, ref, NODE_TIME_NEVER);
	flow->wait = IFCT_NOT_WAITING;
}

void flow_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit)
{
	bool metered, stopped;

	tree_credited(dp, ref, port, id, credit);
	metered = tree_metered(dp, ref, port);
	/* from now on it waits for credit, not for the peer's buffer */
	stopped = metered && flow_of(dp->ifcts, ref)->wait == IFCT_STOPPED;
	if (stopped)
		flow_stop_waiting(dp, ref);
	if (stopped || !metered || tree_headroom(dp, ref, port) > 0)
		marks_flow(&dp->marks, dp->ifcts, ref);
}

/* From when on the bandwidth limit of the flow counts @packet: from its request. In a switch that
 * is the first and the last one, a flow requests packet by packet, so its packets would count too
 * late. There it may catch up with as much as it could have in the queue of another last switch. */
static node_time_t requested_at(const struct dataplane *dp, const struct ifct_entry *flow,
				const struct packet *packet, node_time_t now)
{
	node_time_t catch_up_ps;

	if (dp->ports[packet->in_port].kind != PORT_EDGE ||
	    dp->ports[flow->follow_port].kind != PORT_EDGE)
		return packet->requested_at_ps;
	catch_up_ps = injection_extent_ps(&dp->injection, flow);
	return node_time_max(flow->wake_up_ps, now > catch_up_ps ? now - catch_up_ps : 0);
}

void flow_forwarded(struct dataplane *dp, const struct packet *packet, node_time_t now)
{
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id);
	struct port *in = &dp->ports[packet->in_port];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	bool ingress = in->kind == PORT_EDGE;

	if (tree_metered(dp, ref, flow->follow_port))
		tree_spend(dp, ref, flow->follow_port, packet->units);
	if (flow->setting)
		injection_forwarded(&dp->injection, flow, packet->frame_bytes, ingress,
				    requested_at(dp, flow, packet, now));
	if (ingress && in->edge.extent_units > in->stats->extent_units_max)
		in->stats->extent_units_max = in->edge.extent_units;
}

/* ---- the end of a flow ---- */

void flow_free(struct dataplane *dp, uint32_t ref)
{
	uint32_t port = flow_ref_port(ref);
	struct port_stats *stats = dp->ports[port].stats;

	if (flow_of(dp->ifcts, ref)->ep_congestion) {
		ENSURE(stats->limited, >, 0u);
		stats->limited--;
	}
	if (dp->sw.config->switch_.routing.redirect)
		*path_load_line(dp, ref) = (struct redirect_line){ 0 };
	tree_end(dp, ref);
	deadline_heap_set(&dp->wakes, ref, NODE_TIME_NEVER); /* it may still have a wake-up time */
	ifct_release(&dp->ifcts[port], flow_ref_id(ref));
	channel_set_remove(&stats->left, flow_ref_id(ref));
	stats->ifct_used = dp->ifcts[port].used;
}
