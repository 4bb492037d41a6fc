/*  orchestrator/hosts: host_room, room_init, room_files, room_skeleton, host_rights - a host has
 *  processes, folders and rights of its own (DU-3). */
#include "orchestrator/hosts/host_room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/hosts/room_log.h"
#include "tests/testing.h"

static struct fabric_namespaces namespaces;
static struct host_room rooms[2];
static char hosts_file[] = "/tmp/test_host_room_hosts_XXXXXX";
static struct why why;
static int net_fd, uts_fd;

static void hosts_file_create(void)
{
	close(mkstemp(hosts_file));
}

static void hosts_file_remove(void)
{
	unlink(hosts_file);
}

TEST_GROUP(host_room, .setup_once = hosts_file_create, .teardown_once = hosts_file_remove,
	   .timeout_s = 60);

/* ---- what needs no namespace ---- */

static void folder(const char *root, const char *path, mode_t mode)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	ck_assert_int_eq(mkdir(whole, 0700), 0);
	ck_assert_int_eq(chmod(whole, mode), 0);
}

TEST(room_skeleton__servers_folders_are_private_those_with_data_are_not)
{
	char root[] = "/tmp/test_skeleton_XXXXXX", place[] = "/tmp/test_skeleton_XXXXXX", path[256];
	struct room_skeleton skeleton;
	bool data = false, server = false;
	struct stat found;

	ck_assert_ptr_nonnull(mkdtemp(root));
	ck_assert_ptr_nonnull(mkdtemp(place));
	folder(root, "/var", 0755);
	folder(root, "/var/log", 0755);
	folder(root, "/var/log/nginx", 02750);
	folder(root, "/var/lib", 0755);
	folder(root, "/var/lib/server", 0711);
	folder(root, "/var/lib/server/body", 0700);
	folder(root, "/var/lib/data", 0755);
	snprintf(path, sizeof(path), "%s/var/lib/data/file", root);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	room_skeleton_read(&skeleton, root);
	for (size_t i = 0; i < skeleton.count; i++) {
		data |= strstr(skeleton.folders[i].path, "/data") != NULL;
		server |= strstr(skeleton.folders[i].path, "/server") && skeleton.folders[i].top;
	}
	ck_assert(server);
	/* root's, with a file in it: what the machine has stays visible */
	ck_assert(data == (getuid() != 0));
	ck_assert(skeleton.folders[0].top);
	ck_assert_uint_eq(room_skeleton_make(&skeleton, 0, place), 2);
	snprintf(path, sizeof(path), "%s/nginx", place);
	ck_assert_int_eq(stat(path, &found), 0);
	ck_assert_uint_eq(found.st_mode & 07777, 02750);
	room_skeleton_free(&skeleton);
	snprintf(path, sizeof(path), "rm -r %s %s", root, place);
	ck_assert_int_eq(system(path), 0);
}

TEST(host_rights_kept__what_a_network_needs_and_no_more)
{
	const int kept[] = { CAP_NET_ADMIN, CAP_NET_RAW, CAP_CHOWN, CAP_SETUID, CAP_KILL },
		  dropped[] = { CAP_SYS_ADMIN, CAP_SYS_PTRACE,   CAP_SYS_MODULE,
				CAP_MKNOD,     CAP_SYS_RESOURCE, CAP_SYS_RAWIO,
				CAP_SYS_BOOT,  CAP_SYS_TIME,     CAP_DAC_READ_SEARCH };

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		ck_assert(host_rights_kept(kept[i]));
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		ck_assert(!host_rights_kept(dropped[i]));
}

