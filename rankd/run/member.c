#include "rankd/run/member.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/base/ring.h"
#include "nodes/clock/futex.h"
#include "nodes/control/control.h"
#include "nodes/process/memory.h"
#include "nodes/process/process.h"
#include "rankd/link/transport.h"
#include "rankd/run/workers.h"

#define PLAN_BYTES_MAX (1u << 30)
#define EVENTS_MAX 64
#define ALIVE_NS 200000000u
#define IDLE_MS 1       /* while the clock stands */
#define STATUS_FAILED 4 /* as `heddle run`: a node failed; the launcher shows the first status */
#define ENDS_AT_ONCE 1  /* no error: rank 0 has said so */

struct member {
	struct rank rank;
	struct workers workers;
	uint64_t alive_ns; /* of the last LETTER_ALIVE */
	node_time_t next_told;
	bool runs;                        /* the clock, here */
	bool resumed, leaves, leaves_now; /* as rank 0 has said */
};

static int tell(enum letter_kind kind, uint64_t number)
{
	return rank_letter(0, kind, RANK_NO_PLACE, 0, number, NULL, 0);
}

/* reports to rank 0 why this rank must end; rank 0 ends the run */
static int fail_tell(const struct member *member, uint32_t place, uint32_t worker, pid_t pid,
		     const char *why)
{
	(void)member;
	rank_letter(0, LETTER_FAILED, place, worker, (uint64_t)pid, why, (uint32_t)strlen(why));
	return -EIO;
}

static int worker_fail_tell(const struct member *member)
{
	const struct workers *workers = &member->workers;

	return fail_tell(member, workers_running(workers, workers->failed), workers->failed,
			 workers->failed_pid, workers->why);
}

/* ---- start ---- */

/*  Return: 0, or -errno with a sentence in @why */
static int plan_take(struct rank *rank, const char **why)
{
	uint64_t length = 0;
	char path[PATH_MAX];

	*why = "there is not enough memory";
	transport_share(&length, sizeof(length));
	if (length > PLAN_BYTES_MAX)
		return -EINVAL;
	rank->plan = malloc(length + 1);
	if (!rank->plan)
		return -ENOMEM;
	transport_share(rank->plan, length);
	if (!rank_plan_check(rank->plan, length, rank->rank_count, why))
		return -EINVAL;
	if (rank_build(path, sizeof(path)) == rank->plan->build)
		return 0;
	*why = "its workerd is not that of rank 0: install the same Heddle on all machines";
	return -EINVAL;
}

/* the rings of nodes here */
static void rings_init(const struct rank *rank)
{
	for (uint32_t i = 0; i < rank->plan->ring_count; i++) {
		const struct rank_ring *ring = &rank_plan_rings(rank->plan)[i];

		if (rank_is_here(rank, ring->from_worker) || rank_is_here(rank, ring->to_worker))
			ring_init((struct ring_page *)((uint8_t *)rank->rings.memory + ring->at),
				  ring->data_bytes, ring->captured_max);
	}
}

static int memory_map(struct rank_memory *memory, const char *name, size_t bytes)
{
	int fd = memory_make(name, bytes);

	return fd < 0 ? fd : rank_map(memory, fd);
}

static int memories_make(struct rank *rank, const char **why)
{
	const struct rank_plan *plan = rank->plan;
	int error = memory_map(&rank->clock, "heddle-clock", clock_bytes(plan->worker_count));

	if (!error)
		error = memory_map(&rank->places, "heddle-pack",
				   places_bytes(plan->worker_count, plan->place_count));
	if (!error)
		error = memory_map(&rank->rings, "heddle-rings", plan->rings_bytes);
	if (error) {
		*why = "there is not enough memory";
		return error;
	}
	clock_init(rank->clock.memory, plan->worker_count, plan->lookahead_ps);
	places_init(rank->places.memory, plan->worker_count, plan->place_count);
	rings_init(rank);
	return rank_join(rank, why);
}

static int member_start(struct member *member)
{
	const char *why = "";
	char program[PATH_MAX];
	int error = plan_take(&member->rank, &why);

	if (!error)
		error = memories_make(&member->rank, &why);
	if (error)
		return fail_tell(member, RANK_NO_PLACE, 0, 0, why);
	rank_build(program, sizeof(program));
	if (workers_start(&member->workers, &member->rank, program))
		return fail_tell(member, RANK_NO_PLACE, 0, 0, member->workers.why);
	return 0;
}

