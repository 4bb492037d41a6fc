/*  nodes/process/worker_real, worker_main: a worker of the real clock, from the orchestrator's end
 *  of its sockets. All its nodes have turns, each answers over its own socket, a node may leave,
 *  and what is wrong is refused (SC-7, TB-23). */
#include <sys/wait.h>
#include <time.h>

#include "nodes/clock/places.h"
#include "nodes/process/worker_main.h"
#include "tests/unit/nodes/process/one_node.h"

#define NODES 3u
#define FIRST_PLACE 8u
#define PLACES 16u
#define WORKERS 2u

static struct places_page *places_page; /* shared with the worker */
static struct stats_page *stats[NODES];
static struct worker_share share;
static struct ring_page *received[NODES]; /* the ring from the peer at port 0 */
static int places_fd, clock_fd, worker_socket, sockets[NODES], ends[NODES], doorbells[NODES];
static pid_t child;
static bool busy; /* nodes always have something to do */

/* ---- nodes that count their turns; in data_hops those in which the worker names them ---- */

struct turns {
	struct stats_page *stats;
	struct link *links;
	uint32_t place;
};

static bool named(const struct turns *turns)
{
	return atomic_load(&places_page->workers[1].running) == turns->place;
}

static void *turns_create(const struct node_config *node_config, struct link *links,
			  struct stats_page *page)
{
	struct turns *turns = calloc(1, sizeof(*turns));

	*turns = (struct turns){ page, links, FIRST_PLACE + node_config->index };
	return turns;
}

static node_time_t turns_run(void *dataplane, node_time_t end)
{
	struct turns *turns = dataplane;

	turns->stats->events++;
	turns->stats->data_hops += named(turns);
	return busy ? end : NODE_TIME_NEVER;
}

static int turns_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out)
{
	struct turns *turns = dataplane;

	(void)table, (void)port, (void)now;
	fprintf(out, "%s %u", named(turns) ? "named" : "not named", turns->place);
	return 0;
}

static void turns_link_down(void *dataplane, uint32_t port, node_time_t now)
{
	struct turns *turns = dataplane;

	link_down(&turns->links[port], now);
	turns->stats->drops[DROP_LINK_DOWN]++;
}

static const struct node_ops turns_ops = { .create = turns_create,
					   .run = turns_run,
					   .show = turns_show,
					   .destroy = free,
					   .link_down = turns_link_down };

/* ---- the orchestrator's side ---- */

static void *map_shared(int fd, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(at, MAP_FAILED);
	return at;
}

static void pair(int *ours, int *theirs)
{
	int both[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both), 0);
	*ours = fcntl(both[0], F_DUPFD_CLOEXEC, 100);
	*theirs = fcntl(both[1], F_DUPFD_CLOEXEC, 100);
	close(both[0]);
	close(both[1]);
}

/* worker 1 of two, with three switches, whose first place is 8 */
static void setup(void)
{
	testing_leaves();
	places_fd = memory_make(places_bytes(WORKERS, PLACES), MEMORY_SEALS);
	places_page = map_shared(places_fd, places_bytes(WORKERS, PLACES));
	places_init(places_page, WORKERS, PLACES);
	ck_assert_int_eq(clock_pages_make(&pages, 16, &clock_fd), 0);
	clock_init(pages.page, 16, NODE_MS);
	pages.page->epoch_ns = UINT64_MAX / 2; /* fabric time does not begin */
	for (uint32_t i = 0; i < NODES; i++) {
		doorbells[i] = eventfd(0, EFD_NONBLOCK);
		pair(&sockets[i], &ends[i]);
	}
	share = (struct worker_share){
		.index = 1, .first_place = FIRST_PLACE, .node_count = NODES, .real_clock = true
	};
}

static void spawn(void)
{
	static const struct node_ops *const of_fabric[FABRIC_KINDS] = { &turns_ops, &turns_ops,
									&turns_ops };
	static const struct node_ops *const *const ops[NODE_KINDS] = { of_fabric, of_fabric };
	char parent[32], *arguments[] = { "toy", parent, "--loop=fallback", NULL };
	int end;

	pair(&worker_socket, &end);
	snprintf(parent, sizeof(parent), "--parent=%d", (int)getpid());
	child = fork();
	if (!child) {
		for (uint32_t i = 0; i < NODES; i++) {
			close(sockets[i]);
			close(ends[i]); /* it gets those of ADOPT */
		}
		close(worker_socket);
		dup2(end, CONTROL_FD);
		close(end);
		_exit(worker_main(3, arguments, ops));
	}
	close(end);
}

