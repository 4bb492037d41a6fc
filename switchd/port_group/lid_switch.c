#include "switchd/port_group/lid_switch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/word_frame.h"
#include "switchd/common/switch_run.h"
#include "switchd/port_group/lid_forward.h"
#include "switchd/port_group/lid_queue.h"
#include "switchd/port_group/lid_set.h"
#include "switchd/port_group/lid_show.h"
#include "switchd/port_group/lid_tables.h"
#include "switchd/port_group/lid_transmit.h"

#define FLOOD_PACKETS_PER_PORT 64u /* copies inside, at most */
#define VACANT_UNITS 4096u         /* input buffer of a lane of a link to come, at least */

static void note_input(const struct lid_port *in)
{
	uint32_t units = link_held_units(in->link);

	if (units > in->stats->input_units_max)
		in->stats->input_units_max = units;
}

static bool arrive(void *dataplane, uint32_t port, const struct record *header,
		   const uint8_t *bytes, node_time_t now)
{
	struct lid_switch *lid = dataplane;
	const struct lid_port *in = &lid->ports[port];

	if (bytes && header->kind == RECORD_PACKET)
		lid_arrival(lid, port, header, bytes, now);
	else if (bytes)
		/* a frame of another kind of fabric */
		trace_drop(lid->sw.stats, DROP_BAD_RECORD, port, 0, NULL, now);
	note_input(in);
	return link_words_due(in->link) || in->link->guarded;
}

static void sample(void *dataplane, struct series *series, uint32_t p, node_time_t now)
{
	const struct lid_switch *lid = dataplane;
	const struct lid_port *port = &lid->ports[p];

	for (uint32_t l = 0; l < lid->lane_count; l++) {
		series_lane(series, SERIES_LANE_CREDIT_UNITS, p, l, link_credit(port->link, l));
		series_lane(series, SERIES_LANE_QUEUE_UNITS, p, l, port->lanes[l].units);
		series_lane(series, SERIES_LANE_INPUT_UNITS, p, l, port->link->rx.held_units[l]);
	}
	series_port(series, SERIES_INPUT_UNITS, p, link_held_units(port->link));
	series_port(series, SERIES_QUEUE_BYTES, p, port->gauge.bytes);
	series_port(series, SERIES_MARKS, p, port->stats->fecn_marked);
	series_port(series, SERIES_PAUSED_PS, p, switch_paused_ps(&lid->sw, p, now));
}

static void measured(void *dataplane, uint32_t p, node_time_t now)
{
	struct lid_switch *lid = dataplane;
	struct lid_port *port = &lid->ports[p];

	queue_gauge_settle(&port->gauge, port->stats, now);
	switch_pause_settle(&lid->sw, p, now);
}

/* ---- links that change ---- */

/* a lane that lacked credit has more */
static void on_credit(void *owner, struct link *link, uint32_t lane, bool stopped, node_time_t now)
{
	(void)lane;
	(void)stopped;
	(void)now;
	switch_touch(&((struct lid_switch *)owner)->sw, link->port);
}

/* @p is what config->ports[@p] says */
static void port_configure(struct lid_switch *lid, uint32_t p)
{
	const struct port_config *config = &lid->sw.config->ports[p];
	struct link_listener listener = { .owner = lid, .on_stop = on_credit };
	struct lid_port *port = &lid->ports[p];

	port->kind = config->kind;
	port->mtu_bytes = config->mtu_bytes;
	word_frame_envelope_write(lid->sw.config->index, p, config->peer_index, config->peer_port,
				  port->envelope);
	class_scheduler_init_node(&port->classes, lid->sw.config, config->rate_bps);
	port->fecn = (struct fecn_mark){ 0 };
	for (uint32_t l = 0; l < lid->lane_count; l++) {
		port->lanes[l].turns.quantum_bytes = NODE_MTU_MAX; /* of packets from any link */
		port->lanes[l].waited = false;
		port->lanes[l].units_seen = 0;
		port->lanes[l].log = (struct congestion_log){ 0 };
	}
	link_listen(port->link, &listener);
}

/* What waits for the link takes another path, if there is one. What came in over it is forwarded;
 * what is on it is lost. */
static void on_link_down(void *dataplane, uint32_t p, node_time_t now)
{
	struct lid_switch *lid = dataplane;
	struct lid_port *port = &lid->ports[p];

	while (port->backlog) {
		uint32_t lane = (uint32_t)__builtin_ctz(port->backlog);

		input_turns_first(&port->lanes[lane].turns);
		lid_forward_again(lid, lid_queue_take(lid, p, lane, now), now);
	}
}

/* units of the packets inside that came from port @p, by the lane on which they came */
static void units_from(const struct lid_switch *lid, uint32_t p, uint32_t *units)
{
	memset(units, 0, NODE_LANES_MAX * sizeof(*units));
	for (uint32_t out = 0; lid->ports[p].packets_from && out < lid->sw.port_count; out++)
		for (uint32_t lanes = lid->ports[out].backlog; lanes; lanes &= lanes - 1) {
			const struct input_turns *turns =
				&lid->ports[out].lanes[__builtin_ctz(lanes)].turns;

			for (const struct packet *at = turns->inputs[p].queue.head; at;
			     at = at->next)
				units[at->lane] += at->copy ? 0 : at->units;
		}
}

