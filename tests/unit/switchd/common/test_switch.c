/*  switchd/common/switch, switch_run, switch_links, switch_show and switch_set: the shell of every
 *  kind of switch, tested with a fourth kind (hub.h) (TB-9, TB-13). */
#include "nodes/stats/trace.h"
#include "tests/series_ring.h"
#include "tests/testing.h"
#include "tests/unit/switchd/common/hub.h"

/* ---- a hub with four hosts ---- */

#define FRAME_BYTES 96u
#define AT_PS (500 * NODE_NS)
#define BODY_PS ((FRAME_BYTES + FRAME_FCS_BYTES) * BYTE_PS)
#define FRAME_PS ((FRAME_BYTES + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS)

static struct hub *hub;

static void hub_setup(void)
{
	setup();
	s.ops = &hub_ops;
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].kind = PORT_EDGE;
	s.config.switch_.route_count = 0;
	s.config.switch_.flood_ports = 1 << 0 | 1 << 1 | 1 << 2;
	may_start = true;
}

static void hub_open(void)
{
	one_switch_open(&s);
	hub = s.dataplane;
}

/* Checks that a frame for @first_byte is handled at @port at @due, at its last bit; a frame time
 * later if another frame is on the link then. */
static void frame_send(uint32_t port, node_time_t due, uint32_t first_byte)
{
	node_time_t at = due > BODY_PS ? due - BODY_PS : 0;
	uint8_t bytes[FRAME_BYTES] = { (uint8_t)first_byte };

	neighbour_send_frame(&s, port, at, RECORD_PACKET, FRAME_BYTES + FRAME_FCS_BYTES, 0, bytes,
			     64);
}

static void calls_expect(const char *expected)
{
	ck_assert_str_eq(calls, expected);
	calls[0] = '\0';
}

TEST_GROUP(hub, .setup = hub_setup, .teardown = teardown);

/* ---- events ---- */

/* At the same time: arrivals, transmissions, port timers, the sample, the end of the measured
 * interval, the timer. Within a group lower ports are first. */
TEST(switch_run__order_of_events_at_one_time)
{
	s.config.sample_ps = AT_PS;
	s.config.series = true;
	s.config.measure_to_ps = AT_PS + 1; /* it is counted in its last picosecond */
	hub_open();
	one_switch_run(&s, 1);
	calls_expect("sample0 sample1 sample2 sample3 settle ");
	frame_send(3, AT_PS - FRAME_PS, 2);
	frame_send(3, AT_PS - FRAME_PS, 2);
	frame_send(1, AT_PS, 3);
	frame_send(0, AT_PS, NOWHERE);
	switch_timer_set(&hub->sw, AT_PS);
	switch_port_timer_set(&hub->sw, 2, AT_PS);
	switch_port_timer_set(&hub->sw, 1, AT_PS);
	one_switch_run(&s, AT_PS);
	calls_expect("arrive3 settle next2 transmit2 settle next2 ");
	one_switch_run(&s, AT_PS + 1);
	calls_expect("arrive0 settle next0 "
		     "arrive1 settle next3 "
		     "arrive3 settle next2 "
		     "transmit2 settle next2 "
		     "transmit3 settle next3 "
		     "port_timer1 settle port_timer2 settle "
		     "sample0 sample1 sample2 sample3 settle "
		     "measured0 measured1 measured2 measured3 settle "
		     "timer settle ");
	ck_assert_uint_eq(one_switch_run(&s, 2 * NODE_US), NODE_TIME_NEVER);
	calls_expect("port_timer1 settle ");
	ck_assert_uint_eq(s.stats->now_ps, NODE_US);
}

