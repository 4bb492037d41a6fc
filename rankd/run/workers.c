#include "rankd/run/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/futex.h"
#include "nodes/control/control.h"
#include "nodes/process/child.h"
#include "nodes/process/process_look.h"
#include "nodes/stats/stats.h"

#define SOCKETS_AT_ONCE 200u
#define LEAVE_NS 5000000000u

static int __attribute__((format(printf, 3, 4)))
failed(struct workers *workers, uint32_t worker, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(workers->why, sizeof(workers->why), format, arguments);
	va_end(arguments);
	workers->failed = worker;
	return -EIO;
}

/* ---- start ---- */

static int process_start(struct workers *workers, uint32_t worker, const char *program, int socket)
{
	const struct rank_plan *plan = workers->rank->plan;
	char name[32], loop[40], parent[32], keep[] = "--keep-user";
	char *arguments[] = { name, loop, parent, plan->keep_user ? keep : NULL, NULL };
	pid_t pid;

	snprintf(name, sizeof(name), "worker%u", worker);
	snprintf(loop, sizeof(loop), "--loop=%s", plan->loop);
	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	pid = child_start(program, arguments, socket, CHILD_GROUP_SAME, true);
	workers->list[worker].pid = pid < 0 ? 0 : pid;
	if (pid < 0)
		return pid;
	workers->alive++;
	return 0;
}

static int ends_send(int socket, struct control_message *message)
{
	int error = message->fd_count ? control_send(socket, message) : 0;

	while (message->fd_count)
		close(message->fds[--message->fd_count]);
	return error;
}

/* a control socket for each node of @worker */
static int sockets_make(struct workers *workers, uint32_t worker)
{
	const struct rank_worker *share = &rank_plan_workers(workers->rank->plan)[worker];
	struct control_message message = { .kind = CONTROL_ADOPT };
	int error = 0;

	for (uint32_t i = 0; i < share->node_count && !error; i++) {
		struct epoll_event interest = { .events = EPOLLIN,
						.data.u32 = share->first_place + i };
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
			error = -errno;
			break;
		}
		workers->nodes[share->first_place + i].socket = ends[0];
		message.fds[message.fd_count++] = ends[1];
		if (epoll_ctl(workers->epoll, EPOLL_CTL_ADD, ends[0], &interest))
			error = -errno;
		else if (message.fd_count == SOCKETS_AT_ONCE)
			error = ends_send(workers->list[worker].socket, &message);
	}
	if (!error)
		return ends_send(workers->list[worker].socket, &message);
	while (message.fd_count)
		close(message.fds[--message.fd_count]);
	return error;
}

