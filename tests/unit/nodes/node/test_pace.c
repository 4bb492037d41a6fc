/*  nodes/node/pace: a node under the real clock sleeps until it has something to do, and never
 *  longer (TB-1, TB-8). */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/link/capture.h"
#include "nodes/link/link_send.h"
#include "nodes/node/pace.h"
#include "tests/later.h"
#include "tests/testing.h"

/* node 0 has one port, which leads to node 1; its dataplane receives what arrives and has a
 * timer */
static struct clock_page *page;
static struct clock clocks;
static struct node_config config;
static struct port_config port;
static struct ring_page *rings[2];
static struct link own, peer;
static struct stats_page *stats;
static struct event_loop *loop;
static struct pace pace;
static int sockets[2], doorbell, peer_doorbell;
static node_time_t timer_ps, received_ps, ran_until_ps;
static uint32_t received;

static node_time_t fake_run(void *dataplane, node_time_t end)
{
	node_time_t due;

	(void)dataplane;
	ran_until_ps = end;
	if (timer_ps < end)
		timer_ps = NODE_TIME_NEVER;
	while ((due = link_next_at(&own)) < end) {
		struct record header;

		ck_assert_ptr_nonnull(link_receive(&own, &header, due));
		link_release(&own, 0, 1);
		link_done(&own, &header);
		received++;
		received_ps = due;
	}
	return node_time_min(timer_ps, due);
}

static bool host_has_room;

/* a host that always has more to send */
static bool fake_host_receive(void *dataplane, uint32_t *readable, node_time_t now)
{
	(void)dataplane, (void)readable, (void)now;
	return host_has_room;
}

static const struct node_ops ops = { .run = fake_run, .host_receive = fake_host_receive };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, (bytes + 4095) / 4096 * 4096);
}

