/*  mount_step - single steps of making a mount namespace, for that of the fabric (fabric_init.h)
 *  and those of its hosts (room_files.h).
 *
 *  All change the mount namespace that the process is in.
 *  Sources: mount(2), mount_namespaces(7). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_MOUNT_STEP_H
#define HEDDLE_ORCHESTRATOR_HOSTS_MOUNT_STEP_H

#include <limits.h>
#include <stdbool.h>

/** mount_bind() - shows @from (NULL: what is there already) at @to too, with all that is mounted in
 *  it, read-only or not.   Return: 0 or -errno; then it is not shown. */
int mount_bind(const char *from, const char *to, bool read_only);

/** mount_read_only() - makes the mount at @path read-only, and all mounts in it; else removes it.
 *  Return: 0 or -errno (-ENOSYS: Linux before 5.12). */
int mount_read_only(const char *path);

/** mount_guard() - mounts @path over itself, @read_only or not. Best effort. */
void mount_guard(const char *path, bool read_only);

/** mount_proc() - a /proc of the pid namespace at @folder. Programs of root in a host must not
 *  change the machine: the only kernel parameters that they can write are those of the network,
 *  which are the host's own.  Return: whether it was allowed. */
bool mount_proc(const char *folder);

/** mount_sys() - a /sys with the interfaces of the network namespace at @folder; only what belongs
 *  to them can be written.  Return: whether it was allowed. */
bool mount_sys(const char *folder);

/** mount_folders_make() - makes the folders that lead to @path, for all to enter. @path is changed
 *  meanwhile. */
void mount_folders_make(char *path);

/* a folder that stays visible when something is mounted over a folder above it */
struct mount_kept {
	char path[PATH_MAX];
	int fd; /* -1: none */
};

/** mount_keep() - remembers folder @path (NULL: none) if it is below @top, e.g. "/run". */
void mount_keep(struct mount_kept *kept, const char *path, const char *top);

/** mount_restore() - shows it at its place again, in the new @top. */
void mount_restore(struct mount_kept *kept);

#endif
