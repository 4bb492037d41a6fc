/*  test_results - from counters on statistics pages to flows, groups, totals (TB-13, TB-25).
 *
 *  One switch s1 with hosts h0, h1, h2 on its ports 0, 1, 2; the pages are written here, as nodes
 *  would. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/plan/plan_ideal.h"
#include "orchestrator/results/reaction.h"
#include "orchestrator/results/results.h"
#include "orchestrator/results/results_congestion.h"
#include "orchestrator/results/results_csv.h"
#include "orchestrator/results/results_json.h"
#include "orchestrator/results/results_paths.h"
#include "orchestrator/results/results_share.h"
#include "orchestrator/results/results_symptom.h"
#include "orchestrator/results/results_text.h"
#include "tests/testing.h"

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

		*nic = (struct node_config){
			.kind = NODE_NIC,
			.index = i + 1,
			.port_count = 1,
			.ports = &host_ports[i],
			.nic = { .host_index = i, .flows_max = 4, .messages_max = 8 }
		};
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
		links[i] = (struct plan_link){
			.node_b = i + 1, .port_a = i, .rate_bps = 100000000000, .mtu_bytes = 4096
		};
	}
	strcpy(workloads[0].name, "first");
	strcpy(workloads[1].name, "second");
	workloads[0].packet_bytes = workloads[1].packet_bytes = 1500;
	for (uint32_t i = 0; i < NODES; i++) {
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
	}
	pages[0]->tables_taken = 1;
}

static void tear_down(void)
{
	results_free(&results);
	for (uint32_t i = 0; i < NODES; i++)
		free(pages[i]);
}

/* host @source sends @packets packets of 1000 bytes to @destination; @received of them arrive, all
 * of them measured */
static void flow_add(uint32_t source, uint32_t destination, uint32_t workload, uint64_t packets,
		     uint64_t received)
{
	struct stats_page *from = pages[source + 1], *to = pages[destination + 1];
	uint32_t slot = (uint32_t)from->flow_tx_count++, row = (uint32_t)to->flow_rx_count;

	*stats_flow_tx(from, slot) = (struct flow_tx_stats){ .workload_index = workload,
							     .destination = destination,
							     .packets = packets,
							     .bytes = packets * 1000 };
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
	*stats_message(pages[host + 1], pages[host + 1]->message_count++) = (struct message_stats){
		.flow = row, .bytes = 1000, .start_ps = start_ps, .end_ps = end_ps
	};
	stats_flow_rx(pages[host + 1], row)->messages++;
}

static void gather(bool empty)
{
	results.empty = empty;
	results.end_ps = 11 * NODE_US;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
}

TEST_GROUP(results, .setup = set_up, .teardown = tear_down);

/* TB-13: sorted by workload, source, destination, whatever the order of the slots */
TEST(results_gather__orders_flows)
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

/* TB-13: 10 us measured, 5 packets of 1000 bytes: 4 Gb/s */
TEST(results_gather__goodput_over_measured_interval)
{
	flow_add(0, 1, 0, 5, 5);
	gather(true);
	ck_assert_uint_eq(results.flows[0].goodput_bps, 4000000000);
	ck_assert_uint_eq(results.groups[0].goodput_bps, 4000000000);
	ck_assert_uint_eq(results.flows[0].first_ps, 2 * NODE_US);
}

/* TB-25: what was sent and did not arrive is lost once the fabric is empty, and only then */
TEST(results_gather__losses_when_empty)
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

/* a run that is not drained: gaps are losses if anything was dropped at all, the rest is under
 * way */
