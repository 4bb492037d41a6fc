#include "orchestrator/live/runtime_dir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/descriptor.h"

/* another command may remove a stale folder meanwhile, but not that often */
#define CLAIM_TRIES 100
#define CLAIM_LOOK_US 2000u

/* lock is last: it protects the others */
static const char *const files[] = { "control", "hosts", "log", "lock" };

/* ---- the directory of all fabrics ---- */

static int relative_path(char *path, size_t path_max, const char *below)
{
	size_t length;

	if (!getcwd(path, path_max))
		return errno == ERANGE ? -ENAMETOOLONG : -errno;
	length = strlen(path);
	return snprintf(path + length, path_max - length, "/%s", below) < (int)(path_max - length)
		       ? 0
		       : -ENAMETOOLONG;
}

int runtime_path(char *path, size_t path_max)
{
	const char *own = getenv("HEDDLE_RUNTIME_DIR"), *session = getenv("XDG_RUNTIME_DIR");
	int length;

	if (own && own[0] == '/')
		length = snprintf(path, path_max, "%s", own);
	else if (own && own[0]) /* the daemon works in another folder */
		return relative_path(path, path_max, own);
	else if (session && session[0])
		length = snprintf(path, path_max, "%s/heddle", session);
	else if (!getuid())
		length = snprintf(path, path_max, "/run/heddle");
	else
		length = snprintf(path, path_max, "/tmp/heddle-%u", (unsigned)getuid());
	return (size_t)length < path_max ? 0 : -ENAMETOOLONG;
}

int runtime_path_keep(void)
{
	char path[PATH_MAX];
	int error = runtime_path(path, sizeof(path));

	return error ? error : setenv("HEDDLE_RUNTIME_DIR", path, 1) ? -ENOMEM : 0;
}

/* is the open directory @fd ours and closed to others? */
static int directory_check(int fd, const char *path, struct why *why)
{
	struct stat state;

	if (fstat(fd, &state))
		return why_say(why, -errno, "cannot check the owner of %s: %s", path,
			       strerror(errno));
	if (state.st_uid != geteuid())
		return why_say(why, -EPERM,
			       "%s belongs to user %u, not to you (%u); set HEDDLE_RUNTIME_DIR",
			       path, (unsigned)state.st_uid, (unsigned)geteuid());
	if (state.st_mode & 077)
		return why_say(why, -EPERM,
			       "%s is open to others (mode %03o); expected 700: chmod 700 %s", path,
			       (unsigned)state.st_mode & 0777, path);
	return 0;
}

int runtime_open(bool make, struct why *why)
{
	char path[PATH_MAX];
	int fd, error = runtime_path(path, sizeof(path));

	if (error)
		return why_say(why, error, "the runtime directory's name is too long");
	if (make && mkdir(path, 0700) && errno != EEXIST)
		return why_say(why, -errno,
			       "cannot make the runtime directory %s: %s; set HEDDLE_RUNTIME_DIR",
			       path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return why_say(why, -errno, "cannot open the runtime directory %s: %s", path,
			       strerror(errno));
	error = directory_check(fd, path, why);
	if (error) {
		close(fd);
		return error;
	}
	return fd;
}

/* ---- the folder of one fabric ---- */

bool runtime_name_fine(const char *name)
{
	size_t length = strlen(name);

	if (!length || length >= NODE_NAME_MAX || strchr(".-", name[0]))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	}
	return true;
}

