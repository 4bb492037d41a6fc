/*  The path of a redirect (FC-25): output queue -> REROUTE ACK up the flow -> the input that
 *  redirects the flow. There the flow waits until nothing of it is in flight downstream, then
 *  selects an output again.
 *
 *  Never redirected:
 *  - packets that select for themselves (flow_tree.h);
 *  - a flow that is a source of endpoint congestion, or that waits for credit of a switch
 *    downstream: its bottleneck is elsewhere;
 *  - a flow alone at its output: it would be no faster anywhere else;
 *  - a flow for which no switch has another port. Each switch checks its own ports. The ACK records
 *    whether any switch downstream had one: that switch can select again once the flow's channels
 *    there are free. */
#include "switchd/flow_channel/reroute.h"

#include "switchd/flow_channel/choose.h"
#include "switchd/flow_channel/flow_control.h"
#include "switchd/flow_channel/flow_trace.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/path_load.h"

/* fields of the value of a REROUTE ACK */
#define REROUTE_CHOICE 1u /* a switch on its path could select again */
#define REROUTE_FAR 2u    /* the congestion is not at the switch that receives it */
/* times this: switches passed without a choice of ports, less those with one; at least 0 */
#define REROUTE_JOIN 4u
#define REROUTE_JOINS_MAX 7u
/* times this: the port upward that has capacity, by its number; 0: not known */
#define REROUTE_HINT 32u
#define REROUTE_HINT_MAX 63u

#define REROUTE_FLOWS 32u /* with groups, times this, no hint: flows on the link; 0: none */
#define REROUTE_FLOWS_MAX 63u

#define WINDOWS 16u /* of an input_load, in redirect_interval */

bool reroute_is_bad(const struct dataplane *dp, uint32_t value)
{
	return path_load_reported(dp) && value / REROUTE_FLOWS == 1;
}

/* ---- flows that may move ---- */

/* how many flows wait for @out, which can take no more now; @flow counts */
static uint32_t waiting_for(const struct port *out, const struct ifct_entry *flow)
{
	uint32_t flows = flow->wait != IFCT_REQUESTING;

	for (uint32_t lane = 0; lane < out->lane_count; lane++)
		flows += out->output[lane].arbiter.flow_count;
	return flows;
}

/* may flow @ref be redirected now? It has data downstream, is no source, and is not just moved. */
static bool movable(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	return flow->active && ifct_flow_extent(flow) && flow->fc_state == RUNNING &&
	       !flow->ep_congestion && (!tree_is(dp, ref) || tree_is_folded(dp, ref)) &&
	       now >= path_load_line(dp, ref)->not_before_ps;
}

/* Flow @ref, which is about to be stopped, will take @move: it counts there from now on, for flows
 * that compare loads before it has moved. */
static void claim(struct dataplane *dp, uint32_t ref, const struct choose_move *move, bool far,
		  node_time_t now)
{
	node_time_t until_ps = now + dp->sw.config->switch_.routing.redirect_interval_ps;
	struct redirect_line *line = path_load_line(dp, ref);

	line->to = (uint8_t)(move->port + 1);
	line->to_via = move->via;
	if (far) {
		path_load_move(dp, ref, (uint32_t)move->port, now);
		return;
	}
	output_load_claim(&dp->ports[move->port].fabric.output_load,
			  path_load_present(dp, ref, now), until_ps, now);
	if (path_load_groups(dp))
		output_load_leave(
			&dp->ports[flow_of(dp->ifcts, ref)->follow_port].fabric.output_load,
			until_ps, now);
}

/* Stops flow @ref for a redirect: no packet of it is granted. If it is in an arbiter, it leaves
 * that when its turn comes. */
static void stop_flow(struct dataplane *dp, uint32_t ref)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	flow->fc_state = BLOCK_FOR_REDIRECT;
	dp->ports[flow_ref_port(ref)].stats->redirects++;
	if (trace_often(dp->sw.stats))
		flow_trace(dp, TRACE_REDIRECT, ref, flow->follow_port, dp->sw.stats->now_ps);
	if (flow->wait == IFCT_NOT_WAITING || flow->wait == IFCT_REQUESTING)
		return;
	flow_stop_waiting(dp, ref);
	flow->wait = IFCT_BLOCKED;
}

