/*  room_mounts - what a scenario mounts in a host: files and folders of the machine, and empty
 *  folders of the host's own (DU-3).
 *
 *  The place of a mount need not exist. A folder that is missing is made on a file system of the
 *  host's own, never on the machine's: a folder of the machine in which one is missing is replaced
 *  by a tmpfs that shows all of its entries, and the new one. Only / cannot be replaced so.
 *  Sources: mount(2), mount_setattr(2), tmpfs(5). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ROOM_MOUNTS_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ROOM_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define ROOM_MOUNTS_MAX 129u /* those of a scenario, and the library of dilated time */

struct room_mount {
	const char *from; /* absolute; "": an empty folder */
	const char *to;   /* absolute, in the host */
	bool read_only;   /* with all that is mounted inside of `from` */
};

struct room_mounts {
	const struct room_mount *list;
	size_t count;
	int fds[ROOM_MOUNTS_MAX]; /* of the sources; -1: an empty folder */
};

/** room_mounts_open() - opens the sources, in the machine's files: before what hides them.
 *  @list  borrowed, at most ROOM_MOUNTS_MAX.
 *  Return: 0, or -errno with the source in @step; then nothing is open. */
int room_mounts_open(struct room_mounts *mounts, const struct room_mount *list, size_t count,
		     char *step, size_t step_max);

/** room_mounts_make() - mounts them in their order, and closes the sources. In the host's mount
 *  namespace, with a /proc.  @own  folders of file systems of the host's own; NULL: none.
 *  Return: 0, or -errno with the mount in @step. */
int room_mounts_make(struct room_mounts *mounts, const char *const own[2], char *step,
		     size_t step_max);

#endif