TEST(results_gather__under_way)
{
	flow_add(1, 0, 0, 9, 9);
	flow_add(0, 1, 0, 7, 4);
	flow_add(0, 2, 0, 3, 0);
	stats_flow_rx(pages[2], 0)->lost = 2; /* overtaken */
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 0);
	ck_assert_uint_eq(results.totals.under_way, 6);
	ck_assert_uint_eq(results.flows[0].under_way, 3);
	ck_assert_uint_eq(results.flows[1].under_way, 3);
	ck_assert_uint_eq(results.flows[2].under_way, 0);
	results_free(&results);
	pages[0]->drops[DROP_LINK_DOWN] = 1;
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 1);
	ck_assert_uint_eq(results.totals.under_way, 5);
	results_free(&results);
	/* gaps in two flows, one frame that was destroyed: it was one of either */
	stats_flow_rx(pages[1], 0)->lost = 2;
	stats_flow_tx(pages[2], 0)->packets = 11;
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 1);
	ck_assert_uint_eq(results.totals.under_way, 7);
	results_free(&results);
	stats_flow_rx(pages[1], 0)->lost = 0;
	stats_flow_tx(pages[2], 0)->packets = 9;
	gather(true);
	ck_assert_uint_eq(results.totals.lost, 6);
	ck_assert_uint_eq(results.totals.under_way, 0);
}

/* FC-17, FC-26: what a source knows of losses is its own books, whatever was lost by links that
 * failed and told besides */
TEST(results_gather__unreported)
{
	stats_port(pages[0], 1)->loss_report_units = 100;
	stats_port(pages[0], 1)->extent_units = 3;
	stats_port(pages[2], 0)->lost_units = 9;
	stats_port(pages[2], 0)->loss_report_units = 4;
	gather(true);
	ck_assert_uint_eq(results.totals.unreported_units, 3 + 5);
	results_free(&results);
	stats_port(pages[0], 1)->extent_units = 0;
	stats_port(pages[2], 0)->loss_report_units = 9;
	gather(true);
	ck_assert_uint_eq(results.totals.unreported_units, 0);
}

/* TB-25: bytes that nobody can account for are noticed */
TEST(results_balanced__bytes_missing)
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

/* TB-13: nearest rank, per flow and per workload; slowdown against the empty fabric */
/* nothing will happen any more, and yet something is held, or waits to be sent */
TEST(results_gather__stalled)
{
	flow_add(0, 1, 0, 5, 5);
	gather(true);
	ck_assert(!results.stalled);
	results_free(&results);
	stats_port(pages[1], 0)->queue_bytes = 1;
	gather(false);
	ck_assert(!results.stalled);
	results_free(&results);
	gather(true);
	ck_assert(results.stalled);
	results_free(&results);
	stats_port(pages[1], 0)->queue_bytes = 0;
	pages[0]->inside_bytes = 1;
	gather(true);
	ck_assert(results.stalled);
}

TEST(results_gather__completion_times)
{
	flow_add(0, 1, 0, 5, 5);
	flow_add(2, 1, 0, 5, 5);
	for (uint32_t i = 4; i > 0; i--)
		message_add(1, 0, NODE_US, NODE_US + i * NODE_US);
	message_add(1, 1, 0, 10 * NODE_US);
	gather(true);
	ck_assert_uint_eq(results.message_count, 5);
	ck_assert_uint_eq(results.flows[0].fct.p50_ps, 2 * NODE_US);
	ck_assert_uint_eq(results.flows[0].fct.mean_ps, 5 * NODE_US / 2);
	ck_assert_uint_eq(results.all.fct.mean_ps, 4 * NODE_US);
	ck_assert_uint_eq(results.flows[0].fct.p99_ps, 4 * NODE_US);
	ck_assert_uint_eq(results.flows[1].fct.p50_ps, 10 * NODE_US);
	ck_assert_uint_eq(results.groups[0].fct.p50_ps, 3 * NODE_US);
	ck_assert_uint_eq(results.groups[0].fct.p999_ps, 10 * NODE_US);
	ck_assert_uint_eq(results.groups[0].message_count, 5);
	ck_assert(results.groups[0].slowdown.p50 > 0);
	ck_assert(results.groups[0].slowdown.mean > results.groups[0].slowdown.p50);
	ck_assert(results.messages[0].end_ps == 2 * NODE_US);
}

/* TB-23: rows of a broken node that name flows nobody sends are counted, nothing else */
TEST(results_gather__strange_rows)
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

TEST(results_gather__ports_and_tables)
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
	ck_assert_uint_eq(results.totals.channels, 3);
	ck_assert_uint_eq(results.end_ps, 7 * NODE_US);
}

