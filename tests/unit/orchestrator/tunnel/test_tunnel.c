/*  orchestrator/tunnel/tunnel: the words of the command line, the sockets, and the process that two
 *  daemons start, which here are one and reach each other over the loopback interface (SC-5). */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/clock/clock_pages.h"
#include "nodes/link/link.h"
#include "orchestrator/tunnel/tunnel.h"
#include "tests/testing.h"

static struct why why;

/* this program is also the one that tunnel_start() starts */
__attribute__((constructor)) static void become_tunnel(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[0], "heddle") && !strcmp(argv[1], TUNNEL_COMMAND))
		exit(tunnel_process_run(argc - 1, argv + 1));
}

/* ---- words of the command line ---- */

static void address_is(const char *text, const char *name, const char *host, const char *port)
{
	struct tunnel_address address;

	why.text[0] = 0;
	ck_assert_msg(tunnel_address_read(text, &address, &why), "%s: %s", text, why.text);
	ck_assert_str_eq(address.name, name);
	ck_assert_str_eq(address.host, host);
	ck_assert_str_eq(address.port, port);
	ck_assert_str_eq(why.text, "");
}

TEST(tunnel_address_read__forms)
{
	address_is("a", "a", "a", TUNNEL_PORT);
	address_is("node-1.Cluster_2", "node-1.Cluster_2", "node-1.Cluster_2", TUNNEL_PORT);
	address_is("a=10.0.0.1", "a", "10.0.0.1", TUNNEL_PORT);
	address_is("a=b:1", "a", "b", "1");
	address_is("a=10.0.0.1:65535", "a", "10.0.0.1", "65535");
	address_is("a=fd01::1", "a", "fd01::1", TUNNEL_PORT);
	address_is("a=::", "a", "::", TUNNEL_PORT);
	address_is("a=[fd01::1]", "a", "fd01::1", TUNNEL_PORT);
	address_is("a=[fd01::1]:90", "a", "fd01::1", "90");
	address_is("a=[h]:7", "a", "h", "7");
}

TEST(tunnel_address_read__none)
{
	static const char *const texts[] = {
		"",          "=10.0.0.1", "a b=10.0.0.1", "a=",        "a=:1",   "a=b:", "a=b:0",
		"a=b:65536", "a=b:1x",    "a=b:-1",       "a=[",       "a=[::1", "a=[]", "a=[]:1",
		"a=[::1]x",  "a=[::1]:",  "a=[::1]1:",    "a=[::1]:0", "a/b"
	};
	struct tunnel_address address;
	char wanted[256];

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ck_assert_msg(!tunnel_address_read(texts[i], &address, &why), "%s", texts[i]);
		snprintf(wanted, sizeof(wanted),
			 "'%s' is no machine: expected NAME, NAME=ADDRESS or NAME=ADDRESS:PORT",
			 texts[i]);
		ck_assert_str_eq(why.text, wanted);
	}
}

/* with their 0 they fill what they are stored in */
TEST(tunnel_address_read__longest)
{
	char text[NODE_NAME_MAX + TUNNEL_HOST_MAX + 8], name[TUNNEL_NODE_NAME_MAX];
	struct tunnel_address address;
	size_t length = NODE_NAME_MAX - 1;

	memset(text, 'm', sizeof(text));
	text[length] = 0;
	ck_assert(tunnel_address_read(text, &address, &why));
	ck_assert_uint_eq(strlen(address.name), length);
	ck_assert_ptr_eq(tunnel_node_name(address.name, name), name);
	ck_assert_uint_eq(strlen(name), strlen("tunnel:") + length);
	text[length] = 'm';
	text[length + 1] = 0;
	ck_assert(!tunnel_address_read(text, &address, &why));
	ck_assert_uint_eq(strlen(tunnel_node_name(text, name)), strlen("tunnel:") + length);
	memset(text, 'h', sizeof(text));
	text[1] = '=';
	text[2 + TUNNEL_HOST_MAX - 1] = 0;
	ck_assert(tunnel_address_read(text, &address, &why));
	ck_assert_uint_eq(strlen(address.host), TUNNEL_HOST_MAX - 1);
	text[2 + TUNNEL_HOST_MAX - 1] = 'h';
	text[2 + TUNNEL_HOST_MAX] = 0;
	ck_assert(!tunnel_address_read(text, &address, &why));
}

