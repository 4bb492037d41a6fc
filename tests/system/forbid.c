/*  forbid - runs a command as a sandbox does that refuses some system calls, or as a kernel does
 *  that lacks them.
 *  usage: forbid WHAT... -- COMMAND [ARGUMENT ...]      WHAT: a name in the table below
 *
 *  The filter (seccomp) is inherited by whatever the command starts. Exit status 77: there is no
 *  seccomp here. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RULES_MAX 32u
#define RULE_LENGTH 6u

/* a call fails with @error if the argument is @value, or has one of its bits */
struct rule {
	const char *word;
	unsigned call;
	unsigned error;
	enum { ALWAYS, FIRST_IS, FIRST_HAS, SECOND_IS } when;
	unsigned value;
};

static const struct rule rules[] = {
	{ "io_uring", SYS_io_uring_setup, EPERM, ALWAYS, 0 },
	{ "io_uring", SYS_io_uring_enter, EPERM, ALWAYS, 0 },
	{ "io_uring", SYS_io_uring_register, EPERM, ALWAYS, 0 },
	/* Linux before 5.1; before 5.10; before 6.7: the restriction names operations of 6.7 */
	{ "io_uring-at-all", SYS_io_uring_setup, ENOSYS, ALWAYS, 0 },
	{ "io_uring-flags", SYS_io_uring_setup, EINVAL, ALWAYS, 0 },
	{ "io_uring-futex", SYS_io_uring_register, EINVAL, SECOND_IS,
	  IORING_REGISTER_RESTRICTIONS },
	{ "user-namespaces", SYS_unshare, EPERM, FIRST_HAS, CLONE_NEWUSER },
	{ "unshare", SYS_unshare, EPERM, ALWAYS, 0 },
	{ "setns", SYS_setns, EPERM, ALWAYS, 0 },
	{ "pid-namespaces", SYS_clone, EPERM, FIRST_HAS, CLONE_NEWPID },
	{ "mount", SYS_mount, EPERM, ALWAYS, 0 },
	{ "packet-sockets", SYS_socket, EPERM, FIRST_IS, AF_PACKET },
	{ "netlink", SYS_socket, EPERM, FIRST_IS, AF_NETLINK },
	{ "memfd", SYS_memfd_create, EPERM, ALWAYS, 0 },
	{ "eventfd", SYS_eventfd2, EPERM, ALWAYS, 0 },
	{ "capset", SYS_capset, EPERM, ALWAYS, 0 },
	{ "seccomp", SYS_seccomp, EPERM, ALWAYS, 0 },
};

#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]))

/* appends what refuses @rule, and leaves the number of the call where it was */
static unsigned rule_add(struct sock_filter *filter, const struct rule *rule)
{
	const struct sock_filter refuse =
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | rule->error);
	const struct sock_filter call =
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	const struct sock_filter argument =
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[rule->when == SECOND_IS]));
	unsigned test = rule->when == FIRST_HAS ? BPF_JSET : BPF_JEQ;

	if (rule->when == ALWAYS) {
		filter[0] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, 1);
		filter[1] = refuse;
		return 2;
	}
	filter[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, 4);
	filter[1] = argument; /* its lower half, little-endian */
	filter[2] = (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, rule->value, 0, 1);
	filter[3] = refuse;
	filter[4] = call;
	return 5;
}

/* appends all rules of @word; 0: there is none */
static unsigned word_add(struct sock_filter *filter, const char *word)
{
	unsigned length = 0;

	for (unsigned i = 0; i < RULE_COUNT; i++)
		if (!strcmp(rules[i].word, word))
			length += rule_add(filter + length, &rules[i]);
	return length;
}

static int usage(const char *word)
{
	fprintf(stderr,
		"forbid: '%s' is not known; usage: forbid WHAT... -- COMMAND [ARGUMENT ...]; WHAT:",
		word);
	for (unsigned i = 0; i < RULE_COUNT; i++)
		if (!i || strcmp(rules[i].word, rules[i - 1].word) != 0)
			fprintf(stderr, " %s", rules[i].word);
	fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct sock_filter filter[RULES_MAX * RULE_LENGTH];
	struct sock_fprog program = { .len = 1, .filter = filter };
	int at = 1;

	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		unsigned length =
			program.len + RULE_COUNT * RULE_LENGTH < sizeof(filter) / sizeof(filter[0])
				? word_add(filter + program.len, argv[at])
				: 0;

		if (!length)
			return usage(argv[at]);
		program.len += length;
	}
	if (at + 1 >= argc)
		return usage("no command");
	filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("forbid: seccomp");
		return 77;
	}
	execvp(argv[at + 1], argv + at + 1);
	perror(argv[at + 1]);
	return 127;
}