static void share_send(int fd, uint32_t count)
{
	message = (struct control_message){
		.kind = CONTROL_WORK, .worker = &share, .fds = { fd, fd, fd }, .fd_count = count
	};
	ck_assert_int_eq(control_send(worker_socket, &message), 0);
}

static void node_send(uint32_t index)
{
	switch_make(FABRIC_FLOW_CHANNEL, CLOCK_REAL);
	config->index = index;
	give(clock_fd);
	give(memory_make(stats_bytes(config), MEMORY_SEALS));
	stats[index] = map_shared(message.fds[1], stats_bytes(config));
	give(doorbells[index]);
	for (uint32_t port = 0; port < PORTS; port++)
		give_port();
	received[index] = map_shared(message.fds[4], ring_bytes(RING_BYTES_MIN));
	ck_assert_int_eq(control_send(sockets[index], &message), 0);
	node_config_free(config);
	free(config);
}

static void receive_waiting(int socket, enum control_kind kind)
{
	struct why why = { "" };

	message = (struct control_message){ 0 };
	ck_assert_msg(!control_receive(socket, &message, 1, &why), "%s", why.text);
	ck_assert_msg(message.kind == kind, "kind %d: %s", message.kind, message.text);
}

static void bell(uint32_t index)
{
	uint64_t one = 1;

	ck_assert_int_eq(write(doorbells[index], &one, sizeof(one)), sizeof(one));
}

/* all nodes are ready; fabric time has not begun */
static void ready(void)
{
	spawn();
	share_send(places_fd, 1);
	message = (struct control_message){ .kind = CONTROL_ADOPT, .fd_count = NODES };
	memcpy(message.fds, ends, sizeof(ends));
	ck_assert_int_eq(control_send(worker_socket, &message), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		close(ends[i]);
		node_send(i);
	}
	for (uint32_t i = 0; i < NODES; i++) {
		receive_waiting(sockets[i], CONTROL_READY);
		ck_assert_ptr_nonnull(strstr(message.text, "event loop"));
		control_message_free(&message);
	}
}

static void begin(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pages.page->epoch_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	atomic_store(&pages.page->state, CLOCK_RUNNING);
	for (uint32_t i = 0; i < NODES; i++)
		bell(i);
}

/* node @index answers, and the worker names it meanwhile */
static void show(uint32_t index)
{
	struct control_message request = { .kind = CONTROL_SHOW, .number = -1, .question = 9 };
	char expected[32];

	ck_assert_int_eq(control_send(sockets[index], &request), 0);
	receive_waiting(sockets[index], CONTROL_ANSWER);
	ck_assert_uint_eq(message.question, 9);
	snprintf(expected, sizeof(expected), "named %u", FIRST_PLACE + index);
	ck_assert_str_eq(message.body, expected);
	control_message_free(&message);
}

static int status_of_child(void)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void end_of_time(void)
{
	atomic_store(&pages.page->state, CLOCK_ENDED);
	for (uint32_t i = 0; i < NODES; i++)
		bell(i);
	ck_assert_int_eq(status_of_child(), 0);
}