/* programs of the host, whose rights it has then, cannot reach its descriptors by /proc */
TEST(host_rights_drop__process_is_closed_to_others)
{
	const struct host_rights all = { .full = true };
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(host_rights_drop(&all, NULL) || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* ---- answers that are late ---- */

/* receives a request at @socket_fd, then sends @late, as to the request before, and @right to this
 * one; each with a descriptor */
static _Noreturn void init_imitate(int socket_fd, int late, int right)
{
	uint32_t number = 0;
	struct init_answer answers[2];

	if (recv(socket_fd, &number, sizeof(number), 0) != (ssize_t)sizeof(number))
		_exit(1);
	answers[0] = (struct init_answer){ number - 1, late };
	answers[1] = (struct init_answer){ number, right };
	for (unsigned i = 0; i < 2; i++)
		if (descriptor_send(socket_fd, &answers[i], sizeof(*answers), &socket_fd, 1) !=
		    (ssize_t)sizeof(*answers))
			_exit(1);
	_exit(0);
}

static pid_t imitation_start(int *socket_fd, int late, int right)
{
	int pair[2];
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid)
		init_imitate(pair[1], late, right);
	close(pair[1]);
	*socket_fd = pair[0];
	return pid;
}

/* how many descriptors process @pid has */
static unsigned open_count_of(pid_t pid)
{
	char path[64];
	unsigned count = 0;
	DIR *all;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	all = opendir(path);
	ck_assert_ptr_nonnull(all);
	while (readdir(all))
		count++;
	closedir(all);
	return count;
}

static unsigned open_count(void)
{
	return open_count_of(getpid());
}

TEST(host_room_start__late_answer_to_another_request_is_dropped)
{
	struct host_room room = HOST_ROOM_NONE;
	unsigned before = open_count();
	int fd = STDIN_FILENO;
	pid_t pid = imitation_start(&room.socket_fd, 4711, 7);

	ck_assert_int_eq(host_room_start(&room, &fd, 1, 0), 7);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	/* the init process has ended */
	ck_assert_int_lt(host_room_start(&room, &fd, 1, 0), 0);
	host_room_free(&room);
	ck_assert_uint_eq(open_count(), before);
}

TEST_RANGE(host_room_make__late_answer_to_another_request_is_dropped, 0, 2)
{
	const int error = _i ? -EAGAIN : -EUSERS;
	const struct host_room_spec spec = { .name = "late", .resolver = "" };
	struct fabric_namespaces fabric = FABRIC_NAMESPACES_NONE;
	unsigned before = open_count();
	struct host_room room;
	pid_t pid = imitation_start(&fabric.init_fd, 0, error);

	ck_assert_int_eq(host_room_make(&room, &fabric, STDIN_FILENO, STDIN_FILENO, &spec, &why),
			 error);
	ck_assert_str_eq(why.text,
			 _i ? "host late: its pid and mount namespace: Resource temporarily "
			      "unavailable: " NAMESPACE_PROCESS_LIMIT
			    : "host late: its pid and mount namespace: Too many users");
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(fabric.init_fd);
	ck_assert_uint_eq(open_count(), before);
}

/* ---- sandboxes ---- */

static int room_make(unsigned n)
{
	static const char *const names[] = { "one", "two" };
	const struct host_room_spec spec = { .name = names[n], .resolver = "# none\n" };

	return host_room_make(&rooms[n], &namespaces, net_fd, uts_fd, &spec, &why);
}

/* two hosts in one network; false: the kernel forbids it */
static bool rooms_open(void)
{
	if (namespaces_open(&namespaces, hosts_file, &why)) {
		printf("skipped, needs namespaces: %s\n", why.text);
		return false;
	}
	net_fd = namespaces.net_fd;
	uts_fd = namespaces.uts_fd;
	for (unsigned n = 0; n < 2; n++)
		ck_assert_msg(!room_make(n), "%s", why.text);
	return true;
}

static void rooms_close(void)
{
	namespaces_close(&namespaces);
	for (unsigned n = 0; n < 2; n++)
		host_room_free(&rooms[n]);
}

/* starts @program in host @n; @status_fd receives the pipe of its status */
static int start(unsigned n, const char *program, int *status_fd)
{
	char shell[] = "sh", option[] = "-c", path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *argv[] = { shell, option, (char *)program, NULL }, *env[] = { path, NULL };
	const struct room_program words = { argv, env, "/", NULL };
	int pipes[2], words_fd = room_program_pack(&words), pid;

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	pid = host_room_start(&rooms[n],
			      (const int[ROOM_START_FDS]){ words_fd, STDIN_FILENO, STDOUT_FILENO,
							   STDERR_FILENO, pipes[1] },
			      ROOM_START_FDS, 0);
	close(words_fd);
	close(pipes[1]);
	*status_fd = pipes[0];
	return pid;
}

/* Return: how the program ended, or why it did not start, once its init process has closed the
 * pipe */
static struct room_status end_await(int status_fd)
{
	struct room_status end = { ROOM_NOT_STARTED, -EPIPE, false };
	char more[64];

	(void)!read(status_fd, &end, sizeof(end));
	while (read(status_fd, more, sizeof(more)) > 0)
		;
	close(status_fd);
	return end;
}

/* Return: exit status of @command in host @n */
static int run(unsigned n, const char *command)
{
	int status_fd, pid = start(n, command, &status_fd);
	struct room_status end;

	ck_assert_int_gt(pid, 0);
	end = end_await(status_fd);
	ck_assert_int_eq(end.kind, ROOM_ENDED);
	return WIFEXITED(end.value) ? WEXITSTATUS(end.value) : 128 + WTERMSIG(end.value);
}

/* The init processes keep their sockets, that of a host its own /proc and /tmp as well: nothing of
 * what they have started. */
TEST(host_room__descriptors_of_init_processes)
{
	const unsigned own = 2 + 3 + 2; /* "." and "..", the standard ones, socket and /proc */
	int status_fd;
	pid_t pid;

	if (!rooms_open())
		return;
	pid = host_room_pid(&rooms[0]);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(kill(pid, 0), 0);
	while (open_count_of(namespaces.init_pid) != 2 + 3 + 1)
		usleep(1000); /* it closes what it has passed on */
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(run(0, "exit 3"), 3);
	ck_assert_uint_eq(open_count_of(pid), own + (rooms[0].tmp_fd >= 0));
	ck_assert_int_gt(start(0, "exec sleep 1000", &status_fd), 0);
	ck_assert_uint_eq(open_count_of(pid), own + (rooms[0].tmp_fd >= 0) + 1);
	close(status_fd);
	rooms_close();
	ck_assert_int_eq(host_room_pid(&rooms[0]), -1);
}

TEST(host_room__processes_of_two_hosts_are_apart)
{
	int sleeper;

	if (!rooms_open())
		return;
	ck_assert_int_gt(start(0, "exec sleep 1000", &sleeper), 1);
	while (run(0, "grep -lx sleep /proc/[0-9]*/comm >/dev/null"))
		usleep(10000);
	/* the shell that looks, its init process, and nothing else */
	ck_assert_int_eq(run(1, "set -- /proc/[0-9]*; test $# -le 3 && test -d /proc/1"), 0);
	ck_assert_int_eq(run(1, "! grep -l sleep /proc/[0-9]*/comm"), 0);
	/* no signal of a program ends the init process of its host */
	ck_assert_int_eq(run(0, "kill -9 1; test -d /proc/1"), 0);
	ck_assert(host_room_alive(&rooms[0]));
	close(sleeper);
	rooms_close();
}

TEST(host_room__folders_of_two_hosts_are_apart)
{
	if (!rooms_open())
		return;
	if (rooms[0].tmp_fd < 0) {
		printf("skipped: a tmpfs is forbidden\n");
		rooms_close();
		return;
	}
	ck_assert_int_eq(run(0, "for d in /tmp /run /dev/shm /var/log; do >$d/test_room; done"), 0);
	ck_assert_int_eq(run(1,
			     "for d in /tmp /run /dev/shm /var/log; do test ! -e $d/test_room || "
			     "exit 1; done"),
			 0);
	ck_assert_int_ne(access("/var/log/test_room", F_OK), 0);
	ck_assert_int_eq(run(0, "test one = $(cat /etc/hostname) && grep -qx '# none' "
				"/etc/resolv.conf"),
			 0);
	ck_assert_int_eq(run(0, "test -c /dev/null && test ! -e /dev/mem && test ! -e /dev/kmsg"),
			 0);
	/* what a command names of the machine's /tmp is there */
	snprintf(why.text, sizeof(why.text), "test -f %s", hosts_file);
	ck_assert_int_eq(run(1, why.text), 0);
	rooms_close();
}

/* a host of the same network, with the @count mounts at @mounts; false: refused */
static bool room_mount(const struct room_mount *mounts, size_t count)
{
	const struct host_room_spec spec = {
		.name = "three", .resolver = "", .mounts = mounts, .mount_count = count
	};

	host_room_free(&rooms[0]);
	return !host_room_make(&rooms[0], &namespaces, net_fd, uts_fd, &spec, &why);
}

TEST(host_room__mounts_at_places_that_exist_or_not)
{
	const struct room_mount mounts[] = { { "", "/srv/test_room/own", false },
					     { "/etc", "/srv/test_room/etc", true },
					     { "/etc/passwd", "/etc/hostname", true },
					     { hosts_file, "/srv/test_room/own/a/file", false } };

	if (!rooms_open())
		return;
	if (rooms[0].tmp_fd < 0) {
		printf("skipped: a tmpfs is forbidden\n");
		rooms_close();
		return;
	}
	ck_assert_msg(room_mount(mounts, 4), "%s", why.text);
	ck_assert_int_eq(run(0, "cmp /etc/passwd /srv/test_room/etc/passwd && "
				"cmp /etc/passwd /etc/hostname && "
				"test \"$(ls /srv/test_room/own)\" = a"),
			 0);
	ck_assert_int_ne(run(0, ": >/srv/test_room/etc/new"), 0);
	ck_assert_int_ne(run(0, ": >>/etc/hostname"), 0);
	ck_assert_int_eq(run(0, "echo x >/srv/test_room/own/a/file && echo x >/srv/other"), 0);
	ck_assert_int_eq(run(1, "test ! -e /srv/test_room"), 0);
	ck_assert_int_ne(access("/srv/test_room", F_OK), 0);
	ck_assert_int_ne(access("/srv/other", F_OK), 0);
	rooms_close();
}

/* entries of this kind that folder /etc of the machine has */
static unsigned etc_entries(mode_t kind)
{
	DIR *stream = opendir("/etc");
	const struct dirent *entry;
	unsigned count = 0;
	struct stat found;

	while ((entry = readdir(stream)))
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			 !fstatat(dirfd(stream), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) &&
			 (found.st_mode & S_IFMT) == kind;
	closedir(stream);
	return count;
}

/* a folder of the machine that gets an entry more: its files, folders and links stay what they are,
 * but for the link that a resolver may be */
TEST(host_room__mount_in_a_folder_of_the_machine)
{
	const struct room_mount mounts[] = { { "", "/etc/test_room/in", false } };
	char command[256];

	if (!rooms_open())
		return;
	if (rooms[0].tmp_fd < 0) {
		printf("skipped: a tmpfs is forbidden\n");
		rooms_close();
		return;
	}
	ck_assert_msg(room_mount(mounts, 1), "%s", why.text);
	ck_assert_int_eq(run(0, "echo x >/etc/test_room/in/new && grep -q root /etc/passwd"), 0);
	ck_assert_int_eq(run(0, "for f in /etc/*; do test -e $f || test -L $f || exit 1; done"), 0);
	snprintf(command, sizeof(command),
		 "test $(find /etc -maxdepth 1 -type d | wc -l) = %u && "
		 "n=$(find /etc -maxdepth 1 -type l | wc -l) && test $n -le %u && test $n -ge %u",
		 etc_entries(S_IFDIR) + 2, etc_entries(S_IFLNK), etc_entries(S_IFLNK) - 3);
	if (etc_entries(S_IFLNK) > 3)
		ck_assert_int_eq(run(0, command), 0);
	ck_assert_int_eq(run(1, "test ! -e /etc/test_room"), 0);
	ck_assert_int_ne(access("/etc/test_room", F_OK), 0);
	rooms_close();
}

TEST(host_room_make__names_the_mount_that_failed)
{
	const struct room_mount missing = { "/no/such/source", "/srv", false },
				root_entry = { "", "/no_such_entry", false },
				in_file = { "", "/etc/passwd/folder", false };

	if (!rooms_open())
		return;
	ck_assert(!room_mount(&missing, 1));
	ck_assert_str_eq(why.text,
			 "host three: what it mounts at /srv: /no/such/source: No such file "
			 "or directory");
	ck_assert(!room_mount(&root_entry, 1));
	ck_assert_ptr_nonnull(strstr(why.text, "host three: /no_such_entry: / has no such folder"));
	ck_assert(!room_mount(&in_file, 1));
	ck_assert_ptr_nonnull(strstr(why.text, "Not a directory"));
	ck_assert_int_ne(access("/no_such_entry", F_OK), 0);
	rooms_close();
}

TEST(host_room_start__names_what_failed)
{
	struct room_status end;
	char nowhere[] = "/no/such", *argv[] = { nowhere, NULL }, *env[] = { NULL };
	const struct room_program words = { argv, env, "/", NULL };
	int pipes[2], fd;

	if (!rooms_open())
		return;
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	fd = room_program_pack(&words);
	ck_assert_int_gt(host_room_start(&rooms[0], (const int[]){ fd, 0, 1, 2, pipes[1] },
					 ROOM_START_FDS, 0),
			 0);
	close(pipes[1]);
	end = end_await(pipes[0]);
	ck_assert_int_eq(end.kind, ROOM_NOT_STARTED);
	ck_assert_int_eq(end.value, -ENOENT);
	ck_assert_int_eq(host_room_start(&rooms[0], &fd, 1, 0), -EINVAL);
	/* words that are none */
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	ck_assert_int_gt(host_room_start(&rooms[0], (const int[]){ fd, 0, 1, 2, pipes[1] },
					 ROOM_START_FDS, 0),
			 0);
	close(pipes[1]);
	end = end_await(pipes[0]);
	ck_assert_int_eq(end.kind, ROOM_NOT_STARTED);
	ck_assert_int_eq(end.value, -EINVAL);
	close(fd);
	rooms_close();
}

/* A program ends with the one that awaits it; others go on. */
TEST(host_room_start__unread_program_is_killed)
{
	int status_fd, survivor;
	struct pollfd polled;

	if (!rooms_open())
		return;
	ck_assert_int_gt(start(0, "exec sleep 1000", &status_fd), 0);
	ck_assert_int_gt(start(0, "exec sleep 1000", &survivor), 0);
	close(status_fd);
	/* until one of both is left */
	while (run(0, "test $(grep -lx sleep /proc/[0-9]*/comm | wc -l) = 1"))
		usleep(10000);
	polled = (struct pollfd){ survivor, POLLIN, 0 };
	ck_assert_int_eq(poll(&polled, 1, 0), 0);
	close(survivor);
	rooms_close();
}

/* as after a request that was refused because no answer came in time */
TEST(host_room_start__unread_program_is_not_started)
{
	int pipes[2], words_fd;
	char touch[] = "touch", file[] = "/tmp/test_room_started", *argv[] = { touch, file, NULL };
	char path[] = "PATH=/usr/bin:/bin", *env[] = { path, NULL };
	const struct room_program words = { argv, env, "/", NULL };

	if (!rooms_open())
		return;
	words_fd = room_program_pack(&words);
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[0]);
	ck_assert_int_eq(host_room_start(&rooms[0], (const int[]){ words_fd, 0, 1, 2, pipes[1] },
					 ROOM_START_FDS, 0),
			 -ECANCELED);
	/* a descriptor that is no pipe could block */
	ck_assert_int_eq(host_room_start(&rooms[0], (const int[]){ words_fd, 0, 1, 2, words_fd },
					 ROOM_START_FDS, 0),
			 -EINVAL);
	ck_assert_int_eq(run(0, "test ! -e /tmp/test_room_started"), 0);
	close(pipes[1]);
	close(words_fd);
	rooms_close();
}

