/*  check - the accounts of a fabric of flow channels in one process (TB-25). What is in the rings
 *  is counted too, so every sum holds at any moment between two windows, not only when the fabric
 *  is empty. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/link/link_send.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"
#include "switchd/flow_channel/flow_tree.h"
#include "tests/sim/sim.h"

/* what is in flight in one direction of a link */
struct in_flight {
	uint64_t bytes;                            /* inner frames */
	uint32_t channel_units[NODE_CHANNELS_MAX]; /* data towards the receiver, by flow_id */
	uint32_t acked_units[NODE_CHANNELS_MAX];   /* units that ACKs settle, by flow_id */
	uint32_t credit_units[NODE_CHANNELS_MAX];  /* credit, by flow_id */
	bool credit_ends[NODE_CHANNELS_MAX];       /* the end of metering, by flow_id */
	uint64_t units;                            /* of all channels */
};

void sim_fail(const struct sim *sim, const char *where, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s at %.3f us: %s: ", sim->plan.scenario,
		(double)atomic_load(&sim->page->start_ps) / 1e6, where);
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

static void count_ack(const struct ack *ack, struct in_flight *sum)
{
	if (settles(ack->type))
		sum->acked_units[ack->flow_id] += ack->value;
	else if (ack->type == ACK_HEADROOM && ack->value == ACK_VALUE_MAX)
		sum->credit_ends[ack->flow_id] = true;
	else if (ack->type == ACK_HEADROOM)
		sum->credit_units[ack->flow_id] += ack->value;
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
		if (!link->front_bytes ||
		    fabric_header_read(bytes, record->captured_bytes, frame_bytes, &header))
			return;
		sum->channel_units[header.flow_id] += header.units;
		sum->units += header.units;
	} else if (record->kind == RECORD_ACKS) {
		count = ack_frame_read(bytes, record->captured_bytes, acks);
		for (int i = 0; i < count; i++)
			count_ack(&acks[i], sum);
	}
}

