/*  fabric - the running fabric: one process per node, or nodes packed into workers, started,
 *  configured, watched and ended (TB-1, TB-2, TB-10, TB-22).
 *
 *  Every node is started with one descriptor, its control socket. The others are passed over it:
 *  the clock page, its statistics page, two rings for each of its ports. All shared memory is in
 *  sealed memfds without a name. The kernel frees them with the last process that has them, so
 *  nothing is left however a run ends. A ring is closed here as soon as both of its ends have it.
 *  The kernel kills nodes with their parent (--parent). They are in a process group of their own,
 *  so Ctrl-C reaches the orchestrator only, which ends them in good order.
 *
 *  While the clock runs the orchestrator sleeps on the clock's futex word `stops`. The death of a
 *  child interrupts that (SIGCHLD, interrupt.h), and every FABRIC_SLICE_MS it checks for stopped
 *  nodes, events and stalls. No pidfd is needed: a child that has not been reaped keeps its pid.
 *
 *  Under the real clock the nodes run as soon as they are ready. The death of one is not a failure
 *  of the fabric (unless options.whole): it has a `fate`, and the others continue (fabric_real.h).
 *  Every failure of a node is one sentence in fabric->failure with the node and the cause. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nodes/clock/clock.h"
#include "nodes/control/control.h"
#include "nodes/process/watchdog.h"
#include "nodes/stats/stats_view.h"
#include "orchestrator/base/say_limit.h"
#include "orchestrator/fabric/core_choice.h"
#include "orchestrator/fabric/fabric_pack.h"
#include "orchestrator/fabric/link_drain.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/results.h"

#define FABRIC_SLICE_MS 50u
/* wall-clock limits; what each means for a run under the virtual clock: docs/architecture.md */
#define FABRIC_READY_MS 10000u /* after so long without a further ready node the start has failed */
#define FABRIC_END_MS 5000u    /* a node that has not left by then is killed */
#define FABRIC_ANSWER_MS 2000u /* real clock: for an answer */
#define FABRIC_FAILURE_MAX 512u
#define FABRIC_LOOP_MAX 160
#define FABRIC_FATE_MAX 256

struct manager_pair;

enum fabric_state {
	FABRIC_RUNNING, /* the clock still runs at the end of the timeout */
	/* the clock is stopped: the limit is reached, or no event is left */
	FABRIC_STOPPED,
	/* a node died, was stopped, hangs or reported an error: fabric->failure */
	FABRIC_FAILED,
	FABRIC_INTERRUPTED, /* by a signal */
};

/* which node runs where */
enum fabric_cores {
	/* virtual clock: placed, and moved while other programs use the cores (fabric_cores.h) */
	FABRIC_CORES_ADAPT,
	FABRIC_CORES_SPREAD, /* every node stays on its first core: placement.h */
	/* real clock: all on one core while that is enough: nodes/clock/home_core.h */
	FABRIC_CORES_HOME,
	/* the kernel chooses; virtual clock: nodes sleep while other programs use the cores */
	FABRIC_CORES_FREE,
	FABRIC_CORES_KINDS
};

/* the links to other machines, of the caller: owner is that of struct fabric_options */
struct fabric_tunnel {
	/* before nodes start; then its doorbell */
	int (*start)(void *owner, int clock_fd);
	int (*doorbell)(void *owner);
	/* @fds of a cut link: ring from the node here, ring to it, its doorbell; borrowed */
	int (*plug)(void *owner, uint32_t link, const int fds[3]);
	/* waits until all machines are connected, or @ready, until the nodes of all are ready.
	 * Return: 0; -EINTR; else -errno with the reason in fabric->failure */
	int (*await)(void *owner, bool ready);
	/* is @node of another machine there? is @link up as its machines say? */
	bool (*there)(void *owner, uint32_t node);
	bool (*up)(void *owner, uint32_t link);
};

