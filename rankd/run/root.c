#include "rankd/run/root.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/control/control.h"
#include "nodes/process/process.h"
#include "rankd/link/transport.h"
#include "rankd/run/rank.h"

#define EVENTS_MAX 64
#define IDLE_MS 1
#define OWN_SOCKET UINT32_MAX
#define SILENT_FACTOR \
	5u /* a rank that sends nothing for so many times the watchdog's time is lost */

/* a node of another rank */
struct root_node {
	int socket; /* -1: of this rank */
	uint32_t rank;
	int page_fd; /* -1: not configured yet */
	uint64_t page_bytes;
	int *files;
	uint32_t file_count;
};

struct root {
	struct rank rank;
	struct root_node *nodes; /* [place_count] */
	uint32_t *remote;        /* places of nodes of other ranks, in order */
	uint32_t remote_count, adopted;
	int epoll;
	uint64_t *heard_ns; /* [rank_count]: of the last letter */
	bool *reached;      /* [rank_count]: stands, or has left */
	uint32_t reached_count;
	bool failed;
};

/* ---- to the orchestrator ---- */

/* Reports to the orchestrator why the run ends; only the first reason. All other ranks leave.
 * Return: -EIO */
static int fail(struct root *root, const struct control_message *message)
{
	if (root->failed)
		return -EIO;
	root->failed = true;
	control_send(CONTROL_FD, message);
	for (uint32_t rank = 1; rank < root->rank.rank_count; rank++)
		rank_letter(rank, LETTER_END, RANK_NO_PLACE, 1, 0, NULL, 0);
	return -EIO;
}

static int rank_fail(struct root *root, uint32_t rank, const char *why)
{
	struct control_message message = { .kind = CONTROL_EVENT,
					   .number = 1,
					   .question = RANK_NO_PLACE };

	snprintf(message.text, sizeof(message.text), "%s", transport_name(rank));
	snprintf(message.text2, sizeof(message.text2), "%s", why);
	return fail(root, &message);
}

static int worker_fail(struct root *root, uint32_t rank, const struct letter_read *letter)
{
	struct control_message message = { .kind = CONTROL_EVENT,
					   .number = 1,
					   .question = letter->head.place };

	if (letter->head.place >= root->rank.plan->place_count || !letter->head.number)
		message.question = RANK_NO_PLACE;
	if (letter->head.number)
		snprintf(message.text, sizeof(message.text),
			 "%s, worker %" PRIu32 " (pid %" PRIu64 ")", transport_name(rank),
			 letter->head.index, letter->head.number);
	else
		snprintf(message.text, sizeof(message.text), "%s", transport_name(rank));
	snprintf(message.text2, sizeof(message.text2), "%.*s", (int)letter->head.bytes,
		 (const char *)letter->bytes);
	return fail(root, &message);
}

/* ---- start ---- */

/* @length  filled: of what is taken for a plan */
static int plan_take(struct rank *rank, int fd, size_t *length)
{
	struct stat stat;
	int error = fstat(fd, &stat) ? -errno : 0;

	*length = error ? 0 : (size_t)stat.st_size;
	rank->plan = malloc(*length + 1);
	if (!rank->plan || pread(fd, rank->plan, *length, 0) != (ssize_t)*length)
		error = -ENOMEM;
	close(fd);
	return error;
}

static int nodes_alloc(struct root *root)
{
	const struct rank_plan *plan = root->rank.plan;

	root->nodes = calloc(plan->place_count, sizeof(*root->nodes));
	root->remote = calloc(plan->place_count, sizeof(*root->remote));
	root->heard_ns = calloc(plan->rank_count, sizeof(*root->heard_ns));
	root->reached = calloc(plan->rank_count, sizeof(*root->reached));
	root->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!root->nodes || !root->remote || !root->heard_ns || !root->reached || root->epoll < 0)
		return -ENOMEM;
	for (uint32_t place = 0; place < plan->place_count; place++)
		root->nodes[place] = (struct root_node){ .socket = -1, .page_fd = -1 };
	for (uint32_t w = 0; w < plan->worker_count; w++) {
		const struct rank_worker *worker = &rank_plan_workers(plan)[w];

		for (uint32_t i = 0; worker->rank && i < worker->node_count; i++) {
			root->nodes[worker->first_place + i].rank = worker->rank;
			root->remote[root->remote_count++] = worker->first_place + i;
		}
	}
	return 0;
}

static int socket_watch(const struct root *root, int socket, uint32_t number)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = number };

	return epoll_ctl(root->epoll, EPOLL_CTL_ADD, socket, &interest) ? -errno : 0;
}

