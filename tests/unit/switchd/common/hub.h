/*  hub - the smallest kind of switch, for the test of the shell: it forwards a frame to the port
 *  that its first byte names.
 *
 *  Every call of its operations is recorded in `calls`, so a test can state the calls and their
 *  order. */
#ifndef HEDDLE_TESTS_UNIT_SWITCHD_COMMON_HUB_H
#define HEDDLE_TESTS_UNIT_SWITCHD_COMMON_HUB_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "nodes/link/link_send.h"
#include "switchd/common/switch_run.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

#define FLOOD 0x80u   /* to all ports of the tree */
#define NOWHERE 0xffu /* dropped */
#define CELLS 64u

struct hub_class {
	uint64_t level_bytes, level_per_bps;
};

enum hub_colour { RED, GREEN, BLUE };

struct hub_settings {
	uint32_t count;
	uint64_t bytes;
	node_time_t short_ps, long_ps;
	bool flag;
	enum hub_colour colour;
	struct hub_class classes[NODE_CLASSES_MAX];
};

struct hub {
	struct switch_shell sw;
	uint64_t up;
	struct packet_queue queues[PORTS];
	struct hub_settings settings;
};

static char calls[4096];
static bool init_fails, may_start;
static uint32_t changes;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
	size_t length = strlen(calls);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(calls + length, sizeof(calls) - length, format, arguments);
	va_end(arguments);
}

static void hub_push(void *dataplane, uint32_t out, struct packet *packet, node_time_t now)
{
	struct hub *hub = dataplane;

	(void)now;
	switch_enter(&hub->sw, packet);
	packet_queue_push(&hub->queues[out], packet);
	switch_touch(&hub->sw, out);
}

static bool hub_arrive(void *dataplane, uint32_t port, const struct record *header,
		       const uint8_t *bytes, node_time_t now)
{
	struct hub *hub = dataplane;
	enum drop_reason why;
	struct packet *packet;

	note("arrive%u ", port);
	if (!bytes)
		return false;
	packet = packet_copy_in(&hub->sw.pool, &hub->sw.links[port], MTU, header, bytes, 0, &why);
	ck_assert_ptr_nonnull(packet);
	packet->in_port = (uint8_t)port;
	if (packet->bytes[0] < PORTS) {
		hub_push(hub, packet->bytes[0], packet, now);
		return false;
	}
	if (packet->bytes[0] == FLOOD)
		switch_flood(&hub->sw, packet, hub_push, now);
	else
		switch_drop(&hub->sw, DROP_NO_ROUTE, port, packet->frame_bytes, now);
	packet_free(&hub->sw.pool, packet);
	return true;
}

static void hub_transmit(void *dataplane, uint32_t port, node_time_t now)
{
	struct hub *hub = dataplane;
	struct packet *packet = packet_queue_pop(&hub->queues[port]);

	note("transmit%u ", port);
	packet_copy_out(packet,
			link_send_packet(&hub->sw.links[port], now,
					 packet->frame_bytes + FRAME_FCS_BYTES,
					 packet->captured_bytes, packet->frame_bytes, 0, 0));
	switch_leave(&hub->sw, packet);
}

static node_time_t hub_next_at(void *dataplane, uint32_t port, node_time_t now)
{
	const struct hub *hub = dataplane;

	note("next%u ", port);
	return hub->queues[port].head ? node_time_max(now, hub->sw.links[port].tx.busy_until_ps)
				      : NODE_TIME_NEVER;
}

static node_time_t hub_port_timer(void *dataplane, uint32_t port, node_time_t now)
{
	(void)dataplane;
	note("port_timer%u ", port);
	return port == 1 && now < NODE_US ? NODE_US : NODE_TIME_NEVER;
}

static void hub_timer(void *dataplane, node_time_t now)
{
	(void)now;
	note("timer ");
	switch_timer_set(dataplane, NODE_TIME_NEVER);
}

static void hub_follow(void *dataplane, node_time_t now)
{
	(void)dataplane;
	(void)now;
	note("follow ");
}

static void hub_settle(void *dataplane, node_time_t now)
{
	(void)dataplane;
	(void)now;
	note("settle ");
}

static void hub_sample(void *dataplane, struct series *series, uint32_t port, node_time_t now)
{
	(void)dataplane;
	(void)now;
	note("sample%u ", port);
	series_port(series, SERIES_QUEUE_BYTES, port, 100 + port);
}

static void hub_measured(void *dataplane, uint32_t port, node_time_t now)
{
	note("measured%u ", port);
	switch_pause_settle(dataplane, port, now);
}

static void hub_link_down(void *dataplane, uint32_t port, node_time_t now)
{
	struct hub *hub = dataplane;

	note("down%u ", port);
	ck_assert(!(hub->up >> port & 1));
	while (hub->queues[port].head) {
		struct packet *packet = packet_queue_pop(&hub->queues[port]);

		switch_drop(&hub->sw, DROP_LINK_DOWN, packet->in_port, packet->frame_bytes, now);
		switch_leave(&hub->sw, packet);
	}
}

