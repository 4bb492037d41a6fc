/*  orchestrator/live/live_client: places for the clients of the daemon, and which of them is closed
 *  for another one (TB-24). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/descriptor_message.h"
#include "orchestrator/live/live_client.h"
#include "tests/testing.h"

#define SILENT_NS 1000000000ull
#define FULL "{\"error\":\"too many requests at once: try again in a second\"}\n"
#define IDLE "{\"error\":\"closed: idle for too long while others waited\"}\n"

static struct live live;
static struct live_clients clients;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_bytes;
static int listener, peers[LIVE_CLIENTS_MAX + 1]; /* the commands' ends */

static void setup(void)
{
	/* a name that the kernel chooses */
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
	address_bytes = sizeof(address);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &address_bytes), 0);
	ck_assert_int_eq(listen(listener, 8), 0);
	live_clients_init(&clients, &live);
	memset(peers, 0xff, sizeof(peers));
}

static void teardown(void)
{
	live_clients_close(&clients);
	for (unsigned i = 0; i <= LIVE_CLIENTS_MAX; i++)
		if (peers[i] >= 0)
			close(peers[i]);
	close(listener);
}

TEST_GROUP(live_client, .setup = setup, .teardown = teardown);

static void joins(unsigned number)
{
	peers[number] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(connect(peers[number], (struct sockaddr *)&address, address_bytes), 0);
	live_client_accept(&clients, listener);
}

static void all_join(void)
{
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		joins(i);
}

static unsigned taken(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		count += clients.all[i].fd >= 0;
	return count;
}

/* client @number has received @text, and its connection has ended */
static void closed_with(unsigned number, const char *text)
{
	char got[256] = "";
	ssize_t length = recv(peers[number], got, sizeof(got) - 1, MSG_DONTWAIT);

	ck_assert_int_eq(length, strlen(text));
	ck_assert_str_eq(got, text);
	if (length)
		ck_assert_int_eq(recv(peers[number], got, sizeof(got), MSG_DONTWAIT), 0);
}

static void stays(unsigned number)
{
	char byte;

	ck_assert_int_eq(recv(peers[number], &byte, 1, MSG_DONTWAIT), -1);
	ck_assert_int_eq(errno, EAGAIN);
}

TEST(live_client_accept__one_too_many)
{
	uint64_t began_ns;

	all_join();
	ck_assert_uint_eq(taken(), LIVE_CLIENTS_MAX);
	began_ns = monotonic_ns();
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		clients.all[i].heard_ns = began_ns;
	joins(LIVE_CLIENTS_MAX);
	if (monotonic_ns() - began_ns >= SILENT_NS) {
		printf("skipped: the machine was busy\n");
		return;
	}
	closed_with(LIVE_CLIENTS_MAX, FULL);
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		stays(i);
	ck_assert_uint_eq(taken(), LIVE_CLIENTS_MAX);
}

/* The one that has been silent for longest makes place, but none that captures. */
TEST_RANGE(live_client_accept__the_oldest_makes_place, 0, LIVE_CLIENTS_MAX)
{
	unsigned oldest = (unsigned)_i, capturing = (oldest + 1) % LIVE_CLIENTS_MAX;
	uint64_t began_ns = monotonic_ns();

	all_join();
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		clients.all[i].heard_ns = monotonic_ns() - SILENT_NS * (i == oldest ? 3 : 2);
	clients.all[capturing].heard_ns = monotonic_ns() - SILENT_NS * 4;
	clients.all[capturing].capture_id = 7;
	joins(LIVE_CLIENTS_MAX);
	closed_with(oldest, IDLE);
	for (unsigned i = 0; i <= LIVE_CLIENTS_MAX; i++)
		if (i != oldest)
			stays(i);
	ck_assert_uint_eq(taken(), LIVE_CLIENTS_MAX);
	ck_assert_uint_ge(clients.all[oldest].heard_ns, began_ns);
	clients.all[capturing].capture_id = 0;
}

/* The middle of an answer is followed by no other line. */
TEST(live_client_accept__in_the_middle_of_an_answer)
{
	all_join();
	clients.all[2].heard_ns = monotonic_ns() - 2 * SILENT_NS;
	clients.all[2].out = strdup("{}");
	joins(LIVE_CLIENTS_MAX);
	closed_with(2, "");
	ck_assert_ptr_null(clients.all[2].out);
}

