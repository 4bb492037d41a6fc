/*  runtime_dir - where running fabrics are found: one directory per fabric, below one that only its
 *  owner can enter (TB-24).
 *
 *  $HEDDLE_RUNTIME_DIR, else $XDG_RUNTIME_DIR/heddle, else /run/heddle for root, else
 *  /tmp/heddle-UID. In <name>/ lie
 *    lock flock()ed by the daemon as long as it lives, however it ends; its text is "PID START",
 *    START being the start
 *              time of that process in /proc, so that a pid that was given out again is never
 *              mistaken for the daemon
 *    control UNIX socket, client.h hosts what /etc/hosts is in its hosts log what daemon and nodes
 *    had to say
 *  A directory whose lock is free is stale: whoever meets it removes it, holding the lock, so that
 *  two never clash. Everything goes through descriptors of directories, follows no symlink, and
 *  refuses what belongs to others or is open to them: /tmp is everybody's. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_RUNTIME_DIR_H
#define HEDDLE_ORCHESTRATOR_LIVE_RUNTIME_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nodes/config/config.h"

/* the place of one fabric, held by its daemon */
struct runtime_place {
	int base_fd, dir_fd, lock_fd;
	char name[NODE_NAME_MAX];
	char path[PATH_MAX]; /* of the fabric's directory */
};

/** runtime_path() - the directory of all fabrics, as the environment says. Return: 0 or
 *  -ENAMETOOLONG. */
int runtime_path(char *path, size_t path_max);

/** runtime_open() - opens that directory. @make make it, 0700, if it is missing.
 *  Return: descriptor, -ENOENT (missing, !@make), or -errno with a sentence in @why. */
int runtime_open(bool make, char *why, size_t why_max);

/** runtime_name_fine() - may a fabric be called @name? It becomes a file name: letters, digits,
 *  '_', '-', '.', none first. */
bool runtime_name_fine(const char *name);

/** runtime_claim() - makes the directory of fabric @name and locks it for this process.
 *  @base_fd borrowed; must stay open until runtime_release().
 *  Return: 0; -EEXIST if a fabric of that name runs; else -errno. @why has a sentence then. */
int runtime_claim(int base_fd, const char *name, struct runtime_place *place, char *why,
		  size_t why_max);

/** runtime_release() - removes the directory and everything in it, then gives up the lock. */
void runtime_release(struct runtime_place *place);

/** runtime_names() - the fabrics that run, in alphabetic order; removes stale directories on the
 *  way.
 *  Return: their number with *@names malloc'd; or -errno. */
int runtime_names(int base_fd, char (**names)[NODE_NAME_MAX]);

/** runtime_lives() - does fabric @name run?  If not, nothing of it is left afterwards. */
bool runtime_lives(int base_fd, const char *name);

/** runtime_kill() - kills the daemon of fabric @name, if its lock says beyond doubt which process
 *  that is.
 *  Return: 0; -ESRCH if it does not run; -EIO if the lock's text does not fit; -errno of the
 *  kill. */
int runtime_kill(int base_fd, const char *name);

/** runtime_listen() - the socket `control` of @place, 0600, listening, non-blocking. Return:
 *  descriptor or -errno. */
int runtime_listen(const struct runtime_place *place);

/** runtime_connect() - a connection to the daemon of fabric @name. Return: descriptor or -errno. */
int runtime_connect(int base_fd, const char *name);

#endif
