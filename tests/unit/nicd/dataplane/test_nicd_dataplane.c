/*  nicd/dataplane: messages at the rate of the link, flows, classes, statistics, show() and set()
 *  (TB-6, TB-7, TB-9, TB-12, TB-13, FC-19). */
#include <errno.h>

#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/nic_pair.h"

TEST_GROUP(nicd_dataplane, .setup = setup, .teardown = fabric_free, .timeout_s = 90);

/* TB-7: a message takes latency, delay and its packets back to back, without the last gap,
 * exactly */
TEST(nic_run__one_message_exactly)
{
	const struct message_stats *message;

	ends[0].workloads[0].messages_max = 1;
	ends[0].workloads[0].start_ps = 5000;
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[1].stats->message_count, 1);
	message = stats_message(ends[1].stats, 0);
	ck_assert_uint_eq(message->bytes, 10 * CAPACITY_BYTES);
	ck_assert_uint_eq(message->start_ps, 5000);
	ck_assert_uint_eq(message->end_ps,
			  5000 + LEAD_PS + 10 * packet_ps(PACKET_BYTES) - GAP_BYTES * BYTE_PS);
	ck_assert_uint_eq(flow_tx(0)->messages, 1);
	ck_assert_uint_eq(flow_tx(0)->destination, 1);
	ck_assert_uint_eq(ends[0].stats->data_hops, 10);
	fabric_check();
}

/* TB-12: one message in flight is enough to keep the link busy all the time */
TEST(nic_run__closed_loop_fills_the_link)
{
	const uint64_t packets = 1000;

	ends[0].workloads[0].stop_ps = packets * packet_ps(PACKET_BYTES);
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[0].stats->injected_packets, packets);
	ck_assert_uint_eq(sender_port()->tx_busy_ps, packets * packet_ps(PACKET_BYTES));
	ck_assert_uint_eq(sender_port()->paused_ps, 0);
	ck_assert_uint_eq(ends[1].stats->message_count, packets / 10);
	ck_assert_uint_eq(stats_message(ends[1].stats, 7)->start_ps,
			  7 * 10 * packet_ps(PACKET_BYTES));
	ck_assert_uint_eq(flow_rx(0)->lost + flow_rx(0)->reordered, 0);
	fabric_check();
}

/* `heddle load stop` and `start`: the NIC stops and continues at the time that it is given; what
 * has started is sent */
TEST(nic_set__workload_stops_and_starts)
{
	uint64_t sent;

	fabric_build();
	fabric_run(NODE_MS);
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.first.from", "soon", stdout), -EINVAL);
	ck_assert_int_eq(
		nicd_ops.set(ends[0].nic, "workload.first.from", "18446744073709551615", stdout),
		0);
	ck_assert_uint_eq(flow_tx(0)->waiting, 1);
	fabric_run(2 * NODE_MS);
	sent = flow_tx(0)->packets;
	ck_assert_uint_eq(flow_tx(0)->waiting, 0);
	ck_assert_uint_eq(flow_rx(0)->packets, sent);
	ck_assert_uint_eq(sent % 10, 0);
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.first.from", "3000000000", stdout), 0);
	fabric_run(3 * NODE_MS);
	ck_assert_uint_eq(flow_tx(0)->packets, sent);
	fabric_run(4 * NODE_MS);
	ck_assert_uint_gt(flow_tx(0)->packets, sent);
}

/* TB-12: at twice the rate of the link messages wait at the source, those without free space later,
 * and their times count from when they were due */
TEST(nic_run__open_loop_backlog)
{
	struct workload_config *workload = &ends[0].workloads[0];
	const node_time_t gap_ps = packet_ps(1000) / 2;
	const uint32_t messages = 12000;

	workload->arrival = ARRIVAL_PACED;
	workload->load_permille = 2000;
	workload->message_bytes = 1000 - 70;
	workload->messages_max = messages;
	ends[0].config.nic.messages_max = 1;
	ends[1].config.nic.messages_max = messages;
	fabric_build();
	fabric_run(NODE_S);
	ck_assert_uint_eq(ends[1].stats->message_count, messages);
	for (uint32_t i = 0; i < messages; i++) {
		ck_assert_uint_eq(stats_message(ends[1].stats, i)->start_ps, i * gap_ps);
		ck_assert_uint_eq(stats_message(ends[1].stats, i)->end_ps,
				  LEAD_PS + (i + 1) * packet_ps(1000) - GAP_BYTES * BYTE_PS);
	}
	fabric_check();
}

