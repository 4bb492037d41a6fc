#include "switchd/flow_channel/dataplane.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/table.h"
#include "nodes/base/units.h"
#include "nodes/link/link_send.h"
#include "switchd/common/switch_run.h"
#include "switchd/flow_channel/ack_path.h"
#include "switchd/flow_channel/arrival.h"
#include "switchd/flow_channel/crossbar.h"
#include "switchd/flow_channel/dataplane_set.h"
#include "switchd/flow_channel/dataplane_show.h"
#include "switchd/flow_channel/input_buffer.h"
#include "switchd/flow_channel/link_change.h"
#include "switchd/flow_channel/resume.h"
#include "switchd/flow_channel/transmit.h"

/* copies that a switch may hold, however few hosts there are */
#define FLOOD_PACKETS_MIN 256u
#define FLOOD_ROUNDS 4u        /* flooded frames per switch, with all their copies */
#define VACANT_UNITS_MIN 1024u /* input buffer that the pool has ready for a link to come */
#define NEAR_PORT_BYTES 8192u  /* near entries of all tables of a port; no port has more */

/* ---- marks ---- */

/* takes the lowest port out of @ports, a set that is not empty */
static uint32_t port_pop(uint64_t *ports)
{
	uint32_t port = (uint32_t)__builtin_ctzll(*ports);

	*ports &= *ports - 1;
	return port;
}

static __attribute__((noinline)) void handle_all(struct dataplane *dp, node_time_t now)
{
	struct marks *marks = &dp->marks;

	for (;;) {
		if (marks->channels) /* first: these flows wait longer than resumed ones */
			crossbar_channel_freed(dp, port_pop(&marks->channels), now);
		else if (marks->flows_count)
			resume_flow(dp, marks_flow_pop(marks, dp->ifcts), now);
		else if (marks->lines) /* after flows, whose release frees lines */
			arrival_lines_freed(dp, port_pop(&marks->lines), now);
		else if (marks->limits) /* after flows and lines, which use the limits first */
			resume_port(dp, port_pop(&marks->limits), now);
		else
			break;
	}
	marks->any = false;
}

/* Does what an acknowledgement or a loss leaves to be done, in the order above. */
static inline void handle_marks(struct dataplane *dp, node_time_t now)
{
	if (dp->marks.any)
		handle_all(dp, now);
}

/* Grants at ports that flows have moved to or left. For the end of an event, when all flows that
 * move in it have requested. */
static __attribute__((noinline)) void handle_moves(struct dataplane *dp, node_time_t now)
{
	while (dp->marks.moves) {
		crossbar_grant_port(dp, port_pop(&dp->marks.moves), now);
		handle_marks(dp, now);
	}
}

/* ---- events ---- */

static bool arrive(void *dataplane, uint32_t port, const struct record *header,
		   const uint8_t *bytes, node_time_t now)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	struct dataplane *dp = dataplane;
	uint32_t count;

	handle_marks(dp, now); /* those that the link's reports to its listener have left */
	if (bytes && header->kind == RECORD_PACKET) {
		arrival_packet(dp, port, header, bytes, now);
		input_buffer_update(dp, port, header->traffic_class);
	} else if (bytes) {
		count = ack_path_read(dp, port, header, bytes, acks, now);
		for (uint32_t i = 0; i < count; i++) {
			ack_path_ack(dp, port, &acks[i], now);
			handle_marks(dp, now);
		}
	}
	return header->kind != RECORD_PACKET || link_words_due(dp->ports[port].link);
}

/* the peer has buffer again: flows without credit resume */
static void on_stop(void *owner, struct link *link, uint32_t lane, bool stopped, node_time_t now)
{
	struct dataplane *dp = owner;

	if (!stopped && dataplane_port_up(dp, link->port))
		resume_lane(dp, link->port, lane, now);
}

static struct link_listener listener_of(struct dataplane *dp)
{
	return (struct link_listener){ .owner = dp,
				       .on_seen = ack_path_seen,
				       .on_lost = ack_path_lost,
				       .on_ack_lost = ack_path_ack_lost,
				       .on_stop = on_stop };
}

