/*  fabric - the running fabric: one process per node, made, fed, watched and ended (TB-1, TB-2,
 *  TB-10, TB-22).
 *
 *  Every node is started with one descriptor, its control socket; everything else is passed over
 *  it: the clock page, its statistics page, two rings for each of its ports. All shared memory
 *  lives in sealed memfds without a name, so that nothing can be left behind however a run ends:
 *  the last process that holds it takes it along. A ring is closed here as soon as both of its ends
 *  have it. Nodes ask the kernel to be killed with their parent (--parent), and stand in a process
 *  group of their own, so that Ctrl-C reaches the orchestrator alone, which then ends them in good
 *  order. While the clock runs nobody here works: the orchestrator sleeps on the clock's futex word
 *  `stops`; the death of a child interrupts that (SIGCHLD, interrupt.h), and every FABRIC_SLICE_MS
 *  it looks around for stopped nodes, events, standstill. No pidfd is needed: a child that has not
 *  been reaped keeps its pid.
 *  Under the real clock the nodes run as soon as they are ready, and one that dies is no failure of
 *  the fabric (unless it is to be `whole`): it has a `fate`, the others go on (fabric_real.h).
 *  Whatever goes wrong with a node ends in one sentence in fabric->failure that names the node and
 *  the cause. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nodes/clock/clock.h"
#include "nodes/control/control.h"
#include "nodes/stats/stats_view.h"
#include "orchestrator/base/say_limit.h"
#include "orchestrator/fabric/core_choice.h"
#include "orchestrator/fabric/link_drain.h"
#include "orchestrator/fabric/watchdog.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/results.h"

#define FABRIC_SLICE_MS 50u
/* wall-clock limits; what each means for a run under the virtual clock: docs/architecture.md */
#define FABRIC_READY_MS 10000u /* no node became ready for so long: the start has failed */
#define FABRIC_END_MS 5000u    /* a node that has not left by then is killed */
#define FABRIC_ANSWER_MS 2000u /* real clock: to a question */
#define FABRIC_FAILURE_MAX 512u
#define FABRIC_LOOP_MAX 160
#define FABRIC_FATE_MAX 128

struct manager_pair;

enum fabric_state {
	FABRIC_RUNNING, /* the time to wait is over, the clock still runs */
	/* the clock stands: the limit is reached or nothing is left to happen */
	FABRIC_STOPPED,
	/* a node died, was stopped, hangs or reported an error: fabric->failure */
	FABRIC_FAILED,
	FABRIC_INTERRUPTED, /* somebody wants us to end */
};

/* which node runs where */
enum fabric_cores {
	/* virtual clock: placed, and moved while other programs use the cores: fabric_cores.h */
	FABRIC_CORES_ADAPT,
	FABRIC_CORES_SPREAD, /* every node stays on the core that it is given: placement.h */
	/* real clock: all on one while that is enough: nodes/clock/home_core.h */
	FABRIC_CORES_HOME,
	/* as the kernel likes; virtual clock: nodes sleep while other programs use the cores */
	FABRIC_CORES_FREE,
	FABRIC_CORES_KINDS
};

struct fabric_options {
	const char *loop;     /* of the nodes: "auto", "io_uring", "fallback" */
	uint64_t watchdog_ns; /* 0: no watchdog */
	enum fabric_cores cores;
	bool real; /* the plan is for the real clock: plan_real.h */
	/* real clock: a node that dies is a failure of the fabric, as under the virtual clock */
	bool whole;
	/* real clock: fresh packet sockets of attached host @host_index. Return: their number or
	 * -errno. Ours to close. */
	int (*host_sockets)(void *owner, uint32_t host_index, int fds[NIC_HOST_QUEUES_MAX]);
	/* real clock: fresh packet sockets at ends a and b of veth link @link. Return: 0 or -errno.
	 * Ours to close. */
	int (*link_sockets)(void *owner, uint32_t link, int fds[2]);
	/* the file of the capture at @port of @node, whose capture_bytes are not 0. Not ours to
	 * close. */
	int (*capture_file)(void *owner, uint32_t node, uint32_t port);
	/* real clock: the processes that manage the fabric; NULL: this one does */
	struct manager_pair *managers;
	void *owner;
	/* for whoever looks on; NULL: nobody does. What is worth a line; what is waited for, if it
	 * is for more than two seconds, about once a second */
	void (*note)(void *observer, const char *text);
	void (*waits)(void *observer, const char *what);
	/* each stage of the run as it begins, and as it is over */
	void (*stage)(void *observer, const char *what);
	void *observer;
};

