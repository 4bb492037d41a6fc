/*  own_process - this program once more, for one of its internal commands: a fabric manager, a
 *  tunnel. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_OWN_PROCESS_H
#define HEDDLE_ORCHESTRATOR_BASE_OWN_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/** own_process_start() - runs `heddle COMMAND PARENT [--keep-user]`, PARENT our pid, in a process
 *  group of its own: Ctrl-C is for the owner of the fabric. @socket, borrowed, is its CONTROL_FD.
 *  Return: its pid, or -errno. */
pid_t own_process_start(const char *command, int socket, bool keep_user);

#endif
