/*  orchestrator/results/results_roce: results that only a fabric of kind roce has (TB-13,
 *  RC-1 ... RC-10).
 *
 *  Two switches s0 and s1 with two links between them, h0 at s0, h1 at s1; the pages are written
 *  here, as nodes would. */
#include "orchestrator/results/results_roce.h"
#include "orchestrator/results/results_roce_text.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/output.h"

#define NODES 4u
#define SWITCH_PORTS 3u /* to the host, then the two links */
#define ROCE 1u         /* class */

static struct node_config nodes[NODES];
static struct port_config switch_ports[2][SWITCH_PORTS], host_ports[2];
static struct plan_workload workload;
static struct plan plan;
static struct stats_page *pages[NODES];
static struct results results;

static void port_set_up(struct port_config *port, uint32_t peer, uint32_t peer_port)
{
	*port = (struct port_config){ .peer_index = peer,
				      .peer_port = peer_port,
				      .rate_bps = 100000000000,
				      .mtu_bytes = 4096 };
	snprintf(port->peer_name, sizeof(port->peer_name), "%s", nodes[peer].name);
}

static void set_up(void)
{
	plan = (struct plan){ .scenario = "two",
			      .duration_ps = 11 * NODE_US,
			      .warmup_ps = NODE_US,
			      .drain = true,
			      .node_count = NODES,
			      .switch_count = 2,
			      .host_count = 2,
			      .nodes = nodes,
			      .workload_count = 1,
			      .workloads = &workload };
	strcpy(workload.name, "load");
	workload.packet_bytes = 1500;
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i] = (struct node_config){ .kind = i < 2 ? NODE_SWITCH : NODE_NIC,
						 .index = i,
						 .fabric = FABRIC_ROCE,
						 .class_count = 2,
						 .port_count = i < 2 ? SWITCH_PORTS : 1,
						 .ports = i < 2 ? switch_ports[i]
								: &host_ports[i - 2] };
		nodes[i].roce.watchdog_ps = 10 * NODE_MS;
		if (i >= 2)
			nodes[i].nic = (struct nic_config){ .host_index = i - 2,
							    .flows_max = 4,
							    .messages_max = 4 };
		snprintf(nodes[i].name, sizeof(nodes[i].name), "%c%u", i < 2 ? 's' : 'h', i % 2);
		strcpy(nodes[i].classes[0].name, "tcp");
		strcpy(nodes[i].classes[ROCE].name, "roce");
	}
	for (uint32_t i = 0; i < 2; i++) {
		port_set_up(&switch_ports[i][0], 2 + i, 0);
		port_set_up(&switch_ports[i][1], 1 - i, 1);
		port_set_up(&switch_ports[i][2], 1 - i, 2);
		port_set_up(&host_ports[i], i, 0);
	}
	for (uint32_t i = 0; i < NODES; i++) {
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
	}
}

static void tear_down(void)
{
	results_free(&results);
	for (uint32_t i = 0; i < NODES; i++)
		free(pages[i]);
}

/* h0 sends 10 packets of 1000 bytes and 3 of them again, of which 2 arrive twice; all are marked */
static void flow_add(void)
{
	*stats_flow_tx(pages[2], pages[2]->flow_tx_count++) =
		(struct flow_tx_stats){ .destination = 1,
					.traffic_class = ROCE,
					.packets = 13,
					.bytes = 13000,
					.connection = 5,
					.resent = 3,
					.timeouts = 1,
					.naks = 2,
					.cnps = 4,
					.rate_bps = 50000000000,
					.rate_min_bps = 7000000000 };
	*stats_flow_rx(pages[3], pages[3]->flow_rx_count++) =
		(struct flow_rx_stats){ .source = 0,
					.traffic_class = ROCE,
					.packets = 10,
					.bytes = 10000,
					.measured_bytes = 10000,
					.first_ps = 2 * NODE_US,
					.last_ps = 9 * NODE_US,
					.marked = 10,
					.cnps = 6,
					.cnp_gap_min_ps = 50 * NODE_US,
					.duplicates = 2 };
}

