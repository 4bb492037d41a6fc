/*  privilege - what a node gives up once it holds its descriptors: everything (TB-24). */
#ifndef HEDDLE_NODES_PROCESS_PRIVILEGE_H
#define HEDDLE_NODES_PROCESS_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

/* Users of nodes that root starts: this number plus the process id of the heddle that they belong
 * to. No two fabrics of a machine share one, nor does anything else: systemd leaves 1879048192 to
 * 2147483647 unused, and pids are below 2^22. */
#define PRIVILEGE_USER_FIRST 1879048192u

/* what a node may add to the log, which all nodes of a fabric share; its captures have no limit */
#define NODE_FILE_BYTES_MAX (16ull << 20)

/** privilege_files() - the process can write no file beyond its present standard error and
 *  NODE_FILE_BYTES_MAX; it is not killed for trying. */
void privilege_files(void);

/** privilege_user() - the user of processes that @parent starts. */
uid_t privilege_user(pid_t parent);

/** privilege_drop() - no capabilities, no new ones by exec, and, if the process was root and may
 *  change, privilege_user() in no group but that of the same number; user 65534 where a user
 *  namespace has no such user. @keep_user: no change of user; those of a rootless fabric belong to
 *  the user that started it, so that this user may kill them.
 *  The kernel then kills the process when @parent dies; a change of user would clear that.
 *  Return: 0; -ESRCH if @parent is gone; -errno. */
int privilege_drop(pid_t parent, bool keep_user);

#endif
