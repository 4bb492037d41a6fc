#include "nodes/process/node_join.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/clock/clock_pages.h"
#include "nodes/control/config_check.h"
#include "nodes/process/control_library.h"
#include "nodes/process/node_report.h"
#include "nodes/stats/series.h"
#include "nodes/stats/trace.h"

static void unmap(struct mapping *mapping)
{
	if (mapping->bytes)
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
static bool keeps_its_size(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && seals & F_SEAL_SHRINK;
}

int node_join_memory(struct mapping *mapping, int fd, size_t bytes_min, const char *what)
{
	struct stat stat;
	int error;

	if (fstat(fd, &stat) || !keeps_its_size(fd))
		return node_fail("the %s is no memory sealed against shrinking", what);
	if (stat.st_size < 0 || (size_t)stat.st_size < bytes_min)
		return node_fail("the %s has %lld bytes, it needs %zu", what,
				 (long long)stat.st_size, bytes_min);
	mapping->memory =
		mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapping->memory == MAP_FAILED) {
		error = errno;
		mapping->memory = NULL;
		return node_fail("the %s cannot be mapped: %s", what, strerror(error));
	}
	mapping->bytes = (size_t)stat.st_size;
	return 0;
}

static int ring_map(struct mapping *mapping, int fd, const char *what, uint32_t port)
{
	char text[64];

	snprintf(text, sizeof(text), "%s of port %u", what, port);
	return node_join_memory(mapping, fd, sizeof(struct ring_page), text);
}

/* the real clock's: the head is read-only */
static int clock_map_real(struct mapping *mapping, int fd)
{
	struct clock_pages pages = { 0 };
	int error = keeps_its_size(fd) ? clock_pages_join(&pages, fd) : -EINVAL;

	if (error)
		return node_fail("the clock page cannot be mapped: %s", strerror(-error));
	*mapping = (struct mapping){ .memory = pages.page, .bytes = pages.bytes };
	return 0;
}

static int clock_attach_checked(struct node *node)
{
	if (clock_attach(&node->clock, node->clock_page.memory, node->clock_page.bytes) ||
	    node->clock.node_count != node->config->node_count)
		return node_fail("the clock page is none, or is not one for %u nodes",
				 node->config->node_count);
	node->wake = calloc(node->clock.node_count, sizeof(*node->wake));
	return node->wake ? 0 : -ENOMEM;
}

static int clock_join(struct node *node, int fd)
{
	int error = node_join_memory(&node->clock_page, fd, CLOCK_HEAD_BYTES, "clock page");

	return error ? error : clock_attach_checked(node);
}

static int clock_join_real(struct node *node, int fd)
{
	int error = clock_map_real(&node->clock_page, fd);

	return error ? error : clock_attach_checked(node);
}

static int stats_join(struct node *node, int fd)
{
	int error = node_join_memory(&node->stats_page, fd, stats_bytes(node->config),
				     "statistics page");

	if (error)
		return error;
	node->stats = node->stats_page.memory;
	stats_init(node->stats, node->config);
	return 0;
}

/* the link at @port has these rings */
static int link_make(struct node *node, uint32_t port, void *tx, size_t tx_bytes, void *rx,
		     size_t rx_bytes)
{
	int error = link_init(&node->links[port], node->config, port, tx, tx_bytes, rx, rx_bytes,
			      node->stats);

	if (error == -EINVAL)
		return node_fail("the rings of port %u are none", port);
	link_capture(&node->links[port], node->captures[port]);
	if (!error && node->links_ready <= port) /* later a link may come back at any port */
		node->links_ready = port + 1;
	return error;
}

static int link_join(struct node *node, uint32_t port, int tx_fd, int rx_fd)
{
	struct mapping *tx = &node->rings[2 * (size_t)port], *rx = tx + 1;
	int error = ring_map(tx, tx_fd, "transmit ring", port);

	if (!error)
		error = ring_map(rx, rx_fd, "receive ring", port);
	return error ? error : link_make(node, port, tx->memory, tx->bytes, rx->memory, rx->bytes);
}

/* the part of @rings from byte @at on, in @mapping; it is not unmapped with the node.
 * Return: its size, 0: it is none */
static size_t ring_part(struct mapping *mapping, const struct mapping *rings, uint64_t at)
{
	if (at % RING_LINE || at >= rings->bytes || rings->bytes - at < sizeof(struct ring_page))
		return 0;
	*mapping = (struct mapping){ .memory = (uint8_t *)rings->memory + at };
	return rings->bytes - at;
}

