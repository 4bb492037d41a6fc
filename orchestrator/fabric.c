#include "orchestrator/fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/futex.h"
#include "nodes/ring.h"
#include "orchestrator/interrupt.h"

static int clock_make(struct fabric *fabric);
static int node_start(struct fabric *fabric, uint32_t index, const char *program);
static int nodes_await(struct fabric *fabric);
static bool children_look(struct fabric *fabric);
static bool messages_look(struct fabric *fabric, int timeout_ms);
static bool watchdog_bites(struct fabric *fabric);

/* ---- small helpers ---- */

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static uint64_t rusage_ns(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ull +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ull;
}

/* the first failure is the cause, later ones follow from it */
static void __attribute__((format(printf, 2, 3))) fail(struct fabric *fabric, const char *format, ...)
{
	va_list arguments;

	if (fabric->failure[0])
		return;
	va_start(arguments, format);
	vsnprintf(fabric->failure, sizeof(fabric->failure), format, arguments);
	va_end(arguments);
}

static const char *kind_name(const struct fabric *fabric, uint32_t node)
{
	return fabric->plan->nodes[node].kind == NODE_SWITCH ? "switch" : "NIC";
}

/* "switch s2 (pid 123) was killed ..." */
static void __attribute__((format(printf, 3, 4)))
fail_node(struct fabric *fabric, uint32_t node, const char *format, ...)
{
	char cause[FABRIC_FAILURE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	fail(fabric, "%s %s (pid %d) %s", kind_name(fabric, node), fabric->plan->nodes[node].name,
	     (int)fabric->nodes[node].pid_shown, cause);
}

static void stops_wait(struct fabric *fabric, uint32_t timeout_ms)
{
	struct timespec timeout = { .tv_sec = timeout_ms / 1000, .tv_nsec = (long)(timeout_ms % 1000) * 1000000 };

	futex_wait(&fabric->page->stops, fabric->stops_seen, &timeout);
}

/* anonymous shared memory of @size bytes that nobody can resize */
static int memory_make(const char *name, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- start ---- */

static void descriptor_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* the program @name: beside this one, or where `make install` puts it */
static int program_find(const char *name, char *path, size_t path_max)
{
	static const char *const places[] = { "", "../lib/heddle/", "../libexec/heddle/" };
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return -ENOENT;
	self[length] = 0;
	*(strrchr(self, '/') + 1) = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(path, path_max, "%s%s%s", self, places[i], name) < (int)path_max && !access(path, X_OK))
			return 0;
	}
	return -ENOENT;
}

static int fabric_alloc(struct fabric *fabric)
{
	const struct plan *plan = fabric->plan;

	fabric->nodes = calloc(plan->node_count, sizeof(*fabric->nodes));
	fabric->wake = calloc(plan->node_count, sizeof(*fabric->wake));
	fabric->ring_fds = malloc((2 * (size_t)plan->link_count + 1) * sizeof(*fabric->ring_fds));
	if (!fabric->nodes || !fabric->wake || !fabric->ring_fds) {
		fail(fabric, "not enough memory to start %u nodes", plan->node_count);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->node_count; i++)
		fabric->nodes[i].control = -1;
	for (uint32_t i = 0; i < 2 * plan->link_count; i++)
		fabric->ring_fds[i] = -1;
	fabric->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return fabric->epoll_fd < 0 ? -errno : 0;
}

int fabric_start(struct fabric *fabric, const struct plan *plan, const struct fabric_options *options)
{
	static const char *const program_name[NODE_KINDS] = { [NODE_SWITCH] = "switchd", [NODE_NIC] = "nicd" };
	char program[NODE_KINDS][PATH_MAX];
	uint64_t began_ns = wall_ns();
	int error;

	*fabric = (struct fabric){ .plan = plan, .options = *options, .clock_fd = -1, .epoll_fd = -1 };
	for (int kind = 0; kind < NODE_KINDS; kind++) {
		error = program_find(program_name[kind], program[kind], sizeof(program[kind]));
		if (error) {
			fail(fabric, "cannot find the program %s beside heddle", program_name[kind]);
			return error;
		}
	}
	descriptor_limit_raise();
	error = fabric_alloc(fabric);
	if (!error)
		error = clock_make(fabric);
	for (uint32_t i = 0; i < plan->node_count && !error; i++) {
		error = interrupt_seen() ? -EINTR : node_start(fabric, i, program[plan->nodes[i].kind]);
		if (children_look(fabric))
			error = -EIO;
	}
	if (!error)
		error = nodes_await(fabric);
	if (error && error != -EINTR)
		fail(fabric, "cannot start the fabric: %s", strerror(-error));
	fabric->start_ns = wall_ns() - began_ns;
	return error;
}

