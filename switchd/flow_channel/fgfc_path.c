/*  The path of FGFC: queues of an ingress edge port -> the line of the flow -> a frame on its
 *  link, ahead of data (EC-15). */
#include "switchd/flow_channel/fgfc_path.h"

#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/address.h"
#include "switchd/flow_channel/flow_trace.h"

static void changed(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t queue_units,
		    enum trace_kind kind)
{
	struct port *in = &dp->ports[port];

	in->stats->fgfc_held = in->edge.fgfc.on;
	flow_trace(dp, kind, flow_ref(port, flow_id), queue_units, dp->sw.stats->now_ps);
}

/* ---- the name of a flow: what its EFCT line compares ---- */

static uint8_t kind_of(const struct efct_pattern *pattern)
{
	if (pattern->kind == 1)
		return FLOW_HPC;
	if (pattern->kind == 4)
		return FLOW_IPV4;
	return pattern->kind == 6 ? FLOW_IPV6 : FLOW_LAYER_2;
}

/* does all of @part count? */
static bool is_whole(const struct flow_match *match, enum flow_part part)
{
	struct flow_match whole = flow_match_whole(MATCH_ALL);

	return flow_match_part(match, part) == flow_match_part(&whole, part);
}

/* Do the fields of @match contain the destination of frames of @kind? A part of the address is
 * not enough: other destinations have the same part. */
static bool names_destination(const struct flow_match *match, uint8_t kind)
{
	if (is_whole(match, PART_DESTINATION_MAC))
		return true;
	if (kind == FLOW_IPV6)
		return is_whole(match, PART_DESTINATION_IPV6_HIGH) &&
		       is_whole(match, PART_DESTINATION_IPV6_LOW);
	return kind != FLOW_LAYER_2 &&
	       is_whole(match, kind == FLOW_HPC ? PART_HPC_DESTINATION : PART_DESTINATION_IPV4);
}

/* The destination's MAC belongs to @match as a whole. */
static void match_destination(struct flow_match *match)
{
	if (flow_match_masked(match)) {
		struct flow_match whole = flow_match_whole(MATCH_ALL);

		match->mask[PART_DESTINATION_MAC] = flow_match_part(&whole, PART_DESTINATION_MAC);
	}
	match->fields |= MATCH_DESTINATION_MAC;
	flow_match_end(match);
}

/* A flow always has a destination (FC-2): the host at the egress port. O(hosts), for match sets
 * without destination only. */
static void add_destination(const struct dataplane *dp, const struct efct_pattern *pattern,
			    struct flow_match *match, struct flow_name *name)
{
	for (uint32_t i = 0; i < dp->translate.index_end; i++) {
		const struct translate_entry *host = translate_host(&dp->translate, i);

		if (!host || host->fabric_address != pattern->fabric_address ||
		    host->egress_port != pattern->egress_port)
			continue;
		match_destination(match);
		address_mac(i, name->destination_mac);
		return;
	}
}

/* the name by which the NIC at edge port @port finds flow @flow_id.
 * @mask  filled by flow_name_mask(): the bits of the name that count (FC-2). */
static struct flow_name fgfc_path_name(const struct dataplane *dp, uint32_t port, uint32_t flow_id,
				       struct flow_name *mask)
{
	const struct efct *efct = &dp->ports[port].edge.efct;
	struct flow_match match = efct->match->now;
	const struct efct_pattern *pattern = TABLE_AT(efct->patterns, flow_id);
	struct flow_name name = {
		.source_port = pattern->source_port,
		.destination_port = pattern->destination_port,
		.flow_label = pattern->flow_label,
		.queue_pair = pattern->queue_pair,
		.vlan = pattern->vlan,
		.traffic_class = pattern->traffic_class,
		.ip_protocol = pattern->ip_protocol,
		.kind = kind_of(pattern),
	};

	memcpy(name.source_mac, pattern->source_mac, sizeof(name.source_mac));
	memcpy(name.destination_mac, pattern->destination_mac, sizeof(name.destination_mac));
	memcpy(name.source_ip, pattern->source_ip, sizeof(name.source_ip));
	memcpy(name.destination_ip, pattern->destination_ip, sizeof(name.destination_ip));
	if (name.kind == FLOW_HPC) { /* endpoints are numbers there */
		uint32_t endpoint;

		memcpy(&endpoint, pattern->source_ip, sizeof(endpoint));
		bytes_put32(name.source_ip, endpoint);
		memcpy(&endpoint, pattern->destination_ip, sizeof(endpoint));
		bytes_put32(name.destination_ip, endpoint);
	}
	if (!names_destination(&match, name.kind))
		add_destination(dp, pattern, &match, &name);
	name.fields = (uint16_t)flow_name_mask(&match, (enum flow_kind)name.kind, mask);
	return name;
}

/* ---- what happens to a flow's queue ---- */

/* The flow is to be paused at its source. Rare, so not inlined. */
static void __attribute__((noinline, cold))
hold(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t queue_units)
{
	struct flow_name mask, name = fgfc_path_name(dp, port, flow_id, &mask);

	if (!fgfc_start(&dp->ports[port].edge.fgfc, flow_id, &name, &mask))
		return;
	changed(dp, port, flow_id, queue_units, TRACE_FGFC_HOLD);
	switch_touch(&dp->sw, port);
}

void fgfc_path_queued(struct dataplane *dp, uint32_t port, uint32_t flow_id)
{
	const struct ifct_entry *flow = TABLE_AT(dp->ifcts[port].entries, flow_id);
	struct fgfc *fgfc = &dp->ports[port].edge.fgfc;
	uint32_t queue_units = ifct_queue_extent(flow);

	if (fgfc_enabled(fgfc) &&
	    fgfc_wanted(fgfc, flow_id, queue_units, injection_setting(&dp->injection, flow)))
		hold(dp, port, flow_id, queue_units);
}

void fgfc_path_forwarded(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t units)
{
	const struct ifct_entry *flow = TABLE_AT(dp->ifcts[port].entries, flow_id);
	struct fgfc *fgfc = &dp->ports[port].edge.fgfc;
	uint32_t queue_units = ifct_queue_extent(flow);

	if (!fgfc_enabled(fgfc) || !fgfc->on)
		return;
	if (fgfc_forwarded(fgfc, flow_id, units, queue_units,
			   injection_setting(&dp->injection, flow)))
		changed(dp, port, flow_id, queue_units, TRACE_FGFC_END);
	switch_touch(&dp->sw, port);
}

void fgfc_path_clear(struct dataplane *dp, uint32_t port)
{
	struct fgfc *fgfc = &dp->ports[port].edge.fgfc;

	if (!fgfc_enabled(fgfc))
		return;
	fgfc_clear(fgfc);
	dp->ports[port].stats->fgfc_held = 0;
}

/* ---- the frame ---- */

bool fgfc_path_send(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *out = &dp->ports[port];
	node_time_t distance_ps = link_frame_time_of(out->link, out->mtu_bytes + FRAME_FCS_BYTES +
									out->link->gap_bytes);
	uint8_t bytes[FGFC_MASKED_BYTES];
	struct fgfc_frame frame;

	if (!fgfc_take(&out->edge.fgfc, now, distance_ps, &frame))
		return false;
	/* the source address of envelopes */
	link_send_fgfc(out->link, now, bytes, fgfc_frame_write(&frame, out->envelope + 6, bytes));
	out->stats->fgfc_frames++;
	return true;
}