/* the file of the key has @text */
static int key_of(const char *text, uint8_t key[TUNNEL_KEY_BYTES])
{
	int fd = memfd_create("key", MFD_CLOEXEC), error;
	char path[32];

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	why.text[0] = 0;
	error = tunnel_key_read(path, key, &why);
	close(fd);
	return error;
}

#define KEY "00112233445566778899aabbccddeeffFFEEDDCCBBAA90817263544536271809"

TEST(tunnel_key_read__64_digits)
{
	static const uint8_t wanted[TUNNEL_KEY_BYTES] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
							  0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd,
							  0xee, 0xff, 0xff, 0xee, 0xdd, 0xcc, 0xbb,
							  0xaa, 0x90, 0x81, 0x72, 0x63, 0x54, 0x45,
							  0x36, 0x27, 0x18, 0x09 };
	uint8_t key[TUNNEL_KEY_BYTES] = { 0 };

	ck_assert_int_eq(key_of(KEY, key), 0);
	ck_assert_mem_eq(key, wanted, sizeof(key));
	memset(key, 0, sizeof(key));
	ck_assert_int_eq(key_of(KEY "\n", key), 0);
	ck_assert_mem_eq(key, wanted, sizeof(key));
	ck_assert_str_eq(why.text, "");
}

TEST(tunnel_key_read__none)
{
	uint8_t key[TUNNEL_KEY_BYTES];
	char text[2 * TUNNEL_KEY_BYTES + 1];
	/* beside the digits in ASCII, at the first and the last place of either half */
	static const char wrong[] = "/:@G`g ";
	static const size_t places[] = { 0, 1, 62, 63 };

	for (size_t i = 0; i < strlen(wrong) * COUNT_OF(places); i++) {
		strcpy(text, KEY);
		text[places[i % COUNT_OF(places)]] = wrong[i / COUNT_OF(places)];
		ck_assert_int_eq(key_of(text, key), -EINVAL);
		ck_assert_ptr_nonnull(
			strstr(why.text, "is no key: expected 64 hexadecimal digits"));
	}
	ck_assert_int_eq(key_of("", key), -EINVAL);
	ck_assert_int_eq(key_of("\n", key), -EINVAL);
	ck_assert_int_eq(key_of(KEY "0", key), -EINVAL);
	ck_assert_int_eq(key_of(KEY "\n\n", key), -EINVAL);
	ck_assert_int_eq(key_of(KEY "\nmore", key), -EINVAL);
	strcpy(text, KEY);
	text[63] = 0;
	ck_assert_int_eq(key_of(text, key), -EINVAL);
}

TEST(tunnel_key_read__no_file)
{
	uint8_t key[TUNNEL_KEY_BYTES];

	ck_assert_int_eq(tunnel_key_read("/no/key", key, &why), -ENOENT);
	ck_assert_str_eq(why.text, "the key cannot be read: /no/key: No such file or directory");
	ck_assert_int_eq(tunnel_key_read("/", key, &why), -EIO);
	ck_assert_str_eq(why.text, "the key cannot be read: /: Input/output error");
}

/* ---- sockets ---- */

#define SELF 1u

static struct tunnel_options options;
static struct tunnel tunnel;
static int port_holder;

/* a port of UDP of this machine, which is in use until port_holder is closed */
static unsigned port_draw(int family)
{
	struct sockaddr_in6 address = { .sin6_family = (sa_family_t)family };
	socklen_t length = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(address);

	port_holder = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(port_holder, (struct sockaddr *)&address, length))
		return 0;
	ck_assert_int_eq(getsockname(port_holder, (struct sockaddr *)&address, &length), 0);
	return ntohs(address.sin6_port); /* at the same place in both */
}

/* machines at the loopback interface; their ports are one after the other, from ours on */
static void machines_make(const char *host, unsigned port, uint32_t count, uint32_t self)
{
	options = (struct tunnel_options){ .machine_count = count, .self = self };
	for (uint32_t m = 0; m < count; m++) {
		snprintf(options.machines[m].name, NODE_NAME_MAX, "m%u", m);
		snprintf(options.machines[m].host, TUNNEL_HOST_MAX, "%s", host);
		snprintf(options.machines[m].port, sizeof(options.machines[m].port), "%u",
			 (port + m + count - self) % 65536);
	}
	snprintf(options.machines[self].port, sizeof(options.machines[self].port), "%u", port);
	tunnel_init(&tunnel, &options);
}

static void socket_teardown(void)
{
	tunnel_end(&tunnel);
	close(port_holder);
	port_holder = -1;
}