static int directory_open(int base_fd, const char *name)
{
	int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* takes the lock in folder @dir_fd; -EWOULDBLOCK: another process has it; -ESTALE: it was removed
 * meanwhile */
static int lock_take(int dir_fd, int flags)
{
	/* a program in a host may only read here */
	int fd = openat(dir_fd, "lock",
			(flags & O_CREAT ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | flags,
			0600);
	struct stat opened, named;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int error = -errno;

		close(fd);
		return error;
	}
	if (fstat(fd, &opened) || fstatat(dir_fd, "lock", &named, AT_SYMLINK_NOFOLLOW) ||
	    opened.st_ino != named.st_ino || opened.st_dev != named.st_dev) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* moves folder @name of @fd to @top_fd, with the next number that is free there as its name */
static bool folder_lift(int fd, const char *name, int top_fd, unsigned *number)
{
	char lifted[32];
	int error;

	do {
		snprintf(lifted, sizeof(lifted), "moved %u", ++*number);
		error = renameat(fd, name, top_fd, lifted) ? errno : 0;
	} while (error == ENOTEMPTY || error == EEXIST || error == ENOTDIR);
	return !error;
}

/* Removes the files in folder @fd, which it closes, and links, never what they lead to. Folders in
 * it are moved to folder @top_fd, so that any depth takes few descriptors.
 * Return: how many entries have gone */
static unsigned entries_remove(int fd, int top_fd, unsigned *number)
{
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	unsigned gone = 0;

	while (folder && (entry = readdir(folder))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		gone += !unlinkat(fd, entry->d_name, 0) ||
			folder_lift(fd, entry->d_name, top_fd, number);
	}
	if (folder)
		closedir(folder);
	else
		descriptor_close(&fd);
	return gone;
}

/* removes the entries of folder @top_fd once.   Return: how many entries have gone, of it or of
 * folders in it */
static unsigned pass_remove(int top_fd, unsigned *number)
{
	int copy = directory_open(top_fd, ".");
	DIR *folder = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	unsigned gone = 0;

	while (folder && (entry = readdir(folder))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(top_fd, entry->d_name, 0)) {
			gone++;
			continue;
		}
		gone += entries_remove(directory_open(top_fd, entry->d_name), top_fd, number);
		gone += !unlinkat(top_fd, entry->d_name, AT_REMOVEDIR);
	}
	if (folder)
		closedir(folder);
	else
		descriptor_close(&copy);
	return gone;
}

/* removes RUNTIME_PROGRAMS with all that is in it: programs of hosts may have made folders there */
static void programs_remove(int dir_fd)
{
	int fd = directory_open(dir_fd, RUNTIME_PROGRAMS);
	unsigned number = 0;

	while (fd >= 0 && pass_remove(fd, &number))
		;
	if (fd >= 0)
		close(fd);
	else
		unlinkat(dir_fd, RUNTIME_PROGRAMS, 0);
	unlinkat(dir_fd, RUNTIME_PROGRAMS, AT_REMOVEDIR);
}

static void directory_remove(int base_fd, int dir_fd, const char *name)
{
	programs_remove(dir_fd);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		unlinkat(dir_fd, files[i], 0);
	unlinkat(base_fd, name, AT_REMOVEDIR);
}

bool runtime_lives(int base_fd, const char *name)
{
	int dir_fd = directory_open(base_fd, name);
	int lock_fd;

	if (dir_fd < 0)
		return false;
	lock_fd = lock_take(dir_fd, 0);
	if (lock_fd >= 0) {
		directory_remove(base_fd, dir_fd, name);
		close(lock_fd);
	} else if (lock_fd == -ENOENT) {
		unlinkat(base_fd, name, AT_REMOVEDIR); /* fails if it is being claimed */
	}
	close(dir_fd);
	return lock_fd == -EWOULDBLOCK;
}

/* when process @pid was started, in clock ticks since boot; 0: there is none */
static unsigned long long start_ticks(pid_t pid)
{
	unsigned long long ticks = 0;
	char path[64], text[1024], *after_name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* the name, in brackets, may contain anything; the start time is the 20th field after it */
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	after_name = strrchr(text, ')');
	if (!after_name || sscanf(after_name + 1,
				  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
				  "%*d %*d %*d %*d %llu",
				  &ticks) != 1)
		return 0;
	return ticks;
}

static int lock_sign(int lock_fd)
{
	if (ftruncate(lock_fd, 0) ||
	    dprintf(lock_fd, "%d %llu\n", (int)getpid(), start_ticks(getpid())) < 0)
		return -errno;
	return 0;
}

/* one try: 0, -EEXIST, or -ENOENT / -ESTALE if another process was removing it */
static int claim_try(int base_fd, const char *name, struct runtime_place *place)
{
	int error = 0;

	if (mkdirat(base_fd, name, 0700) && errno != EEXIST)
		return -errno == -ENOENT ? -EIO : -errno;
	place->dir_fd = directory_open(base_fd, name);
	place->lock_fd = place->dir_fd < 0 ? place->dir_fd : lock_take(place->dir_fd, O_CREAT);
	if (place->lock_fd < 0) {
		error = place->lock_fd == -EWOULDBLOCK ? -EEXIST : place->lock_fd;
		unlinkat(base_fd, name, AT_REMOVEDIR); /* fails if it is claimed */
		goto out;
	}
	error = lock_sign(place->lock_fd);
	if (error) {
		directory_remove(base_fd, place->dir_fd, name);
		goto out;
	}
	/* systemd-tmpfiles cleans /tmp, but no folder that is locked */
	flock(place->dir_fd, LOCK_SH | LOCK_NB);
	/* what a daemon that was killed has left */
	programs_remove(place->dir_fd);
	for (size_t i = 0; strcmp(files[i], "lock"); i++)
		unlinkat(place->dir_fd, files[i], 0);
out:
	if (error && place->dir_fd >= 0)
		close(place->dir_fd);
	if (error && place->lock_fd >= 0)
		close(place->lock_fd);
	return error;
}

int runtime_claim(int base_fd, const char *name, struct runtime_place *place, struct why *why)
{
	char base[PATH_MAX];
	int error = runtime_path(base, sizeof(base)), tries = 0;

	if (!runtime_name_fine(name))
		return why_say(why, -EINVAL,
			       "'%s' is not a valid name for a fabric: expected 1 to %u letters, "
			       "digits, '_', '-', '.', no '.' or '-' first",
			       name, NODE_NAME_MAX - 1);
	*place = (struct runtime_place){
		.base_fd = base_fd, .dir_fd = -1, .lock_fd = -1, .watch_fd = -1
	};
	snprintf(place->name, sizeof(place->name), "%s", name);
	if (!error && snprintf(place->path, sizeof(place->path), "%s/%s", base, name) >=
			      (int)sizeof(place->path))
		error = -ENAMETOOLONG;
	/* -EEXIST: perhaps a command only looks whether it runs */
	if (!error)
		do {
			if (error == -EEXIST)
				usleep(CLAIM_LOOK_US);
			error = claim_try(base_fd, name, place);
		} while ((error == -ENOENT || error == -ESTALE || error == -EEXIST) &&
			 ++tries < CLAIM_TRIES);
	if (error == -EEXIST)
		return why_say(why, error,
			       "a fabric '%s' is running; end it with 'heddle down %s', or give "
			       "another --name",
			       name, name);
	if (error)
		return why_say(why, error, "cannot make %s/%s: %s", base, name, strerror(-error));
	place->watch_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (place->watch_fd >= 0)
		(void)inotify_add_watch(place->watch_fd, place->path,
					IN_DELETE | IN_MOVED_FROM | IN_MOVE_SELF);
	return 0;
}

bool runtime_lost(const struct runtime_place *place)
{
	char lock[NODE_NAME_MAX + sizeof("/lock")], events[4096];
	struct stat own, named;

	while (place->watch_fd >= 0 && read(place->watch_fd, events, sizeof(events)) > 0)
		;
	snprintf(lock, sizeof(lock), "%s/lock", place->name);
	return fstat(place->lock_fd, &own) || fstatat(place->base_fd, lock, &named, 0) ||
	       own.st_ino != named.st_ino || own.st_dev != named.st_dev;
}

void runtime_release(struct runtime_place *place)
{
	descriptor_close(&place->watch_fd);
	directory_remove(place->base_fd, place->dir_fd, place->name);
	close(place->dir_fd);
	close(place->lock_fd);
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int runtime_names(int base_fd, char (**names)[NODE_NAME_MAX])
{
	int copy = openat(base_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0;
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	*names = NULL;
	if (!directory) {
		int error = -errno;

		descriptor_close(&copy);
		return error;
	}
	while (count >= 0 && (entry = readdir(directory))) {
		char(*grown)[NODE_NAME_MAX];

		if (!runtime_name_fine(entry->d_name) || !runtime_lives(base_fd, entry->d_name))
			continue;
		grown = realloc(*names, (size_t)(count + 1) * sizeof(**names));
		if (!grown) {
			count = -ENOMEM;
			break;
		}
		*names = grown;
		/* runtime_name_fine() has checked its length */
		memcpy(grown[count++], entry->d_name, strlen(entry->d_name) + 1);
	}
	closedir(directory);
	if (count < 0) {
		free(*names);
		*names = NULL;
	} else if (count) {
		qsort(*names, (size_t)count, sizeof(**names), names_compare);
	}
	return count;
}

/* ---- the daemon ---- */

/* reads the lock of @name */
static int lock_read(int base_fd, const char *name, int *pid, unsigned long long *ticks)
{
	int dir_fd = directory_open(base_fd, name), fd;
	char text[64];
	ssize_t length;

	if (dir_fd < 0)
		return dir_fd;
	fd = openat(dir_fd, "lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	close(dir_fd);
	if (fd < 0)
		return -errno;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return -EIO;
	text[length] = 0;
	return sscanf(text, "%d %llu", pid, ticks) == 2 && *pid > 1 && *ticks ? 0 : -EIO;
}

int runtime_kill(int base_fd, const char *name)
{
	unsigned long long ticks;
	int pid, pidfd, error;

	if (!runtime_lives(base_fd, name))
		return -ESRCH;
	error = lock_read(base_fd, name, &pid, &ticks);
	if (error)
		return error;
	pidfd = pidfd_open(pid, 0); /* from here on it identifies the same process */
	if (pidfd < 0)
		return -errno;
	if (start_ticks(pid) != ticks)
		error = -EIO;
	else if (pidfd_send_signal(pidfd, SIGKILL, NULL, 0))
		error = -errno;
	close(pidfd);
	return error;
}

/* The socket's address uses the descriptor of the folder: an address has at most 108 bytes, a path
 * may have more. */
static struct sockaddr_un control_address(int dir_fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/control", dir_fd);
	return address;
}

int runtime_listen(const struct runtime_place *place)
{
	struct sockaddr_un address = control_address(place->dir_fd);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0;

	if (fd < 0)
		return -errno;
	/* the file gets the mode of the descriptor: it is never open to others, not even for a
	 * moment */
	if (fchmod(fd, 0600) || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, 16))
		error = -errno;
	if (error)
		close(fd);
	return error ? error : fd;
}

int runtime_connect(int base_fd, const char *name)
{
	int dir_fd = directory_open(base_fd, name);
	/* for a daemon that hangs and has a full backlog */
	const struct timeval patience = { .tv_sec = 2 };
	struct sockaddr_un address;
	int fd, error = 0;

	if (dir_fd < 0)
		return dir_fd;
	address = control_address(dir_fd);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		error = -errno;
	if (error && fd >= 0)
		close(fd);
	close(dir_fd);
	return error ? error : fd;
}
