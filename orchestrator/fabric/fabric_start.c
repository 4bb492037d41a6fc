#include "orchestrator/fabric/fabric_start.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/base/ring.h"
#include "nodes/clock/clock_pages.h"
#include "nodes/link/link.h"
#include "nodes/process/child.h"
#include "nodes/process/memory.h"
#include "orchestrator/base/beside.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_ask.h"
#include "orchestrator/fabric/fabric_cores.h"
#include "orchestrator/fabric/fabric_ranks.h"
#include "orchestrator/fabric/fabric_ready.h"
#include "orchestrator/fabric/fabric_watch.h"

#define LEAD_NS 20000000u /* real clock: time to wake all nodes before fabric time begins */

static int program_find(struct fabric *fabric, const char *name, char *path, size_t path_max)
{
	int error = beside_find(name, X_OK, path, path_max);

	if (error)
		fabric_fail(fabric, "cannot find the program %s beside heddle", name);
	return error;
}

static const char *const program_names[NODE_KINDS] = {
	[NODE_SWITCH] = "switchd", [NODE_NIC] = "nicd"
};

static int node_start(struct fabric *fabric, uint32_t index, const char *program, bool keep_rings);

static int node_configure(struct fabric *fabric, uint32_t index, bool keep_rings);

const char *fabric_start_why(int error)
{
	return error == -EMFILE ? "too few file descriptors allowed, raise the hard limit (ulimit "
				  "-Hn)"
				: strerror(-error);
}

static int packed_configure(struct fabric *fabric, uint32_t index)
{
	/* without a control socket, its worker died before it could be given one */
	int error = fabric->nodes[index].control < 0
			    ? -EPIPE
			    : node_configure(fabric, index, !fabric->options.real);

	if (error == -EPIPE)
		return 0; /* its worker is dead: fabric_watch_children() reports why */
	if (error)
		fabric_fail(fabric, "cannot start %s %s: %s", fabric_kind_name(fabric, index),
			    fabric->plan->nodes[index].name, fabric_start_why(error));
	return error;
}

static int packed_start(struct fabric *fabric)
{
	char program[PATH_MAX];
	int error = program_find(fabric, "workerd", program, sizeof(program));

	descriptor_limit_raise();
	error = error ?: fabric_pack_start(fabric, program);
	if (!error && fabric->options.ranks > 1) {
		error = program_find(fabric, "rankd", program, sizeof(program))
				?: fabric_ranks_start(fabric, program);
		if (error == -EPIPE)
			error = 0; /* it is dead: the reason follows */
	}
	for (uint32_t i = 0; i < fabric->plan->node_count && !error; i++) {
		if (plan_vacant(fabric->plan, i))
			continue;
		error = interrupt_seen() ? -EINTR : packed_configure(fabric, i);
		if (fabric_watch_children(fabric))
			error = -EIO;
	}
	return error ? error : fabric_cores_pin(fabric);
}

int fabric_nodes_start(struct fabric *fabric)
{
	char programs[NODE_KINDS][PATH_MAX];
	int error = 0;

	if (fabric->options.pack)
		return packed_start(fabric);
	for (int kind = 0; kind < NODE_KINDS && !error; kind++)
		error = program_find(fabric, program_names[kind], programs[kind],
				     sizeof(programs[kind]));
	descriptor_limit_raise();
	for (uint32_t i = 0; i < fabric->plan->node_count && !error; i++) {
		if (!plan_here(fabric->plan, i))
			continue;
		error = interrupt_seen() ? -EINTR
					 : node_start(fabric, i,
						      programs[fabric->plan->nodes[i].kind], false);
		if (fabric_watch_children(fabric))
			error = -EIO;
	}
	return error ?: fabric_cores_pin(fabric);
}

static int clock_make_real(struct fabric *fabric)
{
	struct clock_pages pages;
	int error = clock_pages_make(&pages, fabric->plan->node_count, &fabric->clock_fd);

	if (error) {
		fabric->clock_fd = -1;
		return error;
	}
	fabric->page = pages.page;
	fabric->page_size = pages.bytes;
	return 0;
}

