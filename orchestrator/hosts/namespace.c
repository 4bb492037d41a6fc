#include "orchestrator/hosts/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/hosts/fabric_init.h"
#include "orchestrator/hosts/id_map.h"

static int user_namespace_enter(struct fabric_namespaces *namespaces, struct why *why);
static int own_namespaces_make(struct fabric_namespaces *namespaces, struct why *why);
static int init_start(struct fabric_namespaces *namespaces, const char *hosts_file,
		      const struct room_skeleton *skeleton, struct why *why);
static int init_namespaces_open(struct fabric_namespaces *namespaces, struct why *why);
static int fabric_net_prepare(struct fabric_namespaces *namespaces, struct why *why);
static bool privileged(void);

int namespaces_open(struct fabric_namespaces *namespaces, const char *hosts_file, struct why *why)
{
	struct room_skeleton skeleton;
	int error;

	*namespaces = FABRIC_NAMESPACES_NONE;
	room_skeleton_read(&skeleton, ""); /* owners are visible outside of a user namespace only */
	namespaces->rootless = !privileged();
	error = (namespaces->rootless ? user_namespace_enter(namespaces, why) : 0)
			?: own_namespaces_make(namespaces, why)
			?: init_start(namespaces, hosts_file, &skeleton, why)
			?: init_namespaces_open(namespaces, why)
			?: fabric_net_prepare(namespaces, why);
	room_skeleton_free(&skeleton);
	if (error)
		namespaces_close(namespaces);
	return error;
}