/* The process that awaits a program holds the pipe too. A pipe that is full, and whose descriptor
 * blocks, does not stop the init process. */
TEST(host_room_start__full_status_pipe_does_not_stop_the_host)
{
	char program[] = "sleep", time[] = "0.3", *argv[] = { program, time, NULL };
	char path[] = "PATH=/usr/bin:/bin", *env[] = { path, NULL }, full[4096] = { 0 };
	const struct room_program words = { argv, env, "/", NULL };
	int pipes[2], words_fd;

	if (!rooms_open())
		return;
	words_fd = room_program_pack(&words);
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	ck_assert_int_gt(host_room_start(&rooms[0], (const int[]){ words_fd, 0, 1, 2, pipes[1] },
					 ROOM_START_FDS, 0),
			 0);
	ck_assert_int_eq(fcntl(pipes[1], F_SETFL, O_NONBLOCK), 0);
	while (write(pipes[1], full, sizeof(full)) > 0)
		;
	ck_assert_int_eq(fcntl(pipes[1], F_SETFL, 0), 0);
	while (run(0, "grep -lx sleep /proc/[0-9]*/comm >/dev/null") == 0)
		usleep(10000);
	/* its end was to be told meanwhile */
	ck_assert_int_eq(run(0, "true"), 0);
	close(pipes[0]);
	close(pipes[1]);
	close(words_fd);
	rooms_close();
}

