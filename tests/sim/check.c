/*  check - the books of a fabric in one process (TB-25). What lies in the rings is counted too, so that every sum holds at any
 *  moment between two windows, not only when the fabric is empty.                                                     */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"
#include "tests/sim/sim.h"

/* what is under way in one direction of a link */
struct in_flight {
	uint64_t bytes;                            /* inner frames */
	uint32_t channel_units[NODE_CHANNELS_MAX]; /* data towards the receiver, by flow_id */
	uint32_t acked_units[NODE_CHANNELS_MAX];   /* units that ACKs settle, by flow_id */
	uint32_t credit_units[NODE_CHANNELS_MAX];  /* credit, by flow_id */
};

__attribute__((format(printf, 3, 4))) static void fail(const struct sim *sim, const char *where, const char *format,
						       ...)
{
	va_list arguments;

	fprintf(stderr, "%s at %.3f us: %s: ", sim->plan.scenario, (double)atomic_load(&sim->page->start_ps) / 1e6,
		where);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
	abort();
}

static bool settles(uint32_t type)
{
	return type == ACK_DELTA || type == ACK_DELTA_ECA || type == ACK_LOSS;
}

static void count_record(const struct link *link, const struct record *record, const uint8_t *bytes,
			 struct in_flight *sum)
{
	uint32_t frame_bytes = link_frame_bytes(link, record->wire_bytes);
	struct ack acks[ACK_FRAME_ACKS_MAX];
	struct fabric_header header;
	int count;

	if (record->kind == RECORD_PACKET) {
		sum->bytes += frame_bytes;
		if (link->front_bytes && !fabric_header_read(bytes, record->captured_bytes, frame_bytes, &header))
			sum->channel_units[header.flow_id] += header.units;
	} else if (record->kind == RECORD_ACKS) {
		count = ack_frame_read(bytes, record->captured_bytes, acks);
		for (int i = 0; i < count; i++)
			if (settles(acks[i].type))
				sum->acked_units[acks[i].flow_id] += acks[i].value;
			else if (acks[i].type == ACK_HEADROOM)
				sum->credit_units[acks[i].flow_id] += acks[i].value;
	}
}

/* what lies in the receive ring of @link; reads a copy of its state */
static void count_ring(const struct link *link, struct in_flight *sum)
{
	struct ring_rx ring = link->rx;
	struct record record;
	const uint8_t *bytes;

	memset(sum, 0, sizeof(*sum));
	ring_refresh(&ring);
	while ((bytes = ring_peek(&ring, &record))) {
		count_record(link, &record, bytes, sum);
		ring_pop(&ring, &record);
	}
}

/* ---- one switch ---- */

static void check_ifct_entry(const struct sim *sim, const struct sim_node *node, uint32_t port, uint32_t id)
{
	const struct dataplane *dp = node->dataplane;
	const struct ifct_entry *entry = &dp->ifcts[port].entries[id];
	uint32_t units = 0;

	for (const struct packet *packet = entry->queue.head; packet; packet = packet->next)
		units += packet->units;
	if (!entry->active && entry->queue.head)
		fail(sim, node->config->name, "p%u flow %u is free but holds packets", port, id);
	if (!entry->active)
		return;
	if (units != ifct_queue_extent(entry))
		fail(sim, node->config->name, "p%u flow %u: queue_extent %u, queued %u units", port, id,
		     ifct_queue_extent(entry), units);
	if (ifct_flow_extent(entry) >= 1u << 31)
		fail(sim, node->config->name, "p%u flow %u: negative flow_extent", port, id);
	if (dp->ports[port].kind == PORT_EDGE &&
	    efct_flow_extent(&dp->ports[port].efct.lines[id]) != ifct_total_extent(entry))
		fail(sim, node->config->name, "p%u flow %u: EFCT extent %u, IFCT extent %u", port, id,
		     efct_flow_extent(&dp->ports[port].efct.lines[id]), ifct_total_extent(entry));
}

