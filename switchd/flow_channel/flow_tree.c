/*  The way of unordered flows (FC-16, EC-11): flow_tree.h. Without unordered classes these
 *  functions do nothing. */
#include "switchd/flow_channel/flow_tree.h"

#include <errno.h>

#include "nodes/base/units.h"
#include "switchd/flow_channel/choose.h"

#define HELD_BYTES (1ull << 40) /* a branch without credit: worse than any that has some */

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

/* the channel that flow @ref has at @port; -ENOENT: none */
static int channel_of(const struct dataplane *dp, uint32_t ref, uint32_t port)
{
	return dp->ports[port].kind == PORT_FABRIC
		       ? ofct_find(&dp->ports[port].ofct, flow_ref_port(ref), flow_ref_id(ref))
		       : -ENOENT;
}

bool tree_metered(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	int id;

	if (!tree_is(dp, ref))
		return flow_of(dp->ifcts, ref)->dm;
	id = channel_of(dp, ref, port);
	return id >= 0 && dp->ports[port].ofct.entries[id].metered;
}

int32_t tree_headroom(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	int id;

	if (!tree_is(dp, ref))
		return flow_of(dp->ifcts, ref)->headroom;
	id = channel_of(dp, ref, port);
	return id >= 0 ? dp->ports[port].ofct.headroom[id] : 0;
}

void tree_spend(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t units)
{
	if (!tree_metered(dp, ref, port))
		return;
	if (tree_is(dp, ref))
		dp->ports[port].ofct.headroom[channel_of(dp, ref, port)] -= (int32_t)units;
	else
		flow_of(dp->ifcts, ref)->headroom -= (int32_t)units;
}

void tree_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit)
{
	struct ofct *ofct = &dp->ports[port].ofct;
	struct ofct_entry *entry = &ofct->entries[id];
	uint32_t behind_units = ofct_flow_extent(entry);

	if (tree_is(dp, ref))
		entry->metered = headroom_credited(entry->metered, &ofct->headroom[id], credit,
						   behind_units);
	else
		headroom_on_ack(flow_of(dp->ifcts, ref), credit, behind_units);
}

uint64_t tree_load(struct dataplane *dp, uint32_t ref, uint32_t port, uint64_t bytes)
{
	const struct ofct *ofct = &dp->ports[port].ofct;
	int id = channel_of(dp, ref, port);

	if (id < 0)
		return bytes;
	if (ofct->entries[id].metered && ofct->headroom[id] <= 0)
		bytes += HELD_BYTES;
	return bytes + (uint64_t)ofct_flow_extent(&ofct->entries[id]) * UNIT_BYTES;
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
	line->state = !packet->ordered &&
				      dp->sw.config->switch_.routing.choice == ROUTING_ADAPTIVE &&
				      choose_count(dp, flow) > 1
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

/* Is the congestion over that folded tree @ref, whose next packet is @packet (flow_tree.h)? Behind
 * another switch only if that one has opened, too. */
static bool may_unfold(struct dataplane *dp, uint32_t ref, const struct packet *packet,
		       node_time_t now)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	return line_of(dp, ref)->state == TREE_FOLDED && !packet->ordered && !flow->ep_congestion &&
	       flow->fc_state == RUNNING && dp->sw.config->switch_.routing.hold_sources &&
	       !choose_is_held(dp, ref, now);
}

void tree_moved(struct dataplane *dp, uint32_t ref)
{
	if (tree_is_folded(dp, ref))
		line_of(dp, ref)->branch_port = flow_of(dp->ifcts, ref)->follow_port;
}

bool tree_choose(struct dataplane *dp, uint32_t ref, const struct packet *packet,
		 enum drop_reason *why, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct tree_line *line = line_of(dp, ref);
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
		if (choose_leads_on(dp, ref))
			return true;
	}
	if (!choose_way(dp, flow, packet, why, now))
		return false;
	if (line->state == TREE_FOLDED &&
	    !(from_fabric && dataplane_port_up(dp, line->branch_port)))
		line->branch_port = flow->follow_port;
	return true;
}

void tree_mark(struct dataplane *dp, uint32_t ref, struct packet *packet)
{
	if (is_unordered(dp, ref) && line_of(dp, ref)->state == TREE_FOLDED)
		packet->ordered = true;
}
