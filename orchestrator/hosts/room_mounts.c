#include "orchestrator/hosts/room_mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/hosts/mount_step.h"

#define SELF_FD_MAX 64 /* of "/proc/self/fd/N" */

/* ---- sources ---- */

/* Return: a descriptor, or -errno: it is missing, or the fabric's user may not read it */
static int source_open(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat found;

	if (fd < 0 || fstat(fd, &found) ||
	    access(path, S_ISDIR(found.st_mode) ? R_OK | X_OK : R_OK)) {
		int error = -errno;

		descriptor_close(&fd);
		return error;
	}
	return fd;
}

static void sources_close(struct room_mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++)
		descriptor_close(&mounts->fds[i]);
	mounts->count = 0;
}

int room_mounts_open(struct room_mounts *mounts, const struct room_mount *list, size_t count,
		     char *step, size_t step_max)
{
	*mounts = (struct room_mounts){ .list = list };
	for (size_t i = 0; i < count; i++) {
		int fd = *list[i].from ? source_open(list[i].from) : -1;

		if (*list[i].from && fd < 0) {
			snprintf(step, step_max, "what it mounts at %s: %s", list[i].to,
				 list[i].from);
			sources_close(mounts);
			return fd;
		}
		mounts->fds[mounts->count++] = fd;
	}
	return 0;
}

/* ---- places ---- */

/* makes what stands for entry @name of the folder that is @source_fd in folder @place, and shows it
 * there */
static void entry_copy(int source_fd, const char *name, const char *place)
{
	char from[SELF_FD_MAX + NAME_MAX], to[PATH_MAX], target[PATH_MAX] = "";
	struct stat found;
	int fd = -1;

	snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", source_fd, name);
	if (lstat(from, &found) ||
	    snprintf(to, sizeof(to), "%s/%s", place, name) >= (int)sizeof(to))
		return;
	if (S_ISLNK(found.st_mode)) {
		if (readlink(from, target, sizeof(target) - 1) > 0)
			(void)!symlink(target, to);
		return;
	}
	if (S_ISDIR(found.st_mode))
		mkdir(to, 0755);
	else
		fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	descriptor_close(&fd);
	(void)mount_bind(from, to, false);
}

/* an empty folder at @place, which exists, with the owner and mode of what was there */
static int empty_mount(const char *place)
{
	struct stat before;

	if (stat(place, &before) ||
	    mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"))
		return -errno;
	(void)!chown(place, before.st_uid, before.st_gid);
	(void)!chmod(place, before.st_mode & 07777);
	return 0;
}

/* replaces folder @place of the machine by one of the host's own with the same entries */
static int folder_replace(const char *place)
{
	int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!stream) {
		error = -errno;
		descriptor_close(&fd);
		return error;
	}
	error = empty_mount(place);
	while (!error && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			entry_copy(fd, entry->d_name, place);
	closedir(stream);
	return error;
}

/* is @folder of a file system of which one of @own is? */
static bool is_own(const char *folder, const char *const own[2])
{
	struct stat found, reference;

	for (int i = 0; i < 2; i++)
		if (own[i] && !stat(folder, &found) && !stat(own[i], &reference) &&
		    found.st_dev == reference.st_dev)
			return true;
	return false;
}

/* makes folder or empty file @path; the folder that its first @existing bytes name exists */
static int rest_make(char *path, size_t existing, bool folder)
{
	char *slash = path + existing;
	int fd;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	if (folder)
		return mkdir(path, 0755) ? -errno : 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* makes @to, a folder or else an empty file, unless it exists. @own  see room_mounts_make().
 * Return: 0 or -errno; -EROFS: it would be a new entry of the machine's / */
static int place_make(const char *to, bool folder, const char *const own[2])
{
	char path[PATH_MAX], above[PATH_MAX];
	struct stat found;
	char *slash;
	int error;

	if (!lstat(to, &found))
		return 0;
	if (snprintf(path, sizeof(path), "%s", to) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	strcpy(above, path);
	while ((slash = strrchr(above, '/')) && slash != above) {
		*slash = 0;
		if (!stat(above, &found))
			break;
	}
	if (slash == above)
		above[0] = 0;
	if (!is_own(*above ? above : "/", own)) {
		error = *above ? folder_replace(above) : -EROFS;
		if (error)
			return error;
	}
	return rest_make(path, strlen(above), folder);
}

/* ---- mounts ---- */

static int one_make(const struct room_mount *mount, int fd, const char *const own[2])
{
	char from[SELF_FD_MAX];
	struct stat found = { .st_mode = S_IFDIR };
	int error;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	if (fd >= 0 && fstat(fd, &found))
		return -errno;
	error = place_make(mount->to, S_ISDIR(found.st_mode), own);
	if (error)
		return error;
	return fd < 0 ? empty_mount(mount->to) : mount_bind(from, mount->to, mount->read_only);
}

int room_mounts_make(struct room_mounts *mounts, const char *const own[2], char *step,
		     size_t step_max)
{
	int error = 0;

	for (size_t i = 0; i < mounts->count && !error; i++) {
		const struct room_mount *mount = &mounts->list[i];

		error = one_make(mount, mounts->fds[i], own);
		if (error)
			snprintf(step, step_max, "%s%s%s%s", mount->to,
				 *mount->from ? " from " : "", mount->from,
				 error == -EROFS ? ": / has no such folder; choose one below /srv"
						 : "");
	}
	sources_close(mounts);
	return error;
}