/* What a program has printed is in the file when its end is told. What its children print later
 * follows, up to the limit. */
TEST(host_room_start__output_has_a_limit)
{
	char sh[] = "sh", option[] = "-c", path[] = "PATH=/usr/bin:/bin", *env[] = { path, NULL };
	char program[] = "echo begin >&2; (while test ! -e /tmp/go; do sleep 0.01; done; exec yes) "
			 "& echo end";
	char *argv[] = { sh, option, program, NULL }, file[] = "/tmp/test_room_output_XXXXXX";
	const struct room_program words = { argv, env, "/", NULL };
	const off_t limit = 1000000, whole = limit + (off_t)strlen(ROOM_LOG_END);
	int pipes[2], words_fd, fd;
	struct room_status end;
	char text[32] = "";

	if (!rooms_open())
		return;
	fd = mkostemp(file, O_CLOEXEC | O_APPEND);
	unlink(file);
	words_fd = room_program_pack(&words);
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	ck_assert_int_gt(host_room_start(&rooms[0], (const int[]){ words_fd, 0, fd, fd, pipes[1] },
					 ROOM_START_FDS, (uint64_t)limit),
			 0);
	close(pipes[1]);
	close(words_fd);
	end = end_await(pipes[0]);
	ck_assert(end.kind == ROOM_ENDED && end.value == 0);
	ck_assert_int_eq(pread(fd, text, sizeof(text) - 1, 0), strlen("begin\nend\n"));
	ck_assert_str_eq(text, "begin\nend\n");
	ck_assert_int_eq(run(0, "touch /tmp/go"), 0);
	while (lseek(fd, 0, SEEK_END) < whole)
		usleep(10000);
	/* it goes on, and so does the host */
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(run(0, "sleep 0.1; grep -qx yes /proc/[0-9]*/comm"), 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), whole);
	close(fd);
	rooms_close();
}

