/*  orchestrator/live/live_request: what a running fabric answers of its nodes (TB-6, TB-9, TB-10,
 *  SE-8). The test is the nodes as well: they answer before they are asked. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/live/live_capture.h"
#include "orchestrator/live/live_request.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/live/live_plan.h"

#define TWO                                                        \
	"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n" \
	"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"
#define TABLE "port:port\tqueue_bytes\n1\t512\n"

static struct plan plan;
static struct live live;
static struct clock_page page;
static int *ends; /* of the nodes */
static struct live_answer answer;

static void setup(void)
{
	live_plan_make(TWO, &plan);
	page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	live = (struct live){ .plan = &plan,
			      .fabric = { .plan = &plan,
					  .options.real = true,
					  .page = &page,
					  .epoll_fd = epoll_create1(0),
					  .drain_look_at = NODE_TIME_NEVER } };
	live.fabric.nodes = live_nodes_make(&plan);
	ends = calloc(plan.node_count, sizeof(*ends));
	for (uint32_t i = 0; i < plan.node_count; i++) {
		int pair[2];

		live.fabric.nodes[i].control = ends[i] = -1;
		if (plan_vacant(&plan, i))
			continue;
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		live.fabric.nodes[i].control = pair[0];
		live.fabric.nodes[i].pid = getpid();
		ends[i] = pair[1];
	}
	strcpy(live.place.name, "t");
}

static void teardown(void)
{
	json_decref(answer.body);
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (ends[i] >= 0) {
			close(live.fabric.nodes[i].control);
			close(ends[i]);
		}
	close(live.fabric.epoll_fd);
	free(ends);
	free(live.fabric.nodes);
	plan_free(&plan);
}

static uint32_t index_of(const char *node)
{
	return plan_node_find(&plan, node)->index;
}

/* @node answers the next question */
static void node_answers(const char *node, int number, const char *body)
{
	struct control_message message = { .kind = CONTROL_ANSWER,
					   .question = live.fabric.questions + 1,
					   .number = number,
					   .body = strdup(body) };

	ck_assert_int_eq(control_send(ends[index_of(node)], &message), 0);
	free(message.body);
}

/* @node was asked for this */
static void node_asked(const char *node, enum control_kind kind, const char *text, int64_t number)
{
	struct control_message got;
	struct why why;

	ck_assert_int_eq(control_receive(ends[index_of(node)], &got, 0, &why), 0);
	ck_assert_int_eq(got.kind, kind);
	ck_assert_str_eq(got.text, text);
	ck_assert_int_eq(got.number, number);
	control_message_free(&got);
}

/* a request, with ' for " */
static void ask(const char *request)
{
	char text[256];

	json_decref(answer.body);
	snprintf(text, sizeof(text), "%s", request);
	for (char *quote = text; (quote = strchr(quote, '\''));)
		*quote = '"';
	live_request(&live, text, strlen(text), &answer);
	ck_assert_ptr_nonnull(answer.body);
}

static const char *member(const char *key)
{
	const char *text = json_string_value(json_object_get(answer.body, key));

	return text ? text : "";
}

static void says(const char *request, const char *error)
{
	ask(request);
	ck_assert_str_eq(member("error"), error);
}

TEST_GROUP(live_ask, .setup = setup, .teardown = teardown);

/* ---- tables ---- */

TEST(live_request__show_as_text)
{
	node_answers("s1", 0, TABLE);
	ask("{'ask': 'show', 'node': 's1', 'table': 'queues', 'port': 's2'}");
	node_asked("s1", CONTROL_SHOW, "queues", 1);
	ck_assert_str_eq(member("node"), "s1");
	ck_assert_ptr_nonnull(strstr(member("text"), "512"));
	ck_assert_int_ne(member("text")[strlen(member("text")) - 1], '\n');
}

TEST(live_request__show_for_programs)
{
	json_t *row;

	node_answers("s2", 0, TABLE);
	ask("{'ask': 'show', 'node': 'queues', 'table': 's2', 'form': 'json'}");
	node_asked("s2", CONTROL_SHOW, "queues", -1);
	ck_assert_str_eq(member("node"), "s2");
	ck_assert_str_eq(member("table"), "queues");
	row = json_array_get(json_object_get(answer.body, "rows"), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(row, "queue_bytes")), 512);
}

TEST(live_request__show_refused)
{
	node_answers("s1", -ENOENT, "queues lanes\n");
	says("{'ask': 'show', 'node': 's1', 'table': 'x'}",
	     "s1 has no table 'x'; it has: queues lanes");
	node_asked("s1", CONTROL_SHOW, "x", -1);
	says("{'ask': 'show', 'node': 's1', 'table': 'x', 'port': 'B'}",
	     "s1 has no port 'B'; it has p0 A, p1 s2");
	says("{'ask': 'show', 'node': 's9', 'table': 'x'}",
	     "fabric t has no node 's9' - did you mean 's1'?; 'heddle ps t' "
	     "lists them");
	says("{'ask': 'show', 'node': 'flow', 'table': 'A'}", "show flow needs two hosts");
	says("{'ask': 'show', 'node': 'flow'}", "show flow needs two hosts");
	says("{'ask': 'show', 'node': 'flow', 'table': '', 'port': 'B'}",
	     "show flow needs two hosts");
}