/* what lies in the receive ring of @link; reads a copy of its state */
static void count_ring(const struct link *link, struct in_flight *sum)
{
	struct ring_rx ring = link->rx.ring;
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

/* bytes that wait at inputs and have asked for an output, by its port */
static uint64_t requested_bytes[NODE_PORTS_MAX];

static void check_ifct_entry(const struct sim *sim, const struct sim_node *node, uint32_t port,
			     uint32_t id)
{
	const struct dataplane *dp = node->dataplane;
	const struct ifct_entry *entry = TABLE_AT(dp->ifcts[port].entries, id);
	uint32_t units = 0;

	for (const struct packet *packet = entry->queue.head; packet; packet = packet->next) {
		units += packet->units;
		requested_bytes[entry->follow_port] += packet->requested ? packet->frame_bytes : 0;
	}
	if (units != ifct_queue_extent(entry))
		sim_fail(sim, node->config->name, "p%u flow %u: queue_extent %u, queued %u units",
			 port, id, ifct_queue_extent(entry), units);
	if (ifct_flow_extent(entry) >= 1u << 31)
		sim_fail(sim, node->config->name, "p%u flow %u: negative flow_extent", port, id);
	if (dp->ports[port].kind == PORT_EDGE &&
	    efct_flow_extent(TABLE_AT(dp->ports[port].edge.efct.lines, id)) !=
		    ifct_total_extent(entry))
		sim_fail(sim, node->config->name, "p%u flow %u: EFCT extent %u, IFCT extent %u",
			 port, id, efct_flow_extent(TABLE_AT(dp->ports[port].edge.efct.lines, id)),
			 ifct_total_extent(entry));
}

/* what the channels of flow @ref at all outputs count: a tree has more than one */
static uint32_t behind_units(const struct dataplane *dp, uint32_t ref)
{
	uint32_t units = 0;

	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		for (uint32_t id = 0;
		     dp->ports[p].kind == PORT_FABRIC && id < dp->ports[p].fabric.ofct.fresh;
		     id++) {
			const struct ofct_entry *entry =
				TABLE_AT(dp->ports[p].fabric.ofct.entries, id);

			if (entry->active &&
			    flow_ref(entry->input_port, entry->input_port_flow_id) == ref)
				units += ofct_flow_extent(entry);
		}
	return units;
}

/* the OFCT's extent is the IFCT's: both count what went on and is not acknowledged; and no two ids
 * name the same flow */
static void check_ofct(const struct sim *sim, const struct sim_node *node, uint32_t port)
{
	struct dataplane *dp = node->dataplane;
	const struct ofct *ofct = &dp->ports[port].fabric.ofct;
	uint32_t active = 0;

	for (uint32_t id = 0; id < ofct->fresh; id++) {
		const struct ofct_entry *entry = TABLE_AT(ofct->entries, id);
		const struct ifct_entry *flow =
			TABLE_AT(dp->ifcts[entry->input_port].entries, entry->input_port_flow_id);
		uint32_t ref = flow_ref(entry->input_port, entry->input_port_flow_id);

		if (!entry->active)
			continue;
		active++;
		if (!flow->active || (!tree_is(dp, ref) && flow->follow_port != port) ||
		    ifct_flow_extent(flow) !=
			    (tree_is(dp, ref) ? behind_units(dp, ref) : ofct_flow_extent(entry)))
			sim_fail(sim, node->config->name,
				 "p%u channel %u: extent %u, its flow p%u/%u has %u", port, id,
				 ofct_flow_extent(entry), entry->input_port,
				 entry->input_port_flow_id, ifct_flow_extent(flow));
		for (uint32_t other = 0; other < id; other++)
			if (TABLE_AT(ofct->entries, other)->active &&
			    TABLE_AT(ofct->entries, other)->input_port == entry->input_port &&
			    TABLE_AT(ofct->entries, other)->input_port_flow_id ==
				    entry->input_port_flow_id)
				sim_fail(sim, node->config->name,
					 "p%u: channels %u and %u name the same flow", port, other,
					 id);
	}
	if (active != ofct->used)
		sim_fail(sim, node->config->name, "p%u: %u channels in use, %u counted", port,
			 active, ofct->used);
}

/* ---- congestion control of one switch ---- */

/* the place of each flow of a switch, by flow_ref(): a list, an arbiter, the wake queue; NULL:
 * none */
static const void *places[NODE_PORTS_MAX << 11];

static void stand(const struct sim *sim, const struct sim_node *node, uint32_t ref,
		  const void *place)
{
	if (places[ref])
		sim_fail(sim, node->config->name, "p%u flow %u is in two places",
			 flow_ref_port(ref), flow_ref_id(ref));
	places[ref] = place;
}

static void list_stand(const struct sim *sim, const struct sim_node *node, uint32_t first,
		       const void *place)
{
	const struct dataplane *dp = node->dataplane;

	for (uint32_t ref = first; ref != FLOW_REF_NONE;
	     ref = TABLE_AT(dp->ifcts[flow_ref_port(ref)].entries, flow_ref_id(ref))->next_ref)
		stand(sim, node, ref, place);
}

static void flows_stand(const struct sim *sim, const struct sim_node *node)
{
	const struct dataplane *dp = node->dataplane;

	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		memset(&places[flow_ref(p, 0)], 0, dp->ifcts[p].channels * sizeof(*places));
	for (uint32_t p = 0; p < dp->sw.port_count; p++) {
		const struct port *port = &dp->ports[p];

		list_stand(sim, node, port->fabric.no_channel.first, &port->fabric.no_channel);
		list_stand(sim, node, port->edge.port_limit.first, &port->edge.port_limit);
		for (uint32_t c = 0; c < port->lane_count; c++) {
			const struct output_lane *output = &port->output[c];

			list_stand(sim, node, output->stopped.first, &output->stopped);
			for (uint32_t g = 0; g < output->arbiter.group_count; g++)
				list_stand(sim, node, output->arbiter.groups[g].flows.first,
					   &output->arbiter);
		}
	}
	for (uint32_t i = 0; i < dp->wakes.count; i++)
		stand(sim, node, dp->wakes.entries[i].source, &dp->wakes);
}

/* Is flow @ref in the place of what it waits for, and does that still make it wait? If not, nothing
 * will ever wake it. */
static bool waits_rightly(struct dataplane *dp, uint32_t ref)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	const struct port *in = &dp->ports[flow_ref_port(ref)],
			  *out = &dp->ports[flow->follow_port];
	const struct output_lane *output = &out->output[flow->out_lane];
	const void *place = places[ref];

	switch (flow->wait) {
	case IFCT_NOT_WAITING: /* limits may be kept for a time without packets */
		return !flow->queue.head &&
		       (!place || (place == &dp->wakes && in->kind == PORT_EDGE));
	case IFCT_REQUESTING:
		return place == &output->arbiter && flow->queue.head->requested;
	case IFCT_WAITING_CHANNEL:
		return place == &out->fabric.no_channel &&
		       !ofct_may_take(&out->fabric.ofct, flow->out_lane % out->lanes);
	case IFCT_BLOCKED:
		/* until the next ACK or credit: its cause may be over. None would come if all were
		 * acknowledged */
		return !place && ifct_flow_extent(flow);
	case IFCT_ASLEEP:
		return place == &dp->wakes &&
		       dp->wakes.entries[*deadline_heap_place(&dp->wakes, ref) - 1].at_ps ==
			       flow->wake_up_ps;
	case IFCT_STOPPED:
		return place == &output->stopped && link_stopped(out->link, flow->out_lane) &&
		       !tree_metered(dp, ref, flow->follow_port);
	case IFCT_PORT_LIMIT:
		return place == &in->edge.port_limit && in->stats->extent_units;
	}
	return false;
}

