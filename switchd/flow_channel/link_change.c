/*  A link goes down: packets in flight on it, or waiting for a link to a host, are lost, and
 *  every flow concerned gets a report (FC-17, FC-26), as if it had come from downstream. So all
 *  channels and extents are released on the usual paths. Packets that arrived over the link
 *  continue; their ACKs have no link upstream, and end here.
 *
 *  Order is kept (FC-15, FC-26). A flow of which nothing is downstream of the fabric port takes
 *  another one at once, with all packets that wait here. A flow must not overtake its own data
 *  downstream. It waits, its channel reserved, until nothing that crossed the link in this channel
 *  is in the fabric any more. The peer publishes these channels (port_stats.left), and the
 *  orchestrator reports when they are empty (link_change_settle()). What is then not acknowledged
 *  was lost.
 *
 *  A link comes up: its channels are numbered from 0 again, so none of the former link may be in
 *  use any more. Until then the port stays down, and the new link's first packets wait in its
 *  ring. */
#include "switchd/flow_channel/link_change.h"

#include "switchd/flow_channel/ack_upstream.h"
#include "switchd/flow_channel/choose.h"
#include "switchd/flow_channel/crossbar.h"
#include "switchd/flow_channel/fgfc_path.h"
#include "switchd/flow_channel/flow_control.h"
#include "switchd/flow_channel/flow_tree.h"

/* Drops the packets in the output queue. Of an edge link they are reported lost here; of a fabric
 * link by drop_in_flight(). */
static void drop_granted(struct dataplane *dp, struct port *out, uint32_t lane, node_time_t now)
{
	struct output_queue *queue = &out->output[lane].queue;

	while (queue->queue.head) {
		struct packet *packet = output_queue_pop(queue);
		uint32_t ref = flow_ref(packet->in_port, packet->flow_id), units = packet->units;

		crossbar_drop(dp, out, packet, DROP_LINK_DOWN, now);
		if (out->kind == PORT_EDGE)
			ack_upstream(dp, ref, ACK_LOSS, units, now);
	}
}

/* Reports as lost what is not acknowledged of the link's channels, except of those in @left, and
 * frees them. */
static void drop_in_flight(struct dataplane *dp, struct port *out, const struct channel_set *left,
			   node_time_t now)
{
	for (uint32_t id = 0; id < out->fabric.ofct.fresh; id++) {
		uint32_t ref, units = channel_set_has(left, id)
					      ? 0
					      : ofct_lose(&out->fabric.ofct, id, &ref);

		if (units)
			ack_upstream(dp, ref, ACK_LOSS, units, now);
	}
	out->stats->ofct_used = out->fabric.ofct.used;
}

/* what becomes of flow @ref, in no list, whose port is down */
typedef void flow_fate(struct dataplane *dp, uint32_t ref, node_time_t now);

static void lose(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	crossbar_lose(dp, ref, DROP_LINK_DOWN, now);
}

/* Calls @fate for each flow for @port that waits for something other than its turn. Such a flow may
 * be in a list of another port. O(channels of all inputs), once for a link that goes down. */
static void each_waiting(struct dataplane *dp, uint32_t port, flow_fate *fate, node_time_t now)
{
	for (uint32_t p = 0; p < dp->sw.port_count; p++) {
		const struct ifct *ifct = &dp->ifcts[p];

		for (uint32_t id = 0; ifct->used && id < ifct->channels; id++) {
			const struct ifct_entry *flow = TABLE_AT(ifct->entries, id);

			if (!flow->active || flow->follow_port != port || !flow->queue.head ||
			    flow->wait == IFCT_REQUESTING)
				continue;
			flow_stop_waiting(dp, flow_ref(p, id));
			fate(dp, flow_ref(p, id), now);
		}
	}
}

