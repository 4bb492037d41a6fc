/*  orchestrator/live/live_history: counters of a minute ago (DU-5).
 *
 *  A at s1, B at s2, and a link between the switches. No node runs: this process stands for all of
 *  them, and the test writes their statistics pages. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/live/live_history.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define TWO                                                        \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n" \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"

#define SECOND_NS 1000000000ull

enum { S1 = 0, S2 = 1, NODES = 4, NODES_MAX = 512 };

static struct plan plan;
static struct fabric fabric;
static struct live_history history;
static struct stats_page *pages[NODES_MAX];

static void page_make(uint32_t node)
{
	struct fabric_node *state = &fabric.nodes[node];
	size_t bytes = stats_bytes(&plan.nodes[node]);
	int fd = memfd_create("page", 0);

	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	pages[node] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(pages[node], MAP_FAILED);
	stats_init(pages[node], &plan.nodes[node]);
	ck_assert_int_eq(stats_view_map(&state->view, fd, &plan.nodes[node]), 0);
	state->stats = state->view.page;
	state->pid = getpid();
	close(fd);
}

static void setup(void)
{
	live_plan_make(TWO, &plan);
	ck_assert_uint_le(plan.node_count, NODES_MAX);
	fabric = (struct fabric){ .plan = &plan };
	fabric.nodes = calloc(plan.node_count, sizeof(*fabric.nodes));
	for (uint32_t i = 0; i < plan.node_count; i++) {
		fabric.nodes[i].lead = i; /* each has a process of its own */
		if (!plan_vacant(&plan, i))
			page_make(i);
	}
}

static void teardown(void)
{
	live_history_free(&history);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		if (!pages[i])
			continue;
		stats_view_unmap(&fabric.nodes[i].view);
		munmap(pages[i], stats_bytes(&plan.nodes[i]));
		pages[i] = NULL;
	}
	free(fabric.nodes);
	plan_free(&plan);
}

TEST_GROUP(live_history, .setup = setup, .teardown = teardown);

/* steps from @from_s to @to_s, every second */
static void seconds(uint32_t from_s, uint32_t to_s)
{
	for (uint32_t s = from_s; s <= to_s; s++)
		live_history_step(&history, &plan, &fabric, s * SECOND_NS);
}

static json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const json_t *told_node(const json_t *told, const char *name)
{
	const json_t *node;
	size_t i;

	json_array_foreach (json_object_get(told, "nodes"), i, node) {
		if (!strcmp(json_string_value(json_object_get(node, "name")), name))
			return node;
	}
	return NULL;
}

TEST(live_history_step__when_it_is_due)
{
	ck_assert_uint_eq(live_history_step(&history, &plan, &fabric, 0), 30 * SECOND_NS);
	ck_assert_uint_eq(live_history_step(&history, &plan, &fabric, 29 * SECOND_NS), SECOND_NS);
	ck_assert_ptr_null(history.notes[0].nodes);
	ck_assert_uint_eq(live_history_step(&history, &plan, &fabric, 31 * SECOND_NS),
			  30 * SECOND_NS);
	ck_assert_ptr_nonnull(history.notes[0].nodes);
	ck_assert_uint_eq(live_history_step(&history, &plan, &fabric, 60 * SECOND_NS), SECOND_NS);
}

TEST(live_history_describe__nothing_in_the_first_minute)
{
	seconds(0, 89);
	ck_assert_ptr_null(live_history_describe(&history, &plan, 89 * SECOND_NS));
}

/* the note is one to one and a half minutes old, at any time */
TEST(live_history_describe__a_minute_ago)
{
	for (uint32_t s = 0; s < 400; s++) {
		json_t *told;
		json_int_t age_s;

		seconds(s, s);
		told = live_history_describe(&history, &plan, s * SECOND_NS);
		ck_assert_int_eq(told != NULL, s >= 90);
		if (!told)
			continue;
		age_s = s - number(told, "uptime_ns") / (json_int_t)SECOND_NS;
		ck_assert_int_ge(age_s, 60);
		ck_assert_int_lt(age_s, 90);
		json_decref(told);
	}
}