/* processes that take part in windows */
static uint32_t clock_slots(const struct fabric *fabric)
{
	return fabric->options.pack && !fabric->options.real ? fabric->pack.worker_count
							     : fabric->plan->node_count;
}

static int clock_make_virtual(struct fabric *fabric)
{
	fabric->page_size = clock_bytes(clock_slots(fabric));
	fabric->clock_fd = memory_make("heddle-clock", fabric->page_size);
	if (fabric->clock_fd < 0)
		return fabric->clock_fd;
	fabric->page = mmap(NULL, fabric->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fabric->clock_fd, 0);
	if (fabric->page == MAP_FAILED) {
		fabric->page = NULL;
		return -errno;
	}
	return 0;
}

int fabric_clock_make(struct fabric *fabric)
{
	int error = fabric->options.real ? clock_make_real(fabric) : clock_make_virtual(fabric);

	if (error)
		return error;
	clock_init(fabric->page, clock_slots(fabric), fabric->plan->lookahead_ps);
	fabric->page->dilation = fabric->plan->dilation;
	fabric->page->epoch_ns = UINT64_MAX; /* not yet */
	return clock_attach(&fabric->clock, fabric->page, fabric->page_size);
}

/* makes the statistics page of node @index, which the node writes and this process maps read-only;
 * returns its fd */
static int stats_make(struct fabric *fabric, uint32_t index)
{
	const struct node_config *config = &fabric->plan->nodes[index];
	struct fabric_node *node = &fabric->nodes[index];
	size_t size = stats_bytes(config);
	int fd = memory_make("heddle-statistics", size);
	int error;

	if (fd < 0)
		return fd;
	error = stats_view_map(&node->view, fd, config);
	if (!error &&
	    pwrite(fd, node->view.page->head, STATS_HEAD_BYTES, 0) != (ssize_t)STATS_HEAD_BYTES)
		error = -ENOMEM;
	if (error) {
		close(fd);
		return error;
	}
	node->stats = node->view.page;
	return fd;
}

/* the ring of link @link for data from end b if @from_b, else from end a; made at the first call */
static int ring_get(struct fabric *fabric, uint32_t link, bool from_b, uint32_t data_bytes)
{
	int *fd = &fabric->ring_fds[2 * link + from_b];
	const struct node_config *config = &fabric->plan->nodes[fabric->plan->links[link].node_a];
	struct ring_page header = { 0 };

	if (*fd >= 0)
		return *fd;
	ring_init(&header, data_bytes, link_captured_max(config));
	*fd = memory_make_with("heddle-ring", ring_bytes(data_bytes), &header, sizeof(header));
	return *fd;
}

/* the eventfd that wakes node @index under the real clock */
static int doorbell_get(struct fabric *fabric, uint32_t index)
{
	int *fd = &fabric->nodes[index].doorbell;

	if (*fd < 0)
		*fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return *fd < 0 ? -errno : *fd;
}

/* both rings of port @port of node @index, transmit first */
static int port_rings(struct fabric *fabric, uint32_t index, uint32_t port, int fds[2])
{
	const struct port_config *config = &fabric->plan->nodes[index].ports[port];
	const struct plan_link *link = &fabric->plan->links[config->link_index];
	const struct port_config *peer =
		&fabric->plan->nodes[config->peer_index].ports[config->peer_port];
	bool is_b = link->node_b == index && link->port_b == port;

	fds[0] = ring_get(fabric, config->link_index, is_b, config->ring_bytes);
	fds[1] = ring_get(fabric, config->link_index, !is_b, peer->ring_bytes);
	return fds[0] < 0 ? fds[0] : fds[1] < 0 ? fds[1] : 0;
}

/* the packet socket of port @port of node @index; both of a link are made at the call for its first
 * end */
static int port_socket(struct fabric *fabric, uint32_t index, uint32_t port)
{
	uint32_t link_index = fabric->plan->nodes[index].ports[port].link_index;
	const struct plan_link *link = &fabric->plan->links[link_index];
	int *fds = &fabric->ring_fds[2 * (size_t)link_index];
	int error = fds[0] < 0
			    ? fabric->options.link_sockets(fabric->options.owner, link_index, fds)
			    : 0;

	return error ? error : fds[link->node_b == index && link->port_b == port];
}