/* the longest queue of a single flow at input @port */
static uint32_t flow_queue_units(const struct dataplane *dp, uint32_t port)
{
	const struct ifct *ifct = &dp->ifcts[port];
	uint32_t units = 0, left = ifct->used;

	for (uint32_t i = 0; left && i < ifct->channels; i++) {
		const struct ifct_entry *entry = TABLE_AT(ifct->entries, i);

		if (!entry->active)
			continue;
		left--;
		if (ifct_queue_extent(entry) > units)
			units = ifct_queue_extent(entry);
	}
	return units;
}

/* the greatest congestion factor of the classes of @port, if it is an edge port */
static uint16_t eca_now(const struct dataplane *dp, struct port *port, node_time_t now)
{
	uint32_t most = 0;

	for (uint32_t c = 0;
	     port->kind == PORT_EDGE && dp->injection.config->eca && c < dp->sw.class_count; c++) {
		uint32_t factor = eca_factor(&port->output[c].eca, now);

		most = factor > most ? factor : most;
	}
	return (uint16_t)most;
}

/* the series of the lanes of @port, and the sums of them */
static void sample_lanes(struct series *series, const struct port *port, uint32_t p)
{
	uint32_t stopped = 0;

	for (uint32_t l = 0; l < port->lane_count; l++) {
		stopped |= (uint32_t)link_stopped(port->link, l) << l;
		series_lane(series, SERIES_LANE_QUEUE_UNITS, p, l, port->output[l].queue.units);
		series_lane(series, SERIES_LANE_INPUT_UNITS, p, l, port->link->rx.held_units[l]);
	}
	series_port(series, SERIES_INPUT_UNITS, p, link_held_units(port->link));
	series_port(series, SERIES_PAUSED, p, stopped);
	series_port(series, SERIES_XOFF, p, port->link->stop.wanted);
}

/* path_watch.note */
static void packet_note(void *dataplane, const struct packet *packet, uint32_t slot)
{
	struct dataplane *dp = dataplane;
	struct port *port = &dp->ports[packet->in_port];

	if (port->kind == PORT_EDGE && dp->unacked[packet->in_port].lines)
		unacked_note(&dp->unacked[packet->in_port], &port->edge.efct, packet->flow_id,
			     slot);
}

static void sample(void *dataplane, struct series *series, uint32_t p, node_time_t now)
{
	struct dataplane *dp = dataplane;
	struct port *port = &dp->ports[p];

	series_port(series, SERIES_QUEUE_BYTES, p, port->gauge.bytes);
	series_port(series, SERIES_FLOW_QUEUE_UNITS, p, flow_queue_units(dp, p));
	series_port(series, SERIES_ECA, p, eca_now(dp, port, now));
	series_port(series, SERIES_LIMITED, p, port->stats->limited);
	series_port(series, SERIES_METERED, p, port->stats->metered);
	series_port(series, SERIES_FGFC_HELD, p, port->stats->fgfc_held);
	series_port(series, SERIES_EXTENT_UNITS, p, port->stats->extent_units);
	series_port(series, SERIES_MARKS, p, port->stats->eca_acks);
	series_port(series, SERIES_PAUSED_PS, p, switch_paused_ps(&dp->sw, p, now));
	sample_lanes(series, port, p);
	if (dp->unacked[p].lines)
		unacked_sample(&dp->unacked[p], &port->edge.efct, series, p);
}

static void measured(void *dataplane, uint32_t p, node_time_t now)
{
	struct dataplane *dp = dataplane;
	struct port *port = &dp->ports[p];

	queue_gauge_settle(&port->gauge, port->stats, now);
	switch_pause_settle(&dp->sw, p, now);
}

static void on_transmit(void *dataplane, uint32_t port, node_time_t now)
{
	struct dataplane *dp = dataplane;
	int lane = transmit(dp, port, now);

	handle_marks(dp, now);
	if (lane >= 0 && !dp->ports[port].output[lane].arbiter.empty)
		crossbar_grant(dp, port, (uint32_t)lane, now);
}

static void wake(void *dataplane, node_time_t now)
{
	resume_wake(dataplane, now);
	handle_marks(dataplane, now);
}