/* _i of each test: 0 io_uring where it works, 1 fallback */
static void make(int i)
{
	struct why why;

	port = (struct port_config){ .kind = PORT_EDGE,
				     .peer_name = "peer",
				     .peer_index = 1,
				     .rate_bps = 10000000000,
				     .delay_ps = 2 * NODE_MS,
				     .mtu_bytes = 9014,
				     .channels = 16,
				     .ring_bytes = RING_BYTES_MIN };
	config = (struct node_config){ .kind = NODE_NIC,
				       .name = "n",
				       .clock = CLOCK_REAL,
				       .node_count = 2,
				       .class_count = 1,
				       .port_count = 1,
				       .ports = &port };
	page = zeroed(clock_bytes(2));
	clock_init(page, 2, NODE_MS);
	page->epoch_ns = now_ns();
	atomic_store(&page->state, CLOCK_RUNNING);
	ck_assert_int_eq(clock_attach(&clocks, page, clock_bytes(2)), 0);
	stats = zeroed(stats_bytes(&config));
	stats_init(stats, &config);
	for (int r = 0; r < 2; r++) {
		rings[r] = zeroed(ring_bytes(RING_BYTES_MIN));
		ring_init(rings[r], RING_BYTES_MIN, RING_CAPTURED_MAX);
	}
	ck_assert_int_eq(link_init(&own, &config, 0, rings[0], ring_bytes(RING_BYTES_MIN), rings[1],
				   ring_bytes(RING_BYTES_MIN), stats),
			 0);
	ck_assert_int_eq(link_init(&peer, &config, 0, rings[1], ring_bytes(RING_BYTES_MIN),
				   rings[0], ring_bytes(RING_BYTES_MIN), stats),
			 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	loop = event_loop_open(i ? EVENT_LOOP_FALLBACK : EVENT_LOOP_AUTO, sockets[0], &why);
	ck_assert_ptr_nonnull(loop);
	doorbell = eventfd(0, EFD_NONBLOCK);
	peer_doorbell = eventfd(0, EFD_NONBLOCK);
	ck_assert_int_eq(
		pace_init(&pace, &clocks, &config, &own, stats, &ops, NULL, loop, 0, doorbell), 0);
	ck_assert_int_eq(pace_plug(&pace, 0, peer_doorbell, NULL, -1), 0);
	timer_ps = NODE_TIME_NEVER;
	received = 0;
}

static void setup(void)
{
}

static void teardown(void)
{
	event_loop_close(loop);
	link_fini(&own);
	link_fini(&peer);
	free(rings[0]);
	free(rings[1]);
	free(page);
	free(stats);
	for (int i = 0; i < 2; i++)
		close(sockets[i]);
	close(doorbell);
	close(peer_doorbell);
}

/* runs turns until something is received or the timer has fired */
static void run_turns(void)
{
	uint32_t before = received;
	bool timed = timer_ps != NODE_TIME_NEVER, control;

	do {
		pace_turn(&pace);
		if (received != before || (timed && timer_ps == NODE_TIME_NEVER))
			return;
	} while (pace_wait(&pace, &control) && !control);
}

static uint64_t cpu_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST_GROUP(pace, .setup = setup, .teardown = teardown);

TEST_RANGE(pace_wait__never_before_the_timer_and_asleep_till_then, 0, 2)
{
	uint64_t before_us;

	make(_i);
	timer_ps = pace_now(&pace) + 50 * NODE_MS;
	before_us = cpu_us();
	run_turns();
	ck_assert_uint_ge(ran_until_ps, 50 * NODE_MS);
	ck_assert_uint_lt(cpu_us() - before_us, 20000);
	ck_assert_uint_eq(stats->lateness.events, 1);
}

static void talk(void)
{
	send(sockets[1], "x", 1, 0);
}

/* A node that is very late handles its time in portions, and skips none of it. */
TEST_RANGE(pace_turn__a_late_node_catches_up_in_portions, 0, 2)
{
	node_time_t before_ps = 0;
	uint32_t turns = 0;

	make(_i);
	while (pace_now(&pace) < 5 * NODE_MS)
		usleep(1000);
	/* something new every 100 us, as the dataplane sees it */
	for (timer_ps = 1; timer_ps < 4 * NODE_MS; turns++) {
		pace.next_ps = timer_ps;
		pace_turn(&pace);
		ck_assert_uint_gt(ran_until_ps, before_ps);
		ck_assert_uint_le(ran_until_ps, before_ps + 601 * NODE_US);
		before_ps = ran_until_ps;
		timer_ps = ran_until_ps + 100 * NODE_US;
	}
	ck_assert_uint_ge(turns, 6);
	timer_ps = pace.next_ps = NODE_TIME_NEVER;
	pace_turn(&pace); /* nothing is due any more: the clock is the present */
	ck_assert_uint_ge(ran_until_ps, 5 * NODE_MS);
	ck_assert_uint_ge(stats->lateness.max_ns, 4000000);
	ck_assert_uint_ge(stats->behind_max_ns, 4000000);
	/* what follows is late too */
	ck_assert_uint_ge(stats_lateness_quantile(&stats->lateness, 500), 1000000);
}

/* TB-15: while there is space, the rest of the host's packets are read at once. Without space the
 * node polls less and less often. Both hold for a late node too. */
TEST_RANGE(pace_turn__host_is_polled_less_often_without_space, 0, 2)
{
	node_time_t wait_ps = 0;

	make(_i);
	pace.host_readable = 1;
	host_has_room = true;
	pace_turn(&pace);
	ck_assert_uint_le(pace.next_ps, pace.turned_ps);
	host_has_room = false;
	for (uint32_t turn = 0; turn < 12; turn++) {
		if (turn % 4 == 3)
			usleep(2000);
		pace_turn(&pace);
		ck_assert_uint_ge(pace.next_ps - pace.turned_ps, wait_ps);
		wait_ps = pace.next_ps - pace.turned_ps;
	}
	ck_assert_uint_ge(wait_ps, 200 * NODE_US);
	ck_assert_uint_le(wait_ps, NODE_MS);
	host_has_room = true;
	usleep(2000);
	pace_turn(&pace);
	ck_assert_uint_le(pace.next_ps, pace.turned_ps);
}

/* Nothing happens before fabric time has begun. A poll for it costs no turn. */
TEST_RANGE(pace_begun__not_before_the_epoch, 0, 2)
{
	bool control;

	make(_i);
	page->epoch_ns = now_ns() + 30000000;
	ck_assert_uint_eq(pace_now(&pace), 0);
	while (!pace_begun(&pace, &control))
		ck_assert(!control);
	ck_assert_uint_gt(pace_now(&pace), 0);
	atomic_store(&page->state, CLOCK_STOPPED);
	talk();
	ck_assert(!pace_begun(&pace, &control));
	ck_assert(control);
	atomic_store(&page->state, CLOCK_ENDED);
	ck_assert(pace_begun(&pace, &control));
}

/* A frame of the peer is handled and stamped with its due time, however late the node is. */
TEST_RANGE(pace_turn__a_record_is_handled_at_its_due_time, 0, 2)
{
	node_time_t sent_ps;

	make(_i);
	pace_turn(&pace);
	sent_ps = pace_now(&pace);
	ck_assert_ptr_nonnull(link_send_packet(&peer, sent_ps, 104, 100, 100, 0, 0));
	link_flush(&peer, &(bool){ 0 });
	run_turns();
	ck_assert_uint_eq(received, 1);
	ck_assert_uint_eq(received_ps, sent_ps + 2 * NODE_MS + link_frame_time_of(&peer, 104));
	ck_assert_uint_ge(pace_now(&pace), received_ps);
}

static void ring(void)
{
	uint64_t one = 1;

	(void)!write(doorbell, &one, sizeof(one));
}

/* a captured frame is in the file after CAPTURE_REST_PS, even if nothing else happens */
TEST_RANGE(pace_wait__a_capture_ends_a_sleep, 0, 2)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	uint64_t error_told = 0;
	uint8_t bytes[200];
	int ends[2];
	bool control;

	make(_i);
	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	port.capture_bytes = NODE_CAPTURE_WHOLE;
	ck_assert_int_eq(capture_init(capture, ends[1], &config, 0, &error_told), 0);
	link_capture(&own, capture);
	memset(link_send_packet(&peer, 0, 104, 100, 100, 0, 0), 'x', 100);
	link_flush(&peer, &control);
	run_turns();
	ck_assert_uint_eq(received, 1);
	ck_assert_int_lt(read(ends[0], bytes, sizeof(bytes)), 0);
	do
		pace_turn(&pace);
	while (pace.next_ps != NODE_TIME_NEVER && pace_wait(&pace, &control));
	ck_assert_int_eq(read(ends[0], bytes, sizeof(bytes)), 28 + 100 + 8 + 4 + 4);
	ck_assert_mem_eq(bytes + 28, "xxxx", 4);
	ck_assert_uint_ge(pace_now(&pace), received_ps + CAPTURE_REST_PS);
	capture_fini(capture);
	free(capture);
	close(ends[0]);
}

