/*  orchestrator/tunnel/tunnel_names: a machine that is known by name is followed to its address,
 *  but only if it is not connected (SC-5). The name is localhost. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/monotonic.h"
#include "orchestrator/tunnel/tunnel_names.h"
#include "tests/testing.h"

#define SELF 1u
#define OTHER 2u
#define PORT_BEFORE 9
#define PORT_NOW "7118"
#define LOOK_NS 2000000000ull /* once in two seconds */

static struct tunnel_options options;
static struct tunnel tunnel;

/* three machines: one by address, this one, one by name */
static void setup(void)
{
	testing_input();
	options = (struct tunnel_options){ .machine_count = 3, .self = SELF };
	strcpy(options.machines[0].host, "127.0.0.1");
	strcpy(options.machines[SELF].host, "localhost");
	strcpy(options.machines[OTHER].host, "localhost");
	for (uint32_t m = 0; m < options.machine_count; m++)
		strcpy(options.machines[m].port, PORT_NOW);
	tunnel_init(&tunnel, &options);
}

static void teardown(void)
{
	tunnel_names_end(&tunnel);
	for (uint32_t m = 0; m < options.machine_count; m++)
		close(tunnel.sockets[m]);
}

TEST_GROUP(tunnel_names, .setup = setup, .teardown = teardown);