static int clock_make(struct fabric *fabric)
{
	fabric->page_size = clock_bytes(fabric->plan->node_count);
	fabric->clock_fd = memory_make("heddle-clock", fabric->page_size);
	if (fabric->clock_fd < 0)
		return fabric->clock_fd;
	fabric->page = mmap(NULL, fabric->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fabric->clock_fd, 0);
	if (fabric->page == MAP_FAILED) {
		fabric->page = NULL;
		return -errno;
	}
	clock_init(fabric->page, fabric->plan->node_count, fabric->plan->lookahead_ps);
	return clock_attach(&fabric->clock, fabric->page, fabric->page_size);
}

/* the statistics page of node @index: laid out here, written by the node, mapped read-only by us; returns its fd */
static int stats_make(struct fabric *fabric, uint32_t index)
{
	const struct node_config *config = &fabric->plan->nodes[index];
	struct fabric_node *node = &fabric->nodes[index];
	struct stats_page header;
	void *mapped;
	int fd;

	node->stats_size = stats_bytes(config);
	fd = memory_make("heddle-statistics", node->stats_size);
	if (fd < 0)
		return fd;
	stats_init(&header, config);
	mapped = mmap(NULL, node->stats_size, PROT_READ, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED || pwrite(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header)) {
		close(fd);
		return -ENOMEM;
	}
	node->stats = mapped;
	return fd;
}

/* the ring on which link @link carries what end @from_b (else a) sends; made when its first end asks for it */
static int ring_get(struct fabric *fabric, uint32_t link, bool from_b, uint32_t data_bytes)
{
	int *fd = &fabric->ring_fds[2 * link + from_b];
	struct ring_page header = { 0 };

	if (*fd >= 0)
		return *fd;
	*fd = memory_make("heddle-ring", ring_bytes(data_bytes));
	if (*fd < 0)
		return *fd;
	ring_init(&header, data_bytes);
	return pwrite(*fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) ? *fd : -ENOMEM;
}

/* both rings of port @port of node @index, transmit first */
static int port_rings(struct fabric *fabric, uint32_t index, uint32_t port, int fds[2])
{
	const struct port_config *config = &fabric->plan->nodes[index].ports[port];
	const struct plan_link *link = &fabric->plan->links[config->link_index];
	const struct port_config *peer = &fabric->plan->nodes[config->peer_index].ports[config->peer_port];
	bool is_b = link->node_b == index && link->port_b == port;

	fds[0] = ring_get(fabric, config->link_index, is_b, config->ring_bytes);
	fds[1] = ring_get(fabric, config->link_index, !is_b, peer->ring_bytes);
	return fds[0] < 0 ? fds[0] : fds[1] < 0 ? fds[1] : 0;
}

/* closes the rings of links whose other end has been given them before */
static void rings_release(struct fabric *fabric, uint32_t index)
{
	const struct node_config *config = &fabric->plan->nodes[index];

	for (uint32_t port = 0; port < config->port_count; port++) {
		const struct port_config *end = &config->ports[port];

		if (end->peer_index < index || (end->peer_index == index && end->peer_port <= port)) {
			close_fd(&fabric->ring_fds[2 * end->link_index]);
			close_fd(&fabric->ring_fds[2 * end->link_index + 1]);
		}
	}
}

/* a system limits how many descriptors are under way at once: those of nodes that are starting will be taken soon */
static int configuration_send(struct fabric *fabric, uint32_t index, const struct control_message *message)
{
	for (int tries = 0; tries < 2000; tries++) {
		int error = control_send(fabric->nodes[index].control, message);

		if (error != -ETOOMANYREFS)
			return error;
		usleep(1000);
	}
	return -ETOOMANYREFS;
}