/* the tunnel gets the other ends of the rings @fds from *@count on, and rings as the peer does */
static int tunnel_plug(struct fabric *fabric, uint32_t node, uint32_t port, int *fds,
		       uint32_t *count)
{
	const struct fabric_options *options = &fabric->options;
	int ends[3] = { fds[*count], fds[*count + 1], doorbell_get(fabric, node) };
	int error = ends[2] < 0 ? ends[2]
				: options->tunnel->plug(
					  options->owner,
					  fabric->plan->nodes[node].ports[port].link_index, ends);

	fds[*count + 2] = options->tunnel->doorbell(options->owner);
	*count += 3;
	return error ? error : fds[*count - 1] < 0 ? -EBADF : 0;
}

int fabric_port_descriptors(struct fabric *fabric, uint32_t node, uint32_t port, int *fds,
			    uint32_t *count)
{
	int error;

	if (fabric->plan->nodes[node].ports[port].medium == MEDIUM_VETH) {
		fds[*count] = port_socket(fabric, node, port);
		*count += 1;
		return fds[*count - 1] < 0 ? fds[*count - 1] : 0;
	}
	error = port_rings(fabric, node, port, &fds[*count]);
	if (!error && fabric->plan->nodes[node].ports[port].medium == MEDIUM_TUNNEL)
		return tunnel_plug(fabric, node, port, fds, count);
	fds[*count + 2] = doorbell_get(fabric, fabric->plan->nodes[node].ports[port].peer_index);
	*count += 3;
	return error ? error : fds[*count - 1] < 0 ? fds[*count - 1] : 0;
}

void fabric_link_release(struct fabric *fabric, uint32_t link)
{
	descriptor_close(&fabric->ring_fds[2 * (size_t)link]);
	descriptor_close(&fabric->ring_fds[2 * (size_t)link + 1]);
}

/* descriptors of a node under the real clock: control.h */
static int descriptors_real(struct fabric *fabric, uint32_t index, struct control_message *message)
{
	const struct node_config *config = &fabric->plan->nodes[index];
	int error = 0;

	message->fds[message->fd_count++] = doorbell_get(fabric, index);
	if (message->fds[message->fd_count - 1] < 0)
		return message->fds[message->fd_count - 1];
	for (uint32_t port = 0; port < config->port_count && !error; port++)
		if (!config->ports[port].vacant)
			error = fabric_port_descriptors(fabric, index, port, message->fds,
							&message->fd_count);
	return error;
}

/* ... and the files of its captures */
static void descriptors_captures(const struct fabric *fabric, uint32_t index,
				 struct control_message *message)
{
	const struct node_config *config = &fabric->plan->nodes[index];

	for (uint32_t port = 0; port < config->port_count; port++)
		if (config->ports[port].capture_bytes)
			message->fds[message->fd_count++] =
				fabric->options.capture_file(fabric->options.owner, index, port);
	if (config->capture_sent_bytes)
		message->fds[message->fd_count++] =
			fabric->options.capture_file(fabric->options.owner, index, NODE_PORTS_MAX);
}

/* ... and the files of its events and of its series */
static void descriptors_logs(const struct fabric *fabric, uint32_t index,
			     struct control_message *message)
{
	const struct fabric_options *options = &fabric->options;

	if (fabric->plan->nodes[index].events)
		message->fds[message->fd_count++] = options->event_file(options->owner, index);
	if (fabric->plan->nodes[index].series)
		message->fds[message->fd_count++] = options->series_file(options->owner, index);
}

/* ... and the library of its congestion control */
static void descriptors_control(const struct fabric *fabric, uint32_t index,
				struct control_message *message)
{
	if (node_config_has_control(&fabric->plan->nodes[index]) && fabric->plan->origin)
		message->fds[message->fd_count++] = fabric->plan->origin->control.fd;
}