/* what the pages had then, not what they have now */
TEST(live_history_describe__counters_of_then)
{
	const json_t *node, *port;
	json_t *told;

	pages[S1]->active_ns = 5;
	stats_lateness_add(&pages[S1]->lateness, 1000);
	stats_port(pages[plan.nodes[S1].ports[0].peer_index], plan.nodes[S1].ports[0].peer_port)
		->paused_ps = 7 * NODE_US;
	pages[S1]->drops[DROP_HOST_OVERRUN] = 3;
	seconds(0, 30);
	pages[S1]->active_ns = 6;
	stats_lateness_add(&pages[S1]->lateness, 9000000);
	seconds(31, 90);
	told = live_history_describe(&history, &plan, 90 * SECOND_NS);
	ck_assert_uint_eq(json_array_size(json_object_get(told, "nodes")), NODES);
	node = told_node(told, "s1");
	ck_assert_int_eq(number(node, "pid"), getpid());
	ck_assert_int_eq(number(node, "active_ns"), 5);
	ck_assert_int_eq(number(node, "lateness_max_ns"), 1000);
	ck_assert_uint_eq(json_object_size(json_object_get(node, "lateness_counts")), 1);
	ck_assert_int_eq(number(json_object_get(node, "drops"), "host_overrun"), 3);
	port = json_array_get(json_object_get(node, "ports"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(port, "peer")),
			 plan.nodes[S1].ports[0].peer_name);
	ck_assert_int_eq(number(port, "peers_waited_ns"), 7000);
	json_decref(told);
}

/* a node that did not run then, or whose page was invalid, is not told */
TEST(live_history_describe__nodes_that_ran)
{
	json_t *told;

	fabric.nodes[S1].pid = 0;
	stats_view_unmap(&fabric.nodes[S2].view);
	seconds(0, 90);
	told = live_history_describe(&history, &plan, 90 * SECOND_NS);
	ck_assert_ptr_null(told_node(told, "s1"));
	ck_assert_ptr_null(told_node(told, "s2"));
	ck_assert_ptr_nonnull(told_node(told, "A"));
	json_decref(told);
}

/* of several machines: what the tunnels to the others had lost then */
TEST(live_history_describe__tunnels)
{
	static struct tunnel_page tunnel_page;
	char names[3][NODE_NAME_MAX] = { "left", "here", "right" };
	struct tunnel tunnel = { .pid_shown = 4711, .page = &tunnel_page };
	const json_t *node;
	json_t *told;

	plan.machine_names = names;
	plan.machine_count = 3;
	plan.machine = 1;
	history.tunnel = &tunnel;
	tunnel_page.peers[0].lost_frames = 8;
	tunnel_page.peers[2].lost_frames = 9;
	stats_lateness_add(&tunnel_page.peers[2].lateness, 1000);
	seconds(0, 30);
	tunnel_page.peers[2].lost_frames = 10;
	seconds(31, 90);
	told = live_history_describe(&history, &plan, 90 * SECOND_NS);
	ck_assert_uint_eq(json_array_size(json_object_get(told, "nodes")), NODES + 2);
	ck_assert_int_eq(number(told_node(told, "tunnel:left"), "lost_frames"), 8);
	ck_assert_int_eq(number(told_node(told, "tunnel:left"), "lateness_max_ns"), 0);
	node = told_node(told, "tunnel:right");
	ck_assert_int_eq(number(node, "pid"), 4711);
	ck_assert_int_eq(number(node, "lost_frames"), 9);
	ck_assert_int_eq(number(node, "lateness_max_ns"), 1000);
	ck_assert_uint_eq(json_object_size(json_object_get(node, "lateness_counts")), 1);
	ck_assert_ptr_null(told_node(told, "tunnel:here"));
	json_decref(told);
	plan.machine_names = NULL;
	plan.machine_count = plan.machine = 0;
}

/* in the fabric's time, of which there is less */
TEST(live_history_describe__of_dilated_time)
{
	json_t *told;

	seconds(0, 90);
	plan.dilation = 10;
	told = live_history_describe(&history, &plan, 90 * SECOND_NS);
	ck_assert_int_eq(number(told, "uptime_ns"), 3 * SECOND_NS);
	json_decref(told);
}
