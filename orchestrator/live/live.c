#include "orchestrator/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/base/number.h"
#include "nodes/link/carrier.h"
#include "orchestrator/base/exit_status.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/fabric/fabric_end.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "orchestrator/live/live_client.h"
#include "orchestrator/live/live_dilation.h"
#include "orchestrator/live/live_fault.h"
#include "orchestrator/live/live_host.h"
#include "orchestrator/live/live_load.h"
#include "orchestrator/live/live_outside.h"
#include "orchestrator/live/live_program.h"
#include "orchestrator/live/live_room.h"
#include "orchestrator/live/live_tunnel.h"
#include "orchestrator/plan/plan_spare.h"
#include "orchestrator/tunnel/tunnel_names.h"

#define SECOND_NS 1000000000ull

struct daemon_state {
	struct live live;
	struct live_clients clients;
	int listener;
	bool *death_logged; /* [node_count]: its death is in the log */
	struct why why;     /* why the start failed */
};

/* standard error is the log */
void live_note(const char *format, ...)
{
	time_t now = time(NULL);
	va_list arguments;
	char when[32];

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ ", gmtime(&now));
	va_start(arguments, format);
	utf8_say(stderr, when, format, arguments);
	va_end(arguments);
}

static int daemon_start(struct daemon_state *daemon, const struct live_options *options);
static void daemon_serve(struct daemon_state *daemon);
static void daemon_end(struct daemon_state *daemon);

