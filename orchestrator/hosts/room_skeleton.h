/*  room_skeleton - the folders in which servers of this machine keep what changes: a host has its
 *  own (DU-3).
 *
 *  Debian's servers write below /run, /var/log, /var/cache, /var/spool, /var/mail and to a folder
 *  in /var/lib. These belong to users of the machine, so that a rootless host could not write
 *  there, and two hosts would share them. Copied are folders with their owners and modes, no files:
 *  the machine's numbers of users are those of the hosts too (id_map.h). Of /var/lib a folder is a
 *  server's, and private, if another user than root owns it, or if there is no file in it; all
 *  others (dpkg, ...) are shown as they are.
 *  Read before the user namespace is entered, where the owners are visible. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ROOM_SKELETON_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ROOM_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ROOM_SKELETON_MAX 1024u /* folders; those beyond are left out */

struct room_folder {
	char *path; /* owned */
	mode_t mode;
	uid_t user;
	gid_t group;
	bool top; /* a private folder; else it is inside of the last one that is */
};

struct room_skeleton {
	struct room_folder *folders;
	size_t count;
};

/** room_skeleton_read() - the skeleton of the file system below @root ("": that of the machine).
 *  What cannot be read is left out.  Cost: some 100 system calls. */
void room_skeleton_read(struct room_skeleton *skeleton, const char *root);
void room_skeleton_free(struct room_skeleton *skeleton);

/** room_skeleton_make() - makes the folders of top folder @top, an index, inside of the existing
 *  folder @place, which stands for it. Owners that do not exist here are left out.
 *  Return: index of the next top folder. */
size_t room_skeleton_make(const struct room_skeleton *skeleton, size_t top, const char *place);

#endif
