/*  orchestrator/prompt/show_line, prompt_words: which table `show` means, what is wrong with its
 *  words, and which words can come next (SE-8). The test is the nodes as well: they answer before
 *  they are asked. */
#include "orchestrator/prompt/show_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/prompt/prompt_words.h"
#include "tests/testing.h"

#define TABLE "port:port\tqueue_bytes\n1\t512\n"

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static struct fabric_node nodes[3];
static struct clock_page page;
static struct fabric fabric;
static int ends[3];
static char *text;
static struct why why;
static size_t text_bytes;
static FILE *out;

/* h1 - s1 - h2; nodes of the real clock, which does not wait for them */
static void setup(void)
{
	static const char yaml[] = "name: t\nrun: {duration: 1us}\ntopology: {switches: [s1], "
				   "hosts: {h1: s1, h2: s1}}\n";

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", yaml, strlen(yaml), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_uint_eq(plan.node_count, 3);
	page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options.real = true,
				  .page = &page,
				  .epoll_fd = epoll_create1(0),
				  .drain_look_at = NODE_TIME_NEVER };
	for (uint32_t i = 0; i < 3; i++) {
		int pair[2];

		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		nodes[i] = (struct fabric_node){ .lead = i,
						 .slot = i,
						 .control = pair[0],
						 .pid = getpid(),
						 .pid_shown = 100 + (pid_t)i,
						 .doorbell = -1 };
		ends[i] = pair[1];
	}
	out = open_memstream(&text, &text_bytes);
}

static void teardown(void)
{
	fclose(out);
	free(text);
	for (uint32_t i = 0; i < 3; i++) {
		close(nodes[i].control);
		close(ends[i]);
	}
	close(fabric.epoll_fd);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static uint32_t index_of(const char *node)
{
	return plan_node_find(&plan, node)->index;
}

/* @node answers the next question */
static void answers(const char *node, int number, const char *body)
{
	struct control_message answer = { .kind = CONTROL_ANSWER,
					  .question = fabric.questions + 1,
					  .number = number,
					  .body = strdup(body) };

	ck_assert_int_eq(control_send(ends[index_of(node)], &answer), 0);
	free(answer.body);
}

/* @node was asked for this */
static void asked(const char *node, enum control_kind kind, const char *table, int64_t port)
{
	struct control_message got;
	struct why reason;

	ck_assert_int_eq(control_receive(ends[index_of(node)], &got, 0, &reason), 0);
	ck_assert_int_eq(got.kind, kind);
	ck_assert_str_eq(got.text, table);
	ck_assert_int_eq(got.number, port);
	control_message_free(&got);
}

static int show(const char *words)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", words);
	return show_line(&fabric, copy, out, &why);
}

TEST_GROUP(show_line, .setup = setup, .teardown = teardown);

TEST(show_line__node_table_and_port)
{
	answers("s1", 0, TABLE);
	ck_assert_int_eq(show("s1  queues\th2"), 0);
	asked("s1", CONTROL_SHOW, "queues", 1);
	fflush(out);
	ck_assert_ptr_nonnull(strstr(text, "512"));
}

TEST(show_line__table_before_node)
{
	answers("h2", 0, TABLE);
	ck_assert_int_eq(show("flows h2"), 0);
	asked("h2", CONTROL_SHOW, "flows", -1);
}

TEST(show_line__json)
{
	answers("s1", 0, TABLE);
	ck_assert_int_eq(show("--json s1 queues 0"), 0);
	asked("s1", CONTROL_SHOW, "queues", 0);
	fflush(out);
	ck_assert_ptr_nonnull(strstr(text, "\"node\": \"s1\""));
	ck_assert_ptr_nonnull(strstr(text, "\"table\": \"queues\""));
	ck_assert_ptr_nonnull(strstr(text, "\"queue_bytes\": 512"));
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
}

static void *no_memory(size_t bytes)
{
	(void)bytes;
	return NULL;
}

TEST(show_line__json_without_memory)
{
	int error;

	answers("s1", 0, TABLE);
	json_set_alloc_funcs(no_memory, free);
	error = show("--json s1 queues 0");
	json_set_alloc_funcs(malloc, free);
	ck_assert_int_eq(error, -ENOMEM);
	fflush(out);
	ck_assert_uint_eq(text_bytes, 0);
}

