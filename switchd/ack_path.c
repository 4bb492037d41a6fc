#include <string.h>

#include "nodes/trace.h"
#include "switchd/dataplane.h"

/* at the flow's ingress edge: its EFCT line, and the end of the ACK's way */
static void at_ingress_edge(struct dataplane *dp, uint32_t ref, enum ack_type type, uint32_t value, bool settles,
			    node_time_t now)
{
	struct port *in = &dp->ports[flow_ref_port(ref)];

	if (type == ACK_LOSS) {
		in->stats->loss_reports++;
		in->stats->loss_report_units += value;
		trace(dp->stats, now, TRACE_LOSS_REPORT, flow_ref_port(ref), flow_ref_id(ref), value);
	}
	if (!settles || !efct_on_ack(&in->efct, flow_ref_id(ref), value))
		return;
	in->stats->efct_used = in->efct.used;
	if (in->no_line.head)
		arrival_lines_freed(dp, flow_ref_port(ref), now);
}

void ack_path_up(struct dataplane *dp, uint32_t ref, enum ack_type type, uint32_t value, node_time_t now)
{
	uint32_t in_port = flow_ref_port(ref);
	struct port *in = &dp->ports[in_port];
	struct ifct *ifct = &dp->ifcts[in_port];
	bool settles = type == ACK_DELTA || type == ACK_DELTA_ECA || type == ACK_LOSS;

	if (settles && !ifct_on_ack(ifct, flow_ref_id(ref), value)) {
		dataplane_drop(dp, DROP_BAD_ACK, in_port, 0, now);
		return;
	}
	in->stats->ifct_used = ifct->used;
	if (in->kind == PORT_EDGE) {
		at_ingress_edge(dp, ref, type, value, settles, now);
		return;
	}
	if (!dataplane_port_up(dp, in_port))
		return; /* the link it came over is gone */
	ack_collect(&in->acks, flow_ref_id(ref), type, value, now);
	dataplane_touch(dp, in_port);
}

/* an ACK for channel @flow_id of the link at @port */
static void from_downstream(struct dataplane *dp, uint32_t port, uint32_t flow_id, enum ack_type type, uint32_t value,
			    node_time_t now)
{
	struct port *out = &dp->ports[port];
	uint32_t settled = type == ACK_ECA || type == ACK_REROUTE ? 0 : value;
	uint32_t ref;
	bool freed;

	if (type == ACK_HEADROOM || !ofct_on_ack(&out->ofct, flow_id, settled, &ref, &freed)) {
		dataplane_drop(dp, DROP_BAD_ACK, port, 0, now);
		return;
	}
	out->stats->ofct_used = out->ofct.used;
	/* first the flow that waits for a channel, then those that the ACK lets in at the edge */
	if (freed)
		crossbar_channel_freed(dp, port);
	ack_path_up(dp, ref, type, value, now);
}

void ack_path_frame(struct dataplane *dp, uint32_t port, const struct record *header, const uint8_t *bytes,
		    node_time_t now)
{
	uint8_t copy[LINK_ACK_BYTES_MAX];
	struct ack acks[ACK_FRAME_ACKS_MAX];
	int count = -1;

	if (dp->ports[port].kind == PORT_FABRIC && header->captured_bytes <= sizeof(copy)) {
		memcpy(copy, bytes, header->captured_bytes);
		count = ack_frame_read(copy, header->captured_bytes, acks);
	}
	if (count < 0) {
		dataplane_drop(dp, DROP_MALFORMED, port, 0, now);
		return;
	}
	for (int i = 0; i < count; i++)
		from_downstream(dp, port, acks[i].flow_id, acks[i].type, acks[i].value, now);
}

/* ---- what guarded links report ---- */

/* the tag of a packet on an edge link is its flow, on a fabric link its channel there: transmit.c */
static void on_seen(void *owner, struct link *link, const struct link_log_entry *entry, node_time_t now)
{
	struct dataplane *dp = owner;

	if (dp->ports[link->port].kind == PORT_EDGE)
		ack_path_up(dp, entry->tag, ACK_DELTA, entry->units, now);
}

static void on_lost(void *owner, struct link *link, const struct link_log_entry *entry, node_time_t now)
{
	struct dataplane *dp = owner;

	/* when the whole link is gone, link_change.c settles its channels; an edge link has none */
	if (!dataplane_port_up(dp, link->port) && dp->ports[link->port].kind == PORT_FABRIC)
		return;
	trace(dp->stats, now, TRACE_HOLE, link->port, entry->tag, entry->units);
	if (dp->ports[link->port].kind == PORT_EDGE)
		ack_path_up(dp, entry->tag, ACK_LOSS, entry->units, now);
	else
		from_downstream(dp, link->port, entry->tag, ACK_LOSS, entry->units, now);
	dataplane_touch(dp, link->port);
}

/* the ACKs of a lost frame wait again: sums may come late, but not never */
static void on_ack_lost(void *owner, struct link *link, const uint8_t *bytes, uint32_t length, node_time_t now)
{
	struct dataplane *dp = owner;
	struct ack acks[ACK_FRAME_ACKS_MAX];
	int count = dataplane_port_up(dp, link->port) ? ack_frame_read(bytes, length, acks) : 0;

	for (int i = 0; i < count; i++)
		ack_collect(&dp->ports[link->port].acks, acks[i].flow_id, acks[i].type, acks[i].value, now);
	dataplane_touch(dp, link->port);
}

struct link_listener ack_path_listener(struct dataplane *dp)
{
	return (struct link_listener){
		.owner = dp, .on_seen = on_seen, .on_lost = on_lost, .on_ack_lost = on_ack_lost
	};
}
