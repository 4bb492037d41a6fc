/*  nodes/process/worker_main: a worker with toy nodes, from the orchestrator's end of its sockets:
 *  it runs each of its nodes in each window, answers for each of them, and refuses what is wrong
 *  (SC-3, TB-23). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/ring.h"
#include "nodes/clock/futex.h"
#include "nodes/clock/places.h"
#include "nodes/control/control.h"
#include "nodes/process/worker_main.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

#define NODES 3u
#define PLACES 16u

static struct places_page *places_page; /* shared with the worker */

/* ---- the toy: one event every microsecond and node index, counted in stats->events; in data_hops
 * if the worker tells that it runs this node ---- */

struct toy {
	struct stats_page *stats;
	node_time_t next, period;
	uint32_t place;
};

static bool told(const struct toy *toy)
{
	return atomic_load(&places_page->workers[0].running) == toy->place;
}

static void *toy_create(const struct node_config *config, struct link *links,
			struct stats_page *stats)
{
	struct toy *toy = calloc(1, sizeof(*toy));

	(void)links;
	*toy = (struct toy){ .stats = stats,
			     .period = (config->index + 1) * NODE_US,
			     .place = 8 + config->index };
	toy->next = toy->period;
	return toy;
}

static node_time_t toy_run(void *dataplane, node_time_t end)
{
	struct toy *toy = dataplane;

	for (; toy->next < end; toy->next += toy->period) {
		toy->stats->events++;
		toy->stats->data_hops += told(toy);
	}
	return toy->next;
}

static int toy_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	struct toy *toy = dataplane;

	(void)table, (void)port;
	fprintf(out, "%llu at %llu%s\n", (unsigned long long)toy->period, (unsigned long long)now,
		told(toy) ? "" : ", untold");
	return 0;
}

static int toy_set(void *dataplane, const char *name, const char *value, FILE *out)
{
	struct toy *toy = dataplane;

	(void)name, (void)out;
	toy->next = strtoull(value, NULL, 10);
	return 0;
}

static const struct node_ops toy_ops = {
	.create = toy_create, .run = toy_run, .show = toy_show, .set = toy_set, .destroy = free
};

/* ---- the orchestrator's side ---- */

static struct node_config configs[NODES];
static struct node_place place[NODES];
static struct worker_share share;
static struct control_message message;
static struct clock clock_;
static struct stats_page *stats[NODES];
static int stats_fds[NODES], memory[3]; /* clock, places, rings */
static int control, nodes[NODES], ends[NODES];
static size_t ring_size;
static pid_t child;

static int memory_make(size_t bytes)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	return fd;
}

static void *map_shared(int fd, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(at, MAP_FAILED);
	return at;
}

