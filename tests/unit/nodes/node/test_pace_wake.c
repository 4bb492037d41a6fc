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
#define PLAY_NS 600000000ull /* a slow machine has fewer of them */
#define PAUSE_US_MAX 60u
#define LOST_NS 1000000000ull /* without progress */
#define IDLE_NS 200000000ull
#define IDLE_CPU_NS_MAX 5000000ull

enum { PACKET, ACKS, MANNERS };         /* how the record travels */
enum { AT_ONCE, BUSY, ASLEEP, PAUSES }; /* what its holder does before it returns the record */

/* one end; shared memory, so that the test sees its progress */
struct player {
	struct link link;
	struct pace pace;
	struct node_config config;
	struct port_config port;
	struct stats_page *stats;
	int doorbell;
	uint64_t random;
	/* the record is sent at this time; NODE_TIME_NEVER: the other player has it */
	node_time_t keep_ps;
	uint64_t stop_ns; /* CLOCK_MONOTONIC: from then on the record stays with its holder */
	_Atomic uint32_t received[MANNERS];
	_Atomic bool over, wrong;
};

static struct player *players;
static pid_t pids[2];
static struct clock_page *page;
static struct clock clocks;

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	ck_assert_int_eq(clock_gettime(id, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* zeroed, page-aligned, shared by the test and both players */
static void *shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

/* ---- the dataplane of a player ---- */

static uint32_t draw(struct player *player, uint32_t limit)
{
	player->random = player->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(player->random >> 33) % limit;
}

static uint32_t received_count(struct player *player)
{
	return atomic_load(&player->received[PACKET]) + atomic_load(&player->received[ACKS]);
}

static void hand_over(struct player *player, node_time_t now)
{
	static const uint8_t acks[64];
	uint8_t *bytes;

	player->keep_ps = NODE_TIME_NEVER;
	if (draw(player, MANNERS) == ACKS) {
		link_send_acks(&player->link, now, acks, sizeof(acks), sizeof(acks) + 4);
		return;
	}
	bytes = link_send_packet(&player->link, now, 104, 100, 100, 0, 0);
	if (bytes)
		memset(bytes, 0, 100);
	else
		atomic_store(&player->wrong, true);
}

static void take(struct player *player, node_time_t due)
{
	node_time_t pause_ps = (node_time_t)draw(player, PAUSE_US_MAX + 1) * NODE_US;
	struct record header;

	if (!link_receive(&player->link, &header, due))
		atomic_store(&player->wrong, true);
	atomic_fetch_add(&player->received[header.kind == RECORD_ACKS ? ACKS : PACKET], 1);
	link_done(&player->link, &header);
	switch (draw(player, PAUSES)) {
	case AT_ONCE:
		pause_ps = 0;
		break;
	case BUSY:
		for (uint64_t from = clock_ns(CLOCK_MONOTONIC);
		     clock_ns(CLOCK_MONOTONIC) - from < pause_ps / NODE_NS;)
			;
		break;
	}
	player->keep_ps = due + pause_ps;
	if (received_count(player) < HANDOVERS / 2 && clock_ns(CLOCK_MONOTONIC) < player->stop_ns)
		return;
	player->keep_ps = NODE_TIME_NEVER;
	atomic_store(&player->over, true);
}

static node_time_t player_run(void *dataplane, node_time_t end)
{
	struct player *player = dataplane;
	node_time_t due;

	for (;;) {
		if (player->keep_ps < end)
			hand_over(player, player->keep_ps);
		due = link_next_at(&player->link);
		if (due >= end)
			return node_time_min(due, player->keep_ps);
		take(player, due);
	}
}

static const struct node_ops ops = { .run = player_run };

/* ---- the players ---- */

static _Noreturn void play(struct player *player, enum event_loop_kind kind)
{
	struct why why;
	struct event_loop *loop = event_loop_open(kind, -1, &why);
	bool control, failed;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	failed = !loop ||
		 pace_init(&player->pace, &clocks, &player->config, &player->link, player->stats,
			   &ops, player, loop, 0, player->doorbell) ||
		 pace_plug(&player->pace, 0, players[player->port.peer_index].doorbell, NULL, -1);
	if (failed)
		_exit(EXIT_FAILURE);
	do
		pace_turn(&player->pace);
	while (pace_wait(&player->pace, &control));
	_exit(EXIT_SUCCESS);
}

static void player_make(uint32_t index, struct ring_page *tx, struct ring_page *rx,
			uint64_t stop_ns)
{
	struct player *player = &players[index];

	player->port = (struct port_config){ .kind = PORT_EDGE,
					     .peer_name = "peer",
					     .peer_index = 1 - index,
					     .rate_bps = 10000000000,
					     .delay_ps = NODE_US,
					     .mtu_bytes = 9014,
					     .channels = 16,
					     .ring_bytes = RING_BYTES_MIN };
	player->config = (struct node_config){ .kind = NODE_NIC,
					       .name = "n",
					       .index = index,
					       .clock = CLOCK_REAL,
					       .node_count = 2,
					       .class_count = 1,
					       .port_count = 1,
					       .ports = &player->port };
	player->stats = shared(stats_bytes(&player->config));
	stats_init(player->stats, &player->config);
	ck_assert_int_eq(link_init(&player->link, &player->config, 0, tx,
				   ring_bytes(RING_BYTES_MIN), rx, ring_bytes(RING_BYTES_MIN),
				   player->stats),
			 0);
	player->doorbell = eventfd(0, EFD_NONBLOCK);
	ck_assert_int_ge(player->doorbell, 0);
	player->random = 1 + index;
	player->keep_ps = index ? NODE_TIME_NEVER : 0;
	player->stop_ns = stop_ns;
}

/* Starts two players, which play for @play_ns. @fallback: without io_uring, else with it where it
 * works. */
static void begin(bool fallback, uint64_t play_ns)
{
	struct ring_page *rings[2];

	players = shared(2 * sizeof(*players));
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
		player_make(i, rings[i], rings[1 - i], page->epoch_ns + play_ns);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i])
			play(&players[i], fallback ? EVENT_LOOP_FALLBACK : EVENT_LOOP_AUTO);
		ck_assert_int_gt(pids[i], 0);
	}
}

