/*  test_results - from counters on statistics pages to flows, groups, totals (TB-13, TB-25).
 *
 *  One switch s1 with hosts h0, h1, h2 on its ports 0, 1, 2; the pages are written here, as nodes would.            */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results.h"

#define HOSTS 3
#define NODES (HOSTS + 1)

static struct node_config nodes[NODES];
static struct port_config switch_ports[HOSTS], host_ports[HOSTS];
static struct plan_link links[HOSTS];
static struct plan_workload workloads[2];
static struct plan plan;
static struct stats_page *pages[NODES];
static struct results results;

static void set_up(void)
{
	plan = (struct plan){ .scenario = "three",
			      .seed = 1,
			      .duration_ps = 11 * NODE_US,
			      .warmup_ps = NODE_US,
			      .lookahead_ps = NODE_US,
			      .node_count = NODES,
			      .switch_count = 1,
			      .host_count = HOSTS,
			      .nodes = nodes,
			      .link_count = HOSTS,
			      .links = links,
			      .workload_count = 2,
			      .workloads = workloads };
	nodes[0] = (struct node_config){ .kind = NODE_SWITCH,
					 .name = "s1",
					 .port_count = HOSTS,
					 .class_count = 1,
					 .ports = switch_ports,
					 .switch_ = { .fabric_address = 1 } };
	strcpy(nodes[0].classes[0].name, "best");
	for (uint32_t i = 0; i < HOSTS; i++) {
		struct node_config *nic = &nodes[i + 1];

		*nic = (struct node_config){ .kind = NODE_NIC,
					     .index = i + 1,
					     .port_count = 1,
					     .ports = &host_ports[i],
					     .nic = { .host_index = i, .flows_max = 4, .messages_max = 8 } };
		snprintf(nic->name, sizeof(nic->name), "h%u", i);
		host_ports[i] = (struct port_config){ .kind = PORT_EDGE,
						      .peer_name = "s1",
						      .peer_port = i,
						      .link_index = i,
						      .rate_bps = 100000000000,
						      .mtu_bytes = 4096,
						      .channels = 16 };
		switch_ports[i] = host_ports[i];
		switch_ports[i].peer_index = i + 1;
		switch_ports[i].peer_port = 0;
		snprintf(switch_ports[i].peer_name, sizeof(switch_ports[i].peer_name), "h%u", i);
		links[i] =
			(struct plan_link){ .node_b = i + 1, .port_a = i, .rate_bps = 100000000000, .mtu_bytes = 4096 };
	}
	strcpy(workloads[0].name, "first");
	strcpy(workloads[1].name, "second");
	workloads[0].packet_bytes = workloads[1].packet_bytes = 1500;
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

/* host @source sends @packets packets of 1000 bytes to @destination; @received of them arrive, all of them measured */
static void flow_add(uint32_t source, uint32_t destination, uint32_t workload, uint64_t packets, uint64_t received)
{
	struct stats_page *from = pages[source + 1], *to = pages[destination + 1];
	uint32_t slot = (uint32_t)from->flow_tx_count++, row = (uint32_t)to->flow_rx_count;

	*stats_flow_tx(from, slot) = (struct flow_tx_stats){
		.workload_index = workload, .destination = destination, .packets = packets, .bytes = packets * 1000
	};
	from->injected_bytes += packets * 1000;
	if (!received)
		return;
	to->flow_rx_count++;
	to->delivered_bytes += received * 1000;
	*stats_flow_rx(to, row) = (struct flow_rx_stats){ .source = source,
							  .source_slot = slot,
							  .workload_index = workload,
							  .packets = received,
							  .bytes = received * 1000,
							  .measured_bytes = received * 1000,
							  .first_ps = 2 * NODE_US,
							  .last_ps = 9 * NODE_US };
}

static void message_add(uint32_t host, uint32_t row, node_time_t start_ps, node_time_t end_ps)
{
	*stats_message(pages[host + 1], pages[host + 1]->message_count++) =
		(struct message_stats){ .flow = row, .bytes = 1000, .start_ps = start_ps, .end_ps = end_ps };
	stats_flow_rx(pages[host + 1], row)->messages++;
}

static void gather(bool empty)
{
	results.empty = empty;
	results.end_ps = 11 * NODE_US;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
}

/* TB-13: sorted by workload, source, destination, whatever the order of the slots */
START_TEST(results_gather__orders_flows)
{
	flow_add(2, 0, 1, 5, 5);
	flow_add(2, 1, 0, 5, 5);
	flow_add(0, 2, 1, 5, 5);
	flow_add(0, 1, 1, 5, 5);
	gather(true);
	ck_assert_uint_eq(results.flow_count, 4);
	ck_assert_uint_eq(results.flows[0].source, 2);
	ck_assert_uint_eq(results.flows[0].workload, 0);
	ck_assert_uint_eq(results.flows[1].destination, 1);
	ck_assert_uint_eq(results.flows[2].destination, 2);
	ck_assert_uint_eq(results.flows[3].source, 2);
	ck_assert_uint_eq(results.groups[0].flow_count, 1);
	ck_assert_uint_eq(results.groups[1].flow_count, 3);
}
END_TEST

/* TB-13: 10 us measured, 5 packets of 1000 bytes: 4 Gb/s */
START_TEST(results_gather__goodput_over_measured_interval)
{
	flow_add(0, 1, 0, 5, 5);
	gather(true);
	ck_assert_uint_eq(results.flows[0].goodput_bps, 4000000000);
	ck_assert_uint_eq(results.groups[0].goodput_bps, 4000000000);
	ck_assert_uint_eq(results.flows[0].first_ps, 2 * NODE_US);
}
END_TEST

/* TB-25: what was sent and did not arrive is lost once the fabric is empty, and only then */
START_TEST(results_gather__losses_when_empty)
{
	flow_add(0, 1, 0, 7, 5);
	flow_add(0, 2, 0, 3, 0);
	stats_port(pages[1], 0)->lost_bytes = 5000;
	gather(true);
	ck_assert_uint_eq(results.totals.lost, 5);
	ck_assert_uint_eq(results.flows[1].lost, 3);
	ck_assert_uint_eq(results.flows[1].first_ps, NODE_TIME_NEVER);
	ck_assert_int_eq(results.totals.inside_bytes, 0);
	ck_assert(results_balanced(&results));
	results_free(&results);
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 0);
}
END_TEST

