/*  one_rank - a rank of three in a unit test, which acts as the other two and as the orchestrator.
 *
 *    rank 0: worker 0, place 0
 *    rank 1: worker 1, places 8 and 9; worker 2, place 16
 *    rank 2: worker 3, place 24
 *
 *  Links join places 0 and 8, 8 and 16, 0 and 24. The test starts itself as rankd, which then finds
 *  workerd beside it: the test as well, see act_as_worker(). */
#ifndef HEDDLE_TESTS_UNIT_RANKD_ONE_RANK_H
#define HEDDLE_TESTS_UNIT_RANKD_ONE_RANK_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/ring.h"
#include "nodes/clock/futex.h"
#include "nodes/clock/places.h"
#include "nodes/control/control.h"
#include "nodes/process/child.h"
#include "nodes/process/memory.h"
#include "nodes/wire/rank_plan.h"
#include "nodes/wire/rank_records.h"
#include "rankd/link/letter.h"
#include "rankd/run/rank.h"
#include "tests/ranks.h"
#include "tests/testing.h"

static int rankd_main(int argc, char **argv);

#define main rankd_main
#include "rankd/main.c"
#undef main

#define RANKS 3u
#define WORKERS 4u
#define PLACES 32u
#define RINGS 6u
#define LOOKAHEAD 1000u
#define PAGE_BYTES 10000u /* of statistics: no whole number of parts */

static struct rank_plan *plan;
static char rank_root[PATH_MAX], rank_program[PATH_MAX + 80], worker_program[PATH_MAX + 80];
static pid_t rank_pid;

/* ---- a worker, as the packets say that its nodes receive ---- */

struct worker {
	struct worker_share share;
	struct clock clock;
	struct places_page *places;
	int *sockets;            /* [node_count] */
	int page, file;          /* of the node that was configured last */
	node_time_t next;        /* after each window */
	bool hangs, spins, dies; /* in the next window */
	int status;              /* at the end */
};

static void *worker_map(int fd, size_t *bytes)
{
	struct stat stat;
	void *memory;

	fstat(fd, &stat);
	memory = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*bytes = (size_t)stat.st_size;
	return memory == MAP_FAILED ? NULL : memory;
}

static bool worker_begin(struct worker *worker)
{
	static struct control_message message;
	struct why why;
	void *clock;
	size_t bytes;
	uint32_t count = 0;

	if (control_receive(CONTROL_FD, &message, 1, &why) || message.kind != CONTROL_WORK ||
	    message.fd_count != 3)
		return false;
	worker->places = worker_map(message.fds[1], &bytes);
	clock = worker_map(message.fds[0], &bytes);
	if (clock_attach(&worker->clock, clock, bytes))
		return false;
	worker->share = *message.worker;
	worker->sockets = calloc(worker->share.node_count, sizeof(*worker->sockets));
	while (count < worker->share.node_count) {
		if (control_receive(CONTROL_FD, &message, 1, &why) || message.kind != CONTROL_ADOPT)
			return false;
		for (uint32_t i = 0; i < message.fd_count; i++)
			worker->sockets[count++] = message.fds[i];
	}
	return true;
}

/* does what the packet says */
static void worker_do(struct worker *worker, const char *text, uint32_t place)
{
	long number = strtol(strpbrk(text, " ") ? strpbrk(text, " ") : "0", NULL, 10);

	atomic_store(&worker->places->workers[worker->share.index].running, place);
	if (!strncmp(text, "exit", 4))
		_exit((int)number);
	if (!strncmp(text, "kill", 4))
		raise((int)number);
	if (!strncmp(text, "next", 4))
		atomic_store(&worker->clock.own_next[worker->share.index], worker->next = number);
	if (!strncmp(text, "page", 4) && pwrite(worker->page, text, strlen(text), number) < 0)
		_exit(98);
	if (!strncmp(text, "file", 4) && write(worker->file, text, strlen(text)) < 0)
		_exit(98);
	worker->hangs |= !strcmp(text, "hang");
	worker->spins |= !strcmp(text, "spin");
	worker->dies |= !strcmp(text, "die");
	if (!strncmp(text, "last", 4))
		worker->status = (int)number;
	if (!strncmp(text, "close", 5))
		close(worker->sockets[place - worker->share.first_place]);
}

/* the last digit of the answer: the state of the clock, or whether this worker sleeps */
static void worker_answer(const struct worker *worker, const char *text,
			  struct control_packet *packet)
{
	uint8_t *last = packet->bytes + packet->length - 1;

	if (!strncmp(text, "state", 5))
		*last = '0' + (uint8_t)atomic_load(&worker->clock.page->state);
	if (!strncmp(text, "sleeps", 6))
		*last = '0' + (uint8_t)atomic_load(&worker->clock.asleep[worker->share.index]);
	if (!strncmp(text, "sleep ", 6))
		atomic_store(&worker->clock.asleep[worker->share.index], 1);
}

