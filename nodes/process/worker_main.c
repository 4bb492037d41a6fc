/*  worker_main - a worker: takes over its nodes, joins the clock, runs them window by window; under
 *  the real clock worker_real.c runs them.
 *
 *  Descriptor 3 is the worker's control socket. WORK brings the clock page, the places page and the
 *  memory of all rings; ADOPT brings the control sockets of its nodes. Each node is then configured
 *  over its own, as if it were a process. In a window the worker runs those of its nodes that are
 *  due, in the order of their places; the order makes no difference (window.h). */
#include "nodes/process/worker_main.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "nodes/clock/places.h"
#include "nodes/clock/turn.h"
#include "nodes/process/node_join.h"
#include "nodes/process/node_life.h"
#include "nodes/process/node_process.h"
#include "nodes/process/node_report.h"
#include "nodes/process/node_serve.h"
#include "nodes/process/process.h"
#include "nodes/process/worker_real.h"

#define EVENTS_MAX 64
#define OWN_SOCKET UINT32_MAX /* among the events */

struct worker {
	const struct node_ops *const *const *ops; /* [NODE_KINDS] */
	struct worker_share share;
	struct node_worker shared; /* with its nodes */
	struct mapping clock_page, places_page;
	struct places places;
	struct node *nodes;       /* [share.node_count] */
	uint32_t adopted, joined; /* how many have a socket, and a clock */
	uint32_t *due;            /* [share.node_count]: those that a window runs */
	uint32_t *wake;           /* [workers] */
	int sockets;              /* an epoll of all control sockets */
	struct event_loop *loop;
	struct pace_group group; /* real clock */
};

/* This process works for node @index from now on: a failure is reported as the node's, and so is an
 * end of the process. */
static void node_enter(const struct worker *worker, uint32_t index)
{
	node_act(&worker->nodes[index]);
	atomic_store_explicit(&worker->places.page->workers[worker->share.index].running,
			      worker->share.first_place + index, memory_order_relaxed);
}

/* ... and for none any more */
static void node_leave(const struct worker *worker)
{
	node_report_to(CONTROL_FD);
	atomic_store_explicit(&worker->places.page->workers[worker->share.index].running,
			      PLACES_NONE, memory_order_relaxed);
}

/* ---- start ---- */

static int tables_alloc(struct worker *worker)
{
	worker->nodes = calloc(worker->share.node_count, sizeof(*worker->nodes));
	worker->due = calloc(worker->share.node_count, sizeof(*worker->due));
	return worker->nodes && worker->due ? 0 : -ENOMEM;
}

/* a place for each node: the page says which of them runs when the worker dies */
static int share_take_real(struct worker *worker, struct control_message *message)
{
	const struct worker_share *share = &worker->share;
	int error = node_join_memory(&worker->places_page, message->fds[0],
				     sizeof(struct places_page), "places page");

	if (error)
		return error;
	if (places_attach(&worker->places, worker->places_page.memory, worker->places_page.bytes) ||
	    share->index >= worker->places.page->worker_count || !share->node_count ||
	    share->node_count > worker->places.page->place_count)
		return node_fail("worker %u cannot run %u nodes", share->index, share->node_count);
	return tables_alloc(worker);
}

