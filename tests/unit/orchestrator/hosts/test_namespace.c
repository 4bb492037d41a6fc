/*  orchestrator/hosts/namespace: the shared namespaces of a fabric, programs in them, and the error
 *  if the kernel forbids them (TB-15, TB-16, TB-22, TB-24). */
#include "orchestrator/hosts/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/operate/enter.h"
#include "tests/testing.h"

/* no namespace is entered */
#define NO_FDS                                          \
	((struct enter_fds){ .user_fd = -1,             \
			     .pid_fd = -1,              \
			     .mount_fd = -1,            \
			     .net_fd = -1,              \
			     .uts_fd = -1,              \
			     .rights.full = true,       \
			     .group = LIMIT_GROUP_NONE, \
			     .tmp_fd = -1 })

static struct fabric_namespaces namespaces;
static char hosts_file[] = "/tmp/test_namespace_hosts_XXXXXX";
static struct why why;

static ino_t own_namespace(const char *name)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof path, "/proc/self/ns/%s", name);
	ck_assert_int_eq(stat(path, &status), 0);
	return status.st_ino;
}

/* Does the kernel permit namespaces? Tried in a process of its own. */
static bool allowed(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		int error = namespaces_open(&namespaces, hosts_file, &why);

		if (error)
			printf("skipped, needs namespaces: %s\n", why.text);
		fflush(stdout);
		_exit(error != 0);
	}
	waitpid(child, &status, 0);
	return status == 0;
}

static void open_or_fail(void)
{
	int error = namespaces_open(&namespaces, hosts_file, &why);

	ck_assert_msg(error == 0, "%s", why.text);
}

/* ---- the error if they are forbidden (TB-16) ---- */

static char root[] = "/tmp/test_namespace_sysctl_XXXXXX";

static void setting_write(const char *folder, const char *name, const char *value)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", root, folder);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(value, file);
	fclose(file);
}

static void refusal_names(const char *folder, const char *name, const char *value, int error,
			  const char *expected)
{
	char path[128];
	int fd;

	strcpy(root, "/tmp/test_namespace_sysctl_XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	if (folder)
		setting_write(folder, name, value);
	fd = open(root, O_PATH | O_DIRECTORY);
	namespaces_refusal(fd, "a user namespace", error, &why);
	close(fd);
	if (folder) {
		snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
		unlink(path);
		snprintf(path, sizeof path, "%s/%s", root, folder);
		rmdir(path);
	}
	rmdir(root);
	ck_assert_msg(strstr(why.text, expected) != NULL, "'%s' lacks '%s'", why.text, expected);
	ck_assert_ptr_eq(strstr(why.text, "a user namespace is refused ("), why.text);
}

static void hosts_file_create(void)
{
	close(mkstemp(hosts_file));
}

static void hosts_file_remove(void)
{
	unlink(hosts_file);
}

TEST_GROUP(namespace, .setup_once = hosts_file_create, .teardown_once = hosts_file_remove,
	   .timeout_s = 30);

TEST(namespaces_refusal__debian_setting)
{
	refusal_names("kernel", "unprivileged_userns_clone", "0\n", -EPERM,
		      "sysctl kernel.unprivileged_userns_clone=1");
}

TEST(namespaces_refusal__ubuntu_setting)
{
	refusal_names("kernel", "apparmor_restrict_unprivileged_userns", "1\n", -EPERM,
		      "sysctl kernel.apparmor_restrict_unprivileged_userns=0");
}

TEST(namespaces_refusal__limit)
{
	refusal_names("user", "max_user_namespaces", "0\n", -EPERM,
		      "sysctl user.max_user_namespaces=");
	refusal_names(NULL, NULL, NULL, -ENOSPC, "sysctl user.max_user_namespaces=");
	refusal_names("user", "max_user_namespaces", "7\n", -EPERM, "--cap-add SYS_ADMIN");
	refusal_names(NULL, NULL, NULL, -EAGAIN, "--pids-limit");
	refusal_names("kernel", "unprivileged_userns_clone", "0\n", -EAGAIN, "ulimit -u");
}

/* one without user namespaces, and settings that are not the reason */
TEST(namespaces_refusal__kernel)
{
	static const int errors[] = { -EINVAL, -ENOSYS };

	for (size_t i = 0; i < COUNT_OF(errors); i++)
		refusal_names(NULL, NULL, NULL, errors[i],
			      "): this kernel has no user namespaces; run it as root");
	refusal_names("kernel", "apparmor_restrict_unprivileged_userns", "0\n", -EPERM,
		      "--cap-add SYS_ADMIN");
	refusal_names("kernel", "unprivileged_userns_clone", "", -EPERM, "--cap-add SYS_ADMIN");
}

TEST(namespaces_refusal__container)
{
	refusal_names(NULL, NULL, NULL, -EPERM, "--cap-add SYS_ADMIN");
}

TEST(namespaces_refusal__container_if_settings_permit)
{
	refusal_names("kernel", "unprivileged_userns_clone", "1\n", -EPERM, "--cap-add SYS_ADMIN");
}

/* ---- making and ending ---- */

/* begins file @name of folder @fd with @byte? True: there is no such file */
static bool has_byte(int folder_fd, const char *name, char byte)
{
	int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
	char found = byte;

	if (fd >= 0) {
		ck_assert_int_eq(read(fd, &found, 1), 1);
		close(fd);
	}
	return found == byte;
}

static bool is_up(const char *interface)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { 0 };

	strcpy(request.ifr_name, interface);
	ck_assert_int_eq(ioctl(fd, SIOCGIFFLAGS, &request), 0);
	close(fd);
	return request.ifr_flags & IFF_UP;
}