void namespaces_close(struct fabric_namespaces *namespaces)
{
	netlink_close(&namespaces->netlink);
	descriptor_close(&namespaces->init_fd);
	/* if it was reaped elsewhere, its pid may be another process by now */
	if (namespaces->init_pid > 0 && !waitpid(namespaces->init_pid, NULL, WNOHANG)) {
		kill(namespaces->init_pid, SIGKILL);
		while (waitpid(namespaces->init_pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	namespaces->init_pid = 0;
	descriptor_close(&namespaces->sysctl_fd);
	descriptor_close(&namespaces->pid_fd);
	descriptor_close(&namespaces->mount_fd);
	descriptor_close(&namespaces->uts_fd);
	descriptor_close(&namespaces->net_fd);
	descriptor_close(&namespaces->user_fd);
}

static int file_write(int directory_fd, const char *path, const char *text)
{
	int fd = openat(directory_fd, path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

int namespaces_sysctl(const struct fabric_namespaces *namespaces, const char *path,
		      const char *value)
{
	return file_write(namespaces->sysctl_fd, path, value);
}

/* is sysctl file @path there, with this value? */
static bool setting_is(int sysctl_fd, const char *path, long value)
{
	char text[32] = "";
	int fd = openat(sysctl_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return false;
	length = read(fd, text, sizeof text - 1);
	close(fd);
	return length > 0 && strtol(text, NULL, 10) == value;
}

void namespaces_refusal(int sysctl_fd, const char *step, int error, struct why *why)
{
	static const char as_root[] = "or run it as root";
	const char *reason = strerror(-error);

	if (error == -EAGAIN)
		why_say(why, 0, "%s is refused (%s): " NAMESPACE_PROCESS_LIMIT, step, reason);
	else if (setting_is(sysctl_fd, "kernel/unprivileged_userns_clone", 0))
		why_say(why, 0,
			"%s is refused (%s): user namespaces are reserved to root here; allow them "
			"with 'sysctl kernel.unprivileged_userns_clone=1', %s",
			step, reason, as_root);
	else if (setting_is(sysctl_fd, "user/max_user_namespaces", 0) || error == -ENOSPC)
		why_say(why, 0,
			"%s is refused (%s): the limit of namespaces is reached; raise it with "
			"'sysctl user.max_user_namespaces=10000' (and user.max_net_namespaces), %s",
			step, reason, as_root);
	else if (setting_is(sysctl_fd, "kernel/apparmor_restrict_unprivileged_userns", 1))
		why_say(why, 0,
			"%s is refused (%s): AppArmor restricts user namespaces; allow them with "
			"'sysctl kernel.apparmor_restrict_unprivileged_userns=0' or a profile for "
			"heddle with 'userns,', %s",
			step, reason, as_root);
	else if (error == -EINVAL || error == -ENOSYS)
		why_say(why, 0,
			"%s is refused (%s): this kernel has no user namespaces; run it as root",
			step, reason);
	else
		why_say(why, 0,
			"%s is refused (%s), probably by a container's seccomp or AppArmor "
			"profile; start the container with '--cap-add SYS_ADMIN --cap-add "
			"NET_ADMIN --security-opt apparmor=unconfined', %s of the machine",
			step, reason, as_root);
}

static void refusal(const char *step, int error, struct why *why)
{
	int sysctl_fd = open("/proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);

	namespaces_refusal(sysctl_fd, step, error, why);
	descriptor_close(&sysctl_fd);
}

/* id 0 of the new user namespace is the id we had; further ids are the subordinate ones of our
 * user. Without those no other id exists in it, so groups cannot be changed */
static int user_namespace_enter(struct fabric_namespaces *namespaces, struct why *why)
{
	const unsigned user = geteuid(), group = getegid();
	char user_map[32], group_map[32];
	struct id_map_helper helper;
	struct id_map_done done;
	int error = 0;

	snprintf(user_map, sizeof user_map, "0 %u 1", user);
	snprintf(group_map, sizeof group_map, "0 %u 1", group);
	id_map_prepare(&helper);
	if (unshare(CLONE_NEWUSER)) {
		error = -errno;
		refusal("a user namespace", error, why);
		return error;
	}
	done = id_map_write(&helper);
	snprintf(namespaces->ids_missing, sizeof(namespaces->ids_missing), "%s", helper.why);
	if (!done.users)
		error = file_write(AT_FDCWD, "/proc/self/uid_map", user_map);
	if (!error && !done.groups)
		error = file_write(AT_FDCWD, "/proc/self/setgroups", "deny");
	if (!error && !done.groups)
		error = file_write(AT_FDCWD, "/proc/self/gid_map", group_map);
	if (error == -EPERM && !user)
		why_say(why, 0,
			"the map of user ids is refused (%s): root needs CAP_SETFCAP for it; add "
			"that ('--cap-add SETFCAP' of a container), or run heddle as another user "
			"('--user 1000:1000')",
			strerror(-error));
	else if (error)
		refusal("the map of user ids", error, why);
	return error;
}

static int sentence(int error, const char *what, struct why *why)
{
	return why_say(why, error, "%s: %s", what, strerror(-error));
}

/* opens namespace @name of @process into *@fd; @what it is, for @why; NULL: the path says it */
static int namespace_open(const char *process, const char *name, int *fd, const char *what,
			  struct why *why)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%s/ns/%s", process, name);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? sentence(-errno, what ? what : path, why) : 0;
}

static int own_namespaces_make(struct fabric_namespaces *namespaces, struct why *why)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWUTS)) {
		int error = -errno;

		refusal("a network namespace", error, why);
		return error;
	}
	return namespace_open("self", "user", &namespaces->user_fd, NULL, why)
		       ?: namespace_open("self", "net", &namespaces->net_fd, NULL, why)
		       ?: namespace_open("self", "uts", &namespaces->uts_fd, NULL, why);
}

/* ---- the init process of the fabric ---- */

static int init_await(struct fabric_namespaces *namespaces, struct why *why)
{
	struct fabric_init_report report;
	ssize_t length;

	do
		length = read(namespaces->init_fd, &report, sizeof report);
	while (length < 0 && errno == EINTR);
	if (length != (ssize_t)sizeof report)
		return sentence(-ECHILD, "the fabric's init process ended", why);
	namespaces->hosts_shown = report.hosts_shown;
	namespaces->proc_mounted = report.proc_mounted;
	if (report.error)
		refusal(report.step, report.error, why);
	return report.error;
}

static int hosts_file_touch(const char *path)
{
	int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int init_start(struct fabric_namespaces *namespaces, const char *hosts_file,
		      const struct room_skeleton *skeleton, struct why *why)
{
	int error = hosts_file_touch(hosts_file);
	int pair[2];

	if (error)
		return sentence(error, hosts_file, why);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return sentence(-errno, "a socket to the fabric's init process", why);
	namespaces->init_fd = pair[0];
	namespaces->init_pid = fabric_init_fork();
	if (namespaces->init_pid == 0)
		fabric_init_run(pair[1], hosts_file, namespaces->rootless, skeleton);
	close(pair[1]);
	if (namespaces->init_pid < 0) {
		error = -errno;
		refusal("a pid and mount namespace", error, why);
		return error;
	}
	return init_await(namespaces, why);
}

/* /proc/sys is read-only in many containers; the hosts' own /proc is not */
static int sysctl_directory(pid_t init_pid, bool proc_mounted)
{
	char path[64];
	int fd = -1;

	snprintf(path, sizeof path, "/proc/%d/root/proc/sys", (int)init_pid);
	if (proc_mounted)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = open("/proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int init_namespaces_open(struct fabric_namespaces *namespaces, struct why *why)
{
	char process[16];
	int error;

	snprintf(process, sizeof process, "%d", (int)namespaces->init_pid);
	error = namespace_open(process, "mnt", &namespaces->mount_fd,
			       "the mount namespace of the hosts", why)
			?: namespace_open(process, "pid", &namespaces->pid_fd,
					  "the pid namespace of the hosts", why);
	if (error)
		return error;
	namespaces->sysctl_fd = sysctl_directory(namespaces->init_pid, namespaces->proc_mounted);
	if (namespaces->sysctl_fd < 0)
		return sentence(namespaces->sysctl_fd, "/proc/sys", why);
	return 0;
}

/* NIC-side ends must only carry frames of the hosts; IPv6 would add frames of its own. A kernel
 * without IPv6 has no such file. */
static int fabric_net_prepare(struct fabric_namespaces *namespaces, struct why *why)
{
	int error;

	namespaces_sysctl(namespaces, "net/ipv6/conf/default/disable_ipv6", "1");
	error = netlink_open(&namespaces->netlink, -1, -1)
			?: netlink_link_up(&namespaces->netlink, 1, false);
	return error ? sentence(error, "the loopback interface of the fabric", why) : 0;
}

/* all capabilities that are needed to make and enter namespaces and interfaces */
static bool privileged(void)
{
	static const unsigned needed[] = { CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_NET_RAW,
					   CAP_SYS_CHROOT };
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { 0 };

	if (syscall(SYS_capget, &header, sets))
		return false;
	for (size_t i = 0; i < COUNT_OF(needed); i++)
		if (!(sets[CAP_TO_INDEX(needed[i])].effective & CAP_TO_MASK(needed[i])))
			return false;
	return true;
}
