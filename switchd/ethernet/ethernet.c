#include "switchd/ethernet/ethernet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/fabric_header.h"
#include "switchd/common/table_read.h"
#include "switchd/ethernet/ethernet_forward.h"
#include "switchd/ethernet/ethernet_path.h"
#include "switchd/ethernet/ethernet_pause.h"
#include "switchd/ethernet/ethernet_queue.h"
#include "switchd/ethernet/ethernet_show.h"
#include "switchd/ethernet/ethernet_transmit.h"

#define RANDOM_STREAM NODE_PORTS_MAX /* the links have those below */

/* ---- event sources: arrivals, transmissions, timers ---- */

static uint32_t source_transmit(const struct ethernet *eth, uint32_t port)
{
	return eth->port_count + port;
}

static uint32_t source_signals(const struct ethernet *eth, uint32_t port)
{
	return 2 * eth->port_count + port;
}

static uint32_t source_sample(const struct ethernet *eth)
{
	return 3 * eth->port_count;
}

static uint32_t source_measured(const struct ethernet *eth)
{
	return 3 * eth->port_count + 1;
}

static uint32_t source_watchdog(const struct ethernet *eth)
{
	return 3 * eth->port_count + 2;
}

#define TIMERS 3u

void ethernet_drop(struct ethernet *eth, enum drop_reason reason, uint32_t port, uint32_t frame_bytes, node_time_t now)
{
	eth->stats->drops[reason]++;
	eth->ports[port].stats->dropped_bytes += frame_bytes;
	trace(eth->stats, now, TRACE_DROP, port, reason, frame_bytes);
}

void ethernet_leave(struct ethernet *eth, struct packet *packet)
{
	eth->stats->inside_packets--;
	eth->stats->inside_bytes -= packet->frame_bytes;
	packet_free(&eth->pool, packet);
}

void ethernet_signals_arm(struct ethernet *eth, uint32_t port, node_time_t due)
{
	event_tree_set(&eth->events, source_signals(eth, port), due);
}

static void on_arrival(struct ethernet *eth, uint32_t port, node_time_t now)
{
	struct link *link = eth->ports[port].link;
	struct record header;
	const uint8_t *bytes = link_receive(link, &header, now);

	if (bytes && header.kind == RECORD_PACKET)
		ethernet_arrival(eth, port, &header, bytes, now);
	else if (bytes && header.kind == RECORD_PAUSE)
		ethernet_pause_take(eth, port, &header, bytes, now);
	else if (bytes)
		eth->stats->drops[DROP_BAD_RECORD]++; /* frames of flow channels */
	link_done(link, &header);
	event_tree_set(&eth->events, port, link_next_at(link));
}

static void sample_take(const struct ethernet *eth, uint32_t p, struct sample_stats *sample, node_time_t now)
{
	const struct ethernet_port *port = &eth->ports[p];
	uint64_t input_bytes = 0;
	uint8_t worst = ROCE_ECN_NORMAL;

	for (uint32_t c = 0; c < eth->class_count; c++) {
		input_bytes += eth->buffer.inputs[p][c].bytes;
		if (port->queues[c].watch.state > worst)
			worst = (uint8_t)port->queues[c].watch.state;
	}
	*sample = (struct sample_stats){ .at_ps = now,
					 .port = p,
					 .input_units = (uint32_t)(input_bytes / UNIT_BYTES),
					 .queue_bytes = port->gauge.bytes,
					 .tx_bytes = port->stats->tx_bytes,
					 .paused = port->held,
					 .xoff = port->teller.told,
					 .state = worst };
}

/* a sample of every port, as long as the measured interval and the page last */
static void on_sample(struct ethernet *eth, node_time_t now)
{
	struct stats_page *stats = eth->stats;
	node_time_t next = now + eth->config->sample_ps;

	for (uint32_t p = 0; p < eth->port_count && stats->sample_count < stats->samples_max; p++)
		sample_take(eth, p, stats_sample(stats, stats->sample_count++), now);
	if (next > eth->config->measure_to_ps || stats->sample_count >= stats->samples_max)
		next = NODE_TIME_NEVER;
	event_tree_set(&eth->events, source_sample(eth), next);
}