/* the memory, and the plan */
static int work_take(struct root *root)
{
	struct control_message message = { 0 };
	const char *why = "";
	char path[PATH_MAX];
	struct why text = { "" };
	size_t length;
	int fds[4], error = control_receive(CONTROL_FD, &message, 1, &text);

	if (!error && (message.kind != CONTROL_WORK || message.fd_count != 4))
		error = -EINVAL;
	for (int i = 0; i < 4 && !error; i++) {
		fds[i] = message.fds[i];
		message.fds[i] = -1;
	}
	control_message_free(&message);
	if (error)
		return error;
	error = plan_take(&root->rank, fds[3], &length);
	if (!error)
		error = rank_map(&root->rank.clock, fds[0]);
	if (!error)
		error = rank_map(&root->rank.places, fds[1]);
	if (!error)
		error = rank_map(&root->rank.rings, fds[2]);
	if (error)
		return error;
	if (!rank_plan_check(root->rank.plan, length, root->rank.rank_count, &why))
		return rank_fail(root, 0, why);
	root->rank.plan->build = rank_build(path, sizeof(path));
	if (rank_join(&root->rank, &why))
		return rank_fail(root, 0, why);
	return nodes_alloc(root);
}

static int sockets_take(struct root *root)
{
	struct control_message message = { 0 };
	struct why text = { "" };
	int error = 0;

	while (!error && root->adopted < root->remote_count) {
		error = control_receive(CONTROL_FD, &message, 1, &text);
		if (!error && (message.kind != CONTROL_ADOPT || !message.fd_count ||
			       message.fd_count > root->remote_count - root->adopted))
			error = -EINVAL;
		for (uint32_t i = 0; i < message.fd_count && !error; i++) {
			uint32_t place = root->remote[root->adopted++];

			root->nodes[place].socket = message.fds[i];
			message.fds[i] = -1;
			error = socket_watch(root, root->nodes[place].socket, place);
		}
		control_message_free(&message);
	}
	return error ? error : socket_watch(root, CONTROL_FD, OWN_SOCKET);
}

/* ---- nodes of other ranks: from the orchestrator ---- */

/* The descriptors of a configuration stay here, to be filled; the letter says what they are.
 * Memory is sealed against shrinking, files are not. */
static int fds_keep(struct root_node *node, struct control_packet *packet, uint64_t *sizes)
{
	if (node->page_fd >= 0 || packet->fd_count > LETTER_FDS_MAX)
		return -EINVAL;
	node->files = calloc(packet->fd_count, sizeof(*node->files));
	if (!node->files)
		return -ENOMEM;
	for (uint32_t i = 0; i < packet->fd_count; i++) {
		int seals = fcntl(packet->fds[i], F_GET_SEALS);
		struct stat stat;

		sizes[i] = 0;
		if (seals >= 0 && seals & F_SEAL_SHRINK && node->page_fd < 0) {
			if (fstat(packet->fds[i], &stat))
				return -errno;
			sizes[i] = (uint64_t)stat.st_size;
			node->page_bytes = sizes[i];
			node->page_fd = packet->fds[i];
		} else {
			node->files[node->file_count++] = packet->fds[i];
		}
		packet->fds[i] = -1;
	}
	return 0;
}

static int packet_pass(struct root *root, uint32_t place, struct control_packet *packet)
{
	struct root_node *node = &root->nodes[place];
	struct letter_head head = { .kind = LETTER_CONTROL,
				    .place = place,
				    .fds = packet->fd_count,
				    .bytes = (uint32_t)packet->length };
	uint64_t sizes[LETTER_FDS_MAX];
	size_t length;
	void *letter;
	int error = packet->fd_count ? fds_keep(node, packet, sizes) : 0;

	if (error)
		return error;
	letter = letter_write(&head, sizes, packet->bytes, &length);
	error = letter ? transport_send(node->rank, letter, length) : -ENOMEM;
	free(letter);
	return error;
}

/* what the orchestrator says.  Return: 0; -EPIPE: it is gone */
static int sockets_pass(struct root *root, int timeout_ms)
{
	struct epoll_event events[EVENTS_MAX];
	struct control_packet packet;
	int count, error = 0;

	while (!error && (count = epoll_wait(root->epoll, events, EVENTS_MAX, timeout_ms)) > 0) {
		for (int i = 0; i < count && !error; i++) {
			uint32_t place = events[i].data.u32;

			if (place == OWN_SOCKET)
				return -EPIPE;
			error = control_packet_receive(root->nodes[place].socket, &packet, 0);
			if (!error)
				error = packet_pass(root, place, &packet);
			control_packet_free(&packet);
			error = error == -EAGAIN ? 0 : error;
		}
		timeout_ms = 0;
	}
	return error;
}

