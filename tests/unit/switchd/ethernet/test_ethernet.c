/*  switchd/ethernet/ethernet: run(), show() and set() of an Ethernet switch, its samples, and its
 *  memory for packets (TB-7, TB-9, TB-10, TB-26). */
#include <inttypes.h>
#include <errno.h>
#include <stdio.h>

#include "tests/series_ring.h"
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"
#include "tests/unit/switchd/flow_channel/packet_flood.h"

TEST_GROUP(node_ops, .setup = ethernet_setup, .teardown = teardown, .timeout_s = 60);

/* the same traffic, run in windows of @window */
static void run_in_windows(node_time_t window)
{
	ethernet_setup();
	s.config.roce.classes[ROCE] = (struct roce_class_config){ .lossless = true,
								  .ecn = true,
								  .kmin_bytes = 1000,
								  .kmax_bytes = 30000,
								  .pmax_ppm = 500000,
								  .xoff_bytes = 8000,
								  .xon_offset_bytes = 2000 };
	one_switch_open(&s);
	burst_send(0, 0, 1, ROCE, 30);
	for (uint32_t i = 0; i < 40; i++)
		roce_send_from(2, 2, 0, 1, i, i % 3, FULL_BYTES);
	pfc_send(1, NODE_US, ROCE, 1000);
	for (node_time_t end = window; end < 40 * NODE_US; end += window)
		one_switch_run(&s, end);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_receive(1), 70);
}

/* TB-7: the length of windows changes no statistic */
TEST_RANGE(run__any_window, 0, 2)
{
	static const node_time_t windows[] = { NODE_US, 365 * NODE_NS };
	struct stats_page *first;

	run_in_windows(FAR);
	ck_assert_uint_gt(class_of(1, ROCE)->marked, 3);
	ck_assert_uint_gt(class_of(0, ROCE)->xoff_first_ps, 0);
	first = zeroed(s.stats->size_bytes);
	memcpy(first, s.stats, s.stats->size_bytes);
	one_switch_close(&s);
	run_in_windows(windows[_i]);
	ck_assert_mem_eq(first, s.stats, s.stats->size_bytes);
	free(first);
}

TEST(run__samples)
{
	s.config.sample_ps = NODE_US;
	s.config.series = true;
	s.config.measure_to_ps = 10 * NODE_US;
	one_switch_open(&s);
	pfc_send(1, 0, ROCE, 1000);
	burst_send(0, 0, 1, ROCE, 3);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(series_samples(s.stats), 11);
	ck_assert_uint_eq(series_sample_at(s.stats, 1), NODE_US);
	ck_assert_uint_eq(series_at(s.stats, NODE_US, SERIES_QUEUE_BYTES, 1, 0), 3000);
	ck_assert_uint_eq(series_at(s.stats, NODE_US, SERIES_PAUSED, 1, 0), 1 << ROCE);
	ck_assert_uint_eq(series_at(s.stats, NODE_US, SERIES_INPUT_UNITS, 0, 0), 3000 / 256);
	ck_assert_uint_eq(series_at(s.stats, NODE_US, SERIES_CLASS_QUEUE_BYTES, 1, ROCE), 3000);
	ck_assert_uint_eq(series_at(s.stats, NODE_US, SERIES_CLASS_INPUT_BYTES, 0, ROCE), 3000);
	ck_assert_uint_eq(series_at(s.stats, NODE_US, SERIES_PAUSES_RECEIVED, 1, 0), 1);
	/* the pause that lasts counts up to each sample */
	ck_assert_uint_eq(series_at(s.stats, 2 * NODE_US, SERIES_PAUSED_PS, 1, 0) -
				  series_at(s.stats, NODE_US, SERIES_PAUSED_PS, 1, 0),
			  NODE_US);
}

TEST_RANGE(arrive__record_of_another_fabric, 0, PORTS)
{
	one_switch_open(&s);
	foreign_record_expect((uint32_t)_i, RECORD_ACKS, DROP_BAD_RECORD);
	foreign_record_expect((uint32_t)_i, RECORD_FGFC, DROP_BAD_RECORD);
}

/* ---- tables and parameters ---- */

static int show(const char *table, int port, node_time_t now, char **text)
{
	size_t length;
	FILE *out = open_memstream(text, &length);
	int error;

	ck_assert_ptr_nonnull(out);
	error = ethernet_ops.show(s.eth, table, port, now, out);
	fclose(out);
	return error;
}

/* TB-9, RC-5: a pause that lasts counts to the time of the fabric, not to the last event of the
 * switch */