static void gather(bool empty, node_time_t end_ps)
{
	results_free(&results);
	results.empty = empty;
	results.end_ps = end_ps;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
}

/* both outputs of the link wait for each other, since long before the end of the duration */
static void deadlock_add(node_time_t since_ps)
{
	for (uint32_t i = 0; i < 2; i++) {
		stats_class(pages[i], 1, ROCE)->paused_since_ps = since_ps;
		stats_class(pages[i], 1, ROCE)->xoff_since_ps = since_ps;
		stats_class(pages[i], 1, ROCE)->waits_for = 1u << 1;
	}
	pages[0]->inside_bytes = pages[2]->injected_bytes = 1000;
}

TEST_GROUP(results_roce, .setup = set_up, .teardown = tear_down);

/* RC-5, TB-13: a pause that lasts at the end counts up to it, each part once: its node has counted
 * a part already */
TEST(results_roce_gather__pause_at_the_end_counts_once)
{
	struct class_stats *stats = stats_class(pages[0], 1, ROCE);
	node_time_t end_ps = plan.duration_ps + 5 * NODE_MS;

	stats->paused_since_ps = plan.duration_ps - NODE_US;
	stats->paused_counted_ps = plan.duration_ps + NODE_MS;
	stats->paused_ps = 3 * NODE_US;
	gather(false, end_ps);
	for (uint32_t i = 0; i < results.class_count; i++) {
		const struct result_class *row = &results.classes[i];

		if (row->node == 0 && row->port == 1 && row->traffic_class == ROCE)
			ck_assert_uint_eq(row->stats.paused_ps, 3 * NODE_US + 4 * NODE_MS);
		else
			ck_assert_uint_eq(row->stats.paused_ps, 0);
	}
}

/* a packet that was sent again is not lost: RC delivers it once */
TEST(results_gather__sent_again_is_not_lost)
{
	flow_add();
	gather(true, 11 * NODE_US);
	ck_assert_uint_eq(results.flow_count, 1);
	ck_assert_uint_eq(results.totals.lost, 0);
	ck_assert_uint_eq(results.flows[0].transport.resent, 3);
	ck_assert_uint_eq(results.flows[0].transport.duplicates, 2);
	stats_flow_rx(pages[3], 0)->packets = 9;
	gather(true, 11 * NODE_US);
	ck_assert_uint_eq(results.totals.lost, 1);
}

/* RC-11: outputs that still wait for each other after a drain that did not empty the fabric are a
 * deadlock; in a run that was interrupted before, they may only have been busy */
TEST_RANGE(results_roce_gather__no_deadlock_in_an_interrupted_run, 0, 2)
{
	flow_add();
	deadlock_add(5 * NODE_US);
	results.interrupted = _i;
	results.end_ps = 60 * NODE_US;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
	ck_assert_uint_eq(results.deadlocks.count, !_i);
}

/* rates and means over the 10 us that are measured */
TEST(results_gather__classes)
{
	const struct result_class *row;

	*stats_class(pages[1], 2, ROCE) = (struct class_stats){ .queue_byte_ns_sum = 50000,
								.tx_packets_measured = 4,
								.tx_bytes_measured = 5000,
								.delay_ns_measured = 1000 };
	gather(true, 11 * NODE_US);
	ck_assert_uint_eq(results.class_count, 2 * (2 * SWITCH_PORTS + 2));
	row = &results.classes[2 * (SWITCH_PORTS + 2) + ROCE];
	ck_assert_uint_eq(row->node, 1);
	ck_assert_uint_eq(row->port, 2);
	ck_assert_uint_eq(row->traffic_class, ROCE);
	ck_assert_double_eq_tol(row->queue_bytes_mean, 5, 1e-9);
	ck_assert_double_eq_tol(row->delay_ns_mean, 250, 1e-9);
	ck_assert_uint_eq(row->throughput_bps, 4000000000);
	ck_assert(results.classes[0].delay_ns_mean == 0);
}

/* paused since before the last message, or for as long as the watchdog requires; until then it may
 * still end */
