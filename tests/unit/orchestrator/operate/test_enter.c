/*  orchestrator/operate/enter: programs that begin in a host: the namespaces that are entered, the
 *  signals and limits that a program has, and what is said if it cannot begin (TB-15). The host has
 *  the namespaces of the test, so that all works without a right. */
#include "orchestrator/operate/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

static char folder[] = "/tmp/heddle-test-XXXXXX";
static struct why why;
static struct enter_fds fds;

static void setup(void)
{
	testing_input();
	strcpy(folder, "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	fds = ENTER_FDS_NONE;
	why.text[0] = 0;
}

static void teardown(void)
{
	ck_assert_int_eq(chdir(folder), 0);
	unlink("out");
	unlink("group");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST_GROUP(enter, .setup = setup, .teardown = teardown);

/* what the program has written to `out` */
static const char *out(void)
{
	static char text[512];
	FILE *file;

	ck_assert_int_eq(chdir(folder), 0); /* enter_run() has changed it */
	file = fopen("out", "re");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static int shell(const char *script, const char *cwd)
{
	char *const argv[] = { "sh", "-c", (char *)script, NULL };

	return enter_run(&fds, NULL, argv, cwd, &why);
}

/* ---- begin and end ---- */

/* a caller whose parent has ended meanwhile starts nothing */
TEST(enter_run__the_parent_has_ended)
{
	fds.parent = getpid();
	ck_assert_int_eq(shell("touch out", NULL), -ECANCELED);
	ck_assert_str_eq(why.text, "");
	ck_assert_int_ne(access("out", F_OK), 0);
	fds.parent = getppid();
	ck_assert_int_eq(shell("touch out", NULL), 0);
	ck_assert_int_eq(access("out", F_OK), 0);
}

TEST(enter_run__how_it_ends)
{
	ck_assert_int_eq(shell("exit 7", NULL), 7);
	ck_assert_int_eq(shell("kill -9 $$", NULL), 128 + 9);
	ck_assert_str_eq(why.text, "");
}

/* in the folder of the caller, or another one; in the root if that is not there */
TEST(enter_run__folder)
{
	char expected[64], script[64];

	snprintf(script, sizeof(script), "pwd >%s/out", folder);
	snprintf(expected, sizeof(expected), "%s\n", folder);
	ck_assert_int_eq(shell(script, NULL), 0);
	ck_assert_str_eq(out(), expected);
	ck_assert_int_eq(shell(script, "/usr"), 0);
	ck_assert_str_eq(out(), "/usr\n");
}

TEST(enter_run__no_program)
{
	char *const none[] = { "/no/such", NULL }, *const no_right[] = { "/etc/passwd", NULL };

	ck_assert_int_eq(enter_run(&fds, NULL, none, NULL, &why), -ENOENT);
	ck_assert_str_eq(why.text, "cannot run /no/such: No such file or directory");
	ck_assert_int_eq(enter_run(&fds, NULL, no_right, NULL, &why), -EACCES);
	ck_assert_str_eq(why.text, "cannot run /etc/passwd: Permission denied");
}

TEST(enter_failure_text__of_a_user)
{
	static const struct host_user user = { .name = "ann", .user = 1000 };

	enter_failure_text("ls", &user, -EINVAL, true, &why);
	ck_assert_str_eq(why.text,
			 "cannot become user ann (1000): Invalid argument; the hosts of this "
			 "fabric have no such user: 'heddle up' says why");
	enter_failure_text("ls", &user, -EPERM, true, &why);
	ck_assert_str_eq(why.text,
			 "cannot become user ann (1000): Operation not permitted; the hosts "
			 "of this fabric have no such user: 'heddle up' says why");
	enter_failure_text("ls", &user, -ENOMEM, true, &why);
	ck_assert_str_eq(why.text, "cannot become user ann (1000): Cannot allocate memory");
	enter_failure_text("ls", &user, -EPERM, false, &why);
	ck_assert_str_eq(why.text, "cannot run ls: Operation not permitted");
	enter_failure_text("ls", NULL, -EPERM, true, &why);
	ck_assert_str_eq(why.text, "cannot run ls: Operation not permitted");
}

/* the program is in the group of its host's limits before it runs; else it does not run */
TEST_RANGE(enter_run__group_of_limits, 0, LIMIT_KINDS)
{
	char text[8] = "";

	fds.group.fds[_i] = open("group", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(shell("cat group >out", NULL), 0);
	ck_assert_str_eq(out(), "0");
	ck_assert_int_eq(pread(fds.group.fds[_i], text, sizeof(text), 0), 1);
	close(fds.group.fds[_i]);
	unlink("out");
	fds.group.fds[_i] = open("group", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(shell("touch out", NULL), -EBADF);
	ck_assert_str_eq(why.text, "cannot run sh: Bad file descriptor");
	ck_assert_int_ne(access("out", F_OK), 0);
	close(fds.group.fds[_i]);
}

/* ---- namespaces ---- */

static const struct {
	int *fd;
	const char *own, *name;
} spaces[] = {
	{ &fds.user_fd, "/proc/self/ns/user", "user" },
	{ &fds.pid_fd, "/proc/self/ns/pid_for_children", "pid" },
	{ &fds.net_fd, "/proc/self/ns/net", "network" },
	{ &fds.uts_fd, "/proc/self/ns/uts", "UTS" },
	{ &fds.mount_fd, "/proc/self/ns/mnt", "mount" },
};
#define SPACES (sizeof(spaces) / sizeof(spaces[0]))

/* those that the caller has are not entered: the kernel would forbid it */
TEST(enter_run__own_namespaces)
{
	for (size_t i = 0; i < SPACES; i++)
		*spaces[i].fd = open(spaces[i].own, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(shell("exit 3", NULL), 3);
	for (size_t i = 0; i < SPACES; i++)
		close(*spaces[i].fd);
}

TEST_RANGE(enter_run__what_is_no_namespace, 0, (int)SPACES)
{
	char expected[128];

	*spaces[_i].fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(shell("touch out", NULL), -EINVAL);
	snprintf(expected, sizeof(expected), "entering the host's %s namespace: Invalid argument",
		 spaces[_i].name);
	ck_assert_str_eq(why.text, expected);
	ck_assert_int_ne(access("out", F_OK), 0);
	close(*spaces[_i].fd);
}

/* ---- signals ---- */

/* none is ignored or blocked, whatever heddle does with them; 32 and 33 are the C library's own */
TEST(enter_run__signals_of_the_program)
{
	unsigned long blocked, ignored;

	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	ck_assert_int_eq(shell("grep -E 'Sig(Ign|Blk)' /proc/self/status >out", NULL), 0);
	ck_assert_int_eq(sscanf(out(), "SigBlk: %lx SigIgn: %lx", &blocked, &ignored), 2);
	ck_assert_uint_eq(blocked, 0);
	ck_assert_uint_eq(ignored & ~(3ul << 31), 0);
}

/* a process that runs the script as enter_run() does; what it prints can be read from *@from */
static pid_t entered(const char *script, int *from)
{
	int pipes[2];
	pid_t pid;

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		int status;

		dup2(pipes[1], STDOUT_FILENO);
		status = shell(script, NULL);
		_exit(status < 0 ? 99 : status);
	}
	close(pipes[1]);
	*from = pipes[0];
	return pid;
}

static void prints(int from, const char *expected)
{
	char text[64] = "";
	size_t length = 0;

	while (length < strlen(expected)) {
		ssize_t got = read(from, text + length, strlen(expected) - length);

		ck_assert_int_gt(got, 0);
		length += (size_t)got;
	}
	ck_assert_str_eq(text, expected);
}

/* those of other processes reach the program */
TEST(enter_run__signals_are_forwarded)
{
	static const struct {
		int signal;
		const char *line;
	} sent[] = { { SIGINT, "int\n" },   { SIGTERM, "term\n" },   { SIGHUP, "hup\n" },
		     { SIGQUIT, "quit\n" }, { SIGWINCH, "winch\n" }, { SIGUSR1, "usr1\n" },
		     { SIGUSR2, "usr2\n" } }; /* the last one ends it */
	int from, status;
	pid_t pid = entered("for s in INT TERM HUP QUIT USR1 WINCH; do\n"
			    "	trap \"echo $s | tr A-Z a-z\" $s\n"
			    "done\n"
			    "trap 'echo usr2; end=1' USR2\n"
			    "echo ready\n"
			    "while test ! \"$end\"; do sleep 0.01; done; exit 8",
			    &from);

	prints(from, "ready\n");
	for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
		ck_assert_int_eq(kill(pid, sent[i].signal), 0);
		prints(from, sent[i].line);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 8);
	close(from);
}

/* the caller stops with its program, and continues it */
TEST(enter_run__stops_along)
{
	int from, status;
	pid_t pid = entered("echo ready; kill -STOP $$; echo again; exit 6", &from);

	prints(from, "ready\n");
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(kill(pid, SIGCONT), 0);
	prints(from, "again\n");
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 6);
	close(from);
}

/* no program remains without its caller */
TEST(enter_run__ends_with_the_caller)
{
	char byte;
	int from;
	pid_t pid = entered("echo ready; exec sleep 1000", &from);

	prints(from, "ready\n");
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(read(from, &byte, 1), 0);
	close(from);
}

/* with a parent the program gets SIGTERM when that one ends */
TEST(enter_run__ends_with_the_parent)
{
	int from = -1, pipes[2];
	pid_t parent;
	char byte;

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	parent = fork();
	if (!parent) {
		fds.parent = getpid();
		dup2(pipes[1], STDERR_FILENO);
		entered("trap 'echo ended >&2; exit' TERM; echo ready >&2; while :; do sleep 0.01; "
			"done",
			&from);
		for (;;)
			pause();
	}
	close(pipes[1]);
	prints(pipes[0], "ready\n");
	ck_assert_int_eq(kill(parent, SIGKILL), 0);
	ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
	prints(pipes[0], "ended\n");
	ck_assert_int_eq(read(pipes[0], &byte, 1), 0);
	close(pipes[0]);
}
