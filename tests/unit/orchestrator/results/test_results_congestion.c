/*  orchestrator/results/results_congestion and reaction: how fast senders react to congestion, and
 *  its text (TB-13, EC-2, EC-5). */
#include "orchestrator/plan/plan_ideal.h"
#include "orchestrator/results/reaction.h"
#include "orchestrator/results/results_congestion.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

TEST_GROUP(congestion, .setup = set_up, .teardown = tear_down);

/* EC-2, EC-5: from the first ACK_ECA to the last of the senders' edge ports that receive one */
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

/* a sender that was not notified, or before the port sent any ACK_ECA, does not count */
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

/* The time of the last sender says nothing about senders that do not start together. */
TEST(results_congestion_write__open_loop)
{
	struct workload_config first = { .arrival = ARRIVAL_CLOSED },
			       second = { .arrival = ARRIVAL_CLOSED };
	char *text;

	incast_add();
	nodes[2].nic.workloads = &first;
	nodes[3].nic.workloads = &second;
	nodes[2].nic.workload_count = nodes[3].nic.workload_count = 1;
	gather(true);
	text = written(results_congestion_write);
	HAS(text, "5.000 us (", "2 of 2 senders\n");
	free(text);
	for (unsigned i = 0; i < 4; i++) {
		second = (struct workload_config){
			.arrival = i == 0   ? ARRIVAL_POISSON
				   : i == 1 ? ARRIVAL_PACED
					    : ARRIVAL_BURST,
			.start_ps = i == 2 ? NODE_US : 0,
			.destination = i == 3 ? DESTINATION_RANDOM : DESTINATION_FIXED,
		};
		text = written(results_congestion_write);
		HAS(text, "last sender told after", "  -\n");
		ck_assert_ptr_null(strstr(text, "senders\n"));
		free(text);
	}
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
	text = written(results_congestion_write);
	HAS(text, "s1 -> h0 ", "5.000 us (", "2 of 2 senders\n",
	    "flow limit 3, ACKs of all before 4\n", "fullest input buffer: 2.560 kB, s1 port 1\n",
	    "5.120 kB at one input (s1 port 1)", "congested ports to hosts",
	    "flows under hop credit: began 5, ended 0; ",
	    "6 FGFC frames sent to NICs, 8 flows without an entry",
	    ": 9, most of them by s1 port 2\n");
	free(text);
}

/* Six outputs at most, those with the largest factor first, then with the most ACKs. */
TEST(results_congestion_write__most_congested_outputs)
{
	struct result_port rows[7], *own;
	uint32_t own_count, i = 0;
	char *text;

	incast_add();
	gather(true);
	own = results.ports;
	own_count = results.port_count;
	while (results.ports[i].node || !results.ports[i].stats.eca_acks)
		ck_assert_uint_lt(++i, own_count);
	for (uint32_t k = 0; k < 7; k++) {
		rows[k] = own[i];
		rows[k].stats.eca_max = 101 + k / 2;
		rows[k].stats.eca_acks = 1000 + k;
	}
	results.ports = rows;
	results.port_count = 6;
	text = written(results_congestion_write);
	HAS(text, "103           1005", "103           1004", "102           1003",
	    "102           1002", "101           1001", "101           1000");
	ck_assert_ptr_null(strstr(text, "more\n"));
	free(text);
	results.port_count = 7;
	text = written(results_congestion_write);
	HAS(text, "104           1006", "103           1005", "103           1004",
	    "102           1003", "102           1002", "101           1001", "... and 1 more\n");
	ck_assert_ptr_null(strstr(text, " 1000 "));
	free(text);
	results.ports = own;
	results.port_count = own_count;
}

/* without congestion the text is empty, also with much in flight, and with a counter that a NIC
 * does not have */
TEST(results_congestion_write__nothing_happened)
{
	char *text;

	flow_add(0, 1, 0, 5, 5);
	stats_port(pages[0], 1)->extent_units_max = 20;
	stats_port(pages[0], 1)->input_units_max = 20;
	stats_port(pages[1], 0)->eca_acks = 1;
	gather(true);
	text = written(results_congestion_write);
	ck_assert_str_eq(text, "");
	free(text);
}