/* Without a descriptor the listener rests until there is one. */
TEST(live_client_accept__no_descriptor_is_left)
{
	struct rlimit limit, before;
	int lowest;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	peers[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(connect(peers[0], (struct sockaddr *)&address, address_bytes), 0);
	lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(lowest);
	limit = (struct rlimit){ (rlim_t)lowest, before.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	live_client_accept(&clients, listener);
	ck_assert(clients.accept_paused);
	ck_assert_uint_eq(taken(), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	live_client_accept(&clients, listener);
	ck_assert(!clients.accept_paused);
	ck_assert_uint_eq(taken(), 1);
	live_client_accept(&clients, listener); /* there is no other one */
	ck_assert(!clients.accept_paused);
	ck_assert_uint_eq(taken(), 1);
}

TEST(live_clients_close__all)
{
	all_join();
	live_clients_close(&clients);
	ck_assert_uint_eq(taken(), 0);
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		closed_with(i, "");
}

/* ---- requests and answers ---- */

/* as if it sent all that is there */
static void serves(unsigned number, const char *bytes, size_t length)
{
	struct live_client *client = &clients.all[number];

	for (size_t sent = 0; sent < length;) {
		ssize_t more = send(peers[number], bytes + sent, length - sent, MSG_DONTWAIT);

		ck_assert_int_gt(more, 0);
		sent += (size_t)more;
		for (int unread = 1; client->fd >= 0 && unread;) {
			live_client_serve(&clients, client, POLLIN);
			ck_assert_int_eq(ioctl(client->fd, FIONREAD, &unread), 0);
		}
	}
}

/* a request that is too long is answered with an error, once; the next one is served */
TEST(live_client_serve__a_request_that_does_not_end)
{
	static const char answer[] = "{\"error\":\"the request is longer than 65535 bytes\"}\n";
	static char bytes[LIVE_REQUEST_MAX];
	struct live_client *client = &clients.all[0];
	char got[256] = "";

	memset(bytes, 'x', sizeof(bytes));
	joins(0);
	serves(0, bytes, sizeof(bytes) - 1);
	ck_assert_uint_eq(client->in_length, sizeof(bytes) - 1);
	stays(0);
	for (unsigned i = 0; i < 3; i++)
		serves(0, bytes, sizeof(bytes) - 1);
	ck_assert_int_ge(client->fd, 0);
	ck_assert_int_eq(recv(peers[0], got, sizeof(got), MSG_DONTWAIT), sizeof(answer) - 1);
	ck_assert_str_eq(got, answer);
	serves(0, "\nhalf", 5);
	ck_assert(!client->skipping);
	ck_assert_uint_eq(client->in_length, 4);
	stays(0);
}

/* the descriptors of a request that was too long are not those of the next one */
TEST(live_client_serve__descriptors_of_a_long_request)
{
	static char bytes[LIVE_REQUEST_MAX];
	struct live_client *client = &clients.all[0];
	int fds[2];

	memset(bytes, 'x', sizeof(bytes));
	ck_assert_int_eq(pipe(fds), 0);
	joins(0);
	ck_assert_int_eq(descriptor_send(peers[0], bytes, 1, fds, 2), 1);
	serves(0, bytes, sizeof(bytes) - 2);
	ck_assert_uint_eq(client->asker.fd_count, 2);
	serves(0, bytes, 1);
	ck_assert(client->skipping);
	ck_assert_uint_eq(client->asker.fd_count, 0);
	close(fds[0]);
	close(fds[1]);
}

/* an answer that the socket does not take at once follows in parts */
TEST(live_client_serve__a_long_answer)
{
	static char bytes[4 << 20];
	struct live_client *client = &clients.all[0];
	size_t got = 0;

	joins(0);
	client->out_length = sizeof(bytes);
	client->out = malloc(client->out_length);
	memset(client->out, 'y', client->out_length);
	for (unsigned i = 0; i < 2; i++) /* the socket is full */
		live_client_serve(&clients, client, POLLOUT);
	ck_assert_int_ge(client->fd, 0);
	ck_assert_ptr_nonnull(client->out);
	ck_assert_uint_lt(client->out_sent, sizeof(bytes));
	while (got < sizeof(bytes)) {
		ssize_t more = recv(peers[0], bytes, sizeof(bytes), 0);

		ck_assert_int_gt(more, 0);
		ck_assert_int_eq(bytes[more - 1], 'y');
		got += (size_t)more;
		if (client->out)
			live_client_serve(&clients, client, POLLOUT);
	}
	ck_assert_ptr_null(client->out);
	ck_assert_uint_eq(got, sizeof(bytes));
	stays(0);
}

TEST(live_client_serve__the_command_has_ended)
{
	joins(0);
	close(peers[0]);
	peers[0] = -1;
	live_client_serve(&clients, &clients.all[0], POLLIN);
	ck_assert_uint_eq(taken(), 0);
}
