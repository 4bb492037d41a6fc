/*  orchestrator/results/pause_cycle: deadlocks of PFC are found and named, and nothing else is
 *  reported as one (RC-5, TB-22).
 *
 *  Six switches in a ring, s0 to s5: port 0 leads to the next one, port 1 to the one before, port 2
 *  to a host. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/pause_cycle.h"
#include "tests/testing.h"

#define RING 6u
#define PORTS 3u
#define NEXT 0u
#define BACK 1u
#define HOST 2u
#define CLASS 1u

static struct node_config nodes[2 * RING];
static struct port_config ports[RING][PORTS], host_ports[RING];
static struct stats_page *pages[2 * RING];
static struct plan plan;
static struct pause_cycles cycles;

static void set_up(void)
{
	memset(nodes, 0, sizeof(nodes));
	plan = (struct plan){ .node_count = 2 * RING,
			      .switch_count = RING,
			      .host_count = RING,
			      .nodes = nodes,
			      .duration_ps = NODE_MS };
	for (uint32_t i = 0; i < RING; i++) {
		uint32_t next = (i + 1) % RING, back = (i + RING - 1) % RING;

		ports[i][NEXT] = (struct port_config){ .peer_index = next, .peer_port = BACK };
		ports[i][BACK] = (struct port_config){ .peer_index = back, .peer_port = NEXT };
		ports[i][HOST] = (struct port_config){ .peer_index = RING + i };
		host_ports[i] = (struct port_config){ .peer_index = i, .peer_port = HOST };
		nodes[i] = (struct node_config){ .kind = NODE_SWITCH,
						 .port_count = PORTS,
						 .ports = ports[i] };
		nodes[RING + i] = (struct node_config){ .kind = NODE_NIC,
							.port_count = 1,
							.ports = &host_ports[i] };
	}
	for (uint32_t i = 0; i < 2 * RING; i++) {
		nodes[i].fabric = FABRIC_ROCE;
		nodes[i].roce.watchdog_ps = 10 * NODE_MS;
		nodes[i].class_count = 2;
		strcpy(nodes[i].classes[CLASS].name, "roce");
		snprintf(nodes[i].name, sizeof(nodes[i].name), "%c%u", i < RING ? 's' : 'h',
			 i % RING);
		pages[i] = calloc(1, stats_bytes(&nodes[i]));
		stats_init(pages[i], &nodes[i]);
	}
}

static void tear_down(void)
{
	pause_cycles_free(&cycles);
	for (uint32_t i = 0; i < 2 * RING; i++)
		free(pages[i]);
}

/* the output of @node at @port is paused by its peer since @since_ps */
static void hold(uint32_t node, uint32_t port, uint32_t traffic_class, node_time_t since_ps)
{
	const struct port_config *config = &nodes[node].ports[port];

	stats_class(pages[node], port, traffic_class)->paused_since_ps = since_ps;
	stats_class(pages[config->peer_index], config->peer_port, traffic_class)->xoff_since_ps =
		since_ps;
}

/* what arrived at @node at @input waits for its output @output */
static void wait_for(uint32_t node, uint32_t input, uint32_t output, uint32_t traffic_class)
{
	stats_class(pages[node], input, traffic_class)->waits_for |= 1ull << output;
}

/* a full cycle: each waits for the next, since 1 us * (1 + its number) */
static void ring_hold(uint32_t traffic_class)
{
	for (uint32_t i = 0; i < RING; i++) {
		hold(i, NEXT, traffic_class, (1 + i) * NODE_US);
		wait_for(i, BACK, NEXT, traffic_class);
	}
}

static uint32_t find(node_time_t before_ps)
{
	pause_cycles_free(&cycles);
	ck_assert_int_eq(pause_cycles_find(&plan, pages, before_ps, &cycles), 0);
	return cycles.count;
}

TEST_GROUP(pause_cycle, .setup = set_up, .teardown = tear_down);

TEST(pause_cycles_find__names_a_ring)
{
	char text[256];

	ring_hold(CLASS);
	ck_assert_uint_eq(find(NODE_MS), 1);
	ck_assert_uint_eq(cycles.list[0].length, RING);
	ck_assert_uint_eq(cycles.list[0].since_ps, RING * NODE_US);
	for (uint32_t i = 0; i < RING; i++) {
		ck_assert_uint_eq(cycles.list[0].hops[i].node, i);
		ck_assert_uint_eq(cycles.list[0].hops[i].port, NEXT);
		ck_assert_uint_eq(cycles.list[0].hops[i].traffic_class, CLASS);
	}
	ck_assert_str_eq(pause_cycle_describe(&plan, &cycles.list[0], text, sizeof(text)),
			 "s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> s0, class roce: each waits for the "
			 "next since 6.000 us");
}

/* a host at the end receives nothing: all wait for long, but the wait will end */
TEST(pause_cycles_find__chain_is_no_cycle)
{
	ring_hold(CLASS);
	hold(0, HOST, CLASS, NODE_US);
	stats_class(pages[0], BACK, CLASS)->waits_for = 1u << HOST;
	ck_assert_uint_eq(find(NODE_MS), 0);
}

/* One of them was resumed in between; or its peer's input is below its level; or that is full of
 * packets for other outputs. */
