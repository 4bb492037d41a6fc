/*  nodes/process/node_main: a node process with a toy dataplane, from the orchestrator's end of its
 *  control socket: start, requests, end, and its errors on wrong input (TB-1, TB-5, TB-6, TB-9,
 *  TB-22, TB-23). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/clock/futex.h"
#include "nodes/control/control.h"
#include "nodes/process/node_main.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

/* ---- the toy: one event every microsecond, counted in stats->events ---- */

struct toy {
	struct link *link;
	struct stats_page *stats;
	node_time_t next, period;
};

static void *toy_create(const struct node_config *config, struct link *links,
			struct stats_page *stats)
{
	struct toy *toy = calloc(1, sizeof(*toy));

	(void)config;
	*toy = (struct toy){ .link = links, .stats = stats, .next = NODE_US, .period = NODE_US };
	return toy;
}

static node_time_t toy_run(void *dataplane, node_time_t end)
{
	struct toy *toy = dataplane;

	link_next_at(toy->link);
	for (; toy->next < end; toy->next += toy->period)
		toy->stats->events++;
	return toy->next;
}

static int toy_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	struct toy *toy = dataplane;

	(void)now;
	if (strcmp(table, "long"))
		return fprintf(out, "%s %d %llu\n", table, port, (unsigned long long)toy->next) > 0
			       ? 0
			       : -EIO;
	for (uint32_t i = 0; i < CONTROL_BYTES_MAX / 8; i++)
		fprintf(out, "line %8u\n", i);
	return 0;
}

/* "next": the time of the next event */
static int toy_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct toy *toy = dataplane;

	if (strcmp(name, "next")) {
		fprintf(out, "there is only next\n");
		return -ENOENT;
	}
	toy->next = strtoull(value, NULL, 10);
	return 0;
}

static const struct node_ops toy_ops = {
	.create = toy_create, .run = toy_run, .show = toy_show, .set = toy_set, .destroy = free
};

/* ---- the orchestrator's side ---- */

static struct node_config config;
static struct control_message message;
static struct clock clock_;
static struct ring_page *rx;
static struct stats_page *stats;
static const char *loop_argument;
static int control, peer;
static pid_t child;

static int memory_make(size_t bytes, int seals)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void *map_shared(int fd, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

/* the configuration of a single NIC, on a clock of its own */
static void configuration_make(void)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	size_t clock_size, stats_size, ring_size;

	example_nic(&config);
	config.index = 0;
	config.series = false; /* a file less to pass */
	clock_size = clock_bytes(config.node_count);
	stats_size = stats_bytes(&config);
	ring_size = ring_bytes(config.ports[0].ring_bytes);
	message = (struct control_message){ .kind = CONTROL_CONFIGURE,
					    .config = &config,
					    .fd_count = 4 };
	message.fds[0] = memory_make(clock_size, seals);
	message.fds[1] = memory_make(stats_size, seals);
	message.fds[2] = memory_make(ring_size, seals);
	message.fds[3] = memory_make(ring_size, seals);
	clock_init(map_shared(message.fds[0], clock_size), config.node_count, NODE_US);
	ck_assert_int_eq(clock_attach(&clock_, map_shared(message.fds[0], clock_size), clock_size),
			 0);
	for (uint32_t i = 1; i < config.node_count; i++)
		clock_.own_next[i] = NODE_TIME_NEVER;
	stats = map_shared(message.fds[1], stats_size);
	ring_init(map_shared(message.fds[2], ring_size), config.ports[0].ring_bytes,
		  RING_CAPTURED_MAX);
	rx = map_shared(message.fds[3], ring_size);
	ring_init(rx, config.ports[0].ring_bytes, RING_CAPTURED_MAX);
}

static void spawn(enum node_kind kind)
{
	int sockets[2];
	char parent[32];
	char *arguments[] = { "toy", parent, (char *)loop_argument, NULL };

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	control = fcntl(sockets[0], F_DUPFD_CLOEXEC, 100);
	peer = fcntl(sockets[1], F_DUPFD_CLOEXEC, 100);
	close(sockets[0]);
	close(sockets[1]);
	child = fork();
	if (!child) {
		close(control);
		dup2(peer, CONTROL_FD);
		close(peer);
		_exit(node_main(3, arguments, kind,
				(const struct node_ops *const[]){ &toy_ops, &toy_ops, &toy_ops }));
	}
	close(peer);
}

static void setup(void)
{
	testing_leaves();
	loop_argument = "--loop=auto";
	configuration_make();
}

