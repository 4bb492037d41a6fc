/*  orchestrator/results/results_text: the results as text for people (TB-13). */
#include "orchestrator/results/results_symptom.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

TEST_GROUP(text, .setup = set_up, .teardown = tear_down);

TEST(results_text_write__counts_and_names)
{
	char *text;

	flow_add(0, 1, 0, 5, 5);
	gather(true);
	text = summary_text();
	HAS(text, "1 switch, 3 NICs", "4.000 Gb/s", "h0");
	ck_assert_ptr_null(strstr(text, "\033"));
	free(text);
}

/* the column of names is as wide as the longest name or its title: tables stay aligned */
TEST_RANGE(results_text_write__name_columns, 0, 2)
{
	static const char *const names[][2] = { { "a", "b" }, { "a-name-of-20-letters", "b" } };
	char *text, line[64];
	int columns = _i ? 20 : (int)strlen("workload");

	for (uint32_t i = 0; i < 2; i++)
		strcpy(workloads[i].name, names[_i][i]);
	flow_add(0, 1, 0, 10, 10);
	flow_add(2, 1, 1, 10, 10);
	gather(true);
	text = summary_text();
	snprintf(line, sizeof(line), "\n%-*s  from    to  ", columns, "workload");
	ck_assert_msg(strstr(text, line) != NULL, "%s", text);
	snprintf(line, sizeof(line), "\n%-*s  %6s  ", columns, "workload", "flows");
	ck_assert_msg(strstr(text, line) != NULL, "%s", text);
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "\n%-*s  h%u", columns, names[_i][i], 2 * i);
		ck_assert_msg(strstr(text, line) != NULL, "%s", text);
		snprintf(line, sizeof(line), "\n%-*s  %6d  ", columns, names[_i][i], 1);
		ck_assert_msg(strstr(text, line) != NULL, "%s", text);
	}
	free(text);
}

/* TB-13: a flow that retransmits and of which nothing arrives is marked */
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

/* TB-13: the text says how many messages have no time because of nic.messages-max, and how much of
 * the run was draining */
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
	gather_at(plan.duration_ps + 2 * NODE_US);
	text = summary_text();
	HAS(text,
	    "incomplete: 4 of 5 messages were not kept, because a "
	    "NIC keeps 8 (nic.messages-max)",
	    "pauses, waits and maxima over the whole run, with 2.000 us of draining");
	free(text);
	text = json_text(NULL);
	HAS(text, "\"messages_unlogged\": 4");
	free(text);
}

/* what the run has cost on this machine */
static char *text_with(const struct result_host *host)
{
	static char *text; /* gcc 12 takes what is found in it for a pointer into a local */
	size_t length;
	FILE *out = open_memstream(&text, &length);

	results_text_write(&plan, &results, host, "", false, out);
	fclose(out);
	return text;
}

TEST(results_text_write__cost)
{
	struct result_host host = { .start_s = 0.25,
				    .wall_s = 1.5,
				    .end_s = 0.125,
				    .cpu_s = 2,
				    .packet_hops = 500000,
				    .windows = 100,
				    .node_windows = 250,
				    .wakes = 77 };
	char *text;

	gather(true);
	text = text_with(&host);
	HAS(text, "\ncost: 1.500 s (start 0.250 s, end 0.125 s), CPU 2.000 s, 500000 packet-hops, "
		  "2.5e+05 per CPU second, 100 windows of 2.5 nodes, 77 wake-ups\n");
	ck_assert_ptr_null(strstr(text, "other programs"));
	free(text);
	host.windows = 0;
	host.cpu_s = 0;
	host.moves = 3;
	host.stolen_s = 0.75;
	text = text_with(&host);
	HAS(text, " 500000 packet-hops, 0 per CPU second, 0 windows of 0.0 nodes, ",
	    "\nother programs took 0.750 s of the cores from waiting nodes; the nodes were moved 3 "
	    "times\n");
	free(text);
	text = text_with(NULL);
	ck_assert_ptr_null(strstr(text, "cost:"));
	free(text);
}

/* TB-8: each column of lateness, below its title */
TEST(results_text_write__lateness)
{
	char *text;

	gather(true);
	results.fidelity.nodes = calloc(NODES, sizeof(*results.fidelity.nodes));
	results.fidelity.nodes[0] = (struct result_lateness){
		.node = { .events = 77, .p50_ns = 1000, .p99_ns = 2000, .max_ns = 3000 },
		.made_up_ns = 4000,
		.behind_ns = 5000,
		.ring_full_ps = 6 * NODE_US
	};
	text = summary_text();
	HAS(text,
	    "\nnode      turns    late p50         p99         max    absorbed     lag max   ring "
	    "full  verdict\n",
	    "\ns1           77    1.000 us    2.000 us    3.000 us    4.000 us    5.000 us    "
	    "6.000 "
	    "us  valid\n");
	free(text);
}

