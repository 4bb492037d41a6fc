/*  node_main - a node as a process: takes what it is given over the control socket, joins the clock, runs its windows.
 *
 *  A node knows nothing of the machine it is on. Descriptor 3 is its control socket; the first message configures it
 *  and brings the clock page, the statistics page and the rings (control.h). From then on it lives in node_run(): wait
 *  for a window, run it, wake whom the next one needs. Control messages are dealt with when it sleeps.
 *  Nothing survives the orchestrator: the kernel kills a node whose parent dies; a closed control socket ends it too.
 *  Usage: NAME --parent=PID [--loop=auto|io_uring|fallback]                                                          */
#include "nodes/node.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/control.h"
#include "nodes/event_loop.h"
#include "nodes/pace.h"
#include "nodes/privilege.h"
#include "nodes/turn.h"
#include "nodes/window.h"

#define EXIT_FINE 0
#define EXIT_LOST 1  /* the orchestrator is gone */
#define EXIT_WRONG 2 /* wrong arguments or configuration */

struct mapping {
	void *memory;
	size_t bytes;
};

struct node {
	const struct node_ops *ops;
	enum event_loop_kind loop_kind;
	int core; /* home_core.h; -1: none */
	struct node_config *config;
	struct mapping clock_page, stats_page, rings[2 * NODE_PORTS_MAX];
	struct clock clock;
	struct stats_page *stats;
	uint32_t links_ready;
	struct link *links;
	void *dataplane;
	struct event_loop *loop;
	uint32_t *wake;
	struct node_window window;
	struct pace pace; /* real clock, instead of the window */
	int doorbell;     /* real clock; -1 */
	int peer_doorbells[NODE_PORTS_MAX], sockets[NODE_PORTS_MAX], host_sockets[NIC_HOST_QUEUES_MAX];
	struct carrier *carriers[NODE_PORTS_MAX];
	uint64_t broken_told; /* bit per port */
	char why[256];        /* a sentence being made */
};

static int node_start(struct node *node, enum node_kind kind);
static int node_run(struct node *node);
static int node_run_real(struct node *node, pid_t parent);
static void node_end(struct node *node);

/* ---- what the orchestrator is told ---- */

static int say(enum control_kind kind, int64_t number, const char *format, va_list arguments)
{
	struct control_message message = { .kind = kind, .number = number };

	vsnprintf(message.text, sizeof(message.text), format, arguments);
	return control_send(CONTROL_FD, &message);
}

/* something worth a line.  Return: 0, or -errno if the orchestrator is gone */
__attribute__((format(printf, 1, 2))) static int note(const char *format, ...)
{
	va_list arguments;
	int error;

	va_start(arguments, format);
	error = say(CONTROL_EVENT, 0, format, arguments);
	va_end(arguments);
	return error;
}