TEST(pause_cycles_find__broken_ring_is_no_cycle)
{
	ring_hold(CLASS);
	hold(3, NEXT, CLASS, 2 * NODE_MS);
	ck_assert_uint_eq(find(NODE_MS), 0);
	ck_assert_uint_eq(find(2 * NODE_MS), 1);
	stats_class(pages[2], BACK, CLASS)->xoff_since_ps = 0;
	ck_assert_uint_eq(find(2 * NODE_MS), 0);
	hold(1, NEXT, CLASS, NODE_US);
	ck_assert_uint_eq(find(2 * NODE_MS), 1);
	stats_class(pages[5], BACK, CLASS)->waits_for = 1u << HOST;
	ck_assert_uint_eq(find(2 * NODE_MS), 0);
}

/* two classes, each in its own cycle; then also in the opposite direction */
TEST(pause_cycles_find__finds_several)
{
	ring_hold(CLASS);
	ring_hold(0);
	ck_assert_uint_eq(find(NODE_MS), 2);
	ck_assert_uint_eq(cycles.list[0].hops[0].traffic_class, 0);
	ck_assert_uint_eq(cycles.list[1].hops[0].traffic_class, CLASS);
	for (uint32_t i = 0; i < RING; i++) {
		hold(i, BACK, CLASS, NODE_US);
		wait_for(i, NEXT, BACK, CLASS);
	}
	ck_assert_uint_eq(find(NODE_MS), 3);
	ck_assert_uint_eq(cycles.list[2].hops[0].port, BACK);
	ck_assert_uint_eq(cycles.list[2].hops[1].node, RING - 1);
}

/* classes are separate, but not with PAUSE: any class stops the whole port */
TEST(pause_cycles_find__pause_stops_all_classes)
{
	ring_hold(CLASS);
	hold(3, NEXT, CLASS, 0);
	hold(3, NEXT, 0, NODE_US);
	stats_class(pages[3], BACK, CLASS)->waits_for = 0;
	wait_for(3, BACK, NEXT, 0);
	stats_class(pages[3], BACK, 0)->xoff_since_ps = NODE_US;
	stats_class(pages[4], BACK, CLASS)->xoff_since_ps = NODE_US;
	ck_assert_uint_eq(find(NODE_MS), 0);
	for (uint32_t i = 0; i < 2 * RING; i++)
		nodes[i].roce.pause = true;
	ck_assert_uint_eq(find(NODE_MS), 1);
	ck_assert_uint_eq(cycles.list[0].length, RING);
	ck_assert_uint_eq(cycles.list[0].hops[3].traffic_class, 0);
}

/* a dead switch waits for none; a fabric of flow channels has no PFC */
TEST(pause_cycles_find__missing_pages_wait_for_none)
{
	struct stats_page *page = pages[4];

	ring_hold(CLASS);
	pages[4] = NULL;
	ck_assert_uint_eq(find(NODE_MS), 0);
	pages[4] = page;
	nodes[0].fabric = FABRIC_FLOW_CHANNEL;
	ck_assert_uint_eq(find(NODE_MS), 0);
}

/* a switch that waits for a cycle without being in it is not named */
TEST(pause_cycles_find__tail_left_out)
{
	ring_hold(CLASS);
	hold(2, BACK, CLASS, NODE_US);
	wait_for(1, NEXT, NEXT, CLASS);
	ck_assert_uint_eq(find(NODE_MS), 1);
	ck_assert_uint_eq(cycles.list[0].length, RING);
}

TEST(pause_cycles_before_ps__watchdog_or_drained)
{
	ck_assert_uint_eq(pause_cycles_before_ps(&plan, 4 * NODE_MS, NODE_TIME_NEVER), 0);
	ck_assert_uint_eq(pause_cycles_before_ps(&plan, 14 * NODE_MS, NODE_TIME_NEVER),
			  4 * NODE_MS);
	ck_assert_uint_eq(pause_cycles_before_ps(&plan, 4 * NODE_MS, NODE_MS), NODE_MS);
	ck_assert_uint_eq(pause_cycles_before_ps(&plan, 14 * NODE_MS, NODE_MS), 4 * NODE_MS);
	ck_assert_uint_eq(pause_cycles_before_ps(&plan, NODE_US, NODE_MS), 0);
}

TEST(pause_cycle_describe__fits_a_short_buffer)
{
	char text[24];

	ring_hold(CLASS);
	find(NODE_MS);
	ck_assert_str_eq(pause_cycle_describe(&plan, &cycles.list[0], text, sizeof(text)),
			 "s0 -> s1 -> s2 -> s3 ->");
}

/* a long cycle is shortened, and so is a text without the space for it */
TEST(pause_cycle_describe__shortened)
{
	struct pause_hop hops[40] = { 0 };
	struct pause_cycle cycle = { .length = 40, .hops = hops, .since_ps = 5 * NODE_US };
	char whole[1024], text[1024];
	size_t length;

	for (uint32_t i = 0; i < 40; i++)
		hops[i] = (struct pause_hop){ .node = i % RING, .traffic_class = CLASS };
	length = strlen(pause_cycle_describe(&plan, &cycle, whole, sizeof(whole)));
	ck_assert_ptr_nonnull(strstr(whole, " more -> s0, class roce: each waits for the next "
					    "since 5.000 us"));
	for (size_t max = 1; max <= length + 1; max++) {
		char *place = malloc(max); /* so that its end is seen */

		pause_cycle_describe(&plan, &cycle, place, max);
		ck_assert_uint_eq(strlen(place), max - 1);
		ck_assert_int_eq(strncmp(place, whole, max - 1), 0);
		free(place);
	}
	cycle.length = 3;
	hops[0].traffic_class = 7;
	ck_assert_str_eq(pause_cycle_describe(&plan, &cycle, text, sizeof(text)),
			 "s0 -> s1 -> s2 -> s0, class ?: each waits for the next since 5.000 us");
}