struct fabric_node {
	struct say_limit said; /* of what it reports */
	pid_t pid;             /* 0: not started, or reaped */
	pid_t pid_shown;       /* stays, for messages */
	int control;           /* our end of its socket; -1 */
	bool ready;
	bool unfiltered; /* it runs without the system call filter: syscall_filter.h */
	/* it did not leave in time and was killed for that, which is no failure */
	bool late;
	/* real clock: a switch that the fabric manager has not reached: fabric_exchange.h */
	bool tables_due;
	uint64_t started_ns;        /* wall_ns() */
	uint64_t stopped_ns;        /* when it was stopped by a signal; 0: it was not */
	struct stats_view view;     /* its statistics page */
	struct stats_page *stats;   /* view.page; NULL: there is none */
	int doorbell;               /* real clock: pace.h; -1 */
	char fate[FABRIC_FATE_MAX]; /* real clock: why it is dead; "" while it lives */
	char loop[FABRIC_LOOP_MAX]; /* what its READY said */
};

struct fabric {
	const struct plan *plan;
	struct fabric_options options;
	struct fabric_node *nodes; /* [plan->node_count] */
	struct clock_page *page;
	size_t page_size;
	struct clock clock;
	int clock_fd, epoll_fd;
	/* per link: ring from end a, from end b, or the veth's sockets at a, b; -1: not made yet,
	 * or passed */
	int *ring_fds;
	uint32_t *wake;
	uint32_t alive, ready, stopped; /* how many are */
	pid_t group;                    /* process group of the nodes */
	node_time_t limit_ps;           /* of the last fabric_resume() */
	uint32_t stops_seen;
	uint32_t questions;     /* asked so far: the number of the last */
	uint64_t waits_told_ns; /* fabric_waits() */
	/* nobody is waited for any longer than until then; 0: no such limit */
	uint64_t patience_until_ns;
	struct watchdog watchdog;
	struct core_choice core_choice; /* fabric_cores.h */
	uint64_t cores_cpu_ns;          /* CPU time of all nodes when the clock began to run */
	struct link_drain link_drain;   /* real clock: fabric_real_settle() */
	node_time_t settle_at;
	uint64_t cpu_ns;                   /* of the nodes reaped so far */
	uint64_t start_ns, run_ns, end_ns; /* wall time spent starting, running, ending */
	node_time_t stopped_at_ps;         /* set by fabric_end(): where the clock stood */
	bool halted;                       /* fabric_stop() */
	bool idle;                         /* real clock: fabric_over() */
	/* real clock: nobody has anything to do since; events handled by then */
	uint64_t idle_since_ns, idle_events;
	bool empty; /* the same: nothing was left to happen */
	char failure[FABRIC_FAILURE_MAX];
};

/** fabric_start() - starts every node of @plan (borrowed until fabric_free()) and waits until all
 *  are ready.
 *  Return: 0; -EINTR if interrupted; else -errno with the reason in fabric->failure. fabric_end()
 *  or fabric_kill(), then fabric_free(), in any case. */
int fabric_start(struct fabric *fabric, const struct plan *plan,
		 const struct fabric_options *options);

/** fabric_resume() - lets the stopped clock run up to @limit_ps; events at the limit itself wait.
 *  Returns at once. */
void fabric_resume(struct fabric *fabric, node_time_t limit_ps);

/** fabric_wait() - waits until something of enum fabric_state happens, at most @timeout_ms. */
enum fabric_state fabric_wait(struct fabric *fabric, uint32_t timeout_ms);

/** fabric_now() - how far the fabric is: exact while the clock stands, then events before this time
 *  have happened. */
node_time_t fabric_now(const struct fabric *fabric);

/** fabric_over() - will nothing ever happen again? Under the virtual clock only while it stands,
 *  under the real one what the last fabric_real_wait() has seen. */
bool fabric_over(const struct fabric *fabric);

/** fabric_holds() - bytes that node @node holds: in a switch's buffers, or waiting at a NIC to be
 *  sent. */
uint64_t fabric_holds(const struct fabric *fabric, uint32_t node);

/** fabric_note() - one line to options.note(). */
void fabric_note(const struct fabric *fabric, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** fabric_stage() - a stage of the run begins, or is over: options.stage(), if there is one. */
void fabric_stage(const struct fabric *fabric, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** fabric_waits() - we have waited since @since_ns for what is told, and will go on:
 *  options.waits() if it is time for that. */
void fabric_waits(struct fabric *fabric, uint64_t since_ns, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fabric_stops_wait() - virtual clock: sleeps until it stops or a signal comes, at most
 *  @timeout_ms. */
void fabric_stops_wait(struct fabric *fabric, uint32_t timeout_ms);

/** fabric_pages() - the statistics pages in the plan's order, checked; an array to be freed by the
 *  caller.
 *  Return: NULL if memory is short, or a node has destroyed its page: fabric->failure. */
struct stats_page **fabric_pages(struct fabric *fabric);

/** fabric_cost() - what the run has cost so far, of this process and of all nodes that have
 *  ended. */
struct result_host fabric_cost(const struct fabric *fabric);

/** fabric_free() - unmaps and closes everything. A zeroed fabric is fine. */
void fabric_free(struct fabric *fabric);

#endif
