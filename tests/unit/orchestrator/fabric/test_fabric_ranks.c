/*  orchestrator/fabric/fabric_ranks: which rank runs which node, what rankd is given, and what is
 *  said when it fails (SC-4). This program acts as rankd: it checks what it receives. */
#include "orchestrator/fabric/fabric_ranks.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "nodes/control/control.h"
#include "nodes/link/link.h"
#include "nodes/wire/rank_plan.h"
#include "tests/unit/orchestrator/fabric/packed_fabric.h"

static uint32_t rank_of(uint32_t node)
{
	return fabric.pack.rank_of[fabric.pack.worker_of[node]];
}

/* ---- the test as rankd ---- */

/* what rankd has to know: a sentence if it is wrong */
static const char *plan_wrong(const struct rank_plan *ranks)
{
	const char *why = NULL;

	if (!rank_plan_check(ranks, ranks->bytes, ranks->rank_count, &why))
		return why;
	if (ranks->watchdog_ns != WATCHDOG_NS || strcmp(ranks->loop, "epoll") != 0)
		return "the options differ";
	return ranks->lookahead_ps ? NULL : "there is no lookahead";
}

/* receives the work and all control sockets, and says in how many messages they have come */
__attribute__((constructor)) static void act_as_rankd(int argc, char **argv)
{
	struct control_message message = { 0 }, answer = { .kind = CONTROL_EVENT, .number = 1 };
	const struct rank_plan *ranks;
	uint32_t expected = 0, received = 0, messages = 0;
	const char *wrong;
	int plan_fd;
	struct why why;
	struct stat file;

	if (!argc || strcmp(argv[0], "rankd") != 0)
		return;
	if (control_receive(CONTROL_FD, &message, 1, &why) || message.kind != CONTROL_WORK ||
	    message.fd_count != 4 || fstat(message.fds[3], &file))
		_exit(1);
	plan_fd = message.fds[3];
	ranks = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, plan_fd, 0);
	if (ranks == MAP_FAILED || (size_t)file.st_size < ranks->bytes)
		_exit(2);
	for (uint32_t w = 0; w < ranks->worker_count; w++)
		if (rank_plan_workers(ranks)[w].rank)
			expected += rank_plan_workers(ranks)[w].node_count;
	while (received < expected) {
		if (control_receive(CONTROL_FD, &message, 1, &why) ||
		    message.kind != CONTROL_ADOPT || message.fd_count > AT_ONCE_MAX)
			_exit(3);
		received += message.fd_count;
		messages++;
		control_message_free(&message);
	}
	wrong = plan_wrong(ranks);
	snprintf(answer.text, sizeof(answer.text), "rank 1");
	snprintf(answer.text2, sizeof(answer.text2), "%u sockets in %u messages", received,
		 messages);
	if (wrong)
		snprintf(answer.text2, sizeof(answer.text2), "%s", wrong);
	answer.question = ranks->place_count; /* no place */
	answer.fds[0] = plan_fd;
	answer.fd_count = 1;
	control_send(CONTROL_FD, &answer);
	answer.fd_count = 0;
	answer.question = rank_plan_workers(ranks)[ranks->worker_count - 1].first_place;
	control_send(CONTROL_FD, &answer);
	_exit(0);
}

/* ---- places ---- */

TEST(fabric_ranks_refuses__too_many)
{
	pack("leaf-spine, leaves: 16, hosts-per-leaf: 16, spines: 2", 2, 1);
	ck_assert_ptr_null(fabric_ranks_refuses(&plan, 256));
	ck_assert_str_eq(fabric_ranks_refuses(&plan, 257), "there are more than 256 ranks");
	ck_assert_str_eq(fabric_ranks_refuses(&plan, plan.node_count + 1),
			 "there are more ranks than nodes");
	done();
	pack("star, hosts: 3", 2, 1);
	ck_assert_ptr_null(fabric_ranks_refuses(&plan, 4));
	ck_assert_str_eq(fabric_ranks_refuses(&plan, 5), "there are more ranks than nodes");
	done();
}

static const struct {
	const char *topology;
	uint32_t ranks, workers;
	const char *stage;
} cases[] = {
	{ "fat-tree, radix: 4", 2, 1, "divided by group or pod: 8 of 48 links join two of 2" },
	{ "fat-tree, radix: 4", 2, 3, "divided by group or pod: 8 of 48 links join two of 2" },
	{ "fat-tree, radix: 4", 4, 2, "divided by group or pod: 12 of 48 links join two of 4" },
	{ "torus, shape: [4, 4], hosts-per-switch: 1", 2, 2, "divided by a cut of the graph: " },
	{ "star, hosts: 6", 3, 2, "divided in the order of nodes: 4 of 6 links join two of 3" },
	{ "star, hosts: 2", 3, 4, "divided in the order of nodes: 2 of 2 links join two of 3" },
};