/* a hosts file that cannot be made, or is a link */
TEST(namespaces_open__names_the_hosts_file)
{
	char link[64], wanted[128];

	if (!allowed())
		return;
	ck_assert_int_eq(namespaces_open(&namespaces, "/nowhere/hosts", &why), -ENOENT);
	ck_assert_str_eq(why.text, "/nowhere/hosts: No such file or directory");
	ck_assert_int_eq(namespaces.net_fd, -1);
	snprintf(link, sizeof(link), "%s.link", hosts_file);
	ck_assert_int_eq(symlink(hosts_file, link), 0);
	ck_assert_int_eq(namespaces_open(&namespaces, link, &why), -ELOOP);
	snprintf(wanted, sizeof(wanted), "%s: Too many levels of symbolic links", link);
	ck_assert_str_eq(why.text, wanted);
	unlink(link);
}

TEST(namespaces_open__caller_changes_only_its_network)
{
	ino_t net, mount, pid;

	if (!allowed())
		return;
	net = own_namespace("net");
	mount = own_namespace("mnt");
	pid = own_namespace("pid_for_children");
	open_or_fail();
	ck_assert_uint_ne(own_namespace("net"), net);
	ck_assert_uint_eq(own_namespace("mnt"), mount);
	ck_assert_uint_eq(own_namespace("pid_for_children"), pid);
	/* its loopback is up, and new interfaces have no IPv6, if there is any */
	ck_assert(has_byte(namespaces.sysctl_fd, "net/ipv6/conf/default/disable_ipv6", '1'));
	ck_assert(is_up("lo"));
	namespaces_close(&namespaces);
	ck_assert_int_eq(namespaces.net_fd, -1);
	namespaces_close(&namespaces);
}