static int link_join_packed(struct node *node, uint32_t port, const struct place_port *place,
			    const struct mapping *rings)
{
	struct mapping *tx = &node->rings[2 * (size_t)port], *rx = tx + 1;
	size_t tx_bytes = ring_part(tx, rings, place->tx_at);
	size_t rx_bytes = ring_part(rx, rings, place->rx_at);

	if (!tx_bytes || !rx_bytes)
		return node_fail("the rings of port %u are not in the memory of all rings", port);
	return link_make(node, port, tx->memory, tx_bytes, rx->memory, rx_bytes);
}

/* takes @count descriptors of @message from its @at-th on: they stay open. Return: false if there
 * are not so many */
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
	link_capture(&node->links[port], node->captures[port]);
	node->carriers[port] = carrier;
	return 0;
}

/* what a port of the real clock has, from the @at-th descriptor of @message on (control.h) */
static int port_join(struct node *node, uint32_t port, struct control_message *message,
		     uint32_t *at)
{
	int rings[2], error;

	if (node->config->ports[port].vacant) {
		link_init_vacant(&node->links[port], node->config, port, node->stats);
		return 0;
	}
	if (node->config->ports[port].medium == MEDIUM_VETH)
		return take(message, at, &node->sockets[port], 1)
			       ? veth_join(node, port)
			       : node_fail("the socket of port %u is missing", port);
	if (!take(message, at, rings, 2) || !take(message, at, &node->peer_doorbells[port], 1))
		return node_fail("the rings of port %u are missing", port);
	error = link_join(node, port, rings[0], rings[1]);
	close(rings[0]);
	close(rings[1]);
	return error;
}

/* the file of what is sent on all ports: the @at-th descriptor of @message */
static int capture_all_join(struct node *node, struct control_message *message, uint32_t *at)
{
	int fd;

	if (!take(message, at, &fd, 1))
		return node_fail("the file of the capture of all ports is missing");
	signal(SIGXFSZ, SIG_IGN);
	node->captured =
		capture_buffer_open(fd, node->config, &stats_port(node->stats, 0)->capture_error);
	if (!node->captured) {
		close(fd);
		return -ENOMEM;
	}
	for (uint32_t port = 0; port < node->config->port_count; port++) {
		struct capture *capture = calloc(1, sizeof(*capture));

		if (!capture)
			return -ENOMEM;
		capture_init_shared(capture, node->captured, node->config, port);
		node->captures[port] = capture;
		link_capture(&node->links[port], capture);
	}
	return 0;
}

/* the files of captured ports, from the @at-th descriptor of @message on. A reader may close its
 * end, and a disk may be full: that is an error of a write and no signal. */
static int captures_join(struct node *node, struct control_message *message, uint32_t *at)
{
	if (node->config->capture_sent_bytes)
		return capture_all_join(node, message, at);
	for (uint32_t port = 0; port < node->config->port_count; port++) {
		struct capture *capture;
		int fd;

		if (!node->config->ports[port].capture_bytes)
			continue;
		if (!take(message, at, &fd, 1))
			return node_fail("the file of the capture at port %u is missing", port);
		capture = calloc(1, sizeof(*capture));
		if (!capture || capture_init(capture, fd, node->config, port,
					     &stats_port(node->stats, port)->capture_error)) {
			free(capture);
			close(fd);
			return -ENOMEM;
		}
		node->captures[port] = capture;
		link_capture(&node->links[port], capture);
		signal(SIGPIPE, SIG_IGN);
		signal(SIGXFSZ, SIG_IGN);
	}
	return 0;
}

/* the files of the events and of the series */
static int logs_join(struct node *node, struct control_message *message, uint32_t *at)
{
	int fd;

	if (node->config->events) {
		if (!take(message, at, &fd, 1))
			return node_fail("the file of the events is missing");
		trace_file(node->stats, fd);
	}
	if (node->config->series) {
		if (!take(message, at, &fd, 1))
			return node_fail("the file of the series is missing");
		series_file(node->stats, fd);
	}
	if (node->config->events || node->config->series)
		signal(SIGXFSZ, SIG_IGN);
	return 0;
}

/* the library of the user's congestion control */
static int control_join(struct node *node, struct control_message *message, uint32_t *at)
{
	struct control_call *call = &node->stats->control_call;
	struct why why;
	int fd;

	if (!node_config_has_control(node->config))
		return 0;
	if (!take(message, at, &fd, 1))
		return node_fail("the library of the congestion control is missing");
	control_library_watch(call);
	node->config->control = control_library_load(fd, call, &why);
	close(fd);
	if (node->config->control)
		return 0;
	return node_fail("the congestion control cannot be loaded: %s", why.text);
}