/* ---- two flows that change places ---- */

/* Flow @ref goes to upward port @hint. A flow that is there may take the port that it leaves,
 * if that is empty then. */
static void swap_offer(struct dataplane *dp, uint32_t ref, uint32_t hint, node_time_t now)
{
	uint32_t from = flow_of(dp->ifcts, ref)->follow_port;
	int to = route_upward_port(&dp->routes, hint);

	if (to >= 0 && choose_may_move(dp, ref, (uint32_t)to, now) &&
	    dp->ports[from].fabric.ofct.used <= 1)
		dp->ports[to].fabric.swap = (struct redirect_swap){
			.until_ps = now + dp->sw.config->switch_.routing.redirect_interval_ps,
			.ref = ref,
			.port = from
		};
}

/* Flow @ref, a packet of which has requested @out, takes the port that is offered there.
 * Return: does it? */
static bool swap_take(struct dataplane *dp, struct port *out, uint32_t ref, node_time_t now)
{
	struct redirect_swap *swap = &out->fabric.swap;

	if (now >= swap->until_ps || ref == swap->ref || !movable(dp, ref, now) ||
	    !choose_may_move(dp, ref, swap->port, now))
		return false;
	swap->until_ps = 0;
	if (dp->ports[swap->port].fabric.ofct.used > 1)
		return false;
	path_load_line(dp, ref)->far = true;
	path_load_line(dp, ref)->hint = (uint8_t)route_upward_number(&dp->routes, swap->port);
	path_load_line(dp, ref)->to = 0;
	stop_flow(dp, ref);
	return true;
}

/* ---- requests that arrive ----
 *
 * Which switch can help (ours; redirect_anywhere). In a tree, paths that part going up join again
 * going down, level by level. So congestion of a core switch's output can be changed by the
 * aggregation switch before it; that of an aggregation switch's output towards an edge only by the
 * ingress edge. The ACK counts switches without a choice that it passes, and subtracts those with
 * one. It is for the switch where nothing is left. Where the paths form no tree it goes to the
 * ingress edge.
 *
 * In a tree with redirect_inputs, congestion of an output upward must be changed by its own switch:
 * switches upstream could do no better, unless links of it have failed. */

/* has no fabric link of this switch failed? */
static bool all_links_up(const struct dataplane *dp)
{
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		if (dp->ports[p].kind == PORT_FABRIC && !dp->sw.config->ports[p].vacant &&
		    !dataplane_port_up(dp, p))
			return false;
	return true;
}

static uint32_t joins_of(uint32_t value)
{
	return value / REROUTE_JOIN % (REROUTE_JOINS_MAX + 1);
}

/* The value of a REROUTE ACK after this switch.  @choice  the flow has several ports here.
 * @has_other  one of them is better than its present one. */
static uint32_t value_after(uint32_t value, bool choice, bool has_other)
{
	uint32_t joins = joins_of(value);

	value |= REROUTE_FAR | (has_other ? REROUTE_CHOICE : 0);
	if (choice)
		return joins ? value - REROUTE_JOIN : value;
	return joins < REROUTE_JOINS_MAX ? value + REROUTE_JOIN : value;
}

/* This switch redirects flow @ref, by @move if it is known: stops the flow, if it may move now. */
static void redirect_here(struct dataplane *dp, uint32_t ref, const struct choose_move *move,
			  bool far, uint32_t hint, node_time_t now)
{
	struct redirect_line *line = path_load_line(dp, ref);

	if (!movable(dp, ref, now))
		return;
	line->far = far;
	line->hint = (uint8_t)hint;
	line->to = 0;
	if (move->port >= 0 &&
	    (far ? choose_flows_limit(dp, ref, now) > 0
		 : dp->sw.config->switch_.routing.redirect_rule == REDIRECT_BY_LOADS))
		claim(dp, ref, move, far, now);
	swap_offer(dp, ref, hint, now);
	stop_flow(dp, ref);
}

/* Handles a REROUTE ACK for flow @ref: stops the flow if it is to be redirected by this switch.
 * @value  of the ACK; updated for the switch upstream.
 * Return: true: the ACK ends here, whether the flow was stopped or not; false: it continues. */
