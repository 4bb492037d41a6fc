/*  runtime_dir - the directory of running fabrics: a folder for each, which only its owner can
 *  enter (TB-24).
 *
 *  $HEDDLE_RUNTIME_DIR, else $XDG_RUNTIME_DIR/heddle, else /run/heddle for root, else
 *  /tmp/heddle-UID. Folder NAME has these files:
 *    lock     held with flock() by the daemon until it ends, however it ends. Its text is
 *             "PID START", START being the start time of that process in /proc: a pid that was
 *             assigned again is never taken for the daemon.
 *    control  UNIX socket: client.h
 *    hosts    the /etc/hosts of its hosts
 *    log      messages of daemon and nodes
 *    programs a folder: HOST.log has what the start commands of a host print (live_program.h)
 *  A folder whose lock is free is stale: the process that finds it removes it while it holds the
 *  lock, so that two cannot collide. All access is through descriptors of folders, follows no
 *  symlink, and rejects what belongs to other users or is open to them: /tmp is writable by all. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_RUNTIME_DIR_H
#define HEDDLE_ORCHESTRATOR_LIVE_RUNTIME_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nodes/base/why.h"
#include "nodes/config/config.h"

#define RUNTIME_PROGRAMS "programs"

/* the folder of one fabric, held by its daemon */
struct runtime_place {
	int base_fd, dir_fd, lock_fd;
	int watch_fd; /* readable: runtime_lost() may have changed; -1: the kernel has no more */
	char name[NODE_NAME_MAX];
	char path[PATH_MAX]; /* of the fabric's directory */
};

/** runtime_path() - the directory of all fabrics, from the environment; absolute.
 *  Return: 0, or -errno (-ENAMETOOLONG; others if there is no working folder). */
int runtime_path(char *path, size_t path_max);

/** runtime_path_keep() - the path stays the same in the environment of this process when it goes to
 *  another folder.  Return: 0, or -errno. */
int runtime_path_keep(void);

/** runtime_open() - opens that directory. @make creates it, 0700, if it is missing.
 *  Return: descriptor, -ENOENT (missing, !@make), or -errno with a sentence in @why. */
int runtime_open(bool make, struct why *why);

/** runtime_name_fine() - is @name a valid name? It becomes a file name: letters, digits, '_', '-'
 *  and '.', but neither '.' nor '-' first. */
bool runtime_name_fine(const char *name);

/** runtime_claim() - makes the directory of fabric @name and locks it for this process.
 *  @base_fd borrowed; must stay open until runtime_release().
 *  Return: 0; -EEXIST if a fabric of that name runs; else -errno. After an error @why has a
 *  sentence. */
int runtime_claim(int base_fd, const char *name, struct runtime_place *place, struct why *why);

/** runtime_lost() - have the folder or its lock been removed or renamed? Then no command finds the
 *  fabric. Empties @place->watch_fd. */
bool runtime_lost(const struct runtime_place *place);

/** runtime_release() - removes the folder with its files, then releases the lock. */
void runtime_release(struct runtime_place *place);

/** runtime_names() - the running fabrics, in alphabetic order; also removes stale folders.
 *  Return: their number with *@names malloc'd; or -errno. */
int runtime_names(int base_fd, char (**names)[NODE_NAME_MAX]);

/** runtime_lives() - does fabric @name run? If not, its folder is removed. */
bool runtime_lives(int base_fd, const char *name);

/** runtime_kill() - kills the daemon of fabric @name, if its lock identifies the process for
 *  certain.
 *  Return: 0; -ESRCH if it does not run; -EIO if the lock's text does not fit; -errno of the
 *  kill. */
int runtime_kill(int base_fd, const char *name);

/** runtime_listen() - the socket `control` of @place, 0600, listening, non-blocking. Return:
 *  descriptor or -errno. */
int runtime_listen(const struct runtime_place *place);

/** runtime_connect() - a connection to the daemon of fabric @name. Return: descriptor or -errno. */
int runtime_connect(int base_fd, const char *name);

#endif