/* ... and a NIC with an attached host after that */
static int descriptors_host(struct fabric *fabric, uint32_t index, struct control_message *message)
{
	const struct node_config *config = &fabric->plan->nodes[index];
	int sockets;

	if (!fabric->options.real || config->kind != NODE_NIC || !config->nic.host_queues)
		return 0;
	sockets = fabric->options.host_sockets(fabric->options.owner, config->nic.host_index,
					       &message->fds[message->fd_count]);
	if (sockets < 0)
		return sockets;
	message->fd_count += (uint32_t)sockets;
	return sockets == (int)config->nic.host_queues ? 0 : -EINVAL;
}

static int descriptors_virtual(struct fabric *fabric, uint32_t index,
			       struct control_message *message)
{
	int error = 0;

	for (uint32_t port = 0; port < fabric->plan->nodes[index].port_count && !error; port++) {
		error = port_rings(fabric, index, port, &message->fds[message->fd_count]);
		message->fd_count += 2;
	}
	return error;
}

/* closes the rings of links of which both ends have them */
static void rings_release(struct fabric *fabric, uint32_t index)
{
	const struct node_config *config = &fabric->plan->nodes[index];

	for (uint32_t port = 0; port < config->port_count; port++) {
		const struct port_config *end = &config->ports[port];

		if (!end->vacant &&
		    (end->peer_index < index || plan_elsewhere(fabric->plan, end->peer_index) ||
		     (end->peer_index == index && end->peer_port <= port)))
			fabric_link_release(fabric, end->link_index);
	}
}

/* The kernel limits the descriptors in flight (-ETOOMANYREFS): waits until nodes that start have
 * received theirs, and tries again. */
int fabric_start_send(struct fabric *fabric, uint32_t node, int socket,
		      const struct control_message *message)
{
	struct fabric_start_wait wait = { 0 };

	for (;;) {
		int error = control_send(socket, message);

		if (error != -ETOOMANYREFS)
			return error;
		error = fabric_descriptors_await(fabric, node, &wait);
		if (error)
			return error;
	}
}

/* Sends node @index its configuration and descriptors. @keep_rings: leaves its rings open, since
 * its peers, which run already, get them later. */
static int node_configure(struct fabric *fabric, uint32_t index, bool keep_rings)
{
	struct control_message message = { .kind = CONTROL_CONFIGURE,
					   .config = &fabric->plan->nodes[index] };
	int stats_fd = stats_make(fabric, index);
	struct node_place place;
	const bool shares_rings = fabric->nodes[index].packed && !fabric->options.real;
	uint32_t host_from;
	int error = 0;

	if (stats_fd < 0)
		return stats_fd;
	if (!shares_rings)
		message.fds[message.fd_count++] = fabric->clock_fd;
	message.fds[message.fd_count++] = stats_fd;
	if (shares_rings) {
		fabric_pack_place(fabric, index, &place);
		message.place = &place;
	} else {
		error = fabric->options.real ? descriptors_real(fabric, index, &message)
					     : descriptors_virtual(fabric, index, &message);
	}
	if (!error) {
		descriptors_captures(fabric, index, &message);
		descriptors_logs(fabric, index, &message);
		descriptors_control(fabric, index, &message);
	}
	host_from = message.fd_count;
	error = error ?: descriptors_host(fabric, index, &message)
		      ?: fabric_start_send(fabric, index, fabric->nodes[index].control, &message);
	/* now, while the NIC has them too: the last close() takes 10 ms for each (host_net.h) */
	while (message.fd_count > host_from)
		close(message.fds[--message.fd_count]);
	close(stats_fd);
	if (!keep_rings)
		rings_release(fabric, index);
	return error;
}

/* the core that all nodes share while one is enough (home_core.h): by the pid of this process, for
 * each worker another one; -1: they do not share one */
static int core_home(const struct fabric *fabric, uint32_t node)
{
	uint32_t worker = fabric->nodes[node].packed ? fabric->nodes[node].slot : 0;
	int cores[CPU_SETSIZE];
	uint32_t count =
		fabric->options.cores == FABRIC_CORES_HOME ? fabric_cores_allowed(cores) : 0;

	return count ? cores[((uint32_t)getpid() + worker) % count] : -1;
}