TEST_GROUP(tunnel_sockets, .teardown = socket_teardown);

TEST(tunnel_init__none)
{
	tunnel_init(&tunnel, NULL);
	ck_assert_ptr_null(tunnel.options);
	options = (struct tunnel_options){ 0 };
	tunnel_init(&tunnel, &options);
	ck_assert_ptr_null(tunnel.options);
	ck_assert_int_eq(tunnel.control, -1);
	ck_assert_int_eq(tunnel.doorbell, -1);
	ck_assert_int_eq(tunnel.names, -1);
	for (uint32_t m = 0; m < SCENARIO_MACHINES_MAX; m++)
		ck_assert_int_eq(tunnel.sockets[m], -1);
	ck_assert_int_eq(tunnel_order(&tunnel, &(struct tunnel_order){ 0 }, NULL, 0), -ESRCH);
	ck_assert(!tunnel_news_read(&tunnel));
	port_holder = -1;
}

static int option_of(int socket, int level, int name)
{
	int value = -1;
	socklen_t length = sizeof(value);

	ck_assert_int_eq(getsockopt(socket, level, name, &value, &length), 0);
	return value;
}

/* one towards each other machine, from our port to its own; no datagram is cut into fragments */
static void sockets_check(int family)
{
	struct sockaddr_in6 near_end, far_end;

	for (uint32_t m = 0; m < options.machine_count; m++) {
		int fd = tunnel.sockets[m], bytes = 0;
		socklen_t length = sizeof(near_end), far_length = sizeof(far_end),
			  size = sizeof(bytes);

		ck_assert(fd >= 0 || m == options.self);
		if (m == options.self) {
			ck_assert_int_eq(fd, -1);
			continue;
		}
		/* more than the default of the kernel */
		ck_assert_int_eq(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, &size), 0);
		ck_assert_int_gt(bytes, 212992);
		ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&near_end, &length), 0);
		ck_assert_int_eq(getpeername(fd, (struct sockaddr *)&far_end, &far_length), 0);
		ck_assert_int_eq(near_end.sin6_family, family);
		ck_assert_int_eq(ntohs(near_end.sin6_port),
				 atoi(options.machines[options.self].port));
		ck_assert_int_eq(ntohs(far_end.sin6_port), atoi(options.machines[m].port));
		ck_assert_int_eq(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
		ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(family == AF_INET ? option_of(fd, IPPROTO_IP, IP_MTU_DISCOVER)
						   : option_of(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER),
				 family == AF_INET ? (int)IP_PMTUDISC_DO : (int)IPV6_PMTUDISC_DO);
		if (family == AF_INET6)
			ck_assert_int_eq(option_of(fd, IPPROTO_IPV6, IPV6_V6ONLY), 1);
		ck_assert_int_ge(option_of(fd, SOL_SOCKET, SO_RCVBUF),
				 option_of(port_holder, SOL_SOCKET, SO_RCVBUF));
	}
}