/* @message has brought the worker's own memory */
static int share_take(struct worker *worker, struct control_message *message)
{
	struct node_worker *shared = &worker->shared;
	int error;

	if (message->kind != CONTROL_WORK ||
	    message->fd_count != (message->worker->real_clock ? 1 : 3))
		return node_fail("the first message to a worker must be its share of the work");
	worker->share = *message->worker;
	if (worker->share.real_clock)
		return share_take_real(worker, message);
	error = node_join_memory(&worker->clock_page, message->fds[0], CLOCK_HEAD_BYTES,
				 "clock page");
	if (!error)
		error = node_join_memory(&worker->places_page, message->fds[1],
					 sizeof(struct places_page), "places page");
	if (!error)
		error = node_join_memory(&shared->rings, message->fds[2], 0, "memory of all rings");
	if (error)
		return error;
	if (clock_attach(&shared->clock, worker->clock_page.memory, worker->clock_page.bytes) ||
	    places_attach(&worker->places, worker->places_page.memory, worker->places_page.bytes) ||
	    worker->places.worker_count != shared->clock.node_count)
		return node_fail("the clock page or the places page is none");
	if (worker->share.index >= shared->clock.node_count || !worker->share.node_count ||
	    worker->share.first_place % CLOCK_SCAN_LANES ||
	    worker->share.node_count > worker->places.place_count ||
	    worker->share.first_place >
		    worker->places.place_count - places_of(worker->share.node_count))
		return node_fail("worker %u of %u cannot run %u nodes from place %u on",
				 worker->share.index, shared->clock.node_count,
				 worker->share.node_count, worker->share.first_place);
	shared->places = places_clock(&worker->places, &shared->clock);
	worker->wake = calloc(shared->clock.node_count, sizeof(*worker->wake));
	return worker->wake ? tables_alloc(worker) : -ENOMEM;
}

static int socket_watch(const struct worker *worker, int socket, uint32_t number)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = number };

	return epoll_ctl(worker->sockets, EPOLL_CTL_ADD, socket, &interest) ? -errno : 0;
}

/* the control sockets of the next nodes */
static int nodes_adopt(struct worker *worker, struct control_message *message)
{
	int error = 0;

	if (message->kind != CONTROL_ADOPT || !message->fd_count ||
	    message->fd_count > worker->share.node_count - worker->adopted)
		return node_fail("a worker needs the sockets of %u nodes, and has %u",
				 worker->share.node_count, worker->adopted);
	for (uint32_t i = 0; i < message->fd_count && !error; i++) {
		node_init(&worker->nodes[worker->adopted], NULL, message->fds[i]);
		message->fds[i] = -1;
		error = socket_watch(worker, worker->nodes[worker->adopted].control,
				     worker->adopted);
		worker->adopted++;
	}
	return error;
}

/* is @place the one of node @index? Places that its ports name are those of other workers too. */
static int place_check(const struct worker *worker, uint32_t index, const struct node_place *place)
{
	if (!place || place->worker != worker->share.index ||
	    place->place != worker->share.first_place + index)
		return node_fail("the node is not at its place");
	for (uint32_t port = 0; port < place->port_count; port++)
		if (place->ports[port].peer_place >= worker->places.place_count ||
		    place->ports[port].peer_worker >= worker->places.worker_count)
			return node_fail("the peer of port %u is at no place", port);
	return 0;
}

static int node_take(struct worker *worker, uint32_t index, struct control_message *message)
{
	struct node *node = &worker->nodes[index];
	enum node_kind kind;
	int error;

	if (message->kind != CONTROL_CONFIGURE)
		return node_fail("the first message must be the configuration");
	kind = message->config->kind;
	node->ops_of_fabric = worker->ops[kind];
	if (worker->share.real_clock)
		return node_configure(node, message, kind, NULL);
	error = place_check(worker, index, message->place);
	if (error)
		return error;
	error = node_configure(node, message, kind, &worker->shared);
	if (error)
		return error;
	node_window_init(&node->window, &worker->shared.places, node->config, node->links,
			 node->ops, node->dataplane);
	node_window_pack(&node->window, &worker->shared.clock, message->place);
	atomic_store_explicit(&worker->places.own_next[message->place->place], 0,
			      memory_order_relaxed);
	return 0;
}

/* Receives one message and has it handled by @take: of the worker (@index is OWN_SOCKET), or of a
 * node.  Return: 0, or an exit status */
