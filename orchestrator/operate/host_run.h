/*  host_run - programs in hosts of a running fabric, for commands (TB-15, DU-4). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_HOST_RUN_H
#define HEDDLE_ORCHESTRATOR_OPERATE_HOST_RUN_H

#include <stddef.h>
#include <sys/types.h>

#include "nodes/config/config.h"

/** host_run() - runs @argv (NULL-terminated) in @host of @fabric (NULL: client_open()) until it
 *  ends, as @user of this machine (NULL: as root of the host). It has HEDDLE_FABRIC, HEDDLE_HOST
 *  and HEDDLE_RUNTIME_DIR in its environment, and the folders of root's programs in PATH. This
 *  process stays in the host's namespaces and must end afterwards.
 *  @parent  of this process: the program gets SIGTERM when that one ends; 0: the program continues.
 *  Return: the program's exit status, 128 + signal if one ended it; else another one, reported. */
int host_run(const char *command, const char *fabric, const char *host, const char *user,
	     char *const argv[], pid_t parent);

struct host_names {
	char fabric[NODE_NAME_MAX];
	char (*names)[NODE_NAME_MAX];
	size_t count;
};

/** host_names_ask() - the hosts of @fabric (NULL: client_open()) whose names match @glob (NULL:
 *  all), at least one.   Return: 0, then host_names_free(); or an exit status, reported. */
int host_names_ask(const char *command, const char *fabric, const char *glob,
		   struct host_names *hosts);
void host_names_free(struct host_names *hosts);

#endif
