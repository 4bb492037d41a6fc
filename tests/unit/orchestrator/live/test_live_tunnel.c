/*  orchestrator/live/live_tunnel: what the daemon of one machine of several knows of the others,
 *  and tells them (SC-5).
 *
 *    machine a, this one: h1 - s1 - s2, h2 ~~~ machine b: s3 - h3 ~~~ machine c: s4 - h4
 *
 *  No node runs, and the tunnel process is the other end of a socket. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/live/live_tunnel.h"
#include "orchestrator/plan/plan_real.h"
#include "tests/said.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define ROW                                                                                \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n"                         \
	"topology: {switches: [s1, s2, s3, s4], hosts: {h1: s1, h2: s2, h3: s3, h4: s4}, " \
	"links: [[s1, s2], [s2, s3], [s3, s4]], machines: {a: [s1, s2], b: [s3], c: [s4]}}\n"

enum { A, B, C };

static struct plan plan;
static struct live live;
static struct tunnel_options options = { .machine_count = 3, .self = A };
static const struct fabric_tunnel *const calls = &live_tunnel_calls;
static int process = -1; /* the end of the tunnel process */
static uint32_t s1_s2, s2_s3, s3_s4, h1_s1;

static uint32_t node(const char *name)
{
	return plan_node_find(&plan, name)->index;
}

static uint32_t link_of(const char *one, const char *other)
{
	uint32_t a = node(one), b = node(other);

	for (uint32_t i = 0; i < plan.link_count; i++)
		if ((plan.links[i].node_a == a && plan.links[i].node_b == b) ||
		    (plan.links[i].node_a == b && plan.links[i].node_b == a))
			return i;
	ck_abort_msg("no link %s - %s", one, other);
	return 0;
}

static void setup(void)
{
	struct machine_list machines = { .count = 3, .self = A, .names = { "a", "b", "c" } };
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int pair[2];

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", ROW, strlen(ROW), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make_machines(&scenario, &machines, &plan, &errors), 0);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	live = (struct live){
		.plan = &plan,
		.fabric = { .plan = &plan, .options.real = true },
		.tunnel = { .options = &options, .pid = getpid(), .control = pair[0], .names = -1 }
	};
	process = pair[1];
	live.fabric.nodes = live_nodes_make(&plan);
	live.cut_down = calloc(plan.link_count, sizeof(*live.cut_down));
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (plan_here(&plan, i))
			live.fabric.nodes[i].pid = getpid();
	s1_s2 = link_of("s1", "s2");
	s2_s3 = link_of("s2", "s3");
	s3_s4 = link_of("s3", "s4");
	h1_s1 = link_of("h1", "s1");
}

static void teardown(void)
{
	close(live.tunnel.control);
	close(process);
	free(live.cut_down);
	free(live.fabric.nodes);
	plan_free(&plan);
}

TEST_GROUP(live_tunnel, .setup = setup, .teardown = teardown);

/* ---- what other machines say ---- */

TEST(there__nodes_of_connected_machines)
{
	ck_assert(!calls->there(&live, node("s3")) && !calls->there(&live, node("s4")));
	live.tunnel.news[B].state = TUNNEL_CONNECTED;
	ck_assert(calls->there(&live, node("s3")) && calls->there(&live, node("h3")));
	ck_assert(!calls->there(&live, node("s4")));
	live.tunnel.news[B].state = TUNNEL_SILENT;
	ck_assert(!calls->there(&live, node("s3")));
	live.tunnel.news[B].state = TUNNEL_CONNECTED;
	live.tunnel.pid = 0;
	ck_assert(!calls->there(&live, node("s3")));
}

/* A link is up if it is up here, and the machines of its other ends are connected and do not list
 * it. */
TEST(up__as_all_of_its_machines_say)
{
	struct tunnel_state *down = &live.tunnel.news[B].down;

	ck_assert(calls->up(&live, s1_s2));
	ck_assert(!calls->up(&live, s2_s3));
	live.tunnel.news[B].state = TUNNEL_CONNECTED;
	ck_assert(calls->up(&live, s2_s3));
	ck_assert(!calls->up(&live, s3_s4));
	live.tunnel.news[C].state = TUNNEL_CONNECTED;
	ck_assert(calls->up(&live, s3_s4));
	/* whatever place it has in the list */
	*down = (struct tunnel_state){ .count = 2, .down = { s2_s3, s3_s4 } };
	ck_assert(!calls->up(&live, s2_s3) && !calls->up(&live, s3_s4));
	down->count = 1;
	ck_assert(!calls->up(&live, s2_s3) && calls->up(&live, s3_s4));
	live.tunnel.news[C].down = *down; /* it has no end of this one */
	down->count = 0;
	ck_assert(calls->up(&live, s2_s3));
	plan.links[s1_s2].down = plan.links[s2_s3].down = true;
	ck_assert(!calls->up(&live, s1_s2) && !calls->up(&live, s2_s3));
	ck_assert(calls->up(&live, s3_s4));
}

