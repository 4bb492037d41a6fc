/*  What holds a flow at its input, and what lets it go on again: limits of its setting
 *  (injection.h), credit (headroom.h), the port's limit, and the peer's room.
 *
 *  A flow with packets is in one place: in its output's arbiter (IFCT_REQUESTING), in a list of
 *  those that wait for the same thing (a channel, the peer's room, the port's limit), in the wake
 *  queue, or only marked (IFCT_BLOCKED), when an ACK of its own is what it waits for. */
#include "switchd/flow_channel/flow_control.h"

#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "switchd/flow_channel/arrival.h"
#include "switchd/flow_channel/crossbar.h"
#include "switchd/flow_channel/fgfc_path.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/input_buffer.h"
#include "switchd/flow_channel/reroute.h"

static bool is_ingress(const struct dataplane *dp, uint32_t ref)
{
	return dp->ports[flow_ref_port(ref)].kind == PORT_EDGE;
}

/* EC-9: @units more of the flows of edge port @in went on and are not acknowledged */
static void extent_add(struct port *in, int64_t units)
{
	ENSURE((int64_t)in->extent_units + units, >=, 0);
	in->extent_units += (uint64_t)units;
	in->stats->extent_units = in->extent_units;
}

/* ---- credit that this switch gives ---- */

static void give_credit(struct dataplane *dp, uint32_t ref, uint32_t credit, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct port *in = &dp->ports[port];

	if (credit == HEADROOM_END) {
		ENSURE(in->stats->metered, >, 0u);
		in->stats->headroom_stops++;
		in->stats->metered--;
	}
	if (!dataplane_port_up(dp, port))
		return;
	if (credit != HEADROOM_END)
		in->stats->headroom_units += credit;
	ack_collect(&in->acks, flow_ref_id(ref),
		    credit == HEADROOM_END ? ACK_HEADROOM_END : ACK_HEADROOM,
		    credit == HEADROOM_END ? ACK_VALUE_MAX : credit, now);
	switch_touch(&dp->sw, port);
}

static void start_metering(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct port *in = &dp->ports[flow_ref_port(ref)];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	in->stats->metered++;
	in->stats->headroom_starts++;
	if (in->link->guarded)
		ack_collect(&in->acks, flow_ref_id(ref), ACK_HEADROOM_END, ACK_VALUE_MAX, now);
	ack_collect(&in->acks, flow_ref_id(ref), ACK_HEADROOM, headroom_start(flow), now);
	switch_touch(&dp->sw, flow_ref_port(ref));
}

void flow_credit_lost(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct port *in = &dp->ports[flow_ref_port(ref)];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (!flow->active)
		return;
	ack_collect(&in->acks, flow_ref_id(ref), ACK_HEADROOM_END, ACK_VALUE_MAX, now);
	if (flow->um)
		ack_collect(&in->acks, flow_ref_id(ref), ACK_HEADROOM, headroom_again(flow), now);
}

void flow_meter(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t lane = flow->in_lane;

	if (dp->ports[port].kind == PORT_FABRIC && dp->injection.config->headroom &&
	    headroom_starts(flow, injection_setting(&dp->injection, flow),
			    input_buffer_left(dp, port, lane)) &&
	    dataplane_port_up(dp, port))
		start_metering(dp, ref, now);
}

bool flow_queue(struct dataplane *dp, uint32_t ref, struct packet *packet)
{
	struct port *in = &dp->ports[packet->in_port];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t promise = headroom_promise(flow, in->mtu_units);
	bool was_empty = ifct_push(flow, packet);

	in->promised_units[flow->in_lane] += headroom_promise(flow, in->mtu_units) - promise;
	return was_empty;
}