static int socket_make(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(PORT_BEFORE),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static int port_of(int socket)
{
	struct sockaddr_in to;
	socklen_t length = sizeof(to);

	ck_assert_int_eq(getpeername(socket, (struct sockaddr *)&to, &length), 0);
	ck_assert_uint_eq(to.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	return ntohs(to.sin_port);
}

static void start(void)
{
	tunnel.sockets[0] = socket_make();
	tunnel.sockets[OTHER] = socket_make();
	ck_assert_int_eq(tunnel_names_start(&tunnel), 0);
}

TEST(tunnel_names_start__no_process_for_addresses)
{
	static const char *const addresses[] = { "192.0.2.1", "fd01::1", "::" };

	for (size_t i = 0; i < COUNT_OF(addresses); i++) {
		strcpy(options.machines[OTHER].host, addresses[i]);
		ck_assert_int_eq(tunnel_names_start(&tunnel), 0);
		ck_assert_int_eq(tunnel.names_pid, 0);
		ck_assert_int_eq(tunnel.names, -1);
		ck_assert_uint_eq(tunnel_names_wait_ns(&tunnel), UINT64_MAX);
		tunnel_names_look(&tunnel);
		ck_assert_uint_eq(tunnel.names_ns, 0);
	}
	tunnel_names_end(&tunnel);
}

/* the machine's socket leads to its new address; those of the others stay */
TEST(tunnel_names_look__follows_a_name)
{
	start();
	ck_assert_int_gt(tunnel.names_pid, 0);
	ck_assert_uint_eq(tunnel_names_wait_ns(&tunnel), 0);
	tunnel_names_look(&tunnel);
	ck_assert_uint_gt(tunnel.names_ns, 0);
	while (port_of(tunnel.sockets[OTHER]) == PORT_BEFORE)
		usleep(1000);
	ck_assert_int_eq(port_of(tunnel.sockets[OTHER]), atoi(PORT_NOW));
	ck_assert_int_eq(port_of(tunnel.sockets[0]), PORT_BEFORE);
}

/* a machine without a socket, or of another family, is left alone; a later one is followed */
TEST(tunnel_names_look__continues_after_one_that_fails)
{
	options.machine_count = 4;
	tunnel.sockets[3] = socket_make();
	strcpy(options.machines[3].host, "localhost");
	strcpy(options.machines[3].port, PORT_NOW);
	strcpy(options.machines[OTHER].port, "no port");
	start();
	tunnel_names_look(&tunnel);
	while (port_of(tunnel.sockets[3]) == PORT_BEFORE)
		usleep(1000);
	ck_assert_int_eq(port_of(tunnel.sockets[OTHER]), PORT_BEFORE);
}

/* the orders that were written, a byte each */
static ssize_t orders_read(const int orders[2], char machines[8])
{
	ssize_t length = read(orders[0], machines, 8);

	return length < 0 && errno == EAGAIN ? 0 : length;
}

TEST(tunnel_names_look__once_in_two_seconds)
{
	uint64_t now_ns, wait_ns, took_ns;
	int orders[2];
	char machines[8];

	ck_assert_int_eq(pipe2(orders, O_NONBLOCK), 0);
	tunnel.names = orders[1];
	tunnel_names_look(&tunnel);
	ck_assert_int_eq(orders_read(orders, machines), 1);
	ck_assert_int_eq(machines[0], OTHER);
	do {
		tunnel.names_ns = now_ns = monotonic_ns();
		wait_ns = tunnel_names_wait_ns(&tunnel);
		tunnel_names_look(&tunnel);
		took_ns = monotonic_ns() - now_ns;
	} while (took_ns >= LOOK_NS && orders_read(orders, machines) >= 0); /* it was paused */
	ck_assert_int_eq(orders_read(orders, machines), 0);
	ck_assert_uint_eq(tunnel.names_ns, now_ns);
	ck_assert_uint_le(wait_ns, LOOK_NS);
	ck_assert_uint_ge(wait_ns, LOOK_NS - took_ns);
	tunnel.names_ns = monotonic_ns() - LOOK_NS;
	ck_assert_uint_eq(tunnel_names_wait_ns(&tunnel), 0);
	tunnel_names_look(&tunnel);
	ck_assert_int_eq(orders_read(orders, machines), 1);
	close(orders[0]);
}

/* to look up a machine that is connected would break its session */
TEST(tunnel_names_look__connected_ones_are_left_alone)
{
	int orders[2];
	char machines[8];

	ck_assert_int_eq(pipe2(orders, O_NONBLOCK), 0);
	tunnel.names = orders[1];
	tunnel.pid = 1;
	tunnel.news[OTHER].state = TUNNEL_CONNECTED;
	ck_assert_uint_eq(tunnel_names_wait_ns(&tunnel), UINT64_MAX);
	tunnel_names_look(&tunnel);
	ck_assert_int_eq(orders_read(orders, machines), 0);
	close(orders[0]);
}

/* the process has died: no more orders */
TEST(tunnel_names_look__ends_with_the_process)
{
	int orders[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(orders), 0);
	close(orders[0]);
	tunnel.names = orders[1];
	tunnel_names_look(&tunnel);
	ck_assert_int_eq(tunnel.names, -1);
	ck_assert_uint_eq(tunnel_names_wait_ns(&tunnel), UINT64_MAX);
}

TEST(tunnel_names_ended__process_is_forgotten)
{
	pid_t pid;

	start();
	pid = tunnel.names_pid;
	tunnel_names_ended(&tunnel);
	ck_assert_int_eq(tunnel.names_pid, 0);
	ck_assert_int_eq(tunnel.names, -1);
	/* without orders it ends */
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

TEST(tunnel_names_end__process_has_ended)
{
	pid_t pid;

	start();
	pid = tunnel.names_pid;
	tunnel_names_end(&tunnel);
	ck_assert_int_eq(tunnel.names_pid, 0);
	ck_assert_int_eq(tunnel.names, -1);
	ck_assert_int_eq(kill(pid, 0), -1);
	ck_assert_int_eq(errno, ESRCH);
}

static unsigned descriptors(pid_t pid)
{
	char path[32];
	struct dirent *entry;
	unsigned count = 0;
	DIR *list;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	list = opendir(path);
	while (list && (entry = readdir(list)))
		count += entry->d_name[0] != '.';
	if (list)
		closedir(list);
	return count;
}

/* its standard ones are open, and lead nowhere */
static void standard_ones_check(pid_t pid)
{
	char path[48], target[32];

	for (int fd = 0; fd <= 2; fd++) {
		memset(target, 0, sizeof(target));
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		ck_assert_int_gt(readlink(path, target, sizeof(target) - 1), 0);
		ck_assert_str_eq(target, "/dev/null");
	}
}

/* standard ones, its orders, two sockets; and no capabilities. Signals of the daemon's group do not
 * reach it, and a full pipe does not stop the daemon */
TEST(tunnel_names_start__process_has_nothing_else)
{
	char path[32], line[128];
	bool bare = false;
	FILE *status;
	int other = dup(STDERR_FILENO);

	start();
	tunnel_names_look(&tunnel);
	while (port_of(tunnel.sockets[OTHER]) == PORT_BEFORE)
		usleep(1000);
	ck_assert_uint_le(descriptors(tunnel.names_pid), 3 + 1 + 2);
	if (descriptors(tunnel.names_pid))
		standard_ones_check(tunnel.names_pid);
	ck_assert_int_eq(getpgid(tunnel.names_pid), tunnel.names_pid);
	ck_assert_int_eq(fcntl(tunnel.names, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tunnel.names_pid);
	status = fopen(path, "re");
	ck_assert_ptr_nonnull(status);
	while (fgets(line, sizeof(line), status))
		bare |= !strcmp(line, "CapEff:\t0000000000000000\n");
	fclose(status);
	ck_assert(bare);
	close(other);
}