/* TB-22: if the daemon is killed, a program in its hosts, which would run for ever, ends too */
TEST(namespaces_open__killed_daemon_ends_programs)
{
	int alive[2];
	char byte;
	pid_t daemon_pid;

	if (!allowed())
		return;
	ck_assert_int_eq(pipe(alive), 0);
	daemon_pid = fork();
	if (daemon_pid == 0) {
		open_or_fail();
		if (fork() == 0) {
			struct enter_fds fds = { .user_fd = namespaces.user_fd,
						 .pid_fd = namespaces.pid_fd,
						 .mount_fd = namespaces.mount_fd,
						 .net_fd = namespaces.net_fd,
						 .uts_fd = -1,
						 .rights.full = true,
						 .group = LIMIT_GROUP_NONE,
						 .tmp_fd = -1 };
			char *argv[] = { "sh", "-c",
					 "(echo r; exec sleep 1000) >&$ALIVE & exec sleep 1000",
					 NULL };
			char number[16];

			snprintf(number, sizeof number, "%d", alive[1]);
			setenv("ALIVE", number, 1);
			enter_run(&fds, NULL, argv, NULL, &why);
			_exit(0);
		}
		for (;;)
			pause();
	}
	close(alive[1]);
	ck_assert_int_eq(read(alive[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 'r');
	ck_assert_int_eq(kill(daemon_pid, SIGKILL), 0);
	/* Waits until the last process that holds the pipe has ended. The time limit of the test
	 * decides. */
	while (read(alive[0], &byte, 1) > 0)
		;
	close(alive[0]);
	waitpid(daemon_pid, NULL, 0);
}

/* ---- the privilege ---- */

static bool user_namespace_allowed(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(unshare(CLONE_NEWUSER) != 0);
	waitpid(child, &status, 0);
	return status == 0;
}

static bool capabilities(struct __user_cap_data_struct sets[2], long call)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return !syscall(call, &header, sets);
}

/* TB-16: a daemon that lacks one of four capabilities makes a user namespace; one that has them
 * does not, whatever else it lacks. */
TEST_RANGE(namespaces_open__rootless_without_a_capability, 0, 5)
{
	static const unsigned dropped[] = { CAP_SYS_NICE, CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_NET_RAW,
					    CAP_SYS_CHROOT };
	unsigned lacking = dropped[_i];
	struct __user_cap_data_struct sets[2] = { 0 };
	int status;
	pid_t child;

	ck_assert(capabilities(sets, SYS_capget));
	for (size_t i = 1; i < COUNT_OF(dropped); i++)
		if (!(sets[CAP_TO_INDEX(dropped[i])].effective & CAP_TO_MASK(dropped[i]))) {
			printf("skipped: needs root\n");
			return;
		}
	if (!allowed() || !user_namespace_allowed())
		return;
	child = fork();
	if (child == 0) {
		sets[CAP_TO_INDEX(lacking)].effective &= ~CAP_TO_MASK(lacking);
		if (!capabilities(sets, SYS_capset))
			_exit(1);
		open_or_fail();
		_exit(namespaces.rootless == (lacking != CAP_SYS_NICE) ? 0 : 2);
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
}

/* ---- entering ---- */

/* Runs @command in the shared namespaces, in a child.  Return: its status; 255 after a line if it
 * did not run. */
static int run_inside(const char *command)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct enter_fds fds = { .user_fd = namespaces.user_fd,
					 .pid_fd = namespaces.pid_fd,
					 .mount_fd = namespaces.mount_fd,
					 .net_fd = namespaces.net_fd,
					 .uts_fd = namespaces.uts_fd,
					 .rights.full = true,
					 .group = LIMIT_GROUP_NONE,
					 .tmp_fd = -1 };
		char *argv[] = { "sh", "-c", (char *)command, NULL };
		int result = enter_run(&fds, NULL, argv, "/usr", &why);

		if (result < 0)
			fprintf(stderr, "%s\n", why.text);
		_exit(result < 0 ? 255 : result);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(enter_run__returns_the_exit_status)
{
	if (!allowed())
		return;
	open_or_fail();
	ck_assert_int_eq(run_inside("exit 7"), 7);
	ck_assert_int_eq(run_inside("kill -TERM $$"), 128 + SIGTERM);
	ck_assert_int_eq(run_inside("test $(pwd) = /usr"), 0);
	namespaces_close(&namespaces);
}

TEST(enter_run__passes_signals_on)
{
	char *argv[] = { "sh", "-c",
			 "trap 'exit 9' TERM; kill -TERM $OUTER; while :; do sleep 0.01; done",
			 NULL };
	struct enter_fds none = NO_FDS;
	char number[16];
	int status;
	pid_t child = fork();

	if (child == 0) {
		snprintf(number, sizeof number, "%d", (int)getpid());
		setenv("OUTER", number, 1);
		_exit(enter_run(&none, NULL, argv, NULL, &why));
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(WEXITSTATUS(status), 9);
}

TEST(enter_run__no_such_program)
{
	struct enter_fds none = NO_FDS;
	char *argv[] = { "/nowhere/at-all", NULL };

	ck_assert_int_eq(enter_run(&none, NULL, argv, NULL, &why), -ENOENT);
	ck_assert_str_eq(why.text, "cannot run /nowhere/at-all: No such file or directory");
}

TEST(enter_run__not_a_namespace)
{
	struct enter_fds fds = NO_FDS;
	char *argv[] = { "true", NULL };

	fds.net_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(enter_run(&fds, NULL, argv, NULL, &why), -EINVAL);
	ck_assert_str_eq(why.text, "entering the host's network namespace: Invalid argument");
	close(fds.net_fd);
}

TEST(enter_run__hosts_file_and_proc)
{
	int fd;

	if (!allowed())
		return;
	open_or_fail();
	fd = open(hosts_file, O_WRONLY);
	ck_assert_int_eq(write(fd, "10.0.0.1\th0\n", 12), 12);
	close(fd);
	if (namespaces.hosts_shown)
		ck_assert_int_eq(run_inside("grep -q h0 /etc/hosts"), 0);
	if (namespaces.proc_mounted)
		ck_assert_int_eq(run_inside("grep -q heddle-init /proc/1/comm"), 0);
	/* TB-24: of the machine's parameters only those of the network can be changed, by root
	 * too */
	if (namespaces.proc_mounted)
		ck_assert_int_eq(run_inside("! test -w /proc/sys/kernel/panic && ! test -w "
					    "/proc/sysrq-trigger && "
					    "test -w /proc/sys/net/ipv4/ip_forward"),
				 0);
	ck_assert_int_eq(run_inside("grep -q '^ *lo:' /proc/self/net/dev"), 0);
	namespaces_close(&namespaces);
}

/* A fabric has ended while a process still has its namespaces. In a child that does not return,
 * because it can start no process any more. */
TEST(enter_run__rejects_an_ended_fabric)
{
	struct enter_fds fds = NO_FDS;
	char *argv[] = { "true", NULL };
	int status;
	pid_t child;

	if (!allowed())
		return;
	open_or_fail();
	fds.pid_fd = fcntl(namespaces.pid_fd, F_DUPFD_CLOEXEC, 0);
	namespaces_close(&namespaces);
	child = fork();
	if (child == 0) {
		int result = enter_run(&fds, NULL, argv, NULL, &why);

		_exit(result == -ENOMEM && strstr(why.text, "its fabric has ended") ? 0 : 1);
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	close(fds.pid_fd);
}
