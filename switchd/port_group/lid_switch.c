#include "switchd/port_group/lid_switch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/word_frame.h"
#include "switchd/port_group/lid_forward.h"
#include "switchd/port_group/lid_queue.h"
#include "switchd/port_group/lid_show.h"
#include "switchd/port_group/lid_tables.h"
#include "switchd/port_group/lid_transmit.h"

#define RANDOM_STREAM NODE_PORTS_MAX /* the links have those below */
#define FLOOD_PACKETS_PER_PORT 64u   /* copies inside, at most */
#define VACANT_UNITS 4096u           /* input buffer of a lane of a link to come, at least */

/* ---- event sources: arrivals, transmissions, timers ---- */

static uint32_t source_transmit(const struct lid_switch *lid, uint32_t port)
{
	return lid->port_count + port;
}

static uint32_t source_sample(const struct lid_switch *lid)
{
	return 2 * lid->port_count;
}

static uint32_t source_measured(const struct lid_switch *lid)
{
	return 2 * lid->port_count + 1;
}

#define TIMERS 2u

void lid_drop(struct lid_switch *lid, enum drop_reason reason, uint32_t port, uint32_t frame_bytes, node_time_t now)
{
	lid->stats->drops[reason]++;
	lid->ports[port].stats->dropped_bytes += frame_bytes;
	trace(lid->stats, now, TRACE_DROP, port, reason, frame_bytes);
}

static uint32_t held_units(const struct lid_switch *lid, const struct link *link)
{
	uint32_t units = 0;

	for (uint32_t l = 0; l < lid->lane_count; l++)
		units += link->held_units[l];
	return units;
}

static void note_input(const struct lid_switch *lid, const struct lid_port *in)
{
	uint32_t units = held_units(lid, in->link);

	if (units > in->stats->input_units_max)
		in->stats->input_units_max = units;
}

static void on_arrival(struct lid_switch *lid, uint32_t port, node_time_t now)
{
	struct link *link = lid->ports[port].link;
	struct record header;
	const uint8_t *bytes = link_receive(link, &header, now);

	if (bytes && header.kind == RECORD_PACKET)
		lid_arrival(lid, port, &header, bytes, now);
	else if (bytes)
		lid->stats->drops[DROP_BAD_RECORD]++; /* frames of other kinds of fabric */
	link_done(link, &header);
	if (link_words_due(link) || link->guarded)
		lid_touch(lid, port);
	note_input(lid, &lid->ports[port]);
	event_tree_set(&lid->events, port, link_next_at(link));
}

/* a sample of every port, as long as the measured interval and the page last */
static void on_sample(struct lid_switch *lid, node_time_t now)
{
	struct stats_page *stats = lid->stats;
	node_time_t next = now + lid->config->sample_ps;

	for (uint32_t p = 0; p < lid->port_count && stats->sample_count < stats->samples_max; p++)
		*stats_sample(stats, stats->sample_count++) =
			(struct sample_stats){ .at_ps = now,
					       .port = p,
					       .input_units = held_units(lid, lid->ports[p].link),
					       .queue_bytes = lid->ports[p].gauge.bytes,
					       .tx_bytes = lid->ports[p].stats->tx_bytes };
	if (next > lid->config->measure_to_ps || stats->sample_count >= stats->samples_max)
		next = NODE_TIME_NEVER;
	event_tree_set(&lid->events, source_sample(lid), next);
}

/* the measured interval is over: queues and pauses that last must be counted in it too */
static void on_measured(struct lid_switch *lid, node_time_t now)
{
	for (uint32_t p = 0; p < lid->port_count; p++) {
		queue_gauge_settle(&lid->ports[p].gauge, lid->ports[p].stats, now);
		lid_transmit_settle(&lid->ports[p], now);
	}
	event_tree_set(&lid->events, source_measured(lid), NODE_TIME_NEVER);
}

static void handle(struct lid_switch *lid, uint32_t source, node_time_t now)
{
	if (source < lid->port_count) {
		on_arrival(lid, source, now);
	} else if (source < source_sample(lid)) {
		lid_transmit(lid, source - lid->port_count, now);
		lid_touch(lid, source - lid->port_count);
	} else if (source == source_sample(lid)) {
		on_sample(lid, now);
	} else {
		on_measured(lid, now);
	}
}

/* A port that is busy and will look again as soon as it is free has nothing to gain from looking earlier. */
static void update_touched(struct lid_switch *lid, node_time_t now)
{
	for (; lid->touched; lid->touched &= lid->touched - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(lid->touched);
		uint32_t source = source_transmit(lid, port);
		node_time_t free_at = lid->ports[port].link->busy_until_ps;

		if (free_at <= now || event_tree_due(&lid->events, source) != free_at)
			event_tree_set(&lid->events, source, lid_transmit_next_at(lid, port, now));
	}
}

static void look_at_arrivals(struct lid_switch *lid)
{
	for (uint64_t ports = lid->ports_up; ports; ports &= ports - 1) {
		uint32_t p = (uint32_t)__builtin_ctzll(ports);

		if (event_tree_due(&lid->events, p) == NODE_TIME_NEVER)
			event_tree_set(&lid->events, p, link_next_at(lid->ports[p].link));
	}
}