/* ---- what other machines are told ---- */

/* the next list of links that are down; false: nothing is told */
static bool told(struct tunnel_state *state)
{
	struct tunnel_order order;
	ssize_t got = recv(process, &order, sizeof(order), MSG_DONTWAIT);

	if (got < 0)
		return false;
	ck_assert_int_eq(got, sizeof(order));
	ck_assert_int_eq(order.kind, TUNNEL_DOWN);
	*state = order.down;
	return true;
}

static bool lists(const struct tunnel_state *state, uint32_t link)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (state->down[i] == link)
			return true;
	return false;
}

/* Links with an end here are told of once when they go down or up. */
TEST(live_tunnel_watch__tells_what_is_down)
{
	struct tunnel_state state = { 0 };

	ck_assert(!live_tunnel_watch(&live));
	ck_assert(!told(&state));
	plan.links[s3_s4].down = true; /* of others */
	live_tunnel_watch(&live);
	ck_assert(!told(&state));
	plan.links[s2_s3].down = true;
	live_tunnel_watch(&live);
	ck_assert(told(&state));
	ck_assert(state.count == 1 && state.down[0] == s2_s3);
	live_tunnel_watch(&live);
	ck_assert(!told(&state));
	/* as many, but another one */
	plan.links[s2_s3].down = false;
	plan.links[s1_s2].down = true;
	live_tunnel_watch(&live);
	ck_assert(told(&state));
	ck_assert(state.count == 1 && state.down[0] == s1_s2);
	plan.links[s1_s2].down = false;
	live_tunnel_watch(&live);
	ck_assert(told(&state));
	ck_assert_uint_eq(state.count, 0);
}

/* A node that is dead takes its links with it. */
TEST(live_tunnel_watch__tells_of_dead_nodes)
{
	struct tunnel_state state = { 0 };

	live.fabric.nodes[node("s2")].pid = 0;
	live_tunnel_watch(&live);
	ck_assert(told(&state));
	ck_assert_uint_eq(state.count, 3);
	ck_assert_uint_eq(state.down[0], s2_s3); /* the other machine sends on it */
	ck_assert(lists(&state, s1_s2) && lists(&state, s2_s3) && !lists(&state, h1_s1));
	live.fabric.nodes[node("s2")].pid = getpid();
	live.fabric.nodes[node("h1")].pid = 0;
	live_tunnel_watch(&live);
	ck_assert(told(&state));
	ck_assert(state.count == 1 && state.down[0] == h1_s1);
}

/* What a machine says counts when it is connected, and is reported once. */
TEST(live_tunnel_watch__takes_news)
{
	struct tunnel_news news = { .machine = B, .state = TUNNEL_CONNECTED, .connects = 1 };

	ck_assert_int_eq(send(process, &news, sizeof(news), 0), sizeof(news));
	ck_assert(live_tunnel_watch(&live));
	ck_assert(calls->there(&live, node("s3")) && !calls->there(&live, node("s4")));
	ck_assert(live.tunnel_there[B] && !live.tunnel_there[C]);
	ck_assert(!live_tunnel_watch(&live));
	ck_assert(!live.cut_down[s2_s3]);
	/* of machine c, the link between b and c */
	news = (struct tunnel_news){ .machine = C, .state = TUNNEL_CONNECTED, .connects = 1 };
	ck_assert_int_eq(send(process, &news, sizeof(news), 0), sizeof(news));
	ck_assert(live_tunnel_watch(&live));
	news.down = (struct tunnel_state){ .count = 1, .down = { s3_s4 } };
	ck_assert_int_eq(send(process, &news, sizeof(news), 0), sizeof(news));
	ck_assert(live_tunnel_watch(&live));
	ck_assert(!calls->up(&live, s3_s4) && !live.cut_down[s3_s4] && !live.cut_down[s2_s3]);
	ck_assert(!live_tunnel_watch(&live));
}

