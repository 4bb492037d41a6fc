#include "orchestrator/tunnel/tunnel_names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/process/privilege.h"
#include "orchestrator/base/descriptor.h"

#define LOOK_NS 2000000000ull

static bool is_address(const char *host)
{
	unsigned char bytes[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

static bool any_name(const struct tunnel_options *options)
{
	for (uint32_t m = 0; m < options->machine_count; m++)
		if (m != options->self && !is_address(options->machines[m].host))
			return true;
	return false;
}

/* ---- the process ---- */

static bool is_among(const struct addrinfo *found, const struct sockaddr_storage *address,
		     socklen_t length)
{
	for (; found; found = found->ai_next)
		if (found->ai_addrlen == length && !memcmp(found->ai_addr, address, length))
			return true;
	return false;
}

/* connects @socket to the address that the machine has now, if it is another one */
static void follow(const struct tunnel_address *address, int socket)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM }, *found;
	struct sockaddr_storage peer = { 0 };
	socklen_t length = sizeof(peer), size = sizeof(hints.ai_family);

	if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &hints.ai_family, &size) ||
	    getpeername(socket, (struct sockaddr *)&peer, &length) ||
	    getaddrinfo(address->host, address->port, &hints, &found))
		return;
	if (!is_among(found, &peer, length))
		(void)!connect(socket, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
}

/* the lowest descriptor from @from on that the process keeps; UINT_MAX: none */
static unsigned kept_next(const struct tunnel *tunnel, int orders, unsigned from)
{
	unsigned next = (unsigned)orders >= from ? (unsigned)orders : UINT_MAX;

	for (uint32_t m = 0; m < tunnel->options->machine_count; m++) {
		unsigned fd = (unsigned)tunnel->sockets[m]; /* -1: UINT_MAX */

		if (fd >= from && fd < next)
			next = fd;
	}
	return next;
}

static void descriptors_close(const struct tunnel *tunnel, int orders)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned from = 3, next;

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	while ((next = kept_next(tunnel, orders, from)) != UINT_MAX) {
		if (next > from)
			close_range(from, next - 1, 0);
		from = next + 1;
	}
	close_range(from, UINT_MAX, 0);
}

static _Noreturn void names_run(const struct tunnel *tunnel, int orders, pid_t parent)
{
	uint8_t machine;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_NAME, "heddle names");
	descriptors_close(tunnel, orders);
	if (privilege_drop(parent, geteuid() != 0))
		_exit(EXIT_FAILURE);
	while (read(orders, &machine, 1) == 1)
		if (machine < tunnel->options->machine_count && tunnel->sockets[machine] >= 0)
			follow(&tunnel->options->machines[machine], tunnel->sockets[machine]);
	_exit(EXIT_SUCCESS);
}

/* ---- the daemon's side ---- */

int tunnel_names_start(struct tunnel *tunnel)
{
	pid_t parent = getpid();
	int ends[2];

	if (!any_name(tunnel->options))
		return 0;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	tunnel->names_pid = fork();
	if (!tunnel->names_pid)
		names_run(tunnel, ends[0], parent);
	close(ends[0]);
	tunnel->names = ends[1];
	fcntl(tunnel->names, F_SETFL, O_NONBLOCK);
	if (tunnel->names_pid > 0)
		return 0;
	tunnel->names_pid = 0;
	descriptor_close(&tunnel->names);
	return -EAGAIN;
}

/* is the machine known by name, and not connected? */
static bool is_sought(const struct tunnel *tunnel, uint32_t machine)
{
	return machine != tunnel->options->self && !tunnel_connected(tunnel, machine) &&
	       !is_address(tunnel->options->machines[machine].host);
}

uint64_t tunnel_names_wait_ns(const struct tunnel *tunnel)
{
	uint64_t since_ns = monotonic_ns() - tunnel->names_ns;

	for (uint32_t m = 0; tunnel->names >= 0 && m < tunnel->options->machine_count; m++)
		if (is_sought(tunnel, m))
			return since_ns < LOOK_NS ? LOOK_NS - since_ns : 0;
	return UINT64_MAX;
}

void tunnel_names_look(struct tunnel *tunnel)
{
	if (tunnel->names < 0 || monotonic_ns() - tunnel->names_ns < LOOK_NS)
		return;
	tunnel->names_ns = monotonic_ns();
	for (uint32_t m = 0; m < tunnel->options->machine_count; m++) {
		uint8_t machine = (uint8_t)m;

		/* a full pipe: it is busy with earlier ones */
		if (is_sought(tunnel, m) && write(tunnel->names, &machine, 1) < 0 && errno == EPIPE)
			descriptor_close(&tunnel->names);
		if (tunnel->names < 0)
			return;
	}
}

void tunnel_names_ended(struct tunnel *tunnel)
{
	tunnel->names_pid = 0;
	descriptor_close(&tunnel->names);
}

void tunnel_names_end(struct tunnel *tunnel)
{
	descriptor_close(&tunnel->names);
	if (!tunnel->names_pid)
		return;
	if (!kill(tunnel->names_pid, SIGKILL))
		waitpid(tunnel->names_pid, NULL, 0);
	tunnel->names_pid = 0;
}
