/*  orchestrator/live/live_load, live_fault: the workloads and faults of a running fabric, started,
 *  stopped, and their figures (TB-12, FC-26, DU-6, DU-8).
 *
 *  A and B at s1, C at s2. No node runs: the test writes the statistics pages as NICs would, and
 *  has the clock page. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/live/live_fault.h"
#include "orchestrator/live/live_load.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define TEXT                                                                                 \
	"name: t\nrun: {duration: 3s}\n"                                                     \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s1, C: s2}, links: [[s1, s2]]}\n"  \
	"links: {rate: 100Mb/s, delay: 1ms}\n"                                               \
	"workloads:\n"                                                                       \
	"  - {name: in, pattern: incast, to: C}\n"                                           \
	"  - {name: few, pattern: pairs, pairs: [[A, B]], start: 1s, messages: 2, up: no}\n" \
	"pauses: [{host: C, every: 2s, for: 1s}, {host: B, every: 2s, for: 1s}]\n"           \
	"faults: [{at: 2s, link: [s1, s2], for: 1s}, {at: 5s, switch: s2}]\n"

#define NODES_MAX 512

static struct plan plan;
static struct live live;
static struct clock_page clock_page;
static struct stats_page *pages[NODES_MAX]; /* as the nodes see them */
static uint32_t first;                      /* the NIC of A; B and C follow */
static json_t *told;

static void page_make(uint32_t node)
{
	size_t bytes = stats_bytes(&plan.nodes[node]);
	int fd = memfd_create("page", 0);

	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	pages[node] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(pages[node], MAP_FAILED);
	stats_init(pages[node], &plan.nodes[node]);
	ck_assert_int_eq(stats_view_map(&live.fabric.nodes[node].view, fd, &plan.nodes[node]), 0);
	live.fabric.nodes[node].stats = live.fabric.nodes[node].view.page;
	close(fd);
}

static void setup(void)
{
	live_plan_make(TEXT, &plan);
	ck_assert_uint_le(plan.node_count, NODES_MAX);
	clock_page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	live = (struct live){
		.plan = &plan,
		.fabric = { .plan = &plan, .options.real = true, .page = &clock_page },
	};
	live.fabric.nodes = live_nodes_make(&plan);
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (!plan_vacant(&plan, i))
			page_make(i);
	first = plan.switch_count;
	ck_assert_int_eq(live_loads_init(&live), 0);
	ck_assert_int_eq(live_faults_init(&live), 0);
}

static void teardown(void)
{
	json_decref(told);
	told = NULL;
	for (uint32_t i = 0; i < plan.node_count; i++) {
		if (pages[i])
			munmap(pages[i], stats_bytes(&plan.nodes[i]));
		pages[i] = NULL;
		stats_view_unmap(&live.fabric.nodes[i].view);
	}
	live_loads_fini(&live);
	live_faults_fini(&live);
	free(live.fabric.nodes);
	plan_free(&plan);
}

/* fabric time is @seconds */
static void time_is(double seconds)
{
	clock_page.epoch_ns = monotonic_ns() - (uint64_t)(seconds * 1e9);
}

static json_t *ask(live_query_fn *answer, const char *name)
{
	struct live_query query = { .live = &live };

	json_decref(told);
	query.request = json_pack("{s:s*}", "name", name);
	told = answer(&query);
	json_decref(query.request);
	ck_assert_ptr_nonnull(told);
	return told;
}

/* the figures of workload @name */
static json_t *load(const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(ask(live_load_list, NULL), "loads"), i, entry) {
		if (!strcmp(json_string_value(json_object_get(entry, "name")), name))
			return entry;
	}
	ck_abort_msg("no workload %s", name);
	return NULL;
}

static const char *state(const char *name)
{
	return json_string_value(json_object_get(load(name), "state"));
}

static json_int_t number(const json_t *object, const char *key)
{
	ck_assert_msg(json_is_integer(json_object_get(object, key)), "no number %s", key);
	return json_integer_value(json_object_get(object, key));
}

/* host 0 or 1 has sent @packets of 1000 bytes of workload @index, and host 2 has received them;
 * each is a message of @took, begun at @start */