static int node_configure(struct fabric *fabric, uint32_t index)
{
	struct control_message message = { .kind = CONTROL_CONFIGURE,
					   .config = &fabric->plan->nodes[index],
					   .fd_count = 2 };
	int error = 0;
	int stats_fd = stats_make(fabric, index);

	if (stats_fd < 0)
		return stats_fd;
	message.fds[0] = fabric->clock_fd;
	message.fds[1] = stats_fd;
	for (uint32_t port = 0; port < fabric->plan->nodes[index].port_count && !error; port++) {
		error = port_rings(fabric, index, port, &message.fds[message.fd_count]);
		message.fd_count += 2;
	}
	if (!error)
		error = configuration_send(fabric, index, &message);
	close(stats_fd);
	rings_release(fabric, index);
	return error;
}

/* the process of node @index, with @socket as its descriptor 3 */
static int node_spawn(struct fabric *fabric, uint32_t index, const char *program, int socket)
{
	char loop[64], parent[32];
	char *arguments[] = { (char *)fabric->plan->nodes[index].name, loop, parent, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;

	snprintf(loop, sizeof(loop), "--loop=%s", fabric->options.loop);
	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, socket, CONTROL_FD);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, fabric->group);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	error = posix_spawn(&fabric->nodes[index].pid, program, &actions, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (error) {
		fabric->nodes[index].pid = 0;
		return -error;
	}
	if (!fabric->group)
		fabric->group = fabric->nodes[index].pid;
	fabric->nodes[index].pid_shown = fabric->nodes[index].pid;
	fabric->alive++;
	return 0;
}

static int node_start(struct fabric *fabric, uint32_t index, const char *program)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = index };
	int sockets[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		error = -errno;
	else {
		fabric->nodes[index].control = sockets[0];
		error = node_spawn(fabric, index, program, sockets[1]);
		close(sockets[1]);
	}
	if (!error && epoll_ctl(fabric->epoll_fd, EPOLL_CTL_ADD, fabric->nodes[index].control, &interest))
		error = -errno;
	if (!error)
		error = node_configure(fabric, index);
	if (error == -EPIPE)
		return 0; /* it is dead: whoever looks at the children says why */
	if (error)
		fail(fabric, "cannot start %s %s (%u of %u): %s", kind_name(fabric, index),
		     fabric->plan->nodes[index].name, index + 1, fabric->plan->node_count,
		     error == -EMFILE ? "too few file descriptors allowed, raise the hard limit (ulimit -Hn)"
				      : strerror(-error));
	return error;
}

/* every node says READY, in any order */
static int nodes_await(struct fabric *fabric)
{
	uint64_t waited_from_ns = wall_ns();
	uint32_t ready_before = fabric->ready;

	while (fabric->ready < fabric->plan->node_count) {
		if (interrupt_seen())
			return -EINTR;
		if (messages_look(fabric, FABRIC_SLICE_MS) || children_look(fabric))
			return -EIO;
		if (fabric->ready != ready_before) {
			ready_before = fabric->ready;
			waited_from_ns = wall_ns();
		} else if (wall_ns() - waited_from_ns > FABRIC_READY_MS * 1000000ull) {
			uint32_t late = 0;

			while (fabric->nodes[late].ready)
				late++;
			fail_node(fabric, late, "did not become ready within %u s", FABRIC_READY_MS / 1000);
			return -ETIMEDOUT;
		}
	}
	return 0;
}

/* ---- run ---- */

void fabric_resume(struct fabric *fabric, node_time_t limit_ps)
{
	uint32_t count;

	fabric->limit_ps = limit_ps;
	fabric->stops_seen = atomic_load(&fabric->page->stops);
	watchdog_start(&fabric->watchdog, fabric->options.watchdog_ns, wall_ns());
	count = clock_resume(&fabric->clock, limit_ps, fabric->wake);
	for (uint32_t i = 0; i < count; i++)
		clock_ring(&fabric->clock, fabric->wake[i]);
}

enum fabric_state fabric_wait(struct fabric *fabric, uint32_t timeout_ms)
{
	uint64_t began_ns = wall_ns(), passed_ms = 0;
	enum fabric_state state = FABRIC_RUNNING;

