/*  orchestrator/fabric/fabric_start: the descriptors of a port, the clock's page, processes and
 *  sockets of nodes, and what is said when they cannot be had (TB-1, TB-2, TB-3, SC-5). */
#include "orchestrator/fabric/fabric_start.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "nodes/base/ring.h"
#include "nodes/clock/clock_pages.h"
#include "nodes/link/link.h"
#include "tests/unit/orchestrator/fabric/fake_nodes.h"

static int ring_fds[4];
static int fds[16];
static uint32_t count;

static void setup(void)
{
	int epoll_fd;

	fake_setup();
	/* descriptor 0 is for what a test makes first: it is a valid one */
	epoll_fd = fcntl(fabric.epoll_fd, F_DUPFD_CLOEXEC, 16);
	close(fabric.epoll_fd);
	fabric.epoll_fd = epoll_fd;
	for (size_t i = 0; i < 4; i++)
		ring_fds[i] = -1;
	fabric.ring_fds = ring_fds;
	fabric.options.real = true;
	fabric.options.loop = "auto";
	fabric.options.owner = &fabric;
	memset(fds, -1, sizeof(fds));
	count = 2;
}

static void teardown(void)
{
	for (size_t i = 0; i < 4; i++)
		if (ring_fds[i] >= 0)
			close(ring_fds[i]);
	for (uint32_t i = 0; i < NODES; i++)
		if (nodes[i].doorbell >= 0)
			close(nodes[i].doorbell);
	fake_teardown();
}

TEST_GROUP(fabric_start, .setup = setup, .teardown = teardown);

/* ---- descriptors of a port ---- */

static void ring_is(int fd, uint32_t data_bytes, const struct node_config *config)
{
	struct ring_page header;
	struct stat file;

	ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
	ck_assert_uint_eq(header.data_bytes, data_bytes);
	ck_assert_uint_eq(header.captured_max, link_captured_max(config));
	ck_assert_int_eq(fstat(fd, &file), 0);
	ck_assert_int_eq(file.st_size, (off_t)ring_bytes(data_bytes));
}

/* a ring in each direction, the same two at both ends, and the peer's doorbell */
TEST(fabric_port_descriptors__rings)
{
	configs[S2].clock = CLOCK_REAL;
	ports[S2][1].ring_bytes = 2 * RING_BYTES_MIN;
	ports[H1][0].ring_bytes = RING_BYTES_MIN;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S2, 1, fds, &count), 0);
	ck_assert_uint_eq(count, 5);
	ring_is(fds[2], 2 * RING_BYTES_MIN, &configs[S2]);
	ring_is(fds[3], RING_BYTES_MIN, &configs[S2]);
	ck_assert_int_eq(fds[4], nodes[H1].doorbell);
	ck_assert_int_eq(nodes[S2].doorbell, -1);
	ck_assert_int_eq(fabric_port_descriptors(&fabric, H1, 0, fds, &count), 0);
	ck_assert_uint_eq(count, 8);
	ck_assert_int_eq(fds[5], fds[3]);
	ck_assert_int_eq(fds[6], fds[2]);
	ck_assert_int_eq(fds[7], nodes[S2].doorbell);
	ck_assert_int_eq(ring_fds[2], fds[2]);
	ck_assert_int_eq(ring_fds[3], fds[3]);
	/* the doorbell is the one that was made */
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S2, 1, fds, &count), 0);
	ck_assert_int_eq(fds[10], fds[4]);
	fabric_link_release(&fabric, 1);
	ck_assert_int_eq(fcntl(fds[2], F_GETFD), -1);
	ck_assert_int_eq(fcntl(fds[3], F_GETFD), -1);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(ring_fds[i], -1);
}

/* a link from a switch to itself: each end sends on the ring from which the other one receives */
TEST(fabric_port_descriptors__of_a_loop)
{
	ports[S1][1] = ports[S1][0];
	ports[S1][0].peer_index = ports[S1][1].peer_index = S1;
	ports[S1][0].peer_port = 1;
	ports[S1][0].ring_bytes = ports[S1][1].ring_bytes = RING_BYTES_MIN;
	links[0] = (struct plan_link){ .node_a = S1, .node_b = S1, .port_b = 1 };
	count = 0;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S1, 0, fds, &count), 0);
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S1, 1, fds, &count), 0);
	ck_assert_int_eq(fds[0], ring_fds[0]);
	ck_assert_int_eq(fds[1], ring_fds[1]);
	ck_assert_int_eq(fds[3], ring_fds[1]);
	ck_assert_int_eq(fds[4], ring_fds[0]);
	ports[S1][0].medium = ports[S1][1].medium = MEDIUM_VETH;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S1, 0, fds, &count), 0);
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S1, 1, fds, &count), 0);
	ck_assert_int_eq(fds[6], ring_fds[0]);
	ck_assert_int_eq(fds[7], ring_fds[1]);
}

static uint32_t sockets_made;
static int sockets_error;