static void pair(int *ours, int *theirs)
{
	int sockets[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	*ours = fcntl(sockets[0], F_DUPFD_CLOEXEC, 100);
	*theirs = fcntl(sockets[1], F_DUPFD_CLOEXEC, 100);
	close(sockets[0]);
	close(sockets[1]);
}

/* worker 0 of one, with NICs at places 8, 9, 10; each has two rings */
static void setup(void)
{
	uint8_t *rings;

	testing_leaves();
	for (uint32_t i = 0; i < NODES; i++) {
		example_nic(&configs[i]);
		configs[i].index = i;
		configs[i].series = false;
		ring_size = (ring_bytes(configs[i].ports[0].ring_bytes) + 4095) / 4096 * 4096;
		stats_fds[i] = memory_make(stats_bytes(&configs[i]));
		stats[i] = map_shared(stats_fds[i], stats_bytes(&configs[i]));
		place[i] = (struct node_place){ .place = 8 + i, .port_count = 1 };
		place[i].ports[0] = (struct place_port){ .peer_place = 8,
							 .tx_at = 2 * i * ring_size,
							 .rx_at = (2 * i + 1) * ring_size };
		pair(&nodes[i], &ends[i]);
	}
	memory[0] = memory_make(clock_bytes(1));
	memory[1] = memory_make(places_bytes(1, PLACES));
	memory[2] = memory_make(2 * NODES * ring_size);
	clock_init(map_shared(memory[0], clock_bytes(1)), 1, NODE_US);
	ck_assert_int_eq(
		clock_attach(&clock_, map_shared(memory[0], clock_bytes(1)), clock_bytes(1)), 0);
	places_page = map_shared(memory[1], places_bytes(1, PLACES));
	places_init(places_page, 1, PLACES);
	rings = map_shared(memory[2], 2 * NODES * ring_size);
	for (uint32_t i = 0; i < 2 * NODES; i++)
		ring_init((struct ring_page *)(rings + i * ring_size),
			  configs[0].ports[0].ring_bytes, 224);
	share = (struct worker_share){ .first_place = 8, .node_count = NODES };
}

static void spawn(void)
{
	int end;
	char parent[32];
	char *arguments[] = { "toy", parent, "--loop=auto", NULL };

	pair(&control, &end);
	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	child = fork();
	if (!child) {
		const struct node_ops *const toys[FABRIC_KINDS] = { &toy_ops, &toy_ops, &toy_ops };
		const struct node_ops *const *const ops[NODE_KINDS] = { toys, toys };

		for (uint32_t i = 0; i < NODES; i++)
			close(nodes[i]);
		close(control);
		dup2(end, CONTROL_FD);
		close(end);
		_exit(worker_main(3, arguments, ops));
	}
	close(end);
}

static void share_send(void)
{
	message = (struct control_message){ .kind = CONTROL_WORK, .worker = &share, .fd_count = 3 };
	memcpy(message.fds, memory, sizeof(memory));
	ck_assert_int_eq(control_send(control, &message), 0);
}

static void ends_send(uint32_t count)
{
	message = (struct control_message){ .kind = CONTROL_ADOPT, .fd_count = count };
	memcpy(message.fds, ends, count * sizeof(int));
	ck_assert_int_eq(control_send(control, &message), 0);
}

static void node_send(uint32_t node)
{
	message = (struct control_message){ .kind = CONTROL_CONFIGURE,
					    .config = &configs[node],
					    .place = &place[node],
					    .fds = { stats_fds[node] },
					    .fd_count = 1 };
	ck_assert_int_eq(control_send(nodes[node], &message), 0);
}

/* what a node, or the worker, says next over @socket */
static void receive(int socket, enum control_kind kind)
{
	struct why why = { "" };

	ck_assert_msg(!control_receive(socket, &message, 1, &why), "%s", why.text);
	ck_assert_msg(message.kind == kind, "kind %d: %s", message.kind, message.text);
}

static void start(void)
{
	spawn();
	share_send();
	ends_send(2); /* in two messages */
	message = (struct control_message){ .kind = CONTROL_ADOPT,
					    .fds = { ends[2] },
					    .fd_count = 1 };
	ck_assert_int_eq(control_send(control, &message), 0);
	for (uint32_t i = 0; i < NODES; i++)
		node_send(i);
	for (uint32_t i = 0; i < NODES; i++)
		receive(nodes[i], CONTROL_READY);
}

static int status_of_child(void)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void run_to(node_time_t limit)
{
	uint32_t wake[1], stops = clock_.page->stops;
	uint32_t count = clock_resume(&clock_, limit, wake);

	for (uint32_t k = 0; k < count; k++)
		clock_ring(&clock_, wake[k]);
	while (clock_.page->stops == stops)
		futex_wait(&clock_.page->stops, stops, NULL);
}

static void ask(uint32_t node, enum control_kind kind, const char *text, const char *text2)
{
	control_message_free(&message);
	message = (struct control_message){ .kind = kind, .question = 7, .number = -1 };
	strcpy(message.text, text);
	strcpy(message.text2, text2);
	ck_assert_int_eq(control_send(nodes[node], &message), 0);
	clock_ring(&clock_, 0);
	receive(nodes[node], CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, 7);
	ck_assert_int_eq(message.number, 0);
}

/* the worker ends, and says why over @socket */
static void refused(int socket, const char *text)
{
	receive(socket, CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_msg(strstr(message.text, text), "%s", message.text);
	ck_assert_int_eq(status_of_child(), 2);
}

TEST_GROUP(worker_main, .setup = setup);

TEST(worker_main__runs_all_of_its_nodes)
{
	start();
	run_to(12 * NODE_US);
	ck_assert_uint_eq(stats[0]->events, 11);
	ck_assert_uint_eq(stats[1]->events, 5);
	ck_assert_uint_eq(stats[2]->events, 3);
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_uint_eq(stats[i]->data_hops, stats[i]->events);
	ck_assert_uint_eq(places_page->workers[0].running, PLACES_NONE);
	atomic_store(&clock_.page->state, CLOCK_ENDED);
	clock_ring(&clock_, 0);
	ck_assert_int_eq(status_of_child(), 0);
}

/* each node answers over its own socket; what is due earlier wakes the worker */
TEST(worker_main__serves_each_of_its_nodes)
{
	start();
	run_to(2 * NODE_US);
	ask(1, CONTROL_SHOW, "period", "");
	ck_assert_str_eq(message.body, "2000000 at 2000000\n");
	ask(2, CONTROL_SHOW, "period", "");
	ck_assert_str_eq(message.body, "3000000 at 2000000\n");
	ask(2, CONTROL_SET, "next", "2000000");
	run_to(2 * NODE_US + 1);
	ck_assert_uint_eq(stats[2]->events, 1);
	ck_assert_uint_eq(stats[0]->events, 2);
	control_message_free(&message);
	close(control);
	clock_ring(&clock_, 0);
	ck_assert_int_eq(status_of_child(), 1);
}

TEST(worker_main__ends_with_the_socket_of_a_node)
{
	start();
	close(nodes[1]);
	clock_ring(&clock_, 0);
	ck_assert_int_eq(status_of_child(), 1);
}

TEST(worker_main__first_message_is_another)
{
	spawn();
	ends_send(1);
	refused(control, "the first message to a worker must be its share");
}

TEST_RANGE(worker_main__share_is_checked, 0, 5)
{
	const struct worker_share shares[] = { { .index = 1, .first_place = 8, .node_count = 3 },
					       { .first_place = 4, .node_count = 3 },
					       { .first_place = 16, .node_count = 1 },
					       { .first_place = 8, .node_count = 9 },
					       { .first_place = 8 } };

	share = shares[_i];
	spawn();
	share_send();
	refused(control, "cannot run");
}

TEST(worker_main__memory_is_checked)
{
	int keep = memory[0];

	spawn();
	memory[0] = memory[1];
	share_send();
	memory[0] = keep;
	refused(control, "clock page");
}

TEST(worker_main__too_many_sockets)
{
	share.node_count = 2;
	spawn();
	share_send();
	ends_send(3);
	refused(control, "the sockets of 2 nodes, and has 0");
}

TEST_RANGE(worker_main__place_is_checked, 0, 6)
{
	static const char *const expected[] = { "at its place",        "at its place",
						"at no place",         "at no place",
						"memory of all rings", "memory of all rings" };

	switch (_i) {
	case 0:
		place[0].place++;
		break;
	case 1:
		place[0].worker = 1;
		break;
	case 2:
		place[0].ports[0].peer_place = PLACES;
		break;
	case 3:
		place[0].ports[0].peer_worker = 1;
		break;
	case 4:
		place[0].ports[0].tx_at = 2 * NODES * ring_size - 64;
		break;
	case 5:
		place[0].ports[0].rx_at = 32;
		break;
	}
	spawn();
	share_send();
	ends_send(3);
	node_send(0);
	refused(nodes[0], expected[_i]);
}

TEST(worker_main__place_without_a_ring)
{
	place[1].ports[0].rx_at += 4096;
	spawn();
	share_send();
	ends_send(3);
	node_send(0);
	node_send(1);
	refused(nodes[1], "the rings of port 0 are none");
}

TEST(worker_main__places_page_is_none)
{
	memset(places_page, 0, places_bytes(1, PLACES));
	spawn();
	share_send();
	refused(control, "the clock page or the places page is none");
}

TEST(worker_main__message_of_a_node_is_another)
{
	spawn();
	share_send();
	ends_send(3);
	message = (struct control_message){ .kind = CONTROL_READY };
	ck_assert_int_eq(control_send(nodes[0], &message), 0);
	refused(nodes[0], "the first message must be the configuration");
}

TEST(worker_main__bytes_are_no_message)
{
	spawn();
	share_send();
	ends_send(3);
	ck_assert_int_eq(send(nodes[0], "\xff\xff", 2, 0), 2);
	refused(nodes[0], "the configuration is wrong: the bytes are no control message");
}

/* before it has all that it needs */
TEST(worker_main__orchestrator_is_gone)
{
	spawn();
	share_send();
	close(control);
	ck_assert_int_eq(status_of_child(), 1);
}

TEST(worker_main__descriptors_of_a_node)
{
	spawn();
	share_send();
	ends_send(3);
	message = (struct control_message){ .kind = CONTROL_CONFIGURE,
					    .config = &configs[0],
					    .place = &place[0],
					    .fds = { stats_fds[0], memory[0] },
					    .fd_count = 2 };
	ck_assert_int_eq(control_send(nodes[0], &message), 0);
	refused(nodes[0], "2 descriptors came with the configuration, 1 are needed");
}

TEST(worker_main__node_with_a_control_of_the_user)
{
	example_roce(&configs[0]);
	configs[0].roce.congestion = CONGESTION_OWN;
	spawn();
	share_send();
	ends_send(3);
	node_send(0);
	refused(nodes[0], "a NIC with a congestion control of the user's is not packed");
}

/* TB-23: a peer that writes a malformed record is named, once, over the socket of its node */
TEST(worker_main__broken_ring_is_reported_once)
{
	struct ring_page *rx = map_shared(memory[2], 2 * NODES * ring_size);
	struct why why;

	rx = (struct ring_page *)((uint8_t *)rx + 3 * ring_size); /* of node 1 */
	start();
	atomic_store(&rx->tail, 7); /* no whole line */
	run_to(8 * NODE_US);
	receive(nodes[1], CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_str_eq(message.text, "p0 from peer: ring record breaks the rules");
	run_to(12 * NODE_US);
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_int_eq(control_receive(nodes[i], &message, 0, &why), -EAGAIN);
	ck_assert_uint_eq(stats[1]->events, 5);
	atomic_store(&clock_.page->state, CLOCK_ENDED);
	clock_ring(&clock_, 0);
	ck_assert_int_eq(status_of_child(), 0);
}
