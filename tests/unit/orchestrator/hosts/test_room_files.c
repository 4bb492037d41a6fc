/*  orchestrator/hosts/room_files, mount_step: what a command names of the machine's /tmp is shown
 *  in that of the host, and nothing else (DU-3). A child of the test has a mount namespace of its
 *  own; its /tmp is that of the host. */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/hosts/mount_step.h"
#include "orchestrator/hosts/room_files.h"
#include "tests/testing.h"

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))
#define NO_RIGHT 77

/* ---- the machine's /tmp ---- */

static bool file_make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	bool made = fd >= 0 && write(fd, path, strlen(path)) > 0;

	close(fd);
	return made;
}

/* a /tmp for the machine, with what commands may name, and one for the host above it.   Return: a
 * descriptor of the machine's, or -1 */
static int tmp_make(void)
{
	int fd;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "/tmp", "tmpfs", 0, NULL))
		return -1;
	if (!file_make("/tmp/file") || !file_make("/tmp/other") || mkdir("/tmp/folder", 0755) ||
	    !file_make("/tmp/folder/in") || symlink("/etc/passwd", "/tmp/link") ||
	    mkfifo("/tmp/pipe", 0600) || !file_make("/tmp/a._-+@%,~#b"))
		_exit(100);
	fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (mount("tmpfs", "/tmp", "tmpfs", 0, NULL))
		_exit(101);
	return fd;
}

static bool there(const char *path)
{
	struct stat found;

	return !lstat(path, &found);
}

/* a file has its path as content, which an empty one in its place has not */
static bool has_content(const char *path)
{
	char text[64] = "";
	struct stat found;
	int fd;

	if (lstat(path, &found) || !S_ISREG(found.st_mode))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	return !strcmp(text, path);
}

static const struct {
	const char *text, *shown; /* paths, separated by a blank */
} cases[] = {
	{ "/tmp/file", "/tmp/file" },
	{ "--config=/tmp/folder/in", "/tmp/folder/in" },
	{ "cat /tmp/file /tmp/other", "/tmp/file /tmp/other" },
	{ "/tmp/missing /tmp/other", "/tmp/other" },
	{ "/tmp/a._-+@%,~#b", "/tmp/a._-+@%,~#b" },
	{ "a,/tmp/file", "/tmp/file" },
	{ "curl --data @/tmp/file", "/tmp/file" },
	{ "~/tmp/file", "" },
	{ "\"/tmp/file\"", "/tmp/file" },
	{ "x:/tmp/file:/tmp/folder", "/tmp/file /tmp/folder/in" },
	{ "/var/tmp/file", "" },
	{ "/tmp/link", "" },
	{ "/tmp/pipe", "" },
	{ "/tmp/", "" },
	{ "/tmp/. /tmp/..", "" },
	{ "tmp/file", "" },
	{ "", "" },
};

static const char *const all[] = { "/tmp/file", "/tmp/other", "/tmp/folder",     "/tmp/folder/in",
				   "/tmp/link", "/tmp/pipe",  "/tmp/a._-+@%,~#b" };

/* a path is there if it is in @shown, or the beginning of one */
static void look(const char *shown)
{
	for (int i = 0; i < COUNT(all); i++)
		if (there(all[i]) != (strstr(shown, all[i]) != NULL) || !has_content(all[i]))
			_exit(i + 1);
}

static void child_is_fine(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_RIGHT)
		printf("skipped: mounts are forbidden\n");
	else
		ck_assert_msg(!status, "%d: %s", WEXITSTATUS(status),
			      WEXITSTATUS(status) <= COUNT(all) ? all[WEXITSTATUS(status) - 1]
								: "another");
}

TEST_RANGE(room_files_show__what_is_named, 0, COUNT(cases))
{
	pid_t pid = fork();
	int fd;

	if (!pid) {
		fd = tmp_make();
		if (fd < 0)
			_exit(NO_RIGHT);
		room_files_show(fd, cases[_i].text);
		look(cases[_i].shown);
		room_files_show(fd, cases[_i].text); /* again: it is there */
		look(cases[_i].shown);
		room_files_show(-1, "/tmp/other /tmp/folder");
		look(cases[_i].shown);
		_exit(0);
	}
	child_is_fine(pid);
}

