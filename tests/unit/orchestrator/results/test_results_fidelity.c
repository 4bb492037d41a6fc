/*  orchestrator/results/results_fidelity: which run under the real clock is valid, and what the
 *  others print (TB-8).
 *
 *  h0 -- s1 -- h1, 100 Mb/s and 1 ms a link; the pages are written here, as nodes would. The run
 *  took a second. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/results.h"
#include "orchestrator/results/results_fidelity.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/output.h"

enum { S1, H0, H1, NODES };

static struct port_config switch_ports[2], host_ports[2];
static struct node_config nodes[NODES];
static struct plan plan;
static struct stats_page *pages[NODES];
static struct results results;
static char text[1024], words[FIDELITY_WORDS_MAX];

static struct port_config port_to(uint32_t peer_index, uint32_t peer_port, const char *peer_name)
{
	struct port_config port = { .kind = PORT_EDGE,
				    .peer_index = peer_index,
				    .peer_port = peer_port,
				    .rate_bps = 100000000,
				    .delay_ps = NODE_MS,
				    .buffer_units = 100,
				    .ring_bytes = 1 << 19 };

	snprintf(port.peer_name, sizeof(port.peer_name), "%s", peer_name);
	return port;
}

static void set_up(void)
{
	switch_ports[0] = port_to(H0, 0, "h0");
	switch_ports[1] = port_to(H1, 0, "h1");
	for (uint32_t i = 0; i < 2; i++)
		host_ports[i] = port_to(S1, i, "s1");
	nodes[S1] = (struct node_config){
		.kind = NODE_SWITCH, .name = "s1", .port_count = 2, .ports = switch_ports
	};
	nodes[H0] = (struct node_config){
		.kind = NODE_NIC, .name = "h0", .port_count = 1, .ports = &host_ports[0]
	};
	nodes[H1] = (struct node_config){
		.kind = NODE_NIC, .name = "h1", .port_count = 1, .ports = &host_ports[1]
	};
	plan = (struct plan){
		.node_count = NODES, .switch_count = 1, .host_count = 2, .nodes = nodes
	};
	results = (struct results){ .end_ps = NODE_S };
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i].index = i;
		nodes[i].clock = CLOCK_REAL;
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
		for (uint32_t turn = 0; turn < 1000; turn++)
			stats_lateness_add(&pages[i]->lateness, 20000);
	}
}

static void tear_down(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		free(pages[i]);
	results_free(&results);
}

static void gather(void)
{
	ck_assert_int_eq(results_fidelity_gather(&plan, pages, &results), 0);
	if (results.fidelity.nodes)
		results_fidelity_describe(&plan, &results, text, sizeof(text));
}

TEST_GROUP(results_fidelity, .setup = set_up, .teardown = tear_down);

TEST(results_valid__always_under_the_virtual_clock)
{
	nodes[S1].clock = CLOCK_VIRTUAL;
	gather();
	ck_assert_ptr_null(results.fidelity.nodes);
	ck_assert(results_valid(&results));
}

TEST(results_valid__if_links_absorb_lateness)
{
	gather();
	ck_assert(results_valid(&results));
	ck_assert_int_eq(results.fidelity.verdict, FIDELITY_VALID);
	ck_assert_uint_eq(results.fidelity.nodes[S1].made_up_ns, 1000000);
}

/* the link that absorbs least counts, at whichever port it is */
TEST_RANGE(results_valid__by_the_shortest_link, 0, 2)
{
	switch_ports[_i].delay_ps = NODE_MS / 2;
	host_ports[_i].delay_ps = NODE_MS / 2;
	gather();
	ck_assert_uint_eq(results.fidelity.nodes[S1].made_up_ns, 500000);
}

/* a turn of 200 ms: it counts if the data of a peer, at whichever port, waited meanwhile */
TEST_RANGE(results_valid__stalled_if_a_peer_waited, 0, 2)
{
	stats_lateness_add(&pages[S1]->lateness, 200000000);
	gather();
	ck_assert_uint_eq(results.fidelity.nodes[S1].node.stalled_ppm, 0);
	free(results.fidelity.nodes);
	results.fidelity = (struct result_fidelity){ 0 };
	stats_port(pages[H0 + _i], 0)->paused_ps = 100 * NODE_MS;
	gather();
	ck_assert(!results_valid(&results));
	ck_assert_uint_eq(results.fidelity.nodes[S1].node.stalled_ppm, 100000);
}