static int veth_sockets(void *owner, uint32_t link, int made[2])
{
	ck_assert_ptr_eq(owner, &fabric);
	ck_assert_uint_eq(link, 1);
	sockets_made++;
	if (sockets_error)
		return sockets_error;
	made[0] = dup(STDERR_FILENO);
	made[1] = dup(STDERR_FILENO);
	return 0;
}

/* a socket at each end; both are made at the call for the first one */
TEST(fabric_port_descriptors__veth)
{
	ports[S2][1].medium = ports[H1][0].medium = MEDIUM_VETH;
	fabric.options.link_sockets = veth_sockets;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, H1, 0, fds, &count), 0);
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S2, 1, fds, &count), 0);
	ck_assert_uint_eq(count, 4);
	ck_assert_uint_eq(sockets_made, 1);
	ck_assert_int_eq(fds[2], ring_fds[3]);
	ck_assert_int_eq(fds[3], ring_fds[2]);
	ck_assert_int_eq(nodes[S2].doorbell, -1);
	fabric_link_release(&fabric, 1);
	sockets_error = -ENODEV;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S2, 1, fds, &count), -ENODEV);
}

static int plugged[3], tunnel_bell, plug_error;
static uint32_t plugged_link;

static int tunnel_doorbell(void *owner)
{
	ck_assert_ptr_eq(owner, &fabric);
	return tunnel_bell;
}

static int tunnel_plug(void *owner, uint32_t link, const int given[3])
{
	ck_assert_ptr_eq(owner, &fabric);
	plugged_link = link;
	memcpy(plugged, given, sizeof(plugged));
	return plug_error;
}

/* the tunnel has the other ends, and rings the node as a peer does */
TEST(fabric_port_descriptors__tunnel)
{
	static const struct fabric_tunnel tunnel = { .doorbell = tunnel_doorbell,
						     .plug = tunnel_plug };

	fabric.options.tunnel = &tunnel;
	ports[S2][1].medium = MEDIUM_TUNNEL;
	ports[S2][1].ring_bytes = ports[H1][0].ring_bytes = RING_BYTES_MIN;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S2, 1, fds, &count), 0);
	ck_assert_uint_eq(count, 5);
	ck_assert_int_eq(fds[2], ring_fds[2]);
	ck_assert_int_eq(fds[3], ring_fds[3]);
	ck_assert_int_eq(fds[4], tunnel_bell);
	ck_assert_uint_eq(plugged_link, 1);
	ck_assert_int_eq(plugged[0], fds[2]);
	ck_assert_int_eq(plugged[1], fds[3]);
	ck_assert_int_eq(plugged[2], nodes[S2].doorbell);
	ck_assert_int_eq(nodes[H1].doorbell, -1);
	tunnel_bell = -1;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S2, 1, fds, &count), -EBADF);
	plug_error = -ENETDOWN;
	ck_assert_int_eq(fabric_port_descriptors(&fabric, S2, 1, fds, &count), -ENETDOWN);
}

/* ---- the clock ---- */

/* windows of workers, if nodes are packed; of nodes under the real clock all the same */
TEST_RANGE(fabric_clock_make__virtual, 0, 3)
{
	uint32_t slots = _i == 1 ? 2 : NODES;
	size_t bytes = clock_bytes(slots);

	plan.lookahead_ps = 5 * NODE_US;
	plan.dilation = 3;
	fabric.options.real = _i == 2;
	fabric.options.pack = _i;
	fabric.pack.worker_count = 2;
	ck_assert_int_eq(fabric_clock_make(&fabric), 0);
	if (_i < 2)
		ck_assert_uint_eq(fabric.page_size, bytes);
	ck_assert_uint_eq(fabric.clock.node_count, slots);
	ck_assert_uint_eq(fabric.page->lookahead_ps, 5 * NODE_US);
	ck_assert_uint_eq(fabric.page->dilation, 3);
	ck_assert_uint_eq(fabric.page->epoch_ns, UINT64_MAX);
	ck_assert_ptr_eq(fabric.clock.page, fabric.page);
	ck_assert(clock_stopped(&fabric.clock));
	munmap(fabric.page, fabric.page_size);
	close(fabric.clock_fd);
}

/* ---- processes ---- */

TEST(fabric_start_socket__of_a_node)
{
	struct control_message message = { .kind = CONTROL_READY };
	struct epoll_event event;
	int end = -1, was = nodes[S2].control;

	ck_assert_int_eq(fabric_start_socket(&fabric, S2, &end), 0);
	ck_assert_int_ne(nodes[S2].control, was);
	ck_assert_int_eq(control_send(end, &message), 0);
	ck_assert_int_eq(epoll_wait(fabric.epoll_fd, &event, 1, 0), 1);
	ck_assert_uint_eq(event.data.u32, S2);
	close(end);
	close(was);
}

/* what it cannot watch it does not hand out */
TEST(fabric_start_socket__cannot_be_watched)
{
	int end = -1, was = nodes[S2].control, epoll_fd = fabric.epoll_fd;

	fabric.epoll_fd = -1;
	ck_assert_int_eq(fabric_start_socket(&fabric, S2, &end), -EBADF);
	ck_assert_int_eq(end, -1);
	fabric.epoll_fd = epoll_fd;
	close(was);
}

