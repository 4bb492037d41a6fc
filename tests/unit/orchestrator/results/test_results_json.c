/*  orchestrator/results/results_json: the results as JSON: its keys, and the same bytes each time
 *  (TB-7, TB-13). */
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

TEST_GROUP(json, .setup = set_up, .teardown = tear_down);

/* TB-7, TB-13: the same results give the same bytes; `host` alone depends on the machine */
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
