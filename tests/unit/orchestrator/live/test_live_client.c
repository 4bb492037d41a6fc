/*  orchestrator/live/live_client: places for the clients of the daemon, and which of them is closed
 *  for another one (TB-24). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "orchestrator/base/wall_time.h"
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
	began_ns = wall_ns();
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		clients.all[i].heard_ns = began_ns;
	joins(LIVE_CLIENTS_MAX);
	if (wall_ns() - began_ns >= SILENT_NS) {
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
	uint64_t began_ns = wall_ns();

	all_join();
	for (unsigned i = 0; i < LIVE_CLIENTS_MAX; i++)
		clients.all[i].heard_ns = wall_ns() - SILENT_NS * (i == oldest ? 3 : 2);
	clients.all[capturing].heard_ns = wall_ns() - SILENT_NS * 4;
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
	clients.all[2].heard_ns = wall_ns() - 2 * SILENT_NS;
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
