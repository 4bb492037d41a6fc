/*  live - the daemon of one running fabric: `heddle up` makes it, it makes the fabric, and ends it
 *  (TB-8, TB-10, TB-22).
 *
 *  One process per fabric, of a session of its own, holding everything of it: the nodes (which die
 *  with it), the hosts' namespaces (which live as long as somebody holds a descriptor of them), its
 *  place in the runtime directory. However it ends nothing is left but that place, which the next
 *  command removes. It sleeps in ppoll() over its listener, its clients, the nodes' control sockets
 *  and signals; the nodes need it for nothing while they run.
 *  A node that dies is written to the log and shown by `heddle ps`; the others go on.
 *  Requests are one JSON object on one line, answered by one line: live_request.h. Before it there
 *  may be lines {"waits": TEXT}, about once a second, so that whoever asks knows that we work. A
 *  client is served only if the kernel says that it is us, or root; a rootless one does not know
 *  root (TB-24). */
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
#define LIVE_WAITS "waits" /* key of a line that is no answer yet */

/* what can be set of a link; both directions alike */
struct live_link {
	uint64_t rate_bps;
	node_time_t delay_ps;
	uint32_t loss_ppb;
	uint64_t bit_error_e15;
};

struct live {
	struct plan *plan; /* follows what joins and leaves: plan_spare.h */
	struct fabric fabric;
	struct veth_link *veths; /* [plan->link_count]; made are those of veth links */
	struct fabric_namespaces namespaces;
	struct host_net *hosts; /* [plan->host_count] */
	struct manager_pair managers;
	struct runtime_place place;
	time_t since_s;    /* of the calendar */
	uint64_t since_ns; /* wall_ns() */
	bool ending;       /* somebody asked for the end */
};

struct live_options {
	const char *name; /* of the fabric */
	int base_fd;      /* runtime_open() */
	struct fabric_options fabric;
};

/** live_note() - one line of the log, with the time. */
void live_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** live_run() - the whole life of a daemon, in a process that has nothing else to do.
 *  @plan of plan_make_real(). @report_fd a pipe; LIVE_READY goes there once everything runs, else
 *  the reason why not;
 *  then it is closed. Before that come lines that end in '\n': what is waited for. If nobody reads
 *  it any more, the fabric is ended at once.
 *  Return: exit status. */
int live_run(struct plan *plan, const struct live_options *options, int report_fd);

#endif