static void settle(void *dataplane, node_time_t now)
{
	struct dataplane *dp = dataplane;

	handle_marks(dp, now);
	if (dp->marks.moves)
		handle_moves(dp, now);
	if (dp->timer_ps != deadline_heap_next_at(&dp->wakes)) {
		dp->timer_ps = deadline_heap_next_at(&dp->wakes);
		switch_timer_set(&dp->sw, dp->timer_ps);
	}
}

static void follow(void *dataplane, node_time_t now)
{
	link_change_routes(dataplane, now);
	handle_marks(dataplane, now);
}

/* ---- links that change ---- */

/* @port is what config->ports[@port] says: kind, MTU, names on the link, class shares */
static void port_configure(struct dataplane *dp, uint32_t p)
{
	const struct node_config *config = dp->sw.config;
	const struct port_config *port_config = &config->ports[p];
	struct port *port = &dp->ports[p];

	port->kind = port_config->kind;
	port->lanes = node_lanes(config, port->kind);
	port->lane_count = config->class_count * port->lanes;
	port->mtu_bytes = port_config->mtu_bytes;
	port->mtu_units = units_of_bytes(port_config->mtu_bytes);
	fabric_envelope_write((uint16_t)config->switch_.fabric_address, (uint8_t)p,
			      (uint16_t)(port_config->peer_index + 1),
			      (uint8_t)port_config->peer_port, port->envelope);
	class_scheduler_init_node(&port->classes, config, port_config->rate_bps);
	input_buffer_configure(dp, p);
}

static void on_link_start(void *dataplane, uint32_t port, node_time_t now)
{
	struct dataplane *dp = dataplane;
	struct link_listener listener = listener_of(dp);

	(void)now;
	port_configure(dp, port);
	link_listen(dp->ports[port].link, &listener);
	link_change_start(dp, port);
}

static void on_link_settle(void *dataplane, uint32_t port, const struct channel_set *left,
			   node_time_t now)
{
	struct dataplane *dp = dataplane;

	stats_time(dp->sw.stats, now);
	if (link_change_settle(dp, port, left, now)) {
		handle_marks(dp, now);
		link_change_leave(dp, port, now);
		handle_marks(dp, now);
	}
	switch_links_start(&dp->sw, now);
	switch_settle(&dp->sw, now);
}

static void on_link_set(void *dataplane, uint32_t port)
{
	struct dataplane *dp = dataplane;

	class_scheduler_init_node(&dp->ports[port].classes, dp->sw.config,
				  dp->sw.config->ports[port].rate_bps);
}

/* ---- set-up ---- */

/* Real clock: cells of what may still arrive at @port after STOP, whatever its class. It fits into
 * the reserve. It is also no more than a guarded link remembers, or than two rings hold: the one
 * that is emptied when STOP is sent, and the one that is filled until STOP is received. A record
 * has at least as many lines in a ring as its packet has cells. */
static uint64_t late_cells(const struct port_config *port, uint32_t captured_max)
{
	uint64_t cells = packet_cells_of_units(port->buffer_units - port->stop_units, captured_max);
	uint64_t most = port->guarded ? LINK_LOG_MAX * packet_cells(captured_max)
				      : 2ull * port->ring_bytes / RING_LINE;

	_Static_assert(PACKET_FIRST_BYTES >= RING_LINE && PACKET_MORE_BYTES >= RING_LINE,
		       "a line a cell");
	return cells < most ? cells : most;
}

/* cells of what the input buffers of @port can hold */
static uint64_t input_cells(const struct node_config *config, const struct port_config *port,
			    uint32_t captured_max)
{
	uint64_t lane_count = config->class_count * node_lanes(config, port->kind);

	if (config->clock == CLOCK_VIRTUAL)
		return packet_cells_of_units(lane_count * port->buffer_units, captured_max);
	return packet_cells_of_units(lane_count * port->stop_units +
					     config->switch_.output_queue_units_max,
				     captured_max) +
	       late_cells(port, captured_max);
}

/* a link to come is taken to be like the largest that is there */
static uint64_t vacant_cells(const struct node_config *config, uint32_t captured_max)
{
	uint64_t lane_count = config->class_count * node_lanes(config, PORT_FABRIC);
	uint64_t cells = packet_cells_of_units(lane_count * VACANT_UNITS_MIN, captured_max);

	for (uint32_t p = 0; p < config->port_count; p++)
		if (input_cells(config, &config->ports[p], captured_max) > cells)
			cells = input_cells(config, &config->ports[p], captured_max);
	return cells;
}

