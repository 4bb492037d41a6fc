/*  The way of unordered flows (FC-16, EC-11): flow_tree.h. Without unordered classes these functions do nothing. */
#include "switchd/dataplane.h"

static struct tree_line *line_of(const struct dataplane *dp, uint32_t ref)
{
	return &dp->ports[flow_ref_port(ref)].trees[flow_ref_id(ref)];
}

static bool is_unordered(struct dataplane *dp, uint32_t ref)
{
	return dp->unordered >> flow_of(dp->ifcts, ref)->traffic_class & 1;
}

bool tree_is(struct dataplane *dp, uint32_t ref)
{
	return is_unordered(dp, ref) && line_of(dp, ref)->state != TREE_NONE;
}

bool tree_is_folded(struct dataplane *dp, uint32_t ref)
{
	return tree_is(dp, ref) && line_of(dp, ref)->state == TREE_FOLDED;
}

bool tree_is_branch(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	return !tree_is(dp, ref) || (line_of(dp, ref)->state == TREE_FOLDED && line_of(dp, ref)->branch_port == port);
}

bool tree_metered(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	return flow_of(dp->ifcts, ref)->dm && tree_is_branch(dp, ref, port);
}

void tree_begin(struct dataplane *dp, uint32_t ref, const struct packet *packet)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct tree_line *line;

	if (!is_unordered(dp, ref))
		return;
	line = line_of(dp, ref);
	if (line->state == TREE_FOLDED && flow->ep_congestion)
		return; /* its limits outlive its packets, and so does its order */
	line->state =
		!packet->ordered && dp->config->switch_.routing.choice == ROUTING_ADAPTIVE && choose_count(dp, flow) > 1
			? TREE_OPEN
			: TREE_NONE;
}

void tree_end(struct dataplane *dp, uint32_t ref)
{
	if (is_unordered(dp, ref))
		*line_of(dp, ref) = (struct tree_line){ 0 };
}

void tree_fold(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	struct tree_line *line;

	if (!tree_is(dp, ref) || line_of(dp, ref)->state == TREE_FOLDED)
		return;
	line = line_of(dp, ref);
	line->state = TREE_FOLDED;
	line->branch_port = (uint8_t)port;
	dp->ports[flow_ref_port(ref)].stats->folds++;
}

void tree_moved(struct dataplane *dp, uint32_t ref)
{
	if (tree_is_folded(dp, ref))
		line_of(dp, ref)->branch_port = flow_of(dp->ifcts, ref)->follow_port;
}

bool tree_choose(struct dataplane *dp, uint32_t ref, const struct packet *packet, enum drop_reason *why,
		 node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct tree_line *line = line_of(dp, ref);

	if (packet->ordered)
		tree_fold(dp, ref, flow->follow_port);
	if (line->state == TREE_FOLDED && dataplane_port_up(dp, line->branch_port)) {
		flow->follow_port = line->branch_port;
		return true;
	}
	if (!choose_way(dp, flow, packet, why, now))
		return false;
	if (line->state == TREE_FOLDED) {
		headroom_on_ack(flow, HEADROOM_END, 0); /* it was for the branch that is gone */
		line->branch_port = flow->follow_port;
	}
	return true;
}

void tree_mark(struct dataplane *dp, uint32_t ref, struct packet *packet)
{
	if (is_unordered(dp, ref) && line_of(dp, ref)->state == TREE_FOLDED)
		packet->ordered = true;
}
