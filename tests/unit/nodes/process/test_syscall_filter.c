/*  nodes/process/syscall_filter: a node can make the system calls that it needs; any other call
 *  kills it (TB-24). */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/clock/futex.h"
#include "nodes/process/syscall_filter.h"
#include "tests/testing.h"

#define NO_FILTER 77

/* Runs @action in a process with the filter.  Return: its wait status. */
static int filtered(void (*action)(int), int argument)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct rlimit none = { 0 };

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		signal(SIGSYS, SIG_DFL);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (syscall_filter_apply())
			_exit(NO_FILTER);
		action(argument);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

static bool no_filter(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER;
}

/* what a running node does: waits, memory, its own sockets, its core, the time */
static void work(int event)
{
	_Atomic uint32_t word = 1;
	uint64_t one = 1;
	cpu_set_t cores;
	int pair[2] = { event - 2, event - 1 };
	struct timespec now;
	void *memory = malloc(1 << 22);
	char byte = 0;

	memset(memory, 1, 1 << 22);
	free(memory);
	sched_yield();
	futex_wake(&word, 1);
	if (write(event, &one, 8) != 8 || read(event, &one, 8) != 8 ||
	    send(pair[0], "x", 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1 ||
	    sched_getaffinity(0, sizeof(cores), &cores) ||
	    sched_setaffinity(0, sizeof(cores), &cores) || clock_gettime(CLOCK_MONOTONIC, &now) ||
	    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) || getppid() <= 0)
		_exit(1);
}

TEST(syscall_filter_apply__a_node_can_work)
{
	int pair[2], event, status;

	testing_input();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	event = eventfd(0, 0);
	ck_assert_int_eq(event, pair[1] + 1);
	status = filtered(work, event);
	close(pair[0]);
	close(pair[1]);
	close(event);
	ck_assert(no_filter(status) || (WIFEXITED(status) && !WEXITSTATUS(status)));
}

static const struct {
	long call, first;
} forbidden[] = {
	{ SYS_openat, AT_FDCWD },
	{ SYS_execve, 0 },
	{ SYS_clone, SIGCHLD },
	{ SYS_socket, AF_INET },
	{ SYS_connect, -1 },
	{ SYS_kill, 0 },
	{ SYS_tgkill, 1 }, /* of another process */
	{ SYS_pidfd_open, 1 },
	{ SYS_ptrace, 0 },
	{ SYS_process_vm_writev, 1 },
	{ SYS_io_uring_setup, 1 },
	{ SYS_sched_setaffinity, 1 },
	{ SYS_setresuid, 0 },
	{ SYS_prctl, 0 },
	{ SYS_unshare, 0 },
	{ SYS_setns, -1 },
	{ SYS_mount, 0 },
	{ SYS_bpf, 0 },
	{ SYS_userfaultfd, 0 },
	{ SYS_perf_event_open, 0 },
	{ SYS_shmget, 0 },
	{ SYS_memfd_create, 0 },
};

static void call(int index)
{
	syscall(forbidden[index].call, forbidden[index].first, 0, 0, 0, 0, 0);
}

TEST_RANGE(syscall_filter_apply__other_calls_kill, 0, (sizeof(forbidden) / sizeof(forbidden[0])))
{
	int status = filtered(call, _i);

	ck_assert_msg(no_filter(status) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS),
		      "call %ld", forbidden[_i].call);
}

/* a failed assertion still ends with SIGABRT */
static void end_badly(int unused)
{
	(void)unused;
	abort();
}

TEST(syscall_filter_apply__abort_is_an_abort)
{
	int status = filtered(end_badly, 0);

	ck_assert(no_filter(status) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
}

/* ---- a kernel, or a sandbox around the node, that refuses the filter ---- */

/* From now on the kernel refuses filters with @flags, or any (@all). */
static void filters_refuse(bool all)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, !all, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(NO_FILTER);
}

static void nothing(int unused)
{
	(void)unused;
}

/* older kernels do not know the flag: the filter is set without */
TEST_RANGE(syscall_filter_apply__is_refused, 0, 2)
{
	pid_t child;
	int status;

	if (no_filter(filtered(nothing, 0)))
		return;
	child = fork();
	if (!child) {
		filters_refuse(_i);
		_exit(syscall_filter_apply() == (_i ? -ENOSYS : 0) ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) != NO_FILTER)
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
