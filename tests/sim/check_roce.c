/*  check_roce - the accounts of a fabric of kind roce in one process (TB-25). What is in the rings
 *  is counted too, so every sum holds at any moment between two windows. The shared buffer of a
 *  switch holds what its queues hold, within its limits (RC-5). */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"

/* what the queues of a switch hold, of what came in where */
struct held {
	uint64_t input_bytes[NODE_PORTS_MAX][NODE_CLASSES_MAX];
	uint32_t packets_for[NODE_PORTS_MAX][NODE_CLASSES_MAX][NODE_PORTS_MAX];
	uint64_t bytes, own_bytes, frame_bytes;
	uint32_t packets;
};

static uint32_t bytes_of(const struct packet *packet)
{
	uint32_t bytes = packet->frame_bytes + FRAME_FCS_BYTES;

	return bytes > ETHERNET_CELL_BYTES ? bytes : ETHERNET_CELL_BYTES;
}

/* one queue alone; adds it to @held */
static void check_queue(const struct sim *sim, const struct sim_node *node, uint32_t p, uint32_t c,
			struct held *held)
{
	const struct ethernet *eth = node->dataplane;
	const struct ethernet_queue *queue = &eth->ports[p].queues[c];
	uint64_t bytes = 0;

	for (const struct packet *packet = queue->queue.head; packet; packet = packet->next) {
		if (packet->traffic_class != c || packet->egress_port != p)
			sim_fail(sim, node->config->name,
				 "p%u class %u: a packet of p%u class %u is queued", p, c,
				 packet->egress_port, packet->traffic_class);
		bytes += bytes_of(packet);
		held->packets++;
		held->frame_bytes += packet->frame_bytes;
		if (packet->copy) {
			held->own_bytes += bytes_of(packet);
		} else {
			held->input_bytes[packet->in_port][c] += bytes_of(packet);
			held->packets_for[packet->in_port][c][p]++;
		}
	}
	held->bytes += bytes;
	if (bytes != eth->buffer.outputs[p][c] || bytes != queue->gauge.bytes ||
	    bytes != queue->stats->queue_bytes)
		sim_fail(sim, node->config->name,
			 "p%u class %u: %lu bytes queued, buffer %lu, gauge %lu, page %lu", p, c,
			 bytes, eth->buffer.outputs[p][c], queue->gauge.bytes,
			 queue->stats->queue_bytes);
	if (!queue->queue.head != !(eth->ports[p].backlog >> c & 1))
		sim_fail(sim, node->config->name, "p%u class %u: backlog is wrong", p, c);
}

/* one input alone.  Return: bytes in its headroom. */
static uint64_t check_input(const struct sim *sim, const struct sim_node *node, uint32_t p,
			    uint32_t c, const struct held *held)
{
	const struct ethernet *eth = node->dataplane;
	const struct shared_buffer_input *input = &eth->buffer.inputs[p][c];
	const struct class_stats *stats = eth->ports[p].queues[c].stats;
	uint64_t waits_for = 0;

	for (uint32_t out = 0; out < eth->sw.port_count; out++)
		waits_for |= (uint64_t)(held->packets_for[p][c][out] != 0) << out;
	if (input->bytes != held->input_bytes[p][c] || stats->input_bytes != input->bytes ||
	    stats->waits_for != waits_for)
		sim_fail(sim, node->config->name,
			 "p%u class %u: %lu bytes from there wait for ports 0x%lx; buffer %lu, "
			 "page %lu, 0x%lx",
			 p, c, held->input_bytes[p][c], waits_for, input->bytes, stats->input_bytes,
			 stats->waits_for);
	if (input->headroom_bytes > input->headroom_limit_bytes ||
	    input->headroom_bytes > input->bytes)
		sim_fail(sim, node->config->name,
			 "p%u class %u: %lu bytes in a headroom of %lu, %lu in all", p, c,
			 input->headroom_bytes, input->headroom_limit_bytes, input->bytes);
	if (shared_buffer_stopped(&eth->buffer, p, c) &&
	    (!eth->roce.classes[c].lossless || !input->bytes))
		sim_fail(sim, node->config->name, "p%u class %u: stopped for nothing", p, c);
	if (shared_buffer_stopped(&eth->buffer, p, c) != (eth->ports[p].teller.wanted >> c & 1))
		sim_fail(sim, node->config->name,
			 "p%u class %u: the neighbour is not told what the buffer wants", p, c);
	return input->headroom_bytes;
}

static void check_switch(const struct sim *sim, const struct sim_node *node)
{
	static struct held held;
	const struct ethernet *eth = node->dataplane;
	const struct shared_buffer *buffer = &eth->buffer;
	uint64_t headroom_bytes = 0;

	memset(&held, 0, sizeof(held));
	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		for (uint32_t c = 0; c < eth->sw.class_count; c++)
			check_queue(sim, node, p, c, &held);
	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		for (uint32_t c = 0; c < eth->sw.class_count; c++)
			headroom_bytes += check_input(sim, node, p, c, &held);
	if (held.bytes != buffer->used_bytes + headroom_bytes ||
	    held.own_bytes != buffer->own_bytes || buffer->used_bytes > buffer->shared_bytes)
		sim_fail(sim, node->config->name,
			 "%lu bytes are queued, %lu for no input; the buffer counts %lu of %lu, "
			 "%lu, and %lu of "
			 "headroom",
			 held.bytes, held.own_bytes, buffer->used_bytes, buffer->shared_bytes,
			 buffer->own_bytes, headroom_bytes);
	if (held.packets != eth->sw.pool.used || held.packets != node->stats->inside_packets ||
	    held.frame_bytes != node->stats->inside_bytes)
		sim_fail(sim, node->config->name,
			 "%u packets, %lu bytes are queued; pool %u, inside %lu, %lu bytes",
			 held.packets, held.frame_bytes, eth->sw.pool.used,
			 node->stats->inside_packets, node->stats->inside_bytes);
}

/* ---- all of it ---- */

void sim_check_roce(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];

		if (node->config->kind == NODE_SWITCH)
			check_switch(sim, node);
		for (uint32_t f = 0; f < node->stats->flow_rx_count; f++)
			if (stats_flow_rx(node->stats, f)->reordered &&
			    !sim->plan.faults
				     .count) /* Ethernet: a packet on a new path may overtake */
				sim_fail(sim, node->config->name, "flow %u was reordered", f);
	}
	sim_check_bytes(sim);
}

void sim_check_released_roce(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];
		const struct ethernet *eth = node->dataplane;

		if (node->config->kind != NODE_SWITCH)
			continue;
		if (eth->sw.pool.used || eth->buffer.used_bytes || eth->held_count || eth->watching)
			sim_fail(sim, node->config->name,
				 "%u packets, %lu bytes are left; %u classes are held",
				 eth->sw.pool.used, eth->buffer.used_bytes, eth->held_count);
		for (uint32_t p = 0; p < eth->sw.port_count; p++)
			if (eth->ports[p].teller.told || eth->ports[p].held)
				sim_fail(sim, node->config->name,
					 "p%u: stopped, though all is empty", p);
	}
}
