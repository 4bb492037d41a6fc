/*  check_bytes - the sum of a fabric whose packets have no flow channels (TB-25): what was injected
 *  is delivered, inside, lost, dropped or in flight, at any moment between two windows. */
#include "tests/sim/sim.h"

/* data in flight towards @link; reads a copy of its state */
static uint64_t ring_bytes_of(const struct link *link)
{
	struct ring_rx ring = link->rx.ring;
	struct record record;
	uint64_t bytes = 0;

	ring_refresh(&ring);
	while (ring_peek(&ring, &record)) {
		if (record.kind == RECORD_PACKET)
			bytes += link_frame_bytes(link, record.wire_bytes);
		ring_pop(&ring, &record);
	}
	return bytes;
}

void sim_check_bytes(struct sim *sim)
{
	uint64_t injected = 0, delivered = 0, inside = 0, lost = 0, dropped = 0, in_flight = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		const struct sim_node *node = &sim->nodes[i];
		const struct stats_page *stats = node->stats;

		if (node->window.broken)
			sim_fail(sim, node->config->name, "a ring is broken");
		injected +=
			stats->injected_bytes + stats->flooded_bytes - stats->flood_originals_bytes;
		delivered += stats->delivered_bytes;
		inside += stats->inside_bytes;
		for (uint32_t p = 0; p < node->config->port_count; p++) {
			lost += stats_port(node->stats, p)->lost_bytes;
			dropped += stats_port(node->stats, p)->dropped_bytes;
			in_flight += ring_bytes_of(&node->links[p]);
		}
	}
	if (injected != delivered + inside + lost + dropped + in_flight)
		sim_fail(sim, "totals",
			 "injected %lu, delivered %lu + inside %lu + lost %lu + dropped %lu + "
			 "in flight %lu",
			 injected, delivered, inside, lost, dropped, in_flight);
}
