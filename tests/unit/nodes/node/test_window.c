/*  nodes/node/window: a node's part of a window of the virtual clock: the peer learns when
 *  something arrives, which is never before the end of the window (TB-7, TB-23). */
#include "nodes/node/window.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/link/link_send.h"
#include "tests/testing.h"

#define LOOKAHEAD 1000u
#define RING_DATA_BYTES RING_BYTES_MIN
#define FRAME_BYTES 60u

static struct port_config port;
static struct node_config config;
static struct clock clock_;
static struct link link_;
static struct stats_page *stats;
static struct ring_page *to_peer, *from_peer;
static struct node_window window;
static uint32_t wake[2];

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, (bytes + 4095) / 4096 * 4096);
}

/* one frame at the start of the first window, then nothing more */
static node_time_t toy_run(void *dataplane, node_time_t end)
{
	(void)end;
	memset(link_send_packet(dataplane, 0, FRAME_BYTES + 4, FRAME_BYTES, FRAME_BYTES, 0, 0), 7,
	       FRAME_BYTES);
	return NODE_TIME_NEVER;
}

static const struct node_ops toy_ops = { .run = toy_run };

/* node 0 of two, in the window from 0 to LOOKAHEAD; its frame arrives @delay_ps after the start */
static void build(node_time_t delay_ps)
{
	size_t bytes = ring_bytes(RING_DATA_BYTES);
	struct clock_page *page = zeroed(clock_bytes(2));

	clock_init(page, 2, LOOKAHEAD);
	ck_assert_int_eq(clock_attach(&clock_, page, clock_bytes(2)), 0);
	port = (struct port_config){ .kind = PORT_EDGE,
				     .peer_index = 1,
				     .rate_bps = 100000000000,
				     .delay_ps = delay_ps,
				     .mtu_bytes = 1500,
				     .ring_bytes = RING_DATA_BYTES };
	config = (struct node_config){ .kind = NODE_NIC,
				       .node_count = 2,
				       .class_count = 1,
				       .port_count = 1,
				       .ports = &port,
				       .measure_to_ps = NODE_TIME_NEVER };
	stats = zeroed(stats_bytes(&config));
	stats_init(stats, &config);
	to_peer = zeroed(bytes);
	from_peer = zeroed(bytes);
	ring_init(to_peer, RING_DATA_BYTES, RING_CAPTURED_MAX);
	ring_init(from_peer, RING_DATA_BYTES, RING_CAPTURED_MAX);
	ck_assert_int_eq(link_init(&link_, &config, 0, to_peer, bytes, from_peer, bytes, stats), 0);
	node_window_init(&window, &clock_, &config, &link_, &toy_ops, &link_);
	clock_resume(&clock_, NODE_TIME_NEVER, wake);
	ck_assert_uint_eq(clock_.page->end_ps, LOOKAHEAD);
}

static void teardown(void)
{
	link_fini(&link_);
	free(stats);
	free(to_peer);
	free(from_peer);
	free(clock_.page);
}

TEST_GROUP(window, .teardown = teardown);

/* at the end of the window, the earliest that is allowed, or later */
TEST_RANGE(node_window_run__peer_learns_of_an_arrival, 0, 2)
{
	node_time_t arrival = LOOKAHEAD + (node_time_t)_i * 1500;

	build(arrival);
	node_window_run(&window, wake);
	ck_assert_uint_eq(atomic_load(&clock_.inbox_next[1]), arrival);
	ck_assert_uint_eq(atomic_load(&clock_.own_next[0]), NODE_TIME_NEVER);
	ck_assert_uint_eq(window.broken, 0);
}

/* the peer may have passed that time already */
TEST_SIGNAL(node_window_run__arrival_in_the_window_aborts, SIGABRT)
{
	build(LOOKAHEAD - 1);
	node_window_run(&window, wake);
}
