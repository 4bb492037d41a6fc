#include "switchd/flow_channel/ack_path.h"

#include "nodes/base/copy.h"
#include "nodes/stats/trace.h"
#include "switchd/flow_channel/ack_upstream.h"
#include "switchd/flow_channel/choose.h"
#include "switchd/flow_channel/flow_control.h"
#include "switchd/flow_channel/flow_queue.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/reroute.h"

/* a HEADROOM ACK of @value for channel @flow_id of the link at @port: it ends at this switch */
static void on_headroom(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t value,
			node_time_t now)
{
	const struct ofct *ofct = &dp->ports[port].fabric.ofct;
	const struct ofct_entry *entry =
		flow_id < ofct->channels ? TABLE_AT(ofct->entries, flow_id) : NULL;

	if (entry && entry->active)
		flow_credited(dp, flow_ref(entry->input_port, entry->input_port_flow_id), port,
			      flow_id, value == ACK_VALUE_MAX ? HEADROOM_END : value);
	else if (!dp->ports[port].link->guarded) /* a guarded link may send credit again, late */
		switch_drop(&dp->sw, DROP_BAD_ACK, port, 0, now);
}

/* Congestion at the destination was reported over output @port: flow @ref, and later flows with the
 * same key, take that port (FC-24). */
static void note_source(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct source_hold_key key = choose_key(flow, ref);

	if (dp->sw.config->switch_.routing.hold_sources && choose_count(dp, flow) > 1)
		source_hold_note(&dp->hold, &key, port, flow->via, now);
}

/* Handles an ACK of flow @ref from its channel at @port, which is free now if @freed. */
static void flow_ack(struct dataplane *dp, uint32_t port, uint32_t ref, bool freed,
		     enum ack_type type, uint32_t value, node_time_t now)
{
	dp->ports[port].stats->ofct_used = dp->ports[port].fabric.ofct.used;
	if (freed) {
		if (!tree_is(dp, ref))
			headroom_on_ack(flow_of(dp->ifcts, ref), HEADROOM_END,
					0); /* it was the channel's */
		marks_port(&dp->marks, &dp->marks.channels, port);
	}
	if (type == ACK_ECA)
		tree_fold(dp, ref, port);
	if (type == ACK_ECA || type == ACK_DELTA_ECA)
		note_source(dp, ref, port, now);
	if (type == ACK_REROUTE)
		reroute_on_ack(dp, ref, value, now);
	else
		ack_upstream(dp, ref, type, value, now);
}

void ack_path_ack(struct dataplane *dp, uint32_t port, const struct ack *ack, node_time_t now)
{
	struct port *out = &dp->ports[port];
	enum ack_type type = ack->type;
	uint32_t flow_id = ack->flow_id, value = ack->value;
	uint32_t settled = ack_settles(type) ? value : 0;
	uint32_t ref;
	bool freed;

	if (type == ACK_HEADROOM) {
		on_headroom(dp, port, flow_id, value, now);
		return;
	}
	if ((type == ACK_ECA && (!value || value > ECA_MAX)) || /* not a congestion factor */
	    (type == ACK_REROUTE && reroute_is_bad(dp, value))) {
		switch_drop(&dp->sw, DROP_BAD_ACK, port, 0, now);
		return;
	}
	if (!ofct_on_ack(&out->fabric.ofct, flow_id, settled, &ref, &freed)) {
		if (settled || !out->link->guarded)
			switch_drop(&dp->sw, DROP_BAD_ACK, port, 0, now);
		return;
	}
	flow_ack(dp, port, ref, freed, type, value, now);
}

uint32_t ack_path_read(struct dataplane *dp, uint32_t port, const struct record *header,
		       const uint8_t *bytes, struct ack acks[ACK_FRAME_ACKS_MAX], node_time_t now)
{
	uint8_t copy[LINK_ACK_BYTES_MAX];
	int count = -1;

	if (dp->ports[port].kind == PORT_FABRIC && header->captured_bytes <= sizeof(copy)) {
		copy_short(copy, bytes, header->captured_bytes);
		count = ack_frame_read(copy, header->captured_bytes, acks);
	}
	if (count < 0)
		switch_drop(&dp->sw, DROP_MALFORMED, port, 0, now);
	return count < 0 ? 0 : (uint32_t)count;
}