/* what follows the links, from descriptor @at on, and then nothing */
static int rest_join(struct node *node, struct control_message *message, uint32_t at,
		     uint32_t host_queues)
{
	int error = captures_join(node, message, &at);

	if (!error)
		error = logs_join(node, message, &at);
	if (!error)
		error = control_join(node, message, &at);
	if (!error &&
	    (!take(message, &at, node->host_sockets, host_queues) || at != message->fd_count))
		return node_fail("%u descriptors came with the configuration, %u are needed",
				 message->fd_count, at);
	return error;
}

static int join_real(struct node *node, struct control_message *message)
{
	uint32_t port_count = node->config->port_count, at = 2;
	uint32_t host_queues = node->config->kind == NODE_NIC ? node->config->nic.host_queues : 0;
	int error;

	node->links = calloc(port_count, sizeof(*node->links));
	if (!node->links)
		return -ENOMEM;
	if (message->fd_count < 3 || !take(message, &at, &node->doorbell, 1))
		return node_fail("%u descriptors came with the configuration, too few",
				 message->fd_count);
	error = clock_join_real(node, message->fds[0]);
	if (!error)
		error = stats_join(node, message->fds[1]);
	for (uint32_t port = 0; port < port_count && !error; port++) {
		error = port_join(node, port, message, &at);
		if (!error)
			node->links_ready = port + 1;
	}
	return error ? error : rest_join(node, message, at, host_queues);
}

static int join_virtual(struct node *node, struct control_message *message)
{
	uint32_t port_count = node->config->port_count, at = 2 + 2 * port_count;
	int error;

	if (message->fd_count < at)
		return node_fail("%u descriptors came with the configuration, %u are needed",
				 message->fd_count, at);
	node->links = calloc(port_count, sizeof(*node->links));
	if (!node->links)
		return -ENOMEM;
	error = clock_join(node, message->fds[0]);
	if (!error)
		error = stats_join(node, message->fds[1]);
	for (uint32_t port = 0; port < port_count && !error; port++)
		error = link_join(node, port, message->fds[2 + 2 * port],
				  message->fds[3 + 2 * port]);
	return error ? error : rest_join(node, message, at, 0);
}

int node_join(struct node *node, struct control_message *message)
{
	return node->config->clock == CLOCK_REAL ? join_real(node, message)
						 : join_virtual(node, message);
}

int node_join_packed(struct node *node, struct control_message *message,
		     const struct node_worker *worker)
{
	const struct node_place *place = message->place;
	int error;

	if (!place || !message->fd_count || node->config->clock != CLOCK_VIRTUAL)
		return node_fail("a packed node needs a place, a statistics page and the virtual "
				 "clock");
	if (node_config_has_control(node->config))
		return node_fail("a NIC with a congestion control of the user's is not packed");
	node->clock = worker->clock;
	node->links = calloc(node->config->port_count, sizeof(*node->links));
	if (!node->links)
		return -ENOMEM;
	error = stats_join(node, message->fds[0]);
	for (uint32_t port = 0; port < place->port_count && !error; port++)
		error = link_join_packed(node, port, &place->ports[port], &worker->rings);
	return error ? error : rest_join(node, message, 1, 0);
}

int node_join_pace(struct node *node, struct event_loop *loop, uint32_t first_number)
{
	return pace_init(&node->pace, &node->clock, node->config, node->links, node->stats,
			 node->ops, node->dataplane, loop, first_number, node->doorbell);
}

int node_join_ports(struct node *node)
{
	uint32_t host_queues = node->config->kind == NODE_NIC ? node->config->nic.host_queues : 0;
	int error = 0;

	for (uint32_t port = 0; port < node->config->port_count && !error; port++)
		if (!node->config->ports[port].vacant)
			error = pace_plug(&node->pace, port, node->peer_doorbells[port],
					  node->carriers[port], node->sockets[port]);
	if (!error && host_queues)
		error = node->ops->host_open(node->dataplane, node->host_sockets, host_queues);
	if (!error && host_queues)
		error = pace_host(&node->pace, node->host_sockets, host_queues);
	return error;
}

/* ---- links that come and go (real clock) ---- */

/* the sockets of the link of @port */
static void port_close(struct node *node, uint32_t port)
{
	if (node->carriers[port]) {
		carrier_fini(node->carriers[port]);
		free(node->carriers[port]);
		node->carriers[port] = NULL;
	}
	descriptor_close(&node->sockets[port]);
	descriptor_close(&node->peer_doorbells[port]);
}

static void port_unplug(struct node *node, uint32_t port)
{
	pace_unplug(&node->pace, port);
	if (!node->links[port].down)
		node->ops->link_down(node->dataplane, port, pace_reached(&node->pace));
	port_close(node, port);
}

