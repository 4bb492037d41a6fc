/*  orchestrator/live/live_describe: what `heddle ps` and `heddle top` are told of a running fabric:
 *  states, sums over ports, drops, lateness and cost (TB-8, TB-10).
 *
 *  s1 and s2 with a link, A at s1, B at s2. No node runs: this process stands for s1, and the test
 *  writes the statistics pages as nodes would. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/live/live_describe.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define TWO                                                        \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n" \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"

enum { S1 = 0, S2 = 1, NODES_MAX = 512 };

static struct plan plan;
static struct live live;
static struct stats_page *pages[NODES_MAX]; /* as the nodes see them */
static uint32_t nic_a;
static json_t *told;

static void page_make(uint32_t node)
{
	struct fabric_node *state = &live.fabric.nodes[node];
	size_t bytes = stats_bytes(&plan.nodes[node]);
	int fd = memfd_create("page", 0);

	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	pages[node] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(pages[node], MAP_FAILED);
	stats_init(pages[node], &plan.nodes[node]);
	ck_assert_int_eq(stats_view_map(&state->view, fd, &plan.nodes[node]), 0);
	state->stats = state->view.page;
	close(fd);
}

static void setup(void)
{
	live_plan_make(TWO, &plan);
	ck_assert_uint_le(plan.node_count, NODES_MAX);
	live = (struct live){ .plan = &plan,
			      .fabric = { .plan = &plan, .options.real = true },
			      .since_s = 1000000000,
			      .since_ns = monotonic_ns() };
	strcpy(live.place.name, "t");
	live.fabric.nodes = live_nodes_make(&plan);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		if (plan_vacant(&plan, i))
			continue;
		page_make(i);
		live.fabric.nodes[i].pid = live.fabric.nodes[i].pid_shown = getpid();
		live.fabric.nodes[i].started_ns = monotonic_ns();
		if (!strcmp(plan.nodes[i].name, "A"))
			nic_a = i;
	}
	ck_assert_uint_ne(nic_a, 0);
}

static void teardown(void)
{
	json_decref(told);
	told = NULL;
	for (uint32_t i = 0; i < plan.node_count; i++) {
		if (pages[i])
			munmap(pages[i], stats_bytes(&plan.nodes[i]));
		stats_view_unmap(&live.fabric.nodes[i].view);
	}
	free(live.fabric.nodes);
	plan_free(&plan);
}

/* what is told of node @name */
static json_t *node(const char *name)
{
	struct live_query query = { .live = &live };
	json_t *entry;
	size_t i;

	json_decref(told);
	told = live_describe(&query);
	ck_assert_ptr_nonnull(told);
	json_array_foreach (json_object_get(told, "nodes"), i, entry)
		if (!strcmp(json_string_value(json_object_get(entry, "name")), name))
			return entry;
	ck_abort_msg("%s is not told of", name);
	return NULL;
}

static json_int_t number(const json_t *object, const char *key)
{
	ck_assert_msg(json_is_integer(json_object_get(object, key)), "no number %s", key);
	return json_integer_value(json_object_get(object, key));
}

static const char *word(const json_t *object, const char *key)
{
	ck_assert_msg(json_is_string(json_object_get(object, key)), "no text %s", key);
	return json_string_value(json_object_get(object, key));
}

static const json_t *port(const char *name, size_t index)
{
	return json_array_get(json_object_get(node(name), "ports"), index);
}

TEST_GROUP(live_describe, .setup = setup, .teardown = teardown);

TEST(live_describe__the_fabric)
{
	node("s1");
	ck_assert_str_eq(word(told, "fabric"), "t");
	ck_assert_str_eq(word(told, "kind"), "flow-channel");
	ck_assert_str_eq(word(told, "since"), "2001-09-09T01:46:40Z");
	ck_assert_int_eq(number(told, "pid"), getpid());
	ck_assert_int_eq(number(told, "switches"), 2);
	ck_assert_int_eq(number(told, "hosts_count"), 2);
	ck_assert_int_eq(number(told, "links"), 3);
	ck_assert_int_eq(number(told, "dead"), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(told, "nodes")), 4);
	ck_assert_str_eq(word(node("s1"), "kind"), "switch");
	ck_assert_str_eq(word(node("A"), "kind"), "nic");
}

TEST(live_describe__states)
{
	struct fabric_node *s2 = &live.fabric.nodes[S2];

	ck_assert_str_eq(word(node("s2"), "state"), "running");
	s2->stopped_ns = 1;
	ck_assert_str_eq(word(node("s2"), "state"), "stopped");
	s2->pid = 0;
	strcpy(s2->fate, "killed by signal 9");
	ck_assert_str_eq(word(node("s2"), "state"), "dead");
	ck_assert_str_eq(word(node("s2"), "fate"), "killed by signal 9");
	ck_assert_int_eq(number(node("s2"), "pid"), getpid());
	ck_assert_int_eq(number(told, "dead"), 1);
	ck_assert_str_eq(word(node("s1"), "fate"), "");
}

