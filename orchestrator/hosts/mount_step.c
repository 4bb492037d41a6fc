#include "orchestrator/hosts/mount_step.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nodes/base/array.h"

#define ATTRIBUTE_READ_ONLY 1 /* MOUNT_ATTR_RDONLY */
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#define HARMLESS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

/* The structure is the kernel's: older C libraries lack it, and <linux/mount.h> excludes
 * <sys/mount.h>. */
int mount_read_only(const char *path)
{
	const struct {
		uint64_t set, clear, propagation, user_fd;
	} attributes = { .set = ATTRIBUTE_READ_ONLY };
	int error;

	if (!syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &attributes,
		     sizeof(attributes)))
		return 0;
	error = -errno;
	umount2(path, MNT_DETACH);
	return error;
}

int mount_bind(const char *from, const char *to, bool read_only)
{
	if (mount(from ? from : to, to, NULL, MS_BIND | MS_REC, NULL))
		return -errno;
	return read_only ? mount_read_only(to) : 0;
}

void mount_guard(const char *path, bool read_only)
{
	const unsigned long flags = MS_BIND | MS_REMOUNT | HARMLESS;

	if (!mount(path, path, NULL, MS_BIND, NULL))
		(void)mount(NULL, path, NULL, flags | (read_only ? MS_RDONLY : 0), NULL);
}

static void guard(const char *folder, const char *name, bool read_only)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	mount_guard(path, read_only);
}

bool mount_proc(const char *folder)
{
	static const char *const guarded[] = { "sys", "sysrq-trigger", "irq", "bus", "fs" };

	if (mount("proc", folder, "proc", HARMLESS, NULL))
		return false;
	for (size_t i = 0; i < COUNT_OF(guarded); i++)
		guard(folder, guarded[i], true);
	guard(folder, "sys/net", false);
	return true;
}

bool mount_sys(const char *folder)
{
	if (mount("sysfs", folder, "sysfs", HARMLESS, NULL))
		return false;
	guard(folder, "devices/virtual/net", false);
	(void)mount(NULL, folder, NULL, MS_BIND | MS_REMOUNT | HARMLESS | MS_RDONLY, NULL);
	return true;
}

void mount_folders_make(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(path, 0755);
	}
}

void mount_keep(struct mount_kept *kept, const char *path, const char *top)
{
	size_t length = strlen(top);

	kept->fd = -1;
	if (!path || strncmp(path, top, length) != 0 || path[length] != '/' ||
	    strlen(path) >= sizeof(kept->path))
		return;
	strcpy(kept->path, path);
	kept->fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void mount_restore(struct mount_kept *kept)
{
	char self[64];

	if (kept->fd < 0)
		return;
	mount_folders_make(kept->path);
	mkdir(kept->path, 0700);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", kept->fd);
	(void)mount(self, kept->path, NULL, MS_BIND | MS_REC, NULL);
	close(kept->fd);
	kept->fd = -1;
}