/* ports whose ring was full and has room again: they go on when that is seen, which is now */
static void unstarve(struct lid_switch *lid, node_time_t end)
{
	for (uint64_t ports = lid->ports_up; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		if (link_unstarve(lid->ports[port].link))
			lid_touch(lid, port);
	}
	update_touched(lid, end - 1);
}

/* ---- links that change ---- */

/* there is credit again for a lane that had too little */
static void on_credit(void *owner, struct link *link, uint32_t lane, bool stopped, node_time_t now)
{
	(void)lane;
	(void)stopped;
	(void)now;
	lid_touch(owner, link->port);
}

/* @p is what config->ports[@p] says */
static void port_configure(struct lid_switch *lid, uint32_t p)
{
	const struct port_config *config = &lid->config->ports[p];
	struct link_listener listener = { .owner = lid, .on_stop = on_credit };
	struct lid_port *port = &lid->ports[p];

	port->kind = config->kind;
	port->mtu_bytes = config->mtu_bytes;
	word_frame_envelope_write(lid->config->index, p, config->peer_index, config->peer_port, port->envelope);
	class_scheduler_init_node(&port->classes, lid->config, config->rate_bps);
	port->fecn = (struct fecn_mark){ 0 };
	for (uint32_t l = 0; l < lid->lane_count; l++) {
		port->lanes[l].turns.quantum_bytes = NODE_MTU_MAX; /* of packets from any link */
		port->lanes[l].starved = false;
		port->lanes[l].units_seen = 0;
		port->lanes[l].log = (struct congestion_log){ 0 };
	}
	link_listen(port->link, &listener);
}

/* What waits for the link takes another way, if there is one. What came in over it goes on; what is on it is lost. */
static void on_link_down(void *dataplane, uint32_t p, node_time_t now)
{
	struct lid_switch *lid = dataplane;
	struct lid_port *port = &lid->ports[p];

	lid->ports_up &= ~(1ull << p);
	lid->ports_coming &= ~(1ull << p);
	link_down(port->link, now);
	lid_transmit_settle(port, now);
	port->paused_since_ps = NODE_TIME_NEVER;
	port->stats->paused_since_ps = 0;
	while (port->backlog) {
		uint32_t lane = (uint32_t)__builtin_ctz(port->backlog);

		input_turns_first(&port->lanes[lane].turns);
		lid_forward_again(lid, lid_queue_take(lid, p, lane, now), now);
	}
	event_tree_set(&lid->events, p, NODE_TIME_NEVER);
	lid_touch(lid, p);
	update_touched(lid, now);
}

/* the units of packets inside that came in at port @p, by the lane on which they came */
static void units_from(const struct lid_switch *lid, uint32_t p, uint32_t *units)
{
	memset(units, 0, NODE_LANES_MAX * sizeof(*units));
	for (uint32_t out = 0; lid->ports[p].packets_from && out < lid->port_count; out++)
		for (uint32_t lanes = lid->ports[out].backlog; lanes; lanes &= lanes - 1) {
			const struct input_turns *turns = &lid->ports[out].lanes[__builtin_ctz(lanes)].turns;

			for (const struct packet *at = turns->inputs[p].queue.head; at; at = at->next)
				units[at->lane] += at->copy ? 0 : at->units;
		}
}

/* Has lane @l of @link free buffer for @units of the former link,
 * beside what the peer may send already? */
static bool has_room(const struct link *link, uint32_t l, uint32_t units)
{
	return l < link->lane_count &&
	       (!link->buffer_units || link->credit.lanes[l].told_units + units <= link->buffer_units);
}

/* The buffer of the new link starts with the packets of the former one that are still inside. Credit
 * is granted for the rest (PG-9), so the port is in use at once: tables that lead over it follow soon,
 * and packets that they send here have no other path.
 * Return: do they fit? The new link may have a smaller buffer, fewer lanes, or a peer that was told of
 * the whole buffer beforehand. */
static bool take_over(struct lid_switch *lid, uint32_t p)
{
	struct link *link = lid->ports[p].link;
	uint32_t units[NODE_LANES_MAX];

	units_from(lid, p, units);
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		if (units[l] && !has_room(link, l, units[l]))
			return false;
	for (uint32_t l = 0; link->buffer_units && l < link->lane_count; l++)
		link->held_units[l] += units[l];
	return true;
}

static void link_start(struct lid_switch *lid, uint32_t p)
{
	lid->ports[p].link->held = false;
	port_configure(lid, p);
	lid->ports_coming &= ~(1ull << p);
	lid->ports_up |= 1ull << p;
	event_tree_set(&lid->events, p, link_next_at(lid->ports[p].link));
	lid_touch(lid, p);
	lid->tables_changed = true;
}

/* Links whose buffers could not take over the packets of the former ones start when these are gone. */
static void links_start(struct lid_switch *lid)
{
	for (uint64_t coming = lid->ports_coming; coming; coming &= coming - 1)
		if (!lid->ports[__builtin_ctzll(coming)].packets_from)
			link_start(lid, (uint32_t)__builtin_ctzll(coming));
}