/* ---- from other ranks ---- */

static int page_fill(const struct root_node *node, const struct letter_read *letter)
{
	if (node->page_fd < 0 || letter->head.number > node->page_bytes ||
	    letter->head.bytes > node->page_bytes - letter->head.number)
		return -EINVAL;
	return pwrite(node->page_fd, letter->bytes, letter->head.bytes,
		      (off_t)letter->head.number) == (ssize_t)letter->head.bytes
		       ? 0
		       : -EIO;
}

/* The node at @place wrote without an error on its own machine, so a full disk here ends the
 * run. */
static int file_failed(struct root *root, uint32_t place, int error)
{
	struct control_message message = { .kind = CONTROL_EVENT, .number = 1, .question = place };

	snprintf(message.text, sizeof(message.text), "%s", transport_name(0));
	snprintf(message.text2, sizeof(message.text2), "cannot write a file of this node: %s",
		 strerror(error));
	return fail(root, &message);
}

/* A reader that has closed its end of a pipe wants no more. */
static int file_fill(struct root *root, const struct root_node *node,
		     const struct letter_read *letter)
{
	uint32_t done = 0;

	if (letter->head.index >= node->file_count)
		return -EINVAL;
	while (done < letter->head.bytes) {
		ssize_t got = write(node->files[letter->head.index], letter->bytes + done,
				    letter->head.bytes - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EPIPE)
			return 0;
		if (got <= 0)
			return file_failed(root, letter->head.place, got ? errno : ENOSPC);
		done += (uint32_t)got;
	}
	return 0;
}

/* While the clock stands, the slot of a rank's first worker has the earliest event of that rank:
 * the orchestrator looks at the times of all slots. */
static void next_set(struct root *root, uint32_t rank, node_time_t next)
{
	for (uint32_t w = 0; w < root->rank.plan->worker_count; w++) {
		if (rank_plan_workers(root->rank.plan)[w].rank != rank)
			continue;
		atomic_store(&root->rank.windows.gate.clock.own_next[w], next);
		return;
	}
}

static void reached(struct root *root, uint32_t rank)
{
	root->reached_count += !root->reached[rank];
	root->reached[rank] = true;
}

static int control_answer(const struct root_node *node, const struct letter_read *letter)
{
	struct control_packet packet = { .bytes = (uint8_t *)letter->bytes,
					 .length = letter->head.bytes };
	int error = letter->head.bytes > CONTROL_BYTES_MAX
			    ? -EINVAL
			    : control_packet_send(node->socket, &packet);

	return error;
}

static int letter_take(struct root *root, uint32_t rank, const struct letter_read *letter,
		       bool standing)
{
	const struct letter_head *head = &letter->head;
	const struct root_node *node = NULL;

	if (head->kind == LETTER_CONTROL || head->kind == LETTER_PAGE ||
	    head->kind == LETTER_FILE) {
		node = &root->nodes[head->place];
		if (node->socket < 0 || node->rank != rank)
			return -EINVAL;
	}
	switch ((enum letter_kind)head->kind) {
	case LETTER_CONTROL:
		return control_answer(node, letter);
	case LETTER_PAGE:
		return page_fill(node, letter);
	case LETTER_FILE:
		return file_fill(root, node, letter);
	case LETTER_STANDS:
		reached(root, rank);
		next_set(root, rank, head->number);
		return 0;
	case LETTER_NEXT:
		if (standing)
			next_set(root, rank, head->number);
		return 0;
	case LETTER_LEFT:
		reached(root, rank);
		return 0;
	case LETTER_FAILED:
		return worker_fail(root, rank, letter);
	default:
		return 0;
	}
}

/* all letters that are there.  Return: 0, or -errno: the run ends, told */
static int letters_take(struct root *root, bool standing)
{
	struct letter_read letter;
	uint32_t rank;
	size_t length;
	uint8_t *bytes;
	int error = 0;

	while (!error && (bytes = transport_receive(&rank, &length))) {
		root->heard_ns[rank] = monotonic_ns();
		if (!rank ||
		    !letter_read(&letter, bytes, length, false, root->rank.plan->place_count))
			error = -EINVAL;
		else
			error = letter_take(root, rank, &letter, standing);
		free(bytes);
		if (error == -EINVAL)
			error = rank_fail(root, rank, "sent what is no letter of a rank");
	}
	return error;
}

/* ends the run if a rank has sent nothing for too long, within a wait of @waited_ns in which it
 * should have sent LETTER_ALIVE */