/* a packet of @node; the answer is the packet */
static void worker_packet(struct worker *worker, uint32_t node)
{
	struct control_packet packet;
	char text[200] = "";

	if (!control_packet_receive(worker->sockets[node], &packet, 0)) {
		memcpy(text, packet.bytes,
		       packet.length < sizeof(text) ? packet.length : sizeof(text) - 1);
		for (uint32_t i = 0; i < packet.fd_count && i < 2; i++) {
			*(i ? &worker->file : &worker->page) = packet.fds[i];
			packet.fds[i] = -1;
		}
		worker_do(worker, text, worker->share.first_place + node);
		for (uint32_t i = 0; i < packet.fd_count; i++)
			packet.fds[i] = -1;
		packet.fd_count = 0;
		worker_answer(worker, text, &packet);
		control_packet_send(worker->sockets[node], &packet);
	}
	control_packet_free(&packet);
}

static void worker_window(struct worker *worker)
{
	struct clock *clock = &worker->clock;
	struct pollfd end_of_rank = { .fd = CONTROL_FD };
	uint32_t index = worker->share.index, wake[WORKERS];
	node_time_t end = atomic_load(&clock->page->end_ps);

	if (atomic_load(&clock->page->state) != CLOCK_RUNNING ||
	    atomic_load(&clock->page->window) == atomic_load(&clock->done[index]) ||
	    !clock_takes_part(clock, index))
		return;
	if (worker->hangs)
		poll(&end_of_rank, 1, -1);
	while (worker->spins)
		;
	if (worker->dies)
		raise(SIGKILL);
	clock_finish(clock, index, worker->next < end ? NODE_TIME_NEVER : worker->next, wake);
}

static int act_as_worker(void)
{
	struct worker worker = { .page = -1, .file = -1 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!worker_begin(&worker))
		return 97;
	while (atomic_load(&worker.clock.page->state) != CLOCK_ENDED) {
		struct pollfd end = { .fd = CONTROL_FD, .events = POLLIN };

		for (uint32_t i = 0; i < worker.share.node_count; i++)
			worker_packet(&worker, i);
		worker_window(&worker);
		if (poll(&end, 1, 1) > 0) /* its rank is gone */
			return 96;
	}
	if (worker.file >= 0 && write(worker.file, "bye", 3) < 0)
		return 95;
	return worker.status;
}

/* ---- programs ---- */

/* this program as workerd, or as rankd */
__attribute__((constructor)) static void rank_become(int argc, char **argv)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;

	self[length > 0 ? length : 0] = 0;
	if (strrchr(self, '/') && !strcmp(strrchr(self, '/') + 1, "workerd"))
		_exit(act_as_worker());
	if (!getenv("ONE_RANK") || strcmp(getenv("ONE_RANK"), self) != 0)
		return;
	status = rankd_main(argc, argv);
	if (!status && argc == 1)
		exit(status); /* it has released all memory, says the sanitizer */
	_exit(status);
}

/* before the first test of a group, and after its last one: the folder of their folders, beside the
 * program */
static inline void programs_begin(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = 0;
	snprintf(rank_root, sizeof(rank_root), "%.4000s.XXXXXX", self);
	ck_assert_ptr_nonnull(mkdtemp(rank_root));
}