TEST(results_rank__nearest)
{
	ck_assert_uint_eq(results_rank(1, 500), 0);
	ck_assert_uint_eq(results_rank(2, 500), 0);
	ck_assert_uint_eq(results_rank(3, 500), 1);
	ck_assert_uint_eq(results_rank(100, 990), 98);
	ck_assert_uint_eq(results_rank(100, 999), 99);
	ck_assert_uint_eq(results_rank(1000, 999), 998);
}

TEST(results_jain__even_and_starved)
{
	struct result_flow flows[4] = {
		{ .measured_bytes = 8 }, { .measured_bytes = 8 }, { 0 }, { 0 }
	};

	ck_assert(results_jain(flows, 2) == 1.0);
	ck_assert(results_jain(flows, 4) == 0.5);
	ck_assert(results_jain(flows + 2, 2) == 0.0);
	ck_assert(results_jain(flows, 0) == 0.0);
}

/* the JSON as text; to be freed */
static char *json_text(const struct result_host *host)
{
	static char *text; /* gcc 12 takes what is found in it for a pointer into a local */
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(results_json_write(&plan, &results, host, out), 0);
	fclose(out);
	return text;
}

/* TB-7, TB-13: the same results give the same bytes; only `host` may tell machines apart */
TEST(results_json_write__stable)
{
	static const char *const keys[] = { "version",     "digest", "settings", "effective",
					    "scenario",    "seed",   "fabric",   "clock",
					    "duration_ps", "nodes",  "links",    "flows",
					    "groups",      "ports",  "tables",   "drops",
					    "totals",      "faults", "classes",  "expectations" };
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
	ck_assert_ptr_nonnull(strstr(first, "\n \"host\": null"));
	ck_assert_ptr_nonnull(strstr(first, "\n \"fidelity\": null"));
	ck_assert_ptr_nonnull(strstr(first, "\"fabric\": \"flow-channel\""));
	/* the keys of every kind are there */
	ck_assert_ptr_nonnull(strstr(first, "\n \"roce\": null"));
	ck_assert_ptr_nonnull(strstr(first, "\n \"deadlocks\": []"));
	ck_assert_ptr_nonnull(strstr(first, "\"transport\": null"));
	ck_assert_ptr_nonnull(strstr(first, "\"paths\": null"));
	ck_assert_ptr_nonnull(strstr(timed, "\"packet_hops_per_cpu_s\": 5.0"));
	free(first);
	free(second);
	free(timed);
}

TEST(results_text_write__names_what_matters)
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

static char *summary_text(void)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	results_text_write(&plan, &results, NULL, NULL, false, out);
	fclose(out);
	return text;
}

/* the column of names is as wide as the longest name, or its title: tables stay aligned */
TEST_RANGE(results_text_write__name_columns, 0, 2)
{
	static const char *const names[][2] = { { "a", "b" }, { "a-name-of-20-letters", "b" } };
	char *text = NULL, line[2][64];
	size_t length = 0;
	int columns = _i ? 20 : (int)strlen("workload");
	FILE *out;

	for (uint32_t i = 0; i < 2; i++)
		strcpy(workloads[i].name, names[_i][i]);
	flow_add(0, 1, 0, 10, 10);
	flow_add(2, 1, 1, 10, 10);
	gather(true);
	out = open_memstream(&text, &length);
	results_text_write(&plan, &results, NULL, NULL, false, out);
	fclose(out);
	snprintf(line[0], sizeof(line[0]), "\n%-*s  from    to  ", columns, "workload");
	ck_assert_msg(strstr(text, line[0]) != NULL, "%s", text);
	snprintf(line[0], sizeof(line[0]), "\n%-*s  %6s  ", columns, "workload", "flows");
	ck_assert_msg(strstr(text, line[0]) != NULL, "%s", text);
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(line[i], sizeof(line[i]), "\n%-*s  h%u", columns, names[_i][i], 2 * i);
		ck_assert_msg(strstr(text, line[i]) != NULL, "%s", text);
		snprintf(line[i], sizeof(line[i]), "\n%-*s  %6d  ", columns, names[_i][i], 1);
		ck_assert_msg(strstr(text, line[i]) != NULL, "%s", text);
	}
	free(text);
}

/* TB-13: a row with packets sent again of which none arrives is marked, in the flows and, of many,
 * in the workloads */