/* TB-13: the mean queue of a NIC, with packets that still wait at the end of the measured
 * interval */
TEST(nic_run__queue_mean)
{
	const node_time_t from_ps = packet_ps(PACKET_BYTES),
			  to_ps = 11 * packet_ps(PACKET_BYTES) / 2;
	uint64_t byte_ps = 0;

	ends[0].workloads[0].messages_max = 1;
	ends[0].config.measure_from_ps = from_ps;
	ends[0].config.measure_to_ps = to_ps;
	fabric_build();
	fabric_run(NODE_MS);
	/* the i-th packet waits until all before it have been sent */
	for (uint32_t i = 2; i < 10; i++)
		byte_ps += CAPACITY_BYTES *
			   (node_time_min(i * packet_ps(PACKET_BYTES), to_ps) - from_ps);
	ck_assert_uint_eq(sender_port()->queue_byte_ns_sum, byte_ps / NODE_NS);
	fabric_check();
}

/* TB-12: five destinations by round robin share the link evenly */
TEST(nic_run__round_robin)
{
	ends[0].workloads[0].destination = DESTINATION_ROUND_ROBIN;
	ends[0].workloads[0].destination_count = 5;
	ends[0].workloads[0].window = 5;
	fabric_build();
	fabric_run(200 * NODE_US);
	ck_assert_uint_eq(ends[0].stats->flow_tx_count, 5);
	for (uint32_t i = 1; i < 5; i++) {
		ck_assert_uint_eq(flow_tx(i)->destination, i + 1);
		ck_assert_uint_le(flow_tx(i)->packets, flow_tx(0)->packets);
		ck_assert_uint_ge(flow_tx(i)->packets + 1, flow_tx(0)->packets);
	}
	/* host 1 accepts its own packets alone */
	ck_assert_uint_gt(ends[1].stats->drops[DROP_UNKNOWN_FLOW], 0);
	ck_assert_uint_eq(ends[1].stats->flow_rx_count, 1);
}

TEST(nic_run__flow_table_full)
{
	ends[0].workloads[0].destination = DESTINATION_ROUND_ROBIN;
	ends[0].workloads[0].destination_count = 5;
	ends[0].workloads[0].arrival = ARRIVAL_BURST;
	ends[0].workloads[0].burst_messages = 10;
	ends[0].config.nic.flows_max = 2;
	fabric_build();
	fabric_run(NODE_S);
	ck_assert_uint_eq(ends[0].stats->flow_tx_count, 2);
	ck_assert_uint_eq(ends[0].stats->drops[DROP_FLOW_TABLE_FULL], 6);
	ck_assert_uint_eq(ends[0].stats->injected_packets, 4 * 10);
}

/* FC-19: a class with a maximum of a quarter of the link gets a quarter, also if no other class
 * sends; the other class gets the rest */
TEST(nic_run__class_maximum)
{
	uint64_t limited, other;

	for (uint32_t i = 0; i < 2; i++)
		ends[i].config.class_count = 2;
	ends[0].config.classes[1].max_permille = 250;
	ends[0].config.nic.workload_count = 2;
	ends[0].workloads[0].stop_ps = 200 * NODE_US;
	ends[0].workloads[1].traffic_class = 1;
	fabric_build();
	fabric_run(200 * NODE_US);
	other = flow_tx(0)->bytes;
	limited = flow_tx(1)->bytes;
	ck_assert_uint_ge(limited * 1000 / (limited + other), 245);
	ck_assert_uint_le(limited * 1000 / (limited + other), 260);
	ck_assert_uint_ge(sender_port()->tx_busy_ps, 199 * NODE_US);
	fabric_run(400 * NODE_US);
	ck_assert_uint_ge((flow_tx(1)->bytes - limited) * 8, 195 * 50000);
	ck_assert_uint_le((flow_tx(1)->bytes - limited) * 8, 205 * 50000);
}