TEST_RANGE(pace_wait__the_doorbell_ends_a_sleep, 0, 2)
{
	bool control = false;
	uint64_t from_ns = now_ns();
	pid_t other;

	make(_i);
	pace_turn(&pace);
	other = later(ring);
	while (now_ns() - from_ns < 15000000)
		ck_assert(pace_wait(&pace, &control));
	ck_assert(!control);
	ck_assert_int_eq(waitpid(other, NULL, 0), other);
}

/* A ring is taken once: it does not end the next sleep as well. The turn after a sleep knows that
 * there was one, the next turn does not. */
TEST_RANGE(pace_wait__a_ring_is_taken_once, 0, 2)
{
	uint64_t count;
	bool control;

	make(_i);
	pace_turn(&pace);
	ring();
	do
		ck_assert(pace_wait(&pace, &control));
	while (!pace.slept);
	ck_assert_int_eq(read(doorbell, &count, sizeof(count)) < 0,
			 !event_loop_tells_news_only(loop));
	pace_turn(&pace);
	ck_assert(!pace.slept);
}

/* the peer has cleared the word that says that this node sleeps, and does not ring */
static void *send_unrung(void *unused)
{
	usleep(20000);
	atomic_store(&rings[1]->sleeps_ps, 0);
	link_send_packet(&peer, pace_now(&pace), 104, 100, 100, 0, 0);
	link_flush(&peer, &(bool){ 0 });
	return unused;
}

