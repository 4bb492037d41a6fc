/*  orchestrator/results: what a run under the real clock prints beside the results of a virtual
 *  one: the lateness of each node, the verdict, and what the run cost, as text, JSON and CSV (TB-8,
 *  TB-13).
 *
 *  h0 -- s0 -- h1, 100 Mb/s and 1 ms a link; the pages are written here, as nodes would. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_real.h"
#include "orchestrator/results/results.h"
#include "orchestrator/results/results_text.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/output.h"

#define SCENARIO                                                                  \
	"name: real\nrun: {duration: 1s, warmup: 100ms}\n"                        \
	"topology: {generate: star, hosts: 2}\n"                                  \
	"links: {rate: 100Mb/s, delay: 1ms, mtu: 1514}\nswitch: {buffer: 1MiB}\n" \
	"workloads: [{name: w, pattern: permutation, packet: 1514}]\n"

enum { S0, H0, H1, NODES };

static struct plan plan;
static struct stats_page *pages[NODES];
static struct results results;
static char *text;

static void set_up(void)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("r.yaml", SCENARIO, strlen(SCENARIO), NULL, 0, &scenario,
					 &errors);

	if (!error)
		error = plan_make_traffic(&scenario, &plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
	for (uint32_t i = 0; i < NODES; i++) {
		pages[i] = calloc(1, stats_bytes(&plan.nodes[i]));
		stats_init(pages[i], &plan.nodes[i]);
		for (uint32_t turn = 0; turn < 990 + i; turn++)
			stats_lateness_add(&pages[i]->lateness, 20000);
		for (uint32_t turn = 0; turn < 10 * (i + 1); turn++)
			stats_lateness_add(&pages[i]->lateness, 700000);
		pages[i]->lateness.max_ns = 812345;
		pages[i]->behind_max_ns = 4321 * i;
		stats_port(pages[i], 0)->ring_full_ps = i * 5 * NODE_US;
	}
	results = (struct results){ .end_ps = NODE_S };
}

static void tear_down(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		free(pages[i]);
	results_free(&results);
	plan_free(&plan);
	free(text);
	text = NULL;
}

static void gather(void)
{
	ck_assert_int_eq(results_gather(&plan, pages, &results), 0);
}

static const struct result_host host = { .start_s = 0.25,
					 .wall_s = 1.5,
					 .end_s = 0.125,
					 .cpu_s = 0.5,
					 .packet_hops = 12000,
					 .windows = 100,
					 .node_windows = 250,
					 .wakes = 17,
					 .stolen_s = 0.75,
					 .moves = 3,
					 .workers = 2,
					 .unfiltered_nodes = 4 };

/* what begins with @from of the text, to its end */
static void ends_with(const char *from, const char *expected)
{
	const char *found = strstr(text, from);

	ck_assert_msg(found, "no '%s' in %s", from, text);
	ck_assert_str_eq(found, expected);
}

static void text_write(const struct result_host *of, const char *loops, bool colour)
{
	size_t size;
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	results_text_write(&plan, &results, of, loops, colour, out);
	fclose(out);
}

TEST_GROUP(results_real, .setup = set_up, .teardown = tear_down);

TEST(results_text__lateness_and_cost)
{
	gather();
	text_write(&host, "io_uring", false);
	ends_with("node  ",
		  "node      turns    late p50         p99         max    absorbed     lag "
		  "max   ring full  verdict\n"
		  "s0         1000    20.48 us    20.48 us    812.3 us    1.000 ms        "
		  "0 ps        0 ps  valid\n"
		  "h0         1011    20.48 us    786.4 us    812.3 us    1.000 ms    "
		  "4.321 us    5.000 us  valid\n"
		  "h1         1022    20.48 us    786.4 us    812.3 us    1.000 ms    "
		  "8.642 us    10.00 us  valid\n"
		  "fidelity: valid\n"
		  "h0 was late by p50 20.48 us, p99 786.4 us, max 812.3 us; its links "
		  "absorb 1.000 ms; its largest lag was 4.321 us\n"
		  "\n"
		  "cost: 1.500 s (start 0.250 s, end 0.125 s), CPU 0.500 s, 12000 "
		  "packet-hops, 2.4e+04 per CPU second\n");
}

TEST(results_text__not_valid)
{
	pages[H1]->behind_max_ns = 600000000;
	gather();
	text_write(NULL, NULL, true);
	ends_with("fidelity",
		  "fidelity: \033[1;31mNOT VALID: h1 lagged by more than 1 % of the "
		  "run\033[0m\n"
		  "h1 was late by p50 20.48 us, p99 786.4 us, max 812.3 us; its links "
		  "absorb 1.000 ms; its largest lag was 600.0 ms. Nothing has arrived: try "
		  "much lower rates\n");
}