/* the OFCT's extent is the IFCT's: both count what went on and is not acknowledged; and no two ids name the same flow */
static void check_ofct(const struct sim *sim, const struct sim_node *node, uint32_t port)
{
	const struct dataplane *dp = node->dataplane;
	const struct ofct *ofct = &dp->ports[port].ofct;
	uint32_t active = 0;

	for (uint32_t id = 0; id < ofct->fresh; id++) {
		const struct ofct_entry *entry = &ofct->entries[id];
		const struct ifct_entry *flow = &dp->ifcts[entry->input_port].entries[entry->input_port_flow_id];

		if (!entry->active)
			continue;
		active++;
		if (!flow->active || flow->follow_port != port || ifct_flow_extent(flow) != ofct_flow_extent(entry))
			fail(sim, node->config->name, "p%u channel %u: extent %u, its flow p%u/%u has %u", port, id,
			     ofct_flow_extent(entry), entry->input_port, entry->input_port_flow_id,
			     ifct_flow_extent(flow));
		for (uint32_t other = 0; other < id; other++)
			if (ofct->entries[other].active && ofct->entries[other].input_port == entry->input_port &&
			    ofct->entries[other].input_port_flow_id == entry->input_port_flow_id)
				fail(sim, node->config->name, "p%u: channels %u and %u name the same flow", port, other,
				     id);
	}
	if (active != ofct->used)
		fail(sim, node->config->name, "p%u: %u channels in use, %u counted", port, active, ofct->used);
}

/* ---- congestion control of one switch ---- */

static bool in_list(const struct dataplane *dp, const struct flow_list *list, uint32_t ref)
{
	uint32_t each = list->first;

	while (each != FLOW_REF_NONE && each != ref)
		each = dp->ifcts[flow_ref_port(each)].entries[flow_ref_id(each)].next_ref;
	return each == ref;
}

static bool in_arbiter(const struct dataplane *dp, const struct arbiter *arbiter, uint32_t ref)
{
	for (uint32_t g = 0; g < arbiter->group_count; g++) {
		struct flow_list list = { arbiter->groups[g].head, arbiter->groups[g].tail };

		if (in_list(dp, &list, ref))
			return true;
	}
	return false;
}

/* does what the flow is said to wait for still hold it? Else nothing will ever wake it. */
static bool waits_rightly(const struct dataplane *dp, uint32_t port, uint32_t id)
{
	const struct ifct_entry *flow = &dp->ifcts[port].entries[id];
	const struct port *out = &dp->ports[flow->follow_port];
	const struct output_class *output = &out->output[flow->traffic_class];
	uint32_t ref = flow_ref(port, id);

	switch (flow->wait) {
	case IFCT_NOT_WAITING:
		return !flow->queue.head;
	case IFCT_REQUESTING:
		return in_arbiter(dp, &output->arbiter, ref);
	case IFCT_WAITING_CHANNEL:
		return in_list(dp, &out->no_channel, ref) && out->ofct.used == out->ofct.channels;
	case IFCT_BLOCKED:
		return ifct_flow_extent(flow) || (flow->dm && flow->headroom <= 0);
	case IFCT_ASLEEP:
		return dp->wakes.places[ref] && dp->wakes.heap[dp->wakes.places[ref] - 1].at_ps == flow->wake_up_ps;
	case IFCT_STOPPED:
		return in_list(dp, &output->stopped, ref) && link_stopped(out->link, flow->traffic_class) && !flow->dm;
	case IFCT_PORT_LIMIT:
		return in_list(dp, &dp->ports[port].port_limit, ref);
	}
	return false;
}

/* EC-9, EC-12: what a port counts is what its flows have */
static void check_port_sums(const struct sim *sim, const struct sim_node *node, uint32_t port)
{
	const struct dataplane *dp = node->dataplane;
	const struct port *in = &dp->ports[port];
	uint32_t promised[NODE_CLASSES_MAX] = { 0 };
	uint64_t extent = 0, metered = 0, limited = 0;

	for (uint32_t id = 0; id < dp->ifcts[port].channels; id++) {
		const struct ifct_entry *flow = &dp->ifcts[port].entries[id];

		if (!flow->active)
			continue;
		if (!waits_rightly(dp, port, id))
			fail(sim, node->config->name, "p%u flow %u waits (%u) for nothing", port, id, flow->wait);
		promised[flow->traffic_class] += headroom_promise(flow, in->mtu_units);
		extent += ifct_flow_extent(flow);
		metered += flow->um;
		limited += flow->ep_congestion != 0;
	}
	for (uint32_t c = 0; c < dp->class_count; c++)
		if (promised[c] != in->promised_units[c])
			fail(sim, node->config->name, "p%u class %u: %u units promised, %u counted", port, c,
			     promised[c], in->promised_units[c]);
	if (in->kind == PORT_EDGE && extent != in->stats->extent_units)
		fail(sim, node->config->name, "p%u: flow_extents sum up to %lu, %lu counted", port, extent,
		     in->stats->extent_units);
	if (metered != in->stats->metered || limited != in->stats->limited)
		fail(sim, node->config->name, "p%u: %lu metered and %lu limited flows, %lu and %lu counted", port,
		     metered, limited, in->stats->metered, in->stats->limited);
}