	while (state == FABRIC_RUNNING) {
		if (clock_stopped(&fabric->clock))
			state = FABRIC_STOPPED;
		else if (interrupt_seen())
			state = FABRIC_INTERRUPTED;
		else if (children_look(fabric) || messages_look(fabric, 0) || watchdog_bites(fabric))
			state = FABRIC_FAILED;
		else if (passed_ms >= timeout_ms)
			break;
		else
			stops_wait(fabric, timeout_ms - passed_ms < FABRIC_SLICE_MS ? (uint32_t)(timeout_ms - passed_ms)
										    : FABRIC_SLICE_MS);
		passed_ms = (wall_ns() - began_ns) / 1000000;
	}
	if (state == FABRIC_STOPPED && (children_look(fabric) || messages_look(fabric, 0)))
		state = FABRIC_FAILED;
	fabric->run_ns += wall_ns() - began_ns;
	return state;
}

node_time_t fabric_now(const struct fabric *fabric)
{
	if (!clock_stopped(&fabric->clock))
		return atomic_load(&fabric->page->start_ps);
	return node_time_min(fabric->limit_ps, clock_earliest(&fabric->clock));
}

uint64_t fabric_holds(const struct fabric *fabric, uint32_t node)
{
	struct stats_page *page = fabric->nodes[node].stats;

	return fabric->plan->nodes[node].kind == NODE_SWITCH ? page->inside_bytes : stats_port(page, 0)->queue_bytes;
}

/* ---- watching ---- */

static uint32_t node_of_pid(const struct fabric *fabric, pid_t pid)
{
	uint32_t i = 0;

	while (i < fabric->plan->node_count && fabric->nodes[i].pid != pid)
		i++;
	return i;
}

/* child @node is gone; returns whether it went as it should after the end of the clock */
static bool node_reaped(struct fabric *fabric, uint32_t node, int status, const struct rusage *usage)
{
	bool ended = atomic_load(&fabric->page->state) == CLOCK_ENDED;

	fabric->stopped -= fabric->nodes[node].stopped_ns != 0;
	fabric->nodes[node].stopped_ns = 0;
	fabric->nodes[node].pid = 0;
	fabric->alive--;
	fabric->cpu_ns += rusage_ns(usage);
	if (WIFSIGNALED(status))
		fail_node(fabric, node, "was killed by signal %d (%s)%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
			  ended ? " while it was leaving" : "");
	else if (!ended || WEXITSTATUS(status))
		fail_node(fabric, node, "left %s with status %d", ended ? "at the end" : "in the middle of the run",
			  WEXITSTATUS(status));
	else
		return true;
	return false;
}

static void node_stopped(struct fabric *fabric, uint32_t node, bool stopped)
{
	if (stopped == (fabric->nodes[node].stopped_ns != 0))
		return;
	fabric->nodes[node].stopped_ns = stopped ? wall_ns() : 0;
	fabric->stopped += stopped ? 1 : -1u;
}

/* has a child died, or been stopped for too long? */
static bool children_look(struct fabric *fabric)
{
	struct rusage usage;
	bool failed = false;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &usage)) > 0) {
		uint32_t node = node_of_pid(fabric, pid);

		if (node == fabric->plan->node_count)
			continue;
		if (WIFSTOPPED(status) || WIFCONTINUED(status))
			node_stopped(fabric, node, WIFSTOPPED(status));
		else
			failed |= !node_reaped(fabric, node, status, &usage);
	}
	if (!fabric->stopped || !fabric->options.watchdog_ns)
		return failed;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		if (fabric->nodes[i].stopped_ns &&
		    wall_ns() - fabric->nodes[i].stopped_ns > fabric->options.watchdog_ns) {
			fail_node(fabric, i, "was stopped by a signal and has not gone on for %.1f s",
				  (double)fabric->options.watchdog_ns / 1e9);
			return true;
		}
	}
	return failed;
}

/* takes in one message of @node; false if it means the end of the run */
static bool message_take(struct fabric *fabric, uint32_t node, const struct control_message *message)
{
	if (message->kind == CONTROL_READY && !fabric->nodes[node].ready) {
		fabric->nodes[node].ready = true;
		fabric->ready++;
		snprintf(fabric->nodes[node].loop, sizeof(fabric->nodes[node].loop), "%.63s", message->text);
	} else if (message->kind == CONTROL_EVENT && message->number) {
		fail_node(fabric, node, "reports: %s", message->text);
		return false;
	} else if (message->kind == CONTROL_EVENT) {
		fprintf(stderr, "heddle: %s %s: %s\n", kind_name(fabric, node), fabric->plan->nodes[node].name,
			message->text);
	}
	return true;
}