static bool handle_here(struct dataplane *dp, uint32_t ref, uint32_t *value, node_time_t now)
{
	const struct routing_config *config = &dp->sw.config->switch_.routing;
	bool ingress = dp->ports[flow_ref_port(ref)].kind == PORT_EDGE, far = *value & REROUTE_FAR;
	uint32_t joins = joins_of(*value), hint = *value / REROUTE_HINT;
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct choose_move move;
	bool choice, has_other;

	if (!config->redirect || !flow->active)
		return false;
	if (path_load_reported(dp)) {
		if (far && hint)
			path_load_report(dp, flow->follow_port, hint, now);
		hint = 0;
	}
	move = choose_move_of(dp, ref, far, now);
	choice = choose_count(dp, flow) > 1;
	has_other = move.port >= 0;
	*value = value_after(*value, choice, has_other);

	/* an output upward of a tree: no switch upstream could do better */
	if (config->redirect_inputs && !far && choice && !has_other && all_links_up(dp))
		return true;
	/* a switch upstream is meant */
	if (!ingress && !(config->redirect_anywhere && joins <= 1 && choice && has_other))
		return false;
	/* the flow could not move, so it is not stopped */
	if (!(has_other || (ingress && *value & REROUTE_CHOICE)) || choose_is_held(dp, ref, now))
		return false;
	redirect_here(dp, ref, &move, far, hint, now);
	return true;
}

void reroute_on_ack(struct dataplane *dp, uint32_t ref, uint32_t value, node_time_t now)
{
	uint32_t in_port = flow_ref_port(ref);

	if (handle_here(dp, ref, &value, now) || dp->ports[in_port].kind != PORT_FABRIC ||
	    !dataplane_port_up(dp, in_port))
		return;
	ack_collect(&dp->ports[in_port].fabric.acks, flow_ref_id(ref), ACK_REROUTE, value, now);
	switch_touch(&dp->sw, in_port);
}

/* ---- requests of outputs ---- */

/* Is a redirect of @flow left to the other end of the link at @out? That end knows which link has
 * capacity and what arrives, but not what waits here. So victims, which are sent slowly while a
 * source of congestion is at this output, are redirected from here. */
static bool left_to_peer(const struct dataplane *dp, const struct port *out,
			 const struct ifct_entry *flow, node_time_t now)
{
	node_time_t interval_ps = dp->sw.config->switch_.routing.redirect_interval_ps;
	bool has_source = out->fabric.redirect.source_ps &&
			  now - out->fabric.redirect.source_ps < interval_ps;

	return choose_count(dp, flow) < 2 && !has_source;
}

/* May @out request a redirect of ordered flow @ref? Not if nothing of it is downstream, since it
 * then selects a path anyway. Not if its bottleneck is elsewhere. Not if it is most of the load. */
static bool may_request(struct dataplane *dp, const struct port *out, uint32_t ref, node_time_t now)
{
	const struct routing_config *config = &dp->sw.config->switch_.routing;
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	return !flow->ep_congestion && !(flow->dm && flow->headroom <= 0) &&
	       ifct_flow_extent(flow) &&
	       !(config->redirect_rule == REDIRECT_BY_LOADS &&
		 output_load_is_most(&out->fabric.output_load, &path_load_line(dp, ref)->count,
				     path_load_window(dp, now))) &&
	       !(config->redirect_inputs && (left_to_peer(dp, out, flow, now) ||
					     now < path_load_line(dp, ref)->not_before_ps));
}

/* requests a redirect of flow @ref; @flows, with it, share the link */
static void request_redirect(struct dataplane *dp, struct port *out, uint32_t ref, uint32_t flows,
			     node_time_t now)
{
	uint32_t number = flows < REROUTE_FLOWS_MAX ? flows : REROUTE_FLOWS_MAX;

	out->stats->reroute_acks++;
	reroute_on_ack(dp, ref, path_load_reported(dp) ? number * REROUTE_FLOWS : 0, now);
}

