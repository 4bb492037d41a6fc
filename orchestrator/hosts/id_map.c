#include "orchestrator/hosts/id_map.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/program_call.h"

/* what stands for an exit status of newuidmap and newgidmap */
#define NOT_INSTALLED PROGRAM_NOT_FOUND
#define NO_IDS 126

struct range {
	unsigned long start, count;
};

/* ---- the helper, outside of the new namespace ---- */

/* Return: the exit status of @arguments; NOT_INSTALLED: it cannot be run. @out receives the
 * beginning of what it writes; NULL: nothing */
static int program_run(char *const arguments[], char *out, size_t out_max)
{
	struct program_call call = { .argv = (const char *const *)arguments,
				     .in_fd = STDIN_FILENO,
				     .out_fd = program_call_file(),
				     .error_fd = STDERR_FILENO };
	int status = program_call_run(&call);
	ssize_t length = out ? pread(call.out_fd, out, out_max - 1, 0) : 0;

	if (out)
		out[length > 0 ? length : 0] = 0;
	descriptor_close(&call.out_fd);
	return status < 128 ? status : NOT_INSTALLED; /* a signal has killed it */
}

/* The first range of @owner, from getsubids(1): "0: NAME START COUNT". It also knows what no file
 * has, but a directory service.  Return: 0, NOT_INSTALLED or NO_IDS */
static int range_find(char *owner, bool groups, struct range *range)
{
	char program[] = "getsubids", of_groups[] = "-g", line[512] = "";
	char *users[] = { program, owner, NULL }, *both[] = { program, of_groups, owner, NULL };
	int status = program_run(groups ? both : users, line, sizeof(line));
	const char *name = strchr(line, ' '), *numbers = name ? strchr(name + 1, ' ') : NULL;

	if (status == NOT_INSTALLED)
		return status;
	return numbers && sscanf(numbers, "%lu %lu", &range->start, &range->count) == 2 &&
			       range->count
		       ? 0
		       : NO_IDS;
}

/* "newuidmap PID 0 OWN 1 1 START COUNT".  Return: its exit status, NOT_INSTALLED or NO_IDS */
static int map_write(pid_t target, unsigned own, char *owner, bool groups)
{
	char program[16], pid[16], self[16], start[24], count[24], zero[] = "0", one[] = "1";
	char *arguments[] = { program, pid, zero, self, one, one, start, count, NULL };
	struct range range;
	int status = range_find(owner, groups, &range);

	if (status)
		return status;
	snprintf(program, sizeof(program), "%s", groups ? "newgidmap" : "newuidmap");
	snprintf(pid, sizeof(pid), "%d", (int)target);
	snprintf(self, sizeof(self), "%u", own);
	snprintf(start, sizeof(start), "%lu", range.start);
	snprintf(count, sizeof(count), "%lu", range.count);
	return program_run(arguments, NULL, 0);
}

struct id_map_answer {
	int users, groups; /* exit statuses */
};

static _Noreturn void helper_run(int fd, pid_t target, char *owner)
{
	struct id_map_answer answer;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_DFL);
	if (read(fd, &byte, 1) != 1)
		_exit(0); /* the namespace was refused */
	answer.users = map_write(target, geteuid(), owner, false);
	answer.groups = map_write(target, getegid(), owner, true);
	(void)!write(fd, &answer, sizeof(answer));
	_exit(0);
}

/* ---- the process that will be inside ---- */

void id_map_prepare(struct id_map_helper *helper)
{
	const struct passwd *user = getpwuid(geteuid());
	int pair[2];

	*helper = (struct id_map_helper){ .fd = -1 };
	if (!user) {
		snprintf(helper->why, sizeof(helper->why), "user %u has no name", geteuid());
		return;
	}
	snprintf(helper->owner, sizeof(helper->owner), "%s", user->pw_name);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		snprintf(helper->why, sizeof(helper->why), "no socket: %s", strerror(errno));
		return;
	}
	helper->pid = fork();
	if (!helper->pid) {
		close(pair[0]);
		helper_run(pair[1], getppid(), helper->owner);
	}
	close(pair[1]);
	helper->fd = pair[0];
	if (helper->pid < 0)
		snprintf(helper->why, sizeof(helper->why), "no process: %s", strerror(errno));
}

static void explain(struct id_map_helper *helper, const struct id_map_answer *answer)
{
	if (answer->users == NOT_INSTALLED || answer->groups == NOT_INSTALLED)
		snprintf(helper->why, sizeof(helper->why),
			 "newuidmap is not installed; as root: apt-get install uidmap");
	else if (answer->users == NO_IDS || answer->groups == NO_IDS)
		snprintf(helper->why, sizeof(helper->why),
			 "user %s has no subordinate ids; as root: usermod --add-subuids "
			 "100000-165535 --add-subgids 100000-165535 %s",
			 helper->owner, helper->owner);
	else if (answer->users || answer->groups)
		snprintf(helper->why, sizeof(helper->why),
			 "newuidmap or newgidmap has failed, status %d and %d", answer->users,
			 answer->groups);
}

struct id_map_done id_map_write(struct id_map_helper *helper)
{
	struct id_map_answer answer = { -1, -1 };
	char byte = 0;

	if (helper->fd >= 0) {
		if (helper->pid > 0 && send(helper->fd, &byte, 1, MSG_NOSIGNAL) == 1 &&
		    read(helper->fd, &answer, sizeof(answer)) == (ssize_t)sizeof(answer))
			explain(helper, &answer);
		close(helper->fd);
		helper->fd = -1;
	}
	if (helper->pid > 0)
		while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
			;
	helper->pid = 0;
	return (struct id_map_done){ !answer.users, !answer.groups };
}