TEST(results_text_write__undelivered)
{
	char *text;

	flow_add(0, 1, 0, 5, 5);
	flow_add(0, 2, 0, 5, 0);
	stats_flow_tx(pages[1], 0)->resent = stats_flow_tx(pages[1], 1)->resent = 3;
	gather(false);
	text = summary_text();
	ck_assert_ptr_nonnull(strstr(strstr(text, "-> h2"), "retransmits, nothing arrives\n"));
	ck_assert_uint_eq(results_undelivered_count(results.flows, results.flow_count), 1);
	free(text);
	text = json_text(NULL);
	ck_assert_ptr_nonnull(strstr(strstr(text, "\"dst\": \"h1\""), "\"undelivered\": false"));
	ck_assert_ptr_nonnull(strstr(strstr(text, "\"dst\": \"h2\""), "\"undelivered\": true"));
	free(text);
}

/* TB-13: messages that nic.messages-max has left without a time are told; so is how much of the run
 * was draining */
TEST(results_text_write__what_is_incomplete)
{
	char *text;

	flow_add(0, 1, 0, 5, 5);
	message_add(1, 0, 0, 3 * NODE_US);
	gather(false);
	text = summary_text();
	ck_assert_ptr_null(strstr(text, "incomplete"));
	ck_assert_ptr_null(strstr(text, "drain"));
	free(text);
	results_free(&results);
	pages[2]->messages_unlogged = 4;
	stats_flow_rx(pages[2], 0)->messages = 5;
	results.end_ps = plan.duration_ps + 2 * NODE_US;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
	text = summary_text();
	ck_assert_ptr_nonnull(strstr(text, "incomplete: 4 of 5 messages were not kept, because a "
					   "NIC keeps 8 (nic.messages-max)"));
	ck_assert_ptr_nonnull(strstr(
		text, "pauses, waits and maxima over the whole run, with 2.000 us of draining"));
	free(text);
	text = json_text(NULL);
	ck_assert_ptr_nonnull(strstr(text, "\"messages_unlogged\": 4"));
	free(text);
}

/* TB-13: of a run that was interrupted no link was busier than it can be */
TEST(results_gather__interrupted)
{
	static struct result_expectation expectation = { .text = "lost == 0", .ok = true };
	char *text;

	results.interrupted = true;
	results.end_ps = 3 * NODE_US;
	stats_port(pages[0], 0)->tx_busy_measured_ps = 2 * NODE_US + 300 * NODE_NS;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
	ck_assert_double_eq(results_port(&plan, &results, 0, 0)->utilisation, 1.0);
	results.expectations = malloc(sizeof(expectation));
	results.expectations[0] = expectation;
	results.expectation_count = 1;
	text = summary_text();
	ck_assert_ptr_nonnull(strstr(text, "interrupted: the figures are those of that moment"));
	ck_assert_ptr_nonnull(strstr(text, "expectations, of a run that was interrupted"));
	free(text);
}

/* and each of its tables says so, in a line that no reader takes for a row; those of other runs are
 * rows alone */
TEST(results_csv_write__interrupted)
{
	char folder[] = "/tmp/test_results.XXXXXX", path[128], line[1024], why[256];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	results.interrupted = true;
	results.end_ps = 3 * NODE_US;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
	ck_assert_int_eq(results_csv_write(&plan, pages, &results, folder, why, sizeof(why)), 0);
	for (unsigned i = 0; i < 5; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, results_csv_name(i));
		file = fopen(path, "r");
		ck_assert_ptr_nonnull(file);
		while (fgets(line, sizeof(line), file))
			;
		fclose(file);
		unlink(path);
		ck_assert_str_eq(line, "# interrupted=true end_ps=3000000 exit_status=130\n");
	}
	rmdir(folder);
}

/* TB-13: a wait for the peer that has not ended counts up to the end of the run, the drain
 * included */