/* In groups (redirect_group; [S3] on fig. 10: REROUTE ACKs for a group of flows of an overloaded
 * link). Once in an interval the output redirects several of the flows that wait for it, each by
 * its own random number as in [S2], half of them at most. Each flow has its own ACK: in [S3] a flow
 * stops until all of its own ACKs are back, in [S2] the ACK travels up the flow.
 *
 * A group is useless if all of its flows take the same decision (ours):
 * - At the output itself, each selected flow counts for the next ones: claim().
 * - Further upstream, the ACK carries the number of flows that share the link, and a switch stores
 *   it for its own port (path_load_report()). A flow moves only to a port whose number is less by
 *   two or more: [S2] asks for reasonable confidence that a move helps. Moves of this switch are
 *   counted at once. A port without a number counts 0. A number fades by one in 16 intervals, so a
 *   port is tried again when loads have changed.
 * Moves end once each flow of a switch has tried every port, or the switch has a flow on every
 * port. */

/* Flow @first is redirected from @out, where @waiting flows wait and @flows share the link:
 * requests it for others of its group too, each by its own random number.
 * O(ROUTING_GROUP_MAX). */
static void request_group(struct dataplane *dp, struct port *out, uint32_t first, uint32_t waiting,
			  uint32_t flows, node_time_t now)
{
	const struct routing_config *config = &dp->sw.config->switch_.routing;
	uint32_t most = redirect_group_most(config, waiting), requested = 1, found = 0,
		 refs[ROUTING_GROUP_MAX];

	for (uint32_t lane = 0; lane < out->lane_count; lane++)
		found += arbiter_look(&out->output[lane].arbiter, refs + found,
				      ROUTING_GROUP_MAX - found);
	for (uint32_t i = 0; i < found && requested < most; i++) {
		if (refs[i] == first || (tree_is(dp, refs[i]) && !tree_is_folded(dp, refs[i])) ||
		    !may_request(dp, out, refs[i], now) ||
		    !redirect_also_wanted(config, &out->fabric.redirect, &dp->redirect_random,
					  out->gauge.bytes, now))
			continue;
		request_redirect(dp, out, refs[i], flows, now);
		requested++;
	}
}

void reroute_look(struct dataplane *dp, struct port *out, uint32_t ref, bool ordered,
		  node_time_t now)
{
	const struct routing_config *config = &dp->sw.config->switch_.routing;
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t waiting, flows;

	if (!config->redirect || out->kind != PORT_FABRIC)
		return;
	if (flow->ep_congestion)
		out->fabric.redirect.source_ps = now;
	if (!ordered || flow->ep_congestion ||
	    (config->redirect_inputs && swap_take(dp, out, ref, now)))
		return;
	waiting = waiting_for(out, flow);
	if (waiting < 2 || !may_request(dp, out, ref, now) ||
	    !redirect_wanted(config, &out->fabric.redirect, &dp->redirect_random, out->gauge.bytes,
			     waiting, now))
		return;
	flows = output_load_large_flows(&out->fabric.output_load, path_load_window(dp, now));
	flows = waiting > flows ? waiting : flows;
	request_redirect(dp, out, ref, flows, now);
	if (path_load_groups(dp))
		request_group(dp, out, ref, waiting, flows, now);
}

/* ---- requests of inputs ----
 *
 * In a tree (ours; redirect_inputs) an output downward requests nothing: it cannot know which link
 * has capacity. The input at the other end of its link can (input_load.h). The ACK of that input
 * names the port upward by which the flow should come down, by the port's number. Switches whose
 * links are plugged in the same order, as those of generated trees are, find the path by it. Where
 * too few are, the plan sets redirect_inputs to false (plan_routing.c). As the ports upward of a
 * full tree all are in use, another flow has to leave: it takes the port that the first one leaves,
 * if that one was alone there, at the same time (swap_offer()). */

/* How much better it would be to arrive by upward port @port than by the one of @own. If @port
 * has free capacity: the bytes that arrive here beyond those that arrive there. Else: the bytes
 * of (flows here - flows there - 1) flows. 0: no better. */
static uint64_t advantage(const struct dataplane *dp, const struct input_load *own, uint32_t port,
			  node_time_t window_ps, node_time_t now)
{
	const struct input_load *other = &dp->ports[port].fabric.input_load;
	uint64_t bytes = input_load_bytes(other, window_ps, now);
	uint32_t flows = input_load_flows(own), others = input_load_flows(other);

	if (now < other->named_until_ps || !dataplane_port_up(dp, port))
		return 0;
	if (bytes < path_load_bytes(dp, port, window_ps) / 8 * 7)
		return own->last_bytes > bytes ? own->last_bytes - bytes : 0;
	return flows > others + 1 ? own->last_bytes / flows * (flows - others - 1) : 0;
}