/* a port with a busy link that transmits when the link is free is not computed again */
TEST(switch_run__computes_touched_ports_once)
{
	hub_open();
	frame_send(0, 5 * NODE_NS, 2);
	frame_send(1, 6 * NODE_NS, 2);
	frame_send(3, 7 * NODE_NS, 2);
	one_switch_run(&s, 8 * NODE_NS);
	/* at 5 ns the first frame, on a free link; at 6 ns the second: due when the link is free;
	 * the third changes nothing */
	calls_expect("arrive0 settle next2 transmit2 settle next2 "
		     "arrive1 settle next2 arrive3 settle ");
	one_switch_run(&s, NODE_S / 2);
	calls_expect("transmit2 settle next2 transmit2 settle next2 ");
	for (uint32_t i = 0; i < 3; i++)
		packet_expect_at(2, FRAME_BYTES, 5 * NODE_NS + i * FRAME_PS + LEAD);
}

TEST(switch_run__follows_new_tables_first)
{
	hub_open();
	hub->sw.tables_changed = true;
	one_switch_run(&s, NODE_NS);
	calls_expect("");
	frame_send(0, NODE_NS, NOWHERE);
	one_switch_run(&s, NODE_US);
	calls_expect("follow arrive0 settle next0 ");
	ck_assert(!hub->sw.tables_changed);
}

/* one per interval, until the measured interval ends; none without a file for them */
TEST_RANGE(switch_run__samples_until_the_interval_ends, 0, 2)
{
	s.config.sample_ps = 100 * NODE_NS;
	s.config.measure_to_ps = 300 * NODE_NS;
	s.config.series = _i;
	hub_open();
	frame_send(0, 0, 1);
	frame_send(3, 0, NOWHERE);
	one_switch_run(&s, NODE_US);
	if (!_i) {
		ck_assert_ptr_null(strstr(calls, "sample"));
		return;
	}
	ck_assert_uint_eq(series_samples(s.stats), 4);
	for (uint32_t i = 0; i < 4 * PORTS; i++) {
		node_time_t at_ps = i / PORTS * 100 * NODE_NS;
		uint32_t p = i % PORTS;
		bool later = i >= PORTS;

		ck_assert_uint_eq(series_sample_at(s.stats, i / PORTS), at_ps);
		ck_assert_uint_eq(series_at(s.stats, at_ps, SERIES_QUEUE_BYTES, p, 0), 100 + p);
		ck_assert_uint_eq(series_at(s.stats, at_ps, SERIES_TX_BYTES, p, 0),
				  p == 1 && later ? FRAME_BYTES + FRAME_FCS_BYTES : 0);
		ck_assert_uint_eq(series_at(s.stats, at_ps, SERIES_DROPS, p, 0), later && p == 3);
	}
	/* only what has changed is there */
	ck_assert_uint_eq(s.stats->series.count, 4 + PORTS + 1 + 2 + 1);
}

/* ---- packets ---- */

TEST(switch_drop__counts)
{
	hub_open();
	frame_send(1, 0, NOWHERE);
	frame_send(1, 0, NOWHERE);
	frame_send(2, 0, NOWHERE);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 3);
	ck_assert_uint_eq(drops_all(), 3);
	ck_assert_uint_eq(stats_of(1)->dropped_bytes, 2 * FRAME_BYTES);
	ck_assert_uint_eq(stats_of(2)->dropped_bytes, FRAME_BYTES);
	ck_assert_uint_eq(s.stats->trace.count, 3);
	ck_assert_uint_eq(hub->sw.pool.used, 0);
}

TEST(switch_flood__along_the_tree)
{
	hub_open();
	frame_send(0, 0, FLOOD);
	one_switch_run(&s, NODE_US);
	ck_assert(!neighbour_receive(&s, 0, RECORD_PACKET, &got));
	packet_expect(1, FRAME_BYTES);
	packet_expect(2, FRAME_BYTES);
	ck_assert(!neighbour_receive(&s, 3, RECORD_PACKET, &got)); /* not in the tree */
	ck_assert_uint_eq(s.stats->flooded_packets, 2);
	ck_assert_uint_eq(s.stats->flooded_bytes, 2 * FRAME_BYTES);
	ck_assert_uint_eq(s.stats->flood_originals_bytes, FRAME_BYTES);
	ck_assert_uint_eq(drops_all(), 0);
	frame_send(3, NODE_US, FLOOD);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(drops(DROP_NO_DESTINATION), 1);
	ck_assert_uint_eq(s.stats->flooded_packets, 2);
}

