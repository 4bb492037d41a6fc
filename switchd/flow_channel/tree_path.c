#include "switchd/flow_channel/tree_path.h"

#include "switchd/flow_channel/choose.h"
#include "switchd/flow_channel/flow_tree.h"

void tree_path_begin(struct dataplane *dp, uint32_t ref, const struct packet *packet)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct tree_line *line;

	if (!tree_is_unordered(dp, ref))
		return;
	line = tree_line_of(dp, ref);
	if (line->state == TREE_FOLDED && flow->ep_congestion)
		return; /* its limits outlive its packets, and so does its order */
	line->state = !packet->ordered &&
				      dp->sw.config->switch_.routing.choice == ROUTING_ADAPTIVE &&
				      choose_count(dp, flow) > 1
			      ? TREE_OPEN
			      : TREE_NONE;
}

/* Is the congestion over that folded tree @ref, whose next packet is @packet (flow_tree.h)?
 * Downstream of another switch only if that one has opened, too. */
static bool may_unfold(struct dataplane *dp, uint32_t ref, const struct packet *packet,
		       node_time_t now)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	return tree_line_of(dp, ref)->state == TREE_FOLDED && !packet->ordered &&
	       !flow->ep_congestion && flow->fc_state == RUNNING &&
	       dp->sw.config->switch_.routing.hold_sources && !choose_is_held(dp, ref, now);
}

bool tree_path_choose(struct dataplane *dp, uint32_t ref, const struct packet *packet,
		      enum drop_reason *why, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct tree_line *line = tree_line_of(dp, ref);
	bool from_fabric = dp->ports[packet->in_port].kind == PORT_FABRIC;

	if (packet->ordered)
		tree_fold(dp, ref, flow->follow_port);
	else if (may_unfold(dp, ref, packet, now))
		line->state = TREE_OPEN;
	if (line->state == TREE_FOLDED) {
		flow->follow_port = line->branch_port;
		/* another one than the branch's would be a detour after the detour */
		if (from_fabric)
			flow->via = packet->via;
		if (choose_is_valid(dp, ref))
			return true;
	}
	if (!choose_path(dp, flow, packet, why, now))
		return false;
	if (line->state == TREE_FOLDED &&
	    !(from_fabric && dataplane_port_up(dp, line->branch_port)))
		line->branch_port = flow->follow_port;
	return true;
}