/* workers have numbers over all ranks, those of rank 0 first; each has a node */
TEST_RANGE(fabric_ranks_place__workers_of_all_ranks, 0, (int)(sizeof(cases) / sizeof(cases[0])))
{
	uint32_t of_rank[8] = { 0 }, nodes[64] = { 0 };
	bool lead = false;

	pack(cases[_i].topology, cases[_i].ranks, cases[_i].workers);
	ck_assert_msg(!strncmp(stages, cases[_i].stage, strlen(cases[_i].stage)), "%s", stages);
	ck_assert_uint_le(fabric.pack.worker_count, cases[_i].ranks * cases[_i].workers);
	for (uint32_t w = 0; w < fabric.pack.worker_count; w++) {
		ck_assert_uint_lt(fabric.pack.rank_of[w], cases[_i].ranks);
		of_rank[fabric.pack.rank_of[w]]++;
		ck_assert(!w || fabric.pack.rank_of[w] >= fabric.pack.rank_of[w - 1]);
	}
	for (uint32_t r = 0; r < cases[_i].ranks; r++) {
		ck_assert_uint_ge(of_rank[r], 1);
		ck_assert_uint_le(of_rank[r], cases[_i].workers);
	}
	for (uint32_t i = 0; i < plan.node_count; i++) {
		ck_assert_uint_lt(fabric.pack.worker_of[i], fabric.pack.worker_count);
		nodes[fabric.pack.worker_of[i]]++;
		ck_assert_int_eq(fabric_ranks_elsewhere(&fabric, i), rank_of(i) != 0);
		if (!lead && rank_of(i))
			ck_assert_uint_eq(fabric_ranks_lead(&fabric), i);
		lead |= rank_of(i) != 0;
	}
	for (uint32_t w = 0; w < fabric.pack.worker_count; w++)
		ck_assert_uint_ge(nodes[w], 1);
	done();
}

TEST(fabric_ranks_lead__one_machine_has_none)
{
	pack("star, hosts: 6", 1, 2);
	ck_assert_uint_eq(fabric_ranks_lead(&fabric), plan.node_count);
	ck_assert(!fabric_ranks_elsewhere(&fabric, 0));
	done();
}

/* ---- rankd ---- */

static uint32_t elsewhere(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan.node_count; i++)
		count += rank_of(i) != 0;
	return count;
}

static void message_is(const char *expected)
{
	struct epoll_event event;

	fabric.failure[0] = 0;
	ck_assert_int_eq(epoll_wait(fabric.epoll_fd, &event, 1, -1), 1);
	fabric_ranks_message(&fabric);
	ck_assert_str_eq(fabric.failure, expected);
}

/* it gets the plan of ranks, and a control socket for each node of another rank */
static void rankd_is_given(const char *topology, uint32_t ranks, uint32_t messages)
{
	uint32_t lead, last, before;
	char text[300], expected[400];
	int status;

	pack(topology, ranks, 2);
	lead = fabric_ranks_lead(&fabric);
	before = descriptors();
	ck_assert_int_eq(fabric_ranks_start(&fabric, "/proc/self/exe"), 0);
	ck_assert_uint_eq(descriptors(),
			  before + 1 + elsewhere()); /* its own, and those of nodes */
	ck_assert_uint_eq(fabric.alive, 1);
	for (uint32_t i = 0; i < plan.node_count; i++)
		ck_assert_int_eq(fabric.nodes[i].control >= 0, rank_of(i) != 0);
	snprintf(text, sizeof(text), "%u sockets in %u messages", elsewhere(), messages);
	snprintf(expected, sizeof(expected), "rank 1: %s", text);
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (fabric.nodes[i].control >= 0)
			epoll_ctl(fabric.epoll_fd, EPOLL_CTL_DEL, fabric.nodes[i].control, NULL);
	message_is(expected);
	for (last = 0; fabric.pack.worker_of[last] + 1 != fabric.pack.worker_count;)
		last++;
	snprintf(expected, sizeof(expected), "rank 1, which was running %s %s, %s",
		 last < plan.switch_count ? "switch" : "nic", plan.nodes[last].name, text);
	message_is(expected);
	/* its end is told by its death, not here */
	message_is("");
	ck_assert_int_eq(waitpid(fabric.nodes[lead].pid, &status, 0), fabric.nodes[lead].pid);
	ck_assert_int_eq(status, 0);
	done();
}

TEST(fabric_ranks_start__sockets_in_one_message)
{
	rankd_is_given("fat-tree, radix: 4", 2, 1);
}

TEST(fabric_ranks_start__sockets_in_several_messages)
{
	rankd_is_given("leaf-spine, leaves: 16, hosts-per-leaf: 16, spines: 2", 8, 2);
}

