/*  orchestrator/results/results_paths: choices of paths, redirects, and waits for credit, as text
 *  (TB-13, FC-23 to FC-25, PG-9). */
#include "orchestrator/results/results_paths.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

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
	stats_port(pages[1], 0)->credit_waits = 1; /* a wait that has not ended counts to the end */
	stats_port(pages[1], 0)->credit_since_ps = NODE_US;
	stats_port(pages[1], 0)->becns = 8;
	gather(true);
}

TEST_GROUP(paths, .setup = set_up, .teardown = tear_down);

/* a fabric without a choice of paths has no section on paths */
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

/* FC-23 to FC-25, EC-11 */
TEST(results_paths_write__flow_channels)
{
	char *text;

	nodes[0].switch_.routing.choice = ROUTING_ADAPTIVE;
	paths_add();
	text = written(results_paths_write);
	HAS(text, "choices 200: another port than the static one 30 (15.0 %), a detour 20 (10.0 %)",
	    "kept on their path as a source of congestion 7\n",
	    "flows redirected 6, by 9 ACK_REROUTEs; most often at s1 port 1\n",
	    "forced onto one path (folded) 3\n");
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
	text = written(results_paths_write);
	HAS(text, "waited for credit 17.00 us in 10 waits, all ports of "
		  "switches and NICs together (longest h0 port "
		  "0, 9.000 us), packets marked FECN 11, BECNs 8\n");
	free(text);
	text = json_text(NULL);
	HAS(text, "\"fabric\": \"port-group\"", "\"choices_other\": 30", "\"credit_waits\": 5",
	    "\"credit_wait_ps\": 7000000");
	free(text);
}

TEST(results_paths_write__no_choice)
{
	char *text;

	paths_add();
	text = written(results_paths_write);
	ck_assert_str_eq(text, "");
	free(text);
	text = json_text(NULL);
	ck_assert_ptr_null(strstr(text, "choices"));
	free(text);
}