/* machine @machine says this.  Return: is anything new? */
static bool watched(uint32_t machine, enum tunnel_peer_state state, uint32_t connects,
		    const struct tunnel_state *down)
{
	struct tunnel_news news = { .machine = machine, .state = state, .connects = connects };

	if (down)
		news.down = *down;
	ck_assert_int_eq(send(process, &news, sizeof(news), 0), sizeof(news));
	return live_tunnel_watch(&live);
}

/* A cut link goes down and up as the machine at its other end says, and that one alone. s2 is dead,
 * so that no node is told. */
TEST(live_tunnel_watch__cut_links_follow)
{
	const struct tunnel_state down = { .count = 1, .down = { s2_s3 } };
	struct clock_page page = { .dilation = 1 };

	live.fabric.page = &page;
	live.fabric.options.tunnel = calls;
	live.fabric.options.owner = &live;
	live.fabric.nodes[node("s2")].pid = 0;
	live.fabric.ring_fds = malloc(2 * plan.link_count * sizeof(*live.fabric.ring_fds));
	memset(live.fabric.ring_fds, 0xff, 2 * plan.link_count * sizeof(*live.fabric.ring_fds));
	ck_assert_int_eq(fabric_drain_init(&live.fabric), 0);
	ck_assert(watched(C, TUNNEL_CONNECTED, 1, &down));
	ck_assert(watched(B, TUNNEL_CONNECTED, 1, NULL));
	ck_assert(!live.cut_down[s2_s3]);
	ck_assert_uint_eq(live.fabric.link_drain.count, 0);
	ck_assert(watched(B, TUNNEL_CONNECTED, 1, &down));
	ck_assert(live.cut_down[s2_s3] && !live.cut_down[s3_s4] && !live.cut_down[s1_s2]);
	ck_assert_uint_gt(live.fabric.link_drain.count, 0);
	ck_assert(watched(B, TUNNEL_CONNECTED, 1, NULL));
	ck_assert(!live.cut_down[s2_s3]);
	ck_assert(watched(B, TUNNEL_SILENT, 1, NULL));
	ck_assert(live.cut_down[s2_s3]);
	/* connected again, and so fast that it was not seen silent */
	ck_assert(watched(B, TUNNEL_CONNECTED, 2, NULL));
	ck_assert(!live.cut_down[s2_s3]);
	ck_assert(watched(B, TUNNEL_CONNECTED, 3, NULL));
	ck_assert(!watched(B, TUNNEL_CONNECTED, 3, NULL));
	link_drain_fini(&live.fabric.link_drain);
	free(live.fabric.ring_fds);
}

/* The log has a line for each change after the first connection. */
TEST(live_tunnel_watch__notes_changes)
{
	static const struct {
		enum tunnel_peer_state state;
		const char *line; /* its end; NULL: none */
	} steps[] = {
		{ TUNNEL_CONNECTED, NULL },
		{ TUNNEL_CONNECTED, NULL },
		{ TUNNEL_SILENT, " machine c is silent: nothing has come from 10.0.0.3:4711 for " },
		{ TUNNEL_CONNECTED, " machine c is connected\n" },
		{ TUNNEL_ENDED, " machine c has ended its fabric; its links are down\n" },
		{ TUNNEL_ENDED, NULL },
		{ TUNNEL_OTHER, " machine c has another scenario, other settings, " },
		{ TUNNEL_CONNECTING, " machine c connects again; its links are down until then\n" },
	};

	options.machines[C] = (struct tunnel_address){ .host = "10.0.0.3", .port = "4711" };
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const char *log;

		said_begin();
		watched(C, steps[i].state, 1, NULL);
		log = said_end();
		if (steps[i].line)
			ck_assert_msg(strstr(log, steps[i].line) != NULL, "%zu: %s", i, log);
		else
			ck_assert_str_eq(log, "");
	}
}

TEST(live_tunnel_watch__of_one_machine)
{
	struct tunnel_state state;

	live.tunnel.options = NULL;
	plan.links[s2_s3].down = true;
	ck_assert(!live_tunnel_watch(&live));
	ck_assert(!told(&state));
}

