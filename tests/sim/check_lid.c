/*  check_lid - the accounts of a fabric of kind port-group in one process (TB-25). What is in the
 *  rings is counted too, so every sum holds at any moment between two windows. The buffers of a
 *  switch hold what its turns hold. Credit is never granted without free buffer, nor spent twice
 *  (PG-9). Packets of classes that keep order have kept it (PG-8: only the others may
 *  overtake). */
#include <string.h>

#include "tests/sim/sim.h"

/* what the turns of a switch hold, of what came in where */
struct held {
	uint32_t input_units[NODE_PORTS_MAX][NODE_LANES_MAX];
	uint32_t packets_from[NODE_PORTS_MAX];
	uint64_t frame_bytes;
	uint32_t packets, copies;
};

/* one output lane alone; adds it to @held.  Return: bytes that wait. */
static uint64_t check_lane(const struct sim *sim, const struct sim_node *node, uint32_t p,
			   uint32_t l, struct held *held)
{
	const struct lid_switch *lid = node->dataplane;
	const struct lid_lane *lane = &lid->ports[p].lanes[l];
	uint64_t bytes = 0;
	uint32_t units = 0;

	for (uint32_t in = 0; in < lid->sw.port_count; in++) {
		const struct packet *packet = lane->turns.inputs[in].queue.head;

		if (!packet != !(lane->turns.waiting >> in & 1))
			sim_fail(sim, node->config->name, "p%u lane %u: whether p%u waits is wrong",
				 p, l, in);
		for (; packet; packet = packet->next) {
			bytes += packet->frame_bytes;
			units += packet->units;
			held->packets++;
			if (packet->copy) {
				held->copies++;
				continue;
			}
			held->input_units[in][packet->lane] += packet->units;
			held->packets_from[in]++;
		}
	}
	held->frame_bytes += bytes;
	if (units != lane->units || !units != !(lid->ports[p].backlog >> l & 1))
		sim_fail(sim, node->config->name, "p%u lane %u: %u units wait, it counts %u", p, l,
			 units, lane->units);
	return bytes;
}

/* one input alone: its buffer, but for a port that waits for what a former link brought */
static void check_input(const struct sim *sim, const struct sim_node *node, uint32_t p,
			const struct held *held)
{
	const struct lid_switch *lid = node->dataplane;
	const struct lid_port *port = &lid->ports[p];

	if (port->packets_from != held->packets_from[p])
		sim_fail(sim, node->config->name, "p%u: %u packets are from there, it counts %u", p,
			 held->packets_from[p], port->packets_from);
	for (uint32_t l = 0; lid_port_up(lid, p) && l < lid->lane_count; l++)
		if (port->link->rx.buffer_units &&
		    port->link->rx.held_units[l] != held->input_units[p][l])
			sim_fail(sim, node->config->name,
				 "p%u lane %u: %u units are in the buffer, it counts %u", p, l,
				 held->input_units[p][l], port->link->rx.held_units[l]);
}

static void check_switch(const struct sim *sim, const struct sim_node *node)
{
	static struct held held;
	const struct lid_switch *lid = node->dataplane;

	memset(&held, 0, sizeof(held));
	for (uint32_t p = 0; p < lid->sw.port_count; p++) {
		uint64_t bytes = 0;

		for (uint32_t l = 0; l < lid->lane_count; l++)
			bytes += check_lane(sim, node, p, l, &held);
		if (bytes != lid->ports[p].gauge.bytes || bytes != lid->ports[p].stats->queue_bytes)
			sim_fail(sim, node->config->name,
				 "p%u: %lu bytes wait, gauge %lu, page %lu", p, bytes,
				 lid->ports[p].gauge.bytes, lid->ports[p].stats->queue_bytes);
	}
	for (uint32_t p = 0; p < lid->sw.port_count; p++)
		check_input(sim, node, p, &held);
	if (held.packets != lid->sw.pool.used || held.packets != node->stats->inside_packets ||
	    held.frame_bytes != node->stats->inside_bytes || held.copies != lid->sw.flood_packets)
		sim_fail(sim, node->config->name,
			 "%u packets, %lu bytes, %u copies wait; pool %u, inside %lu, %lu, %u",
			 held.packets, held.frame_bytes, held.copies, lid->sw.pool.used,
			 node->stats->inside_packets, node->stats->inside_bytes,
			 lid->sw.flood_packets);
}

/* PG-9: what the sender at @from may send in all is no more than the receiver granted, and the
 * receiver has buffer for all that it granted */
static void check_credit(const struct sim *sim, uint32_t from_node, uint32_t from_port,
			 uint32_t to_node, uint32_t to_port)
{
	const struct link *from = &sim->nodes[from_node].links[from_port],
			  *to = &sim->nodes[to_node].links[to_port];
	const char *where = sim->nodes[to_node].config->name;

	for (uint32_t l = 0; !from->down && !to->down && l < to->lane_count; l++) {
		const struct credit_lane *sent = &from->credit.lanes[l],
					 *told = &to->credit.lanes[l];
		int32_t open = (int32_t)(told->told_units - told->came_units);

		if ((int32_t)(told->told_units - sent->limit_units) < 0 ||
		    credit_available(&from->credit, l) < 0)
			sim_fail(sim, where,
				 "p%u lane %u: its sender has credit that was not given", to_port,
				 l);
		if (to->rx.buffer_units &&
		    open + (int32_t)to->rx.held_units[l] > (int32_t)to->rx.buffer_units)
			sim_fail(sim, where,
				 "p%u lane %u: credit for %d units, though %u of %u are taken",
				 to_port, l, open, to->rx.held_units[l], to->rx.buffer_units);
	}
}

static void check_order(const struct sim *sim, const struct sim_node *node)
{
	for (uint32_t f = 0; f < node->stats->flow_rx_count; f++) {
		const struct flow_rx_stats *flow = stats_flow_rx(node->stats, f);

		if (flow->reordered && !node->config->classes[flow->traffic_class].unordered)
			sim_fail(sim, node->config->name, "flow %u was reordered", f);
	}
}

void sim_check_lid(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];

		if (node->config->kind == NODE_SWITCH)
			check_switch(sim, node);
		check_order(sim, node);
	}
	for (uint32_t i = 0; i < sim->plan.link_count; i++) {
		const struct plan_link *link = &sim->plan.links[i];

		check_credit(sim, link->node_a, link->port_a, link->node_b, link->port_b);
		check_credit(sim, link->node_b, link->port_b, link->node_a, link->port_a);
	}
	sim_check_bytes(sim);
}

void sim_check_released_lid(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];
		const struct lid_switch *lid = node->dataplane;

		if (node->config->kind != NODE_SWITCH)
			continue;
		if (lid->sw.pool.used || lid->sw.flood_packets || lid->sw.ports_coming)
			sim_fail(sim, node->config->name, "%u packets are left", lid->sw.pool.used);
		for (uint32_t p = 0; p < lid->sw.port_count; p++)
			for (uint32_t l = 0; l < lid->lane_count; l++)
				if (node->links[p].rx.held_units[l])
					sim_fail(sim, node->config->name,
						 "p%u lane %u: %u units are left", p, l,
						 node->links[p].rx.held_units[l]);
	}
}