/* TB-23: a stray write of the peer does not stop this node for ever */
TEST_RANGE(pace_wait__a_sleep_without_a_wake_up_is_bounded, 0, 2)
{
	pthread_t thread;

	make(_i);
	ck_assert_int_eq(pthread_create(&thread, NULL, send_unrung, NULL), 0);
	run_turns();
	pthread_join(thread, NULL);
	ck_assert_uint_eq(received, 1);
}

TEST_RANGE(pace_wait__a_control_message_ends_a_sleep, 0, 2)
{
	bool control = false;
	pid_t other;

	make(_i);
	pace_turn(&pace);
	other = later(talk);
	while (!control)
		ck_assert(pace_wait(&pace, &control));
	ck_assert_int_eq(waitpid(other, NULL, 0), other);
}

TEST_RANGE(pace_wait__the_end_of_the_fabric, 0, 2)
{
	bool control = false;

	make(_i);
	pace_turn(&pace);
	atomic_store(&page->state, CLOCK_ENDED);
	ck_assert(!pace_wait(&pace, &control));
}

/* The doorbell of a peer is rung if the peer sleeps beyond the arrival. It is not rung if the peer
 * wakes in time or is awake. */
TEST_RANGE(pace_turn__rings_only_a_peer_that_would_oversleep, 0, 2)
{
	uint64_t rings_seen;

	make(_i);
	for (int k = 0; k < 3; k++) {
		atomic_store(&rings[0]->sleeps_ps, k == 0 ? 0 : k == 1 ? 1 : NODE_TIME_NEVER);
		ck_assert_ptr_nonnull(link_send_packet(&own, pace_now(&pace), 104, 100, 100, 0, 0));
		pace_turn(&pace);
		ck_assert_int_eq(read(peer_doorbell, &rings_seen, sizeof(rings_seen)) > 0, k == 2);
	}
	ck_assert_uint_eq(atomic_load(&rings[0]->sleeps_ps), 0);
}

/* TB-23: a node's sleep word is where its peer and the orchestrator look, and nowhere else. A third
 * node cannot affect it, whatever it writes to its clock page. */
static void *look_at_sleeper(void *unused)
{
	bool wiped = false;

	memset((char *)page + CLOCK_HEAD_BYTES, 0, clock_bytes(2) - CLOCK_HEAD_BYTES);
	while (!wiped)
		wiped = atomic_load(&rings[1]->sleeps_ps) == NODE_TIME_NEVER &&
			__atomic_load_n(&stats->sleeps_ps, __ATOMIC_RELAXED) == NODE_TIME_NEVER;
	memset((char *)page + CLOCK_HEAD_BYTES, 0, clock_bytes(2) - CLOCK_HEAD_BYTES);
	link_send_packet(&peer, pace_now(&pace), 104, 100, 100, 0, 0);
	link_flush(&peer, &(bool){ 0 });
	atomic_thread_fence(memory_order_seq_cst);
	ck_assert(ring_rouse(&peer.tx.ring, pace_now(&pace)));
	ck_assert(!ring_rouse(&peer.tx.ring, pace_now(&pace))); /* once for each sleep */
	ring();
	return unused;
}

TEST_RANGE(pace_wait__a_third_node_has_no_part_in_waking, 0, 2)
{
	pthread_t thread;

	make(_i);
	ck_assert_int_eq(pthread_create(&thread, NULL, look_at_sleeper, NULL), 0);
	run_turns();
	pthread_join(thread, NULL);
	ck_assert_uint_eq(received, 1);
	ck_assert_uint_eq(atomic_load(&rings[1]->sleeps_ps), 0);
	ck_assert_uint_eq(stats->sleeps_ps, 0);
	ck_assert_uint_eq(ring_roused(&own.rx.ring), NODE_TIME_NEVER); /* the word was cleared */
}