/* the largest @field that a setting has */
#define most_of(dp, field)                                                          \
	({                                                                          \
		uint32_t most_ = 0;                                                 \
		for (uint32_t i_ = 0; i_ < CONGESTION_SETTINGS; i_++)               \
			if ((dp)->injection.config->settings[i_].field > most_)     \
				most_ = (dp)->injection.config->settings[i_].field; \
		most_;                                                              \
	})

static void check_limits(const struct sim *sim, const struct sim_node *node, uint32_t ref)
{
	struct dataplane *dp = node->dataplane;
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	const struct congestion_config *config = dp->injection.config;
	uint32_t port = flow_ref_port(ref), id = flow_ref_id(ref),
		 mtu_units = dp->ports[port].mtu_units;
	bool limited = dp->ports[port].kind == PORT_EDGE ||
		       dp->ports[flow->follow_port].kind == PORT_FABRIC;

	if (!waits_rightly(dp, ref))
		sim_fail(sim, node->config->name, "p%u flow %u waits (%u) for nothing", port, id,
			 flow->wait);
	if (flow->fc_state != RUNNING && !ifct_flow_extent(flow))
		sim_fail(sim, node->config->name, "p%u flow %u is blocked until empty, but it is",
			 port, id);
	if (limited && config->flow_limit &&
	    ifct_flow_extent(flow) > most_of(dp, flow_extent_units) + mtu_units)
		sim_fail(sim, node->config->name,
			 "p%u flow %u: flow_extent of %u units is over every limit", port, id,
			 ifct_flow_extent(flow));
}

/* what the flows of a port come to */
struct port_sums {
	uint32_t queued[NODE_LANES_MAX], promised[NODE_LANES_MAX];
	uint64_t extent, metered, limited;
};

/* every flow alone; sums up all of them */
static void check_flows(const struct sim *sim, const struct sim_node *node, uint32_t port,
			struct port_sums *sums)
{
	const struct dataplane *dp = node->dataplane;
	const struct ifct *ifct = &dp->ifcts[port];
	uint32_t left = ifct->used;