TEST(results_gather__deadlocks)
{
	deadlock_add(5 * NODE_US);
	gather(false, 60 * NODE_US);
	ck_assert_uint_eq(results.deadlocks.count, 1);
	ck_assert_uint_eq(results.deadlocks.list[0].length, 2);
	plan.drain = false;
	gather(false, 11 * NODE_US);
	ck_assert_uint_eq(results.deadlocks.count, 0);
	gather(false, 10 * NODE_MS + 5 * NODE_US);
	ck_assert_uint_eq(results.deadlocks.count, 1);
	plan.drain = true;
	deadlock_add(20 * NODE_US);
	gather(false, 60 * NODE_US);
	ck_assert_uint_eq(results.deadlocks.count, 0);
}

/* a switch counts a frame once, although both ends of a link have it */
TEST(results_roce_sums__of_switches_and_flows)
{
	struct roce_sums sums;

	flow_add();
	stats_port(pages[0], 0)->pauses_sent = 3;
	stats_port(pages[2], 0)->pauses_received = 3;
	stats_class(pages[0], 1, ROCE)->marked = 10;
	stats_class(pages[2], 0, ROCE)->marked = 10;
	gather(true, 11 * NODE_US);
	sums = results_roce_sums(&plan, &results);
	ck_assert_uint_eq(sums.pauses_sent, 3);
	ck_assert_uint_eq(sums.pauses_received, 0);
	ck_assert_uint_eq(sums.marked, 10);
	ck_assert_uint_eq(sums.packets_marked, 10);
	ck_assert_uint_eq(sums.cnps, 4);
	ck_assert_uint_eq(sums.cnps_made, 6);
	ck_assert_uint_eq(sums.rate_min_bps, 7000000000);
}

TEST(results_json_write__roce)
{
	static const char *const parts[] = {
		"\"fabric\": \"roce\"",
		"\"resent\": 3",
		"\"cnp_gap_min_ps\": 50000000",
		"\"xoff_first_ps\": null",
		"\"pauses_received\": 0",
		"\n \"classes\": [",
		"\n \"roce\": {",
		"\"since_ps\": 5000000",
		"\"text\": \"s0 -> s1 -> s0, class roce: each waits for the next since "
	};
	char *text;

	flow_add();
	deadlock_add(5 * NODE_US);
	gather(false, 60 * NODE_US);
	text = json_of(&plan, &results, NULL);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ck_assert_msg(strstr(text, parts[i]) != NULL, "%s is missing in %s", parts[i],
			      text);
	ck_assert_ptr_null(strstr(text, "\"efct\""));
	free(text);
}

static const struct node_log_source no_log[NODES] = {
	{ .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 }
};
static const struct results_logs no_logs = { no_log, no_log };

TEST(results_csv_write__roce)
{
	char folder[] = "/tmp/test_results_roce.XXXXXX";
	struct why why;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	flow_add();
	gather(true, 11 * NODE_US);
	ck_assert_int_eq(results_csv_write(&plan, pages, &no_logs, &results, folder, &why), 0);
	csv_check(folder, "flows.csv", 1, ",duplicates,out_of_order\n");
	csv_check(folder, "messages.csv", 0, ",slowdown\n");
	csv_check(folder, "ports.csv", 2 * SWITCH_PORTS + 2, ",path_resumes,signals_forwarded\n");
	csv_check(folder, "tables.csv", 0, ",size\n");
	csv_check(folder, "samples.csv", 0,
		  ",class_queue_bytes_tcp,class_queue_bytes_roce,class_input_bytes_tcp,"
		  "class_input_bytes_roce\n");
	csv_check(folder, "flow_samples.csv", 0, ",stage,window_bytes\n");
	csv_check(folder, "paths.csv", 0, ",node,port,peer\n");
	csv_check(folder, "classes.csv", 2 * (2 * SWITCH_PORTS + 2),
		  ",signals_pause,signals_resume\n");
	ck_assert_int_eq(rmdir(folder), 0);
}