/* each reason that there was */
TEST(results_text_write__drops)
{
	char line[256], *text;

	gather(true);
	text = summary_text();
	ck_assert_ptr_null(strstr(text, "frames dropped"));
	free(text);
	pages[0]->drops[DROP_NO_ROUTE] = 3;
	pages[2]->drops[DROP_NO_ROUTE] = 1;
	pages[1]->drops[DROP_LINK_DOWN] = 5;
	gather(true);
	text = summary_text();
	snprintf(line, sizeof(line), "\nframes dropped: %s %d, %s %d\n",
		 stats_drop_name[DROP_NO_ROUTE < DROP_LINK_DOWN ? DROP_NO_ROUTE : DROP_LINK_DOWN],
		 DROP_NO_ROUTE < DROP_LINK_DOWN ? 4 : 5,
		 stats_drop_name[DROP_NO_ROUTE < DROP_LINK_DOWN ? DROP_LINK_DOWN : DROP_NO_ROUTE],
		 DROP_NO_ROUTE < DROP_LINK_DOWN ? 5 : 4);
	HAS(text, line);
	free(text);
}

/* the port with the fullest table of each kind, and its size */
TEST(results_text_write__tables)
{
	char *text;

	gather(true);
	text = summary_text();
	ck_assert_ptr_null(strstr(text, "flow channel tables"));
	free(text);
	stats_port(pages[0], 0)->efct_used_max = 3;
	stats_port(pages[0], 1)->efct_used_max = 5;
	stats_port(pages[0], 2)->efct_used_max = 4;
	stats_port(pages[0], 2)->ofct_used_max = 9;
	gather(true);
	results.totals.channels = 2;
	text = summary_text();
	HAS(text,
	    "\nflow channel tables, most lines in use at a port: edge (EFCT) 5 of 16 (s1 port "
	    "1), output (OFCT) 9 of 16 (s1 port 2); at the end 2\n");
	free(text);
}

/* by how busy they are; at the same load the longer queue comes first; idle ones are left out */
TEST(results_text_write__busiest_links)
{
	char *text;

	for (uint32_t p = 0; p < 2; p++)
		*stats_port(pages[0], p) = (struct port_stats){ .tx_frames = 1,
								.tx_busy_measured_ps = 5 * NODE_US,
								.queue_bytes_max = 1000 + 1000 * p,
								.paused_ps = (p + 1) * NODE_US,
								.lost_frames = 40 + p };
	*stats_port(pages[3], 0) =
		(struct port_stats){ .tx_frames = 1, .tx_busy_measured_ps = 9 * NODE_US };
	gather(true);
	text = summary_text();
	HAS(text, "\nbusiest links       busy    queue mean     queue max  waited for peer  frames "
		  "lost\n"
		  "h2   -> s1      90.00 %           0 B           0 B             0 ps  0\n"
		  "s1   -> h1      50.00 %           0 B      2.000 kB         2.000 us  41\n"
		  "s1   -> h0      50.00 %           0 B      1.000 kB         1.000 us  40\n\n");
	free(text);
}

TEST(results_text_write__totals_do_not_balance)
{
	char *text;

	flow_add(0, 1, 0, 5, 5);
	gather(true);
	text = summary_text();
	ck_assert_ptr_null(strstr(text, "do not balance"));
	free(text);
	results.totals.inside_bytes = -5;
	results.totals.held_bytes = 777;
	text = summary_text();
	HAS(text, ", inside -5 B\nthe totals do not balance: the nodes hold 777 bytes\n");
	free(text);
}

/* values of expectations are aligned, also beside characters of two bytes */
TEST(results_text_write__expectations)
{
	struct result_expectation rows[] = {
		{ .text = "jain == 1 \xc2\xb1 2%", .known = true, .ok = true, .shown = "1" },
		{ .text = "lost == 0", .known = true, .shown = "5" },
	};
	char *text;

	gather(true);
	results.expectations = rows;
	results.expectation_count = 2;
	text = summary_text();
	results.expectations = NULL;
	HAS(text, "\nok      jain == 1 \xc2\xb1 2%  1\nFAILED  lost == 0       5\n");
	free(text);
}

/* without any port there is no table of links */
TEST(results_text_write__no_ports)
{
	char *text;
	uint32_t count;

	gather(true);
	count = results.port_count;
	results.port_count = 0;
	text = summary_text();
	ck_assert_ptr_null(strstr(text, "busiest links"));
	free(text);
	results.port_count = count;
	text = summary_text();
	HAS(text, "\nbusiest links  ");
	free(text);
}

/* under the real clock there are no windows */
TEST(results_text_write__cost_of_the_real_clock)
{
	const struct result_host host = { .start_s = 0.25,
					  .wall_s = 1.5,
					  .end_s = 0.125,
					  .cpu_s = 2,
					  .packet_hops = 500000,
					  .windows = 100 };
	const struct result_host idle = { .wall_s = 1.5, .packet_hops = 7 };
	char *text;

	gather(true);
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].clock = CLOCK_REAL;
	text = text_with(&host);
	HAS(text, "\ncost: 1.500 s (start 0.250 s, end 0.125 s), CPU 2.000 s, 500000 packet-hops, "
		  "2.5e+05 per CPU second\n");
	free(text);
	text = text_with(&idle);
	HAS(text, " CPU 0.000 s, 7 packet-hops, 0 per CPU second\n");
	free(text);
}