/* something that ends the run.  Return: -EINVAL */
__attribute__((format(printf, 1, 2))) static int wrong(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(CONTROL_EVENT, 1, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int ready(const char *loop_text)
{
	struct control_message message = { .kind = CONTROL_READY };

	snprintf(message.text, sizeof(message.text), "%s", loop_text);
	return control_send(CONTROL_FD, &message);
}

/* ---- arguments ---- */

static bool loop_parse(const char *text, enum event_loop_kind *kind)
{
	for (int k = 0; k < EVENT_LOOP_KINDS; k++) {
		if (strcmp(text, event_loop_name[k]) != 0)
			continue;
		*kind = (enum event_loop_kind)k;
		return true;
	}
	return false;
}

/*  Return: true if @argv is complete and without mistakes */
static bool arguments_parse(int argc, char **argv, struct node *node, pid_t *parent)
{
	for (int i = 1; i < argc; i++) {
		char *end = argv[i];

		if (!strncmp(argv[i], "--parent=", 9))
			*parent = (pid_t)strtol(argv[i] + 9, &end, 10);
		else if (!strncmp(argv[i], "--core=", 7))
			node->core = (int)strtol(argv[i] + 7, &end, 10);
		else if (!strncmp(argv[i], "--loop=", 7) && loop_parse(argv[i] + 7, &node->loop_kind))
			continue;
		if (end == argv[i] || *end)
			return false;
	}
	return *parent > 0;
}

int node_main(int argc, char **argv, enum node_kind kind, const struct node_ops *ops)
{
	struct node node = { .ops = ops, .doorbell = -1, .core = -1 };
	pid_t parent = 0;
	int status;

	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		node.peer_doorbells[port] = node.sockets[port] = -1;
	for (uint32_t i = 0; i < NIC_HOST_QUEUES_MAX; i++)
		node.host_sockets[i] = -1;

	if (!arguments_parse(argc, argv, &node, &parent)) {
		fprintf(stderr, "%s is started by heddle: --parent=PID [--loop=auto|io_uring|fallback] [--core=N]\n",
			argv[0]);
		return EXIT_WRONG;
	}
	/* the parent may have died before the kernel was told to watch it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return EXIT_LOST;
	status = node_start(&node, kind);
	if (!status && node.config->clock == CLOCK_REAL)
		status = node_run_real(&node, parent);
	else if (!status)
		status = node_run(&node);
	node_end(&node);
	return status;
}

/* ---- start ---- */

static void unmap(struct mapping *mapping)
{
	if (mapping->memory)
		munmap(mapping->memory, mapping->bytes);
	*mapping = (struct mapping){ 0 };
}

static void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* shared memory that another process holds too: it must not be able to take it away (SIGBUS) */
static int map(struct mapping *mapping, int fd, size_t bytes_min, const char *what, uint32_t port)
{
	struct stat stat;
	int seals = fcntl(fd, F_GET_SEALS);

	if (fstat(fd, &stat) || seals < 0 || !(seals & F_SEAL_SHRINK))
		return wrong("the %s of port %u is no memory sealed against shrinking", what, port);
	if (stat.st_size < 0 || (size_t)stat.st_size < bytes_min)
		return wrong("the %s of port %u has %lld bytes, it needs %zu", what, port, (long long)stat.st_size,
			     bytes_min);
	mapping->memory = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapping->memory == MAP_FAILED) {
		int error = errno;

		mapping->memory = NULL;
		return wrong("the %s of port %u cannot be mapped: %s", what, port, strerror(error));
	}
	mapping->bytes = (size_t)stat.st_size;
	return 0;
}

static int clock_join(struct node *node, int fd)
{
	int error = map(&node->clock_page, fd, sizeof(struct clock_page), "clock page", 0);

	if (error)
		return error;
	if (clock_attach(&node->clock, node->clock_page.memory, node->clock_page.bytes) ||
	    node->clock.node_count != node->config->node_count)
		return wrong("the clock page is none, or is not one for %u nodes", node->config->node_count);
	node->wake = calloc(node->clock.node_count, sizeof(*node->wake));
	return node->wake ? 0 : -ENOMEM;
}

static int stats_join(struct node *node, int fd)
{
	int error = map(&node->stats_page, fd, stats_bytes(node->config), "statistics page", 0);

	if (error)
		return error;
	node->stats = node->stats_page.memory;
	stats_init(node->stats, node->config);
	return 0;
}

static int link_join(struct node *node, uint32_t port, int tx_fd, int rx_fd)
{
	struct mapping *tx = &node->rings[2 * (size_t)port], *rx = tx + 1;
	int error = map(tx, tx_fd, sizeof(struct ring_page), "transmit ring", port);

	if (!error)
		error = map(rx, rx_fd, sizeof(struct ring_page), "receive ring", port);
	if (error)
		return error;
	error = link_init(&node->links[port], node->config, port, tx->memory, tx->bytes, rx->memory, rx->bytes,
			  node->stats);
	if (error == -EINVAL)
		return wrong("the rings of port %u are none", port);
	if (!error)
		node->links_ready = port + 1;
	return error;
}

/* takes @count descriptors of @message from its @at-th on: they stay open.  Return: false if there are not so many */
static bool take(struct control_message *message, uint32_t *at, int *fds, uint32_t count)
{
	if (message->fd_count - *at < count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		fds[i] = message->fds[*at];
		message->fds[(*at)++] = -1;
	}
	return true;
}

/* a veth link: two rings of our own, and a carrier between them and the socket */
static int veth_join(struct node *node, uint32_t port)
{
	const struct port_config *config = &node->config->ports[port];
	struct carrier *carrier = calloc(1, sizeof(*carrier));
	int error;

	if (!carrier)
		return -ENOMEM;
	error = carrier_init(carrier, node->sockets[port], node->config, port, node->stats->drops);
	if (!error)
		error = link_init(&node->links[port], node->config, port, carrier_tx_page(carrier),
				  ring_bytes(config->ring_bytes), carrier_rx_page(carrier),
				  ring_bytes(config->ring_bytes), node->stats);
	if (error) {
		carrier_fini(carrier);
		free(carrier);
		return error;
	}
	node->carriers[port] = carrier;
	return 0;
}

/* what a port of the real clock has, from the @at-th descriptor of @message on (control.h) */
static int port_join(struct node *node, uint32_t port, struct control_message *message, uint32_t *at)
{
	int rings[2], error;

	if (node->config->ports[port].vacant) {
		link_init_vacant(&node->links[port], node->config, port, node->stats);
		return 0;
	}
	if (node->config->ports[port].medium == MEDIUM_VETH)
		return take(message, at, &node->sockets[port], 1) ? veth_join(node, port)
								  : wrong("the socket of port %u is missing", port);
	if (!take(message, at, rings, 2) || !take(message, at, &node->peer_doorbells[port], 1))
		return wrong("the rings of port %u are missing", port);
	error = link_join(node, port, rings[0], rings[1]);
	close(rings[0]);
	close(rings[1]);
	return error;
}

static int everything_join_real(struct node *node, struct control_message *message)
{
	uint32_t port_count = node->config->port_count, at = 2;
	uint32_t host_queues = node->config->kind == NODE_NIC ? node->config->nic.host_queues : 0;
	int error;

	node->links = calloc(port_count, sizeof(*node->links));
	if (!node->links)
		return -ENOMEM;
	if (message->fd_count < 3 || !take(message, &at, &node->doorbell, 1))
		return wrong("%u descriptors came with the configuration, too few", message->fd_count);
	error = clock_join(node, message->fds[0]);
	if (!error)
		error = stats_join(node, message->fds[1]);
	for (uint32_t port = 0; port < port_count && !error; port++) {
		error = port_join(node, port, message, &at);
		if (!error)
			node->links_ready = port + 1;
	}
	if (!error && (!take(message, &at, node->host_sockets, host_queues) || at != message->fd_count))
		return wrong("%u descriptors came with the configuration, %u are needed", message->fd_count, at);
	return error;
}

static int everything_join(struct node *node, const struct control_message *message)
{
	uint32_t port_count = node->config->port_count;
	int error;

	if (message->fd_count != 2 + 2 * port_count)
		return wrong("%u descriptors came with the configuration, %u are needed", message->fd_count,
			     2 + 2 * port_count);
	node->links = calloc(port_count, sizeof(*node->links));
	if (!node->links)
		return -ENOMEM;
	error = clock_join(node, message->fds[0]);
	if (!error)
		error = stats_join(node, message->fds[1]);
	for (uint32_t port = 0; port < port_count && !error; port++)
		error = link_join(node, port, message->fds[2 + 2 * port], message->fds[3 + 2 * port]);
	return error;
}

/* the node's pace, and whatever its links and host sockets need to be watched */
static int real_make(struct node *node)
{
	uint32_t host_queues = node->config->kind == NODE_NIC ? node->config->nic.host_queues : 0;
	int error = pace_init(&node->pace, &node->clock, node->config, node->links, node->stats, node->ops,
			      node->dataplane, node->loop, node->doorbell);

	home_core_init(&node->pace.home, node->core);
	for (uint32_t port = 0; port < node->config->port_count && !error; port++)
		if (!node->config->ports[port].vacant)
			error = pace_plug(&node->pace, port, node->peer_doorbells[port], node->carriers[port],
					  node->sockets[port]);
	if (!error && host_queues)
		error = node->ops->host_open(node->dataplane, node->host_sockets, host_queues);
	if (!error && host_queues)
		error = pace_host(&node->pace, node->host_sockets, host_queues);
	return error;
}

static int dataplane_make(struct node *node, char *loop_text, unsigned loop_text_max)
{
	node->dataplane = node->ops->create(node->config, node->links, node->stats);
	if (!node->dataplane)
		return -ENOMEM;
	node->loop = event_loop_open(node->loop_kind, CONTROL_FD, loop_text, loop_text_max);
	if (!node->loop)
		return wrong("%s", loop_text);
	if (node->config->clock == CLOCK_REAL)
		return real_make(node);
	node_window_init(&node->window, &node->clock, node->config, node->links, node->ops, node->dataplane);
	return 0;
}

/* @message is the first one.  Return: 0, or -errno after the orchestrator was told */
static int configure(struct node *node, enum node_kind kind, struct control_message *message, char *loop_text,
		     unsigned loop_text_max)
{
	int error;

	if (message->kind != CONTROL_CONFIGURE)
		return wrong("the first message must be the configuration");
	node->config = message->config;
	message->config = NULL;
	if (node->config->kind != kind)
		return wrong("a %s was given the configuration of a %s", kind == NODE_SWITCH ? "switch" : "NIC",
			     kind == NODE_SWITCH ? "NIC" : "switch");
	error = node->config->clock == CLOCK_REAL ? everything_join_real(node, message)
						  : everything_join(node, message);
	if (!error)
		error = dataplane_make(node, loop_text, loop_text_max);
	if (error == -ENOMEM)
		return wrong("there is not enough memory for this node");
	return error;
}

/*  Return: 0, or an exit status */
static int node_start(struct node *node, enum node_kind kind)
{
	struct control_message message = { 0 };
	char text[256] = "";
	int error = control_receive(CONTROL_FD, &message, 1, text, sizeof(text));

	if (error == -EINVAL) {
		wrong("the configuration is wrong: %s", text);
		return EXIT_WRONG;
	}
	if (error)
		return EXIT_LOST;
	error = configure(node, kind, &message, text, sizeof(text));
	control_message_free(&message);
	if (error)
		return EXIT_WRONG;
	return ready(text) ? EXIT_LOST : 0;
}

/* ---- questions ---- */

/* @answer with @body, shortened to what the socket takes */
static int answer_send(struct control_message *answer, size_t length)
{
	static const char cut[] = "\n... (too long to be shown as a whole)\n";
	int error = control_send(CONTROL_FD, answer);

	while (error == -EMSGSIZE && length > 2 * sizeof(cut)) {
		length /= 2;
		while (length && answer->body[length] != '\n')
			length--;
		memcpy(answer->body + length, cut, sizeof(cut));
		error = control_send(CONTROL_FD, answer);
	}
	return error;
}

/*  A parameter may be changed only while the clock stands: at a known fabric time, the same in every run (TB-7, TB-9).
 *  What it changes may be due at once; the clock learns that as it learns of a neighbour's message.                  */
static int set(struct node *node, const struct control_message *message, FILE *out)
{
	node_time_t end, next;
	int error;

	if (node->config->clock == CLOCK_REAL)
		return node->ops->set(node->dataplane, message->text, message->text2, out);
	if (!clock_stopped(&node->clock)) {
		fprintf(out, "the clock is running: stop it first\n");
		return -EBUSY;
	}
	error = node->ops->set(node->dataplane, message->text, message->text2, out);
	end = atomic_load(&node->clock.page->end_ps);
	next = node->ops->run(node->dataplane, 0);
	clock_notify(&node->clock, node->config->index, node_time_max(next, end));
	return error;
}

static int show(struct node *node, const struct control_message *message, FILE *out)
{
	if (message->number < -1 || message->number >= (int64_t)node->config->port_count) {
		fprintf(out, "there is no port %lld, %s has %u\n", (long long)message->number, node->config->name,
			node->config->port_count);
		return -EINVAL;
	}
	return node->ops->show(node->dataplane, message->text, (int)message->number, out);
}

/* ---- links that come and go (real clock) ---- */

static void port_unplug(struct node *node, uint32_t port)
{
	pace_unplug(&node->pace, port);
	if (!node->links[port].down)
		node->ops->link_down(node->dataplane, port, pace_reached(&node->pace));
	if (node->carriers[port]) {
		carrier_fini(node->carriers[port]);
		free(node->carriers[port]);
		node->carriers[port] = NULL;
	}
	descriptor_close(&node->sockets[port]);
	descriptor_close(&node->peer_doorbells[port]);
}

/* a new link at @port; what the former one had is gone first */
static int port_plug(struct node *node, uint32_t port, struct control_message *message, FILE *out)
{
	struct mapping *rings = &node->rings[2 * (size_t)port];
	struct port_config was = node->config->ports[port];
	uint32_t at = 0;
	int error;

	node->why[0] = 0;
	node->broken_told &= ~(1ull << port);
	port_unplug(node, port);
	link_fini(&node->links[port]);
	unmap(&rings[0]);
	unmap(&rings[1]);
	node->config->ports[port] = *message->port;
	error = node_config_check(node->config, node->why, sizeof(node->why));
	if (!error)
		error = port_join(node, port, message, &at);
	if (!error)
		error = pace_plug(&node->pace, port, node->peer_doorbells[port], node->carriers[port],
				  node->sockets[port]);
	if (error) {
		fprintf(out, "port %u cannot have this link: %s\n", port, node->why[0] ? node->why : strerror(-error));
		node->config->ports[port] = was;
		link_init_vacant(&node->links[port], node->config, port, node->stats);
		return error;
	}
	node->ops->link_up(node->dataplane, port, pace_reached(&node->pace));
	return 0;
}

static int link_command(struct node *node, struct control_message *message, FILE *out)
{
	uint32_t port = (uint32_t)message->number;

	if (node->config->clock != CLOCK_REAL || message->number < 0 ||
	    message->number >= (int64_t)node->config->port_count) {
		fprintf(out, "%s has no port %lld whose link could be changed\n", node->config->name,
			(long long)message->number);
		return -EINVAL;
	}
	if (message->kind == CONTROL_LINK_UP)
		return port_plug(node, port, message, out);
	if (message->kind == CONTROL_LINK_DOWN) {
		port_unplug(node, port);
		if (message->port && message->port->vacant)
			node->config->ports[port] = *message->port;
		return 0;
	}
	if (node->links[port].down) {
		fprintf(out, "the link at port %u is down\n", port);
		return -ENOLINK;
	}
	link_set(&node->links[port], message->port);
	return 0;
}

static int command(struct node *node, struct control_message *message, FILE *out)
{
	switch (message->kind) {
	case CONTROL_SHOW:
		return show(node, message, out);
	case CONTROL_SET:
		return set(node, message, out);
	case CONTROL_TABLES:
		return node->ops->tables ? node->ops->tables(node->dataplane, message->tables) : -EINVAL;
	default:
		return link_command(node, message, out);
	}
}

/*  Return: 0, or -errno if the orchestrator is gone */
static int question_answer(struct node *node, struct control_message *message)
{
	struct control_message answer = { .kind = CONTROL_ANSWER, .number = -ENOMEM };
	size_t length = 0;
	FILE *out = open_memstream(&answer.body, &length);
	int error;

	if (out) {
		answer.number = command(node, message, out);
		if (fclose(out))
			answer.number = -ENOMEM;
	}
	error = answer_send(&answer, length);
	control_message_free(&answer);
	return error;
}

/* everything that waits in the control socket.  Return: 0, or an exit status */
static int control_serve(struct node *node)
{
	for (;;) {
		struct control_message message = { 0 };
		char why[256] = "";
		int error = control_receive(CONTROL_FD, &message, 0, why, sizeof(why));

		if (error == -EAGAIN)
			return 0;
		if (!error &&
		    (message.kind == CONTROL_SHOW || message.kind == CONTROL_SET || message.kind >= CONTROL_LINK_DOWN))
			error = question_answer(node, &message);
		else if (!error)
			error = note("a running node does not understand message %d", message.kind);
		else if (error == -EINVAL)
			error = note("a control message was ignored: %s", why);
		control_message_free(&message);
		if (error)
			return EXIT_LOST;
	}
}

/* ---- the life of a node ---- */

/* the peer at a broken ring is named once; that link is dead, the others go on (TB-23) */
static void broken_tell(struct node *node, uint64_t broken)
{
	uint64_t fresh = broken & ~node->broken_told;

	node->broken_told |= fresh;
	for (; fresh; fresh &= fresh - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(fresh);

		wrong("p%u from %s: ring record breaks the rules", port, node->config->ports[port].peer_name);
	}
}

/*  Return: the exit status */
static int node_run(struct node *node)
{
	struct turn turn;

	turn_init(&turn, &node->clock, node->loop, node->config->index, turn_cores());
	for (;;) {
		enum turn_kind kind = turn_wait(&turn);

		if (kind == TURN_ENDED)
			return EXIT_FINE;
		if (kind == TURN_RUN) {
			uint32_t count = node_window_run(&node->window, node->wake);

			event_loop_wake(node->loop, node->clock.asleep, node->wake, count);
			if (node->window.broken != node->broken_told)
				broken_tell(node, node->window.broken);
		} else {
			int status = control_serve(node);

			if (status)
				return status;
		}
	}
}

/*  Return: the exit status */
static int node_run_real(struct node *node, pid_t parent)
{
	int error = privilege_drop(parent);
	bool control = true;

	if (error == -ESRCH)
		return EXIT_LOST;
	if (error) {
		wrong("its privileges cannot be given up: %s", strerror(-error));
		return EXIT_WRONG;
	}
	prctl(PR_SET_TIMERSLACK, 1ul); /* ns; the kernel's own choice is 50 us, several links long */
	while (!pace_begun(&node->pace, &control)) {
		int status = control ? control_serve(node) : 0;

		if (status)
			return status;
	}
	control = true;
	do {
		int status = control ? control_serve(node) : 0;

		if (status)
			return status;
		pace_turn(&node->pace);
		if (node->pace.broken & ~node->broken_told)
			broken_tell(node, node->pace.broken);
	} while (pace_wait(&node->pace, &control));
	return EXIT_FINE;
}

static void node_end(struct node *node)
{
	event_loop_close(node->loop);
	if (node->dataplane)
		node->ops->destroy(node->dataplane);
	for (uint32_t port = 0; port < node->links_ready; port++)
		link_fini(&node->links[port]);
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++) {
		if (node->carriers[port])
			carrier_fini(node->carriers[port]);
		free(node->carriers[port]);
	}
	free(node->links);
	free(node->wake);
	for (uint32_t i = 0; i < 2 * NODE_PORTS_MAX; i++)
		unmap(&node->rings[i]);
	unmap(&node->stats_page);
	unmap(&node->clock_page);
	if (node->config)
		node_config_free(node->config);
	free(node->config);
}