TEST(host_room_free__ends_its_programs_only)
{
	int first, second;
	struct pollfd polled;
	char byte;

	if (!rooms_open())
		return;
	ck_assert_int_gt(start(0, "exec sleep 1000", &first), 0);
	ck_assert_int_gt(start(1, "exec sleep 1000", &second), 0);
	host_room_free(&rooms[0]);
	ck_assert_int_eq(read(first, &byte, 1), 0); /* its init process, the writer, has ended */
	polled = (struct pollfd){ second, POLLIN, 0 };
	ck_assert_int_eq(poll(&polled, 1, 0), 0);
	ck_assert(!host_room_alive(&rooms[0]) && host_room_alive(&rooms[1]));
	ck_assert_int_eq(host_room_start(&rooms[0], &first, 1, 0), -ECHILD);
	ck_assert_msg(!room_make(0), "%s", why.text);
	ck_assert_int_eq(run(0, "true"), 0);
	close(first);
	close(second);
	rooms_close();
}

/* of the init process of the fabric, with which all end */
TEST(host_room_make__says_that_the_fabric_has_ended)
{
	if (!rooms_open())
		return;
	kill(namespaces.init_pid, SIGKILL);
	while (host_room_alive(&rooms[0]) || host_room_alive(&rooms[1]))
		usleep(1000);
	host_room_free(&rooms[0]);
	ck_assert_int_lt(room_make(0), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "host one: its pid and mount namespace"));
	rooms_close();
}
