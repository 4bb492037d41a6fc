/*  switchd/flow_channel/dataplane: run(), show() and set() of the switch, its samples, and its
 *  memory for packets (TB-7, TB-13, TB-26). */
#include <errno.h>
#include <stdio.h>

#include "tests/series_ring.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"
#include "tests/unit/switchd/flow_channel/packet_flood.h"

TEST_GROUP(node_ops, .setup = setup, .teardown = teardown, .timeout_s = 60);

/* run() returns the time of the next event, and NEVER if there is none */
TEST(run__next_event)
{
	node_time_t at;

	s.config.measure_to_ps = 0;
	one_switch_open(&s);
	ck_assert_uint_eq(one_switch_run(&s, 1), NODE_TIME_NEVER);
	at = host_send(&s, 0, 1000, 2, 1, 0, 1500);
	ck_assert_uint_eq(one_switch_run(&s, 2000), at + 1504 * BYTE_PS);
	ck_assert_uint_eq(s.stats->now_ps, 0);
	ck_assert_uint_eq(one_switch_run(&s, at + 1504 * BYTE_PS), at + 1504 * BYTE_PS);
	no_packet_expect(2);
	one_switch_run(&s, at + 1504 * BYTE_PS + 1);
	packet_expect(2, 1500);
}

/* the same traffic, run in windows of @window: times and lengths of the packets out of p2, and
 * their number */
static uint32_t run_in_windows(node_time_t window, node_time_t at_ps[40], uint32_t wire_bytes[40])
{
	uint32_t count = 0;

	setup();
	one_switch_open(&s);
	for (uint32_t i = 0; i < 20; i++) {
		host_send(&s, 0, 0, 2, i, 0, 70 + 150 * i);
		host_send(&s, 1, 0, 2, i, 0, 4000 - 150 * i);
	}
	for (node_time_t end = window; end < 5 * NODE_US + window; end += window)
		one_switch_run(&s, end);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got)) {
		at_ps[count] = got.header.at_ps;
		wire_bytes[count++] = got.header.wire_bytes;
	}
	return count;
}

/* TB-7: the length of windows changes nothing */
TEST_RANGE(run__any_window, 0, 3)
{
	static const node_time_t windows[] = { 365000, 77777, 1000 };
	node_time_t at_ps[2][40] = { 0 };
	uint32_t wire_bytes[2][40] = { 0 };
	uint32_t count = run_in_windows(NODE_S, at_ps[0], wire_bytes[0]);

	one_switch_close(&s);
	ck_assert_uint_ge(count, 16);
	ck_assert_uint_eq(run_in_windows(windows[_i], at_ps[1], wire_bytes[1]), count);
	ck_assert_mem_eq(at_ps[0], at_ps[1], sizeof(at_ps[0]));
	ck_assert_mem_eq(wire_bytes[0], wire_bytes[1], sizeof(wire_bytes[0]));
}

/* what is no packet is read as an ACK frame, which no host sends */
TEST_RANGE(arrive__record_of_another_fabric, 0, PORTS)
{
	one_switch_open(&s);
	foreign_record_expect((uint32_t)_i, RECORD_ACKS, DROP_MALFORMED);
	foreign_record_expect((uint32_t)_i, RECORD_FGFC, DROP_MALFORMED);
	foreign_record_expect((uint32_t)_i, RECORD_PAUSE, DROP_MALFORMED);
	all_released_expect();
}

/* TB-13: samples of every port during the measured interval */
TEST(run__samples)
{
	s.config.sample_ps = 100 * NODE_NS;
	s.config.series = true;
	s.config.measure_to_ps = NODE_US;
	one_switch_open(&s);
	port_block(2);
	host_send(&s, 0, 50 * NODE_NS, 2, 1, 0, 1000);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(series_samples(s.stats), 11);
	for (uint32_t i = 0; i < 11 * PORTS; i++) {
		node_time_t at_ps = i / PORTS * 100 * NODE_NS;

		ck_assert_uint_eq(series_sample_at(s.stats, i / PORTS), at_ps);
		ck_assert_uint_eq(series_at(s.stats, at_ps, SERIES_QUEUE_BYTES, i % PORTS, 0),
				  i % PORTS == 2 && i / PORTS > 0 ? 1000 : 0);
	}
	ck_assert_uint_eq(series_at(s.stats, FAR, SERIES_LANE_QUEUE_UNITS, 2, 0),
			  s.dp->ports[2].output[0].queue.units);
	/* 1000 bytes from 50 + 40.16 ns to the last picosecond of the interval */
	ck_assert_uint_eq(stats_of(2)->queue_byte_ns_sum, 1000 * (1000 - 50) - 1004 * BYTE_PS - 1);
}

