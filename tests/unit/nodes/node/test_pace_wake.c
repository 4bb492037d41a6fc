/*  nodes/node/pace between two processes: a record for a node that is falling asleep wakes it
 *  (TB-1, TB-5, TB-8).
 *
 *      node 0 ══ one record, back and forth ══ node 1
 *
 *  Each is a process with its own event loop, as in a fabric.
 *
 *  There is only one record, so after a lost wake-up both nodes would sleep for ever. A node keeps
 *  the record for 0 to 60 us, busy or asleep: about as long as an idle node stays awake. The record
 *  travels as a packet, which wakes its receiver at once, or as ACKs, which wake it later. Elapsed
 *  time decides nothing: the wake-up is lost if both processes sleep and nothing progresses. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/link/link_send.h"
#include "nodes/node/pace.h"
#include "tests/testing.h"

#define HANDOVERS 20000u
#define RUN_NS 600000000ull /* a slow machine has fewer of them */
#define PAUSE_US_MAX 60u
#define LOST_NS 1000000000ull /* without progress */
#define IDLE_NS 200000000ull
#define IDLE_CPU_NS_MAX 5000000ull

enum { PACKET, ACKS, MANNERS };         /* how the record travels */
enum { AT_ONCE, BUSY, ASLEEP, PAUSES }; /* what its holder does before it returns the record */

/* one end; shared memory, so that the test sees its progress */
struct peer {
	struct link link;
	struct pace pace;
	struct node_config config;
	struct port_config port;
	struct stats_page *stats;
	int doorbell;
	uint64_t random;
	/* the record is sent at this time; NODE_TIME_NEVER: the other peer has it */
	node_time_t keep_ps;
	uint64_t stop_ns; /* CLOCK_MONOTONIC: from then on the record stays with its holder */
	_Atomic uint32_t received[MANNERS];
	_Atomic bool over, wrong;
};

static struct peer *peers;
static pid_t pids[2];
static struct clock_page *page;
static struct clock clocks;

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	ck_assert_int_eq(clock_gettime(id, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* zeroed, page-aligned, shared by the test and both peers */
static void *shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

/* ---- the dataplane of a peer ---- */

static uint32_t draw(struct peer *peer, uint32_t limit)
{
	peer->random = peer->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(peer->random >> 33) % limit;
}

static uint32_t received_count(struct peer *peer)
{
	return atomic_load(&peer->received[PACKET]) + atomic_load(&peer->received[ACKS]);
}

static void hand_over(struct peer *peer, node_time_t now)
{
	static const uint8_t acks[64];
	uint8_t *bytes;

	peer->keep_ps = NODE_TIME_NEVER;
	if (draw(peer, MANNERS) == ACKS) {
		link_send_acks(&peer->link, now, acks, sizeof(acks), sizeof(acks) + 4);
		return;
	}
	bytes = link_send_packet(&peer->link, now, 104, 100, 100, 0, 0);
	if (bytes)
		memset(bytes, 0, 100);
	else
		atomic_store(&peer->wrong, true);
}

static void take(struct peer *peer, node_time_t due)
{
	node_time_t pause_ps = (node_time_t)draw(peer, PAUSE_US_MAX + 1) * NODE_US;
	struct record header;

	if (!link_receive(&peer->link, &header, due))
		atomic_store(&peer->wrong, true);
	atomic_fetch_add(&peer->received[header.kind == RECORD_ACKS ? ACKS : PACKET], 1);
	link_done(&peer->link, &header);
	switch (draw(peer, PAUSES)) {
	case AT_ONCE:
		pause_ps = 0;
		break;
	case BUSY:
		for (uint64_t from = clock_ns(CLOCK_MONOTONIC);
		     clock_ns(CLOCK_MONOTONIC) - from < pause_ps / NODE_NS;)
			;
		break;
	}
	peer->keep_ps = due + pause_ps;
	if (received_count(peer) < HANDOVERS / 2 && clock_ns(CLOCK_MONOTONIC) < peer->stop_ns)
		return;
	peer->keep_ps = NODE_TIME_NEVER;
	atomic_store(&peer->over, true);
}

static node_time_t peer_run(void *dataplane, node_time_t end)
{
	struct peer *peer = dataplane;
	node_time_t due;

	for (;;) {
		if (peer->keep_ps < end)
			hand_over(peer, peer->keep_ps);
		due = link_next_at(&peer->link);
		if (due >= end)
			return node_time_min(due, peer->keep_ps);
		take(peer, due);
	}
}

static const struct node_ops ops = { .run = peer_run };

/* ---- the peers ---- */

static _Noreturn void peer_main(struct peer *peer, enum event_loop_kind kind)
{
	struct why why;
	struct event_loop *loop = event_loop_open(kind, -1, &why);
	bool control, failed;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	failed = !loop ||
		 pace_init(&peer->pace, &clocks, &peer->config, &peer->link, peer->stats, &ops,
			   peer, loop, 0, peer->doorbell) ||
		 pace_plug(&peer->pace, 0, peers[peer->port.peer_index].doorbell, NULL, -1);
	if (failed)
		_exit(EXIT_FAILURE);
	do
		pace_turn(&peer->pace);
	while (pace_wait(&peer->pace, &control));
	_exit(EXIT_SUCCESS);
}

static void peer_make(uint32_t index, struct ring_page *tx, struct ring_page *rx, uint64_t stop_ns)
{
	struct peer *peer = &peers[index];

	peer->port = (struct port_config){ .kind = PORT_EDGE,
					   .peer_name = "peer",
					   .peer_index = 1 - index,
					   .rate_bps = 10000000000,
					   .delay_ps = NODE_US,
					   .mtu_bytes = 9014,
					   .channels = 16,
					   .ring_bytes = RING_BYTES_MIN };
	peer->config = (struct node_config){ .kind = NODE_NIC,
					     .name = "n",
					     .index = index,
					     .clock = CLOCK_REAL,
					     .node_count = 2,
					     .class_count = 1,
					     .port_count = 1,
					     .ports = &peer->port };
	peer->stats = shared(stats_bytes(&peer->config));
	stats_init(peer->stats, &peer->config);
	ck_assert_int_eq(link_init(&peer->link, &peer->config, 0, tx, ring_bytes(RING_BYTES_MIN),
				   rx, ring_bytes(RING_BYTES_MIN), peer->stats),
			 0);
	peer->doorbell = eventfd(0, EFD_NONBLOCK);
	ck_assert_int_ge(peer->doorbell, 0);
	peer->random = 1 + index;
	peer->keep_ps = index ? NODE_TIME_NEVER : 0;
	peer->stop_ns = stop_ns;
}

/* Starts two peers, which run for @run_ns. @fallback: without io_uring, else with it where it
 * works. */
static void begin(bool fallback, uint64_t run_ns)
{
	struct ring_page *rings[2];

	peers = shared(2 * sizeof(*peers));
	page = shared(clock_bytes(2));
	clock_init(page, 2, NODE_MS);
	page->epoch_ns = clock_ns(CLOCK_MONOTONIC);
	atomic_store(&page->state, CLOCK_RUNNING);
	ck_assert_int_eq(clock_attach(&clocks, page, clock_bytes(2)), 0);
	for (int i = 0; i < 2; i++) {
		rings[i] = shared(ring_bytes(RING_BYTES_MIN));
		ring_init(rings[i], RING_BYTES_MIN, RING_CAPTURED_MAX);
	}
	for (uint32_t i = 0; i < 2; i++)
		peer_make(i, rings[i], rings[1 - i], page->epoch_ns + run_ns);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i])
			peer_main(&peers[i], fallback ? EVENT_LOOP_FALLBACK : EVENT_LOOP_AUTO);
		ck_assert_int_gt(pids[i], 0);
	}
}