static inline void programs_end(void)
{
	pid_t pid = fork();

	if (!pid) {
		execlp("rm", "rm", "-rf", "--", rank_root, NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

/* a folder with rankd, under the name by which reach.py knows it, and workerd */
static inline void programs_make(void)
{
	char self[PATH_MAX], folder[PATH_MAX + 16];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = 0;
	snprintf(folder, sizeof(folder), "%s/XXXXXX", rank_root);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(rank_program, sizeof(rank_program), "%s/%.60s", folder, strrchr(self, '/') + 1);
	snprintf(worker_program, sizeof(worker_program), "%s/workerd", folder);
	ck_assert_int_eq(link(self, rank_program), 0);
	ck_assert_int_eq(link(self, worker_program), 0);
	setenv("ONE_RANK", rank_program, 1);
	/* no status of a rank */
	setenv("ASAN_OPTIONS", "exitcode=66", 1);
	setenv("UBSAN_OPTIONS", "exitcode=66", 1);
}

static inline void rank_start(char *const *arguments, int socket)
{
	rank_pid = child_start(rank_program, arguments, socket, CHILD_GROUP_SAME, false);
	ck_assert_int_gt(rank_pid, 0);
	ranks_leave();
}

/*  Return: the exit status of the rank */
static inline int rank_status(void)
{
	int status;

	ck_assert_int_eq(waitpid(rank_pid, &status, 0), rank_pid);
	ck_assert(WIFEXITED(status));
	rank_pid = 0;
	return WEXITSTATUS(status);
}

static inline void rank_kill(void)
{
	if (rank_pid && !kill(rank_pid, SIGKILL))
		waitpid(rank_pid, NULL, 0);
}

/* ---- the plan ---- */

static inline void plan_make(void)
{
	static const struct rank_worker workers[WORKERS] = {
		{ 0, 0, 1, 0 }, { 1, 8, 2, 0 }, { 1, 16, 1, 0 }, { 2, 24, 1, 0 }
	};
	/* from, to, place */
	static const uint32_t rings[RINGS][3] = { { 0, 1, 8 }, { 1, 0, 0 },  { 1, 2, 16 },
						  { 2, 1, 8 }, { 0, 3, 24 }, { 3, 0, 0 } };
	uint64_t ring_size = (ring_bytes(RING_BYTES_MIN) + 4095) / 4096 * 4096;
	const char *why = "";

	plan = calloc(1, rank_plan_bytes(WORKERS, RINGS));
	*plan = (struct rank_plan){ .magic = RANK_PLAN_MAGIC,
				    .bytes = (uint32_t)rank_plan_bytes(WORKERS, RINGS),
				    .rank_count = RANKS,
				    .worker_count = WORKERS,
				    .place_count = PLACES,
				    .ring_count = RINGS,
				    .rings_bytes = RINGS * ring_size,
				    .lookahead_ps = LOOKAHEAD,
				    .loop = "auto" };
	memcpy(rank_plan_workers(plan), workers, sizeof(workers));
	for (uint32_t i = 0; i < RINGS; i++)
		rank_plan_rings(plan)[i] = (struct rank_ring){ .at = i * ring_size,
							       .data_bytes = RING_BYTES_MIN,
							       .captured_max = 224,
							       .from_worker = rings[i][0],
							       .to_worker = rings[i][1],
							       .to_place = rings[i][2] };
	ck_assert_msg(rank_plan_check(plan, plan->bytes, RANKS, &why), "%s", why);
}

/* memory of @bytes, mapped at *@at, until the test ends */
static inline int memory_of(size_t bytes, void **at)
{
	int fd = memory_make("test", bytes);

	testing_leaves();
	ck_assert_int_ge(fd, 0);
	*at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(*at, MAP_FAILED);
	return fd;
}

/* this process is rank @number, with a clock, places and rings that are new */
static inline void rank_make(struct rank *rank, uint32_t number)
{
	const char *why = "";
	void *clock_page, *places_page, *rings;

	*rank = (struct rank){ .rank = number, .rank_count = RANKS, .plan = plan };
	ck_assert_int_eq(rank_map(&rank->clock, memory_of(clock_bytes(WORKERS), &clock_page)), 0);
	ck_assert_int_eq(rank_map(&rank->places, memory_of(places_bytes(WORKERS, plan->place_count),
							   &places_page)),
			 0);
	ck_assert_int_eq(rank_map(&rank->rings, memory_of(plan->rings_bytes, &rings)), 0);
	clock_init(clock_page, WORKERS, LOOKAHEAD);
	places_init(places_page, WORKERS, plan->place_count);
	for (uint32_t i = 0; i < RINGS; i++)
		ring_init((struct ring_page *)((uint8_t *)rings + rank_plan_rings(plan)[i].at),
			  RING_BYTES_MIN, 224);
	ck_assert_int_eq(rank_join(rank, &why), 0);
}

/* ---- letters ---- */

static struct ranks_item item;
static struct letter_read letter; /* borrows of item */

/* sends a letter of @from to the rank under test */
static inline void letter_send(uint32_t from, struct letter_head head, const uint64_t *fds,
			       const char *text)
{
	size_t length;
	void *bytes;

	head.bytes = (uint32_t)strlen(text);
	bytes = letter_write(&head, fds, text, &length);
	ranks_send(RANKS_LETTER, from, NULL, bytes, length);
	free(bytes);
}

/* the text of the letter */
static inline const char *letter_text(void)
{
	static char text[300];

	snprintf(text, sizeof(text), "%.*s", (int)letter.head.bytes, (const char *)letter.bytes);
	return text;
}

/* the next letter of the rank is a @kind to @to; letters that say that it lives do not count */
static inline void letter_comes(enum letter_kind kind, uint32_t to)
{
	do {
		ck_assert_msg(ranks_letter(&item), "the rank has ended");
		ck_assert_uint_eq(item.kind, RANKS_LETTER);
		ck_assert(letter_read(&letter, item.bytes, item.length, to != 0, PLACES));
	} while (letter.head.kind == LETTER_ALIVE && kind != LETTER_ALIVE);
	ck_assert_msg(letter.head.kind == kind, "letter %u, not %u: %s", letter.head.kind, kind,
		      letter_text());
	ck_assert_uint_eq(item.rank, to);
}

#endif