/* what the host has made stays */
TEST(room_files_show__own_files_stay)
{
	struct stat found;
	pid_t pid = fork();
	int fd;

	if (!pid) {
		fd = tmp_make();
		if (fd < 0)
			_exit(NO_RIGHT);
		if (mkdir("/tmp/file", 0700) || symlink("folder", "/tmp/other") ||
		    mkdir("/tmp/folder", 0700))
			_exit(102);
		if (!file_make("/tmp/pipe") || !file_make("/tmp/link"))
			_exit(104);
		room_files_show(fd, "/tmp/file /tmp/other /tmp/folder /tmp/pipe /tmp/link");
		if (!has_content("/tmp/link") || lstat("/tmp/pipe", &found) ||
		    !S_ISREG(found.st_mode))
			_exit(105);
		if (stat("/tmp/file", &found) || !S_ISDIR(found.st_mode) ||
		    lstat("/tmp/other", &found) || !S_ISLNK(found.st_mode) ||
		    there("/tmp/folder/in"))
			_exit(103);
		_exit(0);
	}
	child_is_fine(pid);
}

/* a program whose folder the host has not begins in "/", not in the machine's /tmp */
TEST(room_files_show__leaves_the_folder)
{
	char here[PATH_MAX];
	pid_t pid = fork();
	int fd;

	if (!pid) {
		fd = tmp_make();
		if (fd < 0)
			_exit(NO_RIGHT);
		room_files_show(fd, "/tmp/file");
		_exit(getcwd(here, sizeof(here)) && !strcmp(here, "/") ? 0 : 101);
	}
	child_is_fine(pid);
}

/* a name of NAME_MAX bytes; a longer one is that of no file */
TEST(room_files_show__longest_name)
{
	char path[sizeof("/tmp/") + NAME_MAX], text[sizeof(path) + 1];
	pid_t pid = fork();
	int fd;

	if (!pid) {
		fd = tmp_make();
		if (fd < 0)
			_exit(NO_RIGHT);
		memset(path, 'a', sizeof(path));
		memcpy(path, "/tmp/", strlen("/tmp/"));
		path[sizeof(path) - 1] = 0;
		if (fchdir(fd) || !file_make(path + strlen("/tmp/")) || there(path))
			_exit(100);
		room_files_show(fd, path);
		if (!there(path))
			_exit(101);
		snprintf(text, sizeof(text), "%sb", path);
		room_files_show(fd, text);
		_exit(there(path) ? 0 : 102);
	}
	child_is_fine(pid);
}

/* ---- files of the host's own ---- */

