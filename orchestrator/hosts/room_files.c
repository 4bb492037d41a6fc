#include "orchestrator/hosts/room_files.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/hosts/mount_step.h"

#define KEPT_MAX 8u
/* the table of the C library (RFC 3484) with IPv4 first: a host has both kinds of addresses, and
 * many servers listen at IPv4 alone. A client that tries one address reaches them so (ours) */
#define ADDRESS_ORDER                    \
	"# IPv4 before IPv6\n"           \
	"precedence ::ffff:0:0/96 100\n" \
	"precedence ::1/128 50\n"        \
	"precedence ::/0 40\n"           \
	"precedence 2002::/16 30\n"      \
	"precedence ::/96 20\n"
#define TERMINAL_GROUP 5 /* "tty" of Debian, and of most others */

/* ---- single folders and files of the tmpfs, which is at /tmp while they are made ---- */

/* makes /tmp/@name, to be bound to @place; NULL: @place is no folder here */
static const char *own_folder(const char *name, const char *place, mode_t mode, char path[64])
{
	struct stat found;

	if (stat(place, &found) || !S_ISDIR(found.st_mode))
		return NULL;
	snprintf(path, 64, "/tmp/%s", name);
	return mkdir(path, 0700) || chmod(path, mode) ? NULL : path;
}

static void folder_bind(const char *name, const char *place, mode_t mode)
{
	char path[64];

	if (own_folder(name, place, mode, path))
		(void)mount_bind(path, place, false);
}

static bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool fine = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	descriptor_close(&fd);
	return fine;
}

/* A file that the machine does not have cannot be bound over. A link into /run, as systemd's
 * resolver makes one, leads to a file of the new /run. */
static void file_bind(const char *name, const char *place, const char *text)
{
	char path[64], target[PATH_MAX] = "";
	ssize_t length = readlink(place, target, sizeof(target) - 1);
	const char *run = length > 0 ? strstr(target, "/run/") : NULL;

	snprintf(path, sizeof(path), "/tmp/%s", name);
	if (run && (run == target || !strncmp(target, "..", 2))) {
		memmove(target, run, strlen(run) + 1);
		mount_folders_make(target);
		(void)file_write(target, text);
	} else if (file_write(path, text)) {
		(void)mount_bind(path, place, false);
	}
}

static void skeleton_bind(const struct room_skeleton *skeleton)
{
	char path[64], name[32];

	for (size_t i = 0; i < skeleton->count;) {
		size_t top = i;

		snprintf(name, sizeof(name), "folder%zu", top);
		if (own_folder(name, skeleton->folders[top].path, 0755, path)) {
			i = room_skeleton_make(skeleton, top, path);
			(void)mount_bind(path, skeleton->folders[top].path, false);
		} else {
			for (i++; i < skeleton->count && !skeleton->folders[i].top;)
				i++;
		}
	}
}

/* ---- /dev ---- */

static void devices_link(void)
{
	static const struct {
		const char *name, *target;
	} links[] = { { "fd", "/proc/self/fd" },
		      { "stdin", "/proc/self/fd/0" },
		      { "stdout", "/proc/self/fd/1" },
		      { "stderr", "/proc/self/fd/2" },
		      { "ptmx", "pts/ptmx" } };
	char path[64];

	for (size_t i = 0; i < COUNT_OF(links); i++) {
		snprintf(path, sizeof(path), "/tmp/dev/%s", links[i].name);
		(void)!symlink(links[i].target, path);
	}
}

/* Only root of the machine can make device nodes: those of the machine are bound, one by one. */
static void devices_bind(void)
{
	static const char *const names[] = { "null",    "zero", "full",   "random",
					     "urandom", "tty",  "net/tun" };
	char from[64], to[64];

	mkdir("/tmp/dev/net", 0755);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(from, sizeof(from), "/dev/%s", names[i]);
		snprintf(to, sizeof(to), "/tmp/dev/%s", names[i]);
		if (!access(from, F_OK) && file_write(to, "") && mount_bind(from, to, false))
			unlink(to);
	}
}