TEST(results_gather__a_pause_that_goes_on)
{
	stats_port(pages[0], 0)->paused_ps = NODE_US;
	stats_port(pages[0], 0)->paused_since_ps = 2 * NODE_US;
	stats_port(pages[1], 0)->paused_ps = NODE_US;
	results.end_ps = 50 * NODE_US;
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
	ck_assert_uint_eq(results_port(&plan, &results, 0, 0)->stats.paused_ps, 49 * NODE_US);
	ck_assert_uint_eq(results_port(&plan, &results, 1, 0)->stats.paused_ps, NODE_US);
}

/* ---- congestion ---- */

/* h1 and h2 send to h0, whose port congests at 3 us; h1's port hears of it after 2 us, h2's after 5
 * us */
static void incast_add(void)
{
	struct port_stats *egress = stats_port(pages[0], 0);

	flow_add(1, 0, 0, 5, 5);
	flow_add(2, 0, 0, 5, 5);
	flow_add(2, 0, 1, 5, 5);
	*egress =
		(struct port_stats){ .eca_acks = 40, .eca_max = 255, .eca_first_ps = 3 * NODE_US };
	stats_port(pages[0], 1)->limited_first_ps = 5 * NODE_US;
	stats_port(pages[0], 2)->limited_first_ps = 8 * NODE_US;
}

/* EC-2, EC-5: from the first ACK_ECA to the last of the senders' edge ports that hear of it */
TEST(reaction_of__last_sender)
{
	struct reaction reaction;

	incast_add();
	gather(true);
	reaction = reaction_of(&plan, &results, 0);
	ck_assert_uint_eq(reaction.senders, 2);
	ck_assert_uint_eq(reaction.told, 2);
	ck_assert_uint_eq(reaction.first_ps, 3 * NODE_US);
	ck_assert_uint_eq(reaction.time_ps, 5 * NODE_US);
	ck_assert_uint_eq(reaction.trip_ps,
			  plan_ideal_ps(&plan, 1, 0, 0, 1) + plan_ideal_ps(&plan, 0, 1, 0, 1));
}

/* a sender that has not heard at all, or before the port had told anybody, does not count */
TEST(reaction_of__sender_not_reached)
{
	struct reaction reaction;

	incast_add();
	stats_port(pages[0], 1)->limited_first_ps = 2 * NODE_US;
	stats_port(pages[0], 2)->limited_first_ps = 0;
	gather(true);
	reaction = reaction_of(&plan, &results, 0);
	ck_assert_uint_eq(reaction.senders, 2);
	ck_assert_uint_eq(reaction.told, 0);
	reaction = reaction_of(&plan, &results, 1);
	ck_assert_uint_eq(reaction.senders, 0);
	ck_assert_uint_eq(reaction.first_ps, 0);
}

/* 2 flows of 5000 bytes in 10 us to one link of 100 Gb/s; FCS and gap of 1500-byte frames make them
 * 1524 / 1500 longer */
TEST(results_goodput_share__lesser_side)
{
	double share;

	for (uint32_t i = 0; i < HOSTS; i++)
		host_ports[i].gap_bytes = 20;
	flow_add(1, 0, 0, 5, 5);
	flow_add(2, 0, 0, 5, 5);
	gather(true);
	ck_assert(results_goodput_share(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 10000.0 * 8 * 1524 / 1500 / 1e6, 1e-12);
	ck_assert(!results_goodput_share(&plan, &results, &results.groups[1], &share));
	results_free(&results);
	flow_add(1, 2, 0, 10, 10); /* now two links at each side */
	gather(true);
	ck_assert(results_goodput_share(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 20000.0 * 8 * 1524 / 1500 / 2e6, 1e-12);
}

/* the flow with the least of the slower of its two links: of 5000 and 10000 bytes at 100 Gb/s, and
 * of 6000 at 50 Gb/s */
TEST(results_goodput_share_min__least_flow)
{
	double share;

	for (uint32_t i = 0; i < HOSTS; i++)
		host_ports[i].gap_bytes = 20;
	flow_add(0, 1, 0, 10, 10);
	flow_add(1, 2, 0, 5, 5);
	flow_add(2, 0, 1, 6, 6);
	host_ports[2].rate_bps = 50000000000;
	gather(true);
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 5000.0 * 8 * 1524 / 1500 / 5e5, 1e-12);
	ck_assert(results_goodput_share_min(&plan, &results, &results.all, &share));
	ck_assert_double_eq_tol(share, 5000.0 * 8 * 1524 / 1500 / 5e5, 1e-12);
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[1], &share));
	ck_assert_double_eq_tol(share, 6000.0 * 8 * 1524 / 1500 / 5e5, 1e-12);
}