/* the measured interval is over: queues and pauses that last must be counted in it too */
static void on_measured(struct ethernet *eth, node_time_t now)
{
	for (uint32_t p = 0; p < eth->port_count; p++) {
		struct ethernet_port *port = &eth->ports[p];

		queue_gauge_settle(&port->gauge, port->stats, now);
		for (uint32_t c = 0; c < eth->class_count; c++)
			queue_gauge_add_class(&port->queues[c].gauge, port->queues[c].stats, 0, now);
		ethernet_pause_settle(eth, p, now);
	}
	event_tree_set(&eth->events, source_measured(eth), NODE_TIME_NEVER);
}

static void on_watchdog(struct ethernet *eth, node_time_t now)
{
	node_time_t next = ethernet_watchdog(eth, now);

	event_tree_set(&eth->events, source_watchdog(eth), next);
	eth->watching = next != NODE_TIME_NEVER;
}

static void handle(struct ethernet *eth, uint32_t source, node_time_t now)
{
	if (source < eth->port_count) {
		on_arrival(eth, source, now);
	} else if (source < source_signals(eth, 0)) {
		ethernet_transmit(eth, source - eth->port_count, now);
		ethernet_touch(eth, source - eth->port_count);
	} else if (source < source_sample(eth)) {
		uint32_t port = source - source_signals(eth, 0);

		event_tree_set(&eth->events, source, ethernet_path_step(eth, port, now));
	} else if (source == source_sample(eth)) {
		on_sample(eth, now);
	} else if (source == source_measured(eth)) {
		on_measured(eth, now);
	} else {
		on_watchdog(eth, now);
	}
}

/* It has an appointment only while somebody is held: else a fabric in which nothing happens any more would not be known to be empty. */
static void update_watchdog(struct ethernet *eth, node_time_t now)
{
	if (eth->watching == (eth->held_count != 0))
		return;
	eth->watching = eth->held_count;
	event_tree_set(&eth->events, source_watchdog(eth),
		       eth->watching ? now + eth->roce.watchdog_ps : NODE_TIME_NEVER);
}

/* A port that is busy and will look again as soon as it is free has nothing to gain from looking earlier. */
static void update_touched(struct ethernet *eth, node_time_t now)
{
	for (; eth->touched; eth->touched &= eth->touched - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(eth->touched);
		uint32_t source = source_transmit(eth, port);
		node_time_t free_at = eth->ports[port].link->busy_until_ps;

		if (free_at <= now || event_tree_due(&eth->events, source) != free_at)
			event_tree_set(&eth->events, source, ethernet_transmit_next_at(eth, port, now));
	}
	update_watchdog(eth, now);
}

static void look_at_arrivals(struct ethernet *eth)
{
	for (uint64_t ports = eth->routes.ports_up; ports; ports &= ports - 1) {
		uint32_t p = (uint32_t)__builtin_ctzll(ports);

		if (event_tree_due(&eth->events, p) == NODE_TIME_NEVER)
			event_tree_set(&eth->events, p, link_next_at(eth->ports[p].link));
	}
}

/* ports whose ring was full and has room again: they go on when that is seen, which is now */
static void unstarve(struct ethernet *eth, node_time_t end)
{
	for (uint64_t ports = eth->routes.ports_up; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		if (link_unstarve(eth->ports[port].link))
			ethernet_touch(eth, port);
	}
	update_touched(eth, end - 1);
}

static node_time_t run(void *dataplane, node_time_t end)
{
	struct ethernet *eth = dataplane;
	node_time_t now;

	if (eth->config->clock == CLOCK_REAL && end)
		unstarve(eth, end);
	look_at_arrivals(eth);
	while ((now = event_tree_next_at(&eth->events)) < end) {
		eth->stats->now_ps = now;
		eth->stats->events++;
		handle(eth, event_tree_first(&eth->events), now);
		update_touched(eth, now);
	}
	return now;
}

/* ---- links and tables that change ---- */