/* copies inside the switch are limited; those that were sent do not count */
TEST(switch_copy__copies_inside_are_limited)
{
	hub_open();
	port_block(1);
	frame_send(0, 0, FLOOD);
	one_switch_run(&s, NODE_US);
	frame_send(0, 2 * NODE_US, FLOOD); /* the copy for p2 has left */
	one_switch_run(&s, 3 * NODE_US);
	packet_expect(2, FRAME_BYTES);
	ck_assert(!neighbour_receive(&s, 2, RECORD_PACKET, &got));
	ck_assert_uint_eq(hub->sw.flood_packets, 2);
	ck_assert_uint_eq(s.stats->inside_packets, 2);
	ck_assert_uint_eq(s.stats->inside_bytes, 2 * FRAME_BYTES);
	frame_send(0, 4 * NODE_US, FLOOD);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert_uint_eq(drops(DROP_FLOOD_LIMIT), 3);
	ck_assert_uint_eq(s.stats->flooded_packets, 6);
}

/* a pause begins when the link is free; a pause that lasts is counted up to now */
TEST(switch_pause_note__counts_paused_time)
{
	hub_open();
	s.links[1].tx.busy_until_ps = 100;
	switch_pause_note(&hub->sw, 1, true, 50);
	ck_assert_uint_eq(stats_of(1)->paused_since_ps, 100);
	switch_pause_note(&hub->sw, 1, true, 120); /* it is paused already */
	switch_pause_settle(&hub->sw, 1, 150);
	ck_assert_uint_eq(stats_of(1)->paused_ps, 50);
	ck_assert_uint_eq(stats_of(1)->paused_since_ps, 150);
	switch_pause_note(&hub->sw, 1, false, 170);
	ck_assert_uint_eq(stats_of(1)->paused_ps, 70);
	ck_assert_uint_eq(stats_of(1)->paused_since_ps, 0);
	switch_pause_settle(&hub->sw, 1, 200);
	ck_assert_uint_eq(stats_of(1)->paused_ps, 70);
}

/* ---- links ---- */

TEST(switch_link_down__drops_what_waits)
{
	hub_open();
	port_block(2);
	frame_send(0, 0, 2);
	one_switch_run(&s, NODE_US);
	calls[0] = '\0';
	switch_pause_note(&hub->sw, 2, true, NODE_US);
	hub_ops.link_down(hub, 2, NODE_S + NODE_US);
	calls_expect("down2 settle next2 ");
	ck_assert_uint_eq(drops(DROP_LINK_DOWN), 1);
	ck_assert_uint_eq(stats_of(2)->paused_ps, NODE_US);
	ck_assert_uint_eq(hub->up, 1 << 0 | 1 << 1 | 1 << 3);
	hub_ops.link_down(hub, 2, NODE_S + NODE_US); /* it is down already */
	calls_expect("settle next2 ");
}

/* A new link starts when the kind of switch permits it. Until then its records wait. */
TEST(switch_link_up__waits_for_the_kind)
{
	hub_open();
	may_start = false;
	hub_ops.link_down(hub, 2, 0);
	link_up(&s.links[2], 0);
	s.neighbours[2].sequence = 0;
	calls[0] = '\0';
	hub_ops.link_up(hub, 2, 0);
	calls_expect("coming2 may_start2 settle ");
	ck_assert_uint_eq(hub->sw.ports_coming, 1 << 2);
	frame_send(2, 5 * NODE_NS, NOWHERE);
	frame_send(0, 6 * NODE_NS, NOWHERE);
	one_switch_run(&s, 7 * NODE_NS);
	calls_expect("arrive0 may_start2 settle next0 ");
	may_start = true;
	frame_send(1, 4 * NODE_US, NOWHERE);
	one_switch_run(&s, 5 * NODE_US);
	calls_expect("arrive1 may_start2 start2 settle next1 next2 arrive2 settle next2 ");
	ck_assert_uint_eq(hub->sw.ports_coming, 0);
	ck_assert(hub->up >> 2 & 1);
}