/* @text to the waiting `heddle up`; false if it has ended */
static bool report(int report_fd, const char *text)
{
	bool sent = write(report_fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(report_fd);
	return sent;
}

int live_run(struct plan *plan, const struct live_options *options, int report_fd)
{
	struct daemon_state *daemon = calloc(1, sizeof(*daemon));
	int status = EXIT_NODE, error;

	signal(SIGPIPE, SIG_IGN);
	interrupt_catch();
	if (!daemon) {
		report(report_fd, "not enough memory");
		return status;
	}
	daemon->live.plan = plan;
	daemon->live.full_root = options->full_root;
	daemon->live.namespaces = FABRIC_NAMESPACES_NONE;
	tunnel_init(&daemon->live.tunnel, NULL);
	daemon->live.connector = OUTSIDE_CONNECTOR_NONE;
	manager_pair_init(&daemon->live.managers, &daemon->live.fabric);
	daemon->listener = -1;
	daemon->live.report_fd = report_fd;
	live_clients_init(&daemon->clients, &daemon->live);
	if (runtime_claim(options->base_fd, options->name, &daemon->live.place, &daemon->why)) {
		report(report_fd, daemon->why.text);
		free(daemon);
		return status;
	}
	error = daemon_start(daemon, options);
	daemon->live.report_fd = -1;
	if (!error) {
		struct plan_counts counts = plan_spare_counts(plan);

		live_note("fabric %s runs: %u hosts, %u switches", options->name, counts.hosts,
			  counts.switches);
		if (report(report_fd, LIVE_READY))
			daemon_serve(daemon);
		status = 0;
		daemon_end(daemon);
	} else {
		daemon_end(daemon); /* before the report: its reader may try again at once */
		report(report_fd, daemon->why.text);
	}
	free(daemon);
	return status;
}

/* ---- start ---- */

static int log_open(struct daemon_state *daemon)
{
	int fd = openat(daemon->live.place.dir_fd, "log",
			O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		return why_say(&daemon->why, -1, "cannot make %s/log: %s", daemon->live.place.path,
			       strerror(errno));
	dup2(fd, STDERR_FILENO);
	close(fd);
	setvbuf(stderr, NULL, _IOLBF, 0);
	return 0;
}

static int tables_alloc(struct daemon_state *daemon)
{
	struct live *live = &daemon->live;
	const struct plan *plan = live->plan;

	daemon->death_logged = calloc(plan->node_count, sizeof(*daemon->death_logged));
	live->veths = calloc(plan->link_count, sizeof(*live->veths));
	live->hosts = calloc(plan->host_count, sizeof(*live->hosts));
	live->cut_down = calloc(plan->link_count, 1);
	live->outside = calloc(plan->host_count, sizeof(*live->outside));
	if (!daemon->death_logged || !live->veths || !live->hosts || !live->outside ||
	    !live->cut_down || live_loads_init(live) || live_faults_init(live) ||
	    live_rooms_alloc(live))
		return why_say(&daemon->why, -1, "not enough memory for %u nodes",
			       plan->node_count);
	for (uint32_t i = 0; i < plan->host_count; i++)
		live->hosts[i].net_fd = -1;
	return 0;
}

static int hosts_open(struct daemon_state *daemon)
{
	struct live *live = &daemon->live;
	char path[PATH_MAX + 8];
	int error = live_hosts_write(live, path, sizeof(path));

	if (error)
		return why_say(&daemon->why, -1, "cannot write %s: %s", path, strerror(-error));
	error = outside_open(&live->connector);
	if (error)
		why_say(&daemon->why, -1, "cannot start a process: %s", strerror(-error));
	else
		error = namespaces_open(&live->namespaces, path, &daemon->why);
	return error;
}

static int host_sockets(void *owner, uint32_t host_index, int fds[NIC_HOST_QUEUES_MAX])
{
	struct daemon_state *daemon = owner;
	struct why why = { "" };
	int count = live_host_sockets(&daemon->live, host_index, fds, &why);

	if (count < 0 && why.text[0])
		fabric_fail(&daemon->live.fabric, "%s", why.text);
	return count;
}

/* fabric_options.link_sockets: the pair is made once and stays, for captures on it */
static int link_sockets(void *owner, uint32_t link, int fds[2])
{
	struct daemon_state *daemon = owner;
	const struct plan *plan = daemon->live.plan;
	const struct node_config *a = &plan->nodes[plan->links[link].node_a];
	const struct port_config *port = &a->ports[plan->links[link].port_a];
	struct veth_link *veth = &daemon->live.veths[link];
	int error = 0;

	if (!veth->index_a)
		error = veth_link_make(veth, &daemon->live.namespaces.netlink, a->name,
				       port->peer_name, link, carrier_device_mtu(port));
	if (!error)
		error = veth_link_sockets(veth, fds);
	if (error)
		fabric_fail(&daemon->live.fabric, "the veth pair between %s and %s: %s", a->name,
			    port->peer_name, strerror(-error));
	return error;
}

/* fabric_options.note */
static void note_log(void *observer, const char *text)
{
	(void)observer;
	live_note("%s", text);
}

/* fabric_options.waits: to the waiting `heddle up`, or to the client. A client that does not read
 * only gets the answer */
static void wait_report(void *observer, const char *what)
{
	const struct daemon_state *daemon = observer;
	char line[512];
	int length = snprintf(line, sizeof(line), "{\"" LIVE_WAITS "\": \"%s\"}\n", what);

	if (daemon->live.report_fd >= 0)
		dprintf(daemon->live.report_fd, "%s\n", what);
	else if (daemon->clients.asking_fd >= 0)
		(void)!send(daemon->clients.asking_fd, line, (size_t)length,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
	else
		live_note("%s", what);
}

/* fabric_options.child_ended */
static void child_ended(void *owner, pid_t pid, int status)
{
	live_tunnel_child_ended(&((struct daemon_state *)owner)->live, pid, status);
}

static int fabric_make(struct daemon_state *daemon, const struct live_options *options)
{
	struct fabric_options fabric_options = options->fabric;
	struct fabric *fabric = &daemon->live.fabric;
	int error;

	fabric_options.real = true;
	fabric_options.host_sockets = host_sockets;
	fabric_options.link_sockets = link_sockets;
	fabric_options.keep_user = daemon->live.namespaces.rootless;
	fabric_options.managers = &daemon->live.managers;
	fabric_options.owner = daemon;
	fabric_options.waits = wait_report;
	fabric_options.note = note_log;
	fabric_options.observer = daemon;
	fabric_options.child_ended = child_ended;
	if (daemon->live.tunnel.options)
		fabric_options.tunnel = &live_tunnel_calls;
	error = fabric_start(fabric, daemon->live.plan, &fabric_options);
	if (error == -EINTR)
		return why_say(&daemon->why, -1, "interrupted");
	if (error)
		why_say(&daemon->why, -1, "%s", fabric->failure);
	return error;
}

static int daemon_start(struct daemon_state *daemon, const struct live_options *options)
{
	struct live *live = &daemon->live;
	struct why *why = &daemon->why;
	/* the tunnel opens before the daemon enters the network of the fabric */
	int error = log_open(daemon) ?: tables_alloc(daemon)
		    ?: (live_dilation_open(live)
				? why_say(why, -1, "cannot find libheddle-dilate.so beside heddle")
				: 0)
		    ?: live_tunnel_open(live, &options->tunnel, why)
		    ?: hosts_open(daemon)
		    ?: fabric_make(daemon, options)
		    ?: live_outside_start_all(live, why);

	if (error)
		return error;
	live->since_s = time(NULL);
	live->since_ns = monotonic_ns();
	daemon->listener = runtime_listen(&live->place);
	if (daemon->listener < 0)
		return why_say(why, -1, "cannot listen at %s/control: %s", live->place.path,
			       strerror(-daemon->listener));
	return live_programs_start(live) ? why_say(why, -1, "not enough memory") : 0;
}

/* ---- nodes ---- */

void live_failure_note(struct live *live)
{
	if (live->fabric.failure[0])
		live_note("%s", live->fabric.failure);
	live->fabric.failure[0] = 0;
}

/* has node @index died, or does it run again? A death is logged, and its links are taken down.
 * Return: did it die? */
static bool node_watch(struct daemon_state *daemon, uint32_t index)
{
	struct fabric *fabric = &daemon->live.fabric;
	pid_t pid = fabric_pid(fabric, index);
	int error;

	if (!plan_here(fabric->plan, index) || daemon->death_logged[index] == !pid)
		return false;
	daemon->death_logged[index] = !pid;
	if (pid)
		return false;
	live_note("%s %s (pid %d) is dead: %s", fabric_kind_name(fabric, index),
		  fabric->plan->nodes[index].name, (int)fabric->nodes[index].pid_shown,
		  fabric->nodes[index].fate);
	error = fabric_node_isolate(fabric, index);
	if (error)
		live_note("its links could not be taken down: %s", strerror(-error));
	return true;
}

/* watches all nodes, and sweeps if tables must follow */
static void nodes_watch(struct daemon_state *daemon)
{
	struct fabric *fabric = &daemon->live.fabric;
	bool changed = false;

	fabric->patience_until_ns = monotonic_ns() + FABRIC_ANSWER_MS * 1000000ull;
	fabric_watch_children(fabric);
	fabric_watch_messages(fabric, 0);
	fabric_watch_children(fabric);
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		changed |= fabric->nodes[i].tables_due && fabric_pid(fabric, i) &&
			   !fabric_process(fabric, i)->stopped_ns;
		changed |= node_watch(daemon, i);
	}
	changed |= live_tunnel_watch(&daemon->live);
	live_host_carriers(&daemon->live);
	if (changed && manager_pair_sweep(&daemon->live.managers))
		live_note("the routes are unchanged");
	live_failure_note(&daemon->live);
}

/* ---- the loop ---- */

/* the init process of the hosts has died */
static void init_lost(struct fabric_namespaces *namespaces)
{
	live_note("the hosts' init process is dead: all programs in hosts have ended, and none can "
		  "be started");
	close(namespaces->init_fd);
	namespaces->init_fd = -1;
}

enum {
	POLL_LISTENER,
	POLL_NODES,
	POLL_INIT,
	POLL_OUTSIDE,
	POLL_TUNNEL,
	POLL_FOLDER,
	POLL_PROGRAMS,
	POLL_MANAGERS,
	POLL_CLIENTS = POLL_MANAGERS + MANAGER_PAIR,
	POLL_COUNT = POLL_CLIENTS + LIVE_CLIENTS_MAX
};

/* the descriptors to wait for; negative ones are ignored */
static void polled_fill(const struct daemon_state *daemon, struct pollfd polled[POLL_COUNT])
{
	const struct live *live = &daemon->live;

	polled[POLL_LISTENER] =
		(struct pollfd){ daemon->clients.accept_paused ? -1 : daemon->listener, POLLIN, 0 };
	polled[POLL_NODES] = (struct pollfd){ live->fabric.epoll_fd, POLLIN, 0 };
	/* what it sends is a late answer, which the next request drops: only its end counts here */
	polled[POLL_INIT] = (struct pollfd){ live->namespaces.init_fd, 0, 0 };
	polled[POLL_OUTSIDE] = (struct pollfd){ live->connector.deaths_fd, POLLIN, 0 };
	polled[POLL_TUNNEL] = (struct pollfd){ live->tunnel.control, POLLIN, 0 };
	polled[POLL_FOLDER] = (struct pollfd){ live->place.watch_fd, POLLIN, 0 };
	polled[POLL_PROGRAMS] =
		(struct pollfd){ live->programs ? live->programs_epoll : -1, POLLIN, 0 };
	manager_pair_poll(&live->managers, &polled[POLL_MANAGERS]);
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		polled[POLL_CLIENTS + i] =
			(struct pollfd){ daemon->clients.all[i].fd,
					 daemon->clients.all[i].out ? POLLOUT : POLLIN, 0 };
}

/* does what is due by the clock.  Return: in how many ns it is next; UINT64_MAX: nothing is */
static uint64_t due_do(struct daemon_state *daemon)
{
	struct live *live = &daemon->live;
	uint64_t wait_ns = live_faults_step(live);
	bool missing;

	nodes_watch(daemon);
	wait_ns = number_min(wait_ns, fabric_drain_step(&live->fabric));
	live_clients_watch(&daemon->clients);
	live_outside_watch(live);
	live_programs_watch(live);
	wait_ns = number_min(wait_ns, live_history_step(&live->history, live->plan, &live->fabric,
							monotonic_ns() - live->since_ns));
	wait_ns = number_min(wait_ns, tunnel_names_wait_ns(&live->tunnel));
	missing = manager_pair_watch(&live->managers);
	live_failure_note(live);
	return daemon->clients.accept_paused || missing ? number_min(wait_ns, SECOND_NS) : wait_ns;
}

/* serves the descriptors that have something */
static void polled_serve(struct daemon_state *daemon, const struct pollfd polled[POLL_COUNT])
{
	struct live *live = &daemon->live;

	daemon->clients.accept_paused = false;
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		if (polled[POLL_CLIENTS + i].revents)
			live_client_serve(&daemon->clients, &daemon->clients.all[i],
					  polled[POLL_CLIENTS + i].revents);
	if (polled[POLL_INIT].revents)
		init_lost(&live->namespaces);
	if (polled[POLL_FOLDER].revents && runtime_lost(&live->place)) {
		live_note("%s was removed: no command finds this fabric", live->place.path);
		live->ending = true;
	}
	if (polled[POLL_LISTENER].revents)
		live_client_accept(&daemon->clients, daemon->listener);
}

static void daemon_serve(struct daemon_state *daemon)
{
	struct pollfd polled[POLL_COUNT];
	sigset_t all, before;

	/* signals are unblocked in ppoll() only, so that none is missed between the checks and the
	 * sleep */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	while (!daemon->live.ending && !interrupt_seen()) {
		uint64_t wait_ns = due_do(daemon);
		struct timespec nap = { (time_t)(wait_ns / SECOND_NS),
					(long)(wait_ns % SECOND_NS) };

		polled_fill(daemon, polled);
		if (ppoll(polled, POLL_COUNT, wait_ns == UINT64_MAX ? NULL : &nap, &before) >= 0)
			polled_serve(daemon, polled);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- end ---- */

static void daemon_end(struct daemon_state *daemon)
{
	struct live *live = &daemon->live;

	live_note("the fabric ends");
	live_clients_close(&daemon->clients);
	if (daemon->listener >= 0)
		close(daemon->listener);
	live_tunnel_close(live);
	manager_pair_end(&live->managers);
	if (live->since_ns)
		fabric_end(&live->fabric);
	if (live->fabric.nodes)
		fabric_kill(&live->fabric);
	live_history_free(&live->history);
	fabric_free(&live->fabric);
	for (uint32_t i = 0; live->hosts && i < live->plan->host_count; i++)
		if (live->hosts[i].net_fd >= 0)
			host_net_free(&live->hosts[i], &live->namespaces);
	outside_close(&live->connector);
	namespaces_close(&live->namespaces);
	live_rooms_free(live);
	live_programs_free(live);
	free(live->hosts);
	free(live->outside);
	free(live->veths);
	free(live->cut_down);
	free(daemon->death_logged);
	live_loads_fini(live);
	live_faults_fini(live);
	live_set_free(&live->sets);
	runtime_release(&live->place);
}