/* says to its control socket with which words it was started, and in which group it is */
__attribute__((constructor)) static void act_as_node(int argc, char **argv)
{
	struct control_message message = { .kind = CONTROL_EVENT };

	if (argc < 5 || strcmp(argv[0], "started") != 0)
		return;
	for (int i = 0; i < argc; i++)
		snprintf(message.text + strlen(message.text),
			 sizeof(message.text) - strlen(message.text), "%s ", argv[i]);
	message.number = getpgid(0);
	control_send(CONTROL_FD, &message);
	_exit(0);
}

/* starts node @node and waits for its end.  Return: its process group */
static int64_t started(uint32_t node, const char *expected)
{
	struct control_message message;
	struct why why;
	int64_t group;
	int end;

	close(nodes[node].control);
	nodes[node].pid = nodes[node].pid_shown = 0;
	ck_assert_int_eq(fabric_start_socket(&fabric, node, &end), 0);
	ck_assert_int_eq(fabric_start_process(&fabric, node, "started", "/proc/self/exe", end), 0);
	close(end);
	ck_assert_int_eq(control_receive(nodes[node].control, &message, 1, &why), 0);
	ck_assert_str_eq(message.text, expected);
	group = message.number;
	control_message_free(&message);
	ck_assert_int_gt(nodes[node].pid, 0);
	ck_assert_int_eq(nodes[node].pid_shown, nodes[node].pid);
	ck_assert_uint_ne(nodes[node].started_ns, 0);
	return group;
}

static void started_ends(uint32_t node)
{
	ck_assert_int_eq(waitpid(nodes[node].pid, NULL, 0), nodes[node].pid);
	nodes[node].pid = 0;
	fabric.alive--;
}

/* in a group that ends with the last of its processes */
TEST(fabric_start_process__words_and_group)
{
	char expected[256];
	pid_t first;

	fabric.alive = 0;
	fabric.options.poll_ns = 70;
	fabric.options.cores = FABRIC_CORES_FREE;
	snprintf(expected, sizeof(expected), "started --loop=auto --parent=%d --core=-1 --poll=70 ",
		 (int)getpid());
	ck_assert_int_eq(started(S1, expected), nodes[S1].pid);
	first = nodes[S1].pid;
	ck_assert_int_eq(fabric.group, first);
	strcat(expected, "--keep-user ");
	fabric.options.keep_user = true;
	ck_assert_int_eq(started(H1, expected), first);
	ck_assert_uint_eq(fabric.alive, 2);
	started_ends(S1);
	started_ends(H1);
	ck_assert_int_eq(started(S2, expected), nodes[S2].pid);
	ck_assert_int_eq(fabric.group, nodes[S2].pid);
	started_ends(S2);
}

TEST(fabric_start_process__no_program)
{
	nodes[S1].pid = 99;
	ck_assert_int_eq(fabric_start_process(&fabric, S1, "s1", "/no/such", ends[S1]), -ENOENT);
	ck_assert_int_eq(nodes[S1].pid, 0);
	ck_assert_uint_eq(fabric.alive, NODES);
}

/* nodes share a core, each worker another one, from the one of this process' number on */
TEST_RANGE(fabric_start_process__home_core, 0, 3)
{
	int cores[CPU_SETSIZE], core_count = 0;
	char expected[256];
	cpu_set_t allowed;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &allowed))
			cores[core_count++] = core;
	fabric.options.cores = FABRIC_CORES_HOME;
	fabric.alive = 0;
	nodes[S2].packed = _i;
	nodes[S2].slot = (uint32_t)_i;
	snprintf(expected, sizeof(expected), "started --loop=auto --parent=%d --core=%d --poll=0 ",
		 (int)getpid(), cores[(getpid() + _i) % core_count]);
	started(S2, expected);
	started_ends(S2);
}

/* ---- programs that are not beside this one ---- */

TEST_RANGE(fabric_nodes_start__no_program, 0, 2)
{
	fabric.options.pack = _i;
	ck_assert_int_eq(fabric_nodes_start(&fabric), -ENOENT);
	ck_assert_str_eq(fabric.failure, _i ? "cannot find the program workerd beside heddle"
					    : "cannot find the program switchd beside heddle");
}

/* nothing of the dead one is touched */
TEST(fabric_node_again__no_program)
{
	int was = nodes[H1].control;

	strcpy(nodes[H1].fate, "killed");
	ck_assert_int_eq(fabric_node_again(&fabric, H1), -ENOENT);
	ck_assert_str_eq(fabric.failure, "cannot find the program nicd beside heddle");
	ck_assert_int_eq(nodes[H1].control, was);
	ck_assert_str_eq(nodes[H1].fate, "killed");
}

TEST(fabric_start_why__in_words)
{
	ck_assert_str_eq(fabric_start_why(-ENOENT), "No such file or directory");
	ck_assert_str_eq(fabric_start_why(-EMFILE), "too few file descriptors allowed, raise the "
						    "hard limit (ulimit -Hn)");
}