struct packet *flow_unqueue(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct port *in = &dp->ports[port];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t lane = flow->in_lane, promise = headroom_promise(flow, in->mtu_units);
	struct packet *packet = ifct_pop(flow);

	input_buffer_release(dp, packet);
	if (is_ingress(dp, ref))
		extent_add(in, packet->units);
	if (flow->um) {
		uint32_t credit;

		ENSURE(in->promised_units[lane], >=, promise);
		in->promised_units[lane] -= promise;
		credit = headroom_on_forward(flow, injection_setting(&dp->injection, flow),
					     packet->units, input_buffer_left(dp, port, lane),
					     in->mtu_units);
		in->promised_units[lane] += headroom_promise(flow, in->mtu_units);
		if (credit)
			give_credit(dp, ref, credit, now);
		input_buffer_update(dp, port, lane);
	}
	if (in->kind == PORT_EDGE)
		fgfc_path_forwarded(dp, port, flow_ref_id(ref), packet->units);
	return packet;
}

/* ---- what holds a flow ---- */

void flow_list_push(struct dataplane *dp, struct flow_list *list, uint32_t ref)
{
	flow_of(dp->ifcts, ref)->next_ref = FLOW_REF_NONE;
	if (list->first == FLOW_REF_NONE)
		list->first = ref;
	else
		flow_of(dp->ifcts, list->last)->next_ref = ref;
	list->last = ref;
}

uint32_t flow_list_pop(struct dataplane *dp, struct flow_list *list)
{
	uint32_t ref = list->first;

	if (ref != FLOW_REF_NONE)
		list->first = flow_of(dp->ifcts, ref)->next_ref;
	return ref;
}

static void list_remove(struct dataplane *dp, struct flow_list *list, uint32_t ref)
{
	struct flow_list others = *list;
	uint32_t each;

	list->first = FLOW_REF_NONE;
	while ((each = flow_list_pop(dp, &others)) != FLOW_REF_NONE)
		if (each != ref)
			flow_list_push(dp, list, each);
}

static bool over_port_limit(const struct dataplane *dp, const struct port *in)
{
	uint32_t limit = dp->injection.config->port_limit_units;

	return limit && in->kind == PORT_EDGE && in->extent_units > limit;
}

enum ifct_wait flow_holds(struct dataplane *dp, const struct port *out, uint32_t ref,
			  node_time_t now)
{
	const struct port *in = &dp->ports[flow_ref_port(ref)];
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	bool metered = tree_metered(dp, ref, flow->follow_port);
	/* a packet counts once, however often it is looked at */
	uint32_t blocked = flow->wait != IFCT_BLOCKED;

	if (out->kind == PORT_EDGE && in->kind == PORT_FABRIC)
		return IFCT_REQUESTING;
	switch (injection_check(&dp->injection, flow, now)) {
	case INJECTION_GO:
		break;
	case INJECTION_EXTENT:
		in->stats->blocked_extent += blocked;
		return IFCT_BLOCKED;
	case INJECTION_EMPTY:
		in->stats->blocked_empty += blocked;
		return IFCT_BLOCKED;
	case INJECTION_LATER:
		in->stats->blocked_rate += flow->wait != IFCT_ASLEEP;
		return IFCT_ASLEEP;
	}
	if (over_port_limit(dp, in)) {
		in->stats->blocked_port++;
		return IFCT_PORT_LIMIT;
	}
	if (metered && tree_headroom(dp, ref, flow->follow_port) <= 0) {
		in->stats->blocked_headroom += blocked;
		return IFCT_BLOCKED;
	}
	/* a port that is down lets nobody on anyway, and no word from there ends the wait */
	return !metered && out->kind == PORT_FABRIC && dataplane_port_up(dp, flow->follow_port) &&
			       link_stopped(out->link, flow->out_lane)
		       ? IFCT_STOPPED
		       : IFCT_REQUESTING;
}

/* where flows stand that wait for @wait; NULL: in no list */
static struct flow_list *list_of(struct dataplane *dp, uint32_t ref, enum ifct_wait wait)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct port *out = &dp->ports[flow->follow_port];

	switch (wait) {
	case IFCT_WAITING_CHANNEL:
		return &out->no_channel;
	case IFCT_STOPPED:
		return &out->output[flow->out_lane].stopped;
	case IFCT_PORT_LIMIT:
		return &dp->ports[flow_ref_port(ref)].port_limit;
	default:
		return NULL;
	}
}