	for (uint32_t id = 0; left && id < ifct->channels; id++) {
		const struct ifct_entry *flow = TABLE_AT(ifct->entries, id);

		if (!flow->active)
			continue;
		left--;
		check_ifct_entry(sim, node, port, id);
		check_limits(sim, node, flow_ref(port, id));
		sums->queued[flow->in_lane] += ifct_queue_extent(flow);
		sums->promised[flow->in_lane] += headroom_promise(flow, dp->ports[port].mtu_units);
		sums->extent += ifct_flow_extent(flow);
		sums->metered += flow->um;
		sums->limited += flow->ep_congestion != 0;
	}
	if (left)
		sim_fail(sim, node->config->name, "p%u: %u flows counted, %u of them are none",
			 port, ifct->used, left);
}

/* EC-9, EC-12, EC-14: what a port counts is what its flows have */
static void check_port_sums(const struct sim *sim, const struct sim_node *node, uint32_t port,
			    struct port_sums *sums)
{
	const struct dataplane *dp = node->dataplane;
	const struct port *in = &dp->ports[port];
	uint64_t limit = dp->injection.config->port_limit_units;

	for (const struct packet *packet = in->edge.no_line.head; packet; packet = packet->next)
		sums->queued[packet->lane] += packet->units;
	for (uint32_t c = 0; c < in->lane_count && dataplane_port_up(dp, port);
	     c++) /* else the buffer is gone with the link */
		if (sums->queued[c] != in->link->rx.held_units[c] ||
		    sums->promised[c] != in->fabric.promised_units[c])
			sim_fail(sim, node->config->name,
				 "p%u lane %u: %u units held and %u promised, %u and %u counted",
				 port, c, sums->queued[c], sums->promised[c],
				 in->link->rx.held_units[c], in->fabric.promised_units[c]);
	if (in->kind == PORT_EDGE && sums->extent != in->stats->extent_units)
		sim_fail(sim, node->config->name, "p%u: flow_extents sum up to %lu, %lu counted",
			 port, sums->extent, in->stats->extent_units);
	if (in->kind == PORT_EDGE && limit && sums->extent > limit + in->mtu_units)
		sim_fail(sim, node->config->name,
			 "p%u: flow_extents sum up to %lu units, the limit is %lu", port,
			 sums->extent, limit);
	if (sums->metered != in->stats->metered || sums->limited != in->stats->limited)
		sim_fail(sim, node->config->name,
			 "p%u: %lu metered and %lu limited flows, %lu and %lu counted", port,
			 sums->metered, sums->limited, in->stats->metered, in->stats->limited);
}

/* EC-1: the queue of an egress port is what has asked for it and has not left */
static void check_requests(const struct sim *sim, const struct sim_node *node, uint32_t port)
{
	const struct dataplane *dp = node->dataplane;
	const struct port *out = &dp->ports[port];
	uint64_t bytes = requested_bytes[port], seen = 0;

	for (uint32_t c = 0; c < out->lane_count; c++) {
		for (const struct packet *packet = out->output[c].queue.queue.head; packet;
		     packet = packet->next)
			bytes += packet->frame_bytes;
		seen += out->output[c].eca.qu_bytes;
	}
	if (bytes != out->gauge.bytes ||
	    (out->kind == PORT_EDGE && dp->injection.config->eca && bytes != seen))
		sim_fail(sim, node->config->name, "p%u: %lu bytes wait, gauge %lu, ECA %lu", port,
			 bytes, out->gauge.bytes, seen);
}

static void check_switch(const struct sim *sim, const struct sim_node *node)
{
	const struct dataplane *dp = node->dataplane;

	flows_stand(sim, node);
	memset(requested_bytes, 0, sizeof(requested_bytes));
	for (uint32_t p = 0; p < dp->sw.port_count; p++) {
		struct port_sums sums = { 0 };

		check_flows(sim, node, p, &sums);
		check_port_sums(sim, node, p, &sums);
		if (dp->ports[p].kind == PORT_FABRIC)
			check_ofct(sim, node, p);
	}
	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		check_requests(sim, node, p);
}