/* every worker and ring of the plan that rankd gets, from both of its ends */
static void plan_is_right(const struct rank_plan *ranks)
{
	const struct fabric_pack *pack_of = &fabric.pack;

	ck_assert_uint_eq(ranks->rank_count, fabric.options.ranks);
	ck_assert_uint_eq(ranks->worker_count, pack_of->worker_count);
	ck_assert_uint_eq(ranks->place_count, pack_of->place_count);
	ck_assert_uint_eq(ranks->ring_count, 2 * plan.link_count);
	ck_assert_uint_eq(ranks->rings_bytes, pack_of->rings_bytes);
	ck_assert_uint_eq(ranks->lookahead_ps, plan.lookahead_ps);
	ck_assert_uint_eq(ranks->keep_user, fabric.options.keep_user);
	for (uint32_t w = 0; w < ranks->worker_count; w++) {
		const struct rank_worker *worker = &rank_plan_workers(ranks)[w];
		uint32_t count = 0, first = 0;

		for (uint32_t i = plan.node_count; i--;) {
			if (pack_of->worker_of[i] != w)
				continue;
			first = pack_of->place_of[i];
			count++;
		}
		ck_assert_uint_eq(worker->rank, pack_of->rank_of[w]);
		ck_assert_uint_eq(worker->first_place, first);
		ck_assert_uint_eq(worker->node_count, count);
	}
	for (uint32_t i = 0; i < ranks->ring_count; i++) {
		const struct rank_ring *ring = &rank_plan_rings(ranks)[i];
		const struct plan_link *link = &plan.links[i / 2];
		const struct node_config *from = &plan.nodes[i % 2 ? link->node_b : link->node_a];
		uint32_t to = i % 2 ? link->node_a : link->node_b;
		const struct port_config *port = &from->ports[i % 2 ? link->port_b : link->port_a];

		ck_assert_uint_eq(ring->at, pack_of->ring_at[i]);
		ck_assert_uint_eq(ring->data_bytes, port->ring_bytes);
		ck_assert_uint_eq(ring->captured_max, link_captured_max(from));
		ck_assert_uint_eq(ring->from_worker, pack_of->worker_of[from->index]);
		ck_assert_uint_eq(ring->to_worker, pack_of->worker_of[to]);
		ck_assert_uint_eq(ring->to_place, pack_of->place_of[to]);
	}
}

TEST_RANGE(fabric_ranks_start__plan, 0, 2)
{
	struct control_message message;
	struct rank_plan *ranks;
	uint32_t own = 0;
	struct why why;
	size_t bytes;

	pack("fat-tree, radix: 4", 3, 2);
	fabric.options.keep_user = _i;
	while (!fabric.pack.rank_of[own])
		own++;
	ck_assert_int_eq(fabric_ranks_start(&fabric, "/proc/self/exe"), 0);
	ck_assert_int_eq(control_receive(fabric.pack.sockets[own], &message, 1, &why), 0);
	ck_assert_uint_eq(message.fd_count, 1);
	bytes = (size_t)lseek(message.fds[0], 0, SEEK_END);
	ranks = mmap(NULL, bytes, PROT_READ, MAP_SHARED, message.fds[0], 0);
	ck_assert_ptr_ne(ranks, MAP_FAILED);
	ck_assert_uint_eq(ranks->bytes, bytes);
	plan_is_right(ranks);
	munmap(ranks, bytes);
	control_message_free(&message);
	ck_assert_int_gt(waitpid(fabric.group, NULL, 0), 0);
	done();
}

/* what could be opened is closed at once, but for the ends that stay */
TEST_RANGE(fabric_ranks_start__too_few_descriptors, 0, 12)
{
	uint32_t kept = 0, before, lead;

	pack("star, hosts: 6", 2, 1);
	lead = fabric_ranks_lead(&fabric);
	before = descriptors();
	descriptors_left((uint32_t)_i);
	if (fabric_ranks_start(&fabric, "/proc/self/exe"))
		for (uint32_t i = 0; i < plan.node_count; i++)
			kept += fabric.nodes[i].control >= 0;
	else
		kept = elsewhere();
	for (uint32_t w = 0; w < fabric.pack.worker_count; w++)
		kept += fabric.pack.sockets[w] >= 0;
	ck_assert_uint_eq(descriptors(), before + kept);
	ck_assert(_i > 3 || !fabric.nodes[lead].pid || fabric.alive == 1);
	if (fabric.nodes[lead].pid) {
		kill(fabric.nodes[lead].pid, SIGKILL);
		waitpid(fabric.nodes[lead].pid, NULL, 0);
	}
	done();
}

TEST(fabric_ranks_start__no_program)
{
	pack("star, hosts: 6", 2, 1);
	ck_assert_int_eq(fabric_ranks_start(&fabric, "/no/such/program"), -ENOENT);
	ck_assert_uint_eq(fabric.alive, 0);
	done();
}