/* closes port_holder, whose port is free then; a copy of its kind stays */
static void port_release(int family)
{
	close(port_holder);
	port_holder = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

TEST_RANGE(tunnel_connect__a_socket_for_each_machine, 0, 2)
{
	int family = _i ? AF_INET6 : AF_INET;
	unsigned port = port_draw(family);

	machines_make(_i ? "::1" : "127.0.0.1", port, 4, SELF);
	if (!port)
		return; /* no IPv6 here */
	port_release(family);
	ck_assert_int_eq(tunnel_connect(&tunnel, &why), 0);
	ck_assert_str_eq(why.text, "");
	sockets_check(family);
}

/* Another fabric would share it. The first machine is the one that is looked at. */
TEST(tunnel_connect__port_in_use)
{
	unsigned port = port_draw(AF_INET);
	char wanted[256];

	machines_make("127.0.0.1", port, 3, SELF);
	ck_assert_int_eq(tunnel_connect(&tunnel, &why), -EADDRINUSE);
	snprintf(wanted, sizeof(wanted),
		 "UDP port %u of this machine cannot be used: Address already in use", port);
	ck_assert_str_eq(why.text, wanted);
	for (uint32_t m = 0; m < 3; m++)
		ck_assert_int_eq(tunnel.sockets[m], -1);
	/* also one that would be shared */
	setsockopt(port_holder, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	ck_assert_int_eq(tunnel_connect(&tunnel, &why), -EADDRINUSE);
}

/* no datagram may be sent to all */
TEST(tunnel_connect__refused)
{
	unsigned port = port_draw(AF_INET);

	machines_make("255.255.255.255", port, 2, SELF);
	port_release(AF_INET);
	ck_assert_int_eq(tunnel_connect(&tunnel, &why), -EACCES);
	ck_assert_str_eq(why.text,
			 "machine m0 cannot be reached at 255.255.255.255: Permission denied");
	ck_assert_int_eq(tunnel.sockets[0], -1);
}

/* No label of a name has 64 bytes, so no server is asked for it. The others are connected once it
 * is known. */
TEST(tunnel_connect__name_that_is_not_known_yet)
{
	unsigned port = port_draw(AF_INET);
	int first;

	machines_make("127.0.0.1", port, 3, 2);
	port_release(AF_INET);
	memset(options.machines[1].host, 'h', 64);
	options.machines[1].host[64] = 0;
	ck_assert_int_eq(tunnel_connect(&tunnel, &why), -EAGAIN);
	ck_assert_int_eq(strncmp(why.text, "the address of machine m1 is not known: hhhh", 44), 0);
	first = tunnel.sockets[0];
	ck_assert_int_ge(first, 0);
	ck_assert_int_eq(tunnel.sockets[1], -1);
	strcpy(options.machines[1].host, "127.0.0.1");
	ck_assert_int_eq(tunnel_connect(&tunnel, &why), 0);
	ck_assert_str_eq(why.text, "");
	ck_assert_int_eq(tunnel.sockets[0], first);
	sockets_check(AF_INET);
}

/* ---- what the process says ---- */

static int process_end; /* of the control socket */

static void control_setup(void)
{
	int sockets[2];

	machines_make("127.0.0.1", 7, 2, SELF);
	port_holder = -1;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	tunnel.control = sockets[0];
	process_end = sockets[1];
}

static void control_teardown(void)
{
	socket_teardown();
	close(process_end);
}

TEST_GROUP(tunnel_control, .setup = control_setup, .teardown = control_teardown);

static void tell(const struct tunnel_news *news, size_t bytes)
{
	ck_assert_int_eq(send(process_end, news, bytes, MSG_DONTWAIT), (ssize_t)bytes);
}

TEST(tunnel_news_read__latest_of_each_machine)
{
	ck_assert(!tunnel_news_read(&tunnel));
	tell(&(struct tunnel_news){ .machine = 0, .connects = 1 }, sizeof(struct tunnel_news));
	tell(&(struct tunnel_news){ .machine = 0, .connects = 2, .state = TUNNEL_CONNECTED },
	     sizeof(struct tunnel_news));
	ck_assert(tunnel_news_read(&tunnel));
	ck_assert_uint_eq(tunnel.news[0].connects, 2);
	ck_assert_int_eq(tunnel.news[0].state, TUNNEL_CONNECTED);
	/* without a process none is */
	ck_assert(!tunnel_connected(&tunnel, 0));
	tunnel.pid = getpid();
	ck_assert(tunnel_connected(&tunnel, 0));
	ck_assert(!tunnel_connected(&tunnel, 1));
	tunnel.pid = 0;
	ck_assert(!tunnel_news_read(&tunnel));
}

/* the process may have been taken over */
TEST(tunnel_news_read__what_cannot_be)
{
	struct tunnel_news news = { .machine = 2 };

	tell(&news, sizeof(news));
	news = (struct tunnel_news){ .down.count = TUNNEL_DOWN_MAX + 1 };
	tell(&news, sizeof(news));
	news = (struct tunnel_news){ .state = TUNNEL_PEER_STATES };
	tell(&news, sizeof(news));
	ck_assert(!tunnel_news_read(&tunnel));
	news = (struct tunnel_news){ .machine = 1,
				     .state = TUNNEL_PEER_STATES - 1,
				     .down.count = TUNNEL_DOWN_MAX };
	tell(&news, sizeof(news) - 1);
	ck_assert(!tunnel_news_read(&tunnel));
	tell(&news, sizeof(news));
	ck_assert(tunnel_news_read(&tunnel));
	ck_assert_mem_eq(&tunnel.news[1], &news, sizeof(news));
}

TEST(tunnel_order__is_sent_whole)
{
	struct tunnel_order order = { .kind = TUNNEL_DOWN, .link = 17 }, got;

	ck_assert_int_eq(tunnel_order(&tunnel, &order, NULL, 0), 0);
	ck_assert_int_eq(recv(process_end, &got, sizeof(got), MSG_DONTWAIT), sizeof(got));
	ck_assert_mem_eq(&got, &order, sizeof(got));
	ck_assert_int_eq(tunnel_order(&tunnel, &order, &(int){ -1 }, 1), -EBADF);
	close(process_end);
	process_end = -1;
	ck_assert_int_eq(tunnel_order(&tunnel, &order, NULL, 0), -EPIPE);
}

/* a child that ends as it is told */
static int status_of(int status, int number)
{
	pid_t pid = fork();
	int found;

	if (!pid) {
		if (number)
			kill(getpid(), number);
		_exit(status);
	}
	ck_assert_int_eq(waitpid(pid, &found, 0), pid);
	return found;
}

TEST(tunnel_ended__its_fate)
{
	tunnel.pid = 5;
	tunnel_ended(&tunnel, status_of(3, 0));
	ck_assert_str_eq(tunnel.fate, "ended with status 3");
	ck_assert_int_eq(tunnel.pid, 0);
	ck_assert_int_eq(tunnel.control, -1);
	tunnel_ended(&tunnel, status_of(0, SIGKILL));
	ck_assert_str_eq(tunnel.fate, "killed by signal 9");
}

/* ---- two processes ---- */

static struct tunnel other;
static struct tunnel_options other_options;
static struct clock_pages clock_pages;
static int clock_fd;

static void both_setup(void)
{
	unsigned port = port_draw(AF_INET), other_port;
	int first = port_holder;

	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* it has no right to look for them */
	other_port = port_draw(AF_INET);
	close(first);
	machines_make("127.0.0.1", port, 2, SELF);
	snprintf(options.machines[0].port, sizeof(options.machines[0].port), "%u", other_port);
	other_options = options;
	other_options.self = 0;
	tunnel_init(&other, &other_options);
	close(port_holder);
	port_holder = -1;
	ck_assert_int_eq(clock_pages_make(&clock_pages, 1, &clock_fd), 0);
	clock_init(clock_pages.page, 1, 1);
}

static void both_teardown(void)
{
	tunnel_end(&tunnel);
	tunnel_end(&other);
	clock_pages_free(&clock_pages);
	close(clock_fd);
}

TEST_GROUP(tunnel_processes, .setup = both_setup, .teardown = both_teardown);

static void start(struct tunnel *which)
{
	ck_assert_int_eq(tunnel_connect(which, &why), 0);
	ck_assert_int_eq(tunnel_start(which, clock_fd, 3, true), 0);
	ck_assert_int_gt(which->pid, 0);
	ck_assert_int_eq(which->pid_shown, which->pid);
	ck_assert_ptr_nonnull(which->page);
	/* they are the process's alone now */
	ck_assert_int_eq(which->sockets[0], -1);
	ck_assert_int_eq(which->sockets[SELF], -1);
}

/* waits for news; the process runs */
static void news_await(struct tunnel *which)
{
	struct pollfd polled = { which->control, POLLIN, 0 };

	ck_assert_int_eq(poll(&polled, 1, -1), 1);
	ck_assert(tunnel_news_read(which));
}

TEST(tunnel_start__two_connect)
{
	start(&tunnel);
	start(&other);
	while (!tunnel_connected(&tunnel, 0))
		news_await(&tunnel);
	while (!tunnel_connected(&other, SELF))
		news_await(&other);
	ck_assert_uint_eq(tunnel.page->peers[0].state, TUNNEL_CONNECTED);
	ck_assert_uint_gt(other.page->peers[SELF].received_datagrams, 0);
	ck_assert_uint_eq(other.news[SELF].down.count, 0);
	/* links that are down, and that all nodes are ready, are told to the other machine */
	ck_assert_int_eq(
		tunnel_order(&tunnel,
			     &(struct tunnel_order){ .kind = TUNNEL_DOWN, .down = { 2, { 0, 2 } } },
			     NULL, 0),
		0);
	ck_assert_int_eq(
		tunnel_order(&tunnel, &(struct tunnel_order){ .kind = TUNNEL_AWAIT }, NULL, 0), 0);
	while (!other.news[SELF].ready || !other.news[SELF].down.count)
		news_await(&other);
	ck_assert_uint_eq(other.news[SELF].down.count, 2);
	ck_assert_uint_eq(other.news[SELF].down.down[1], 2);
	ck_assert(!tunnel.news[0].ready);
	/* it says so before it ends */
	tunnel_end(&tunnel);
	ck_assert_int_eq(tunnel.pid, 0);
	ck_assert_ptr_null(tunnel.page);
	while (other.news[SELF].state != TUNNEL_ENDED)
		news_await(&other);
	ck_assert(!tunnel_connected(&other, SELF));
}

/* an order that it does not know ends it, with a message */
TEST(tunnel_start__wrong_order)
{
	int status;

	start(&tunnel);
	ck_assert_int_eq(
		tunnel_order(&tunnel, &(struct tunnel_order){ .kind = TUNNEL_ORDERS }, NULL, 0), 0);
	ck_assert_int_eq(waitpid(tunnel.pid, &status, 0), tunnel.pid);
	tunnel_ended(&tunnel, status);
	ck_assert_str_eq(tunnel.fate, "ended with status 2");
}

/* a file that is a ring; empty, which is none */
static int ring_file(bool empty)
{
	size_t bytes = ring_bytes(1 << 16);
	int fd = memfd_create("ring", MFD_CLOEXEC);
	struct ring_page *page;

	if (empty)
		return fd;
	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	ring_init(page, 1 << 16, RING_CAPTURED_MAX);
	munmap(page, bytes);
	return fd;
}

/* @fds: rings, or empty files, and the end of a pipe as doorbell.  Return: its other end */
static int plug_files(int fds[3], bool empty)
{
	int pipes[2];

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	for (int i = 0; i < 2; i++)
		fds[i] = ring_file(empty);
	fds[2] = pipes[1];
	return pipes[0];
}

/* so do orders with machines, links or files that there are not */
static const struct {
	struct tunnel_order order;
	unsigned fds;
	bool empty;
} impossible[] = {
	{ { .kind = TUNNEL_PEER, .machine = 0 }, 1, false },
	{ { .kind = TUNNEL_PEER, .machine = 2 }, 1, false },
	{ { .kind = TUNNEL_PEER, .machine = 0 }, 0, false },
	{ { .kind = TUNNEL_SETUP }, 3, false },
	{ { .kind = TUNNEL_PLUG, .machine = 0, .link = 3 }, 3, false },
	{ { .kind = TUNNEL_PLUG, .machine = SELF, .link = 0 }, 3, false },
	{ { .kind = TUNNEL_PLUG, .machine = 2, .link = 0 }, 3, false },
	{ { .kind = TUNNEL_PLUG, .machine = 0, .link = 0 }, 2, false },
	{ { .kind = TUNNEL_PLUG, .machine = 0, .link = 0 }, 3, true },
	{ { .kind = TUNNEL_AWAIT }, 1, false },
};

TEST_RANGE(tunnel_start__orders_that_cannot_be_obeyed, 0, (int)COUNT_OF(impossible))
{
	int status, fds[3], far_end = plug_files(fds, impossible[_i].empty);

	start(&tunnel);
	ck_assert_int_eq(tunnel_order(&tunnel, &impossible[_i].order, fds, impossible[_i].fds), 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	ck_assert_int_eq(waitpid(tunnel.pid, &status, 0), tunnel.pid);
	close(far_end);
	tunnel_ended(&tunnel, status);
	ck_assert_str_eq(tunnel.fate, "ended with status 2");
}

static void link_order(enum tunnel_order_kind kind, uint32_t link, const int *fds, unsigned count)
{
	const struct tunnel_order order = { .kind = kind, .machine = 0, .link = link };

	ck_assert_int_eq(tunnel_order(&tunnel, &order, fds, count), 0);
}

/* the process keeps what belongs to a link until it is plugged again */
TEST(tunnel_start__plug_again)
{
	struct pollfd polled[2] = { { 0 } };
	int fds[3], status;

	start(&tunnel);
	for (int i = 0; i < 2; i++) {
		polled[i].fd = plug_files(fds, false);
		link_order(TUNNEL_PLUG, 2, fds, 3);
		for (int k = 0; k < 3; k++)
			close(fds[k]);
	}
	ck_assert_int_eq(poll(&polled[0], 1, -1), 1);
	ck_assert_int_eq(polled[0].revents, POLLHUP);
	ck_assert_int_eq(poll(&polled[1], 1, 0), 0);
	link_order(TUNNEL_END, 0, NULL, 0);
	ck_assert_int_eq(waitpid(tunnel.pid, &status, 0), tunnel.pid);
	tunnel_ended(&tunnel, status);
	ck_assert_str_eq(tunnel.fate, "ended with status 0");
	for (int i = 0; i < 2; i++)
		close(polled[i].fd);
}