TEST(live_request__show_of_a_dead_node)
{
	live.fabric.nodes[index_of("s1")].pid = 0;
	strcpy(live.fabric.nodes[index_of("s1")].fate, "was killed");
	says("{'ask': 'show', 'node': 's1', 'table': 'queues'}", "s1 is dead: was killed");
}

TEST(live_request__show_without_an_answer)
{
	close(ends[index_of("s1")]);
	ends[index_of("s1")] = open("/dev/null", 0);
	ask("{'ask': 'show', 'node': 's1', 'table': 'queues'}");
	ck_assert_ptr_nonnull(strstr(member("error"), "s1 does not answer: "));
}

/* records of a node are read without it, dead or not, unless it has destroyed them */
TEST_RANGE(live_request__show_trace, 0, 2)
{
	if (_i)
		live.fabric.nodes[index_of("s1")].pid = 0;
	says("{'ask': 'show', 'node': 's1', 'table': 'trace'}",
	     "s1 has destroyed its statistics page");
	says("{'ask': 'show', 'node': 'trace', 'table': 's1'}",
	     "s1 has destroyed its statistics page");
}

TEST(live_request__show_flow_without_an_answer)
{
	close(ends[index_of("A")]);
	ends[index_of("A")] = open("/dev/null", 0);
	ask("{'ask': 'show', 'node': 'flow', 'table': 'A', 'port': 'B'}");
	ck_assert_ptr_eq(strstr(member("error"), "a node on the path does not answer: "),
			 member("error"));
	says("{'ask': 'show', 'node': 'flow', 'table': 'A', 'port': 's1'}",
	     "s1 is a switch: a flow is from one host to another");
}

/* ---- parameters ---- */

TEST(live_request__set)
{
	node_answers("s1", 0, "");
	ask("{'ask': 'set', 'node': 's1', 'name': 'acks.t1', 'value': '5ns'}");
	node_asked("s1", CONTROL_SET, "acks.t1", 0);
	ck_assert_str_eq(member("node"), "s1");
	ck_assert_str_eq(member("error"), "");
	live_set_drop(&live.sets, "s1");
}

TEST(live_request__set_refused)
{
	says("{'ask': 'set', 'node': 's9', 'name': 'acks.t1', 'value': '5ns'}",
	     "fabric t has no node 's9' - did you mean 's1'?; 'heddle ps t' lists them");
	node_answers("s1", -EINVAL, "t1 <= t2 <= t3\n");
	says("{'ask': 'set', 'node': 's1', 'name': 'acks.t1', 'value': '5ns'}",
	     "s1 refuses parameter 'acks.t1': Invalid argument: t1 <= t2 <= t3");
	node_answers("s1", -EBUSY, "");
	says("{'ask': 'set', 'node': 's1', 'name': 'acks.t1', 'value': '5ns'}",
	     "s1 refuses parameter 'acks.t1': Device or resource busy");
	node_answers("s1", -ENOENT, "");
	says("{'ask': 'set', 'node': 's1', 'name': 'acks.t1', 'value': '5ns'}",
	     "s1 has no parameter 'acks.t1'; it has: nothing");
}

/* ---- the fabric ---- */

TEST(live_request__hosts)
{
	live.hosts = calloc(plan.host_count, sizeof(*live.hosts));
	ask("{'ask': 'hosts'}");
	ck_assert_str_eq(member("fabric"), "t");
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "pid")), getpid());
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "switches")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "hosts_count")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "links")), 3);
	ck_assert_uint_eq(json_array_size(json_object_get(answer.body, "hosts")), 2);
	free(live.hosts);
}

TEST(live_request__outside)
{
	const json_t *list, *row;

	live.outside = calloc(plan.host_count, sizeof(*live.outside));
	live.outside[1].pid = 77;
	ask("{'ask': 'outside'}");
	ck_assert_str_eq(member("fabric"), "t");
	list = json_object_get(answer.body, "outside");
	ck_assert_uint_eq(json_array_size(list), 1);
	row = json_array_get(list, 0);
	ck_assert_str_eq(json_string_value(json_object_get(row, "host")), "B");
	ck_assert_int_eq(json_integer_value(json_object_get(row, "pid")), 77);
	live.outside[1].pid = 0;
	strcpy(live.outside[1].fate, "killed");
	ask("{'ask': 'outside'}");
	row = json_array_get(json_object_get(answer.body, "outside"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(row, "fate")), "killed");
	live.outside[1].fate[0] = 0;
	ask("{'ask': 'outside'}");
	ck_assert_uint_eq(json_array_size(json_object_get(answer.body, "outside")), 0);
	free(live.outside);
}

TEST(live_request__start_of_one_that_runs)
{
	says("{'ask': 'start', 'node': 's1'}", "s1 runs already");
}