/* Has lane @l of @link free buffer for @units of the former link, beside what the peer may send
 * already? */
static bool has_space(const struct link *link, uint32_t l, uint32_t units)
{
	return l < link->lane_count &&
	       (!link->rx.buffer_units ||
		link->credit.lanes[l].told_units + units <= link->rx.buffer_units);
}

/* The buffer of the new link begins with the packets of the former link that are still inside.
 * Credit is granted for the rest (PG-9), so the port is in use at once: tables that use it follow
 * soon, and packets that they send here have no other path.
 * Return: do they fit? The new link may have a smaller buffer, fewer lanes, or a peer to which
 * credit for the whole buffer has been granted. */
static bool on_link_coming(void *dataplane, uint32_t p)
{
	struct lid_switch *lid = dataplane;
	struct link *link = lid->ports[p].link;
	uint32_t units[NODE_LANES_MAX];

	units_from(lid, p, units);
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		if (units[l] && !has_space(link, l, units[l]))
			return false;
	for (uint32_t l = 0; link->rx.buffer_units && l < link->lane_count; l++)
		link->rx.held_units[l] += units[l];
	return true;
}

/* a link whose buffer could not hold the packets of the former one starts when these have left */
static bool link_may_start(void *dataplane, uint32_t port)
{
	return !((const struct lid_switch *)dataplane)->ports[port].packets_from;
}

static void on_link_start(void *dataplane, uint32_t port, node_time_t now)
{
	struct lid_switch *lid = dataplane;

	(void)now;
	port_configure(lid, port);
	lid->sw.tables_changed = true;
}

static void on_link_set(void *dataplane, uint32_t port)
{
	struct lid_switch *lid = dataplane;

	class_scheduler_init_node(&lid->ports[port].classes, lid->sw.config,
				  lid->sw.config->ports[port].rate_bps);
}

/* ---- set-up ---- */

static void port_init(struct lid_switch *lid, uint32_t p, struct link *link)
{
	const struct node_config *config = lid->sw.config;
	struct lid_port *port = &lid->ports[p];

	port->link = link;
	port->stats = stats_port(lid->sw.stats, p);
	port->gauge = queue_gauge_of(config);
	for (uint32_t l = 0; l < lid->lane_count; l++)
		port->lanes[l].turns.inputs =
			lid->turns + ((size_t)p * lid->lane_count + l) * lid->sw.port_count;
	port_configure(lid, p);
	if (!config->ports[p].vacant)
		lid->ports_up |= 1ull << p;
}

/* The input buffers; one frame that has just arrived; the reserve of copies, each as long as the
 * longest frame. */
static int pool_init(struct lid_switch *lid)
{
	const struct node_config *config = lid->sw.config;
	uint32_t captured_max = packet_captured_max(config);
	uint64_t cells;

	lid->sw.flood_packets_max = FLOOD_PACKETS_PER_PORT * lid->sw.port_count;
	cells = (1ull + lid->sw.flood_packets_max) * packet_cells(captured_max);
	for (uint32_t p = 0; p < config->port_count; p++) {
		uint32_t units = config->ports[p].buffer_units;

		if (config->ports[p].vacant && units < VACANT_UNITS)
			units = VACANT_UNITS;
		cells += packet_cells_of_units((uint64_t)units * lid->lane_count, captured_max);
	}
	return packet_pool_init(&lid->sw.pool, cells, captured_max);
}

static void fini(void *dataplane)
{
	struct lid_switch *lid = dataplane;

	port_group_fini(&lid->tables);
	free(lid->turns);
}

static int init(void *dataplane)
{
	struct lid_switch *lid = dataplane;
	const struct node_config *config = lid->sw.config;
	uint32_t ports = lid->sw.port_count;

	lid->sw.ports_up = &lid->ports_up;
	lid->settings = config->port_group;
	lid->levels = node_lanes(config, PORT_FABRIC);
	lid->lane_count = config->class_count * lid->levels;
	random_init(&lid->random, config->switch_.routing.seed, SWITCH_STREAM);
	lid->turns = calloc((size_t)ports * lid->lane_count * ports, sizeof(*lid->turns));
	if (!lid->turns || pool_init(lid) ||
	    port_group_init(&lid->tables, &config->switch_.lids, ports))
		return -ENOMEM;
	for (uint32_t p = 0; p < ports; p++)
		port_init(lid, p, &lid->sw.links[p]);
	lid->sw.stats->tables_taken = config->switch_.lids.lid_count > 0;
	return 0;
}

static const struct switch_ops ops = {
	.bytes = sizeof(struct lid_switch),
	.init = init,
	.fini = fini,
	.arrive = arrive,
	.transmit = lid_transmit,
	.transmit_next_at = lid_transmit_next_at,
	.follow = lid_follow,
	.sample = sample,
	.measured = measured,
	.link_down = on_link_down,
	.link_coming = on_link_coming,
	.link_may_start = link_may_start,
	.link_start = on_link_start,
	.link_set = on_link_set,
	.flood_tree = true,
	.tables = lid_show_tables,
	.settings = &lid_settings,
};

SWITCH_KIND(lid_ops, ops, .tables = lid_tables_set, .table_blocks = lid_table_blocks,
	    .table_read = lid_table_read);