static bool hub_link_may_start(void *dataplane, uint32_t port)
{
	note("may_start%u ", port);
	ck_assert(((struct hub *)dataplane)->sw.links[port].held);
	return may_start;
}

static bool hub_link_coming(void *dataplane, uint32_t port)
{
	(void)dataplane;
	note("coming%u ", port);
	return may_start;
}

static void hub_link_start(void *dataplane, uint32_t port, node_time_t now)
{
	(void)now;
	note("start%u ", port);
	ck_assert(!(((struct hub *)dataplane)->up >> port & 1));
}

static void hub_link_set(void *dataplane, uint32_t port)
{
	(void)dataplane;
	note("set%u ", port);
}

static int hub_init(void *dataplane)
{
	struct hub *hub = dataplane;

	hub->sw.ports_up = &hub->up;
	hub->up = (1u << PORTS) - 1;
	hub->sw.flood_packets_max = 2;
	return init_fails ? -ENOMEM : packet_pool_init(&hub->sw.pool, CELLS, PACKET_FIRST_BYTES);
}

static void hub_fini(void *dataplane)
{
	(void)dataplane;
	note("fini ");
}

static void rows_print(const void *dataplane, uint32_t port, FILE *out)
{
	(void)dataplane;
	fprintf(out, "p%u\n", port);
}

static void head_print(const void *dataplane, int port, FILE *out)
{
	fprintf(out, "port %d at %" PRIu64 "\n", port,
		((const struct switch_shell *)dataplane)->shown_ps);
}

static const struct switch_table hub_tables[] = {
	{ "all", "header\n", .rows = rows_print, .vacant_ports = true },
	{ "used", "header\n", .rows = rows_print, .head = head_print },
	{ "states", .head = head_print },
	{ "settings", .head = switch_show_settings },
	{ .name = NULL },
};

static int hub_check(const void *dataplane, const void *changed, struct why *why)
{
	(void)dataplane;
	if (((const struct hub_settings *)changed)->bytes != 13)
		return 0;
	return why_say(why, -EINVAL, "not 13");
}

static void hub_changed(void *dataplane, node_time_t now)
{
	(void)dataplane;
	(void)now;
	changes++;
}

static int hub_own_set(void *dataplane, const char *name, const char *value, struct why *why)
{
	(void)dataplane;
	note("own %s=%s ", name, value);
	why_say(why, 0, "own reason");
	return strcmp(value, "good") ? -EINVAL : 0;
}

static const char *const colours[] = { "red", "green", "blue" };

#define HUB_ROW(...) PARAMETER_ROW(struct hub_settings, __VA_ARGS__, "", .live = true)

static const struct parameter hub_class_rows[] = {
	PARAMETER_ROW(struct hub_class, uint64_t, level_bytes, SIZE, "level", 0, 1000, 0, "",
		      .live = true, .clears = offsetof(struct hub_class, level_per_bps)),
};
static const struct parameter_table hub_class_table =
	PARAMETER_TABLE_OF(struct hub_class, hub_class_rows);

static const struct parameter hub_rows[] = {
	HUB_ROW(uint32_t, count, COUNT, "count", 2, 9, 2),
	HUB_ROW(uint64_t, bytes, SIZE, "bytes", 0, 1ull << 40, 0),
	HUB_ROW(node_time_t, short_ps, TIME, "short.time", 0, 100 * NODE_NS, 0),
	PARAMETER_ROW(struct hub_settings, node_time_t, long_ps, TIME, "long-time", 0, 100, 0, ""),
	HUB_ROW(bool, flag, FLAG, "flag", 0, 1, 0),
	PARAMETER_ROW(struct hub_settings, enum hub_colour, colour, WORD, "colour", RED, BLUE, RED,
		      "", .live = true, .words = colours),
	PARAMETER_ARRAY_ROW(struct hub_settings, classes, NODE_CLASSES_MAX, &hub_class_table),
};
static const struct parameter_table hub_table = PARAMETER_TABLE_OF(struct hub_settings, hub_rows);

static const struct switch_settings hub_settings = { .table = &hub_table,
						     .offset = offsetof(struct hub, settings),
						     .check = hub_check,
						     .changed = hub_changed,
						     .own_name = "own",
						     .own_set = hub_own_set };

static const struct switch_ops hub_switch_ops = {
	.bytes = sizeof(struct hub),
	.init = hub_init,
	.fini = hub_fini,
	.arrive = hub_arrive,
	.transmit = hub_transmit,
	.transmit_next_at = hub_next_at,
	.port_timer = hub_port_timer,
	.timer = hub_timer,
	.follow = hub_follow,
	.settle = hub_settle,
	.sample = hub_sample,
	.measured = hub_measured,
	.link_down = hub_link_down,
	.link_coming = hub_link_coming,
	.link_may_start = hub_link_may_start,
	.link_start = hub_link_start,
	.link_set = hub_link_set,
	.flood_tree = true,
	.tables = hub_tables,
	.settings = &hub_settings,
};

SWITCH_KIND(hub_ops, hub_switch_ops, .table_blocks = NULL);

#endif