void flow_wait(struct dataplane *dp, struct port *out, uint32_t ref, enum ifct_wait wait)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct flow_list *list = list_of(dp, ref, wait);

	ENSURE(wait, !=, IFCT_NOT_WAITING);
	ENSURE(wait, !=, IFCT_REQUESTING); /* then it stands in an arbiter */
	ENSURE(flow->queue.head, !=, NULL);
	flow->wait = (uint8_t)wait;
	if (list)
		flow_list_push(dp, list, ref);
	if (wait == IFCT_ASLEEP)
		deadline_heap_set(&dp->wakes, ref, flow->wake_up_ps);
	if (wait == IFCT_STOPPED)
		switch_touch(&dp->sw, flow->follow_port); /* its pause may begin: transmit.c */
	if (wait != IFCT_WAITING_CHANNEL)
		return;
	out->stats->channel_waits++;
	trace(dp->sw.stats, dp->sw.stats->now_ps, TRACE_CHANNEL_WAIT, flow_ref_port(ref),
	      flow_ref_id(ref), flow->follow_port);
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

/* When @packet can be taken to have asked for its output, for the bandwidth of its flow. In a
 * switch that is first and last at once a flow asks packet by packet; what it could have waiting in
 * a last switch's queue, were that another one, it may catch up. */
static node_time_t asked_at(const struct dataplane *dp, const struct ifct_entry *flow,
			    const struct packet *packet, node_time_t now)
{
	node_time_t behind_ps;

	if (dp->ports[packet->in_port].kind != PORT_EDGE ||
	    dp->ports[flow->follow_port].kind != PORT_EDGE)
		return packet->requested_at_ps;
	behind_ps = injection_extent_ps(&dp->injection, flow);
	return node_time_max(flow->wake_up_ps, now > behind_ps ? now - behind_ps : 0);
}

void flow_forwarded(struct dataplane *dp, const struct packet *packet, node_time_t now)
{
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id);
	struct port *in = &dp->ports[packet->in_port];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	bool ingress = in->kind == PORT_EDGE;

	tree_spend(dp, ref, flow->follow_port, packet->units);
	injection_forwarded(&dp->injection, flow, packet->frame_bytes, ingress,
			    asked_at(dp, flow, packet, now));
	if (ingress && in->extent_units > in->stats->extent_units_max)
		in->stats->extent_units_max = in->extent_units;
}

/* ---- what lets it go on ---- */

/* May flow @ref, which has waited for something else than its turn, choose anew? A tree always, any
 * other flow at its ingress edge when nothing of it is under way (FC-15): where it was to go
 * another output may be better now. A source keeps its path (FC-24). */
static bool may_choose(struct dataplane *dp, uint32_t ref)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (flow->fc_state == BLOCK_FOR_REDIRECT)
		return false;
	return tree_is(dp, ref) ||
	       (is_ingress(dp, ref) && !ifct_flow_extent(flow) && !flow->ep_congestion);
}

/* flow @ref, in no list, has packets */
static void again(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	if (may_choose(dp, ref))
		crossbar_anew(dp, ref, now);
	else
		crossbar_again(dp, ref, now);
}

/* something that the flow may have waited for has changed; it finds out itself when its turn
 * comes */
static void resume(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (flow->wait != IFCT_BLOCKED && flow->wait != IFCT_ASLEEP)
		return;
	deadline_heap_set(&dp->wakes, ref, NODE_TIME_NEVER);
	again(dp, ref, now);
}

/* EC-9: as many as the limit lets on now if each sends one packet more, so that an ACK costs no
 * more than it frees; but all if nothing is under way, for then no ACK will come */
static void port_limit_eased(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *in = &dp->ports[port];
	uint32_t limit = dp->injection.config->port_limit_units, asking_units = 0, ref;

	while (!in->extent_units || in->extent_units + asking_units <= limit) {
		const struct ifct_entry *flow;

		ref = flow_list_pop(dp, &in->port_limit);
		if (ref == FLOW_REF_NONE)
			return;
		again(dp, ref, now);
		flow = flow_of(dp->ifcts, ref);
		if (flow->wait == IFCT_REQUESTING)
			asking_units += flow->queue.head->units;
	}
}