/* @port is what config->ports[@port] says: kind, MTU, class shares, headroom; nothing is held there */
static void port_configure(struct ethernet *eth, uint32_t p)
{
	const struct node_config *config = eth->config;
	const struct port_config *port_config = &config->ports[p];
	struct ethernet_port *port = &eth->ports[p];
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];

	port->kind = port_config->kind;
	port->mtu_bytes = port_config->mtu_bytes;
	fabric_envelope_write((uint16_t)config->switch_.fabric_address, (uint8_t)p,
			      (uint16_t)(port_config->peer_index + 1), (uint8_t)port_config->peer_port, envelope);
	memcpy(port->mac, envelope + sizeof(port->mac), sizeof(port->mac));
	class_scheduler_init_node(&port->classes, config, port_config->rate_bps);
	pfc_gate_init(&port->gate, pfc_unnamed(&eth->roce, config->class_count));
	pfc_teller_init(&port->teller, eth->roce.pause);
	path_pause_clear(&port->path, port_config->rate_bps);
	shared_buffer_port_set(&eth->buffer, p, port_config->headroom_bytes); /* kept for later if vacant */
	ethernet_queue_levels(eth, p);
}

/* What waits for the link is lost; what came in over it goes on. */
static void on_link_down(void *dataplane, uint32_t p, node_time_t now)
{
	struct ethernet *eth = dataplane;
	struct ethernet_port *port = &eth->ports[p];
	uint32_t before = port->teller.told;

	eth->routes.ports_up &= ~(1ull << p);
	link_down(port->link, now);
	while (port->backlog) {
		struct packet *packet = ethernet_queue_take(eth, p, (uint32_t)__builtin_ctz(port->backlog), now);

		ethernet_drop(eth, DROP_LINK_DOWN, packet->in_port, packet->frame_bytes, now);
		ethernet_leave(eth, packet);
	}
	ethernet_pause_note(eth, p, now);
	for (; before; before &= before - 1)
		port->queues[__builtin_ctz(before)].stats->xoff_since_ps = 0;
	event_tree_set(&eth->events, p, NODE_TIME_NEVER);
	ethernet_touch(eth, p);
	update_touched(eth, now);
}

static void on_link_up(void *dataplane, uint32_t port, node_time_t now)
{
	struct ethernet *eth = dataplane;

	port_configure(eth, port);
	ethernet_path_rates(eth);
	eth->routes.ports_up |= 1ull << port;
	for (uint32_t c = 0; c < eth->class_count; c++) /* what came in over the former link may still be too much */
		ethernet_pause_tell(eth, port, c, now);
	ethernet_touch(eth, port);
	update_touched(eth, now);
}

static void on_link_set(void *dataplane, uint32_t port)
{
	struct ethernet *eth = dataplane;
	const struct port_config *config = &eth->config->ports[port];

	eth->ports[port].path.rate_bps = config->rate_bps;
	ethernet_path_rates(eth);
	class_scheduler_init_node(&eth->ports[port].classes, eth->config, config->rate_bps);
	shared_buffer_port_set(&eth->buffer, port, config->headroom_bytes);
	ethernet_queue_levels(eth, port);
	ethernet_touch(eth, port);
}

static int tables(void *dataplane, const struct switch_config *config)
{
	struct ethernet *eth = dataplane;

	if (table_replace(&eth->routes, &eth->translate, config) < 0)
		return -ENOMEM;
	eth->flood_ports = config->flood_ports;
	eth->stats->tables_taken++;
	return 0;
}

static uint32_t tables_blocks(void *dataplane, enum table_kind table)
{
	const struct ethernet *eth = dataplane;

	return table == TABLE_FLOOD ? 1 : table_read_blocks(&eth->routes, &eth->translate, table);
}

static void tables_read(void *dataplane, struct table_block *block)
{
	const struct ethernet *eth = dataplane;

	if (block->table == TABLE_FLOOD)
		table_put(TABLE_FLOOD, block->bytes, 0, eth->flood_ports);
	else
		table_read_block(&eth->routes, &eth->translate, block);
}

/* ---- set-up ---- */