static void refused(const char *words, const char *sentence)
{
	ck_assert_int_eq(show(words), FABRIC_SHOW_REFUSED);
	ck_assert_str_eq(why.text, sentence);
	fflush(out);
	ck_assert_uint_eq(text_bytes, 0);
}

TEST(show_line__wrong_words)
{
	refused("", "show needs a node and a table, e.g. 'show s2 ifct p1'");
	refused("s1", "show needs a node and a table, e.g. 'show s2 ifct p1'");
	refused("s1 a 1 2", "show takes a node, a table and perhaps a port, no '2'");
	refused("s1 --csv", "show has no option '--csv'; it has --json");
	refused("s2 queues", "there is no node 's2' - did you mean 's1'?");
	refused("s1 queues h3", "s1 has no port 'h3'; it has p0 h1, p1 h2");
	refused("s1 queues 2", "s1 has no port '2'; it has p0 h1, p1 h2");
	/* one dash is no option */
	refused("s1 queues -1", "s1 has no port '-1'; it has p0 h1, p1 h2");
	refused("s1 queues h-1", "s1 has no port 'h-1'; it has p0 h1, p1 h2");
	refused("flow h1", "show flow needs two hosts, e.g. 'show flow h1 h5'");
}

/* ---- fabric_show ---- */

TEST(fabric_show__no_such_table)
{
	answers("s1", -ENOENT, "queues lanes \n");
	refused("s1 lines", "s1 has no table 'lines'; it has: queues lanes");
	answers("s1", -ENOENT, " \n");
	refused("s1 lines", "s1 has no table 'lines'; it has: nothing");
}

TEST(fabric_show__refused)
{
	answers("s1", -EBUSY, "later\n");
	refused("s1 queues", "s1 refuses table 'queues': Device or resource busy: later");
	answers("s1", -EINVAL, "");
	refused("s1 queues", "s1 refuses table 'queues': Invalid argument");
}

TEST(fabric_show__default_table)
{
	struct node_table table;

	answers("s1", -ENOENT, "");
	ck_assert_int_eq(fabric_show(&fabric, index_of("s1"), "", -1, &table, &why),
			 FABRIC_SHOW_REFUSED);
	ck_assert_str_eq(why.text, "s1 has no default table; it has: nothing");
}

/* ---- prompt_words ---- */

/* the words that can follow @line, with spaces after them */
static void follow(const char *line, const char *expected)
{
	struct word_list words = { 0 };
	char all[512] = "";

	prompt_words(&fabric, line, &words);
	word_list_keep(&words, "");
	for (size_t i = 0; i < words.count && strlen(all) < 400; i++)
		sprintf(all + strlen(all), "%.64s ", words.words[i]);
	word_list_free(&words);
	ck_assert_str_eq(all, expected);
}

TEST(prompt_words__nodes)
{
	follow("show ", "flow h1 h2 s1 ");
	follow("show  s", "flow h1 h2 s1 ");
	follow("set ", "h1 h2 s1 ");
	follow("show flow ", "h1 h2 s1 ");
	follow("show flow h1 ", "h1 h2 s1 ");
	follow("status ", "exact ");
	follow("status exact ", "");
	follow("step ", "until ");
	follow("step until", "until ");
	follow("step 5 ", "");
	follow("run ", "");
}

TEST(prompt_words__tables_and_ports)
{
	answers("s1", -ENOENT, "queues lanes\n");
	follow("show s1 ", "lanes queues trace ");
	asked("s1", CONTROL_SHOW, "", -1);
	follow("show s1 queues ", "h1 h2 ");
	follow("show s9 ", "");
	follow("show s1 queues h1 ", "");
	follow("show s1 queues h1 more and more ", "");
}

TEST(prompt_words__parameters)
{
	answers("s1", -ENOENT, "acks.t1 0 to 5\n[CLASS.]ecn 1 or 0\n");
	follow("set s1 ", "acks.t1 ecn ");
	asked("s1", CONTROL_SET, "", -1);
	follow("set s1 acks.t1 ", "");
}

TEST(prompt_words__counters)
{
	struct word_list words = { 0 };

	prompt_words(&fabric, "step until s1", &words);
	ck_assert_uint_gt(words.count, 0);
	word_list_free(&words);
}