/* ---- one link direction ---- */

static void check_buffer(const struct sim *sim, const struct sim_node *node,
			 const struct link *link)
{
	for (uint32_t c = 0; link->rx.buffer_units && c < link->lane_count; c++)
		if (link->rx.held_units[c] > link->rx.buffer_units)
			sim_fail(sim, node->config->name,
				 "p%u lane %u: buffer holds %u of %u units", link->port, c,
				 link->rx.held_units[c], link->rx.buffer_units);
}

/* units of channel @id that still wait in the output queues of @port */
static uint32_t output_units(const struct dataplane *dp, uint32_t port, uint32_t id)
{
	uint32_t units = 0;

	for (uint32_t c = 0; c < dp->ports[port].lane_count; c++)
		for (const struct packet *packet = dp->ports[port].output[c].queue.queue.head;
		     packet; packet = packet->next)
			units += packet->out_flow_id == id ? packet->units : 0;
	return units;
}

/* What channel @id of the link at @port of @from may still bring to its other end, where its flow
 * is @down, and what that end has to report of it, @waiting (EC-14). No credit comes from nowhere:
 * what is queued downstream, in flight, and allowed upstream is no more than the downstream end
 * knows of. Both ends mean the same, but for what is in flight: on a guarded link also what is
 * lost. There the upstream end may not have received yet that metering ended and began again, and
 * have former credit left: no more than was ever granted. */
static void check_headroom(const struct sim *sim, const struct sim_node *from, uint32_t port,
			   uint32_t id, const struct ifct_entry *down,
			   const struct ack_line *waiting, const struct in_flight *data,
			   const struct in_flight *back)
{
	struct dataplane *dp = from->dataplane;
	const struct ofct_entry *entry = TABLE_AT(dp->ports[port].fabric.ofct.entries, id);
	bool ends = waiting->types & 1u << ACK_HEADROOM_END || back->credit_ends[id];
	uint32_t ref = flow_ref(entry->input_port, entry->input_port_flow_id);
	bool metered = tree_metered(dp, ref, port);
	uint32_t credit = back->credit_units[id] +
			  (waiting->types & 1u << ACK_HEADROOM ? waiting->value[ACK_HEADROOM] : 0);
	int64_t sum = (int64_t)ifct_queue_extent(down) + output_units(dp, port, id) +
		      data->channel_units[id] + tree_headroom(dp, ref, port) + credit;
	int64_t given = (int64_t)down->committed_units +
			(from->links[port].guarded ? most_of(dp, queue_extent_units) : 0);

	if (down->active && down->um && metered && !ends && sum > given)
		sim_fail(sim, from->config->name,
			 "p%u channel %u: %ld units of credit in use, %ld given", port, id, sum,
			 given);
	if (ends || credit || from->links[port].guarded)
		return;
	if (metered != (down->active && down->um))
		sim_fail(sim, from->config->name,
			 "p%u channel %u: needs credit %d, is given credit %d", port, id, metered,
			 down->active && down->um);
}

/* unacknowledged = in the output queue + in flight + in the receiver and beyond + in ACKs in flight
 * back */
static void check_extent(const struct sim *sim, const struct sim_node *from, uint32_t port,
			 uint32_t id, const struct ifct_entry *down, const struct ack_line *waiting,
			 const struct in_flight *data, const struct in_flight *back)
{
	const struct dataplane *dp = from->dataplane;
	const struct ofct_entry *entry = TABLE_AT(dp->ports[port].fabric.ofct.entries, id);
	uint32_t extent = entry->active ? ofct_flow_extent(entry) : 0;
	uint32_t sum = output_units(dp, port, id) + data->channel_units[id] +
		       back->acked_units[id] + (down->active ? ifct_total_extent(down) : 0);

	for (uint32_t type = 0; type < ACK_TYPES; type++)
		if (settles(type) && waiting->types & 1u << type)
			sum += waiting->value[type];
	if (sum != extent)
		sim_fail(sim, from->config->name,
			 "p%u channel %u: flow_extent %u, but %u units are downstream of it", port,
			 id, extent, sum);
}