static void packets_pass(uint32_t from, uint32_t index, uint32_t packets, node_time_t start,
			 node_time_t took)
{
	struct stats_page *sender = pages[first + from], *receiver = pages[first + 2];
	struct flow_tx_stats *tx = stats_flow_tx(sender, 0);
	struct flow_rx_stats *rx = stats_flow_rx(receiver, from);

	tx->workload_index = rx->workload_index = index;
	tx->packets += packets;
	rx->packets += packets;
	tx->bytes += 1000 * packets;
	rx->bytes += 1000 * packets;
	tx->messages += packets;
	rx->messages += packets;
	sender->flow_tx_count = 1;
	receiver->flow_rx_count =
		receiver->flow_rx_count > from ? receiver->flow_rx_count : from + 1;
	for (uint32_t i = 0; i < packets; i++)
		*stats_message(receiver, receiver->message_count++) =
			(struct message_stats){ from, 0, 900, start, start + took };
}

TEST_GROUP(live_load, .setup = setup, .teardown = teardown);

TEST(live_load_list__figures_of_all_senders)
{
	const json_t *times;

	time_is(2);
	packets_pass(0, 0, 10, NODE_S, 3 * NODE_MS);
	packets_pass(1, 0, 30, NODE_S, 5 * NODE_MS);
	stats_flow_rx(pages[first + 2], 1)->lost = 4;
	stats_flow_tx(pages[first], 0)->waiting = 1;
	ck_assert_str_eq(state("in"), "runs");
	ck_assert_int_eq(number(load("in"), "senders"), 2);
	ck_assert_int_eq(number(load("in"), "sent_bytes"), 40000);
	ck_assert_int_eq(number(load("in"), "received_bytes"), 40000);
	ck_assert_int_eq(number(load("in"), "lost_packets"), 4);
	ck_assert_int_eq(number(load("in"), "messages_complete"), 40);
	ck_assert_int_eq(number(load("in"), "messages_waiting"), 1);
	times = json_object_get(load("in"), "completion");
	ck_assert_int_eq(number(times, "count"), 40);
	ck_assert_int_eq(number(times, "p50_ns"), 5000000);
	ck_assert_int_eq(number(times, "mean_ns"), 4500000);
	ck_assert_int_eq(number(times, "max_ns"), 5000000);
}

/* 40 kB in two seconds, and not more than there is */
TEST(live_load_list__rate_since_the_start)
{
	time_is(2);
	packets_pass(0, 0, 40, NODE_S, NODE_MS);
	ck_assert_int_le(number(load("in"), "rate_bps"), 160000);
	ck_assert_int_gt(number(load("in"), "rate_bps"), 0);
}

TEST(live_load__states)
{
	ck_assert_str_eq(state("in"), "runs");
	ck_assert_str_eq(state("few"), "waits");
	time_is(3);
	ask(live_load_start, "few");
	ck_assert_str_eq(state("few"), "later");
	time_is(4.5);
	ck_assert_str_eq(state("few"), "runs");
	packets_pass(0, 1, 2, 4 * NODE_S, NODE_MS);
	ck_assert_str_eq(state("few"), "ended");
	stats_flow_tx(pages[first], 0)->waiting = 1;
	ask(live_load_stop, "few");
	ck_assert_str_eq(state("few"), "stopping");
	stats_flow_tx(pages[first], 0)->waiting = 0;
	ck_assert_str_eq(state("few"), "stopped");
	ck_assert_uint_eq(plan.nodes[first].nic.workloads[1].from_ps, NODE_TIME_NEVER);
}

/* a second start begins again: figures of before do not count, nor messages of before */
TEST(live_load_start__figures_begin_again)
{
	time_is(2);
	packets_pass(0, 0, 10, NODE_S, NODE_MS);
	ask(live_load_stop, NULL);
	ask(live_load_start, "in");
	time_is(4);
	packets_pass(0, 0, 3, 3 * NODE_S, NODE_MS);
	ck_assert_int_eq(number(load("in"), "sent_packets"), 3);
	ck_assert_int_eq(number(load("in"), "received_bytes"), 3000);
	ck_assert_int_eq(number(json_object_get(load("in"), "completion"), "count"), 3);
	ck_assert_uint_ge(plan.nodes[first].nic.workloads[0].from_ps, 2 * NODE_S);
}