static int message_take(struct worker *worker, uint32_t index,
			int (*take)(struct worker *worker, struct control_message *message))
{
	struct control_message message = { 0 };
	struct why why;
	int socket = index == OWN_SOCKET ? CONTROL_FD : worker->nodes[index].control, error;

	if (index == OWN_SOCKET)
		node_report_to(socket);
	else
		node_enter(worker, index);
	error = control_receive(socket, &message, 1, &why);
	if (error && error != -EINVAL)
		return PROCESS_LOST;
	if (error)
		node_fail("the configuration is wrong: %s", why.text);
	else
		error = take ? take(worker, &message) : node_take(worker, index, &message);
	if (error == -ENOMEM)
		node_fail("there is not enough memory for this %s",
			  index == OWN_SOCKET ? "worker" : "node");
	control_message_free(&message);
	return error ? PROCESS_WRONG : 0;
}

/*  Return: 0, or an exit status */
static int worker_start(struct worker *worker, const struct process_arguments *arguments)
{
	bool writes_files = false, unfiltered;
	struct why loop;
	int status;

	worker->sockets = epoll_create1(EPOLL_CLOEXEC);
	if (worker->sockets < 0 || socket_watch(worker, CONTROL_FD, OWN_SOCKET)) {
		node_fail("its sockets cannot be watched: %s", strerror(errno));
		return PROCESS_WRONG;
	}
	status = message_take(worker, OWN_SOCKET, share_take);
	while (!status && worker->adopted < worker->share.node_count)
		status = message_take(worker, OWN_SOCKET, nodes_adopt);
	for (; !status && worker->joined < worker->adopted; worker->joined += !status) {
		status = message_take(worker, worker->joined, NULL);
		writes_files |= !status && node_writes_files(&worker->nodes[worker->joined]);
	}
	if (status)
		return status;
	node_leave(worker);
	worker->loop = event_loop_open(arguments->loop_kind, worker->sockets, &loop);
	if (!worker->loop) {
		node_fail("%s", loop.text);
		return PROCESS_WRONG;
	}
	if (worker->share.real_clock &&
	    worker_real_enter(worker->nodes, worker->joined, worker->loop, &worker->group,
			      arguments)) {
		node_fail("there is not enough memory for the nodes");
		return PROCESS_WRONG;
	}
	status = process_confine(arguments, worker->share.real_clock ? CLOCK_REAL : CLOCK_VIRTUAL,
				 writes_files, &unfiltered);
	for (uint32_t i = 0; i < worker->joined && !status; i++)
		if (process_ready(worker->nodes[i].control, unfiltered, loop.text))
			status = PROCESS_LOST;
	return status;
}

/* ---- windows ---- */

/* The part of the open window that is this worker's.  Return: how many of worker->wake to wake */
static uint32_t window_run(struct worker *worker)
{
	const struct clock *clock = &worker->shared.clock;
	const struct worker_share *share = &worker->share;
	_Atomic node_time_t *own_next = &worker->places.own_next[share->first_place];
	_Atomic node_time_t *inbox_next = &worker->places.inbox_next[share->first_place];
	node_time_t end = atomic_load_explicit(&clock->page->end_ps, memory_order_relaxed);
	uint32_t count;

	clock_scan_merge(own_next, inbox_next, share->node_count);
	atomic_thread_fence(memory_order_seq_cst); /* with peer_notify() in window.c */
	count = clock_scan_list(own_next, share->node_count, end, worker->due);
	for (uint32_t i = 0; i < count; i++) {
		struct node *node = &worker->nodes[worker->due[i]];
		node_time_t next;

		if (i + 1 < count)
			node_window_prefetch(&worker->nodes[worker->due[i + 1]].window);
		node_enter(worker, worker->due[i]);
		next = node_window_handle(&node->window);
		atomic_store_explicit(&own_next[worker->due[i]], next, memory_order_relaxed);
		if (node->window.broken != node->broken_told)
			node_tell_broken(node, node->window.broken);
	}
	node_leave(worker);
	if (count)
		atomic_fetch_add_explicit(&clock->page->node_windows, count - 1,
					  memory_order_relaxed);
	return clock_finish(clock, share->index,
			    clock_scan_merge(own_next, inbox_next, share->node_count),
			    worker->wake);
}

