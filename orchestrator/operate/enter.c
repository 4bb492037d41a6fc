#include "orchestrator/operate/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/hosts/room_files.h"

extern char **environ;

static int namespaces_enter(const struct enter_fds *fds, struct why *why);
static void sysfs_renew(void);
static int program_run(const struct enter_fds *fds, const struct host_user *user,
		       char *const argv[], struct why *why);

int enter_run(const struct enter_fds *fds, const struct host_user *user, char *const argv[],
	      const char *cwd, struct why *why)
{
	char here[PATH_MAX];
	int error;

	if (!cwd)
		cwd = getcwd(here, sizeof here);
	error = namespaces_enter(fds, why);
	if (error)
		return error;
	/* after the user namespace, since new rights clear it */
	if (fds->parent && (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != fds->parent))
		return -ECANCELED;
	if (fds->room)
		room_files_show_all(fds->tmp_fd, argv, environ, cwd); /* it has a /sys of its own */
	else
		sysfs_renew();
	/* entering a mount namespace changes to its root directory */
	if (cwd)
		(void)!chdir(cwd);
	return program_run(fds, user, argv, why);
}

/* ---- namespaces ---- */

static bool is_inside(int fd, const char *own_path)
{
	struct stat that, own;

	return !fstat(fd, &that) && !stat(own_path, &own) && that.st_ino == own.st_ino &&
	       that.st_dev == own.st_dev;
}

/* the user namespace first: it gives the right to enter the others */
static int namespaces_enter(const struct enter_fds *fds, struct why *why)
{
	const struct {
		int fd, kind;
		const char *name, *own_path;
	} steps[] = {
		{ fds->user_fd, CLONE_NEWUSER, "user", "/proc/self/ns/user" },
		{ fds->pid_fd, CLONE_NEWPID, "pid", "/proc/self/ns/pid_for_children" },
		{ fds->net_fd, CLONE_NEWNET, "network", "/proc/self/ns/net" },
		{ fds->uts_fd, CLONE_NEWUTS, "UTS", "/proc/self/ns/uts" },
		{ fds->mount_fd, CLONE_NEWNS, "mount", "/proc/self/ns/mnt" },
	};

	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		if (steps[i].fd < 0 || is_inside(steps[i].fd, steps[i].own_path))
			continue;
		if (setns(steps[i].fd, steps[i].kind))
			return why_say(why, -errno, "entering the host's %s namespace: %s",
				       steps[i].name, strerror(errno));
	}
	return 0;
}

/* a sysfs has the interfaces of the network namespace in which it was mounted; this one is for the
 * program only */
static void sysfs_renew(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* ---- the program ---- */

/* signals of other processes that are forwarded to the program */
static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGUSR1, SIGUSR2 };

static void signals_block(sigset_t *before)
{
	sigset_t awaited;

	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	for (size_t i = 0; i < COUNT_OF(passed_on); i++)
		sigaddset(&awaited, passed_on[i]);
	signal(SIGXFSZ, SIG_DFL); /* heddle ignores it, the program must not */
	signal(SIGCHLD, SIG_DFL); /* if ignored, there would be no exit status */
	sigprocmask(SIG_BLOCK, &awaited, before);
}

/* what the child could not do */
struct failure {
	int error;
	bool user;
};

/* Return: 0 or -errno */
static int group_join(const struct limit_group *group)
{
	for (int kind = 0; kind < LIMIT_KINDS; kind++)
		if (group->fds[kind] >= 0 && write(group->fds[kind], "0", 1) < 0)
			return -errno;
	return 0;
}

/* in the child: executes the program, or writes the failure to @failure_fd */
static _Noreturn void program_become(const struct enter_fds *fds, const struct host_user *user,
				     char *const argv[], const sigset_t *mask, int failure_fd)
{
	struct failure failure = { .user = true };

	failure.error = group_join(&fds->group);
	if (failure.error)
		failure.user = false;
	else
		failure.error = host_rights_drop(&fds->rights, user);
	if (!failure.error) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user clears it */
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(argv[0], argv);
		failure = (struct failure){ -errno, false };
	}
	(void)!write(failure_fd, &failure, sizeof failure);
	_exit(127);
}

/* The program has stopped (`suspend`): this process stops too, for its shell. When the shell
 * continues it, the program continues. */
static void stop_along(pid_t child)
{
	kill(getpid(), SIGSTOP);
	kill(child, SIGCONT);
}

/* Signals of the terminal (from the kernel) go to the whole group: the program has them already. */
static void pass_on(pid_t child, const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL)
		kill(child, info->si_signo);
}

/* Return: wait status of the child */
static int program_await(pid_t child)
{
	sigset_t awaited;
	siginfo_t info;
	int status;

	sigprocmask(SIG_SETMASK, NULL, &awaited);
	for (;;) {
		pid_t ended = waitpid(child, &status, WNOHANG | WUNTRACED);

		if (ended == child && WIFSTOPPED(status))
			stop_along(child);
		else if (ended == child)
			return status;
		else if (sigwaitinfo(&awaited, &info) > 0 && info.si_signo != SIGCHLD)
			pass_on(child, &info);
	}
}

/* Return: no error if the program runs */
static struct failure start_await(int failure_fd)
{
	struct failure failure;
	ssize_t length;

	do
		length = read(failure_fd, &failure, sizeof failure);
	while (length < 0 && errno == EINTR);
	return length == (ssize_t)sizeof failure ? failure : (struct failure){ 0 };
}

void enter_failure_text(const char *program, const struct host_user *user, int error, bool no_user,
			struct why *why)
{
	if (!no_user || !user)
		why_say(why, 0, "cannot run %s: %s", program, strerror(-error));
	else
		why_say(why, 0, "cannot become user %s (%u): %s%s", user->name,
			(unsigned)user->user, strerror(-error),
			error == -EINVAL || error == -EPERM ? "; the hosts of this fabric have no "
							      "such user: 'heddle up' says why"
							    : "");
}

static int program_run(const struct enter_fds *fds, const struct host_user *user,
		       char *const argv[], struct why *why)
{
	struct failure failed;
	sigset_t before;
	int failure[2];
	int status, error;
	pid_t child;

	if (pipe2(failure, O_CLOEXEC))
		return why_say(why, -errno, "a pipe to the program: %s", strerror(errno));
	signals_block(&before);
	child = fork();
	if (child == 0)
		program_become(fds, user, argv, &before, failure[1]);
	error = child < 0 ? -errno : 0;
	close(failure[1]);
	if (error) { /* ENOMEM is how a pid namespace without its init answers */
		why_say(why, 0, "a process in the host: %s",
			error == -ENOMEM ? "its fabric has ended (or no memory)"
					 : strerror(-error));
		close(failure[0]);
		return error;
	}
	failed = start_await(failure[0]);
	close(failure[0]);
	status = program_await(child);
	if (failed.error)
		enter_failure_text(argv[0], user, failed.error, failed.user, why);
	if (failed.error)
		return failed.error;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
