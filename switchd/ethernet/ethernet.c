#include "switchd/ethernet/ethernet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/fabric_header.h"
#include "switchd/common/switch_run.h"
#include "switchd/ethernet/ethernet_forward.h"
#include "switchd/ethernet/ethernet_path.h"
#include "switchd/ethernet/ethernet_pause.h"
#include "switchd/ethernet/ethernet_queue.h"
#include "switchd/ethernet/ethernet_set.h"
#include "switchd/ethernet/ethernet_show.h"
#include "switchd/ethernet/ethernet_transmit.h"

static bool arrive(void *dataplane, uint32_t port, const struct record *header,
		   const uint8_t *bytes, node_time_t now)
{
	struct ethernet *eth = dataplane;

	if (bytes && header->kind == RECORD_PACKET)
		ethernet_arrival(eth, port, header, bytes, now);
	else if (bytes && header->kind == RECORD_PAUSE)
		ethernet_pause_take(eth, port, header, bytes, now);
	else if (bytes)
		/* a frame of flow channels */
		trace_drop(eth->sw.stats, DROP_BAD_RECORD, port, 0, NULL, now);
	return false;
}

static void sample(void *dataplane, struct series *series, uint32_t p, node_time_t now)
{
	const struct ethernet *eth = dataplane;
	const struct ethernet_port *port = &eth->ports[p];
	uint64_t input_bytes = 0, marks = 0, cnps = 0, stopped_ps = 0;
	uint32_t state = ROCE_ECN_NORMAL;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		const struct ethernet_queue *queue = &port->queues[c];
		uint64_t bytes = eth->buffer.inputs[p][c].bytes;

		series_class(series, SERIES_CLASS_QUEUE_BYTES, p, c, queue->gauge.bytes);
		series_class(series, SERIES_CLASS_INPUT_BYTES, p, c, bytes);
		input_bytes += bytes;
		marks += queue->stats->marked;
		cnps += queue->stats->cnps_supplemented;
		stopped_ps += ethernet_pause_ps(queue, now);
		/* the worst, from ROCE_ECN_NORMAL on */
		if (queue->watch.state > state)
			state = queue->watch.state;
	}
	series_port(series, SERIES_INPUT_UNITS, p, input_bytes / UNIT_BYTES);
	series_port(series, SERIES_QUEUE_BYTES, p, port->gauge.bytes);
	series_port(series, SERIES_PAUSED, p, port->held);
	series_port(series, SERIES_XOFF, p, port->teller.told);
	series_port(series, SERIES_ROCE_STATE, p, state);
	series_port(series, SERIES_MARKS, p, marks);
	series_port(series, SERIES_CNPS, p, cnps);
	series_port(series, SERIES_PAUSED_PS, p, stopped_ps);
}

static void measured(void *dataplane, uint32_t p, node_time_t now)
{
	struct ethernet *eth = dataplane;
	struct ethernet_port *port = &eth->ports[p];

	queue_gauge_settle(&port->gauge, port->stats, now);
	for (uint32_t c = 0; c < eth->sw.class_count; c++)
		queue_gauge_add_class(&port->queues[c].gauge, port->queues[c].stats, 0, now);
	ethernet_pause_settle(eth, p, now);
}

/* ---- links that change ---- */

/* @port is what config->ports[@port] says: kind, MTU, class shares, headroom; nothing is paused
 * there */
static void port_configure(struct ethernet *eth, uint32_t p)
{
	const struct node_config *config = eth->sw.config;
	const struct port_config *port_config = &config->ports[p];
	struct ethernet_port *port = &eth->ports[p];
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];

	port->kind = port_config->kind;
	port->mtu_bytes = port_config->mtu_bytes;
	fabric_envelope_write((uint16_t)config->switch_.fabric_address, (uint8_t)p,
			      (uint16_t)(port_config->peer_index + 1),
			      (uint8_t)port_config->peer_port, envelope);
	memcpy(port->mac, envelope + sizeof(port->mac), sizeof(port->mac));
	class_scheduler_init_node(&port->classes, config, port_config->rate_bps);
	pfc_gate_init(&port->gate, pfc_unnamed(&eth->roce, config->class_count));
	pfc_teller_init(&port->teller, eth->roce.pause);
	path_pause_clear(&port->path, port->link->rx.rate_bps);
	port->path.late_ps = pfc_late_ps(config, p);
	/* kept for later if vacant */
	shared_buffer_port_set(&eth->buffer, p, port_config->headroom_bytes);
	ethernet_queue_levels(eth, p);
}

