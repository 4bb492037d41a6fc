#include "orchestrator/hosts/room_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/hosts/mount_step.h"

#define MACHINE "/.heddle-machine" /* the former root */

static int failed(const char *step, const char *folder, char *why, size_t why_max)
{
	int error = -errno;

	snprintf(why, why_max, "its root file system %s: %s", folder, step);
	return error;
}

/* makes /tmp/root, the overlay of the folder that is @fd; /tmp becomes a tmpfs. In a user namespace
 * an overlay keeps its marks in user attributes, if the tmpfs has these. */
static bool overlay_make(int fd)
{
	char options[128];

	if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") ||
	    mkdir("/tmp/upper", 0755) || mkdir("/tmp/work", 0755) || mkdir("/tmp/root", 0755))
		return false;
	snprintf(options, sizeof(options),
		 "userxattr,lowerdir=/proc/self/fd/%d,upperdir=/tmp/upper,workdir=/tmp/work", fd);
	return !mount("overlay", "/tmp/root", "overlay", MS_NODEV, options) ||
	       !mount("overlay", "/tmp/root", "overlay", MS_NODEV,
		      options + sizeof("userxattr,") - 1);
}

/* the owner and the mode of the folder's top are those of the host's root */
static void top_copy(int fd)
{
	struct stat found;

	if (fstat(fd, &found))
		return;
	(void)!chown("/tmp/upper", found.st_uid, found.st_gid);
	(void)!chmod("/tmp/upper", found.st_mode & 07777);
}

static bool file_make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Paths are relative to the new root: a link in it does not lead out of it, since only its own
 * entries are made, and folders that are links are left as they are. */
static int content_make(void)
{
	static const char *const folders[] = { "dev", "etc", "proc", "run", "sys", "tmp", "var" };
	static const char *const files[] = { "etc/hosts", "etc/hostname", "etc/resolv.conf" };
	static const char *const shown[] = { "dev", "proc", "sys" };
	struct stat found;
	char from[16];

	for (size_t i = 0; i < COUNT_OF(folders); i++)
		mkdir(folders[i], 0755);
	for (size_t i = 0; i < COUNT_OF(shown); i++) {
		snprintf(from, sizeof(from), "/%s", shown[i]);
		if (!lstat(shown[i], &found) && S_ISDIR(found.st_mode))
			(void)mount_bind(from, shown[i], false);
	}
	if (lstat("etc", &found))
		return -1;
	if (!S_ISDIR(found.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		/* a link may lead to a file that is missing */
		if (!lstat(files[i], &found) && !S_ISREG(found.st_mode))
			unlink(files[i]);
		if (!file_make(files[i]))
			return -1;
	}
	(void)mount_bind("/etc/hosts", "etc/hosts", false);
	return 0;
}

int room_root_enter(const char *rootfs, char *step, size_t step_max)
{
	int fd = open(rootfs, O_PATH | O_DIRECTORY | O_CLOEXEC), error = 0;

	if (fd < 0 || access(rootfs, R_OK | X_OK))
		error = failed("opening it", rootfs, step, step_max);
	else if (!overlay_make(fd))
		error = failed("an overlay of it", rootfs, step, step_max);
	if (!error) {
		top_copy(fd);
		if (chdir("/tmp/root"))
			error = failed("entering it", rootfs, step, step_max);
	}
	descriptor_close(&fd);
	if (error)
		return error;
	if (content_make())
		return failed("files in its etc, which must belong to the fabric's user", rootfs,
			      step, step_max);
	if (mkdir(&MACHINE[1], 0700) || syscall(SYS_pivot_root, ".", &MACHINE[1]) || chdir("/"))
		return failed("making it the root", rootfs, step, step_max);
	return 0;
}

void room_root_leave(void)
{
	if (!umount2(MACHINE, MNT_DETACH))
		rmdir(MACHINE);
}