/* ---- what guarded links report ---- */

void ack_path_delivered(struct dataplane *dp, uint32_t tag, uint32_t units, node_time_t now)
{
	bool congested = tag & ACK_TAG_CONGESTED;
	uint32_t ref = tag & ~ACK_TAG_CONGESTED;

	if (congested)
		dp->ports[flow_of(dp->ifcts, ref)->follow_port].stats->delta_eca_acks++;
	ack_upstream(dp, ref, congested ? ACK_DELTA_ECA : ACK_DELTA, units, now);
}

/* the tag of a packet on an edge link is its flow, on a fabric link its channel there:
 * transmit.c */
void ack_path_seen(void *owner, struct link *link, const struct link_log_entry *entry,
		   node_time_t now)
{
	struct dataplane *dp = owner;

	if (dp->ports[link->port].kind == PORT_EDGE)
		ack_path_delivered(dp, entry->tag, entry->units, now);
	else
		ofct_seen(&dp->ports[link->port].fabric.ofct, entry->tag, entry->units);
}

/* @units of channel @id of the link at @port were lost. The peer reports a loss that leaves a hole.
 * One that leaves none, because nothing follows it, is reported here (FC-17). */
static void lost_on_link(struct dataplane *dp, uint32_t port, uint32_t id, uint32_t units,
			 node_time_t now)
{
	struct port *out = &dp->ports[port];
	uint32_t ref, tail_units = ofct_missing(&out->fabric.ofct, id, units);
	bool freed;

	if (!tail_units)
		return;
	if (!ofct_take_back(&out->fabric.ofct, id, tail_units, &ref, &freed)) {
		switch_drop(&dp->sw, DROP_BAD_ACK, port, 0,
			    now); /* the peer has acknowledged it and reported it lost */
		return;
	}
	out->stats->tail_units += tail_units;
	flow_ack(dp, port, ref, freed, ACK_LOSS, tail_units, now);
}

void ack_path_lost(void *owner, struct link *link, const struct link_log_entry *entry,
		   node_time_t now)
{
	struct dataplane *dp = owner;

	/* when the whole link is gone, link_change.c settles its channels; an edge link has none */
	if (!dataplane_port_up(dp, link->port) && dp->ports[link->port].kind == PORT_FABRIC)
		return;
	trace(dp->sw.stats, (struct trace_entry){ .at_ps = now,
						  .kind = TRACE_MISSING,
						  .port = (uint8_t)link->port,
						  .detail = entry->tag,
						  .value = entry->units });
	if (dp->ports[link->port].kind == PORT_EDGE)
		ack_upstream(dp, entry->tag & ~ACK_TAG_CONGESTED, ACK_LOSS, entry->units, now);
	else
		lost_on_link(dp, link->port, entry->tag, entry->units, now);
	switch_touch(&dp->sw, link->port);
}

/* The ACKs of a lost frame are collected again: sums may arrive late. Credit is not repeated but
 * computed again, because its old value no longer holds. */
void ack_path_ack_lost(void *owner, struct link *link, const uint8_t *bytes, uint32_t length,
		       node_time_t now)
{
	struct dataplane *dp = owner;
	struct ack acks[ACK_FRAME_ACKS_MAX];
	int count = dataplane_port_up(dp, link->port) ? ack_frame_read(bytes, length, acks) : 0;

	for (int i = 0; i < count; i++) {
		if (acks[i].type == ACK_HEADROOM)
			flow_credit_lost(dp, flow_ref(link->port, acks[i].flow_id), now);
		else
			ack_collect(&dp->ports[link->port].fabric.acks, acks[i].flow_id,
				    acks[i].type, acks[i].value, now);
	}
	switch_touch(&dp->sw, link->port);
}
