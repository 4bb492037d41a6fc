/*  one_root - rank 0 as a process of the test. The test is the orchestrator, with the clock and
 *  worker 0, and the other ranks. */
#ifndef HEDDLE_TESTS_UNIT_RANKD_RUN_ONE_ROOT_H
#define HEDDLE_TESTS_UNIT_RANKD_RUN_ONE_ROOT_H

#include "tests/unit/rankd/one_rank.h"

#define LOST 1 /* exit status */
#define NO_PLACE UINT32_MAX
#define REMOTE 4u /* nodes of other ranks: places 8, 9, 16, 24 */

static const uint32_t remote[REMOTE] = { 8, 9, 16, 24 };

static int control, nodes[REMOTE];                 /* the orchestrator's ends */
static int clock_fd, places_fd, rings_fd, plan_fd; /* of the message */
static struct clock clock_;
static uint8_t *rings;
static struct control_message message;

static inline void pair_make(int *ours, int *theirs)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	*ours = ends[0];
	*theirs = ends[1];
}

static inline void memories_make(void)
{
	void *clock_page, *places_page, *rings_memory;

	clock_fd = memory_of(clock_bytes(WORKERS), &clock_page);
	places_fd = memory_of(places_bytes(WORKERS, PLACES), &places_page);
	rings_fd = memory_of(plan->rings_bytes, &rings_memory);
	rings = rings_memory;
	clock_init(clock_page, WORKERS, LOOKAHEAD);
	ck_assert_int_eq(clock_attach(&clock_, clock_page, clock_bytes(WORKERS)), 0);
	places_init(places_page, WORKERS, PLACES);
	for (uint32_t i = 0; i < RINGS; i++)
		ring_init((struct ring_page *)(rings + rank_plan_rings(plan)[i].at), RING_BYTES_MIN,
			  224);
}

static inline void setup(void)
{
	static char name[] = "rankd", loop[] = "--loop=auto", parent[40];
	char *const arguments[] = { name, loop, parent, NULL };
	int end;

	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	programs_make();
	plan_make();
	memories_make();
	pair_make(&control, &end);
	ranks_begin(0, RANKS);
	rank_start(arguments, end);
	close(end);
	message = (struct control_message){ 0 };
}

static inline void teardown(void)
{
	rank_kill();
	ranks_end();
	free(plan);
}

static inline void plan_keep(size_t bytes)
{
	plan_fd = memfd_create("plan", MFD_CLOEXEC);
	ck_assert_int_eq(write(plan_fd, plan, bytes), (ssize_t)bytes);
}

static inline void work_send(uint32_t fd_count)
{
	struct worker_share share = { .first_place = 8, .node_count = REMOTE };
	struct control_message work = { .kind = CONTROL_WORK,
					.worker = &share,
					.fds = { clock_fd, places_fd, rings_fd, plan_fd, plan_fd },
					.fd_count = fd_count };

	ck_assert_int_eq(control_send(control, &work), 0);
}

/* the control sockets of @count nodes more, from node @first */
static inline void sockets_send(uint32_t first, uint32_t count)
{
	struct control_message adopt = { .kind = CONTROL_ADOPT, .fd_count = count };

	for (uint32_t i = 0; i < count; i++)
		pair_make(&nodes[(first + i) % REMOTE], &adopt.fds[i]);
	ck_assert_int_eq(control_send(control, &adopt), 0);
	for (uint32_t i = 0; i < count; i++)
		close(adopt.fds[i]);
}

static inline void shares_come(void)
{
	struct rank_plan *shared = (void *)item.bytes;
	uint64_t length;

	ck_assert(ranks_letter(&item));
	ck_assert_uint_eq(item.kind, RANKS_SHARE);
	memcpy(&length, item.bytes, sizeof(length));
	ck_assert_uint_eq(length, plan->bytes);
	ck_assert(ranks_letter(&item));
	ck_assert_uint_eq(item.length, plan->bytes);
	ck_assert_uint_ne(shared->build, 0); /* that of workerd */
	shared->build = plan->build;
	ck_assert_mem_eq(shared, plan, plan->bytes);
}

static inline void begin(void)
{
	plan_keep(plan->bytes);
	work_send(4);
	sockets_send(0, 3);
	sockets_send(3, 1);
	shares_come();
}

/* the orchestrator is told why the run ends; all other ranks leave at once */
static inline void fails(const char *name, const char *why, uint32_t place)
{
	struct why text;

	ck_assert_int_eq(control_receive(control, &message, 1, &text), 0);
	ck_assert_int_eq(message.kind, CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_str_eq(message.text, name);
	ck_assert_str_eq(message.text2, why);
	ck_assert_uint_eq(message.question, place);
	for (uint32_t rank = 1; rank < RANKS; rank++) {
		letter_comes(LETTER_END, rank);
		ck_assert_uint_eq(letter.head.index, 1);
	}
}

/* ... and this one, when the orchestrator does */
static inline void leaves_lost(void)
{
	close(control);
	ck_assert_int_eq(rank_status(), LOST);
	ck_assert(!ranks_letter(&item));
}

static inline void fails_lost(const char *name, const char *why)
{
	fails(name, why, NO_PLACE);
	leaves_lost();
}

/* it ends without a reason */
static inline void is_lost(void)
{
	ck_assert_int_eq(rank_status(), LOST);
	ck_assert(!ranks_letter(&item));
}

/* waits until *@time is @value, of a page that the rank writes */
static inline void becomes(const _Atomic uint64_t *time, uint64_t value)
{
	for (int i = 0; i < 60000 && atomic_load(time) != value; i++)
		usleep(1000);
	ck_assert_uint_eq(atomic_load(time), value);
}

/* what arrives for node @node is @text */
static inline void node_gets(uint32_t node, const char *text)
{
	struct control_packet packet;

	ck_assert_int_eq(control_packet_receive(nodes[node], &packet, 1), 0);
	ck_assert_uint_eq(packet.length, strlen(text));
	ck_assert_mem_eq(packet.bytes, text, packet.length);
	control_packet_free(&packet);
}

#endif