static void check_channels(const struct sim *sim, const struct sim_node *from, uint32_t from_port,
			   const struct sim_node *to, uint32_t to_port,
			   const struct in_flight *data, const struct in_flight *back)
{
	const struct dataplane *up = from->dataplane, *down = to->dataplane;
	const struct ofct *ofct = &up->ports[from_port].fabric.ofct;

	for (uint32_t id = 0; id < ofct->fresh; id++) {
		const struct ifct_entry *flow = TABLE_AT(down->ifcts[to_port].entries, id);
		const struct ack_line *waiting =
			TABLE_AT(down->ports[to_port].fabric.acks.lines, id);

		/* guarded: what is lost counts as downstream too until the sender knows */
		if (!from->links[from_port].guarded)
			check_extent(sim, from, from_port, id, flow, waiting, data, back);
		if (TABLE_AT(ofct->entries, id)->active)
			check_headroom(sim, from, from_port, id, flow, waiting, data, back);
	}
}

/* Are both ends of the link at @port rid of what a former one left behind? Until then they do not
 * know of each other. */
static bool link_in_use(const struct sim_node *node, uint32_t port)
{
	return !node->links[port].down && !node->links[port].held;
}

/* Return: bytes that are in flight; @units  what of it goes from switch to switch, added to. */
static uint64_t check_direction(const struct sim *sim, uint32_t from_node, uint32_t from_port,
				uint32_t to_node, uint32_t to_port, uint64_t *units)
{
	static struct in_flight data, back;
	const struct sim_node *from = &sim->nodes[from_node], *to = &sim->nodes[to_node];

	count_ring(&to->links[to_port], &data);
	count_ring(&from->links[from_port], &back);
	check_buffer(sim, to, &to->links[to_port]);
	if (from->config->kind == NODE_SWITCH && to->config->kind == NODE_SWITCH &&
	    link_in_use(from, from_port) && link_in_use(to, to_port))
		check_channels(sim, from, from_port, to, to_port, &data, &back);
	*units += data.units;
	return data.bytes;
}

/* ---- all of it ---- */

/* EC-9: what is inside the fabric, @in_flight_units of it between switches, is no more than ingress
 * ports count of it. With a limit of theirs (check_port_sums()) it is therefore bounded. */
static void check_inside(const struct sim *sim, uint64_t in_flight_units)
{
	uint64_t inside = in_flight_units, counted = 0;

	for (uint32_t i = 0; i < sim->plan.switch_count; i++) {
		const struct dataplane *dp = sim->nodes[i].dataplane;

		for (uint32_t p = 0; p < dp->sw.port_count; p++) {
			const struct port *port = &dp->ports[p];

			for (uint32_t c = 0; c < port->lane_count; c++)
				inside += port->output[c].queue.units;
			if (port->kind == PORT_EDGE)
				counted += port->stats->extent_units;
			for (uint32_t c = 0; port->kind == PORT_FABRIC && c < port->lane_count; c++)
				inside += port->link->rx.held_units[c];
		}
	}
	if (inside > counted)
		sim_fail(sim, "totals", "%lu units are inside, ingress ports count %lu", inside,
			 counted);
}