TEST(live_request__down)
{
	ask("{'ask': 'down'}");
	ck_assert(live.ending);
	ck_assert_str_eq(member("fabric"), "t");
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "pid")), getpid());
}

/* ---- captures ---- */

static json_int_t counter(const char *direction, const char *key)
{
	return json_integer_value(json_object_get(json_object_get(answer.body, direction), key));
}

static void capture_begin(const char *counted)
{
	node_answers("s1", 0, counted);
	ask("{'ask': 'capture', 'node': 's1', 'port': 's2', 'snap': '64'}");
	ck_assert_str_eq(member("error"), "");
}

TEST(live_request__capture)
{
	plan.nodes[index_of("s1")].ports[1].rate_bps = 12345;
	capture_begin("10 1000 5 600");
	node_asked("s1", CONTROL_CAPTURE, "64", 1);
	ck_assert_str_eq(member("fabric"), "t");
	ck_assert_str_eq(member("node"), "s1");
	ck_assert_str_eq(member("peer"), "s2");
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "port")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "id")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "rate_bps")), 12345);
	ck_assert_int_eq(json_integer_value(json_object_get(answer.body, "latency_ps")),
			 (json_int_t)plan.nodes[index_of("s1")].switch_.latency_ps);
	ck_assert_uint_eq(answer.fd_count, 1);
	ck_assert(answer.fds_owned);
	ck_assert_uint_eq(answer.capture_id, 1);
	ck_assert_int_eq(lseek(answer.fds[0], 0, SEEK_END),
			 (off_t)ring_bytes(LIVE_CAPTURE_RING_BYTES));
	close(answer.fds[0]);
	ck_assert(!live_capture_lost(&live, 1));
	node_answers("s1", 0, "12 1300 9 605 1 100 2 200");
	ask("{'ask': 'capture-end', 'id': '1'}");
	node_asked("s1", CONTROL_CAPTURE, "", 1);
	ck_assert_int_eq(counter("sent", "counted_frames"), 2);
	ck_assert_int_eq(counter("sent", "counted_bytes"), 300);
	ck_assert_int_eq(counter("sent", "missed_frames"), 1);
	ck_assert_int_eq(counter("sent", "missed_bytes"), 100);
	ck_assert_int_eq(counter("received", "counted_frames"), 4);
	ck_assert_int_eq(counter("received", "counted_bytes"), 5);
	ck_assert_int_eq(counter("received", "missed_frames"), 2);
	ck_assert_int_eq(counter("received", "missed_bytes"), 200);
	ck_assert(live_capture_lost(&live, 1));
}

/* a node that does not say what it has counted */
TEST(live_request__capture_with_unknown_counts)
{
	capture_begin("10 1000 5 600");
	close(answer.fds[0]);
	node_answers("s1", 0, "12 1300 9 605 1 100 2");
	ask("{'ask': 'capture-end', 'id': '1'}");
	ck_assert_uint_eq(json_object_size(answer.body), 0);
}

TEST(live_request__capture_of_a_node_that_died)
{
	capture_begin("10 1000 5 600");
	close(answer.fds[0]);
	live.fabric.nodes[index_of("s1")].pid = getpid() + 1; /* it was started again */
	ck_assert(live_capture_lost(&live, 1));
	ask("{'ask': 'capture-end', 'id': '1'}");
	ck_assert_uint_eq(json_object_size(answer.body), 0);
}

static int lowest_free(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

/* There is no memory for the frames. The refusal leaves nothing open. */
TEST(live_request__capture_without_memory)
{
	int before = lowest_free();
	struct rlimit whole, little = { .rlim_cur = 4096 };

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &whole), 0);
	little.rlim_max = whole.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	ask("{'ask': 'capture', 'node': 's1', 'port': 's2', 'snap': '64'}");
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &whole), 0);
	ck_assert_ptr_nonnull(strstr(member("error"), "no memory for the capture: "));
	ck_assert_uint_eq(answer.fd_count, 0);
	ck_assert_int_eq(lowest_free(), before);
	capture_begin("10 1000 5 600"); /* the port is free */
	close(answer.fds[0]);
}

TEST(live_request__capture_refused)
{
	int before;

	capture_begin("10 1000 5 600");
	close(answer.fds[0]);
	before = lowest_free();
	says("{'ask': 'capture', 'node': 's1', 'port': '1'}",
	     "s1:s2 is captured already; capture it at its other end: s2:s1");
	node_answers("s1", -EINVAL, "0 0 0 0");
	says("{'ask': 'capture', 'node': 's1', 'port': 'A'}",
	     "s1 cannot be captured: expected a snap of 1 to 65535");
	node_answers("s1", -ENOMEM, "0 0 0 0");
	says("{'ask': 'capture', 'node': 's1', 'port': 'A'}",
	     "s1 cannot be captured: Cannot allocate memory");
	for (uint32_t i = 0; i < LIVE_CAPTURES_MAX; i++)
		live.captures[i].id = 50 + i;
	says("{'ask': 'capture', 'node': 's1', 'port': 'A'}", "16 captures run already");
	ck_assert_int_eq(lowest_free(), before);
}