/* What waits for the link is lost; what came in over it is forwarded. */
static void on_link_down(void *dataplane, uint32_t p, node_time_t now)
{
	struct ethernet *eth = dataplane;
	struct ethernet_port *port = &eth->ports[p];

	while (port->backlog) {
		struct packet *packet =
			ethernet_queue_take(eth, p, (uint32_t)__builtin_ctz(port->backlog), now);

		switch_drop_packet(&eth->sw, DROP_LINK_DOWN, packet, now);
		switch_leave(&eth->sw, packet);
	}
	ethernet_pause_note(eth, p, now);
	for (uint32_t told = port->teller.told; told; told &= told - 1)
		port->queues[__builtin_ctz(told)].stats->xoff_since_ps = 0;
}

static void on_link_start(void *dataplane, uint32_t port, node_time_t now)
{
	struct ethernet *eth = dataplane;

	port_configure(eth, port);
	ethernet_path_rates(eth);
	/* what came in over the former link may still be too much */
	for (uint32_t c = 0; c < eth->sw.class_count; c++)
		ethernet_pause_tell(eth, port, c, now);
}

static void on_link_set(void *dataplane, uint32_t port)
{
	struct ethernet *eth = dataplane;
	const struct port_config *config = &eth->sw.config->ports[port];

	eth->ports[port].path.rate_bps = eth->ports[port].link->rx.rate_bps;
	eth->ports[port].path.late_ps = pfc_late_ps(eth->sw.config, port);
	ethernet_path_rates(eth);
	class_scheduler_init_node(&eth->ports[port].classes, eth->sw.config, config->rate_bps);
	shared_buffer_port_set(&eth->buffer, port, config->headroom_bytes);
	ethernet_queue_levels(eth, port);
}

/* ---- set-up ---- */

static void port_init(struct ethernet *eth, uint32_t p, struct link *link)
{
	const struct node_config *config = eth->sw.config;
	struct ethernet_port *port = &eth->ports[p];

	port->link = link;
	port->stats = stats_port(eth->sw.stats, p);
	port->gauge = queue_gauge_of(config);
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++) {
		port->queues[c].gauge = port->gauge;
		port->queues[c].stats = stats_class(eth->sw.stats, p, c);
	}
	path_pause_init(&port->path, &eth->roce, p, link->rx.rate_bps, pfc_late_ps(config, p));
	port_configure(eth, p);
}

/* A cell for each PACKET_BUFFER_BYTES of the buffer, so that the buffer is full before the pool is
 * empty; and the longest frame for each packet that does not count in the buffer: one that has just
 * arrived, with its copies. */
static int pool_init(struct ethernet *eth)
{
	uint32_t captured_max = packet_captured_max(eth->sw.config);

	_Static_assert(ETHERNET_CELL_BYTES >= PACKET_BUFFER_BYTES,
		       "the shortest packet counts for a cell");
	return packet_pool_init(&eth->sw.pool,
				eth->roce.buffer_bytes / PACKET_BUFFER_BYTES +
					(1ull + eth->sw.port_count) * packet_cells(captured_max),
				captured_max);
}

static int init(void *dataplane)
{
	struct ethernet *eth = dataplane;
	const struct node_config *config = eth->sw.config;

	eth->roce = config->roce;
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		eth->roce.classes[c].lossless &= eth->roce.pfc;
	eth->ecmp_seed = config->seed;
	eth->sw.flood_packets_max = UINT32_MAX; /* copies count in the shared buffer */
	random_init(&eth->random, config->seed, SWITCH_STREAM);
	shared_buffer_init(&eth->buffer, eth->roce.classes, eth->sw.class_count,
			   eth->roce.buffer_bytes);
	if (pool_init(eth) || switch_tables_init(&eth->sw, &eth->routes, &eth->translate))
		return -ENOMEM;
	for (uint32_t p = 0; p < config->port_count; p++)
		port_init(eth, p, &eth->sw.links[p]);
	return ethernet_path_init(eth);
}

static const struct switch_ops ops = {
	.bytes = sizeof(struct ethernet),
	.init = init,
	.fini = ethernet_path_fini,
	.arrive = arrive,
	.transmit = ethernet_transmit,
	.transmit_next_at = ethernet_transmit_next_at,
	.port_timer = ethernet_path_step,
	.timer = ethernet_watchdog,
	.settle = ethernet_watchdog_update,
	.sample = sample,
	.measured = measured,
	.link_down = on_link_down,
	.link_start = on_link_start,
	.link_set = on_link_set,
	.output_of = ethernet_output_of,
	.flood_tree = true,
	.tables = ethernet_show_tables,
	.settings = &ethernet_settings,
};

SWITCH_KIND(ethernet_ops, ops, .tables = switch_tables_replace,
	    .table_blocks = switch_tables_blocks, .table_read = switch_tables_read);