void sim_check(struct sim *sim)
{
	uint64_t injected = 0, delivered = 0, inside = 0, lost = 0, in_flight = 0, units = 0;

	if (sim->plan.nodes[0].fabric == FABRIC_ROCE) {
		sim_check_roce(sim);
		return;
	}
	if (sim->plan.nodes[0].fabric == FABRIC_PORT_GROUP) {
		sim_check_lid(sim);
		return;
	}
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];

		if (node->window.broken)
			sim_fail(sim, node->config->name, "a ring is broken");
		if (node->config->kind == NODE_SWITCH)
			check_switch(sim, node);
		injected += node->stats->injected_bytes + node->stats->flooded_bytes -
			    node->stats->flood_originals_bytes;
		delivered += node->stats->delivered_bytes;
		inside += node->stats->inside_bytes;
		for (uint32_t p = 0; p < node->config->port_count; p++)
			lost += stats_port(node->stats, p)->lost_bytes +
				stats_port(node->stats, p)->dropped_bytes;
		for (uint32_t f = 0; f < node->stats->flow_rx_count; f++)
			if (stats_flow_rx(node->stats, f)->reordered)
				sim_fail(sim, node->config->name, "flow %u was reordered", f);
	}
	for (uint32_t i = 0; i < sim->plan.link_count; i++) {
		const struct plan_link *link = &sim->plan.links[i];

		in_flight += check_direction(sim, link->node_a, link->port_a, link->node_b,
					     link->port_b, &units);
		in_flight += check_direction(sim, link->node_b, link->port_b, link->node_a,
					     link->port_a, &units);
	}
	check_inside(sim, units);
	if (injected != delivered + inside + lost + in_flight)
		sim_fail(sim, "totals",
			 "injected %lu, delivered %lu + inside %lu + lost %lu + in flight %lu",
			 injected, delivered, inside, lost, in_flight);
}

/* an empty buffer has sent XON, which was received */
static void check_going(const struct sim *sim, const struct sim_node *node)
{
	for (uint32_t p = 0; p < node->config->port_count; p++)
		if (node->links[p].stop.wanted || node->links[p].stop.by_peer)
			sim_fail(sim, node->config->name, "p%u: stopped, though all is empty", p);
}

static void check_port_released(const struct sim *sim, const struct sim_node *node, uint32_t p)
{
	const struct dataplane *dp = node->dataplane;
	const struct port *port = &dp->ports[p];
	const struct port_stats *stats = port->stats;

	if (dp->ifcts[p].used || port->edge.efct.used || port->fabric.ofct.used ||
	    port->fabric.acks.count)
		sim_fail(sim, node->config->name,
			 "p%u: IFCT %u, EFCT %u, OFCT %u lines and %u ACKs are left", p,
			 dp->ifcts[p].used, port->edge.efct.used, port->fabric.ofct.used,
			 port->fabric.acks.count);
	if (stats->metered || stats->limited || stats->extent_units || port->gauge.bytes)
		sim_fail(sim, node->config->name,
			 "p%u: %lu metered and %lu limited flows, %lu units, %lu bytes are left", p,
			 stats->metered, stats->limited, stats->extent_units, port->gauge.bytes);
	if (port->edge.fgfc.on)
		sim_fail(sim, node->config->name, "p%u: %u flows are still held at their source", p,
			 port->edge.fgfc.on);
	for (uint32_t c = 0; c < port->lane_count; c++)
		if (port->link->rx.held_units[c] || port->fabric.promised_units[c] ||
		    port->output[c].queue.units)
			sim_fail(sim, node->config->name,
				 "p%u: a buffer is not empty, or space in it is promised", p);
}

void sim_check_released(struct sim *sim)
{
	if (sim->plan.nodes[0].fabric == FABRIC_ROCE) {
		sim_check_released_roce(sim);
		return;
	}
	if (sim->plan.nodes[0].fabric == FABRIC_PORT_GROUP) {
		sim_check_released_lid(sim);
		return;
	}
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];
		const struct dataplane *dp = node->dataplane;

		check_going(sim, node);
		if (node->config->kind != NODE_SWITCH)
			continue;
		if (dp->sw.pool.used || node->stats->inside_bytes || dp->wakes.count)
			sim_fail(sim, node->config->name,
				 "%u packets are still inside, %u flows wait for a time",
				 dp->sw.pool.used, dp->wakes.count);
		for (uint32_t p = 0; p < dp->sw.port_count; p++)
			check_port_released(sim, node, p);
	}
}