struct fabric_options {
	const char *loop;     /* of the nodes: "auto", "io_uring", "fallback" */
	uint64_t watchdog_ns; /* 0: no watchdog */
	enum fabric_cores cores;
	/* workers that run the nodes; 0: each node is a process (fabric_pack.h) */
	uint32_t pack;
	/* virtual clock, packed: machines, with so many workers on each (fabric_ranks.h); 0, 1:
	 * this one */
	uint32_t ranks;
	uint64_t poll_ns; /* real clock: how long nodes poll after a frame; 0: as pace.h has it */
	bool real;        /* the plan is for the real clock: plan_real.h */
	/* real clock: a node that dies is a failure of the fabric, as under the virtual clock */
	bool whole;
	/* real clock: new packet sockets of attached host @host_index. Return: their number or
	 * -errno. The fabric closes them. */
	int (*host_sockets)(void *owner, uint32_t host_index, int fds[NIC_HOST_QUEUES_MAX]);
	/* real clock: new packet sockets at ends a and b of veth link @link. Return: 0 or -errno.
	 * The fabric closes them. */
	int (*link_sockets)(void *owner, uint32_t link, int fds[2]);
	/* several machines; NULL: one */
	const struct fabric_tunnel *tunnel;
	/* a child that is no node has ended */
	void (*child_ended)(void *owner, pid_t pid, int status);
	/* the file of the capture at @port of @node, whose capture_bytes are not 0; at port
	 * NODE_PORTS_MAX that of all ports, if its capture_sent_bytes are not 0. Borrowed. */
	int (*capture_file)(void *owner, uint32_t node, uint32_t port);
	/* the files of the events and of the series of @node, whose configuration says so.
	 * Borrowed. */
	int (*event_file)(void *owner, uint32_t node);
	int (*series_file)(void *owner, uint32_t node);
	/* nodes and managers stay processes of the user of this one: privilege.h */
	bool keep_user;
	/* real clock: the fabric managers; NULL: the manager is in this process */
	struct manager_pair *managers;
	void *owner;
	/* callbacks with @observer, NULL for none. note: a line of text. waits: what is waited for,
	 * after two seconds and then about once a second */
	void (*note)(void *observer, const char *text);
	void (*waits)(void *observer, const char *what);
	/* each stage of the run when it begins and ends */
	void (*stage)(void *observer, const char *what);
	void *observer;
};

struct fabric_node {
	struct say_limit said; /* limits the lines that are printed of its reports */
	bool packed;           /* it is in a worker, whose number is `slot` */
	uint32_t lead;         /* the first node of its process, whose entry has the pid */
	uint32_t slot;         /* of its process on the clock page */
	pid_t pid;             /* 0: not started, or reaped, or not the lead */
	pid_t pid_shown;       /* kept for messages */
	int control;           /* the orchestrator's end of its control socket; -1: none */
	bool ready;
	bool unfiltered; /* it runs without the system call filter: syscall_filter.h */
	/* it did not leave in time and was killed, which is not a failure */
	bool late;
	/* real clock: a switch that did not answer the last sweep: fabric_exchange.h */
	bool tables_due;
	uint64_t started_ns;        /* monotonic_ns() */
	uint64_t stopped_ns;        /* when a signal stopped it; 0: it runs */
	uint64_t late_cpu_ns;       /* its CPU time when its time to leave was over; 0: it is not */
	struct stats_view view;     /* its statistics page */
	struct stats_page *stats;   /* view.page; NULL: none */
	int doorbell;               /* real clock: pace.h; -1 */
	char fate[FABRIC_FATE_MAX]; /* real clock: why it died; "" while it lives */
	char loop[FABRIC_LOOP_MAX]; /* the event loop in its READY */
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
	uint32_t alive, ready, stopped; /* number of nodes */
	pid_t group;                    /* process group of the nodes */
	node_time_t limit_ps;           /* of the last fabric_resume() */
	uint32_t stops_seen;
	uint32_t questions;      /* number of the last question */
	uint64_t waits_shown_ns; /* fabric_waits() */
	/* deadline of all waits for answers, CLOCK_MONOTONIC; 0: none */
	uint64_t patience_until_ns;
	struct watchdog watchdog;
	struct core_choice core_choice; /* fabric_cores.h */
	struct fabric_pack pack;
	uint64_t cores_cpu_ns;        /* CPU time of all nodes when the clock began to run */
	struct link_drain link_drain; /* real clock: fabric_drain_step() */
	node_time_t drain_look_at;
	uint64_t cpu_ns;                   /* of the nodes reaped so far */
	uint64_t start_ns, run_ns, end_ns; /* wall time spent starting, running, ending */
	node_time_t stopped_at_ps;         /* set by fabric_end(): where the clock stood */
	bool halted;                       /* fabric_stop() */
	bool idle;                         /* real clock: fabric_over() */
	/* real clock: since when all nodes sleep without work; events handled by then */
	uint64_t idle_since_ns, idle_events;
	bool empty; /* set by fabric_end(): no event was left */
	char failure[FABRIC_FAILURE_MAX];
};