/* ends the players; neither reports an error */
static void end(void)
{
	uint64_t one = 1;
	int status;

	atomic_store(&page->state, CLOCK_ENDED);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(write(players[i].doorbell, &one, sizeof(one)), sizeof(one));
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert_int_eq(status, 0);
		ck_assert(!players[i].wrong);
		ck_assert_uint_eq(players[i].stats->drops[DROP_BAD_RECORD], 0);
		link_fini(&players[i].link);
		close(players[i].doorbell);
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

/* Waits until one of the players keeps the record. Fails if both sleep although a record is in
 * flight. */
static void watch(void)
{
	uint32_t handed_over = 0, before;
	uint64_t alive_ns = clock_ns(CLOCK_MONOTONIC);

	while (!atomic_load(&players[0].over) && !atomic_load(&players[1].over)) {
		for (int i = 0; i < 2; i++)
			ck_assert_int_eq(waitpid(pids[i], NULL, WNOHANG), 0);
		before = handed_over;
		usleep(10000);
		handed_over = received_count(&players[0]) + received_count(&players[1]);
		if (handed_over != before || !sleeps(pids[0]) || !sleeps(pids[1]))
			alive_ns = clock_ns(CLOCK_MONOTONIC);
		ck_assert_msg(clock_ns(CLOCK_MONOTONIC) - alive_ns < LOST_NS,
			      "both sleep after %u handovers", handed_over);
	}
}

TEST_GROUP(pace_wake, .timeout_s = 60);

TEST_RANGE(pace_wait__no_wake_up_is_lost, 0, 2)
{
	begin(_i, PLAY_NS);
	watch();
	end();
	for (int manner = 0; manner < MANNERS; manner++)
		ck_assert_uint_gt(players[0].received[manner] + players[1].received[manner], 0);
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