int fabric_start_process(struct fabric *fabric, uint32_t index, const char *name,
			 const char *program, int socket)
{
	char loop[64], parent[32], core[32], poll[40];
	char keep[] = "--keep-user";
	char *arguments[] = { (char *)name, loop, parent,
			      core,         poll, fabric->options.keep_user ? keep : NULL,
			      NULL };
	pid_t pid;

	snprintf(loop, sizeof(loop), "--loop=%s", fabric->options.loop);
	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	snprintf(core, sizeof(core), "--core=%d", core_home(fabric, index));
	snprintf(poll, sizeof(poll), "--poll=%" PRIu64, fabric->options.poll_ns);
	if (!fabric->alive) /* a group ends with the last of its processes */
		fabric->group = CHILD_GROUP_OWN;
	pid = child_start(program, arguments, socket, fabric->group, true);
	fabric->nodes[index].pid = pid < 0 ? 0 : pid;
	if (pid < 0)
		return pid;
	if (!fabric->group)
		fabric->group = pid;
	fabric->nodes[index].pid_shown = pid;
	fabric->nodes[index].started_ns = monotonic_ns();
	fabric->alive++;
	return 0;
}

int fabric_start_socket(struct fabric *fabric, uint32_t node, int *end)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = node };
	int sockets[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	fabric->nodes[node].control = sockets[0];
	if (epoll_ctl(fabric->epoll_fd, EPOLL_CTL_ADD, sockets[0], &interest)) {
		error = -errno;
		close(sockets[1]);
		return error;
	}
	*end = sockets[1];
	return 0;
}

static int node_start(struct fabric *fabric, uint32_t index, const char *program, bool keep_rings)
{
	int end, error = fabric_start_socket(fabric, index, &end);

	if (!error) {
		error = fabric_start_process(fabric, index, fabric->plan->nodes[index].name,
					     program, end);
		close(end);
	}
	if (!error)
		error = node_configure(fabric, index, keep_rings);
	if (error == -EPIPE)
		return 0; /* it is dead: fabric_watch_children() reports why */
	if (error)
		fabric_fail(fabric, "cannot start %s %s, number %u: %s",
			    fabric_kind_name(fabric, index), fabric->plan->nodes[index].name,
			    fabric->alive + 1, fabric_start_why(error));
	return error;
}

int fabric_node_again(struct fabric *fabric, uint32_t index)
{
	struct fabric_node *node = &fabric->nodes[index];
	char program[PATH_MAX];
	int error = program_find(fabric, program_names[fabric->plan->nodes[index].kind], program,
				 sizeof(program));

	if (error)
		return error;
	descriptor_close(&node->control);
	stats_view_unmap(&node->view);
	node->stats = NULL; /* not read until there is a new one */
	node->fate[0] = 0;
	node->tables_due = false;
	error = node_start(fabric, index, program, true);
	for (uint64_t until_ns = fabric_deadline_ns(fabric, FABRIC_READY_MS);
	     !error && !node->ready;) {
		fabric_watch_messages(fabric, 1);
		fabric_watch_children(fabric);
		if (!node->pid || monotonic_ns() > until_ns)
			error = node->pid ? -ETIMEDOUT : -EIO;
	}
	if (error == -EIO)
		fabric_fail_node(fabric, index, "%s", node->fate);
	else if (error == -ETIMEDOUT)
		fabric_fail_node(fabric, index, "did not become ready in time");
	return error;
}

void fabric_clock_begin(struct fabric *fabric)
{
	struct timespec utc;
	uint64_t one = 1;

	clock_gettime(CLOCK_REALTIME, &utc);
	fabric->page->epoch_ns = monotonic_ns() + LEAD_NS;
	fabric->page->epoch_utc_ns =
		(uint64_t)utc.tv_sec * 1000000000ull + (uint64_t)utc.tv_nsec + LEAD_NS;
	atomic_store(&fabric->page->state, CLOCK_RUNNING);
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		(void)!write(fabric->nodes[i].doorbell, &one, sizeof(one));
}