/* which ports dropped, were paused and marked: the worst first; then the effects */
TEST(results_roce_write__what_happened)
{
	char *text, *first, *second;

	flow_add();
	*stats_class(pages[0], 1, ROCE) = (struct class_stats){ .paused_ps = 3 * NODE_US,
								.marked = 77,
								.state_max = ROCE_ECN_FAILED,
								.ecn_failed_ps = 4 * NODE_US };
	*stats_class(pages[1], 0, 0) = (struct class_stats){ .drops = 8 };
	*stats_class(pages[1], 1, ROCE) =
		(struct class_stats){ .xoff_first_ps = 2 * NODE_US, .headroom_bytes_max = 1500 };
	stats_port(pages[1], 1)->pauses_sent = 9;
	stats_flow_tx(pages[2], 0)->in_error = 1;
	deadlock_add(5 * NODE_US);
	gather(false, 60 * NODE_US);
	text = output_of(results_roce_write, &plan, &results);
	first = strstr(text, "s1 -> h1 ");
	second = strstr(text, "s0 -> s1  ");
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_nonnull(second);
	ck_assert(first < second);
	HAS(second, "queue too long for ECN (ECN failed) from 4.000 us, later normal\n");
	HAS(text, "\ndeadlock: s0 -> s1 -> s0, class roce: ",
	    "inputs that sent XOFF: 1, the first s1 (class roce, to s0) at 2.000 us; most "
	    "headroom used: 1.500 kB, s1 from s0\n",
	    "switches sent 9 frames and received 0\n",
	    "marked packets received 10; CNPs sent by receivers 6, received by senders 4; "
	    "lowest rate of a queue pair 7.000 Gb/s\n",
	    "3 packets, after 1 timeouts and 2 NAKs\n", "queue pairs in error: 1: h0 -> h1\n");
	free(text);
}

TEST(results_roce_write__nothing_happened)
{
	char *text;

	gather(true, 11 * NODE_US);
	text = output_of(results_roce_write, &plan, &results);
	ck_assert_str_eq(text, "");
	free(text);
}

/* eight of eleven outputs, the worst first: drops, then states, pauses, marks */
TEST(results_roce_write__the_worst_outputs)
{
	const char *before = NULL;
	char *text;

	for (uint32_t i = 0; i < 11; i++)
		stats_class(pages[i / 6], i / 2 % 3, i % 2)->marked = 100 + i;
	stats_class(pages[1], 0, 0)->drops = 1;
	stats_class(pages[0], 2, 1)->state_max = ROCE_ECN_FAILED;
	stats_class(pages[0], 2, 0)->paused_ps = NODE_US;
	gather(true, 11 * NODE_US);
	text = output_of(results_roce_write, &plan, &results);
	for (uint32_t i = 0; i < 8; i++) {
		static const char *const marks[] = { " 106 ", " 105 ", " 104 ", " 110 ",
						     " 109 ", " 108 ", " 107 ", " 103 " };
		const char *at = strstr(text, marks[i]);

		ck_assert_msg(at && at > before, "%s is missing or not in its place in\n%s",
			      marks[i], text);
		before = at;
	}
	ck_assert_ptr_null(strstr(text, " 102 "));
	HAS(text, "... and 3 more\n");
	free(text);
}

/* path-level PFC has a line if a switch has signalled, or a source has paused */
TEST_RANGE(results_roce_write__path_pauses, 0, 2)
{
	char *text;

	if (_i) {
		stats_port(pages[1], 0)->path_pauses = 4;
		stats_port(pages[1], 0)->path_resumes = 3;
	} else {
		stats_class(pages[0], 2, 1)->signals_pause = 6;
		stats_class(pages[0], 2, 1)->signals_resume = 5;
		stats_port(pages[0], 2)->signals_forwarded = 7;
	}
	gather(true, 11 * NODE_US);
	text = output_of(results_roce_write, &plan, &results);
	if (_i)
		HAS(text, "path-level PFC: 0 pause and 0 resume signals sent, forwarded 0 times; "
			  "sources paused 4 times, resumed 3 times\n");
	else
		HAS(text, "path-level PFC: 6 pause and 5 resume signals sent, forwarded 7 times; "
			  "sources paused 0 times, resumed 0 times\n");
	free(text);
}
