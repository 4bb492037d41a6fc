/*  nodes/node/pace_group: packed nodes under the real clock take turns in one thread; none rings a
 *  doorbell of another one, ACKs wait for packets, and what is not in the group is told as ever
 *  (SC-7).
 *
 *      node 0 ── node 1 ── node 2 ─ ─ node 3, which is a process of its own */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "nodes/link/link_send.h"
#include "nodes/node/pace_group.h"
#include "tests/testing.h"

#define NODES 3u
#define PORTS 2u
#define OUTSIDE NODES
#define FORWARDS 50u

struct toy {
	struct node_config config;
	struct port_config ports[PORTS];
	struct link links[PORTS];
	struct stats_page *stats;
	struct pace pace;
	int doorbell;
	bool forwards; /* sends on what arrives, through the other port */
	uint32_t turns, packets, acks;
};

static struct toy toys[NODES];
static struct pace_group group;
static struct clock_page *page;
static struct clock clocks;
static struct event_loop *loop;
static struct ring_page *rings[2 * (NODES + 1)];
static struct link outside; /* the end of node 3 */
static struct node_config outside_config;
static struct port_config outside_port;
static struct stats_page *outside_stats;
static int outside_doorbell;

static void packet_send(struct link *link, node_time_t now)
{
	uint8_t *bytes = link_send_packet(link, now, 104, 100, 100, 0, 0);

	ck_assert_ptr_nonnull(bytes);
	memset(bytes, 0, 100);
}

static void acks_send(struct link *link, node_time_t now)
{
	static const uint8_t acks[64];

	link_send_acks(link, now, acks, sizeof(acks), sizeof(acks) + 4);
}

static node_time_t toy_run(void *dataplane, node_time_t end)
{
	struct toy *toy = dataplane;
	node_time_t next = NODE_TIME_NEVER;

	toy->turns++;
	for (uint32_t port = 0; port < toy->config.port_count; port++) {
		struct link *link = &toy->links[port];
		node_time_t due;

		while ((due = link_next_at(link)) < end) {
			struct record header;
			bool acks;

			ck_assert_ptr_nonnull(link_receive(link, &header, due));
			acks = header.kind == RECORD_ACKS;
			link_done(link, &header);
			*(acks ? &toy->acks : &toy->packets) += 1;
			if (acks || !toy->forwards)
				continue;
			packet_send(&toy->links[1 - port], due);
			acks_send(link, due); /* to where it came from */
		}
		next = node_time_min(next, due);
	}
	return next;
}

static const struct node_ops ops = { .run = toy_run };

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, (bytes + 4095) / 4096 * 4096);
}

static struct port_config port_of(uint32_t peer)
{
	return (struct port_config){ .kind = PORT_EDGE,
				     .peer_name = "peer",
				     .peer_index = peer,
				     .rate_bps = 100000000000,
				     .mtu_bytes = 9014,
				     .channels = 16,
				     .ring_bytes = RING_BYTES_MIN };
}

static struct node_config config_of(uint32_t index, struct port_config *ports, uint32_t count)
{
	return (struct node_config){ .kind = NODE_NIC,
				     .name = "n",
				     .index = index,
				     .clock = CLOCK_REAL,
				     .node_count = NODES + 1,
				     .class_count = 1,
				     .port_count = count,
				     .ports = ports };
}

static void link_open(struct link *link, const struct node_config *config, uint32_t port,
		      struct stats_page *stats, uint32_t tx, uint32_t rx)
{
	ck_assert_int_eq(link_init(link, config, port, rings[tx], ring_bytes(RING_BYTES_MIN),
				   rings[rx], ring_bytes(RING_BYTES_MIN), stats),
			 0);
}

/* port 0 leads to the node before, port 1 to the one after; node 0 has port 0 only, which leads to
 * node 1. Ring 2k leads from node k to node k + 1, 2k + 1 back. */
static void toy_make(uint32_t index)
{
	struct toy *toy = &toys[index];
	uint32_t count = index ? 2 : 1;

	toy->ports[0] = port_of(index ? index - 1 : 1);
	toy->ports[1] = port_of(index + 1);
	toy->config = config_of(index, toy->ports, count);
	toy->stats = zeroed(stats_bytes(&toy->config));
	stats_init(toy->stats, &toy->config);
	if (index)
		link_open(&toy->links[0], &toy->config, 0, toy->stats, 2 * index - 1,
			  2 * index - 2);
	link_open(&toy->links[count - 1], &toy->config, count - 1, toy->stats, 2 * index,
		  2 * index + 1);
	toy->doorbell = eventfd(0, EFD_NONBLOCK);
	toy->forwards = index == 1;
	ck_assert_int_eq(pace_init(&toy->pace, &clocks, &toy->config, toy->links, toy->stats, &ops,
				   toy, loop, index * EVENT_LOOP_FDS_MAX, toy->doorbell),
			 0);
	pace_group_join(&group, index, &toy->pace);
}