static int worker_start(struct workers *workers, uint32_t worker, const char *program)
{
	const struct rank *rank = workers->rank;
	const struct rank_worker *from = &rank_plan_workers(rank->plan)[worker];
	struct worker_share share = { .index = worker,
				      .first_place = from->first_place,
				      .node_count = from->node_count };
	struct control_message message = { .kind = CONTROL_WORK,
					   .worker = &share,
					   .fds = { rank->clock.fd, rank->places.fd,
						    rank->rings.fd },
					   .fd_count = 3 };
	int ends[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	workers->list[worker].socket = ends[0];
	error = process_start(workers, worker, program, ends[1]);
	close(ends[1]);
	if (!error)
		error = control_send(ends[0], &message);
	return error ? error : sockets_make(workers, worker);
}

static void limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int workers_start(struct workers *workers, struct rank *rank, const char *program)
{
	const struct rank_plan *plan = rank->plan;
	int error = 0;

	*workers = (struct workers){ .rank = rank, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	workers->list = calloc(plan->worker_count, sizeof(*workers->list));
	workers->nodes = calloc(plan->place_count, sizeof(*workers->nodes));
	if (!workers->list || !workers->nodes || workers->epoll < 0)
		return failed(workers, 0, "there is not enough memory");
	for (uint32_t w = 0; w < plan->worker_count; w++)
		workers->list[w].socket = -1;
	for (uint32_t place = 0; place < plan->place_count; place++) {
		workers->nodes[place].socket = -1;
		mirror_init(&workers->nodes[place].mirror);
	}
	limit_raise();
	for (uint32_t w = 0; w < plan->worker_count && !error; w++)
		if (rank_is_here(rank, w))
			error = worker_start(workers, w, program);
	if (error == -EPIPE)
		return 0; /* it is dead: workers_watch() reports why */
	return error ? failed(workers, 0, "cannot start its workers: %s", strerror(-error)) : 0;
}

/* ---- deaths ---- */

static uint32_t worker_of(const struct workers *workers, pid_t pid)
{
	uint32_t w = 0;

	while (w < workers->rank->plan->worker_count && workers->list[w].pid != pid)
		w++;
	return w;
}

static int reaped(struct workers *workers, uint32_t worker, int status, const struct rusage *usage)
{
	struct workers_process *process = &workers->list[worker];

	workers->cpu_ns +=
		(uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000u +
		(uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000u;
	if (WIFSIGNALED(status) || !workers->ended || WEXITSTATUS(status))
		workers->failed_pid = process->pid;
	process->pid = 0;
	workers->alive--;
	if (WIFSIGNALED(status))
		return failed(workers, worker, "was killed by signal %d (%s)", WTERMSIG(status),
			      WTERMSIG(status) == SIGSYS
				      ? "it made a system call that nodes may not make"
				      : strsignal(WTERMSIG(status)));
	if (!workers->ended || WEXITSTATUS(status))
		return failed(workers, worker, "left with status %d", WEXITSTATUS(status));
	return 0;
}

int workers_watch(struct workers *workers)
{
	uint64_t patience_ns = workers->rank->plan->watchdog_ns, now_ns = monotonic_ns();
	struct rusage usage;
	int status, error = 0;
	pid_t pid;

	while (!error && (pid = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &usage)) > 0) {
		uint32_t w = worker_of(workers, pid);

		if (w == workers->rank->plan->worker_count)
			continue;
		if (WIFSTOPPED(status) || WIFCONTINUED(status))
			workers->list[w].stopped_ns = WIFSTOPPED(status) ? now_ns : 0;
		else
			error = reaped(workers, w, status, &usage);
	}
	for (uint32_t w = 0; patience_ns && w < workers->rank->plan->worker_count && !error; w++) {
		const struct workers_process *process = &workers->list[w];

		if (!process->pid || !process->stopped_ns ||
		    now_ns - process->stopped_ns <= patience_ns)
			continue;
		workers->failed_pid = process->pid;
		error = failed(workers, w,
			       "was stopped by a signal and has not continued for %.1f s",
			       (double)patience_ns / 1e9);
	}
	return error;
}

uint32_t workers_running(const struct workers *workers, uint32_t worker)
{
	const struct places_page *page = workers->rank->places.memory;
	uint32_t place = atomic_load(&page->workers[worker].running);

	return place < workers->rank->plan->place_count && rank_is_here(workers->rank, worker) &&
			       workers->nodes[place].socket >= 0
		       ? place
		       : RANK_NO_PLACE;
}

/* ---- windows that do not end ---- */

static bool is_late(const struct workers *workers, uint32_t worker)
{
	const struct clock *clock = &workers->rank->windows.gate.clock;

	return workers->list[worker].pid && clock_takes_part(clock, worker) &&
	       atomic_load(&clock->done[worker]) != atomic_load(&clock->page->window);
}

static void progress_add(const struct workers *workers, uint32_t worker,
			 struct watchdog_sight *sight)
{
	const struct rank_worker *share = &rank_plan_workers(workers->rank->plan)[worker];

	for (uint32_t i = 0; i < share->node_count; i++) {
		int fd = workers->nodes[share->first_place + i].mirror.page_fd;
		uint64_t events, now_ps;

		if (fd < 0 ||
		    pread(fd, &events, sizeof(events), offsetof(struct stats_page, events)) !=
			    sizeof(events) ||
		    pread(fd, &now_ps, sizeof(now_ps), offsetof(struct stats_page, now_ps)) !=
			    sizeof(now_ps))
			continue;
		sight->events += events;
		sight->virtual_ps += now_ps;
	}
}

int workers_judge(struct workers *workers)
{
	const struct rank *rank = workers->rank;
	const struct clock_page *page = rank->windows.gate.clock.page;
	struct watchdog_sight sight = { .progress = atomic_load(&page->window) * 1024u +
						    atomic_load(&page->remaining) };
	uint64_t now_ns = monotonic_ns();
	enum watchdog_verdict verdict;
	uint32_t first = 0;
	bool starves = false;

	if (!rank->plan->watchdog_ns)
		return 0;
	if (workers->watched_window != rank->windows.count) {
		watchdog_start(&workers->watchdog, rank->plan->watchdog_ns, now_ns);
		workers->watched_window = rank->windows.count;
	}
	for (uint32_t w = 0; w < rank->plan->worker_count; w++) {
		if (!watchdog_wants_detail(&workers->watchdog, sight.progress) ||
		    !is_late(workers, w))
			continue;
		if (!sight.late++)
			first = w;
		sight.cpu_ns += process_cpu_ns(workers->list[w].pid);
		starves |= process_wants_core(workers->list[w].pid);
		progress_add(workers, w, &sight);
	}
	verdict = watchdog_look(&workers->watchdog, now_ns, &sight);
	if (verdict == WATCHDOG_FINE || !sight.late || (verdict == WATCHDOG_HANGS && starves))
		return 0;
	workers->failed_pid = workers->list[first].pid;
	return failed(workers, first, "%s: it has not finished window %u for %.1f s",
		      verdict == WATCHDOG_HANGS ? "hangs" : "is in an endless loop",
		      atomic_load(&page->window), (double)workers->watchdog.stalled_ns / 1e9);
}

/* ---- end ---- */

static void all_kill(struct workers *workers)
{
	for (uint32_t w = 0; workers->list && w < workers->rank->plan->worker_count; w++)
		if (workers->list[w].pid)
			kill(workers->list[w].pid, SIGKILL);
}

int workers_leave(struct workers *workers)
{
	const struct clock *clock = &workers->rank->windows.gate.clock;
	uint64_t began_ns = monotonic_ns();
	int error = 0;

	workers->ended = true;
	atomic_store(&clock->page->state, CLOCK_ENDED);
	for (uint32_t w = 0; w < workers->rank->plan->worker_count; w++)
		if (workers->list[w].pid)
			clock_ring(clock, w);
	for (uint32_t turn = 0; workers->alive; windows_wait(&turn)) {
		int told = workers_watch(workers);

		error = error ? error : told;
		if (monotonic_ns() - began_ns > LEAVE_NS)
			all_kill(workers);
	}
	return error;
}

void workers_end(struct workers *workers)
{
	const struct rank_plan *plan = workers->rank->plan;

	all_kill(workers);
	for (uint32_t turn = 0; workers->alive; windows_wait(&turn))
		workers_watch(workers);
	for (uint32_t w = 0; workers->list && w < plan->worker_count; w++)
		if (workers->list[w].socket >= 0)
			close(workers->list[w].socket);
	for (uint32_t place = 0; workers->nodes && place < plan->place_count; place++) {
		if (workers->nodes[place].socket >= 0)
			close(workers->nodes[place].socket);
		mirror_fini(&workers->nodes[place].mirror);
	}
	if (workers->epoll >= 0)
		close(workers->epoll);
	free(workers->list);
	free(workers->nodes);
}
