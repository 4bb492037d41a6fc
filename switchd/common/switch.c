#include "switchd/common/switch.h"

#include "nodes/base/table.h"
#include "nodes/stats/trace.h"
#include "switchd/common/switch_run.h"
#include "switchd/common/switch_tables.h"

/* ---- events that are rare ---- */

/* the series of all kinds that follow from counters */
static void sample_counters(struct switch_shell *sw, uint32_t p)
{
	const struct port_stats *stats = stats_port(sw->stats, p);
	struct series *series = &sw->series;

	series_port(series, SERIES_TX_BYTES, p, stats->tx_bytes);
	series_port(series, SERIES_RX_BYTES, p, stats->rx_bytes);
	series_port(series, SERIES_ACKS, p, stats->acks);
	series_port(series, SERIES_DROPS, p, stats->dropped_frames);
	series_port(series, SERIES_LOST_FRAMES, p, stats->lost_frames);
	series_port(series, SERIES_PAUSES_SENT, p, stats->pauses_sent + stats->stops);
	series_port(series, SERIES_PAUSES_RECEIVED, p, stats->pauses_received);
}

/* a sample of every port, as long as the measured interval lasts */
void switch_on_sample(struct switch_shell *sw, node_time_t now)
{
	node_time_t next = now + sw->config->sample_ps;

	series_begin(&sw->series, now);
	for (uint32_t p = 0; p < sw->port_count; p++) {
		sample_counters(sw, p);
		sw->ops->sample(sw, &sw->series, p, now);
	}
	if (next > sw->config->measure_to_ps)
		next = NODE_TIME_NEVER;
	event_tree_set(&sw->events, switch_source_sample(sw, sw->ops), next);
}

/* the measured interval is over: queues and pauses that last must be counted in it too */
void switch_on_measured(struct switch_shell *sw, node_time_t now)
{
	for (uint32_t p = 0; p < sw->port_count; p++)
		sw->ops->measured(sw, p, now);
	event_tree_set(&sw->events, switch_source_measured(sw, sw->ops), NODE_TIME_NEVER);
}

void switch_timer_set(struct switch_shell *sw, node_time_t due)
{
	event_tree_set(&sw->events, switch_source_timer(sw, sw->ops), due);
}

void switch_settle(struct switch_shell *sw, node_time_t now)
{
	switch_settle_with(sw, sw->ops, now);
}

void switch_look_at_arrivals(struct switch_shell *sw, uint64_t ports)
{
	for (; ports; ports &= ports - 1) {
		uint32_t p = (uint32_t)__builtin_ctzll(ports);

		/* the event of an impaired link may be that of a packet which it delays */
		if (event_tree_due(&sw->events, p) == NODE_TIME_NEVER || sw->links[p].impaired)
			event_tree_set(&sw->events, p, link_next_at(&sw->links[p]));
	}
}

/* ---- packets ---- */

void switch_drop(struct switch_shell *sw, enum drop_reason reason, uint32_t port,
		 uint32_t frame_bytes, node_time_t now)
{
	stats_port(sw->stats, port)->dropped_bytes += frame_bytes;
	trace_drop(sw->stats, reason, port, frame_bytes, NULL, now);
}

void switch_drop_packet(struct switch_shell *sw, enum drop_reason reason,
			const struct packet *packet, node_time_t now)
{
	stats_port(sw->stats, packet->in_port)->dropped_bytes += packet->frame_bytes;
	trace_drop(sw->stats, reason, packet->in_port, packet->frame_bytes, packet->bytes, now);
}

struct packet *switch_copy(struct switch_shell *sw, const struct packet *original)
{
	struct packet *copy =
		sw->flood_packets < sw->flood_packets_max ? packet_copy(&sw->pool, original) : NULL;

	ENSURE(sw->flood_packets, <=, sw->flood_packets_max);
	if (copy)
		copy->copy = true;
	return copy;
}