TEST(switch_link_up__at_once)
{
	hub_open();
	hub_ops.link_down(hub, 2, 0);
	link_up(&s.links[2], 0);
	calls[0] = '\0';
	hub_ops.link_up(hub, 2, 0);
	calls_expect("coming2 start2 settle next2 ");
	ck_assert(!s.links[2].held);
	hub_ops.link_set(hub, 2);
	calls_expect("set2 ");
	ck_assert_uint_eq(hub->sw.touched, 1 << 2);
}

/* a link that goes down before it has started does not start */
TEST(switch_link_down__cancels_the_start)
{
	hub_open();
	may_start = false;
	hub_ops.link_down(hub, 2, 0);
	link_up(&s.links[2], 0);
	hub_ops.link_up(hub, 2, 0);
	hub_ops.link_down(hub, 2, 0);
	may_start = true;
	calls[0] = '\0';
	frame_send(0, NODE_NS, NOWHERE);
	one_switch_run(&s, NODE_US);
	calls_expect("arrive0 settle next0 ");
	ck_assert(!(hub->up >> 2 & 1));
}

/* ---- show and set ---- */

/* the output of @ops.show and @ops.set, in `text` */
static char text[4096];

static int show(const char *table, int port, node_time_t now)
{
	FILE *out = fmemopen(text, sizeof(text), "w");
	int error = hub_ops.show(hub, table, port, now, out);

	fclose(out);
	return error;
}

static int set(const char *name, const char *value)
{
	FILE *out = fmemopen(text, sizeof(text), "w");
	int error;

	text[0] = '\0';
	error = hub_ops.set(hub, name, value, out);
	fclose(out);
	return error;
}

TEST(switch_show__prints_tables)
{
	hub_open();
	s.ports[3].vacant = true;
	hub->up &= ~(1ull << 3 | 1ull << 2); /* p3: no link; p2: down */
	ck_assert_int_eq(show("all", -1, 0), 0);
	ck_assert_str_eq(text, "header\np0\np1\np2\np3\n");
	ck_assert_int_eq(show("used", -1, 7), 0);
	ck_assert_str_eq(text, "port -1 at 7\nheader\np0\np1\np2\n");
	ck_assert_int_eq(show("used", 3, 7), 0);
	ck_assert_str_eq(text, "port 3 at 7\nheader\np3\n");
	ck_assert_int_eq(show("states", 2, 9), 0);
	ck_assert_str_eq(text, "port 2 at 9\n");
	ck_assert_str_eq(switch_port_state(&hub->sw, 0), "edge");
	ck_assert_str_eq(switch_port_state(&hub->sw, 2), "down");
	ck_assert_str_eq(switch_port_state(&hub->sw, 3), "vacant");
}

TEST(switch_show__unknown_table_is_an_error)
{
	hub_open();
	ck_assert_int_eq(show("any", -1, 0), -ENOENT);
	ck_assert_str_eq(text, "all used states settings trace\n");
	ck_assert_int_eq(show("all", PORTS, 0), -EINVAL);
	ck_assert_int_eq(show("all", -2, 0), -EINVAL);
}

TEST(switch_set__changes_members)
{
	hub_open();
	ck_assert_int_eq(set("count", "9"), 0);
	ck_assert_int_eq(set("bytes", "1099511627776"), 0);
	ck_assert_int_eq(set("short.time", "7000"), 0);
	ck_assert_int_eq(set("flag", "1"), 0);
	ck_assert_int_eq(set("colour", "2"), 0);
	ck_assert_str_eq(text, "");
	ck_assert_uint_eq(hub->settings.count, 9);
	ck_assert_uint_eq(hub->settings.bytes, 1ull << 40);
	ck_assert_uint_eq(hub->settings.short_ps, 7 * NODE_NS);
	ck_assert(hub->settings.flag);
	ck_assert_int_eq(hub->settings.colour, BLUE);
	ck_assert_uint_eq(changes, 5);
	ck_assert_int_eq(set("flag", "0"), 0);
	ck_assert(!hub->settings.flag);
	ck_assert_uint_eq(s.stats->trace.count, 6);
	ck_assert_uint_eq(stats_trace(s.stats, 1)->value, 1ull << 40);
	ck_assert_uint_eq(stats_trace(s.stats, 2)->value, 7000);
	ck_assert_int_eq(stats_trace(s.stats, 2)->kind, TRACE_PARAMETER_SET);
	ck_assert_int_eq(show("settings", -1, 0), 0);
	ck_assert_str_eq(text, "name:text\tvalue:any\tunit:text\ncount\t9\t\n"
			       "bytes\t1099511627776\tbytes\nshort.time\t0.007000\tus\n"
			       "flag\tno\ncolour\tblue\nc.level\t0\tbytes\n");
}