/* ---- nodes to rank 0 ---- */

/* the earliest event here, if it has changed */
static int next_tell(struct member *member)
{
	node_time_t next = clock_earliest(&member->rank.windows.gate.clock);

	if (member->runs || next == member->next_told)
		return 0;
	member->next_told = next;
	return tell(LETTER_NEXT, next);
}

/* what the node at @place has said, after what it has written */
static int packets_pass(struct member *member, uint32_t place)
{
	struct workers_node *node = &member->workers.nodes[place];
	struct control_packet packet;
	int error;

	while (!(error = control_packet_receive(node->socket, &packet, 0))) {
		if (!member->runs)
			error = mirror_send(&node->mirror, place);
		if (!error)
			error = next_tell(member);
		if (!error)
			error = rank_letter(0, LETTER_CONTROL, place, 0, 0, packet.bytes,
					    (uint32_t)packet.length);
		control_packet_free(&packet);
		if (error)
			return error;
	}
	if (error == -EPIPE || error == -ECONNRESET)
		epoll_ctl(member->workers.epoll, EPOLL_CTL_DEL, node->socket, NULL);
	return 0; /* a worker that has died is reported by workers_watch() */
}

static int sockets_pass(struct member *member, int timeout_ms)
{
	struct epoll_event events[EVENTS_MAX];
	int count, error = 0;

	while (!error &&
	       (count = epoll_wait(member->workers.epoll, events, EVENTS_MAX, timeout_ms)) > 0) {
		for (int i = 0; i < count && !error; i++)
			error = packets_pass(member, events[i].data.u32);
		timeout_ms = 0;
	}
	return error;
}

static int mirrors_send(struct member *member)
{
	int error = 0;

	for (uint32_t place = 0; place < member->rank.plan->place_count && !error; place++)
		if (member->workers.nodes[place].socket >= 0)
			error = mirror_send(&member->workers.nodes[place].mirror, place);
	return error;
}

/* ---- rank 0 to nodes ---- */

/* descriptors like those that came with a packet on rank 0 */
static int fds_make(struct mirror *mirror, const struct letter_read *letter,
		    struct control_packet *packet)
{
	for (uint32_t i = 0; i < letter->head.fds; i++) {
		int fd;

		if (letter->fds[i] && mirror->page_fd >= 0)
			return -EINVAL;
		if (letter->fds[i] > PLAN_BYTES_MAX)
			return -EINVAL;
		fd = letter->fds[i] ? mirror_page(mirror, letter->fds[i]) : mirror_file(mirror);
		if (fd < 0)
			return fd;
		packet->fds[packet->fd_count++] = fd;
	}
	return 0;
}

static int control_take(struct member *member, const struct letter_read *letter)
{
	uint32_t place = letter->head.place;
	struct workers_node *node = &member->workers.nodes[place];
	struct control_packet packet = { .bytes = (uint8_t *)letter->bytes,
					 .length = letter->head.bytes };
	int error;

	if (node->socket < 0 || member->runs)
		return -EINVAL;
	error = fds_make(&node->mirror, letter, &packet);
	if (!error)
		error = control_packet_send(node->socket, &packet);
	if (error == -EPIPE)
		return 0; /* it is dead: workers_watch() */
	for (uint32_t w = 0; w < member->rank.plan->worker_count; w++) {
		const struct rank_worker *share = &rank_plan_workers(member->rank.plan)[w];

		if (place >= share->first_place && place - share->first_place < share->node_count)
			clock_ring(&member->rank.windows.gate.clock, w);
	}
	return error;
}

/* all letters that are there.  Return: 0; -EIO: one was none, told */
static int letters_take(struct member *member)
{
	struct letter_read letter;
	uint32_t from;
	size_t length;
	uint8_t *bytes;
	int error = 0;

	while (!error && (bytes = transport_receive(&from, &length))) {
		if (from ||
		    !letter_read(&letter, bytes, length, true, member->rank.plan->place_count))
			error = -EINVAL;
		else if (letter.head.kind == LETTER_CONTROL)
			error = control_take(member, &letter);
		else if (letter.head.kind == LETTER_END)
			*(letter.head.index ? &member->leaves_now : &member->leaves) = true;
		else
			member->resumed = true;
		free(bytes);
		if (member->resumed || member->leaves || member->leaves_now)
			break;
	}
	return error ? fail_tell(member, RANK_NO_PLACE, 0, 0,
				 error == -EINVAL ? "did not understand what rank 0 has sent"
						  : strerror(-error))
		     : 0;
}