/* ends the peers; neither reports an error */
static void end(void)
{
	uint64_t one = 1;
	int status;

	atomic_store(&page->state, CLOCK_ENDED);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(write(peers[i].doorbell, &one, sizeof(one)), sizeof(one));
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert_int_eq(status, 0);
		ck_assert(!peers[i].wrong);
		ck_assert_uint_eq(peers[i].stats->drops[DROP_BAD_RECORD], 0);
		link_fini(&peers[i].link);
		close(peers[i].doorbell);
	}
}

/* Is the process asleep, rather than running or waiting for a core? */
static bool sleeps(pid_t pid)
{
	char path[32], text[512] = "";
	const char *after;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		(void)!read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	after = strrchr(text, ')');
	return !after || after[2] != 'R';
}

/* Waits until one of the peers keeps the record. Fails if both sleep although a record is in
 * flight. */
static void watch(void)
{
	uint32_t handed_over = 0, before;
	uint64_t alive_ns = clock_ns(CLOCK_MONOTONIC);

	while (!atomic_load(&peers[0].over) && !atomic_load(&peers[1].over)) {
		for (int i = 0; i < 2; i++)
			ck_assert_int_eq(waitpid(pids[i], NULL, WNOHANG), 0);
		before = handed_over;
		usleep(10000);
		handed_over = received_count(&peers[0]) + received_count(&peers[1]);
		if (handed_over != before || !sleeps(pids[0]) || !sleeps(pids[1]))
			alive_ns = clock_ns(CLOCK_MONOTONIC);
		ck_assert_msg(clock_ns(CLOCK_MONOTONIC) - alive_ns < LOST_NS,
			      "both sleep after %u handovers", handed_over);
	}
}

TEST_GROUP(pace_wake, .timeout_s = 60);

TEST_RANGE(pace_wait__no_wake_up_is_lost, 0, 2)
{
	begin(_i, RUN_NS);
	watch();
	end();
	for (int manner = 0; manner < MANNERS; manner++)
		ck_assert_uint_gt(peers[0].received[manner] + peers[1].received[manner], 0);
}

static uint64_t cpu_ns(pid_t pid)
{
	clockid_t id;

	ck_assert_int_eq(clock_getcpuclockid(pid, &id), 0);
	return clock_ns(id);
}

/* Nodes that had traffic and have none any more use no CPU: no doorbell or descriptor keeps them
 * awake. */
TEST_RANGE(pace_wait__an_idle_node_uses_no_cpu, 0, 2)
{
	uint64_t before[2];

	begin(_i, IDLE_NS / 4);
	watch();
	usleep(10000); /* time for the last of them to fall asleep */
	for (int i = 0; i < 2; i++)
		before[i] = cpu_ns(pids[i]);
	usleep(IDLE_NS / 1000);
	for (int i = 0; i < 2; i++)
		ck_assert_uint_le(cpu_ns(pids[i]) - before[i], IDLE_CPU_NS_MAX);
	end();
}