/* of one class or of all; the scale of the old level is void then */
TEST(switch_set__changes_one_class_or_all)
{
	s.config.class_count = 3;
	snprintf(s.config.classes[1].name, NODE_NAME_MAX, "bulk");
	hub_open();
	for (uint32_t c = 0; c < 4; c++)
		hub->settings.classes[c] = (struct hub_class){ 5, 6 };
	ck_assert_int_eq(set("bulk.level", "70"), 0);
	for (uint32_t c = 0; c < 4; c++) {
		ck_assert_uint_eq(hub->settings.classes[c].level_bytes, c == 1 ? 70 : 5);
		ck_assert_uint_eq(hub->settings.classes[c].level_per_bps, c == 1 ? 0 : 6);
	}
	ck_assert_int_eq(set("level", "80"), 0);
	for (uint32_t c = 0; c < 4; c++)
		ck_assert_uint_eq(hub->settings.classes[c].level_bytes, c < 3 ? 80 : 5);
	ck_assert_int_eq(set("bul.level", "1"), -ENOENT);
	ck_assert_int_eq(set("bulk.count", "3"), -ENOENT);
}

TEST(switch_set__calls_the_kind)
{
	hub_open();
	ck_assert_int_eq(set("own", "good"), 0);
	ck_assert_int_eq(set("own.p1", "bad"), -EINVAL);
	ck_assert_str_eq(text, "own reason\n");
	ck_assert_int_eq(set("owner", "good"), -ENOENT);
	calls_expect("own own=good settle own own.p1=bad ");
	ck_assert_uint_eq(changes, 1);
}

/* a rejected value changes nothing; a wrong name prints those that can be set */
TEST(switch_set__errors_change_nothing)
{
	static const char *const bad[][2] = { { "count", "1" },           { "count", "10" },
					      { "count", "+3" },          { "count", " 3" },
					      { "count", "3x" },          { "count", "" },
					      { "short.time", "100001" }, { "flag", "2" },
					      { "colour", "3" },          { "bytes", "13" } };

	hub_open();
	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(set(bad[i][0], bad[i][1]), -EINVAL);
		ck_assert_str_ne(text, "");
	}
	ck_assert_str_eq(text, "not 13\n");
	ck_assert_int_eq(set("long-time", "1"), -ENOENT); /* not while the switch runs */
	ck_assert_int_eq(set("any", "1"), -ENOENT);
	ck_assert_str_eq(text,
			 "count (2 to 9)\nbytes (0 bytes to 1099511627776 bytes)\n"
			 "short.time (0 ns to 100 ns)\nflag (no or yes)\n"
			 "colour (red, green or blue)\n[CLASS.]level (0 bytes to 1000 bytes)\n"
			 "own\n");
	ck_assert_uint_eq(hub->settings.count + hub->settings.bytes, 0);
	ck_assert_uint_eq(changes, 0);
	set("count", "10");
	ck_assert_str_eq(text, "10 is not a value of count: 2 to 9\n");
}

/* ---- memory ---- */

TEST_GROUP(create, .setup = hub_setup);

TEST(switch_create__failed_init_leaks_nothing)
{
	init_fails = true;
	s.config.ports = s.ports;
	s.stats = zeroed(stats_bytes(&s.config));
	stats_init(s.stats, &s.config);
	ck_assert_ptr_null(hub_ops.create(&s.config, s.links, s.stats));
	calls_expect("fini ");
	free(s.stats);
}
