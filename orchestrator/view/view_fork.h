/*  view_fork - forks: runs that repeat a recorded one with changes, each into a recording of its
 *  own (SE-6).
 *
 *  A fork is a process, `heddle run SCENARIO ... --record`, with the script of its changes as
 *  standard input. VIEW_FORKS_MAX exist at most, VIEW_FORKS_RUNNING run at a time, others wait.
 *  Their recordings are files without a name, so nothing is left of them. Threads of the server
 *  add and remove; one thread starts, reaps and ends processes, since a process here ends with
 *  the thread that has started it (PR_SET_PDEATHSIG). */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_VIEW_FORK_H
#define HEDDLE_ORCHESTRATOR_VIEW_VIEW_FORK_H

#include <jansson.h>
#include <poll.h>
#include <sys/types.h>

#include "nodes/base/why.h"
#include "orchestrator/view/view_shelf.h"

#define VIEW_FORKS_RUNNING 2u
#define VIEW_FORKS_POLLED (1 + VIEW_FORKS_RUNNING)

struct view_forks {
	struct view_shelf *shelf;
	const char *scenario; /* its file */
	const char *shown;    /* the name of that file in command lines */
	const char *variant;  /* of it; NULL: none */
	int wake_fd;          /* eventfd: something was added or removed */
	struct view_fork_run {
		pid_t pid; /* 0: none */
		int pid_fd;
		int errors_fd; /* what it writes to standard error */
		unsigned id;
	} runs[VIEW_FORKS_RUNNING];
};

/** view_forks_init() - for recordings of @shelf, whose first one is a run of the file @scenario,
 *  which people call @shown, with its variant @variant (NULL: none); all are borrowed.
 *  Return: 0 or -errno. */
int view_forks_init(struct view_forks *forks, struct view_shelf *shelf, const char *scenario,
		    const char *shown, const char *variant);

/** view_forks_add() - view_server_options.fork: @owner is a struct view_forks. Any thread. */
int view_forks_add(void *owner, const json_t *request, unsigned *id, struct why *why);

/** view_forks_forget() - view_server_options.forget. Any thread. */
int view_forks_forget(void *owner, unsigned id, struct why *why);

/** view_forks_poll() - fills VIEW_FORKS_POLLED places: when one is readable, view_forks_step() has
 *  something to do. */
void view_forks_poll(const struct view_forks *forks, struct pollfd *polled);

/** view_forks_step() - reaps what has ended, starts what waits. Does not wait. */
void view_forks_step(struct view_forks *forks);

/** view_forks_fini() - ends all runs: in good order, after 2 s at once. */
void view_forks_fini(struct view_forks *forks);

#endif