TEST(ethernet_show__pause_counts_to_the_fabrics_time)
{
	node_time_t until = PAUSE_PS + 100 * 512 * 5, since;
	char *text, line[128];

	one_switch_open(&s);
	pause_send(1, 0, &(struct pause_frame){ .port = true, .quanta = { 100 } });
	roce_send(0, 0, 1, 0, CNP, SMALL_BYTES);
	one_switch_run(&s, until - 1);
	since = class_of(1, CNP)->paused_since_ps;
	ck_assert_uint_gt(since, 0);
	for (node_time_t now = until / 2; now < until; now += until / 4) {
		ck_assert_int_eq(show("pfc", 1, now, &text), 0);
		snprintf(line, sizeof(line), "\tXOFF\t%" PRIu64 "\t%" PRIu64 "\t", now - since,
			 now - since);
		ck_assert_msg(strstr(text, line) != NULL, "'%s' is not in\n%s", line, text);
		free(text);
	}
}

/* TB-10 */
TEST(ethernet_show__every_table)
{
	static const char *const names[] = { "ports", "queues", "buffer", "pfc",
					     "ecn",   "routes", "waiting" };
	char *text;

	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_MS);
	ck_assert_int_eq(show("what", -1, 0, &text), -ENOENT);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *table;

		ck_assert_ptr_nonnull(strstr(text, names[i]));
		ck_assert_int_eq(show(names[i], -1, 0, &table), 0);
		ck_assert_ptr_nonnull(strchr(table, '\n'));
		free(table);
	}
	free(text);
	ck_assert_int_eq(show("queues", 1, 0, &text), 0);
	ck_assert_ptr_nonnull(strstr(text, "11000"));
	ck_assert_ptr_null(strstr(text, "\n0\t"));
	free(text);
	ck_assert_int_eq(show("queues", PORTS, 0, &text), -EINVAL);
	free(text);
}

/* a frame waits for 3 us, another one for 5 us: mean and maximum, in picoseconds as all times */
TEST(ethernet_show__mean_delay)
{
	char *text;

	one_switch_open(&s);
	class_of(1, ROCE)->tx_packets_measured = 2;
	class_of(1, ROCE)->delay_ns_measured = 8000;
	class_of(1, ROCE)->delay_ns_max = 5000;
	ck_assert_int_eq(show("queues", 1, 0, &text), 0);
	ck_assert_ptr_nonnull(strstr(text, "\t4000000\t5000000\n"));
	free(text);
}

/* SE-8: rows of flows, by their slot; the sum of their bytes is the queue */
TEST(ethernet_show__whose_packets_wait)
{
	unsigned port, level, source, destination, in_port, rows = 0;
	unsigned long packets, bytes, sum = 0;
	char *text, slot[16], traffic_class[NODE_NAME_MAX];

	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 5);
	roce_send(2, 0, 1, 0, ROCE, FULL_BYTES);
	one_switch_run(&s, NODE_MS);
	ck_assert_int_eq(show("waiting", 1, 0, &text), 0);
	for (char *at = strchr(text, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
		ck_assert_int_eq(sscanf(at, "\n%u\t%s\t%u\t%u\t%u\t%15s\t%u\t%lu\t%lu", &port,
					traffic_class, &level, &source, &destination, slot,
					&in_port, &packets, &bytes),
				 9);
		ck_assert(port == 1 && level == 0 && destination == 1 && source == in_port);
		ck_assert(source == 0 || source == 2);
		sum += bytes;
		rows++;
	}
	ck_assert_uint_gt(rows, 1);
	ck_assert_uint_eq(sum, class_of(1, ROCE)->queue_bytes);
	ck_assert_uint_gt(sum, 0);
	free(text);
}

/* SE-8: the same output as for a frame that arrives; nonsense is refused */
TEST(ethernet_show__output_of_headers)
{
	struct frame_spec spec = {
		.kind = FRAME_IPV4, .source = 0, .destination = 1, .frame_bytes = 200
	};
	struct frame_payload payload = { .source = 0 };
	uint8_t bytes[FRAME_HEADERS_MAX];
	char name[16 + 2 * FRAME_HEADERS_MAX] = "output ", *text;
	uint32_t count = frame_write(&spec, &payload, bytes);

	one_switch_open(&s);
	for (uint32_t i = 0; i < count; i++)
		sprintf(name + strlen(name), "%02x", bytes[i]);
	ck_assert_int_eq(show(name, -1, 0, &text), 0);
	ck_assert_str_eq(text, "port:port\n1\n");
	free(text);
	ck_assert_int_eq(show("output ", -1, 0, &text), -EINVAL);
	free(text);
	ck_assert_int_eq(show("output 02zz", -1, 0, &text), -EINVAL);
	free(text);
	ck_assert_int_eq(show("output 0248", -1, 0, &text), -EINVAL);
	free(text);
}

