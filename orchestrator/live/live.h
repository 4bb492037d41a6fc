/*  live - the daemon of one running fabric: `heddle up` makes it, it makes the fabric, and ends it
 *  (TB-8, TB-10, TB-22).
 *
 *  One process per fabric, in a session of its own. It owns the nodes (which die with it), the
 *  hosts' namespaces (which exist as long as a process has a descriptor of them) and the fabric's
 *  folder in the runtime directory. However it ends, only that folder remains, and the next command
 *  removes it. It sleeps in ppoll() on its listener, its clients, the nodes' control sockets and
 *  signals. Running nodes do not need it. The death of a node is written to the log and shown by
 *  `heddle ps`; the others continue. A request is one JSON object on one line, answered by one
 *  line: live_request.h. Before the answer there may be lines {"waits": TEXT}, about once a second:
 *  the daemon still works on it. A client is served only if the kernel reports the daemon's own
 *  user or root; in a rootless fabric root is unknown (TB-24). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "nodes/link/capture.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/fault_schedule.h"
#include "orchestrator/fabric/manager_pair.h"
#include "orchestrator/hosts/host_net.h"
#include "orchestrator/hosts/host_room.h"
#include "orchestrator/hosts/namespace.h"
#include "orchestrator/hosts/outside.h"
#include "orchestrator/hosts/veth_link.h"
#include "orchestrator/live/live_history.h"
#include "orchestrator/live/live_set_list.h"
#include "orchestrator/live/runtime_dir.h"
#include "orchestrator/tunnel/tunnel.h"

#define LIVE_CLIENTS_MAX 32u
#define LIVE_REQUEST_MAX 65536u /* bytes of a request */
#define LIVE_READY "ready"
#define LIVE_WAITS "waits" /* key of a line before the answer */

#define LIVE_CAPTURES_MAX 16u

/* what passed a port in each direction */
struct live_capture_counts {
	struct capture_count sent, received;
};

/* a capture of a running link: live_capture.h */
struct live_capture {
	uint32_t id; /* 0: none */
	uint32_t node, port;
	pid_t pid;                          /* of the node as the capture began */
	struct live_capture_counts counted; /* by the port, then */
};

/* the connection of a host to the machine's network: live_outside.h */
struct live_outside_state {
	pid_t pid;                  /* of its program; 0: none */
	char fate[OUTSIDE_WHY_MAX]; /* how the last one died; "": it has not */
};

/* what the NICs have counted of a workload, all together */
struct live_load_sums {
	uint64_t sent_packets, sent_bytes, resent; /* frames without FCS */
	uint64_t received_packets, received_bytes, lost;
	uint64_t started, complete, waiting; /* messages */
	uint64_t errors;                     /* connections that have given up */
	node_time_t last_ps;                 /* arrival of the last packet */
};

/* a workload of the scenario: live_load.h */
struct live_load {
	node_time_t from_ps;        /* it began then; NODE_TIME_NEVER: it has not */
	node_time_t to_ps;          /* it was stopped then; NODE_TIME_NEVER: it was not */
	struct live_load_sums base; /* as it began */
	uint32_t load_permille;     /* set since the start; 0: as the scenario has it */
};

/* the time line of the scenario's faults and pauses: live_fault.h */
struct live_faults {
	struct fault_schedule schedule;
	bool *taken;         /* [plan->link_count]: a fault has taken the link down */
	node_time_t from_ps; /* its times count from there; NODE_TIME_NEVER: it waits */
};

/* a start command of a host: live_program.h */
struct live_program {
	uint32_t host, number; /* index of the host, and in its list of commands */
	int pid;               /* as the host sees it; else -errno */
	int status_fd;         /* of its end; -1: it has ended, or was not started */
	int error;             /* -errno: why it was not started; no_user: its user is unknown */
	bool no_user;
	int status; /* as of waitpid() */
};

/* the client whose request is being answered */
struct live_asker {
	/* It runs inside of a host, or in another pid namespace than ours, or is not known. */
	bool inside;
	int fds[DESCRIPTOR_MESSAGE_MAX]; /* that came with the request */
	unsigned fd_count;
};

struct live {
	struct live_asker asker;
	struct plan *plan; /* changes with what joins and leaves: plan_spare.h */
	struct fabric fabric;
	struct veth_link *veths; /* [plan->link_count]; zeroed for links of shared memory */
	struct fabric_namespaces namespaces;
	struct host_net *hosts; /* [plan->host_count] */
	struct limit_groups limit_groups;
	struct host_room *rooms;         /* [plan->host_count]; of hosts in namespaces of our own */
	bool full_root;                  /* live_options */
	char dilation_library[PATH_MAX]; /* live_dilation.h; "": time is not dilated */
	struct outside_connector connector;
	struct live_outside_state *outside; /* [plan->host_count] */
	struct live_load *loads;            /* [plan->workload_count] */
	struct live_faults faults;
	struct live_set_list sets;
	struct manager_pair managers;
	struct live_program *programs;
	int programs_epoll; /* has something when one has ended; -1: not known then */
	uint32_t program_count;
	struct runtime_place place;
	time_t since_s;    /* CLOCK_REALTIME */
	uint64_t since_ns; /* monotonic_ns() */
	bool ending;       /* the request `down` was received */
	struct live_history history;
	struct live_capture captures[LIVE_CAPTURES_MAX];
	uint32_t capture_ids; /* given so far */
	/* several machines: live_tunnel.h */
	struct tunnel tunnel;
	int report_fd;                   /* of live_run(), while it starts; -1 */
	struct tunnel_state tunnel_told; /* what other machines know of ours */
	/* as live_tunnel_watch() has last seen them */
	struct tunnel_news tunnel_seen[SCENARIO_MACHINES_MAX];
	bool tunnel_there[SCENARIO_MACHINES_MAX];
	bool *cut_down; /* [plan->link_count]: a cut link that is down since a machine says so */
};

struct live_options {
	const char *name; /* of the fabric */
	int base_fd;      /* runtime_open() */
	bool full_root;   /* root keeps all capabilities in hosts: host_rights.h */
	struct fabric_options fabric;
	struct tunnel_options tunnel; /* machine_count 0: one machine */
};

/** live_note() - one line of the log, with the time. */
void live_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** live_failure_note() - logs why the fabric has failed in something, once. */
void live_failure_note(struct live *live);

/** live_run() - the daemon, from start to end, in a process of its own. @plan of plan_make_real().
 *  @report_fd a pipe. LIVE_READY is written to it when the fabric runs, else the reason why it does
 *  not; then it is closed. Before that there may be lines that end in '\n': what the start waits
 *  for. If the pipe's other end is closed, the fabric ends at once.
 *  Return: exit status. */
int live_run(struct plan *plan, const struct live_options *options, int report_fd);

#endif
