/*  workers - the worker processes of a rank that is not rank 0, and the control sockets of their
 *  nodes (SC-4). They are children of this process: the kernel kills them with it. */
#ifndef HEDDLE_RANKD_RUN_WORKERS_H
#define HEDDLE_RANKD_RUN_WORKERS_H

#include <sys/types.h>

#include "nodes/process/watchdog.h"
#include "rankd/run/mirror.h"
#include "rankd/run/rank.h"

#define WORKERS_WHY_MAX 200u

struct workers_node {
	int socket; /* -1 */
	struct mirror mirror;
};

struct workers_process {
	pid_t pid; /* 0: it has ended */
	int socket;
	uint64_t stopped_ns; /* when a signal stopped it; 0: it runs */
};

struct workers {
	struct rank *rank;
	struct workers_process *list; /* [worker_count]: of all ranks; those of others are empty */
	struct workers_node *nodes;   /* [place_count]: the same */
	int epoll;                    /* of the nodes' sockets, by place */
	uint32_t alive;
	uint64_t cpu_ns; /* of those that have ended */
	bool ended;      /* they may leave */
	struct watchdog watchdog;
	uint64_t watched_window;
	/* what has failed */
	uint32_t failed; /* worker */
	pid_t failed_pid;
	char why[WORKERS_WHY_MAX];
};

/** workers_start() - starts the workers of @rank, borrowed, with their nodes' sockets. @program
 *  path of workerd. Return: 0, or -errno with a sentence in why. workers_end() in any case. */
int workers_start(struct workers *workers, struct rank *rank, const char *program);

/** workers_watch() - reaps. Return: 0, or -EIO: one has died, or stays stopped: failed, why. */
int workers_watch(struct workers *workers);

/** workers_judge() - a window is open: -EIO: one of those that have not finished it hangs or loops
 *  (watchdog.h): failed, why; else 0. */
int workers_judge(struct workers *workers);

/** workers_running() - the place that @worker runs, or ran when it died; RANK_NO_PLACE: none. */
uint32_t workers_running(const struct workers *workers, uint32_t worker);

/** workers_leave() - requests all to leave, and waits at most 5 s; then kills them.
 *  Return: 0, or -EIO: one has failed. */
int workers_leave(struct workers *workers);

/** workers_end() - kills what is left. */
void workers_end(struct workers *workers);

#endif