static void port_init(struct ethernet *eth, uint32_t p, struct link *link)
{
	const struct node_config *config = eth->config;
	struct ethernet_port *port = &eth->ports[p];
	struct queue_gauge gauge = { .from_ps = config->measure_from_ps, .to_ps = config->measure_to_ps };

	port->link = link;
	port->stats = stats_port(eth->stats, p);
	port->blocked_since_ps = NODE_TIME_NEVER;
	port->gauge = gauge;
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++) {
		port->queues[c].gauge = gauge;
		port->queues[c].stats = stats_class(eth->stats, p, c);
	}
	path_pause_init(&port->path, &eth->roce, p, config->ports[p].rate_bps);
	port_configure(eth, p);
	if (config->ports[p].vacant)
		eth->routes.ports_up &= ~(1ull << p);
}

/* A cell for each PACKET_BUFFER_BYTES of the buffer, so that the buffer is full before the pool is
 * empty; and the longest frame for each packet that does not count in the buffer: one that has just
 * arrived, with its copies. */
static int pool_init(struct ethernet *eth)
{
	uint32_t captured_max = packet_captured_max(eth->config);

	_Static_assert(ETHERNET_CELL_BYTES >= PACKET_BUFFER_BYTES, "the shortest packet counts for a cell");
	return packet_pool_init(&eth->pool,
				eth->roce.buffer_bytes / PACKET_BUFFER_BYTES +
					(1ull + eth->port_count) * packet_cells(captured_max),
				captured_max);
}

static void destroy(void *dataplane)
{
	struct ethernet *eth = dataplane;

	ethernet_path_fini(eth);
	packet_pool_fini(&eth->pool);
	translate_fini(&eth->translate);
	route_table_fini(&eth->routes);
	event_tree_fini(&eth->events);
	free(eth);
}

static void *create(const struct node_config *config, struct link *links, struct stats_page *stats)
{
	struct ethernet *eth = calloc(1, sizeof(*eth));
	int error;

	if (!eth)
		return NULL;
	eth->config = config;
	eth->roce = config->roce;
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		eth->roce.classes[c].lossless &= eth->roce.pfc;
	eth->stats = stats;
	eth->port_count = config->port_count;
	eth->class_count = config->class_count;
	eth->cut_through = config->switch_.cut_through;
	eth->flood_ports = config->switch_.flood_ports;
	eth->ecmp_seed = config->seed;
	random_init(&eth->random, config->seed, RANDOM_STREAM);
	shared_buffer_init(&eth->buffer, eth->roce.classes, eth->class_count, eth->roce.buffer_bytes);
	error = event_tree_init(&eth->events, 3 * config->port_count + TIMERS);
	if (!error)
		error = pool_init(eth);
	if (!error)
		error = translate_init(&eth->translate, config->switch_.hosts, config->switch_.host_count);
	if (!error)
		error = translate_prefixes_set(&eth->translate, config->switch_.prefixes, config->switch_.prefix_count);
	if (!error)
		error = route_table_init(&eth->routes, &config->switch_);
	if (error) {
		destroy(eth);
		return NULL;
	}
	if (eth->port_count < NODE_PORTS_MAX)
		eth->routes.ports_up &= (1ull << eth->port_count) - 1;
	for (uint32_t p = 0; p < config->port_count; p++)
		port_init(eth, p, &links[p]);
	if (ethernet_path_init(eth)) {
		destroy(eth);
		return NULL;
	}
	if (config->sample_ps)
		event_tree_set(&eth->events, source_sample(eth), 0);
	event_tree_set(&eth->events, source_measured(eth), config->measure_to_ps);
	stats->tables_taken = config->switch_.host_count > 0;
	return eth;
}

const struct node_ops ethernet_ops = {
	.create = create,
	.run = run,
	.show = ethernet_show,
	.set = ethernet_set,
	.destroy = destroy,
	.link_down = on_link_down,
	.link_up = on_link_up,
	.link_set = on_link_set,
	.tables = tables,
	.table_blocks = tables_blocks,
	.table_read = tables_read,
};