static bool text_is(const char *path, const char *expected)
{
	char text[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	return fd >= 0 && !strcmp(text, expected);
}

/* what the machine has as /etc/resolv.conf: a link to @target, or a file if that is "" */
static const struct {
	const char *target, *made; /* the file that the host then has */
} resolvers[] = {
	{ "", "/etc/resolv.conf" },
	{ "../run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/stub-resolv.conf" },
	{ "/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/stub-resolv.conf" },
	{ "../run/r", "/run/r" },
	{ "/var/run/resolv.conf", "/var/run/resolv.conf" },
	{ "named.conf", "/etc/named.conf" },
};

/* The machine has an /etc with a link, or a file, and an empty /run and /var. */
static bool etc_make(const char *target)
{
	static const char *const over[] = { "/etc", "/run", "/var" };

	if (unshare(CLONE_NEWNS | CLONE_NEWNET) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	for (int i = 0; i < COUNT(over); i++)
		if (mount("tmpfs", over[i], "tmpfs", 0, NULL))
			return false;
	if (mkdir("/var/run", 0755) || !file_make("/var/run/resolv.conf") ||
	    !file_make("/etc/named.conf") || !file_make("/etc/hostname") ||
	    (target[0] ? symlink(target, "/etc/resolv.conf") : !file_make("/etc/resolv.conf")))
		_exit(100);
	return true;
}

TEST_RANGE(room_files_make__resolver_behind_a_link, 0, COUNT(resolvers))
{
	const struct room_files_spec spec = { .name = "h7", .resolver = "nameserver 10.0.0.1\n" };
	const char *target = resolvers[_i].target, *made = resolvers[_i].made;
	bool proc_mounted;
	pid_t pid = fork();
	int fd;

	if (!pid) {
		if (!etc_make(target))
			_exit(NO_RIGHT);
		fd = room_files_make(&spec, &proc_mounted);
		if (fd >= 0)
			_exit(101);
		if (!text_is(made, spec.resolver) || !text_is("/etc/resolv.conf", spec.resolver))
			_exit(102);
		if (!text_is("/etc/hostname", "h7\n") || there("/etc/gai.conf"))
			_exit(103);
		if (there("/run/systemd/resolve/stub-resolv.conf") != !strncmp(made, "/run/s", 6))
			_exit(104);
		if (umount2("/etc/resolv.conf", MNT_DETACH))
			_exit(strncmp(made, "/run/", 5) != 0 ? 105 : 0);
		/* the machine's own file is unchanged */
		_exit(text_is(made, made) ? 0 : 106);
	}
	child_is_fine(pid);
}

/* ---- steps ---- */

TEST(mount_bind__read_only_or_not)
{
	pid_t pid = fork();

	if (!pid) {
		if (tmp_make() < 0)
			_exit(NO_RIGHT);
		if (mkdir("/tmp/from", 0755) || mkdir("/tmp/to", 0755) || mkdir("/tmp/own", 0755))
			_exit(100);
		if (mount_bind("/tmp/from", "/tmp/to", false) || !file_make("/tmp/to/a") ||
		    !there("/tmp/from/a"))
			_exit(101);
		if (mount_bind(NULL, "/tmp/own", true) || file_make("/tmp/own/a"))
			_exit(102);
		if (mount_bind("/tmp/from", "/tmp/none", false) >= 0 ||
		    mount_read_only("/tmp/none") >= 0)
			_exit(103);
		_exit(0);
	}
	child_is_fine(pid);
}

TEST(mount_keep__below_its_folder_only)
{
	static const char *const outside[] = { "/tmpx/kept", "/tmp", "/run/kept", "", NULL };
	struct mount_kept kept;
	pid_t pid = fork();

	if (!pid) {
		if (tmp_make() < 0)
			_exit(NO_RIGHT);
		for (int i = 0; i < COUNT(outside); i++) {
			mount_keep(&kept, outside[i], "/tmp");
			if (kept.fd >= 0)
				_exit(100);
		}
		if (mkdir("/tmp/a", 0755) || mkdir("/tmp/a/kept", 0755) ||
		    !file_make("/tmp/a/kept/file"))
			_exit(101);
		mount_keep(&kept, "/tmp/a/kept", "/tmp");
		if (kept.fd < 0 || mount("tmpfs", "/tmp", "tmpfs", 0, NULL) ||
		    there("/tmp/a/kept/file"))
			_exit(102);
		mount_restore(&kept);
		if (kept.fd >= 0 || !there("/tmp/a/kept/file"))
			_exit(103);
		mount_restore(&kept); /* nothing more */
		_exit(0);
	}
	child_is_fine(pid);
}

TEST(mount_folders_make__all_above)
{
	char path[] = "/tmp/x/y/z";
	pid_t pid = fork();

	if (!pid) {
		if (tmp_make() < 0)
			_exit(NO_RIGHT);
		mount_folders_make(path);
		_exit(strcmp(path, "/tmp/x/y/z") != 0 || !there("/tmp/x/y") || there("/tmp/x/y/z"));
	}
	child_is_fine(pid);
}