/* Input buffers and output queues. The only packet of an output queue may be longer than the
 * queue. */
static uint64_t buffer_cells(const struct node_config *config, uint32_t captured_max)
{
	uint64_t queue_cells =
		packet_cells_of_units(config->switch_.output_queue_units_max, captured_max) +
		packet_cells(captured_max);
	uint64_t cells = 0;

	for (uint32_t p = 0; p < config->port_count; p++) {
		const struct port_config *port = &config->ports[p];
		enum port_kind kind = port->vacant ? PORT_FABRIC : port->kind;

		cells += port->vacant ? vacant_cells(config, captured_max)
				      : input_cells(config, port, captured_max);
		cells += config->class_count * node_lanes(config, kind) * queue_cells;
	}
	return cells;
}

/* the cells of all buffers, and of the reserve of copies, each as long as the longest frame */
static int pool_init(struct dataplane *dp)
{
	const struct node_config *config = dp->sw.config;
	uint32_t captured_max = packet_captured_max(config);

	dp->sw.flood_packets_max = FLOOD_ROUNDS * config->node_count;
	if (dp->sw.flood_packets_max < FLOOD_PACKETS_MIN)
		dp->sw.flood_packets_max = FLOOD_PACKETS_MIN;
	return packet_pool_init(&dp->sw.pool,
				buffer_cells(config, captured_max) +
					(uint64_t)dp->sw.flood_packets_max *
						packet_cells(captured_max),
				captured_max);
}

/* the flows that come in at @p, with their redirects and trees */
static int input_init(struct dataplane *dp, uint32_t p, uint32_t channels)
{
	int error = ifct_init(&dp->ifcts[p], channels, &dp->near);

	if (!error && (!TABLE_INIT(dp->ports[p].redirects, channels, &dp->near) ||
		       !TABLE_INIT(dp->ports[p].trees, channels, &dp->near)))
		error = -ENOMEM;
	return error;
}

/* what only a port to a host has */
static int edge_init(struct dataplane *dp, uint32_t p, const struct port_config *config)
{
	struct edge_port *edge = &dp->ports[p].edge;
	bool samples = dp->sw.series.page && dp->sw.paths.lines;

	return efct_init(&edge->efct, config->channels, &config->match, &dp->near)
		       ?: (samples ? unacked_init(&dp->unacked[p], config->channels) : 0)
		       ?: fgfc_init(&edge->fgfc, config->channels,
				    &dp->sw.config->switch_.congestion, &dp->near);
}

/* what only a port to another switch has */
static int fabric_init(struct dataplane *dp, uint32_t p, uint32_t channels)
{
	const struct node_config *config = dp->sw.config;
	struct fabric_port *fabric = &dp->ports[p].fabric;

	return ofct_init(&fabric->ofct, channels, node_lanes(config, PORT_FABRIC), dp->towards + p,
			 config->port_count, &dp->near)
		       ?: ack_collector_init(&fabric->acks, channels, &config->switch_, &dp->near);
}

static int port_init(struct dataplane *dp, uint32_t p, struct link *link)
{
	const struct node_config *config = dp->sw.config;
	const struct port_config *port_config = &config->ports[p];
	struct port *port = &dp->ports[p];
	/* the port may get a link of another kind; tables that are not used cost no memory */
	bool any_kind = config->clock == CLOCK_REAL;
	int error;

	port->link = link;
	port->stats = stats_port(dp->sw.stats, p);
	port->fabric.no_channel.first = port->edge.port_limit.first = FLOW_REF_NONE;
	port->gauge = queue_gauge_of(config);
	port_configure(dp, p);
	error = input_init(dp, p, port_config->channels);
	if (!error && (any_kind || port->kind == PORT_EDGE))
		error = edge_init(dp, p, port_config);
	if (!error && (any_kind || port->kind == PORT_FABRIC))
		error = fabric_init(dp, p, port_config->channels);
	for (uint32_t c = 0; !error && c < dp->lane_count; c++) {
		port->output[c].queue.units_max = config->switch_.output_queue_units_max;
		port->output[c].stopped.first = FLOW_REF_NONE;
		eca_init(&port->output[c].eca, &config->switch_.congestion);
		error = arbiter_init(&port->output[c].arbiter, config->switch_.arbiter, dp->ifcts,
				     config->port_count, port_config->mtu_bytes);
	}
	return error;
}