/* a NIC that is started again does not send what it missed, and stops when the others do */
TEST(live_load_node_starts__from_now_on)
{
	time_is(7);
	live_load_node_starts(&live, first);
	ck_assert_uint_ge(plan.nodes[first].nic.workloads[0].again_ps, 7 * NODE_S);
	ck_assert_uint_eq(plan.nodes[first].nic.workloads[0].from_ps, 0);
	ck_assert_uint_eq(plan.nodes[first].nic.workloads[1].from_ps, NODE_TIME_NEVER);
	ck_assert_uint_eq(plan.nodes[first + 1].nic.workloads[0].again_ps, 0);
}

/* a NIC that is started again has the load that was set, and a next start keeps it for `save` */
TEST(live_load_set__stays)
{
	struct live_query query = { .live = &live };

	plan.nodes[first].nic.workloads[1].arrival = ARRIVAL_POISSON;
	query.request = json_pack("{s:s, s:s}", "name", "few", "load", "20%");
	json_decref(told);
	told = live_load_set(&query);
	json_decref(query.request);
	ck_assert_ptr_null(json_object_get(told, "error"));
	ck_assert_uint_eq(plan.nodes[first].nic.workloads[1].load_permille, 200);
	ask(live_load_start, "few");
	ck_assert_uint_eq(live.loads[1].load_permille, 200);
}

/* nor is one kept for `save`, where it would be a mistake */
TEST(live_load_set__no_load)
{
	struct live_query query = { .live = &live };

	query.request = json_pack("{s:s, s:s}", "name", "few", "load", "20%");
	json_decref(told);
	told = live_load_set(&query);
	json_decref(query.request);
	ck_assert_str_eq(json_string_value(json_object_get(told, "error")),
			 "workload few has no load: its arrival is closed");
	ck_assert_uint_eq(live.loads[1].load_permille, 0);
}

TEST(live_load_set__bad_values)
{
	struct live_query query = { .live = &live };

	query.request = json_pack("{s:s, s:s}", "name", "in", "load", "much");
	json_decref(told);
	told = live_load_set(&query);
	json_decref(query.request);
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(told, "error")), "load"));
	ask(live_load_start, "im");
	ck_assert_ptr_nonnull(
		strstr(json_string_value(json_object_get(told, "error")), "did you mean 'in'?"));
}

/* the time that the scenario gives is over, and counts no further */
TEST(live_load__ended_by_its_time)
{
	struct workload_config *part = &plan.nodes[first].nic.workloads[0];

	for (uint32_t i = 0; i < 2; i++)
		plan.nodes[first + i].nic.workloads[0].stop_ps = 3 * NODE_S;
	ck_assert_uint_eq(part->start_ps, 0);
	time_is(2);
	ck_assert_str_eq(state("in"), "runs");
	time_is(100);
	ck_assert_str_eq(state("in"), "ended");
	ck_assert_int_eq(number(load("in"), "ran_ns"), 3000000000);
	/* unless packets came later */
	packets_pass(0, 0, 9, NODE_S, NODE_MS);
	stats_flow_rx(pages[first + 2], 0)->last_ps = 4 * NODE_S;
	ck_assert_int_eq(number(load("in"), "ran_ns"), 4000000000);
	ck_assert_int_eq(number(load("in"), "rate_bps"), 9 * 1000 * 8 / 4);
	stats_flow_tx(pages[first], 0)->waiting = 1;
	ck_assert_str_eq(state("in"), "stopping");
}

/* as the last of its messages */
TEST(live_load__ended_by_its_messages)
{
	time_is(2);
	ask(live_load_start, "few");
	packets_pass(0, 1, 2, 4 * NODE_S, NODE_MS);
	stats_flow_rx(pages[first + 2], 0)->last_ps = 5 * NODE_S;
	time_is(100);
	ck_assert_str_eq(state("few"), "ended");
	/* it began after 2 s, and had a second to wait */
	ck_assert_int_le(number(load("few"), "ran_ns"), 2000000000);
	ck_assert_int_gt(number(load("few"), "ran_ns"), 1900000000);
}