/* more links are down than fit into what is told: those to other machines are told of */
TEST(live_tunnel_watch__more_than_fit)
{
	struct tunnel_state state = { 0 };
	const struct plan_link *before = plan.links;
	const uint32_t count = plan.link_count, all = count + TUNNEL_DOWN_MAX;
	struct plan_link *links = calloc(all, sizeof(*links));
	const char *log;

	memcpy(links, before, count * sizeof(*links));
	links[s2_s3].down = true;
	for (uint32_t i = count; i < all; i++) {
		links[i] = links[s1_s2];
		links[i].down = i + 1 < all;
	}
	plan.links = links;
	plan.link_count = all;
	live_tunnel_watch(&live);
	ck_assert(told(&state));
	ck_assert_uint_eq(state.count, TUNNEL_DOWN_MAX);
	ck_assert(lists(&state, s2_s3) && lists(&state, all - 2) && !lists(&state, all - 1));
	links[all - 1].down = links[s1_s2].down = true;
	said_begin();
	live_tunnel_watch(&live);
	log = said_end();
	ck_assert_msg(strstr(log, "more than 64 links are down: the other machines do not learn of "
				  "all\n") != NULL,
		      "%s", log);
	ck_assert(told(&state));
	ck_assert_uint_eq(state.count, TUNNEL_DOWN_MAX);
	ck_assert(lists(&state, s2_s3) && lists(&state, s1_s2) && !lists(&state, all - 1));
	plan.links = (struct plan_link *)(uintptr_t)before;
	plan.link_count = count;
	free(links);
}

/* ---- waiting at the start ---- */

/* 'heddle up' has ended while a name was not known: nothing is left of the start */
TEST(live_tunnel_open__the_command_has_ended)
{
	struct tunnel_options sought = { .machine_count = 2, .self = 0 };
	struct why why;
	int pipes[2];

	for (uint32_t m = 0; m < 2; m++)
		strcpy(sought.machines[m].host, "127.0.0.1");
	strcpy(sought.machines[0].port, "0");
	strcpy(sought.machines[1].port, "7");
	memset(sought.machines[1].host, 'h', 64); /* no name that can be */
	ck_assert_int_eq(pipe(pipes), 0);
	close(pipes[0]);
	close(live.tunnel.control);
	live.report_fd = pipes[1];
	ck_assert_int_eq(live_tunnel_open(&live, &sought, &why), -EINTR);
	ck_assert_str_eq(why.text, "interrupted");
	tunnel_end(&live.tunnel);
	close(pipes[1]);
}

/* the process that carries frames ends while the others are awaited */
TEST(await__the_process_has_ended)
{
	live.fabric.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	live.report_fd = -1;
	live.tunnel.pid = 0;
	strcpy(live.tunnel.fate, "killed by signal 9");
	ck_assert_int_eq(calls->await(&live, false), -EIO);
	ck_assert_str_eq(live.fabric.failure, "the tunnel process has ended: killed by signal 9");
	close(live.fabric.epoll_fd);
}

/* all are there: nothing is waited for */
TEST(await__all_are_connected)
{
	struct tunnel_order order;

	for (uint32_t m = B; m <= C; m++)
		live.tunnel.news[m] =
			(struct tunnel_news){ .state = TUNNEL_CONNECTED, .ready = true };
	ck_assert_int_eq(calls->await(&live, false), 0);
	ck_assert_int_eq(recv(process, &order, sizeof(order), MSG_DONTWAIT), -1);
	ck_assert_int_eq(calls->await(&live, true), 0);
	ck_assert_int_eq(recv(process, &order, sizeof(order), MSG_DONTWAIT), sizeof(order));
	ck_assert_int_eq(order.kind, TUNNEL_AWAIT);
}

/* a process that is dead: so are its links, and that is in the log */
TEST(live_tunnel_child_ended__which_process)
{
	const char *log;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(3);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	live.tunnel.names_pid = pid;
	live.tunnel.names = dup(process);
	live.tunnel.news[B].state = TUNNEL_CONNECTED;
	said_begin();
	live_tunnel_child_ended(&live, pid, status);
	log = said_end();
	ck_assert_str_eq(log, "");
	ck_assert_int_eq(live.tunnel.names_pid, 0);
	ck_assert_int_eq(live.tunnel.names, -1);
	ck_assert(calls->there(&live, node("s3")));
	live.tunnel.pid = pid;
	said_begin();
	live_tunnel_child_ended(&live, pid, status);
	log = said_end();
	ck_assert_msg(strstr(log, ") is dead: ended with status 3; links to other machines are "
				  "down, 'heddle down' and 'heddle up' bring them back\n") != NULL,
		      "%s", log);
	ck_assert(!calls->there(&live, node("s3")));
	ck_assert_int_eq(live.tunnel.control, -1);
}