TEST(results_valid__delayed_but_rates_hold)
{
	for (uint32_t turn = 0; turn < 100; turn++)
		stats_lateness_add(&pages[S1]->lateness, 3000000);
	gather();
	ck_assert(results_valid(&results));
	ck_assert_int_eq(results.fidelity.verdict, FIDELITY_VALID_FOR_RATES);
	ck_assert_uint_eq(results.fidelity.worst, S1);
	HAS(text, "s1 was late by p50", "--set links.delay=5ms");
}

/* a delay of more than 100 ms is not suggested */
TEST(results_fidelity_describe__longest_delay)
{
	for (uint32_t turn = 0; turn < 100; turn++)
		stats_lateness_add(&pages[S1]->lateness, 90000000);
	gather();
	ck_assert_int_eq(results.fidelity.verdict, FIDELITY_VALID_FOR_RATES);
	HAS(text, "--set links.delay=100ms");
	results.fidelity.nodes[S1].made_up_ns =
		100000000 - results.fidelity.nodes[S1].node.added_ns;
	results_fidelity_describe(&plan, &results, text, sizeof(text));
	HAS(text, "--set links.delay=100ms");
	results.fidelity.nodes[S1].made_up_ns++;
	results_fidelity_describe(&plan, &results, text, sizeof(text));
	HAS(text, "s1 was late by p50");
	ck_assert_ptr_null(strstr(text, "delays absorb it"));
}

/* where there is no space for all of it */
TEST(results_fidelity_describe__cut)
{
	char start[32];

	for (uint32_t turn = 0; turn < 100; turn++)
		stats_lateness_add(&pages[S1]->lateness, 3000000);
	gather();
	for (size_t max = 1; max <= sizeof(start); max++) {
		results_fidelity_describe(&plan, &results, start, max);
		ck_assert_uint_eq(strlen(start), max - 1);
		ck_assert_int_eq(strncmp(start, text, max - 1), 0);
	}
}

TEST(results_valid__not_if_a_node_was_very_late)
{
	struct result_port port = { .node = S1, .port = 1, .stats.tx_bytes = 8000000 };

	results.ports = malloc(sizeof(port));
	memcpy(results.ports, &port, sizeof(port));
	results.port_count = 1;
	pages[H1]->behind_max_ns = 10000000; /* 1 % of the run */
	gather();
	ck_assert(results_valid(&results));
	free(results.fidelity.nodes);
	results.fidelity = (struct result_fidelity){ 0 };
	pages[H1]->behind_max_ns++;
	gather();
	ck_assert(!results_valid(&results));
	ck_assert_uint_eq(results.fidelity.worst, H1);
	ck_assert_str_eq(results_fidelity_words(&plan, &results, words),
			 "NOT VALID: h1 lagged by more than 1 % of the run");
	HAS(text, "s1 to h1, carried 64.00 Mb/s", "--set links.rate=20Mb/s");
}

TEST(results_valid__not_if_a_ring_was_full)
{
	stats_port(pages[S1], 1)->ring_full_ps = 20 * NODE_MS;
	gather();
	ck_assert(!results_valid(&results));
	HAS(text, "the ring from s1 to h1 was full for 2.0 % of the run: h1 is too slow",
	    "Nothing has arrived");
}

/* s1 was late by 200 ms, its buffers last for 39 ms, and h0 waited for 80 ms: 1 MB at 100 Mb/s */
TEST(results_valid__not_if_links_idled)
{
	stats_lateness_add(&pages[S1]->lateness, 200000000);
	stats_port(pages[H0], 0)->paused_ps = 80 * NODE_MS;
	stats_port(pages[S1], 0)->rx_bytes = 2000000;
	gather();
	ck_assert(!results_valid(&results));
	ck_assert_int_eq(results.fidelity.nodes[S1].reason, FIDELITY_RATES);
	ck_assert_uint_eq(results.fidelity.uncarried_bytes, 1000000);
	HAS(text, "up to 1.000 MB that were offered were not carried in time",
	    "Nothing has arrived");
}

TEST(results_round__one_two_five)
{
	static const uint64_t rows[][3] = {
		{ 0, 0, 0 },     { 1, 1, 1 },       { 3, 2, 5 },
		{ 7, 5, 10 },    { 19, 10, 20 },    { 50, 50, 50 },
		{ 51, 50, 100 }, { 249, 200, 500 }, { 1001, 1000, 2000 }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_uint_eq(results_round_down(rows[i][0]), rows[i][1]);
		ck_assert_uint_eq(results_round_up(rows[i][0]), rows[i][2]);
	}
	ck_assert_uint_eq(results_round_down(UINT64_MAX), 10000000000000000000ull);
}