/* TB-25: bytes that nobody can account for are noticed */
START_TEST(results_balanced__bytes_missing)
{
	flow_add(0, 1, 0, 7, 5);
	gather(true);
	ck_assert_int_eq(results.totals.inside_bytes, 2000);
	ck_assert(!results_balanced(&results));
	pages[0]->inside_bytes = 2000;
	results_free(&results);
	gather(true);
	ck_assert(results_balanced(&results));
}
END_TEST

/* TB-13: nearest rank, per flow and per workload; slowdown against the empty fabric */
START_TEST(results_gather__completion_times)
{
	flow_add(0, 1, 0, 5, 5);
	flow_add(2, 1, 0, 5, 5);
	for (uint32_t i = 4; i > 0; i--)
		message_add(1, 0, NODE_US, NODE_US + i * NODE_US);
	message_add(1, 1, 0, 10 * NODE_US);
	gather(true);
	ck_assert_uint_eq(results.message_count, 5);
	ck_assert_uint_eq(results.flows[0].fct.p50_ps, 2 * NODE_US);
	ck_assert_uint_eq(results.flows[0].fct.p99_ps, 4 * NODE_US);
	ck_assert_uint_eq(results.flows[1].fct.p50_ps, 10 * NODE_US);
	ck_assert_uint_eq(results.groups[0].fct.p50_ps, 3 * NODE_US);
	ck_assert_uint_eq(results.groups[0].fct.p999_ps, 10 * NODE_US);
	ck_assert_uint_eq(results.groups[0].message_count, 5);
	ck_assert(results.groups[0].slowdown.p50 > 0);
	ck_assert(results.messages[0].end_ps == 2 * NODE_US);
}
END_TEST

/* TB-23: rows of a broken node that name flows nobody sends are counted, nothing else */
START_TEST(results_gather__strange_rows)
{
	flow_add(0, 1, 0, 5, 5);
	stats_flow_rx(pages[2], 0)->source = 77;
	message_add(1, 0, 0, 1);
	stats_message(pages[2], pages[2]->message_count++)->flow = 3;
	gather(false);
	ck_assert_uint_eq(results.strange_rows, 3);
	ck_assert_uint_eq(results.message_count, 0);
	ck_assert_uint_eq(results.flows[0].packets, 0);
}
END_TEST