void flow_free(struct dataplane *dp, uint32_t ref)
{
	uint32_t port = flow_ref_port(ref);
	struct port_stats *stats = dp->ports[port].stats;

	if (flow_of(dp->ifcts, ref)->ep_congestion) {
		ENSURE(stats->limited, >, 0u);
		stats->limited--;
	}
	reroute_forget(dp, ref);
	tree_end(dp, ref);
	deadline_heap_set(&dp->wakes, ref, NODE_TIME_NEVER); /* it may be due at this very moment */
	ifct_release(&dp->ifcts[port], flow_ref_id(ref));
	channel_set_remove(&stats->left, flow_ref_id(ref));
	stats->ifct_used = dp->ifcts[port].used;
}

/* the last packet of the flow is acknowledged: its channel and, at an edge, its line are free */
static void release(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct port *in = &dp->ports[port];

	flow_free(dp, ref);
	if (in->kind != PORT_EDGE)
		return;
	efct_release(&in->efct, flow_ref_id(ref));
	fgfc_path_freed(dp, port, flow_ref_id(ref));
	in->stats->efct_used = in->efct.used;
	if (in->no_line.head)
		arrival_lines_freed(dp, port, now);
}

void flow_acked(struct dataplane *dp, uint32_t ref, uint32_t units, bool clears, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct port *in = &dp->ports[port];
	bool ingress = in->kind == PORT_EDGE;

	ENSURE(flow->active & 1, ==, 1);
	if (clears && flow->ep_congestion) {
		ENSURE(in->stats->limited, >, 0u);
		in->stats->limited--;
	}
	injection_on_ack(&dp->injection, flow, units, clears, now);
	if (!ifct_flow_extent(flow))
		headroom_on_ack(flow, HEADROOM_END, 0); /* it was for a channel that is free now */
	if (ingress) {
		efct_on_ack(&in->efct, flow_ref_id(ref), units);
		extent_add(in, -(int64_t)units);
	}
	if (flow->fc_state == BLOCK_FOR_REDIRECT && !ifct_flow_extent(flow) &&
	    !reroute_emptied(dp, ref, now))
		return;
	if (ifct_total_extent(flow)) {
		resume(dp, ref, now);
	} else if (ingress && flow->wake_up_ps > now) {
		/* its limits outlive its packets */
		deadline_heap_set(&dp->wakes, ref, flow->wake_up_ps);
	} else {
		release(dp, ref, now);
	}
	if (ingress)
		port_limit_eased(dp, port, now);
}

void flow_congested(struct dataplane *dp, uint32_t ref, uint32_t factor, node_time_t now)
{
	struct port_stats *stats = dp->ports[flow_ref_port(ref)].stats;
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (!flow->active)
		return;
	if (!stats->limited_first_ps)
		stats->limited_first_ps = now;
	if (!flow->ep_congestion)
		stats->limited++;
	injection_on_eca(&dp->injection, flow, factor, is_ingress(dp, ref));
}

void flow_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit,
		   node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	bool metered;

	tree_credited(dp, ref, port, id, credit);
	metered = tree_metered(dp, ref, port);
	/* from now on it waits for credit, not for the peer's room */
	if (metered && flow->wait == IFCT_STOPPED) {
		flow_stop_waiting(dp, ref);
		again(dp, ref, now);
	} else if (!metered || tree_headroom(dp, ref, port) > 0) {
		resume(dp, ref, now);
	}
}

void flow_wake(struct dataplane *dp, node_time_t now)
{
	struct ifct_entry *flow;
	uint32_t ref;

	/* a change of links or routes at this very moment may have freed the flow that was due */
	if (deadline_heap_next_at(&dp->wakes) > now)
		return;
	ref = deadline_heap_pop(&dp->wakes);
	flow = flow_of(dp->ifcts, ref);
	if (!ifct_total_extent(flow))
		release(dp, ref, now);
	else if (flow->wait == IFCT_ASLEEP)
		again(dp, ref, now);
}

void flow_go(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now)
{
	struct flow_list waiting = dp->ports[port].output[lane].stopped;
	uint32_t ref;

	dp->ports[port].output[lane].stopped.first = FLOW_REF_NONE;
	while ((ref = flow_list_pop(dp, &waiting)) != FLOW_REF_NONE)
		again(dp, ref, now);
	crossbar_grant(dp, port, lane, now);
}