/* EC-1: the queue of an egress port is what has asked for it and has not left */
static void check_requests(const struct sim *sim, const struct sim_node *node, uint32_t port)
{
	const struct dataplane *dp = node->dataplane;
	const struct port *out = &dp->ports[port];
	uint64_t bytes = 0, seen = 0;

	for (uint32_t p = 0; p < dp->port_count; p++)
		for (uint32_t id = 0; id < dp->ifcts[p].channels; id++)
			for (const struct packet *packet = dp->ifcts[p].entries[id].queue.head; packet;
			     packet = packet->next)
				if (dp->ifcts[p].entries[id].follow_port == port && packet->requested)
					bytes += packet->frame_bytes;
	for (uint32_t c = 0; c < dp->class_count; c++) {
		for (const struct packet *packet = out->output[c].queue.queue.head; packet; packet = packet->next)
			bytes += packet->frame_bytes;
		seen += out->output[c].eca.qu_bytes;
	}
	if (bytes != out->gauge.bytes || (out->kind == PORT_EDGE && dp->injection.config->eca && bytes != seen))
		fail(sim, node->config->name, "p%u: %lu bytes wait, gauge %lu, ECA %lu", port, bytes, out->gauge.bytes,
		     seen);
}

static void check_switch(const struct sim *sim, const struct sim_node *node)
{
	const struct dataplane *dp = node->dataplane;

	for (uint32_t p = 0; p < dp->port_count; p++) {
		for (uint32_t id = 0; id < dp->ifcts[p].channels; id++)
			check_ifct_entry(sim, node, p, id);
		if (dp->ports[p].kind == PORT_FABRIC)
			check_ofct(sim, node, p);
		check_port_sums(sim, node, p);
		check_requests(sim, node, p);
	}
}

/* ---- one link direction ---- */

static void check_buffer(const struct sim *sim, const struct sim_node *node, const struct link *link)
{
	for (uint32_t c = 0; link->buffer_units && c < link->class_count; c++)
		if (link->held_units[c] > link->buffer_units)
			fail(sim, node->config->name, "p%u class %u: buffer holds %u of %u units", link->port, c,
			     link->held_units[c], link->buffer_units);
}

/* units of channel @id that still wait in the output queues of @port */
static uint32_t output_units(const struct dataplane *dp, uint32_t port, uint32_t id)
{
	uint32_t units = 0;

	for (uint32_t c = 0; c < dp->class_count; c++)
		for (const struct packet *packet = dp->ports[port].output[c].queue.queue.head; packet;
		     packet = packet->next)
			units += packet->out_flow_id == id ? packet->units : 0;
	return units;
}

/* EC-14: no credit comes from nowhere. What is queued downstream, under way, and allowed upstream is no more than the downstream end
 * knows of. While the first or the last word of metering is under way, the ends do not mean the same. */
static void check_headroom(const struct sim *sim, const struct sim_node *from, uint32_t port, uint32_t id,
			   const struct ifct_entry *down, const struct ack_line *waiting, uint32_t data_units,
			   uint32_t credit_units)
{
	const struct dataplane *dp = from->dataplane;
	const struct ofct_entry *entry = &dp->ports[port].ofct.entries[id];
	const struct ifct_entry *up = &dp->ifcts[entry->input_port].entries[entry->input_port_flow_id];
	int64_t sum = (int64_t)ifct_queue_extent(down) + data_units + up->headroom + credit_units;

	if (!down->active || !down->um || !up->dm || waiting->types & 1u << ACK_HEADROOM_END)
		return;
	if (waiting->types & 1u << ACK_HEADROOM)
		sum += waiting->value[ACK_HEADROOM];
	if (credit_units < ACK_HEADROOM_MAX && sum > down->committed_units)
		fail(sim, from->config->name, "p%u channel %u: %ld units of credit in use, %d given", port, id, sum,
		     down->committed_units);
}