static int silence_judge(struct root *root, uint64_t waited_ns)
{
	uint64_t patience_ns = SILENT_FACTOR * root->rank.plan->watchdog_ns;
	uint64_t now_ns = monotonic_ns();
	char why[96];

	if (!patience_ns || waited_ns <= patience_ns)
		return 0;
	for (uint32_t rank = 1; rank < root->rank.rank_count; rank++) {
		if (root->reached[rank] || now_ns - root->heard_ns[rank] <= patience_ns)
			continue;
		snprintf(why, sizeof(why), "has sent no message for %.1f s",
			 (double)(now_ns - root->heard_ns[rank]) / 1e9);
		return rank_fail(root, rank, why);
	}
	return 0;
}

/* windows.look */
static int look(void *owner, enum letter_state state, uint64_t waited_ns)
{
	struct root *root = owner;
	int error = letters_take(root, false);

	if (!error && state == LETTER_WAITS)
		error = silence_judge(root, waited_ns);
	return error ? error : sockets_pass(root, 0);
}

/* until all other ranks have reached what they were told */
static int ranks_await(struct root *root)
{
	uint64_t began_ns = monotonic_ns();
	uint32_t turn = 0;
	int error = 0;

	while (!error && root->reached_count + 1 < root->rank.rank_count) {
		error = letters_take(root, true);
		if (!error)
			error = silence_judge(root, monotonic_ns() - began_ns);
		windows_wait(&turn);
	}
	return error;
}

static int ranks_tell(struct root *root, enum letter_kind kind)
{
	int error = 0;

	memset(root->reached, 0, root->rank.rank_count * sizeof(*root->reached));
	root->reached_count = 0;
	for (uint32_t rank = 1; rank < root->rank.rank_count && !error; rank++) {
		root->heard_ns[rank] = monotonic_ns();
		error = rank_letter(rank, kind, RANK_NO_PLACE, 0, 0, NULL, 0);
	}
	return error;
}

/* the clock runs, until it stands on all ranks */
static int run(struct root *root)
{
	struct windows *windows = &root->rank.windows;
	int error = ranks_tell(root, LETTER_RUN);

	for (uint32_t rank = 1; rank < root->rank.rank_count; rank++)
		next_set(root, rank, NODE_TIME_NEVER);
	if (!error)
		error = windows_run(windows);
	if (error == -EINVAL)
		return rank_fail(root, 0, windows->crossing.why);
	if (!error)
		error = ranks_await(root);
	if (!error)
		clock_stop(&windows->gate.clock);
	return error;
}

static int serve(struct root *root)
{
	const struct clock_page *page = root->rank.windows.gate.clock.page;
	uint32_t turn = 0;
	int error = 0;

	while (!error && atomic_load(&page->state) != CLOCK_ENDED) {
		uint32_t before = root->rank.windows.gate.seen;

		error = letters_take(root, true);
		if (!error)
			error = sockets_pass(root, turn > 1000 ? IDLE_MS : 0);
		if (!error && clock_gate_told(&root->rank.windows.gate)) {
			error = sockets_pass(root, 0);
			if (!error)
				error = run(root);
		}
		turn = root->rank.windows.gate.seen == before ? turn : 0;
		windows_wait(&turn);
	}
	return error;
}

static void plan_share(struct rank *rank)
{
	uint64_t length = rank->plan->bytes;

	transport_share(&length, sizeof(length));
	transport_share(rank->plan, length);
}

/* The orchestrator was told, and ends this process, or closes its end: that is seen also before
 * the nodes' sockets are there. */
static int end_await(struct root *root)
{
	struct pollfd orchestrator = { .fd = CONTROL_FD };

	while (!sockets_pass(root, 0) && !poll(&orchestrator, 1, IDLE_MS))
		transport_sending();
	return PROCESS_LOST;
}

int root_run(void)
{
	struct root root = { .rank = { .clock.fd = -1,
				       .places.fd = -1,
				       .rings.fd = -1,
				       .windows = { .look = look } },
			     .epoll = -1 };
	int error;

	root.rank.windows.owner = &root;
	/* files of nodes are written here: a full one, or a reader that ends, is no signal */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	transport_begin(&root.rank.rank, &root.rank.rank_count);
	error = work_take(&root);
	if (!error)
		error = sockets_take(&root);
	if (!error)
		plan_share(&root.rank);
	for (uint32_t rank = 1; rank < root.rank.rank_count && !error; rank++)
		next_set(&root, rank, 0);
	if (!error)
		error = serve(&root);
	if (!error)
		error = ranks_tell(&root, LETTER_END);
	if (!error)
		error = ranks_await(&root);
	if (error)
		return root.failed ? end_await(&root) : PROCESS_LOST;
	transport_end();
	return PROCESS_FINE;
}
