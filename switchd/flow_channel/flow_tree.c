/*  Unordered flows (FC-16, EC-11): flow_tree.h. Without unordered classes these functions do
 *  nothing. */
#include "switchd/flow_channel/flow_tree.h"

#include <errno.h>

#include "nodes/base/units.h"

#define HELD_BYTES (1ull << 40) /* load of a branch without credit: more than any other has */

bool tree_is_folded(struct dataplane *dp, uint32_t ref)
{
	return tree_is(dp, ref) && tree_line_of(dp, ref)->state == TREE_FOLDED;
}

/* the channel that flow @ref has at @port; -ENOENT: none */
static int channel_of(const struct dataplane *dp, uint32_t ref, uint32_t port)
{
	return dp->ports[port].kind == PORT_FABRIC ? ofct_find(&dp->ports[port].fabric.ofct,
							       flow_ref_port(ref), flow_ref_id(ref))
						   : -ENOENT;
}

bool tree_branch_metered(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	int id = channel_of(dp, ref, port);

	return id >= 0 && TABLE_AT(dp->ports[port].fabric.ofct.entries, id)->metered;
}

int32_t tree_headroom(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	int id;

	if (!tree_is(dp, ref))
		return flow_of(dp->ifcts, ref)->headroom;
	id = channel_of(dp, ref, port);
	return id >= 0 ? *TABLE_AT(dp->ports[port].fabric.ofct.headroom, id) : 0;
}

void tree_spend(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t units)
{
	if (tree_is(dp, ref))
		*TABLE_AT(dp->ports[port].fabric.ofct.headroom, channel_of(dp, ref, port)) -=
			(int32_t)units;
	else
		flow_of(dp->ifcts, ref)->headroom -= (int32_t)units;
}

void tree_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit)
{
	struct ofct *ofct = &dp->ports[port].fabric.ofct;
	struct ofct_entry *entry = TABLE_AT(ofct->entries, id);
	uint32_t downstream_units = ofct_flow_extent(entry);

	if (tree_is(dp, ref))
		entry->metered = headroom_credited(entry->metered, TABLE_AT(ofct->headroom, id),
						   credit, downstream_units);
	else
		headroom_on_ack(flow_of(dp->ifcts, ref), credit, downstream_units);
}

uint64_t tree_load(struct dataplane *dp, uint32_t ref, uint32_t port, uint64_t bytes)
{
	const struct ofct *ofct = &dp->ports[port].fabric.ofct;
	int id = channel_of(dp, ref, port);

	if (id < 0)
		return bytes;
	if (TABLE_AT(ofct->entries, id)->metered && *TABLE_AT(ofct->headroom, id) <= 0)
		bytes += HELD_BYTES;
	return bytes + (uint64_t)ofct_flow_extent(TABLE_AT(ofct->entries, id)) * UNIT_BYTES;
}

void tree_end(struct dataplane *dp, uint32_t ref)
{
	if (tree_is_unordered(dp, ref))
		*tree_line_of(dp, ref) = (struct tree_line){ 0 };
}

void tree_fold(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	struct tree_line *line;

	if (!tree_is(dp, ref) || tree_line_of(dp, ref)->state == TREE_FOLDED)
		return;
	line = tree_line_of(dp, ref);
	line->state = TREE_FOLDED;
	line->branch_port = (uint8_t)port;
	dp->ports[flow_ref_port(ref)].stats->folds++;
}

void tree_moved(struct dataplane *dp, uint32_t ref)
{
	if (tree_is_folded(dp, ref))
		tree_line_of(dp, ref)->branch_port = flow_of(dp->ifcts, ref)->follow_port;
}

void tree_mark(struct dataplane *dp, uint32_t ref, struct packet *packet)
{
	if (tree_is_unordered(dp, ref) && tree_line_of(dp, ref)->state == TREE_FOLDED)
		packet->ordered = true;
}
