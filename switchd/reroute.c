/*  The way of a redirect (FC-25): output queue -> REROUTE ACK up the flow -> an input that obeys, where the flow waits until nothing of
 *  it is downstream, then chooses anew.
 *
 *  None is sent for packets that choose for themselves, nor for a flow that is a source of endpoint congestion, or that is held by credit further down: its bottleneck is elsewhere.
 *  None is sent by an output where no other flow stands and waits: a flow alone would be no faster anywhere else.
 *  None is obeyed that could change nothing. Each switch knows whether it has another port for the flow; on the way up the ACK
 *  says whether any below had one, which could choose anew as well once the flow's channels there are free.
 *
 *  Whose choice can help (ours; redirect_anywhere). In a tree the ways that part going up join again going down, level by level: what a
 *  core switch's output suffers from the aggregation switch before it can change, what an aggregation switch's output towards
 *  an edge suffers from only the ingress edge. So the ACK counts switches without a choice that it passes, takes off those
 *  with one, and is for the switch where nothing is left. Where the ways form no tree it comes to the ingress edge as ever. */
#include "switchd/dataplane.h"

/* what a REROUTE ACK says */
#define REROUTE_CHOICE 1u /* a switch that it has passed could choose anew */
#define REROUTE_FAR 2u    /* the congestion is not where it is heard */
#define REROUTE_JOIN 4u   /* times this: switches passed that had no choice, those that had one taken off */
#define REROUTE_JOINS_MAX 31u

static struct redirect_line *line_of(struct dataplane *dp, uint32_t ref)
{
	return &dp->ports[flow_ref_port(ref)].redirects[flow_ref_id(ref)];
}

/* how many flows stand and wait for @out, which can take no more now; @flow counts */
static uint32_t waiting_for(const struct port *out, const struct ifct_entry *flow)
{
	uint32_t flows = flow->wait != IFCT_REQUESTING;

	for (uint32_t lane = 0; lane < out->lane_count; lane++)
		flows += out->output[lane].arbiter.flow_count;
	return flows;
}

void reroute_look(struct dataplane *dp, struct port *out, uint32_t ref, bool ordered, node_time_t now)
{
	const struct routing_config *config = &dp->config->switch_.routing;
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t waiting = waiting_for(out, flow);

	if (!config->redirect || !ordered || out->kind != PORT_FABRIC || flow->ep_congestion ||
	    (flow->dm && flow->headroom <= 0) || !ifct_flow_extent(flow) || waiting < 2 ||
	    !redirect_wanted(config, &out->redirect, &dp->redirect_random, out->gauge.bytes, waiting, now))
		return;
	out->stats->reroute_acks++;
	ack_path_up(dp, ref, ACK_REROUTE, 0, now);
}

/* may flow @ref be moved now? */
static bool movable(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	return flow->active && ifct_flow_extent(flow) && flow->fc_state == RUNNING && !flow->ep_congestion &&
	       (!tree_is(dp, ref) || tree_is_folded(dp, ref)) && now >= line_of(dp, ref)->not_before_ps;
}

/* from now on nothing of flow @ref goes on, wherever it stands; in an arbiter that shows when its turn comes */
static void hold(struct dataplane *dp, uint32_t ref)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	flow->fc_state = BLOCK_FOR_REDIRECT;
	dp->ports[flow_ref_port(ref)].stats->redirects++;
	if (flow->wait == IFCT_NOT_WAITING || flow->wait == IFCT_REQUESTING)
		return;
	flow_stop_waiting(dp, ref);
	flow->wait = IFCT_BLOCKED;
}

bool reroute_heard(struct dataplane *dp, uint32_t ref, uint32_t *value, node_time_t now)
{
	const struct routing_config *config = &dp->config->switch_.routing;
	bool ingress = dp->ports[flow_ref_port(ref)].kind == PORT_EDGE;
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	bool far = *value & REROUTE_FAR, has_other;
	uint32_t joins = *value / REROUTE_JOIN;

	if (!config->redirect || !flow->active)
		return false;
	has_other = choose_has_other(dp, ref, far, now);
	*value |= REROUTE_FAR | (has_other ? REROUTE_CHOICE : 0);
	if (choose_count(dp, flow) < 2)
		*value += joins < REROUTE_JOINS_MAX ? REROUTE_JOIN : 0;
	else if (joins)
		*value -= REROUTE_JOIN;
	if (!ingress && (!config->redirect_anywhere || joins > 1 || choose_count(dp, flow) < 2 || !has_other))
		return false;
	if (!(has_other || (ingress && *value & REROUTE_CHOICE)))
		return false;
	if (movable(dp, ref, now)) {
		line_of(dp, ref)->far = far;
		hold(dp, ref);
	}
	return true;
}

bool reroute_emptied(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct redirect_line *line = line_of(dp, ref);

	flow->fc_state = RUNNING;
	line->not_before_ps = now + dp->config->switch_.routing.redirect_pause_ps;
	if (!flow->queue.head || (flow->ep_congestion && choose_leads_on(dp, ref)))
		return true; /* a flow without packets is free at once; a source keeps its path */
	if (flow->wait == IFCT_REQUESTING) {
		line->choose = true;
		return true;
	}
	flow_stop_waiting(dp, ref);
	if (crossbar_move(dp, ref, now))
		return true;
	link_change_lose(dp, ref, now);
	return false;
}

bool reroute_due(struct dataplane *dp, uint32_t ref)
{
	return dp->config->switch_.routing.redirect && line_of(dp, ref)->choose;
}

bool reroute_choose(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	enum drop_reason why;

	line_of(dp, ref)->choose = false;
	if (choose_leads_on(dp, ref))
		choose_other(dp, ref, line_of(dp, ref)->far, now);
	else if (!choose_way(dp, flow, flow->queue.head, &why, now))
		return false;
	tree_moved(dp, ref);
	return true;
}

void reroute_forget(struct dataplane *dp, uint32_t ref)
{
	if (dp->config->switch_.routing.redirect)
		*line_of(dp, ref) = (struct redirect_line){ 0 };
}