/* everything that @node has to say; false if it means the end of the run */
static bool messages_take(struct fabric *fabric, uint32_t node)
{
	struct control_message message;
	char why[256] = "";
	bool fine = true;
	int error;

	while (fine && !(error = control_receive(fabric->nodes[node].control, &message, 0, why, sizeof(why)))) {
		fine = message_take(fabric, node, &message);
		control_message_free(&message);
	}
	if (!fine || error == -EAGAIN)
		return fine;
	/* it is gone, which children_look() reports with the reason, or talks nonsense */
	epoll_ctl(fabric->epoll_fd, EPOLL_CTL_DEL, fabric->nodes[node].control, NULL);
	if (error == -EINVAL)
		fail_node(fabric, node, "sent a control message that makes no sense: %s", why);
	return error != -EINVAL;
}

static bool messages_look(struct fabric *fabric, int timeout_ms)
{
	struct epoll_event events[64];
	int count = epoll_wait(fabric->epoll_fd, events, 64, timeout_ms);

	for (int i = 0; i < count; i++) {
		if (!messages_take(fabric, events[i].data.u32))
			return true;
	}
	return false;
}

static uint64_t node_cpu_ns(const struct fabric *fabric, uint32_t node)
{
	struct timespec used;
	clockid_t id;

	if (!fabric->nodes[node].pid || clock_getcpuclockid(fabric->nodes[node].pid, &id) || clock_gettime(id, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000ull + (uint64_t)used.tv_nsec;
}

/* the nodes that have not finished @window: how many, their CPU time; the first goes to @first */
static uint32_t late_nodes(const struct fabric *fabric, uint32_t window, uint32_t *first, uint64_t *cpu_ns)
{
	uint32_t count = 0;

	*cpu_ns = 0;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		if (!clock_takes_part(&fabric->clock, i) || atomic_load(&fabric->clock.done[i]) == window)
			continue;
		if (!count++)
			*first = i;
		*cpu_ns += node_cpu_ns(fabric, i);
	}
	return count;
}

static bool watchdog_bites(struct fabric *fabric)
{
	uint32_t window = atomic_load(&fabric->page->window), first = 0, count = 0;
	enum watchdog_verdict verdict;
	uint64_t cpu_ns = 0;
	char others[32] = "";

	if (watchdog_wants_cpu(&fabric->watchdog, window))
		count = late_nodes(fabric, window, &first, &cpu_ns);
	verdict = watchdog_look(&fabric->watchdog, wall_ns(), window, cpu_ns);
	if (verdict == WATCHDOG_FINE)
		return false;
	if (count > 1)
		snprintf(others, sizeof(others), ", nor have %u others", count - 1);
	fail_node(fabric, first, "%s: it has not finished window %u at %llu ps for %.1f s%s",
		  verdict == WATCHDOG_HANGS ? "hangs" : "runs in circles", window,
		  (unsigned long long)atomic_load(&fabric->page->start_ps), (double)fabric->watchdog.stalled_ns / 1e9,
		  others);
	return true;
}

/* ---- asking ---- */

int fabric_ask(struct fabric *fabric, uint32_t node, struct control_message *message)
{
	uint64_t deadline_ns = wall_ns() + FABRIC_ANSWER_MS * 1000000ull;
	int error = control_send(fabric->nodes[node].control, message);
	char why[256] = "";

	memset(message, 0, sizeof(*message));
	if (error)
		return error;
	clock_ring(&fabric->clock, node);
	while (wall_ns() < deadline_ns) {
		error = control_receive(fabric->nodes[node].control, message, 0, why, sizeof(why));
		if (!error && message->kind == CONTROL_ANSWER)
			return 0;
		if (!error && !message_take(fabric, node, message))
			error = -EIO;
		if (!error)
			control_message_free(message);
		memset(message, 0, sizeof(*message));
		if ((error && error != -EAGAIN) || children_look(fabric))
			return -EIO;
		usleep(200);
	}
	return -ETIMEDOUT;
}

/* ---- end ---- */

/* reaps until nobody is left or @timeout_ms are over */
static void reap(struct fabric *fabric, uint32_t timeout_ms)
{
	uint64_t deadline_ns = wall_ns() + timeout_ms * 1000000ull;

	for (;;) {
		children_look(fabric);
		if (!fabric->alive || wall_ns() >= deadline_ns)
			return;
		usleep(500);
	}
}

int fabric_end(struct fabric *fabric)
{
	uint64_t began_ns = wall_ns();

	if (!fabric->page || !fabric->nodes)
		return 0;
	/* at the end of the window that is open, so that the counters of all nodes stand at one moment */
	if (!clock_stopped(&fabric->clock))
		fabric->limit_ps = NODE_TIME_NEVER;
	atomic_store(&fabric->page->limit_ps, 0);
	while (fabric->ready == fabric->plan->node_count && !clock_stopped(&fabric->clock) &&
	       wall_ns() - began_ns < FABRIC_END_MS * 1000000ull / 2 && !children_look(fabric))
		stops_wait(fabric, FABRIC_SLICE_MS);
	fabric->stopped_at_ps = fabric_now(fabric);
	fabric->empty = clock_earliest(&fabric->clock) == NODE_TIME_NEVER;
	atomic_store(&fabric->page->state, CLOCK_ENDED);
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		clock_ring(&fabric->clock, i);
	reap(fabric, FABRIC_END_MS);
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		if (fabric->nodes[i].pid)
			fail_node(fabric, i, "did not leave within %u s and was killed", FABRIC_END_MS / 1000);
	}
	fabric_kill(fabric);
	fabric->end_ns = wall_ns() - began_ns;
	return fabric->failure[0] ? -EIO : 0;
}