static int set(const char *name, const char *value)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error;

	ck_assert_ptr_nonnull(out);
	error = ethernet_ops.set(s.eth, name, value, out);
	fclose(out);
	ck_assert_int_eq(length != 0, error != 0);
	ck_assert_int_eq(strstr(text, "[CLASS.]ecn.kmin (") != NULL, error == -ENOENT);
	free(text);
	return error;
}

/* TB-9 */
TEST(ethernet_set__values)
{
	snprintf(s.config.classes[ROCE].name, NODE_NAME_MAX, "roce");
	one_switch_open(&s);
	ck_assert_int_eq(set("ecn.kmax", "200000"), 0);
	ck_assert_uint_eq(s.eth->roce.classes[TCP].kmax_bytes, 200000);
	ck_assert_int_eq(set("roce.ecn.kmin", "5000"), 0);
	ck_assert_uint_eq(s.eth->roce.classes[ROCE].kmin_bytes, 5000);
	ck_assert_uint_eq(s.eth->roce.classes[TCP].kmin_bytes, 0);
	ck_assert_int_eq(set("roce.ecn", "1"), 0);
	ck_assert(s.eth->roce.classes[ROCE].ecn && !s.eth->roce.classes[TCP].ecn);
	ck_assert_int_eq(set("roce.ecn.pmax", "10000"), 0);
	ck_assert_int_eq(set("alpha", "125"), 0);
	ck_assert_int_eq(set("roce.xoff", "4000"), 0);
	ck_assert_int_eq(set("roce.xon-offset", "1000"), 0);
	ck_assert_int_eq(set("queue", "9000"), 0);
	ck_assert_int_eq(set("pfc.watchdog", "100000000"), 0);
	ck_assert_uint_eq(s.eth->roce.watchdog_ps, 100 * NODE_US);
	ck_assert_int_eq(set("roce.ecn.kmax", "4999"), -EINVAL); /* below kmin */
	ck_assert_int_eq(set("ecn.kmax", "4999"),
			 -EINVAL); /* below kmin of one class: no class changes */
	ck_assert_uint_eq(s.eth->roce.classes[TCP].kmax_bytes, 200000);
	ck_assert_int_eq(set("roce.xon-offset", "4001"), -EINVAL); /* more than xoff */
	ck_assert_int_eq(set("roce.ecn", "maybe"), -EINVAL);
	ck_assert_int_eq(set("ecn.pmax", "1000001"), -EINVAL);
	ck_assert_int_eq(set("queue", "9kB"), -EINVAL);
	ck_assert_int_eq(set("queue", "-1"), -EINVAL);
	ck_assert_int_eq(set("queue", ""), -EINVAL);
	ck_assert_int_eq(set("pfc.watchdog", "0"), -EINVAL);
	ck_assert_int_eq(set("none.queue", "1"), -ENOENT);
	ck_assert_int_eq(set("what", "1"), -ENOENT);
	/* valid at once */
	port_block(1);
	burst_send(0, 0, 1, ROCE, 5);
	one_switch_run(&s, NODE_MS);
	ck_assert(neighbour_receive(&s, 0, RECORD_PAUSE, &got));
}

/* ---- memory ---- */

/* TB-26: floods of every length fill the buffer, not the pool. The pool has three times the buffer,
 * the greatest frame for each port, and one more. _i: a lossy class, and a lossless one whose peer
 * ignores XOFF. */
TEST_RANGE(pool_init__floods, 0, 2)
{
	uint32_t cells = BUFFER_BYTES / 8 * 3 / PACKET_CELL_BYTES;
	struct flood *flood = zeroed(sizeof(*flood));
	size_t most_bytes;

	flood_configure();
	s.config.roce.buffer_bytes = BUFFER_BYTES / 8;
	s.config.roce.pfc = _i;
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].headroom_bytes = _i ? HEADROOM_BYTES / 4 : 0;
	s.config.roce.classes[TCP].lossless = _i;
	s.config.roce.classes[TCP].xoff_bytes = _i ? 500000 : 0;
	one_switch_open(&s);
	flood->pool = &s.eth->sw.pool;
	ck_assert_uint_le(flood_pool_bytes(flood),
			  BUFFER_BYTES / 8 * 3 + (PORTS + 2) * FLOOD_GREATEST_BYTES);
	most_bytes = flood_all(flood, cells + FLOOD_GREATEST_CELLS);
	ck_assert_uint_eq(drops(DROP_BUFFER_OVERFLOW), 0);
	ck_assert_uint_gt(drops(_i ? DROP_HEADROOM : DROP_QUEUE_FULL), FLOOD_LENGTHS);
	ck_assert_uint_gt(most_bytes, BUFFER_BYTES / 8 * (_i ? 20 : 29) / 10);
	books_expect(0);
	free(flood);
}