/** fabric_process() - the entry with the state of @node's process: pid, stopped_ns. */
static inline const struct fabric_node *fabric_process(const struct fabric *fabric, uint32_t node)
{
	return &fabric->nodes[fabric->nodes[node].lead];
}

/** fabric_pid() - the process that runs @node; 0: it has ended, or was not started. */
static inline pid_t fabric_pid(const struct fabric *fabric, uint32_t node)
{
	return fabric_process(fabric, node)->pid;
}

/** fabric_there() - true if @node runs, here or on another machine that is connected. */
static inline bool fabric_there(const struct fabric *fabric, uint32_t node)
{
	return plan_elsewhere(fabric->plan, node)
		       ? fabric->options.tunnel->there(fabric->options.owner, node)
		       : fabric_pid(fabric, node) != 0;
}

/** fabric_start() - starts every node of @plan that runs here, and waits until all are ready. @plan
 *  is borrowed until fabric_free().
 *  Return: 0; -EINTR if interrupted; else -errno with the reason in fabric->failure. fabric_end()
 *  or fabric_kill(), then fabric_free(), in any case. */
int fabric_start(struct fabric *fabric, const struct plan *plan,
		 const struct fabric_options *options);

/** fabric_resume() - lets the stopped clock run up to @limit_ps, without the events at the limit
 *  itself. Returns at once. */
void fabric_resume(struct fabric *fabric, node_time_t limit_ps);

/** fabric_wait() - waits until the state is not FABRIC_RUNNING, at most @timeout_ms. */
enum fabric_state fabric_wait(struct fabric *fabric, uint32_t timeout_ms);

/** fabric_now() - fabric time; exact while the clock is stopped: all events before it have been
 *  handled. */
node_time_t fabric_now(const struct fabric *fabric);

/** fabric_over() - true if no event is left. Virtual clock: only while it is stopped. Real clock:
 *  the result of the last fabric_real_wait(). */
bool fabric_over(const struct fabric *fabric);

/** fabric_holds() - bytes in node @node: in a switch's buffers, or in a NIC's send queues. */
uint64_t fabric_holds(const struct fabric *fabric, uint32_t node);

/** fabric_note() - one line to options.note(). */
void fabric_note(const struct fabric *fabric, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** fabric_stage() - a stage of the run begins or ends: options.stage(), if set. */
void fabric_stage(const struct fabric *fabric, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** fabric_waits() - reports a wait since @since_ns, which continues, to options.waits(); at most
 *  once a second. */
void fabric_waits(struct fabric *fabric, uint64_t since_ns, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fabric_stops_wait() - virtual clock: sleeps until the clock stops or a signal arrives, at most
 *  @timeout_ms. */
void fabric_stops_wait(struct fabric *fabric, uint32_t timeout_ms);

/** fabric_pages() - the statistics pages in the plan's order, checked; an array to be freed by the
 *  caller.
 *  Return: NULL: memory is short, or a page is invalid: fabric->failure. */
struct stats_page **fabric_pages(struct fabric *fabric);

/** fabric_cost() - cost of the run so far, of this process and of all nodes that have ended. */
struct result_host fabric_cost(const struct fabric *fabric);

/** fabric_free() - unmaps and closes everything. A zeroed fabric is fine. */
void fabric_free(struct fabric *fabric);

#endif