static int show(const char *table, int port)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int status = flow_channel_ops.show(s.dp, table, port, 0, out);

	fclose(out);
	ck_assert(status == -EINVAL || length > 0);
	free(text);
	return status;
}

TEST(dataplane_show__every_table)
{
	static const char *const tables[] = { "ports", "efct",  "ifct",   "ofct",   "queues",
					      "acks",  "fgfc",  "routes", "limits", "congestion",
					      "paths", "trees", "sources" };

	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 1, 0, 1000);
	switch_send(&s, 2, 0, 4, 5, 0, 1000);
	one_switch_run(&s, NODE_US);
	for (uint32_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (int port = -1; port < (int)PORTS; port++)
			ck_assert_int_eq(show(tables[i], port), 0);
		ck_assert_int_eq(show(tables[i], PORTS), -EINVAL);
		ck_assert_int_eq(show(tables[i], -2), -EINVAL);
	}
	ck_assert_int_eq(show("nothing", -1), -ENOENT);
}

static int set(const char *name, const char *value)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int status = flow_channel_ops.set(s.dp, name, value, out);

	fclose(out);
	ck_assert(status != -ENOENT || length > 0);
	free(text);
	return status;
}

TEST(dataplane_set__values)
{
	static const char *const bad[][2] = {
		{ "match", "128" },      { "match", "-1" },        { "match", "" },
		{ "match", "7x" },       { "acks.t1", "-5" },      { "acks.t2", "x" },
		{ "acks.t3", "1e9" },    { "acks.collect", "0" },  { "acks.collect", "49" },
		{ "output-queue", "0" }, { "output-queue", "65" },
	};

	one_switch_open(&s);
	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(set(bad[i][0], bad[i][1]), -EINVAL);
	ck_assert_int_eq(set("matches", "1"), -ENOENT);
	ck_assert_int_eq(set("output-queue", "16"), 0);
	ck_assert_int_eq(set("match", "0"), 0);
	/* t1 <= t2 <= t3 holds at any time */
	ck_assert_int_eq(set("acks.t1", "100000"), -EINVAL);
	ck_assert_int_eq(set("acks.t3", "300000"), 0);
	ck_assert_int_eq(set("acks.t2", "400000"), -EINVAL);
	ck_assert_int_eq(set("acks.t2", "200000"), 0);
	ck_assert_int_eq(set("acks.t1", "100000"), 0);
	ck_assert_int_eq(set("acks.collect", "48"), 0);
	ck_assert_uint_eq(s.dp->ports[2].fabric.acks.t3_ps, 300 * NODE_NS);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_eq(got.header.at_ps, 1516 * BYTE_PS + 100 * NODE_NS + LEAD);
}

static void refused(const char *name, const char *value, const char *sentence)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_eq(flow_channel_ops.set(s.dp, name, value, out), -EINVAL);
	fclose(out);
	ck_assert_str_eq(text, sentence);
	free(text);
}

TEST(dataplane_set__says_what_is_wrong)
{
	one_switch_open(&s);
	refused("acks.t1", "100000", "the ACK timers must not fall: expected t1 <= t2 <= t3\n");
	refused("acks.t2", "100000", "the ACK timers must not fall: expected t1 <= t2 <= t3\n");
	refused("output-queue", "65", "output-queue: this switch has memory for 64 units\n");
}