void switch_flood(struct switch_shell *sw, const struct packet *packet, switch_copy_fn *send,
		  node_time_t now)
{
	uint64_t ports = sw->flood_ports & *sw->ports_up, from = 1ull << packet->in_port;
	struct stats_page *stats = sw->stats;

	if (!(ports & from) ||
	    (ports == from && sw->config->ports[packet->in_port].kind == PORT_EDGE)) {
		switch_drop_packet(sw, DROP_NO_DESTINATION, packet, now);
		return;
	}
	stats->flood_originals_bytes += packet->frame_bytes;
	for (ports &= ~from; ports; ports &= ports - 1) {
		struct packet *copy = switch_copy(sw, packet);

		stats->flooded_packets++;
		stats->flooded_bytes += packet->frame_bytes;
		if (copy)
			send(sw, (uint32_t)__builtin_ctzll(ports), copy, now);
		else
			switch_drop_packet(sw, DROP_FLOOD_LIMIT, packet, now);
	}
}

/* ---- pauses ---- */

void switch_pause_note(struct switch_shell *sw, uint32_t port, bool paused, node_time_t now)
{
	node_time_t *since_ps = &sw->paused_since_ps[port];
	struct port_stats *stats = stats_port(sw->stats, port);

	if (paused == (*since_ps != NODE_TIME_NEVER))
		return;
	if (!paused && now > *since_ps)
		stats->paused_ps += now - *since_ps;
	*since_ps = paused ? node_time_max(now, sw->links[port].tx.busy_until_ps) : NODE_TIME_NEVER;
	stats->paused_since_ps = paused ? node_time_max(*since_ps, 1) : 0;
}

node_time_t switch_paused_ps(const struct switch_shell *sw, uint32_t port, node_time_t now)
{
	node_time_t since_ps = sw->paused_since_ps[port];

	return stats_port(sw->stats, port)->paused_ps + (now > since_ps ? now - since_ps : 0);
}

void switch_pause_settle(struct switch_shell *sw, uint32_t port, node_time_t now)
{
	bool paused = sw->paused_since_ps[port] != NODE_TIME_NEVER;

	switch_pause_note(sw, port, false, now);
	switch_pause_note(sw, port, paused, now);
}

/* ---- set-up ---- */

static int shell_init(struct switch_shell *sw, const struct switch_ops *ops,
		      const struct node_config *config, struct link *links,
		      struct stats_page *stats)
{
	sw->ops = ops;
	sw->config = config;
	sw->links = links;
	sw->stats = stats;
	sw->port_count = config->port_count;
	sw->class_count = config->class_count;
	class_map_init(&sw->classes, config->classes, config->class_count);
	sw->cut_through = config->switch_.cut_through;
	sw->flood_ports = config->switch_.flood_ports;
	for (uint32_t p = 0; p < NODE_PORTS_MAX; p++)
		sw->paused_since_ps[p] = NODE_TIME_NEVER;
	return event_tree_init(&sw->events, switch_source_timer(sw, ops) + (ops->timer != NULL));
}

void *switch_create(const struct switch_ops *ops, const struct node_config *config,
		    struct link *links, struct stats_page *stats)
{
	/* ports that are not there take no memory */
	struct switch_shell *sw = table_alloc(1, ops->bytes);

	if (!sw)
		return NULL;
	if (shell_init(sw, ops, config, links, stats) || series_init(&sw->series, config, stats) ||
	    path_watch_init(&sw->paths, config) || ops->init(sw)) {
		switch_destroy(sw);
		return NULL;
	}
	if (config->sample_ps && config->series)
		event_tree_set(&sw->events, switch_source_sample(sw, ops), 0);
	event_tree_set(&sw->events, switch_source_measured(sw, ops), node_measured_at(config));
	return sw;
}

void switch_destroy(void *dataplane)
{
	struct switch_shell *sw = dataplane;

	sw->ops->fini(sw);
	switch_tables_fini(sw);
	packet_pool_fini(&sw->pool);
	series_fini(&sw->series);
	path_watch_fini(&sw->paths);
	event_tree_fini(&sw->events);
	table_free(sw, 1, sw->ops->bytes);
}