void fabric_kill(struct fabric *fabric)
{
	if (!fabric->alive)
		return;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		if (fabric->nodes[i].pid)
			kill(fabric->nodes[i].pid, SIGKILL);
	}
	fail(fabric, "the nodes were killed");
	reap(fabric, FABRIC_END_MS);
}

struct stats_page **fabric_pages(struct fabric *fabric)
{
	struct stats_page **pages = calloc(fabric->plan->node_count, sizeof(struct stats_page *));

	for (uint32_t i = 0; pages && i < fabric->plan->node_count; i++) {
		pages[i] = fabric->nodes[i].stats;
		if (stats_check(pages[i], fabric->nodes[i].stats_size)) {
			fail_node(fabric, i, "has destroyed its statistics page");
			free(pages);
			return NULL;
		}
	}
	return pages;
}

struct result_host fabric_cost(const struct fabric *fabric)
{
	struct result_host cost = { .start_s = (double)fabric->start_ns / 1e9,
				    .wall_s = (double)fabric->run_ns / 1e9,
				    .end_s = (double)fabric->end_ns / 1e9,
				    .windows = atomic_load(&fabric->page->windows),
				    .node_windows = atomic_load(&fabric->page->node_windows),
				    .wakes = atomic_load(&fabric->page->wakes) };
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	cost.cpu_s = (double)(fabric->cpu_ns + rusage_ns(&own)) / 1e9;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		cost.packet_hops += fabric->nodes[i].stats->data_hops;
	return cost;
}

void fabric_free(struct fabric *fabric)
{
	for (uint32_t i = 0; fabric->nodes && i < fabric->plan->node_count; i++) {
		close_fd(&fabric->nodes[i].control);
		if (fabric->nodes[i].stats)
			munmap(fabric->nodes[i].stats, fabric->nodes[i].stats_size);
	}
	for (uint32_t i = 0; fabric->ring_fds && i < 2 * fabric->plan->link_count; i++)
		close_fd(&fabric->ring_fds[i]);
	if (fabric->page)
		munmap(fabric->page, fabric->page_size);
	if (fabric->nodes) {
		close_fd(&fabric->clock_fd);
		close_fd(&fabric->epoll_fd);
	}
	free(fabric->nodes);
	free(fabric->wake);
	free(fabric->ring_fds);
	*fabric = (struct fabric){ 0 };
}