/* the end of the JSON, from "fidelity" on */
static const char fidelity_and_host[] =
	" \"fidelity\": {\n"
	"  \"valid\": true,\n"
	"  \"verdict\": \"valid\",\n"
	"  \"reason\": \"\",\n"
	"  \"words\": \"valid\",\n"
	"  \"uncarried_bytes\": 0,\n"
	"  \"text\": \"h0 was late by p50 20.48 us, p99 786.4 us, max 812.3 us; "
	"its links absorb 1.000 ms; its largest lag was 4.321 us\",\n"
	"  \"worst_node\": \"h0\",\n"
	"  \"nodes\": [\n"
	"   {\n"
	"    \"name\": \"s0\",\n"
	"    \"verdict\": \"valid\",\n"
	"    \"reason\": \"\",\n"
	"    \"added_delay_ns\": 0,\n"
	"    \"stalled_ns\": 0,\n"
	"    \"uncarried_bytes\": 0,\n"
	"    \"turns\": 1000,\n"
	"    \"lateness_p50_ns\": 20479,\n"
	"    \"lateness_p99_ns\": 20479,\n"
	"    \"lateness_max_ns\": 812345,\n"
	"    \"links_absorb_ns\": 1000350,\n"
	"    \"behind_max_ns\": 0,\n"
	"    \"ring_full_ps\": 0\n"
	"   },\n"
	"   {\n"
	"    \"name\": \"h0\",\n"
	"    \"verdict\": \"valid\",\n"
	"    \"reason\": \"\",\n"
	"    \"added_delay_ns\": 0,\n"
	"    \"stalled_ns\": 0,\n"
	"    \"uncarried_bytes\": 0,\n"
	"    \"turns\": 1011,\n"
	"    \"lateness_p50_ns\": 20479,\n"
	"    \"lateness_p99_ns\": 786431,\n"
	"    \"lateness_max_ns\": 812345,\n"
	"    \"links_absorb_ns\": 1000500,\n"
	"    \"behind_max_ns\": 4321,\n"
	"    \"ring_full_ps\": 5000000\n"
	"   },\n"
	"   {\n"
	"    \"name\": \"h1\",\n"
	"    \"verdict\": \"valid\",\n"
	"    \"reason\": \"\",\n"
	"    \"added_delay_ns\": 0,\n"
	"    \"stalled_ns\": 0,\n"
	"    \"uncarried_bytes\": 0,\n"
	"    \"turns\": 1022,\n"
	"    \"lateness_p50_ns\": 20479,\n"
	"    \"lateness_p99_ns\": 786431,\n"
	"    \"lateness_max_ns\": 812345,\n"
	"    \"links_absorb_ns\": 1000500,\n"
	"    \"behind_max_ns\": 8642,\n"
	"    \"ring_full_ps\": 10000000\n"
	"   }\n"
	"  ]\n"
	" },\n"
	" \"host\": {\n"
	"  \"start_s\": 0.25,\n"
	"  \"wall_s\": 1.5,\n"
	"  \"end_s\": 0.125,\n"
	"  \"cpu_s\": 0.5,\n"
	"  \"packet_hops\": 12000,\n"
	"  \"packet_hops_per_cpu_s\": 24000.0,\n"
	"  \"windows\": 100,\n"
	"  \"node_windows\": 250,\n"
	"  \"wakes\": 17,\n"
	"  \"stolen_s\": 0.75,\n"
	"  \"moves\": 3,\n"
	"  \"workers\": 2,\n"
	"  \"unfiltered_nodes\": 4\n"
	" }\n"
	"}\n";

TEST(results_json__lateness_and_cost)
{
	gather();
	text = json_of(&plan, &results, &host);
	ends_with(" \"fidelity\"", fidelity_and_host);
}

TEST(results_csv__nodes)
{
	size_t size;
	unsigned index = 0;
	FILE *out;

	gather();
	while (strcmp(results_csv_name(index), "nodes.csv") != 0)
		index++;
	ck_assert(results_csv_has(&plan, &results, index));
	results.interrupted = true;
	out = open_memstream(&text, &size);
	ck_assert_int_eq(results_csv_table(&plan, pages, NULL, &results, index, out), 0);
	fclose(out);
	ck_assert_str_eq(text,
			 "node,verdict,reason,added_delay_ns,stalled_ns,uncarried_bytes,turns,"
			 "lateness_p50_ns,lateness_p99_ns,lateness_max_ns,links_absorb_ns,"
			 "behind_max_ns,ring_full_ps\n"
			 "s0,valid,,0,0,0,1000,20479,20479,812345,1000350,0,0\n"
			 "h0,valid,,0,0,0,1011,20479,786431,812345,1000500,4321,5000000\n"
			 "h1,valid,,0,0,0,1022,20479,786431,812345,1000500,8642,10000000\n"
			 "# interrupted=true end_ps=1000000000000 exit_status=130\n");
}
