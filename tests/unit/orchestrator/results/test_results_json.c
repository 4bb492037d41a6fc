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
	HAS(first, "\n \"host\": null", "\n \"fidelity\": null", "\"fabric\": \"flow-channel\"");
	/* the keys of every kind are there */
	HAS(first, "\n \"roce\": null", "\n \"deadlocks\": []", "\"transport\": null",
	    "\"paths\": null");
	HAS(timed, "\"packet_hops_per_cpu_s\": 5.0");
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
	HAS(text, "\"eca_max\": 255", "\"eca_first_ps\": 3000000", "\"eca_first_ps\": null",
	    "\"stops\": 7");
	free(text);
}
