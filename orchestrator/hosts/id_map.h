/*  id_map - the users and groups that exist in a user namespace (DU-1).
 *
 *  User 0 is the user that started the fabric. With subordinate ids (/etc/subuid, /etc/subgid)
 *  users and groups 1 and above exist too, and programs may change to them, as most servers do.
 *  The kernel lets only newuidmap and newgidmap (package uidmap) write such a map, and only from
 *  outside of the new namespace: a process that is made before does it. */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_ID_MAP_H
#define HEDDLE_ORCHESTRATOR_HOSTS_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct id_map_helper {
	pid_t pid; /* 0: none */
	int fd;
	char owner[64];
	char why[256]; /* what is missing; "": nothing known to be */
};

/* which maps the helper has written */
struct id_map_done {
	bool users, groups;
};

/** id_map_prepare() - makes the process that will look up the subordinate ids of the calling user
 *  and map them to 1 and above. To be called before the new user namespace is
 *  entered, by a process with one thread.  Never fails: @helper->why says what is missing. */
void id_map_prepare(struct id_map_helper *helper);

/** id_map_write() - in the new user namespace: has the helper write the maps of this process, and
 *  waits for its end. @helper->why has the reason if one is not written. */
struct id_map_done id_map_write(struct id_map_helper *helper);

#endif