/* the port upward by which it would be best to arrive.   Return: -1: none is better */
static int best_input(struct dataplane *dp, const struct input_load *own, node_time_t window_ps,
		      node_time_t now)
{
	uint64_t most = 0;
	int best = -1;

	for (uint64_t ports = dp->routes.upward; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);
		uint64_t better = advantage(dp, own, port, window_ps, now);

		if (better <= most || route_upward_number(&dp->routes, port) > REROUTE_HINT_MAX)
			continue;
		most = better;
		best = (int)port;
	}
	return best >= 0 && random_below(&dp->redirect_random, own->last_bytes) < most ? best : -1;
}

void reroute_arrived(struct dataplane *dp, uint32_t ref, bool ordered, uint32_t wire_bytes,
		     node_time_t now)
{
	const struct routing_config *config = &dp->sw.config->switch_.routing;
	node_time_t interval_ps = config->redirect_interval_ps, window_ps = interval_ps / WINDOWS;
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t host = (uint32_t)flow->fabric_address << 8 | flow->egress_port,
		 in_port = flow_ref_port(ref);
	struct port *in = &dp->ports[in_port];
	struct input_load *input_load = &in->fabric.input_load;
	int best;

	if (!config->redirect_inputs || !(dp->routes.upward >> in_port & 1))
		return;
	input_load_add(input_load, wire_bytes + in->link->gap_bytes, host, window_ps, now);
	if (!ordered || !input_load_is_oldest(input_load, host, interval_ps, now) ||
	    now < input_load->quiet_until_ps || flow->ep_congestion ||
	    (flow->dm && flow->headroom <= 0) ||
	    !input_load_is_full(input_load, path_load_bytes(dp, in_port, window_ps)))
		return;
	input_load->quiet_until_ps = now + window_ps;
	best = best_input(dp, input_load, window_ps, now);
	if (best < 0)
		return;
	dp->ports[best].fabric.input_load.named_until_ps = now + interval_ps;
	input_load->quiet_until_ps =
		now + interval_ps / 2 +
		(node_time_t)random_below(&dp->redirect_random, 1024) * (interval_ps / 1024);
	input_load->oldest_at_ps = 0;
	in->stats->reroute_acks++;
	ack_collect(&in->fabric.acks, flow_ref_id(ref), ACK_REROUTE,
		    REROUTE_FAR | route_upward_number(&dp->routes, (uint32_t)best) * REROUTE_HINT,
		    now);
	switch_touch(&dp->sw, in_port);
}

void reroute_begin(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	if (dp->sw.config->switch_.routing.redirect_inputs)
		path_load_line(dp, ref)->not_before_ps =
			now + dp->sw.config->switch_.routing.redirect_pause_ps;
}

/* ---- the move ---- */

bool reroute_emptied(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct redirect_line *line = path_load_line(dp, ref);

	flow->fc_state = RUNNING;
	line->not_before_ps = now + dp->sw.config->switch_.routing.redirect_pause_ps;
	if (!flow->queue.head || (flow->ep_congestion && choose_is_valid(dp, ref)))
		return false; /* a flow without packets is free at once; a source keeps its path */
	line->choose = flow->wait == IFCT_REQUESTING;
	return !line->choose;
}

bool reroute_due(struct dataplane *dp, uint32_t ref)
{
	return dp->sw.config->switch_.routing.redirect && path_load_line(dp, ref)->choose;
}

bool reroute_choose(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct redirect_line *line = path_load_line(dp, ref);
	struct choose_move move = { .port = line->to - 1, .via = line->to_via };
	bool by_loads = dp->sw.config->switch_.routing.redirect_rule == REDIRECT_BY_LOADS;
	enum drop_reason why;

	line->choose = false;
	line->to = 0;
	if (choose_take(dp, ref, &move, now))
		; /* the output that was selected when the flow was stopped */
	else if (by_loads && choose_is_valid(dp, ref))
		choose_other(dp, ref, path_load_line(dp, ref)->far, path_load_line(dp, ref)->hint,
			     now);
	else if (!choose_path(dp, flow, flow->queue.head, &why, now))
		return false;
	tree_moved(dp, ref);
	return true;
}
