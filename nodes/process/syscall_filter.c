#include "nodes/process/syscall_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/sanitizer.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0 /* not known here: no filter */
#endif

/* allowed with any arguments; those of the data path first */
static const uint16_t calls[] = {
	SYS_sched_yield,
	SYS_io_uring_enter,
	SYS_futex,
	SYS_write, /* doorbells, captures, what goes wrong to the log */
	SYS_read,
	SYS_ppoll,
	SYS_recvmmsg,
	SYS_sendmmsg,
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
	SYS_epoll_pwait, /* a worker's control sockets */
	/* control socket, packet sockets of links and hosts */
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_recvfrom,
	SYS_sendto,
	SYS_getsockopt,
	SYS_setsockopt,
	SYS_fcntl,
	SYS_fstat,
	SYS_newfstatat, /* what glibc's fstat() is */
	SYS_close,
	/* captures */
	SYS_writev,
	SYS_lseek,
	SYS_ftruncate,
	SYS_io_uring_register,
	/* memory */
	SYS_mmap,
	SYS_munmap,
	SYS_mprotect,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	/* time, where it is not read without a call */
	SYS_clock_gettime,
	SYS_gettimeofday,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_restart_syscall,
	/* itself */
	SYS_sched_getaffinity,
	SYS_sched_getattr,
	SYS_getcpu,
	SYS_getpid,
	SYS_getppid,
	SYS_gettid,
	SYS_getrusage,
	SYS_getrandom,
	/* signals and the end */
	SYS_rt_sigreturn,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_sigaltstack,
	SYS_exit,
	SYS_exit_group,
};

/* allowed if the first argument is the process itself: 0 stands for it, except in tgkill(), which
 * abort() uses */
static const uint16_t own_calls[] = { SYS_sched_setaffinity, SYS_sched_setattr };

#define LENGTH_MAX (5 + 2 * COUNT_OF(calls) + 5 * (COUNT_OF(own_calls) + 1))

static void add(struct sock_fprog *program, struct sock_filter statement)
{
	program->filter[program->len++] = statement;
}

static void call_add(struct sock_fprog *program, uint32_t call)
{
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

/* @call if the lower half of its first argument is @process */
static void own_call_add(struct sock_fprog *program, uint32_t call, uint32_t process)
{
	const uint32_t first = offsetof(struct seccomp_data, args[0]) +
			       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0);

	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
	add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first));
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, process, 0, 1));
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
}

static void program_make(struct sock_fprog *program)
{
	const uint32_t architecture = offsetof(struct seccomp_data, arch);

	add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, architecture));
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr)));
	for (size_t i = 0; i < COUNT_OF(calls); i++)
		call_add(program, calls[i]);
	for (size_t i = 0; i < COUNT_OF(own_calls); i++)
		own_call_add(program, own_calls[i], 0);
	own_call_add(program, SYS_tgkill, (uint32_t)getpid());
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
}

/* Without SPEC_ALLOW kernels before 5.16 slow a process down that has a filter, against side
 * channels that a node, which runs no foreign code, has no use for; kernels before 4.17 do not know
 * it. */
int syscall_filter_apply(void)
{
	struct sock_filter filter[LENGTH_MAX];
	struct sock_fprog program = { .filter = filter };

	if (!ARCHITECTURE)
		return -ENOSYS;
	program_make(&program);
	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		     &program) ||
	    !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return 0;
	/* a sandbox around us may refuse with anything */
	return -ENOSYS;
}

bool syscall_filter_wanted(void)
{
	return !SANITIZER_CALLS;
}
