/*  orchestrator/results/results_symptom: reports switches without tables, and hosts that deliver
 *  nothing (TB-13, TB-14). */
#include "orchestrator/results/results_symptom.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

TEST_GROUP(symptom, .setup = set_up, .teardown = tear_down);

/* TB-13, TB-14: a switch that never received tables is named, and its run has failed */
TEST(results_symptom__switch_without_tables)
{
	char *text, why[64];

	flow_add(0, 1, 0, 5, 5);
	gather(true);
	ck_assert(!results_symptom_wrong(&plan, &results, why, sizeof(why)));
	text = json_text(NULL);
	HAS(text, "\"symptoms\": []");
	free(text);
	results_free(&results);
	pages[0]->tables_taken = 0;
	gather(true);
	ck_assert(results_symptom_wrong(&plan, &results, why, sizeof(why)));
	ck_assert_str_eq(why, "switch s1 has no tables");
	text = json_text(NULL);
	HAS(text, "\"kind\": \"no-tables\",\n   \"node\": \"s1\"");
	free(text);
	text = summary_text();
	HAS(text, "switch s1 has no tables: it has forwarded nothing");
	free(text);
}

/* a host that retransmits and of whose packets none arrives is named; of h2, which retransmits as
 * much, something arrives */
TEST(results_symptom__host_delivers_nothing)
{
	char *text, why[64];

	flow_add(0, 1, 0, 7, 0);
	flow_add(2, 1, 0, 7, 0);
	flow_add(2, 0, 0, 7, 1);
	flow_add(1, 0, 0, 7, 0); /* without retransmits: it may still arrive */
	stats_flow_tx(pages[1], 0)->resent = 6;
	stats_flow_tx(pages[3], 0)->resent = 6;
	gather(false);
	ck_assert_uint_eq(results.symptom_count, 1);
	ck_assert(!results_symptom_wrong(&plan, &results, why, sizeof(why)));
	text = json_text(NULL);
	HAS(text, "\"kind\": \"nothing-delivered\",\n   \"node\": \"h0\",\n"
		  "   \"resent_packets\": 6");
	free(text);
	text = summary_text();
	HAS(text, "host h0 has delivered nothing, and retransmitted 6 packets");
	free(text);
}

/* with several, the first in the order of the plan is named and the others are counted */
TEST(results_symptom_wrong__several_switches)
{
	struct result_symptom *rows = calloc(4, sizeof(*rows));
	char why[64];

	rows[0] = (struct result_symptom){ .kind = SYMPTOM_NOTHING_DELIVERED, .node = 1 };
	rows[1] = (struct result_symptom){ .kind = SYMPTOM_NO_TABLES, .node = 2 };
	rows[2] = (struct result_symptom){ .kind = SYMPTOM_NOTHING_DELIVERED, .node = 0 };
	rows[3] = (struct result_symptom){ .kind = SYMPTOM_NO_TABLES, .node = 3 };
	results.symptoms = rows;
	results.symptom_count = 3;
	ck_assert(results_symptom_wrong(&plan, &results, why, sizeof(why)));
	ck_assert_str_eq(why, "switch h1 has no tables");
	results.symptom_count = 4;
	ck_assert(results_symptom_wrong(&plan, &results, why, sizeof(why)));
	ck_assert_str_eq(why, "switch h1 and 1 more have no tables");
}

/* up to 12 are shown, and the number of the others */
TEST_RANGE(results_symptom_write__shown_and_counted, 11, 15)
{
	struct result_symptom *rows = calloc((size_t)_i, sizeof(*rows));
	char *text = NULL, rest[32];
	size_t length;
	FILE *out = open_memstream(&text, &length);
	unsigned lines = 0;

	for (int i = 0; i < _i; i++)
		rows[i] = (struct result_symptom){ .kind = SYMPTOM_NOTHING_DELIVERED,
						   .node = 1,
						   .resent = 100u + (unsigned)i };
	results.symptoms = rows;
	results.symptom_count = (uint32_t)_i;
	results_symptom_write(&plan, &results, true, out);
	fclose(out);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	HAS(text, "\n\033[1;31mhost h0 has delivered nothing, and retransmitted 100 "
		  "packets\033[0m\n");
	ck_assert_uint_eq(lines, _i > 12 ? 14 : (unsigned)_i + 1);
	snprintf(rest, sizeof(rest), "... and %d more\n", _i - 12);
	ck_assert_int_eq(strstr(text, "... and") != NULL, _i > 12);
	if (_i > 12)
		HAS(text, rest);
	free(text);
}

/* rows that name no host of the plan count for none */
TEST(results_symptom__flow_of_no_host)
{
	flow_add(0, 1, 0, 7, 0);
	stats_flow_tx(pages[1], 0)->resent = 6;
	gather(false);
	ck_assert_uint_eq(results.symptom_count, 1);
	results.flows[0].source = HOSTS;
	free(results.symptoms);
	results.symptoms = NULL;
	results.symptom_count = 0;
	ck_assert_int_eq(results_symptom_gather(&plan, pages, &results), 0);
	ck_assert_uint_eq(results.symptom_count, 0);
}