static void link_end(struct node *node, uint32_t port)
{
	link_fini(&node->links[port]);
	unmap(&node->rings[2 * (size_t)port]);
	unmap(&node->rings[2 * (size_t)port + 1]);
}

/* a new link at @port; what the former one had is gone first */
static int port_plug(struct node *node, uint32_t port, struct control_message *message, FILE *out)
{
	struct port_config was = node->config->ports[port];
	struct why why = { "" };
	uint32_t at = 0;
	int error;

	node->broken_told &= ~(1ull << port);
	port_unplug(node, port);
	if (node->rings[2 * (size_t)port + 1].memory)
		link_lose(&node->links[port]);
	link_end(node, port);
	node->config->ports[port] = *message->port;
	error = node_config_check(node->config, &why);
	if (!error)
		error = port_join(node, port, message, &at);
	if (!error)
		error = pace_plug(&node->pace, port, node->peer_doorbells[port],
				  node->carriers[port], node->sockets[port]);
	if (error) {
		fprintf(out, "port %u cannot have this link: %s\n", port,
			why.text[0] ? why.text : strerror(-error));
		pace_unplug(&node->pace, port);
		port_close(node, port);
		link_end(node, port);
		node->config->ports[port] = was;
		link_init_vacant(&node->links[port], node->config, port, node->stats);
		return error;
	}
	node->ops->link_up(node->dataplane, port, pace_reached(&node->pace));
	return 0;
}

static bool is_settle(const struct control_message *message)
{
	return message->kind == CONTROL_LINK_DOWN && !strcmp(message->text, CONTROL_SETTLED);
}

static int link_settle(struct node *node, const struct control_message *message, FILE *out)
{
	uint32_t port = (uint32_t)message->number;
	struct channel_set left;

	if (channel_set_read(message->body, &left)) {
		fprintf(out, "\"%.40s\" are no channels\n", message->body);
		return -EINVAL;
	}
	if (node->config->clock != CLOCK_REAL)
		node_window_link_settle(&node->window, port, &left);
	else if (node->ops->link_settle)
		node->ops->link_settle(node->dataplane, port, &left, pace_reached(&node->pace));
	return 0;
}

/* under the virtual clock a link fails and returns over the rings that it has */
static int link_fault(struct node *node, const struct control_message *message, FILE *out)
{
	uint32_t port = (uint32_t)message->number;

	if (message->kind == CONTROL_LINK_SET || !clock_stopped(&node->clock)) {
		fprintf(out, message->kind == CONTROL_LINK_SET
				     ? "the virtual clock's links keep their settings\n"
				     : "the clock is running: stop it first\n");
		return -EBUSY;
	}
	if (is_settle(message))
		return link_settle(node, message, out);
	if (message->kind == CONTROL_LINK_UP)
		node_window_link_up(&node->window, port);
	else
		node_window_link_down(&node->window, port);
	return 0;
}

int node_join_link(struct node *node, struct control_message *message, FILE *out)
{
	uint32_t port = (uint32_t)message->number;
	struct port_config *own, was;
	struct why why;
	int error;

	if (message->number < 0 || message->number >= (int64_t)node->config->port_count) {
		fprintf(out, "%s has no port %lld whose link could be changed\n",
			node->config->name, (long long)message->number);
		return -EINVAL;
	}
	if (node->config->clock != CLOCK_REAL)
		return link_fault(node, message, out);
	if (message->kind == CONTROL_LINK_UP)
		return port_plug(node, port, message, out);
	if (is_settle(message))
		return link_settle(node, message, out);
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
	own = &node->config->ports[port];
	was = *own;
	port_link_change(own, message->port);
	error = node_config_check(node->config, &why);
	if (error) {
		fprintf(out, "port %u cannot have this link: %s\n", port, why.text);
		*own = was;
		return error;
	}
	link_set(&node->links[port], own);
	node->ops->link_set(node->dataplane, port);
	return 0;
}

/* ---- end ---- */

void node_join_leave(struct node *node)
{
	for (uint32_t port = 0; port < node->config->port_count; port++)
		if (!node->config->ports[port].vacant)
			port_unplug(node, port);
	pace_leave(&node->pace);
}

void node_join_end(struct node *node)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++) {
		if (node->captures[port])
			capture_fini(node->captures[port]);
		free(node->captures[port]);
	}
	capture_buffer_close(node->captured);
	for (uint32_t port = 0; port < node->links_ready; port++) {
		if (node->links[port].down && node->rings[2 * (size_t)port + 1].memory)
			link_lose(&node->links[port]);
		link_fini(&node->links[port]);
	}
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
}