/* s1 has port 0 to A, and a port to s2 */
TEST(live_describe__sums_over_all_ports)
{
	for (uint32_t p = 0; p < 2; p++) {
		struct port_stats *counters = stats_port(pages[S1], p);

		*counters = (struct port_stats){ .tx_packets = 1 + 2 * p,
						 .tx_bytes = 10 + 20 * p,
						 .rx_packets = 100 + 200 * p,
						 .rx_bytes = 1000 + 2000 * p,
						 .queue_bytes = 5 + 6 * p,
						 .limited = 7 + p,
						 .metered = 20 + p,
						 .fgfc_held = 30 + p,
						 .eca_acks = 40 + p,
						 .stops = 50 + p };
	}
	ck_assert_int_eq(number(node("s1"), "sent_packets"), 4);
	ck_assert_int_eq(number(node("s1"), "sent_bytes"), 40);
	ck_assert_int_eq(number(node("s1"), "received_packets"), 400);
	ck_assert_int_eq(number(node("s1"), "received_bytes"), 4000);
	ck_assert_int_eq(number(node("s1"), "queue_bytes"), 16);
	ck_assert_int_eq(number(node("s1"), "limited"), 15);
	ck_assert_int_eq(number(node("s1"), "metered"), 41);
	ck_assert_int_eq(number(node("s1"), "fgfc_held"), 61);
	ck_assert_int_eq(number(node("s1"), "eca_acks"), 81);
	ck_assert_int_eq(number(node("s1"), "stops"), 101);
}

/* nanoseconds are told of picoseconds that nodes count */
TEST(live_describe__a_port)
{
	uint32_t to_a = 0;

	while (strcmp(plan.nodes[S1].ports[to_a].peer_name, "A") != 0)
		to_a++;
	*stats_port(pages[S1], to_a) = (struct port_stats){ .tx_busy_ps = 9 * NODE_NS,
							    .paused_ps = 4 * NODE_NS,
							    .lost_packets = 3,
							    .reordered = 5,
							    .duplicated = 6,
							    .corrupted = 7,
							    .input_units_max = 8 };
	stats_port(pages[nic_a], 0)->paused_ps = 6 * NODE_NS;
	plan.links[plan.nodes[S1].ports[to_a].link_index].down = true;
	ck_assert_str_eq(word(port("s1", to_a), "peer"), "A");
	ck_assert_int_eq(number(port("s1", to_a), "port"), to_a);
	ck_assert_int_eq(number(port("s1", to_a), "tx_busy_ns"), 9);
	ck_assert_int_eq(number(port("s1", to_a), "paused_ns"), 4);
	ck_assert_int_eq(number(port("s1", to_a), "peers_waited_ns"), 6);
	ck_assert_int_eq(number(port("s1", to_a), "lost_packets"), 3);
	ck_assert_int_eq(number(port("s1", to_a), "reordered"), 5);
	ck_assert_int_eq(number(port("s1", to_a), "duplicated"), 6);
	ck_assert_int_eq(number(port("s1", to_a), "corrupted"), 7);
	ck_assert_int_eq(number(port("s1", to_a), "input_units_max"), 8);
	ck_assert(json_is_true(json_object_get(port("s1", to_a), "down")));
	ck_assert(json_is_false(json_object_get(port("s1", 1 - to_a), "down")));
}

/* what no host listens for is no loss */
TEST(live_describe__drops_by_reason)
{
	const json_t *drops;

	pages[S1]->drops[DROP_NO_LISTENER] = 5;
	pages[S1]->drops[0] = 2;
	pages[S1]->drops[DROP_REASONS - 1] += 4;
	ck_assert_int_eq(number(node("s1"), "unwanted_packets"), 5);
	ck_assert_int_eq(number(node("s1"), "dropped_packets"), 6);
	drops = json_object_get(node("s1"), "drops");
	ck_assert_uint_eq(json_object_size(drops), 3);
	ck_assert_int_eq(number(drops, stats_drop_name[0]), 2);
}