/* of a NIC that is started again the counters begin at 0 */
TEST(live_load__messages_of_a_new_nic)
{
	packets_pass(0, 1, 2, 0, NODE_MS);
	ask(live_load_start, "few");
	time_is(4);
	stats_flow_tx(pages[first], 0)->messages = 0;
	ck_assert_str_eq(state("few"), "runs");
}

/* more than there can be */
TEST(live_load__most_messages)
{
	for (uint32_t i = 0; i < 2; i++)
		plan.nodes[first + i].nic.workloads[0].messages_max = 1ull << 63;
	time_is(2);
	ck_assert_str_eq(state("in"), "runs");
}

TEST(live_load__its_senders_have_left)
{
	const uint32_t count = plan.nodes[first].nic.workload_count;

	time_is(2);
	plan.nodes[first + 1].nic.workload_count = 0;
	ck_assert_str_eq(state("in"), "runs");
	ck_assert_int_eq(number(load("in"), "senders"), 1);
	plan.nodes[first].nic.workload_count = 0;
	ck_assert_str_eq(state("in"), "gone");
	ck_assert_int_eq(number(load("in"), "senders"), 0);
	ck_assert_int_eq(number(load("in"), "ran_ns"), 0);
	plan.nodes[first].nic.workload_count = count;
	plan.nodes[first + 1].nic.workload_count = 1;
}

/* one that has not started cannot be stopped */
TEST(live_load_stop__it_waits)
{
	time_is(2);
	ask(live_load_stop, "few");
	ck_assert_uint_eq(json_array_size(json_object_get(told, "loads")), 1);
	ck_assert_uint_eq(live.loads[1].to_ps, NODE_TIME_NEVER);
	ck_assert_str_eq(state("few"), "waits");
	ck_assert_str_eq(state("in"), "runs");
}

/* nor is one started that runs, or will: its figures go on */
TEST(live_load_start__it_runs)
{
	node_time_t from;

	time_is(2);
	packets_pass(0, 0, 10, NODE_S, NODE_MS);
	ask(live_load_start, "in");
	ck_assert_uint_eq(json_array_size(json_object_get(told, "loads")), 1);
	ck_assert_int_eq(number(load("in"), "sent_packets"), 10);
	ck_assert_uint_eq(live.loads[0].from_ps, 0);
	ask(live_load_start, "few");
	ck_assert_str_eq(state("few"), "later");
	from = live.loads[1].from_ps;
	time_is(2.5);
	ask(live_load_start, "few");
	ck_assert_uint_eq(live.loads[1].from_ps, from);
}

static const char *error(void)
{
	return json_string_value(json_object_get(told, "error"));
}

/* A cannot be told, but has it when it returns */
TEST(live_load__not_all_nics_follow)
{
	struct live_query query = { .live = &live };
	const char *wanted = "not all NICs have followed: NIC A (pid 4711) does not answer";

	live.fabric.nodes[first].pid = getpid();
	live.fabric.nodes[first].pid_shown = 4711;
	live.fabric.nodes[first].control = -1;
	plan.nodes[first].nic.workloads[0].arrival = ARRIVAL_PACED;
	time_is(2);
	ask(live_load_stop, "in");
	ck_assert_pstr_eq(error(), wanted);
	ck_assert_uint_eq(plan.nodes[first].nic.workloads[0].from_ps, NODE_TIME_NEVER);
	query.request = json_pack("{s:s, s:s}", "name", "in", "load", "20%");
	json_decref(told);
	told = live_load_set(&query);
	json_decref(query.request);
	ck_assert_pstr_eq(error(), wanted);
	ck_assert_uint_eq(live.loads[0].load_permille, 200);
	live.fabric.nodes[first].pid = 0;
}

TEST(live_load_set__nothing)
{
	ask(live_load_set, "in");
	ck_assert_pstr_eq(error(), "nothing to set: expected load=");
}

/* ---- faults ---- */

static const char *fault_state(size_t index)
{
	json_t *faults = json_object_get(ask(live_fault_list, NULL), "faults");

	return json_string_value(json_object_get(json_array_get(faults, index), "state"));
}

