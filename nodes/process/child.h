/*  child - starts a process that is controlled over a socket: nodes, workers, managers, tunnels. */
#ifndef HEDDLE_NODES_PROCESS_CHILD_H
#define HEDDLE_NODES_PROCESS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#define CHILD_GROUP_SAME (-1) /* the process group of the caller */
#define CHILD_GROUP_OWN 0     /* a new one: Ctrl-C is for the caller alone */

/** child_start() - runs @program, a path, with @arguments (its name first, NULL last) and the
 *  environment of the caller.
 *  @socket, borrowed, is its CONTROL_FD. @group one of the above, or that of another child. @silent
 *  its standard input and output are /dev/null. No signal is blocked or ignored.
 *  Return: its pid, or -errno. */
pid_t child_start(const char *program, char *const *arguments, int socket, pid_t group,
		  bool silent);

#endif
