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

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/manager_pair.h"
#include "orchestrator/hosts/host_net.h"
#include "orchestrator/hosts/namespace.h"
#include "orchestrator/hosts/veth_link.h"
#include "orchestrator/live/runtime_dir.h"

#define LIVE_CLIENTS_MAX 32u
#define LIVE_REQUEST_MAX 65536u /* bytes of a request */
#define LIVE_READY "ready"
#define LIVE_WAITS "waits" /* key of a line before the answer */

#define LIVE_CAPTURES_MAX 16u

/* a capture of a running link: live_capture.h */
struct live_capture {
	uint32_t id; /* 0: none */
	uint32_t node, port;
	pid_t pid; /* of the node as the capture began */
};

struct live {
	struct plan *plan; /* changes with what joins and leaves: plan_spare.h */
	struct fabric fabric;
	struct veth_link *veths; /* [plan->link_count]; zeroed for links of shared memory */
	struct fabric_namespaces namespaces;
	struct host_net *hosts; /* [plan->host_count] */
	struct manager_pair managers;
	struct runtime_place place;
	time_t since_s;    /* CLOCK_REALTIME */
	uint64_t since_ns; /* wall_ns() */
	bool ending;       /* the request `down` was received */
	struct live_capture captures[LIVE_CAPTURES_MAX];
	uint32_t capture_ids; /* given so far */
};

struct live_options {
	const char *name; /* of the fabric */
	int base_fd;      /* runtime_open() */
	struct fabric_options fabric;
};

/** live_note() - one line of the log, with the time. */
void live_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** live_run() - the daemon, from start to end, in a process of its own. @plan of plan_make_real().
 *  @report_fd a pipe. LIVE_READY is written to it when the fabric runs, else the reason why it does
 *  not; then it is closed. Before that there may be lines that end in '\n': what the start waits
 *  for. If the pipe's other end is closed, the fabric ends at once.
 *  Return: exit status. */
int live_run(struct plan *plan, const struct live_options *options, int report_fd);

#endif