static void port_fini(struct dataplane *dp, uint32_t p)
{
	struct port *port = &dp->ports[p];

	TABLE_FINI(port->redirects, dp->ifcts[p].channels);
	TABLE_FINI(port->trees, dp->ifcts[p].channels);
	ifct_fini(&dp->ifcts[p]);
	unacked_fini(&dp->unacked[p], port->edge.efct.channels);
	efct_fini(&port->edge.efct);
	fgfc_fini(&port->edge.fgfc);
	ofct_fini(&port->fabric.ofct);
	ack_collector_fini(&port->fabric.acks);
	for (uint32_t c = 0; c < dp->lane_count; c++)
		arbiter_fini(&port->output[c].arbiter);
}

/* of dataplane.towards */
static size_t towards_count(const struct dataplane *dp)
{
	return (size_t)OFCT_DESTINATIONS * dp->sw.port_count;
}

static void fini(void *dataplane)
{
	struct dataplane *dp = dataplane;

	for (uint32_t p = 0; p < dp->sw.port_count; p++)
		port_fini(dp, p);
	table_arena_fini(&dp->near);
	table_free(dp->towards, towards_count(dp), sizeof(*dp->towards));
	source_hold_fini(&dp->hold);
	deadline_heap_fini(&dp->wakes);
	table_free(dp->marks.flows, dp->marks.flows_max, sizeof(*dp->marks.flows));
}

static int init(void *dataplane)
{
	struct dataplane *dp = dataplane;
	const struct node_config *config = dp->sw.config;
	struct link_listener listener = listener_of(dp);

	dp->lane_count = config->class_count * node_lanes(config, PORT_FABRIC);
	random_init(&dp->random, config->switch_.routing.seed, 0);
	random_init(&dp->redirect_random, config->switch_.routing.seed, 1);
	for (uint32_t c = 0; c < config->class_count; c++)
		dp->unordered |= (uint32_t)config->classes[c].unordered << c;
	dataplane_settings_init(dp);
	dp->timer_ps = NODE_TIME_NEVER;
	dp->sw.paths.note = packet_note;
	dp->sw.paths.owner = dp;
	dp->marks.flows_max = flow_ref(config->port_count, 0);
	dp->marks.flows = table_alloc(dp->marks.flows_max, sizeof(*dp->marks.flows));
	dp->towards = table_alloc(towards_count(dp), sizeof(*dp->towards));
	if (!dp->marks.flows || !dp->towards || pool_init(dp) ||
	    table_arena_init(&dp->near, (size_t)config->port_count * NEAR_PORT_BYTES) ||
	    source_hold_init(&dp->hold, config->switch_.routing.hold_ps) ||
	    deadline_heap_init(&dp->wakes, dp->marks.flows_max) ||
	    switch_tables_init(&dp->sw, &dp->routes, &dp->translate))
		return -ENOMEM;
	deadline_heap_rows(&dp->wakes, FLOW_REF_ID_BITS);
	for (uint32_t p = 0; p < config->port_count; p++) {
		if (port_init(dp, p, &dp->sw.links[p]))
			return -ENOMEM;
		link_listen(&dp->sw.links[p], &listener);
	}
	return 0;
}

static const struct switch_ops ops = {
	.bytes = sizeof(struct dataplane),
	.init = init,
	.fini = fini,
	.arrive = arrive,
	.transmit = on_transmit,
	.transmit_next_at = transmit_next_at,
	.timer = wake,
	.follow = follow,
	.settle = settle,
	.sample = sample,
	.measured = measured,
	.link_down = link_change_down,
	.link_coming = link_change_coming,
	.link_may_start = link_change_may_start,
	.link_start = on_link_start,
	.link_set = on_link_set,
	.tables = dataplane_show_tables,
	.settings = &dataplane_settings,
};

SWITCH_KIND(flow_channel_ops, ops, .link_settle = on_link_settle, .tables = switch_tables_replace,
	    .table_blocks = switch_tables_blocks, .table_read = switch_tables_read);