static void on_link_up(void *dataplane, uint32_t port, node_time_t now)
{
	struct lid_switch *lid = dataplane;

	lid->ports_coming |= 1ull << port;
	lid->ports[port].link->held = true;
	if (take_over(lid, port))
		link_start(lid, port);
	update_touched(lid, now);
}

static void on_link_set(void *dataplane, uint32_t port)
{
	struct lid_switch *lid = dataplane;

	class_scheduler_init_node(&lid->ports[port].classes, lid->config, lid->config->ports[port].rate_bps);
	lid_touch(lid, port);
}

static node_time_t run(void *dataplane, node_time_t end)
{
	struct lid_switch *lid = dataplane;
	node_time_t now;

	if (lid->config->clock == CLOCK_REAL && end)
		unstarve(lid, end);
	look_at_arrivals(lid);
	while ((now = event_tree_next_at(&lid->events)) < end) {
		lid->stats->now_ps = now;
		lid->stats->events++;
		if (lid->tables_changed)
			lid_follow(lid, now);
		handle(lid, event_tree_first(&lid->events), now);
		if (lid->ports_coming)
			links_start(lid);
		update_touched(lid, now);
	}
	return now;
}

/* ---- set-up ---- */

static void port_init(struct lid_switch *lid, uint32_t p, struct link *link)
{
	const struct node_config *config = lid->config;
	struct lid_port *port = &lid->ports[p];

	port->link = link;
	port->stats = stats_port(lid->stats, p);
	port->paused_since_ps = NODE_TIME_NEVER;
	port->gauge = (struct queue_gauge){ .from_ps = config->measure_from_ps, .to_ps = config->measure_to_ps };
	for (uint32_t l = 0; l < lid->lane_count; l++)
		port->lanes[l].turns.inputs = lid->turns + ((size_t)p * lid->lane_count + l) * lid->port_count;
	port_configure(lid, p);
	if (!config->ports[p].vacant)
		lid->ports_up |= 1ull << p;
}

/* The input buffers; one frame that has just arrived; the reserve of copies, each as long as the
 * longest frame. */
static int pool_init(struct lid_switch *lid)
{
	const struct node_config *config = lid->config;
	uint32_t captured_max = packet_captured_max(config);
	uint64_t cells;

	lid->flood_packets_max = FLOOD_PACKETS_PER_PORT * lid->port_count;
	cells = (1ull + lid->flood_packets_max) * packet_cells(captured_max);
	for (uint32_t p = 0; p < config->port_count; p++) {
		uint32_t units = config->ports[p].buffer_units;

		if (config->ports[p].vacant && units < VACANT_UNITS)
			units = VACANT_UNITS;
		cells += packet_cells_of_units((uint64_t)units * lid->lane_count, captured_max);
	}
	return packet_pool_init(&lid->pool, cells, captured_max);
}

static void destroy(void *dataplane)
{
	struct lid_switch *lid = dataplane;

	packet_pool_fini(&lid->pool);
	port_group_fini(&lid->tables);
	event_tree_fini(&lid->events);
	free(lid->turns);
	free(lid);
}

static int memory_init(struct lid_switch *lid)
{
	const struct node_config *config = lid->config;

	lid->turns = calloc((size_t)lid->port_count * lid->lane_count * lid->port_count, sizeof(*lid->turns));
	if (!lid->turns || event_tree_init(&lid->events, 2 * lid->port_count + TIMERS) || pool_init(lid) ||
	    port_group_init(&lid->tables, &config->switch_.lids, lid->port_count))
		return -ENOMEM;
	return 0;
}

static void *create(const struct node_config *config, struct link *links, struct stats_page *stats)
{
	struct lid_switch *lid = calloc(1, sizeof(*lid));

	if (!lid)
		return NULL;
	lid->config = config;
	lid->settings = config->port_group;
	lid->stats = stats;
	lid->port_count = config->port_count;
	lid->class_count = config->class_count;
	lid->levels = node_lanes(config, PORT_FABRIC);
	lid->lane_count = lid->class_count * lid->levels;
	lid->cut_through = config->switch_.cut_through;
	lid->flood_ports = config->switch_.flood_ports;
	random_init(&lid->random, config->switch_.routing.seed, RANDOM_STREAM);
	if (memory_init(lid)) {
		destroy(lid);
		return NULL;
	}
	for (uint32_t p = 0; p < config->port_count; p++)
		port_init(lid, p, &links[p]);
	if (config->sample_ps)
		event_tree_set(&lid->events, source_sample(lid), 0);
	event_tree_set(&lid->events, source_measured(lid), config->measure_to_ps);
	stats->tables_taken = config->switch_.lids.lid_count > 0;
	return lid;
}

const struct node_ops lid_ops = {
	.create = create,
	.run = run,
	.show = lid_show,
	.set = lid_set,
	.destroy = destroy,
	.link_down = on_link_down,
	.link_up = on_link_up,
	.link_set = on_link_set,
	.tables = lid_tables_set,
	.table_blocks = lid_table_blocks,
	.table_read = lid_table_read,
};