/* TB-7: two runs have the same statistics, byte for byte */
TEST(nic_run__same_seed_same_bytes)
{
	size_t size = stats_bytes(&ends[1].config);
	void *first = malloc(size);

	for (uint32_t i = 0; i < 2; i++) {
		ends[i].port.guarded = true;
		ends[i].port.loss_ppb = 1000000;
	}
	ends[0].config.nic.workload_count = 2;
	ends[0].workloads[0].arrival = ARRIVAL_POISSON;
	ends[0].workloads[0].load_permille = 600;
	ends[0].workloads[1].arrival = ARRIVAL_BURST;
	ends[0].workloads[1].burst_messages = 3;
	ends[0].workloads[1].burst_period_ps = 20 * NODE_US;
	fabric_build();
	fabric_run(500 * NODE_US);
	ck_assert_uint_gt(ends[1].stats->message_count, 100);
	memcpy(first, ends[1].stats, size);
	fabric_free();
	fabric_build();
	fabric_run(500 * NODE_US);
	ck_assert_mem_eq(first, ends[1].stats, size);
	free(first);
}

TEST(nic_run__nothing_to_do)
{
	ends[0].config.nic.workload_count = 0;
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[0].stats->events, 0);
}

/* ---- show and set ---- */

static char *shown(const char *table, int port, int expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(nicd_ops.show(ends[0].nic, table, port, 0, out), expected);
	fclose(out);
	return text;
}

/* all bytes of the headers of a flow's last frame */
TEST(nic_show__headers)
{
	char *text, *row;

	fabric_build();
	fabric_run(10 * NODE_US);
	text = shown("headers", 0, 0);
	row = strstr(text, "\n0\t1\t");
	ck_assert_ptr_nonnull(row);
	row += 5;
	ck_assert_uint_eq(strcspn(row, "\n"), 2 * frame_headers_bytes(FRAME_IPV4));
	ck_assert_str_eq(row + 2 * frame_headers_bytes(FRAME_IPV4), "\n");
	ck_assert_int_eq(strncmp(row, "02480000000202480000000108004500", 32), 0);
	free(text);
}

TEST(nic_show__tables)
{
	static const char *const tables[] = { "flows", "received", "workloads", "fgfc", "headers" };
	char *text;

	fabric_build();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 5);
	fabric_run(20 * NODE_US);
	for (uint32_t i = 0; i < 5; i++) {
		text = shown(tables[i], -1, 0);
		ck_assert_ptr_nonnull(strchr(text, '\n'));
		free(text);
	}
	text = shown("flows", 0, 0);
	ck_assert_ptr_nonnull(strstr(text, "first"));
	ck_assert_ptr_nonnull(strstr(text, "bulk"));
	ck_assert_ptr_nonnull(strstr(text, "\tfgfc\t")); /* the flow that is paused (SE-8) */
	free(text);
	text = shown("fgfc", 0, 0);
	ck_assert_ptr_nonnull(strstr(
		text,
		"ipv4 class 0 from 02:48:00:00:00:01 to 02:48:00:00:00:02 10.0.0.1 > 10.0.0.2 "
		"protocol 17 ports 49152 > 18432\n"));
	free(text);
	free(shown("flows", 1, -EINVAL));
	text = shown("ifct", 0, -ENOENT);
	ck_assert_str_eq(text, "flows received workloads fgfc headers\n");
	free(text);
}

TEST(nic_set__load)
{
	static const char *const bad[] = {
		"", "0", "-5", "x", "12x", "10001", "99999999999999999999"
	};
	FILE *out = fopen("/dev/null", "w");

	ends[0].config.nic.workload_count = 2;
	ends[0].workloads[1].arrival = ARRIVAL_POISSON;
	ends[0].workloads[1].load_permille = 100;
	fabric_build();
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.second.load", "500", out), 0);
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.first.load", "500", out), -EINVAL);
	ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.third.load", "500", out), -ENOENT);
	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(nicd_ops.set(ends[0].nic, "workload.second.load", bad[i], out),
				 -EINVAL);
	fclose(out);
}