static void plug_all(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t port = 0; port < toys[i].config.port_count; port++) {
			uint32_t peer = toys[i].ports[port].peer_index;

			ck_assert_int_eq(
				pace_plug(&toys[i].pace, port,
					  peer == OUTSIDE ? outside_doorbell : toys[peer].doorbell,
					  NULL, -1),
				0);
		}
}

static void make(int fallback, node_time_t poll_ps)
{
	struct timespec now;
	struct why why;

	memset(toys, 0, sizeof(toys));
	page = zeroed(clock_bytes(NODES + 1));
	clock_init(page, NODES + 1, NODE_MS);
	clock_gettime(CLOCK_MONOTONIC, &now);
	page->epoch_ns = (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec - 1000;
	atomic_store(&page->state, CLOCK_RUNNING);
	ck_assert_int_eq(clock_attach(&clocks, page, clock_bytes(NODES + 1)), 0);
	for (uint32_t r = 0; r < 2 * NODES; r++) {
		rings[r] = zeroed(ring_bytes(RING_BYTES_MIN));
		ring_init(rings[r], RING_BYTES_MIN, RING_CAPTURED_MAX);
	}
	loop = event_loop_open(fallback ? EVENT_LOOP_FALLBACK : EVENT_LOOP_AUTO, -1, &why);
	ck_assert_ptr_nonnull(loop);
	ck_assert_int_eq(event_loop_numbers(loop, NODES * EVENT_LOOP_FDS_MAX), 0);
	ck_assert_int_eq(pace_group_init(&group, NODES, loop, -1, poll_ps), 0);
	for (uint32_t i = 0; i < NODES; i++)
		toy_make(i);
	outside_doorbell = eventfd(0, EFD_NONBLOCK);
	outside_port = port_of(NODES - 1);
	outside_config = config_of(OUTSIDE, &outside_port, 1);
	outside_stats = zeroed(stats_bytes(&outside_config));
	stats_init(outside_stats, &outside_config);
	link_open(&outside, &outside_config, 0, outside_stats, 2 * NODES - 1, 2 * NODES - 2);
	plug_all();
}

static void setup(void)
{
}

static void teardown(void)
{
	event_loop_close(loop);
	pace_group_fini(&group);
	for (uint32_t i = 0; i < NODES; i++) {
		for (uint32_t port = 0; port < toys[i].config.port_count; port++)
			link_fini(&toys[i].links[port]);
		free(toys[i].stats);
		close(toys[i].doorbell);
	}
	link_fini(&outside);
	free(outside_stats);
	close(outside_doorbell);
	for (uint32_t r = 0; r < 2 * NODES; r++)
		free(rings[r]);
	free(page);
}

TEST_GROUP(pace_group, .setup = setup, .teardown = teardown);

/* what a worker does, until a round finds nothing. Return: the turns of all nodes */
static uint32_t rounds(void)
{
	uint32_t turns = 0, count;

	while ((count = pace_group_round(&group))) {
		for (uint32_t i = 0; i < count; i++)
			pace_group_turn(&group, group.due[i]);
		turns += count;
	}
	return turns;
}

/* ... and until @*what is @wanted */
static void turns_until(const uint32_t *what, uint32_t wanted)
{
	bool control;

	do
		rounds();
	while (*what < wanted && pace_group_wait(&group, &control));
	ck_assert_uint_eq(*what, wanted);
}

/* how often the doorbell rang */
static uint64_t rings_of(int doorbell)
{
	uint64_t count;

	return read(doorbell, &count, sizeof(count)) == (ssize_t)sizeof(count) ? count : 0;
}

TEST_RANGE(pace_group_round__a_packet_crosses_nodes_without_a_doorbell, 0, 2)
{
	make(_i, 0);
	rounds();
	for (uint32_t i = 0; i < FORWARDS; i++) {
		packet_send(&toys[0].links[0], pace_now(&toys[0].pace));
		pace_group_stir(&group, 0); /* it was sent outside of its turn */
		turns_until(&toys[2].packets, i + 1);
	}
	turns_until(&toys[0].acks, FORWARDS);
	ck_assert_uint_eq(toys[1].packets, FORWARDS);
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_uint_eq(rings_of(toys[i].doorbell), 0);
}

/* ACKs are handled when no packet is left */
TEST(pace_group_owe__acks_wait_for_packets)
{
	uint32_t before;

	make(0, 0);
	rounds();
	for (uint32_t i = 0; i < FORWARDS; i++)
		packet_send(&toys[0].links[0], pace_now(&toys[0].pace));
	pace_group_stir(&group, 0);
	while (toys[1].packets < FORWARDS)
		rounds();
	turns_until(&toys[0].acks, FORWARDS);
	before = toys[0].turns;
	group.busy_ps = pace_now(&toys[0].pace) + 100 * NODE_S; /* it is not long ago */
	pace_group_owe(&group, 0, 0);
	ck_assert_uint_eq(atomic_load(&group.next_at[0]), NODE_TIME_NEVER);
	pace_group_notify(&group, 1, 0);
	ck_assert_uint_eq(pace_group_round(&group), 1); /* the packet first */
	ck_assert_uint_eq(group.due[0], 1);
	pace_group_turn(&group, 1);
	ck_assert_uint_eq(toys[0].turns, before);
	ck_assert_uint_eq(rounds(), 1); /* then the ACKs */
	ck_assert_uint_eq(toys[0].turns, before + 1);
}

/* ... but not for ever */
TEST(pace_group_owe__packets_without_end_do_not_starve_acks)
{
	uint32_t before;

	make(0, 0);
	rounds();
	before = toys[0].turns;
	pace_group_owe(&group, 0, 0);
	while (toys[0].turns == before) {
		uint32_t count;

		pace_group_notify(&group, 1, 0);
		count = pace_group_round(&group);
		ck_assert_uint_ge(count, 1);
		for (uint32_t i = 0; i < count; i++)
			pace_group_turn(&group, group.due[i]);
	}
	ck_assert_uint_gt(toys[1].turns, 0);
}

/* node 3 sleeps: its doorbell rings once for a packet of node 2, which is at the border */
TEST_RANGE(pace_group_turn__another_process_is_told, 0, 2)
{
	make(_i, 0);
	rounds();
	ring_sleep(&outside.rx.ring, NODE_TIME_NEVER);
	packet_send(&toys[2].links[1], pace_now(&toys[2].pace));
	pace_group_stir(&group, 2);
	rounds();
	ck_assert_uint_eq(rings_of(outside_doorbell), 1);
}

/* a group that falls asleep tells node 3, whose record then wakes it; node 2 alone has turns */
TEST_RANGE(pace_group_wait__another_process_wakes_its_neighbour_only, 0, 2)
{
	uint64_t one = 1;
	uint32_t turns;
	bool control;

	make(_i, 0);
	rounds();
	pace_group_wait(&group, &control); /* finds the border */
	while (rounds() || group.border_count != 1)
		pace_group_wait(&group, &control);
	turns = toys[0].turns + toys[1].turns;
	packet_send(&outside, pace_now(&toys[2].pace));
	link_flush(&outside, &control);
	ck_assert_int_eq(write(toys[2].doorbell, &one, sizeof(one)), sizeof(one));
	turns_until(&toys[2].packets, 1);
	ck_assert_uint_eq(toys[0].turns + toys[1].turns, turns);
}

/* the link to node 1 fails and returns as one to another process: the doorbell rings again */
TEST(pace_group_plug__a_link_may_lead_elsewhere)
{
	make(0, 0);
	ck_assert_uint_eq(toys[0].pace.inside, 1);
	pace_unplug(&toys[0].pace, 0);
	ck_assert_uint_eq(toys[0].pace.inside, 0);
	toys[0].ports[0].peer_index = OUTSIDE;
	ck_assert_int_eq(pace_plug(&toys[0].pace, 0, outside_doorbell, NULL, -1), 0);
	ck_assert_uint_eq(toys[0].pace.inside, 0);
	ck_assert_uint_eq(toys[1].pace.inside, 3);
	ck_assert_uint_eq(toys[2].pace.inside, 1);
}

/* a node that has left has no turns, whatever its neighbours sent */
TEST(pace_group_leave__no_turns_any_more)
{
	uint32_t turns;

	make(0, 0);
	rounds();
	turns = toys[1].turns;
	pace_unplug(&toys[1].pace, 0);
	pace_unplug(&toys[1].pace, 1);
	pace_leave(&toys[1].pace);
	pace_group_leave(&group, 1);
	packet_send(&toys[0].links[0], pace_now(&toys[0].pace));
	pace_group_stir(&group, 0);
	rounds();
	ck_assert_uint_eq(toys[1].turns, turns);
	/* a link to its index leads to another process now */
	pace_unplug(&toys[0].pace, 0);
	ck_assert_int_eq(pace_plug(&toys[0].pace, 0, outside_doorbell, NULL, -1), 0);
	ck_assert_uint_eq(toys[0].pace.inside, 0);
}

/* It sleeps when its time is over, and not before. */
TEST_RANGE(pace_group_wait__polls_for_so_long, 0, 2)
{
	const node_time_t poll_ps = 20 * NODE_MS;
	bool control;

	make(_i, poll_ps);
	rounds();
	pace_group_wait(&group, &control);
	do {
		rounds();
		pace_group_notify(&group, 0, group.busy_ps + 3 * poll_ps);
		toys[2].pace.slept = false;
		pace_group_wait(&group, &control);
	} while (!toys[2].pace.slept);
	ck_assert_uint_gt(pace_now(&toys[0].pace), group.busy_ps + poll_ps);
}

TEST(pace_group_wait__ends_with_the_fabric)
{
	bool control;

	make(0, 0);
	atomic_store(&page->state, CLOCK_ENDED);
	ck_assert(!pace_group_wait(&group, &control));
	ck_assert(pace_group_begun(&group, &control));
}