static void receive(enum control_kind kind)
{
	struct why why = { "" };

	for (uint32_t i = 0; i < message.fd_count; i++)
		close(message.fds[i]);
	ck_assert_msg(!control_receive(control, &message, 1, &why), "%s", why.text);
	ck_assert_msg(message.kind == kind, "kind %d: %s", message.kind, message.text);
}

static void start(void)
{
	spawn(NODE_NIC);
	ck_assert_int_eq(control_send(control, &message), 0);
	receive(CONTROL_READY);
}

/* lets the clock run up to @limit */
static void run_to(node_time_t limit)
{
	uint32_t wake[NODE_COUNT_MAX], stops = clock_.page->stops;
	uint32_t count = clock_resume(&clock_, limit, wake);

	ck_assert(!clock_stopped(&clock_) || clock_.page->stops != stops);
	for (uint32_t k = 0; k < count; k++)
		clock_ring(&clock_, wake[k]);
	while (clock_.page->stops == stops)
		futex_wait(&clock_.page->stops, stops, NULL);
}

static void ask(enum control_kind kind, int64_t number, const char *text, const char *text2)
{
	static uint32_t question;

	control_message_free(&message);
	message =
		(struct control_message){ .kind = kind, .question = ++question, .number = number };
	strcpy(message.text, text);
	strcpy(message.text2, text2);
	ck_assert_int_eq(control_send(control, &message), 0);
	clock_ring(&clock_, 0);
	receive(CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, question);
}

static int status_of_child(void)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void end(void)
{
	atomic_store(&clock_.page->state, CLOCK_ENDED);
	clock_ring(&clock_, 0);
	ck_assert_int_eq(status_of_child(), 0);
}

TEST_GROUP(node_main, .setup = setup);

TEST_RANGE(node_main__runs_and_ends, 0, 2)
{
	loop_argument = _i ? "--loop=fallback" : "--loop=auto";
	start();
	ck_assert_ptr_nonnull(strstr(
		message.text, _i ? "event loop fallback (futex): it was asked for" : "event loop"));
	run_to(10 * NODE_US);
	ck_assert_uint_eq(stats->events, 9);
	ck_assert_uint_eq(clock_earliest(&clock_), 10 * NODE_US);
	run_to(12 * NODE_US);
	ck_assert_uint_eq(stats->events, 11);
	end();
}

TEST_RANGE(node_main__answers_while_it_sleeps, 0, 2)
{
	loop_argument = _i ? "--loop=fallback" : "--loop=auto";
	start();
	run_to(5 * NODE_US);
	usleep(_i * 20000);
	ask(CONTROL_SHOW, -1, "toys", "");
	ck_assert_int_eq(message.number, 0);
	ck_assert_str_eq(message.body, "toys -1 5000000\n");
	ask(CONTROL_SHOW, 1, "toys", "");
	ck_assert_int_eq(message.number, -EINVAL);
	ck_assert_str_eq(message.body, "there is no port 1, s1 has 1\n");
	ask(CONTROL_SET, 0, "colour", "red");
	ck_assert_int_eq(message.number, -ENOENT);
	end();
}

/* A table that is longer than a message is cut at the end of a line, and says so. */
TEST(node_main__long_answer_is_cut_at_a_line)
{
	start();
	run_to(2 * NODE_US);
	ask(CONTROL_SHOW, 0, "long", "");
	ck_assert_int_eq(message.number, 0);
	ck_assert_ptr_nonnull(strstr(message.body, "\n=too_long:flag\t1\n"));
	end();
}

/* TB-9: if a parameter makes an event due earlier, the clock knows it */
TEST(node_main__set_brings_the_next_event_forward)
{
	start();
	run_to(2 * NODE_US);
	ask(CONTROL_SET, 0, "next", "900000000");
	run_to(900 * NODE_US);
	ask(CONTROL_SET, 0, "next", "950000000");
	ask(CONTROL_SET, 0, "next", "920000000");
	/* known already, and earlier: harmless */
	ck_assert_uint_eq(clock_earliest(&clock_), 900 * NODE_US);
	run_to(921 * NODE_US);
	ck_assert_uint_eq(stats->events, 2);
	end();
}

TEST(node_main__set_only_while_the_clock_is_stopped)
{
	start();
	run_to(2 * NODE_US);
	atomic_store(&clock_.page->state, CLOCK_RUNNING);
	ask(CONTROL_SET, 0, "next", "1");
	ck_assert_int_eq(message.number, -EBUSY);
	end();
}