/* unacknowledged = in the output queue + under way + in the receiver and beyond + ACKs on the way back */
static void check_extents(const struct sim *sim, const struct sim_node *from, uint32_t from_port,
			  const struct sim_node *to, uint32_t to_port, const struct in_flight *data,
			  const struct in_flight *back)
{
	const struct dataplane *up = from->dataplane, *down = to->dataplane;
	const struct ofct *ofct = &up->ports[from_port].ofct;

	for (uint32_t id = 0; id < ofct->fresh; id++) {
		const struct ifct_entry *flow = &down->ifcts[to_port].entries[id];
		const struct ack_line *waiting = &down->ports[to_port].acks.lines[id];
		uint32_t extent = ofct->entries[id].active ? ofct_flow_extent(&ofct->entries[id]) : 0;
		uint32_t sum = output_units(up, from_port, id) + data->channel_units[id] + back->acked_units[id] +
			       (flow->active ? ifct_total_extent(flow) : 0);

		for (uint32_t type = 0; type < ACK_TYPES; type++)
			if (settles(type) && waiting->types & 1u << type)
				sum += waiting->value[type];
		if (sum != extent)
			fail(sim, from->config->name, "p%u channel %u: flow_extent %u, but %u units are behind it",
			     from_port, id, extent, sum);
		if (ofct->entries[id].active)
			check_headroom(sim, from, from_port, id, flow, waiting,
				       output_units(up, from_port, id) + data->channel_units[id],
				       back->credit_units[id]);
	}
}

static uint64_t check_direction(const struct sim *sim, uint32_t from_node, uint32_t from_port, uint32_t to_node,
				uint32_t to_port)
{
	static struct in_flight data, back;
	const struct sim_node *from = &sim->nodes[from_node], *to = &sim->nodes[to_node];

	count_ring(&to->links[to_port], &data);
	count_ring(&from->links[from_port], &back);
	check_buffer(sim, to, &to->links[to_port]);
	if (from->config->kind == NODE_SWITCH && to->config->kind == NODE_SWITCH && !from->links[from_port].guarded)
		check_extents(sim, from, from_port, to, to_port, &data, &back);
	return data.bytes;
}

/* ---- all of it ---- */

void sim_check(struct sim *sim)
{
	uint64_t injected = 0, delivered = 0, inside = 0, lost = 0, under_way = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];

		if (node->window.broken)
			fail(sim, node->config->name, "a ring is broken");
		if (node->config->kind == NODE_SWITCH)
			check_switch(sim, node);
		injected +=
			node->stats->injected_bytes + node->stats->flooded_bytes - node->stats->flood_originals_bytes;
		delivered += node->stats->delivered_bytes;
		inside += node->stats->inside_bytes;
		for (uint32_t p = 0; p < node->config->port_count; p++)
			lost += stats_port(node->stats, p)->lost_bytes;
		for (uint32_t f = 0; f < node->stats->flow_rx_count; f++)
			if (stats_flow_rx(node->stats, f)->reordered)
				fail(sim, node->config->name, "flow %u was reordered", f);
	}
	for (uint32_t i = 0; i < sim->plan.link_count; i++) {
		const struct plan_link *link = &sim->plan.links[i];

		under_way += check_direction(sim, link->node_a, link->port_a, link->node_b, link->port_b);
		under_way += check_direction(sim, link->node_b, link->port_b, link->node_a, link->port_a);
	}
	if (injected != delivered + inside + lost + under_way)
		fail(sim, "totals", "injected %lu, delivered %lu + inside %lu + lost %lu + under way %lu", injected,
		     delivered, inside, lost, under_way);
}

/* an empty buffer has said go, and was heard */
static void check_going(const struct sim *sim, const struct sim_node *node)
{
	for (uint32_t p = 0; p < node->config->port_count; p++)
		if (node->links[p].stop || node->links[p].stopped)
			fail(sim, node->config->name, "p%u: stopped, though all is empty", p);
}

void sim_check_released(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];
		const struct dataplane *dp = node->dataplane;

		check_going(sim, node);
		if (node->config->kind != NODE_SWITCH)
			continue;
		if (dp->pool.used || node->stats->inside_bytes)
			fail(sim, node->config->name, "%u packets are still inside", dp->pool.used);
		for (uint32_t p = 0; p < dp->port_count; p++) {
			const struct port *port = &dp->ports[p];

			if (dp->wakes.count || port->promised_units[0])
				fail(sim, node->config->name, "p%u: flows wait for a time, or room is promised", p);
			if (dp->ifcts[p].used || port->efct.used || port->ofct.used || port->acks.count)
				fail(sim, node->config->name,
				     "p%u: IFCT %u, EFCT %u, OFCT %u lines and %u ACKs are left", p, dp->ifcts[p].used,
				     port->efct.used, port->ofct.used, port->acks.count);
			if (port->fgfc.on)
				fail(sim, node->config->name, "p%u: %u flows are still held at their source", p,
				     port->fgfc.on);
			for (uint32_t c = 0; c < dp->class_count; c++)
				if (port->link->held_units[c] || port->output[c].queue.units)
					fail(sim, node->config->name, "p%u: a buffer is not empty", p);
		}
	}
}
