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