/* Without it programs of root could read the disks of the machine, and its terminals. */
static void devices_make(void)
{
	char options[64];

	if (mkdir("/tmp/dev", 0755))
		return;
	devices_bind();
	devices_link();
	mkdir("/tmp/dev/pts", 0755);
	mkdir("/tmp/dev/shm", 0755);
	chmod("/tmp/dev/shm", 01777);
	snprintf(options, sizeof(options), "newinstance,ptmxmode=0666,mode=0620,gid=%d",
		 TERMINAL_GROUP);
	if (mount("devpts", "/tmp/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options) &&
	    mount("devpts", "/tmp/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		  "newinstance,ptmxmode=0666,mode=0620"))
		(void)mount_bind("/dev/pts", "/tmp/dev/pts", false);
	(void)mount_bind("/tmp/dev", "/dev", false);
}

/* ---- all ---- */

static size_t kept_open(char *const *paths, struct mount_kept kept[KEPT_MAX])
{
	size_t count = 0;

	for (size_t i = 0; paths && paths[i] && count < KEPT_MAX; i++) {
		mount_keep(&kept[count], paths[i], "/run");
		count += kept[count].fd >= 0;
	}
	return count;
}

int room_files_make(const struct room_files_spec *spec, bool *proc_mounted)
{
	struct mount_kept kept[KEPT_MAX];
	int tmp_fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t count = kept_open(spec->kept, kept);
	char host_name[256];
	bool own =
		tmp_fd >= 0 && !mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");

	if (own) {
		if (spec->skeleton)
			skeleton_bind(spec->skeleton);
		snprintf(host_name, sizeof(host_name), "%s\n", spec->name);
		file_bind("hostname", "/etc/hostname", host_name);
		file_bind("resolver", "/etc/resolv.conf", spec->resolver);
		file_bind("addresses", "/etc/gai.conf", ADDRESS_ORDER);
		devices_make();
		folder_bind("tmp", "/tmp", 01777); /* last: it hides the others */
	} else {
		descriptor_close(&tmp_fd);
	}
	while (count)
		mount_restore(&kept[--count]);
	if (!spec->skeleton)
		descriptor_close(&tmp_fd);
	for (size_t i = 0; own && spec->kept && spec->kept[i]; i++)
		room_files_show(tmp_fd, spec->kept[i]);
	if (spec->kept && spec->kept[0])
		mount_guard(spec->kept[0], true);
	*proc_mounted = mount_proc("/proc");
	(void)mount_sys("/sys");
	return tmp_fd;
}

/* ---- what commands name ---- */

static bool is_of_name(char byte)
{
	return isalnum((unsigned char)byte) || (byte && strchr("._-+@%,~#", byte));
}

/* a new file or folder; what a program of the host has put there meanwhile, such as a link, is not
 * used */
static bool place_make(const char *place, mode_t mode)
{
	int fd;

	if (S_ISDIR(mode))
		return !mkdir(place, 0700);
	if (!S_ISREG(mode))
		return false;
	fd = open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* The working folder is the machine's /tmp: a descriptor leads to no mount of another namespace,
 * but a path from there does. */
static void entry_show(const char *name)
{
	char place[NAME_MAX + 8];
	struct stat found;

	snprintf(place, sizeof(place), "/tmp/%s", name);
	if (!lstat(name, &found) && place_make(place, found.st_mode) &&
	    mount_bind(name, place, false))
		(void)remove(place);
}

void room_files_show(int tmp_fd, const char *text)
{
	const char *whole = text;
	char name[NAME_MAX + 1];

	if (tmp_fd < 0 || !(text = strstr(text, "/tmp/")) || fchdir(tmp_fd))
		return;
	for (; text; text = strstr(text, "/tmp/")) {
		/* "/var/tmp/", but not "@/tmp/" (curl) or a list */
		bool inner = text > whole && is_of_name(text[-1]) && !strchr("@,", text[-1]);
		size_t length = 0;

		text += strlen("/tmp/");
		while (length < NAME_MAX && is_of_name(text[length]))
			length++;
		memcpy(name, text, length);
		name[length] = 0;
		if (length && !inner && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
			entry_show(name);
	}
	/* nothing that this process becomes or starts is in the machine's /tmp */
	(void)!chdir("/");
}

void room_files_show_all(int tmp_fd, char *const argv[], char *const env[], const char *cwd)
{
	for (char *const *word = argv; *word; word++)
		room_files_show(tmp_fd, *word);
	for (char *const *word = env; *word; word++)
		room_files_show(tmp_fd, *word);
	if (cwd)
		room_files_show(tmp_fd, cwd);
}