/* each bucket by its end; the buckets are those of the verdict */
TEST(live_describe__lateness)
{
	char end[24];

	pages[S1]->lateness.count[3] = 17;
	pages[S1]->lateness.max_ns = 12345;
	pages[S1]->active_ns = 77;
	snprintf(end, sizeof(end), "%llu", (unsigned long long)stats_lateness_ns(4) - 1);
	ck_assert_int_eq(number(json_object_get(node("s1"), "lateness_counts"), end), 17);
	ck_assert_uint_eq(json_object_size(json_object_get(node("s1"), "lateness_counts")), 1);
	ck_assert_int_eq(number(node("s1"), "lateness_max_ns"), 12345);
	ck_assert_int_eq(number(node("s1"), "active_ns"), 77);
}

/* limits are those of links that are up */
TEST(live_describe__no_limit_if_all_links_are_down)
{
	ck_assert_ptr_nonnull(json_object_get(node("s1"), "links_absorb_ns"));
	for (uint32_t i = 0; i < plan.link_count; i++)
		plan.links[i].down = true;
	ck_assert_ptr_null(json_object_get(node("s1"), "links_absorb_ns"));
	ck_assert_ptr_null(json_object_get(node("s1"), "buffers_bridge_ns"));
}

/* the lowest limit of any port counts, whichever port it is */
TEST(live_describe__limit_of_each_port)
{
	struct node_config *config = &plan.nodes[S1];
	json_int_t all = number(node("s1"), "links_absorb_ns"), lower;

	for (uint32_t p = 0; p < config->port_count; p++) {
		node_time_t delay_ps = config->ports[p].delay_ps;

		if (config->ports[p].vacant)
			continue;
		for (uint32_t i = 0; i < plan.link_count; i++)
			plan.links[i].down = i != config->ports[p].link_index;
		ck_assert_int_ge(number(node("s1"), "links_absorb_ns"), all);
		for (uint32_t i = 0; i < plan.link_count; i++)
			plan.links[i].down = false;
		config->ports[p].delay_ps = delay_ps / 2;
		lower = number(node("s1"), "links_absorb_ns");
		ck_assert_int_lt(lower, all);
		config->ports[p].delay_ps = delay_ps;
		ck_assert_int_eq(number(node("s1"), "links_absorb_ns"), all);
	}
}

/* TB-23: a node that destroys its page is told of without counters */
TEST(live_describe__page_destroyed)
{
	ck_assert(json_is_true(json_object_get(node("s1"), "readable")));
	memset(pages[S1], 0xff, STATS_HEAD_BYTES);
	ck_assert(json_is_false(json_object_get(node("s1"), "readable")));
	ck_assert_ptr_null(json_object_get(node("s1"), "ports"));
	ck_assert_ptr_nonnull(json_object_get(node("s2"), "ports"));
	/* nor of its peer's wait */
	ck_assert_int_eq(number(port("A", 0), "peers_waited_ns"), 0);
}

/* the nodes, this process, and the nodes that have ended */
TEST(live_describe__cost_is_the_sum)
{
	json_int_t nodes = 0;
	const json_t *entry;
	size_t i;

	live.fabric.cpu_ns = 1000000000000000;
	node("s1");
	json_array_foreach (json_object_get(told, "nodes"), i, entry) {
		nodes += number(entry, "cpu_ns");
		ck_assert_int_gt(number(entry, "memory_bytes"), 4096);
	}
	ck_assert_int_gt(nodes, 0);
	ck_assert_int_ge(number(told, "cpu_ns"), 1000000000000000 + nodes);
	ck_assert_int_gt(number(told, "memory_bytes"), 4 * 4096);
	live.fabric.nodes[S2].pid = 0;
	ck_assert_int_eq(number(node("s2"), "cpu_ns"), 0);
	ck_assert_int_eq(number(node("s2"), "memory_bytes"), 0);
}

/* DU-5: the note of a minute ago, as soon as there is one */
TEST(live_describe__a_minute_ago)
{
	const uint64_t second_ns = 1000000000;

	node("s1");
	ck_assert_ptr_null(json_object_get(told, "minute_ago"));
	live_history_step(&live.history, &plan, &live.fabric, 31 * second_ns);
	live.since_ns = monotonic_ns() - 100 * second_ns;
	node("s1");
	ck_assert_int_eq(number(json_object_get(told, "minute_ago"), "uptime_ns"), 31 * second_ns);
	ck_assert_uint_eq(
		json_array_size(json_object_get(json_object_get(told, "minute_ago"), "nodes")), 4);
	live_history_free(&live.history);
}

/* a process that was just killed has no memory, and none is read */
TEST(live_describe__memory_of_a_process_that_is_gone)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	live.fabric.nodes[S2].pid = pid;
	ck_assert_int_eq(number(node("s2"), "memory_bytes"), 0);
	ck_assert_int_eq(number(node("s2"), "cpu_ns"), 0);
}