/* all packets that wait for edge port @out: there is no other path to its host */
static void drop_waiting(struct dataplane *dp, struct port *out, node_time_t now)
{
	/* First, so that no later loss resumes one of these flows onto this port. A flow that a
	 * loss here resumes requests the port, and is lost with the rest. */
	each_waiting(dp, (uint32_t)(out - dp->ports), lose, now);
	for (uint32_t c = 0; c < out->lane_count; c++) {
		struct arbiter *arbiter = &out->output[c].arbiter;
		uint32_t ref;

		while ((ref = arbiter_first(arbiter)) != FLOW_REF_NONE) {
			arbiter_remove_first(arbiter);
			lose(dp, ref, now);
		}
		drop_granted(dp, out, c, now);
	}
}

/* Moves all flows of @arbiter, in their order, to the returned list. */
static struct flow_list arbiter_empty(struct dataplane *dp, struct arbiter *arbiter)
{
	struct flow_list all = { .first = FLOW_REF_NONE };
	uint32_t ref;

	while ((ref = arbiter_first(arbiter)) != FLOW_REF_NONE) {
		arbiter_remove_first(arbiter);
		flow_of(dp->ifcts, ref)->wait = IFCT_NOT_WAITING;
		flow_list_push(dp->ifcts, &all, ref);
	}
	return all;
}

/* Does each packet of flow @ref select an output? Then none has to wait for data downstream. */
static bool is_open(struct dataplane *dp, uint32_t ref)
{
	return tree_is(dp, ref) && !tree_is_folded(dp, ref);
}

/* Flow @ref, in no list, must leave its output: it selects another one. With data downstream it
 * waits first until that has left the fabric (reroute_emptied()). */
static void leave_output(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (flow->queue.head && is_open(dp, ref)) {
		crossbar_select(dp, ref, now);
	} else if (ifct_flow_extent(flow)) {
		flow->fc_state = BLOCK_FOR_REDIRECT;
		flow->wait = flow->queue.head ? IFCT_BLOCKED : IFCT_NOT_WAITING;
	} else {
		crossbar_move(dp, ref, now);
	}
}

static void list_leaves_output(struct dataplane *dp, struct flow_list *list, node_time_t now)
{
	struct flow_list all = *list;
	uint32_t ref;

	list->first = FLOW_REF_NONE;
	while ((ref = flow_list_pop(dp->ifcts, &all)) != FLOW_REF_NONE)
		leave_output(dp, ref, now);
}

void link_change_leave(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *out = &dp->ports[port];

	/* first, so that no flow resumes onto this port afterwards */
	each_waiting(dp, port, leave_output, now);
	list_leaves_output(dp, &out->fabric.no_channel, now);
	for (uint32_t c = 0; c < out->lane_count; c++) {
		struct flow_list requesting;

		list_leaves_output(dp, &out->output[c].stopped, now);
		requesting = arbiter_empty(dp, &out->output[c].arbiter);
		list_leaves_output(dp, &requesting, now);
	}
}

/* is the output of flow @ref up, but by new tables no next hop to its destination any more? */
static bool route_is_gone(struct dataplane *dp, uint32_t ref)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	return dp->ports[flow->follow_port].kind == PORT_FABRIC &&
	       dataplane_port_up(dp, flow->follow_port) && !choose_is_valid(dp, ref);
}

/* flows in the arbiters of @out: those whose route is gone leave it, the others request it again */
static void arbiters_follow_routes(struct dataplane *dp, struct port *out, node_time_t now)
{
	for (uint32_t c = 0; c < out->lane_count; c++) {
		struct flow_list requesting = arbiter_empty(dp, &out->output[c].arbiter);
		uint32_t ref;

		while ((ref = flow_list_pop(dp->ifcts, &requesting)) != FLOW_REF_NONE) {
			if (route_is_gone(dp, ref))
				leave_output(dp, ref, now);
			else
				crossbar_rerequest(dp, ref, now);
		}
	}
}