START_TEST(results_gather__ports_and_tables)
{
	struct port_stats *port = stats_port(pages[0], 1);

	port->tx_busy_measured_ps = 5 * NODE_US;
	port->queue_byte_ns_sum = 20000;
	port->ifct_used = 1;
	port->ofct_used = 2;
	pages[1]->now_ps = 7 * NODE_US;
	gather(true);
	ck_assert_uint_eq(results.port_count, 2 * HOSTS);
	ck_assert(results_port(&plan, &results, 0, 1)->utilisation == 0.5);
	ck_assert(results_port(&plan, &results, 0, 1)->queue_bytes_mean == 2.0);
	ck_assert_uint_eq(results_port(&plan, &results, 3, 0)->node, 3);
	ck_assert_uint_eq(results.totals.channels_used, 3);
	ck_assert_uint_eq(results.end_ps, 7 * NODE_US);
}
END_TEST

START_TEST(results_rank__nearest)
{
	ck_assert_uint_eq(results_rank(1, 500), 0);
	ck_assert_uint_eq(results_rank(2, 500), 0);
	ck_assert_uint_eq(results_rank(3, 500), 1);
	ck_assert_uint_eq(results_rank(100, 990), 98);
	ck_assert_uint_eq(results_rank(100, 999), 99);
	ck_assert_uint_eq(results_rank(1000, 999), 998);
}
END_TEST

START_TEST(results_jain__even_and_starved)
{
	struct result_flow flows[4] = { { .measured_bytes = 8 }, { .measured_bytes = 8 }, { 0 }, { 0 } };

	ck_assert(results_jain(flows, 2) == 1.0);
	ck_assert(results_jain(flows, 4) == 0.5);
	ck_assert(results_jain(flows + 2, 2) == 0.0);
	ck_assert(results_jain(flows, 0) == 0.0);
}
END_TEST

/* the JSON as text; to be freed */
static char *json_text(const struct result_host *host)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(results_json_write(&plan, &results, host, out), 0);
	fclose(out);
	return text;
}

/* TB-7, TB-13: the same results give the same bytes; only `host` may tell machines apart */
START_TEST(results_json_write__stable)
{
	static const char *const keys[] = { "scenario", "seed",   "clock",       "duration_ps", "nodes",
					    "links",    "flows",  "groups",      "ports",       "tables",
					    "drops",    "totals", "expectations" };
	const struct result_host host = { .cpu_s = 2, .packet_hops = 10 };
	char *first, *second, *timed, key[64];

	flow_add(0, 1, 0, 5, 5);
	message_add(1, 0, 0, 3 * NODE_US);
	gather(true);
	first = json_text(NULL);
	results_free(&results);
	gather(true);
	second = json_text(NULL);
	timed = json_text(&host);
	ck_assert_str_eq(first, second);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(key, sizeof(key), "\n \"%s\":", keys[i]);
		ck_assert_msg(strstr(first, key) != NULL, "%s is missing", keys[i]);
	}
	ck_assert_ptr_null(strstr(first, "\"host\""));
	ck_assert_ptr_nonnull(strstr(timed, "\"packet_hops_per_cpu_s\": 5.0"));
	free(first);
	free(second);
	free(timed);
}
END_TEST

START_TEST(results_text_write__names_what_matters)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	flow_add(0, 1, 0, 5, 5);
	gather(true);
	results_text_write(&plan, &results, NULL, "event loop: io_uring", false, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "1 switch, 3 NICs"));
	ck_assert_ptr_nonnull(strstr(text, "4.000 Gb/s"));
	ck_assert_ptr_nonnull(strstr(text, "h0"));
	ck_assert_ptr_null(strstr(text, "\033"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("results");
	TCase *cases = tcase_create("results");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, results_gather__orders_flows);
	tcase_add_test(cases, results_gather__goodput_over_measured_interval);
	tcase_add_test(cases, results_gather__losses_when_empty);
	tcase_add_test(cases, results_balanced__bytes_missing);
	tcase_add_test(cases, results_gather__completion_times);
	tcase_add_test(cases, results_gather__strange_rows);
	tcase_add_test(cases, results_gather__ports_and_tables);
	tcase_add_test(cases, results_rank__nearest);
	tcase_add_test(cases, results_jain__even_and_starved);
	tcase_add_test(cases, results_json_write__stable);
	tcase_add_test(cases, results_text_write__names_what_matters);
	suite_add_tcase(suite, cases);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
