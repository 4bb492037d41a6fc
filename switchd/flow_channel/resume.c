#include "switchd/flow_channel/resume.h"

#include "switchd/flow_channel/crossbar.h"
#include "switchd/flow_channel/fgfc_path.h"
#include "switchd/flow_channel/flow_control.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/reroute.h"

/* May flow @ref select an output again? A tree always. Another flow does at its ingress edge
 * while nothing of it is in flight (FC-15), because another output may be better now. A source
 * keeps its path (FC-24). */
static bool may_choose(struct dataplane *dp, uint32_t ref)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (flow->fc_state == BLOCK_FOR_REDIRECT)
		return false;
	return tree_is(dp, ref) || (dp->ports[flow_ref_port(ref)].kind == PORT_EDGE &&
				    !ifct_flow_extent(flow) && !flow->ep_congestion);
}

/* flow @ref, in no list, has packets */
static void request_again(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	if (may_choose(dp, ref))
		crossbar_select_grant(dp, ref, now);
	else
		crossbar_rerequest(dp, ref, now);
}

/* the last packet of flow @ref is acknowledged: its channel and, at an edge, its line are free */
static void release(struct dataplane *dp, uint32_t ref)
{
	uint32_t port = flow_ref_port(ref);
	struct port *in = &dp->ports[port];

	flow_free(dp, ref);
	if (in->kind != PORT_EDGE)
		return;
	efct_release(&in->edge.efct, flow_ref_id(ref));
	in->stats->efct_used = in->edge.efct.used;
	if (in->edge.no_line.head)
		marks_port(&dp->marks, &dp->marks.lines, port);
}

void resume_flow(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (!flow->active)
		return;
	if (flow->fc_state == BLOCK_FOR_REDIRECT && !ifct_flow_extent(flow) &&
	    reroute_emptied(dp, ref, now)) {
		flow_stop_waiting(dp, ref);
		if (!crossbar_move(dp, ref, now))
			return;
	}
	if (ifct_total_extent(flow)) {
		/* flow_wait_reason() checks all other limits when its turn comes */
		if (flow->wait == IFCT_BLOCKED || flow->wait == IFCT_ASLEEP ||
		    (flow->wait == IFCT_NOT_WAITING && flow->queue.head)) {
			deadline_heap_set(&dp->wakes, ref, NODE_TIME_NEVER);
			request_again(dp, ref, now);
		}
	} else if (dp->ports[flow_ref_port(ref)].kind == PORT_EDGE && flow->wake_up_ps > now) {
		/* its limits outlive its packets */
		deadline_heap_set(&dp->wakes, ref, flow->wake_up_ps);
	} else {
		release(dp, ref);
	}
}

/* As many as the limit admits if each sends one packet more, so that an ACK costs no more than
 * it frees; but all if nothing is in flight, because then no ACK will arrive. */
void resume_port(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *in = &dp->ports[port];
	uint32_t limit = dp->injection.config->port_limit_units, requested_units = 0, ref;

	while (!in->edge.extent_units || in->edge.extent_units + requested_units <= limit) {
		const struct ifct_entry *flow;

		ref = flow_list_pop(dp->ifcts, &in->edge.port_limit);
		if (ref == FLOW_REF_NONE)
			return;
		request_again(dp, ref, now);
		flow = flow_of(dp->ifcts, ref);
		if (flow->wait == IFCT_REQUESTING)
			requested_units += flow->queue.head->units;
	}
}

void resume_wake(struct dataplane *dp, node_time_t now)
{
	struct ifct_entry *flow;
	uint32_t ref;

	/* a change of links or routes at this very moment may have freed the flow that was due */
	if (deadline_heap_next_at(&dp->wakes) > now)
		return;
	ref = deadline_heap_pop(&dp->wakes);
	flow = flow_of(dp->ifcts, ref);
	if (!ifct_total_extent(flow))
		release(dp, ref);
	else if (flow->wait == IFCT_ASLEEP)
		request_again(dp, ref, now);
}

void resume_lane(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now)
{
	struct flow_list waiting = dp->ports[port].output[lane].stopped;
	uint32_t ref;

	dp->ports[port].output[lane].stopped.first = FLOW_REF_NONE;
	while ((ref = flow_list_pop(dp->ifcts, &waiting)) != FLOW_REF_NONE)
		request_again(dp, ref, now);
	crossbar_grant(dp, port, lane, now);
}