/* a flow of which nothing came has no share; without flows there is no least one */
TEST(results_goodput_share_min__starved)
{
	double share;

	flow_add(0, 1, 0, 10, 10);
	flow_add(1, 2, 0, 5, 0);
	gather(false);
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq(share, 0);
	ck_assert(!results_goodput_share_min(&plan, &results, &results.groups[1], &share));
}

/* a fabric port has a buffer for every lane of a class, one to a host uses one of them */
TEST(results_buffer_share__of_all_lanes)
{
	double share;

	switch_ports[1].buffer_units = 100;
	nodes[0].class_count = 2;
	nodes[0].lanes = 4;
	stats_port(pages[0], 1)->input_units_max = 80;
	gather(true);
	ck_assert(results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	ck_assert_double_eq_tol(share, 0.4, 1e-12);
	switch_ports[1].kind = PORT_FABRIC;
	ck_assert(results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	ck_assert_double_eq_tol(share, 0.1, 1e-12);
}

TEST(results_buffer_share__of_all_classes)
{
	double share;

	gather(true);
	ck_assert(!results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	switch_ports[1].buffer_units = 100;
	nodes[0].class_count = 2;
	stats_port(pages[0], 1)->input_units_max = 50;
	results_free(&results);
	gather(true);
	ck_assert(results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	ck_assert_double_eq_tol(share, 0.25, 1e-12);
}

/* where nothing is chosen nothing is said of it */
TEST(results_has_paths__kinds)
{
	ck_assert(!results_has_paths(&plan));
	nodes[0].switch_.routing.choice = ROUTING_HASH;
	ck_assert(results_has_paths(&plan));
	nodes[0].fabric = FABRIC_ROCE;
	ck_assert(!results_has_paths(&plan));
	nodes[0].fabric = FABRIC_PORT_GROUP;
	nodes[0].switch_.routing.choice = ROUTING_STATIC;
	ck_assert(results_has_paths(&plan));
	nodes[0].fabric = FABRIC_FLOW_CHANNEL;
	nodes[0].switch_.routing.detour = DETOUR_ALWAYS;
	ck_assert(results_has_paths(&plan));
	nodes[0].switch_.routing.detour = DETOUR_NEVER;
	nodes[0].classes[0].unordered = true;
	ck_assert(results_has_paths(&plan));
}

TEST(results_json_write__congestion_of_a_port)
{
	char *text;

	incast_add();
	stats_port(pages[0], 0)->stops = 7;
	gather(true);
	text = json_text(NULL);
	ck_assert_ptr_nonnull(strstr(text, "\"eca_max\": 255"));
	ck_assert_ptr_nonnull(strstr(text, "\"eca_first_ps\": 3000000"));
	ck_assert_ptr_nonnull(strstr(text, "\"eca_first_ps\": null"));
	ck_assert_ptr_nonnull(strstr(text, "\"stops\": 7"));
	free(text);
}

/* a line's fields */
static uint32_t fields_of(const char *line)
{
	uint32_t count = 1;

	for (; *line; line++)
		count += *line == ',';
	return count;
}

/* every line of @name in @folder has as many fields as its header, and there are @rows of them; the
 * file is removed */
static void table_check(const char *folder, const char *name, uint32_t rows)
{
	char path[128], header[1024], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(header, sizeof(header), file));
	for (; fgets(line, sizeof(line), file); rows--)
		ck_assert_uint_eq(fields_of(line), fields_of(header));
	ck_assert_uint_eq(rows, 0);
	fclose(file);
	unlink(path);
}

/* TB-13: a header for every field, and a field for every header */
TEST(results_csv_write__columns)
{
	char folder[] = "/tmp/test_results.XXXXXX", why[256];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	free(pages[0]);
	nodes[0].samples_max = 4;
	pages[0] = calloc(1, stats_bytes(&nodes[0]));
	stats_init(pages[0], &nodes[0]);
	pages[0]->sample_count = 3;
	incast_add();
	message_add(0, 0, 0, NODE_US);
	gather(true);
	ck_assert_int_eq(results_csv_write(&plan, pages, &results, folder, why, sizeof(why)), 0);
	table_check(folder, "flows.csv", 3);
	table_check(folder, "messages.csv", 1);
	table_check(folder, "ports.csv", 2 * HOSTS);
	table_check(folder, "tables.csv", 3 * HOSTS);
	table_check(folder, "samples.csv", 3);
	nodes[0].fabric = FABRIC_PORT_GROUP; /* columns of paths, no tables of flow channels */
	ck_assert_int_eq(results_csv_write(&plan, pages, &results, folder, why, sizeof(why)), 0);
	table_check(folder, "flows.csv", 3);
	table_check(folder, "messages.csv", 1);
	table_check(folder, "ports.csv", 2 * HOSTS);
	table_check(folder, "tables.csv", 0);
	table_check(folder, "samples.csv", 3);
	ck_assert_int_eq(rmdir(folder), 0);
}

static char *congestion_text(void)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	results_congestion_write(&plan, &results, false, out);
	fclose(out);
	return text;
}

TEST(results_congestion_write__what_happened)
{
	struct port_stats *port = stats_port(pages[0], 1);
	char *text;

	incast_add();
	port->blocked_extent = 3;
	port->blocked_empty = 4;
	port->input_units_max = 10;
	port->extent_units_max = 20;
	port->headroom_starts = 5;
	port->fgfc_frames = 6;
	stats_port(pages[2], 0)->fgfc_refused = 8;
	stats_port(pages[0], 2)->stops = 9;
	gather(true);
	text = congestion_text();
	ck_assert_ptr_nonnull(strstr(text, "s1 -> h0 "));
	ck_assert_ptr_nonnull(strstr(text, "5.000 us ("));
	ck_assert_ptr_nonnull(strstr(text, "2 of 2 senders\n"));
	ck_assert_ptr_nonnull(strstr(text, "flow limit 3, ACKs of all before 4\n"));
	ck_assert_ptr_nonnull(strstr(text, "fullest input buffer: 2.560 kB, s1 port 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "5.120 kB at one input (s1 port 1)"));
	ck_assert_ptr_nonnull(strstr(text, "began 5 times, ended 0 times"));
	ck_assert_ptr_nonnull(strstr(text, "6 FGFC frames sent to NICs, 8 flows without an entry"));
	ck_assert_ptr_nonnull(strstr(text, ": 9, most of them by s1 port 2\n"));
	free(text);
}

/* a fabric without congestion says nothing of it, however much is under way; nor does a broken page
 * send us astray */
TEST(results_congestion_write__nothing_happened)
{
	char *text;

	flow_add(0, 1, 0, 5, 5);
	stats_port(pages[0], 1)->extent_units_max = 20;
	stats_port(pages[0], 1)->input_units_max = 20;
	stats_port(pages[1], 0)->eca_acks = 1;
	gather(true);
	text = congestion_text();
	ck_assert_str_eq(text, "");
	free(text);
}

static char *paths_text(void)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	results_paths_write(&plan, &results, false, out);
	fclose(out);
	return text;
}

static void paths_add(void)
{
	*stats_port(pages[0], 0) = (struct port_stats){ .choices = 150,
							.choices_other = 30,
							.choices_detour = 20,
							.choices_held = 7,
							.redirects = 2,
							.folds = 3,
							.credit_waits = 5,
							.credit_wait_ps = 7 * NODE_US };
	*stats_port(pages[0], 1) = (struct port_stats){ .choices = 50,
							.redirects = 4,
							.reroute_acks = 9,
							.fecn_marked = 11,
							.credit_waits = 4,
							.credit_wait_ps = NODE_US };
	pages[0]->now_ps = 10 * NODE_US;
	stats_port(pages[1], 0)->credit_waits = 1; /* a wait that goes on counts to the end */
	stats_port(pages[1], 0)->credit_since_ps = NODE_US;
	stats_port(pages[1], 0)->becns = 8;
	gather(true);
}

/* FC-23 ... FC-25, EC-11 */
TEST(results_paths_write__flow_channels)
{
	char *text;

	nodes[0].switch_.routing.choice = ROUTING_ADAPTIVE;
	paths_add();
	text = paths_text();
	ck_assert_ptr_nonnull(strstr(
		text,
		"choices 200: another port than the static one 30 (15.0 %), a detour 20 (10.0 %)"));
	ck_assert_ptr_nonnull(strstr(text, "kept on their path as a source of congestion 7\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "flows redirected 6, by 9 ACK_REROUTEs; most often at s1 port 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "forced onto one path (folded) 3\n"));
	ck_assert_ptr_null(strstr(text, "credit"));
	free(text);
}

/* PG-9, PG-10 */
TEST(results_paths_write__port_groups)
{
	char *text;

	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].fabric = FABRIC_PORT_GROUP;
	paths_add();
	text = paths_text();
	ck_assert_ptr_nonnull(strstr(text, "waited for credit 17.00 us in 10 waits, all ports of "
					   "switches and NICs together (longest h0 port "
					   "0, 9.000 us), packets marked FECN 11, BECNs 8\n"));
	free(text);
	text = json_text(NULL);
	ck_assert_ptr_nonnull(strstr(text, "\"fabric\": \"port-group\""));
	ck_assert_ptr_nonnull(strstr(text, "\"choices_other\": 30"));
	ck_assert_ptr_nonnull(strstr(text, "\"credit_waits\": 5"));
	ck_assert_ptr_nonnull(strstr(text, "\"credit_wait_ps\": 7000000"));
	free(text);
}

TEST(results_paths_write__no_choice)
{
	char *text;

	paths_add();
	text = paths_text();
	ck_assert_str_eq(text, "");
	free(text);
	text = json_text(NULL);
	ck_assert_ptr_null(strstr(text, "choices"));
	free(text);
}

static char *summary(void)
{
	static char *text;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	results_text_write(&plan, &results, NULL, NULL, false, out);
	fclose(out);
	return text;
}

/* TB-13, TB-14: a switch that was never given tables is named, and its run has failed */
TEST(results_symptom__switch_without_tables)
{
	char *text, why[64];

	flow_add(0, 1, 0, 5, 5);
	gather(true);
	ck_assert(!results_symptom_wrong(&plan, &results, why, sizeof(why)));
	text = json_text(NULL);
	ck_assert_ptr_nonnull(strstr(text, "\"symptoms\": []"));
	free(text);
	results_free(&results);
	pages[0]->tables_taken = 0;
	gather(true);
	ck_assert(results_symptom_wrong(&plan, &results, why, sizeof(why)));
	ck_assert_str_eq(why, "switch s1 has no tables");
	text = json_text(NULL);
	ck_assert_ptr_nonnull(strstr(text, "\"kind\": \"no-tables\",\n   \"node\": \"s1\""));
	free(text);
	text = summary();
	ck_assert_ptr_nonnull(strstr(text, "switch s1 has no tables: it has forwarded nothing"));
	free(text);
}

/* ... and a host of whose packets, sent again and again, none arrives; h2 has sent again as much,
 * but something arrives */
TEST(results_symptom__host_delivers_nothing)
{
	char *text, why[64];

	flow_add(0, 1, 0, 7, 0);
	flow_add(2, 1, 0, 7, 0);
	flow_add(2, 0, 0, 7, 1);
	flow_add(1, 0, 0, 7, 0); /* has sent nothing again: it may still arrive */
	stats_flow_tx(pages[1], 0)->resent = 6;
	stats_flow_tx(pages[3], 0)->resent = 6;
	gather(false);
	ck_assert_uint_eq(results.symptom_count, 1);
	ck_assert(!results_symptom_wrong(&plan, &results, why, sizeof(why)));
	text = json_text(NULL);
	ck_assert_ptr_nonnull(strstr(text,
				     "\"kind\": \"nothing-delivered\",\n   \"node\": \"h0\",\n"
				     "   \"resent_packets\": 6"));
	free(text);
	text = summary();
	ck_assert_ptr_nonnull(
		strstr(text, "host h0 has delivered nothing, and retransmitted 6 packets"));
	free(text);
}