TEST(live_faults__described)
{
	ask(live_fault_list, NULL);
	ck_assert_int_eq(number(told, "pauses"), 2);
	ck_assert_int_eq(number(json_array_get(json_object_get(told, "faults"), 0), "at_ns"),
			 2000000000);
	ck_assert_str_eq(fault_state(0), "planned");
	live.faults.from_ps = NODE_TIME_NEVER;
	ck_assert_str_eq(fault_state(0), "waits");
	ck_assert(json_is_null(json_object_get(told, "time_ns")));
	ck_assert_uint_eq(live_faults_step(&live), UINT64_MAX);
}

/* `up` has no end of the run */
TEST(live_faults__after_the_duration_of_the_scenario)
{
	ck_assert_uint_eq(plan.faults.list[1].at_ps, 5 * NODE_S);
}

/* B cannot be told that its pauses begin: those of C do not begin either */
TEST(live_fault_start__not_all_nics_follow)
{
	struct fabric_node *node = &live.fabric.nodes[first + 1];

	live.faults.from_ps = NODE_TIME_NEVER;
	node->pid = getpid();
	node->pid_shown = 4711;
	node->control = -1;
	time_is(2);
	ask(live_fault_start, NULL);
	ck_assert_pstr_eq(error(), "the faults cannot be started: NIC B (pid 4711) does not "
				   "answer");
	ck_assert_uint_eq(live.faults.from_ps, NODE_TIME_NEVER);
	for (uint32_t nic = first + 1; nic <= first + 2; nic++)
		ck_assert_uint_eq(plan.nodes[nic].nic.pauses_from_ps, NODE_TIME_NEVER);
	node->pid = 0;
}

/* as `ps` has them: more than lost and astray of the faults */
TEST(live_faults__drops_of_all_nodes)
{
	const json_t *drops;

	pages[0]->drops[DROP_LINK_DOWN] = 3;
	pages[first]->drops[DROP_LINK_DOWN] = 4;
	pages[1]->drops[DROP_NO_ROUTE] = 5;
	pages[1]->drops[DROP_DUPLICATE] = 6;
	ask(live_fault_list, NULL);
	drops = json_object_get(told, "drops");
	ck_assert_int_eq(number(drops, "link_down"), 7);
	ck_assert_int_eq(number(drops, "no_route"), 5);
	ck_assert_int_eq(number(drops, "bad_lid"), 0);
	ck_assert_uint_eq(json_object_size(drops), 3);
}

TEST(live_faults_step__when_it_is_due)
{
	time_is(1);
	ck_assert_uint_le(live_faults_step(&live), 1000000001);
	ck_assert_uint_gt(live_faults_step(&live), 500000000);
	ask(live_fault_start, NULL);
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(told, "error")), "already"));
}

/* the last fault, of s2, is present: what joins there is down as well */
TEST(live_faults__joins_and_leaves)
{
	uint32_t at_s1 = plan.nodes[first].ports[0].link_index,
		 at_s2 = plan.nodes[first + 2].ports[0].link_index;

	live.faults.schedule.action = plan.faults.action_count;
	ck_assert_str_eq(fault_state(0), "over");
	ck_assert_str_eq(fault_state(1), "present");
	live_faults_link_joins(&live, at_s1);
	live_faults_link_joins(&live, at_s2);
	ck_assert_uint_eq(live.faults.schedule.down[at_s1], 0);
	ck_assert_uint_eq(live.faults.schedule.down[at_s2], 1);
	live.faults.taken[at_s2] = true;
	live_faults_link_gone(&live, at_s2);
	ck_assert(!live.faults.taken[at_s2]);
	/* another switch in its place has nothing of the fault */
	ck_assert_uint_eq(plan.faults.list[1].node, 1);
	live_faults_node_gone(&live, 0);
	ck_assert_uint_eq(plan.faults.list[1].node, 1);
	live_faults_node_gone(&live, 1);
	ck_assert_uint_eq(plan.faults.list[1].node, UINT32_MAX);
	live_faults_link_joins(&live, at_s2);
	ck_assert_uint_eq(live.faults.schedule.down[at_s2], 0);
}