/* ---- windows ---- */

/* windows.look */
static int look(void *owner, enum letter_state state, uint64_t waited_ns)
{
	struct member *member = owner;
	uint64_t now_ns = monotonic_ns();
	int error;

	if (workers_watch(&member->workers) ||
	    (state == LETTER_WORKS && workers_judge(&member->workers)))
		return worker_fail_tell(member);
	error = sockets_pass(member, 0);
	if (!error)
		error = letters_take(member); /* one may say that the run ends */
	if (!error && member->leaves_now)
		error = ENDS_AT_ONCE;
	if (!error && waited_ns >= ALIVE_NS && now_ns - member->alive_ns >= ALIVE_NS) {
		member->alive_ns = now_ns;
		error = rank_letter(0, LETTER_ALIVE, RANK_NO_PLACE, state,
				    member->rank.windows.count, NULL, 0);
	}
	return error;
}

/* the clock runs, until it stands on all ranks */
static int run(struct member *member)
{
	struct windows *windows = &member->rank.windows;
	int error;

	member->resumed = false;
	member->runs = true;
	clock_gate_run(&windows->gate);
	error = windows_run(windows);
	if (error == -EINVAL)
		error = fail_tell(member, RANK_NO_PLACE, 0, 0, windows->crossing.why);
	if (!error && workers_watch(&member->workers))
		error = worker_fail_tell(member);
	if (error)
		return error;
	clock_stop(&windows->gate.clock);
	error = sockets_pass(member, 0);
	if (!error)
		error = mirrors_send(member);
	member->runs = false;
	member->next_told = windows->earliest;
	return error ? error : tell(LETTER_STANDS, windows->earliest);
}

/* until the run ends */
static int serve(struct member *member)
{
	int error = 0;

	while (!error) {
		error = letters_take(member);
		if (!error && member->leaves_now)
			return ENDS_AT_ONCE;
		if (!error && member->leaves)
			return 0;
		if (!error && member->resumed)
			error = run(member);
		if (!error && workers_watch(&member->workers))
			error = worker_fail_tell(member);
		if (!error)
			error = sockets_pass(member, IDLE_MS);
	}
	return error;
}

/* the workers leave, and what they wrote last goes to rank 0 */
static int leave(struct member *member)
{
	int error = workers_leave(&member->workers) ? worker_fail_tell(member) : 0;

	if (!error)
		error = sockets_pass(member, 0);
	if (!error)
		error = mirrors_send(member);
	return error ? error : tell(LETTER_LEFT, member->workers.cpu_ns);
}

/* a failure was told: rank 0 ends the run */
static void end_await(void)
{
	struct letter_read letter;
	uint32_t from;
	size_t length;

	for (uint32_t turn = 0;; windows_wait(&turn)) {
		uint8_t *bytes = transport_receive(&from, &length);
		bool end = bytes && letter_read(&letter, bytes, length, true, UINT32_MAX) &&
			   letter.head.kind == LETTER_END;

		free(bytes);
		transport_sending();
		if (end)
			return;
	}
}

int member_run(uint32_t rank, uint32_t rank_count)
{
	struct member member = { .rank = { .rank = rank,
					   .rank_count = rank_count,
					   .clock.fd = -1,
					   .places.fd = -1,
					   .rings.fd = -1,
					   .windows = { .look = look } } };
	int error;

	member.rank.windows.owner = &member;
	member.workers.epoll = -1;
	error = member_start(&member);
	if (!error)
		error = tell(LETTER_NEXT, 0);
	if (!error)
		error = serve(&member);
	if (!error)
		error = leave(&member);
	if (!error) {
		transport_end();
		workers_end(&member.workers);
		rank_end(&member.rank);
		return PROCESS_FINE;
	}
	if (error != ENDS_AT_ONCE)
		end_await();
	if (member.workers.rank)
		workers_end(&member.workers);
	return STATUS_FAILED;
}
