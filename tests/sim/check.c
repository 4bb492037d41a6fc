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

static void check_switch(const struct sim *sim, const struct sim_node *node)
{
	const struct dataplane *dp = node->dataplane;

	for (uint32_t p = 0; p < dp->port_count; p++) {
		for (uint32_t id = 0; id < dp->ifcts[p].channels; id++)
			check_ifct_entry(sim, node, p, id);
		if (dp->ports[p].kind == PORT_FABRIC)
			check_ofct(sim, node, p);
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

			if (dp->ifcts[p].used || port->efct.used || port->ofct.used || port->acks.count)
				fail(sim, node->config->name,
				     "p%u: IFCT %u, EFCT %u, OFCT %u lines and %u ACKs are left", p, dp->ifcts[p].used,
				     port->efct.used, port->ofct.used, port->acks.count);
			for (uint32_t c = 0; c < dp->class_count; c++)
				if (port->link->held_units[c] || port->output[c].queue.units)
					fail(sim, node->config->name, "p%u: a buffer is not empty", p);
		}
	}
}