/* an ACK that waits is due earlier if its time becomes shorter */
TEST(dataplane_set__acks_that_wait)
{
	one_switch_open(&s);
	ck_assert_int_eq(set("acks.t3", "300000"), 0);
	ck_assert_int_eq(set("acks.t2", "200000"), 0);
	ck_assert_int_eq(set("acks.t1", "100000"), 0);
	ck_assert_int_eq(set("acks.collect", "48"), 0);
	switch_send(&s, 2, 0, 0, 5, 0, 1500);
	one_switch_run(&s, 1516 * BYTE_PS + 10 * NODE_NS);
	ck_assert_int_eq(set("acks.t1", "20000"), 0);
	one_switch_run(&s, FAR);
	ack_expect(2, 5, ACK_DELTA, 6);
	ck_assert_uint_eq(got.header.at_ps, 1516 * BYTE_PS + 20 * NODE_NS + LEAD);
}

/* ---- memory ---- */

/* TB-26: floods of every length fill the buffer of an input, not the pool. The pool has one and a
 * half times the input buffers and the output queues, the greatest frame for each queue, and the
 * reserve of copies. */
TEST(pool_init__floods)
{
	struct flood *flood = zeroed(sizeof(*flood));
	size_t queue_bytes = s.config.switch_.output_queue_units_max * UNIT_BYTES,
	       input_bytes = FLOOD_UNITS * UNIT_BYTES;
	size_t own_bytes = (input_bytes + queue_bytes) * 3 / 2 + FLOOD_GREATEST_BYTES, most_bytes,
	       copies_bytes;

	flood_configure();
	for (uint32_t p = 0; p < PORTS; p++) {
		s.ports[p].buffer_units = FLOOD_UNITS;
		s.ports[p].stop_units = FLOOD_UNITS * 3 / 4;
	}
	one_switch_open(&s);
	*flood = (struct flood){ .pool = &s.dp->sw.pool, .has_buffer = flood_input_has_buffer };
	copies_bytes = s.dp->sw.flood_packets_max * FLOOD_GREATEST_BYTES;
	ck_assert_uint_le(flood_pool_bytes(flood), PORTS * (own_bytes + queue_bytes * 3 / 2) +
							   FLOOD_GREATEST_BYTES + copies_bytes);
	ck_assert_uint_ge(flood_pool_bytes(flood), PORTS * own_bytes + copies_bytes);
	most_bytes = flood_all(flood, (uint32_t)(own_bytes / PACKET_CELL_BYTES));
	ck_assert_uint_gt(most_bytes, input_bytes * 14 / 10);
	free(flood);
}

/* the cells of a switch of the real clock; @vacant: its port 3 has no link */
static uint64_t cells_of(uint32_t units, bool vacant)
{
	uint64_t cells;

	setup_real();
	for (uint32_t p = 0; p < PORTS; p++) {
		s.ports[p].buffer_units = units;
		s.ports[p].stop_units = units * 3 / 4;
	}
	if (vacant)
		s.ports[3] =
			(struct port_config){ .vacant = true, .channels = 16, .mtu_bytes = MTU };
	one_switch_open(&s);
	cells = s.dp->sw.pool.cell_count;
	s.ports[3] = s.ports[2];
	if (vacant)
		one_switch_plug(&s, 3); /* for teardown() */
	return cells;
}

/* a vacant port has cells for a link like the largest that is there, but not for a tiny one */
TEST(pool_init__vacant_port)
{
	uint64_t cells = cells_of(1024, false);

	one_switch_close(&s);
	ck_assert_uint_eq(cells_of(1024, true), cells);
	one_switch_close(&s);
	cells = cells_of(64, false);
	one_switch_close(&s);
	ck_assert_uint_gt(cells_of(64, true), cells);
}

/* the reserve for copies of floods grows with the fabric, above a least one */
TEST(pool_init__reserve_of_copies)
{
	static const uint32_t nodes[] = { 8, 64, 65, 1000 }, packets[] = { 256, 256, 260, 4000 };
	uint32_t cells = 0;

	for (uint32_t i = 0; i < 4; i++) {
		setup();
		s.config.node_count = nodes[i];
		one_switch_open(&s);
		ck_assert_uint_eq(s.dp->sw.flood_packets_max, packets[i]);
		if (i > 1)
			ck_assert_uint_gt(s.dp->sw.pool.cell_count, cells);
		cells = s.dp->sw.pool.cell_count;
		if (i < 3)
			one_switch_close(&s);
	}
}