TEST(node_main__unknown_message_is_rejected)
{
	start();
	message = (struct control_message){ .kind = CONTROL_READY };
	ck_assert_int_eq(control_send(control, &message), 0);
	ck_assert_int_eq(send(control, "\xff\xff", 2, 0), 2);
	clock_ring(&clock_, 0);
	receive(CONTROL_EVENT);
	ck_assert_int_eq(message.number, 0);
	receive(CONTROL_EVENT);
	ck_assert_str_eq(message.text,
			 "a control message was ignored: the bytes are no control message");
	end();
}

/* TB-23: a peer that writes a malformed record is named, once; the node continues */
TEST(node_main__broken_ring_is_reported_once)
{
	struct why why;

	start();
	memset(rx->data, 0xee, 64);
	atomic_store(&rx->tail, 64);
	run_to(4 * NODE_US);
	receive(CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_str_eq(message.text, "p0 from peer: ring record breaks the rules");
	run_to(6 * NODE_US);
	ck_assert_int_eq(control_receive(control, &message, 0, &why), -EAGAIN);
	ck_assert_uint_eq(stats->events, 5);
	end();
}

/* ---- a wrong start: an error message, and exit status 2 ---- */

static void refused(const char *sentence)
{
	receive(CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_msg(strstr(message.text, sentence), "'%s' does not say '%s'", message.text,
		      sentence);
	ck_assert_int_eq(status_of_child(), 2);
}

TEST(node_main__configuration_of_the_other_kind)
{
	spawn(NODE_SWITCH);
	control_send(control, &message);
	refused("a switch was given the configuration of a NIC");
}

TEST(node_main__configuration_is_checked)
{
	config.ports[0].mtu_bytes = 1;
	spawn(NODE_NIC);
	control_send(control, &message);
	refused("the configuration is wrong: ports[0].mtu_bytes is 1, it must be 64..9216");
}

TEST(node_main__first_message_is_another)
{
	message.kind = CONTROL_SHOW;
	spawn(NODE_NIC);
	control_send(control, &message);
	refused("the first message must be the configuration");
}

TEST(node_main__missing_descriptor_is_an_error)
{
	close(message.fds[--message.fd_count]);
	spawn(NODE_NIC);
	control_send(control, &message);
	refused("3 descriptors came with the configuration, 4 are needed");
}

TEST(node_main__capture_file_missing)
{
	config.ports[0].capture_bytes = 100;
	spawn(NODE_NIC);
	control_send(control, &message);
	refused("the file of the capture at port 0 is missing");
}

TEST(node_main__capture_file_not_asked_for)
{
	message.fds[message.fd_count++] = memory_make(1 << 16, 0);
	spawn(NODE_NIC);
	control_send(control, &message);
	refused("5 descriptors came with the configuration, 4 are needed");
}

/* Memory that its owner could shrink is not mapped: clock page, statistics page, rings. */
TEST_RANGE(node_main__memory_not_sealed, 0, 4)
{
	static const char *const what[] = { "clock page", "statistics page", "transmit ring",
					    "receive ring" };

	close(message.fds[_i]);
	message.fds[_i] = memory_make(1 << 22, F_SEAL_GROW);
	spawn(NODE_NIC);
	control_send(control, &message);
	receive(CONTROL_EVENT);
	ck_assert_ptr_nonnull(strstr(message.text, what[_i]));
	ck_assert_ptr_nonnull(strstr(message.text, "sealed"));
	ck_assert_int_eq(status_of_child(), 2);
}

TEST_RANGE(node_main__memory_too_small_or_empty, 0, 4)
{
	close(message.fds[_i]);
	message.fds[_i] = memory_make(_i == 1 ? 4096 : 1 << 22, F_SEAL_SHRINK);
	spawn(NODE_NIC);
	control_send(control, &message);
	refused(_i == 0   ? "the clock page is none"
		: _i == 1 ? "bytes, it needs"
			  : "the rings of port 0 are none");
}

TEST_RANGE(node_main__orchestrator_is_gone, 0, 2)
{
	if (_i)
		start();
	else
		spawn(NODE_NIC);
	close(control);
	clock_ring(&clock_, 0);
	ck_assert_int_eq(status_of_child(), 1);
}

TEST_RANGE(node_main__wrong_arguments_are_errors, 0, 2)
{
	char *arguments[] = { "toy", _i ? "--loop=fast" : "--parent=", _i ? "--parent=1" : NULL,
			      NULL };

	ck_assert_int_eq(
		node_main(2 + _i, arguments, NODE_NIC,
			  (const struct node_ops *const[]){ &toy_ops, &toy_ops, &toy_ops }),
		2);
}