void link_change_routes(struct dataplane *dp, node_time_t now)
{
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		if (dp->ports[p].kind == PORT_FABRIC)
			arbiters_follow_routes(dp, &dp->ports[p], now);
	for (uint32_t p = 0; p < dp->sw.port_count; p++) {
		const struct ifct *ifct = &dp->ifcts[p];

		for (uint32_t id = 0; ifct->used && id < ifct->channels; id++) {
			const struct ifct_entry *flow = TABLE_AT(ifct->entries, id);

			if (!flow->active || flow->wait == IFCT_REQUESTING ||
			    !ifct_total_extent(flow) || flow->fc_state == BLOCK_FOR_REDIRECT ||
			    !route_is_gone(dp, flow_ref(p, id)))
				continue;
			flow_stop_waiting(dp, flow_ref(p, id));
			leave_output(dp, flow_ref(p, id), now);
		}
	}
}

/* channels that were kept for flows that had not sent anything yet */
static void drop_reserved(struct port *out)
{
	uint32_t ref;

	for (uint32_t id = 0; id < out->fabric.ofct.fresh; id++)
		if (TABLE_AT(out->fabric.ofct.entries, id)->active &&
		    !ofct_flow_extent(TABLE_AT(out->fabric.ofct.entries, id)))
			ofct_lose(&out->fabric.ofct, id, &ref);
	out->stats->ofct_used = out->fabric.ofct.used;
}

bool link_change_settle(struct dataplane *dp, uint32_t port, const struct channel_set *left,
			node_time_t now)
{
	if (dp->ports[port].kind != PORT_FABRIC || dataplane_port_up(dp, port))
		return false;
	drop_in_flight(dp, &dp->ports[port], left, now);
	return true;
}

/* No ACK reaches the peer over @port any more. So the channels that are in use here are published
 * in port_stats.left; flow_free() takes each out when it ends. */
static void note_left(struct dataplane *dp, uint32_t port)
{
	const struct ifct *ifct = &dp->ifcts[port];

	for (uint32_t id = 0; ifct->used && id < ifct->channels; id++)
		if (TABLE_AT(ifct->entries, id)->active)
			channel_set_add(&dp->ports[port].stats->left, id);
}

void link_change_down(void *dataplane, uint32_t port, node_time_t now)
{
	struct dataplane *dp = dataplane;
	struct port *out = &dp->ports[port];

	note_left(dp, port);
	fgfc_path_clear(dp, port);
	if (out->kind == PORT_FABRIC) {
		for (uint32_t c = 0; c < out->lane_count; c++)
			drop_granted(dp, out, c, now);
		drop_reserved(out);
		link_change_leave(dp, port, now);
		ack_collector_clear(&out->fabric.acks);
	} else {
		drop_waiting(dp, out, now);
	}
}

bool link_change_coming(void *dataplane, uint32_t port)
{
	struct dataplane *dp = dataplane;

	if (!dp->ports[port].link->real)
		link_up_stopped(dp->ports[port].link);
	return link_change_may_start(dp, port);
}

bool link_change_may_start(void *dataplane, uint32_t port)
{
	const struct dataplane *dp = dataplane;

	return !dp->ifcts[port].used && !dp->ports[port].edge.no_line.head &&
	       !dp->ports[port].fabric.ofct.used;
}

void link_change_start(struct dataplane *dp, uint32_t port)
{
	const struct port_config *config = &dp->sw.config->ports[port];
	struct port *in = &dp->ports[port];

	ifct_restart(&dp->ifcts[port]);
	ofct_restart(&in->fabric.ofct);
	in->fabric.told = (struct redirect_told){ 0 };
	if (in->kind == PORT_EDGE)
		efct_match_set(&in->edge.efct,
			       &config->match); /* no line is used: in force at once */
	for (uint32_t c = 0; c < dp->lane_count; c++) {
		arbiter_set_quantum(&in->output[c].arbiter, config->mtu_bytes);
		link_stop_set(in->link, c, false);
	}
}
