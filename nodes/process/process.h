/*  process - what a process of a node and one of a worker have in common: arguments, the end with
 *  the parent, confinement, READY. */
#ifndef HEDDLE_NODES_PROCESS_PROCESS_H
#define HEDDLE_NODES_PROCESS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "nodes/clock/event_loop.h"
#include "nodes/config/config.h"

/* exit statuses */
#define PROCESS_FINE 0
#define PROCESS_LOST 1  /* the orchestrator is gone */
#define PROCESS_WRONG 2 /* wrong arguments or configuration */

struct process_arguments {
	pid_t parent;
	enum event_loop_kind loop_kind;
	int core;         /* home_core.h; -1: none */
	uint64_t poll_ns; /* pace_poll() */
	bool keep_user;   /* privilege_drop() */
};

/** process_begin() - reads the arguments; from now on the kernel kills this process with its
 *  parent. Return: 0, or the exit status; wrong arguments have been reported on standard error. */
int process_begin(int argc, char **argv, struct process_arguments *arguments);

/** process_keep_on() - ignores SIGTERM. A batch system sends it to all processes of a run at once;
 *  the orchestrator then ends the others in good order. */
void process_keep_on(void);

/** process_confine() - the process holds all that it needs: it gives up the rest.
 *  Virtual clock: also process_keep_on().
 *  @writes_files of captures or events.   @unfiltered set: the kernel, or a sandbox, refused the
 *  system call filter. Return: 0, or an exit status, after reporting it to the orchestrator. */
int process_confine(const struct process_arguments *arguments, enum clock_kind clock,
		    bool writes_files, bool *unfiltered);

/** process_ready() - READY over @socket. @loop_text which event loop it uses, and why.
 *  Return: 0 or -errno. */
int process_ready(int socket, bool unfiltered, const char *loop_text);

#endif