/* the worker ends, and says why over @socket */
static void refused_over(int socket, const char *text)
{
	receive_waiting(socket, CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_msg(strstr(message.text, text), "%s", message.text);
	ck_assert_int_eq(status_of_child(), 2);
}

TEST_GROUP(worker_real, .setup = setup);

/* Each node has its turns under its own name, and none before fabric time begins. One that is asked
 * has a turn after the answer. */
TEST(worker_real__all_nodes_have_turns)
{
	ready();
	for (uint32_t i = 0; i < NODES; i++)
		show(i);
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_uint_eq(stats[i]->events, 0);
	begin();
	for (uint32_t i = 0; i < NODES; i++) {
		uint64_t before;

		while (!stats[i]->events)
			show(i);
		before = stats[i]->events;
		while (stats[i]->events == before)
			show(i);
	}
	end_of_time();
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_uint_eq(stats[i]->data_hops, stats[i]->events);
	ck_assert_uint_eq(atomic_load(&places_page->workers[1].running), PLACES_NONE);
}

/* a host leaves: its links go down, it has no turns any more, and the others go on */
TEST(worker_real__a_node_may_leave)
{
	uint64_t turns;

	busy = true;
	ready();
	begin();
	while (!stats[1]->events)
		show(1);
	close(sockets[1]);
	show(0);
	show(0);
	ck_assert_uint_eq(stats[1]->drops[DROP_LINK_DOWN], PORTS);
	turns = stats[1]->events;
	bell(1);
	for (uint64_t others = stats[2]->events; stats[2]->events < others + 10;)
		show(0);
	ck_assert_uint_eq(stats[1]->events, turns);
	ck_assert_uint_eq(stats[0]->drops[DROP_LINK_DOWN], 0);
	ck_assert_uint_eq(stats[2]->drops[DROP_LINK_DOWN], 0);
	end_of_time();
}

/* its peer breaks the rules of the ring: the node tells, once, and over its own socket */
TEST(worker_real__broken_ring_is_told)
{
	ready();
	begin();
	atomic_store(&received[2]->tail, 7); /* no whole line */
	bell(2);
	receive_waiting(sockets[2], CONTROL_EVENT);
	ck_assert_int_eq(message.number, 1);
	ck_assert_str_eq(message.text, "p0 from peer: ring record breaks the rules");
	show(0);
	show(2); /* the next message is the answer */
	show(2);
	end_of_time();
}

TEST_RANGE(worker_real__ends_with_the_orchestrator, 0, 2)
{
	ready();
	if (_i)
		begin();
	close(worker_socket);
	for (uint32_t i = 0; i < NODES; i++)
		bell(i);
	ck_assert_int_eq(status_of_child(), 1);
}

/* ---- what is wrong ---- */

TEST_RANGE(worker_real__share_is_checked, 0, 3)
{
	static const struct worker_share shares[] = {
		{ .index = WORKERS, .node_count = NODES, .real_clock = true },
		{ .index = 1, .node_count = PLACES + 1, .real_clock = true },
		{ .index = 1, .real_clock = true },
	};
	char sentence[64];

	share = shares[_i];
	spawn();
	share_send(places_fd, 1);
	snprintf(sentence, sizeof(sentence), "worker %u cannot run %u nodes", share.index,
		 share.node_count);
	refused_over(worker_socket, sentence);
}

/* all places that the page has may be taken */
TEST(worker_real__as_many_nodes_as_places)
{
	share.node_count = PLACES;
	spawn();
	share_send(places_fd, 1);
	message = (struct control_message){
		.kind = CONTROL_WORK, .worker = &share, .fds = { places_fd }, .fd_count = 1
	};
	ck_assert_int_eq(control_send(worker_socket, &message), 0);
	refused_over(worker_socket, "the sockets of 16 nodes, and has 0");
}

TEST_RANGE(worker_real__one_descriptor_comes_with_the_share, 0, 2)
{
	spawn();
	share_send(places_fd, _i ? 3 : 0);
	refused_over(worker_socket, "the first message to a worker must be its share");
}

TEST(worker_real__places_page_is_checked)
{
	spawn();
	share_send(memory_make(places_bytes(WORKERS, PLACES), MEMORY_SEALS), 1);
	refused_over(worker_socket, "worker 1 cannot run 3 nodes");
}

TEST(worker_real__places_page_that_can_shrink)
{
	spawn();
	share_send(memory_make(places_bytes(WORKERS, PLACES), F_SEAL_GROW), 1);
	refused_over(worker_socket, "the places page is no memory sealed against shrinking");
}

/* a configuration of a node that has no ring */
TEST(worker_real__node_is_checked)
{
	spawn();
	share.node_count = 1;
	share_send(places_fd, 1);
	message = (struct control_message){ .kind = CONTROL_ADOPT,
					    .fds = { ends[0] },
					    .fd_count = 1 };
	ck_assert_int_eq(control_send(worker_socket, &message), 0);
	switch_make(FABRIC_FLOW_CHANNEL, CLOCK_REAL);
	give(clock_fd);
	ck_assert_int_eq(control_send(sockets[0], &message), 0);
	refused_over(sockets[0], "1 descriptors came with the configuration, too few");
	node_config_free(config);
	free(config);
}
