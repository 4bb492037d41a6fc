/*  room_files - the file system of a host (DU-3): the files of the machine, and on top of them what
 *  is the host's own.
 *
 *  Its own, empty at the start: /tmp, /dev/shm, /run, the folders of servers in /var
 *  (room_skeleton.h); its own in content: /etc/resolv.conf, /etc/hostname, /etc/gai.conf, /proc,
 *  /sys, /dev. They are folders of one tmpfs for each host, each bound to its place: a tmpfs costs
 *  more than a bind. /etc/hosts is the fabric's. Everything else, /home and /var/tmp too, is the
 *  machine's.
 *
 *  A folder or file of the machine's /tmp is shown in a host's once a command names it: people
 *  keep their scripts and data there, and give their paths. What the host itself made under that
 *  name stays (ours; a /tmp that hides what was just named is of no use).
 *
 *  Each step may be refused, as by a container's seccomp profile: the host then has what the fabric
 *  has at that place. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ROOM_FILES_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ROOM_FILES_H

#include <stdbool.h>

#include "orchestrator/hosts/room_skeleton.h"

struct room_files_spec {
	const char *name;     /* of the host */
	const char *resolver; /* text of its /etc/resolv.conf */
	/* folders that stay visible, below /run or /tmp; NULL-terminated. Programs cannot write to
	 * the first one, wherever it is */
	char *const *kept;
	/* NULL: the root file system is the host's own, with folders of servers */
	const struct room_skeleton *skeleton;
};

/** room_files_make() - makes it in the mount namespace of this process, which must be a copy of the
 *  fabric's. The process is the first one of its pid namespace and in the host's network namespace.
 *  @proc_mounted  /proc is the host's.
 *  Return: a descriptor of the machine's /tmp, for room_files_show(); -1: /tmp is not private, or
 *  the machine's is not to be seen, since the root file system is the host's own. */
int room_files_make(const struct room_files_spec *spec, bool *proc_mounted);

/** room_files_show() - shows in /tmp what @text names below the machine's /tmp, as in
 *  "--config=/tmp/a/b": here folder or file /tmp/a. @tmp_fd as returned above, or -1. The process
 *  is in the host's mount namespace and may mount; if @text names something, its working folder is
 *  "/" afterwards. */
void room_files_show(int tmp_fd, const char *text);

/** room_files_show_all() - the same for all words that a program is given. @cwd may be NULL. */
void room_files_show_all(int tmp_fd, char *const argv[], char *const env[], const char *cwd);

#endif