/* all sockets in which something waits.  Return: 0, or an exit status */
static int sockets_serve(struct worker *worker)
{
	struct epoll_event events[EVENTS_MAX];
	int count;

	while ((count = epoll_wait(worker->sockets, events, EVENTS_MAX, 0)) > 0) {
		for (int i = 0; i < count; i++) {
			uint32_t index = events[i].data.u32;

			/* nothing is sent over its own socket any more, so the peer is gone */
			if (index == OWN_SOCKET)
				return PROCESS_LOST;
			node_enter(worker, index);
			if (worker->share.real_clock)
				worker_real_serve(&worker->nodes[index]);
			else if (node_serve(&worker->nodes[index]))
				return PROCESS_LOST;
			node_leave(worker);
		}
	}
	return 0;
}

/*  Return: the exit status */
static int worker_run(struct worker *worker)
{
	const struct clock *clock = &worker->shared.clock;
	struct turn turn;
	int status = 0;

	turn_init(&turn, clock, worker->loop, worker->share.index, turn_cores());
	while (!status) {
		switch (turn_wait(&turn)) {
		case TURN_ENDED:
			return PROCESS_FINE;
		case TURN_RUN:
			event_loop_wake(worker->loop, clock->asleep, worker->wake,
					window_run(worker));
			break;
		case TURN_CONTROL:
			status = sockets_serve(worker);
			break;
		}
	}
	return status;
}

/*  Return: the exit status */
static int worker_run_real(struct worker *worker)
{
	struct pace_group *group = &worker->group;
	bool control = true;
	int status = 0;

	while (!status && !pace_group_begun(group, &control))
		status = control ? sockets_serve(worker) : 0;
	for (uint32_t i = 0; i < worker->joined; i++)
		node_captures_begin(&worker->nodes[i]);
	control = true;
	do {
		if (control)
			status = sockets_serve(worker);
		for (uint32_t i = 0, count = pace_group_round(group); i < count; i++) {
			node_enter(worker, group->due[i]);
			worker_real_turn(&worker->nodes[group->due[i]]);
		}
		node_leave(worker);
	} while (!status && pace_group_wait(group, &control));
	return status;
}

/* the sockets of all hosts at once: one after the other takes 30 ms a host */
static void hosts_close(struct worker *worker)
{
	int *fds = calloc((size_t)worker->adopted, NIC_HOST_QUEUES_MAX * sizeof(*fds));
	uint32_t count = 0;

	for (uint32_t i = 0; fds && i < worker->adopted; i++) {
		struct node *node = &worker->nodes[i];

		node_act(node);
		if (node->dataplane && node->ops && node->ops->host_release)
			count += node->ops->host_release(node->dataplane, fds + count);
	}
	event_loop_close_all(worker->loop, fds, count);
	free(fds);
}

static void worker_end(struct worker *worker)
{
	if (worker->loop) {
		hosts_close(worker);
		event_loop_close(worker->loop);
	}
	for (uint32_t i = 0; i < worker->adopted; i++) {
		node_act(&worker->nodes[i]);
		node_end(&worker->nodes[i]);
	}
	pace_group_fini(&worker->group);
	free(worker->nodes);
	free(worker->due);
	free(worker->wake);
}

int worker_main(int argc, char **argv, const struct node_ops *const *const ops[NODE_KINDS])
{
	struct worker worker = { .ops = ops };
	struct process_arguments arguments;
	int status = process_begin(argc, argv, &arguments);

	if (status)
		return status;
	status = worker_start(&worker, &arguments);
	if (!status)
		status = worker.share.real_clock ? worker_run_real(&worker) : worker_run(&worker);
	worker_end(&worker);
	return status;
}
