/*  orchestrator/operate/link_words, cmd_link, cmd_set, cmd_start, cmd_add, cmd_attach, cmd_remove:
 *  what commands on links and nodes ask the daemon for, how links are printed, and which words are
 *  wrong (TB-4, TB-9, TB-10, DU-6). */
#include "orchestrator/operate/link_words.h"

#include "orchestrator/command/client.h"
#include "orchestrator/operate/cmd_add.h"
#include "orchestrator/operate/cmd_attach.h"
#include "orchestrator/operate/cmd_link.h"
#include "orchestrator/operate/cmd_remove.h"
#include "orchestrator/operate/cmd_set.h"
#include "orchestrator/operate/cmd_start.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

TEST_GROUP(link_words, .setup = daemon_setup, .teardown = daemon_teardown);

#define HEADING                                                                                    \
	"link  node:port - node:port         state           rate       delay      jitter        " \
	"loss  bit errors    MTU\n"

static const char two_links[] =
	"{\"links\": [{\"link\": 0, \"node_a\": \"s1\", \"port_a\": 2, \"node_b\": \"h1\", "
	"\"port_b\": 0, \"state\": \"up\", \"mtu_bytes\": 1500, \"rate_bps\": 1000000000, "
	"\"delay_ps\": 2000000, \"jitter_ps\": 0, \"loss_ppb\": 1000000, \"bit_error_e15\": 0},"
	"{\"link\": 17, \"node_a\": \"s1\", \"port_a\": 3, \"node_b\": \"s2\", \"port_b\": 1, "
	"\"state\": \"down\", \"mtu_bytes\": 9000, \"rate_bps\": 10000000000, \"delay_ps\": "
	"5000000, \"jitter_ps\": 1000000, \"jitter_shape\": \"pareto\", \"loss_ppb\": 0, "
	"\"bit_error_e15\": 1000, \"reorder_ppb\": 10000000, \"reorder_frames\": 3, "
	"\"reorder_wait_ps\": 4000000, \"duplicate_ppb\": 20000000, \"corrupt_ppb\": 30000000, "
	"\"back\": {\"rate_bps\": 2000000000, \"delay_ps\": 6000000}}]}\n";

static int link_with(const char *line)
{
	return command_run(cmd_link, line);
}

TEST(link_words_print__table)
{
	daemon_runs(two_links, NULL);
	ck_assert_int_eq(link_with("link"), 0);
	ck_assert_str_eq(printed,
			 HEADING "0     s1:2 - h1:0                   up        1.000 Gb/s    "
				 "2.000 us        0 ps        0.1%          0%   1500\n"
				 "17    s1:3 - s2:1                   down      10.00 Gb/s    "
				 "5.000 us    1.000 us          0%  0.0000000001%   9000\n"
				 "      jitter-shape pareto\n"
				 "      reorder 1%, reorder-frames 3, reorder-wait 4.000 us\n"
				 "      duplicate 2%\n"
				 "      corrupt 3%\n"
				 "      towards s1                              2.000 Gb/s    "
				 "6.000 us        0 ps          0%          0%   9000\n");
	ck_assert_str_eq(said, "");
	daemon_was_asked("{\"ask\":\"links\"}\n");
}

TEST(link_words_print__one_link)
{
	daemon_runs(
		"{\"link\": 4, \"node_a\": \"a\", \"port_a\": 1, \"node_b\": \"b\", \"port_b\": 2, "
		"\"state\": \"up\", \"mtu_bytes\": 64, \"rate_bps\": 1000, \"delay_ps\": 0}\n",
		NULL);
	ck_assert_int_eq(link_with("link|a:1"), 0);
	ck_assert_str_eq(printed,
			 HEADING "4     a:1 - b:2                     up        1.000 kb/s        "
				 "0 ps        0 ps          0%          0%     64\n");
	daemon_was_asked("{\"ask\":\"link-show\",\"node\":\"a\",\"port\":\"1\"}\n");
}

TEST(link_words_print__longest_names)
{
	daemon_runs(
		"{\"link\": 4, \"node_a\": \"abcdefghijklmnopqrstuvwxyz01234\", \"port_a\": 1023, "
		"\"node_b\": \"ABCDEFGHIJKLMNOPQRSTUVWXYZ01234\", \"port_b\": 1022, "
		"\"state\": \"up\", \"mtu_bytes\": 64, \"rate_bps\": 1000}\n",
		NULL);
	ck_assert_int_eq(link_with("link|a:1"), 0);
	ck_assert_ptr_nonnull(strstr(printed, " abcdefghijklmnopqrstuvwxyz01234:1023 - "
					      "ABCDEFGHIJKLMNOPQRSTUVWXYZ01234:1022  up "));
}

TEST(link_keys__those_that_change_while_it_runs)
{
	const char *keys[LINK_KEYS_MAX];
	size_t count = 0;

	link_keys(keys, NULL);
	while (keys[count])
		count++;
	ck_assert_uint_eq(count, 11);
	ck_assert_str_eq(keys[0], "rate");
	link_keys(keys, "medium");
	ck_assert_str_eq(keys[11], "medium");
	ck_assert_ptr_null(keys[12]);
}

/* ---- requests ---- */

static void asks(int (*command)(int argc, char **argv), const char *line, const char *request)
{
	daemon_runs("{\"text\": \"fine\"}\n", NULL);
	ck_assert_msg(!command_run(command, line), "%s", said);
	ck_assert_str_eq(said, "");
	daemon_was_asked(request);
}

static void asks_and_prints(int (*command)(int argc, char **argv), const char *line,
			    const char *request)
{
	asks(command, line, request);
	ck_assert_str_eq(printed, "fine\n");
}

static void is_wrong(int (*command)(int argc, char **argv), const char *line, const char *sentence)
{
	ck_assert_int_eq(command_run(command, line), CLIENT_USAGE);
	ck_assert_str_eq(printed, "");
	ck_assert_msg(!strncmp(said, sentence, strlen(sentence)), "%s", said);
}

TEST(cmd_link__set)
{
	asks(cmd_link, "link|s1:s2|set|rate=1Gb/s|loss=0.1%|--towards|s2",
	     "{\"ask\":\"link-set\",\"node\":\"s1\",\"port\":\"s2\",\"rate\":\"1Gb/"
	     "s\",\"loss\":\"0.1%\","
	     "\"towards\":\"s2\"}\n");
}

TEST(cmd_link__down_of_a_named_fabric)
{
	asks(cmd_link, "link|-f|lab|a:b:7|down",
	     "{\"ask\":\"link-down\",\"node\":\"a:b\",\"port\":\"7\"}\n");
}

TEST(cmd_link__up)
{
	asks(cmd_link, "link|s1:0|up", "{\"ask\":\"link-up\",\"node\":\"s1\",\"port\":\"0\"}\n");
}

TEST(cmd_link__wrong_words)
{
	is_wrong(cmd_link, "link|s1",
		 "heddle link: expected NODE:PORT, such as s1:0 or s1:s2, not 's1'");
	is_wrong(cmd_link, "link|:1", "heddle link: expected NODE:PORT");
	is_wrong(cmd_link, "link|s1:", "heddle link: expected NODE:PORT");
	is_wrong(cmd_link, "link|s1:0|off", "heddle link: expected 's1:0' alone, 's1:0 set ");
	is_wrong(cmd_link, "link|s1:0|set", "heddle link: expected 's1:0' alone");
	is_wrong(cmd_link, "link|s1:0|down|x", "heddle link: expected 's1:0' alone");
	is_wrong(cmd_link, "link|s1:0|down|--towards|s1",
		 "heddle link: --towards belongs to 'set': a link is down or up as a whole\n");
	is_wrong(cmd_link, "link|s1:0|set|speed=1",
		 "heddle link: 'speed=1' cannot be set; expected one of rate=, delay=, jitter=");
	is_wrong(cmd_link, "link|s1:0|set|rate", "heddle link: 'rate' cannot be set");
	is_wrong(cmd_link, "link|\xff:0", "heddle link: '\xff:0' is not valid UTF-8");
}

TEST(cmd_link__as_json)
{
	daemon_runs("{\"links\": []}\n", NULL);
	ck_assert_int_eq(link_with("link|--json"), 0);
	ck_assert_str_eq(printed, "{\n  \"links\": []\n}\n");
	daemon_was_asked("{\"ask\":\"links\"}\n");
}

TEST(cmd_set__name_and_value)
{
	asks_and_prints(
		cmd_set, "set|s1|acks.t1|100ns",
		"{\"ask\":\"set\",\"node\":\"s1\",\"name\":\"acks.t1\",\"value\":\"100ns\"}\n");
}

TEST(cmd_set__with_equals_sign)
{
	asks_and_prints(cmd_set, "set|s1|match=a=b",
			"{\"ask\":\"set\",\"node\":\"s1\",\"name\":\"match\",\"value\":\"a=b\"}\n");
}

TEST(cmd_set__wrong_words)
{
	is_wrong(cmd_set, "set|s1", "heddle set: expected NODE NAME VALUE, such as");
	is_wrong(cmd_set, "set|s1|acks.t1", "heddle set: missing VALUE for acks.t1 of s1");
	is_wrong(cmd_set, "set|s1|acks.t1=3|4", "heddle set: '4' is one word too many");
}

TEST_RANGE(cmd_set__length_of_a_name, 255, 257)
{
	char line[400] = "set|s1|";

	memset(line + strlen(line), 'n', (size_t)_i);
	strcat(line, "=1");
	if (_i == 255) {
		daemon_runs("{\"text\": \"\"}\n", NULL);
		ck_assert_int_eq(command_run(cmd_set, line), 0);
		ck_assert_ptr_nonnull(strstr(asked, "nnn\",\"value\":\"1\"}"));
		shutdown(listener, SHUT_RDWR);
		pthread_join(daemon_thread, NULL);
	} else {
		is_wrong(cmd_set, line, "heddle set: no parameter has a name that long\n");
	}
}

TEST(cmd_start__node)
{
	asks_and_prints(cmd_start, "start|s9", "{\"ask\":\"start\",\"node\":\"s9\"}\n");
	is_wrong(cmd_start, "start", "heddle start: ");
}

/* ---- add, attach, remove ---- */

TEST(cmd_add__host)
{
	asks_and_prints(
		cmd_add, "add|host|h9|s1|rate=1Gb/s|medium=veth",
		"{\"ask\":\"add-host\",\"name\":\"h9\",\"switch\":\"s1\",\"rate\":\"1Gb/s\","
		"\"medium\":\"veth\"}\n");
}

TEST(cmd_add__link)
{
	asks_and_prints(cmd_add, "add|link|s1|s2",
			"{\"ask\":\"add-link\",\"node\":\"s1\",\"peer\":\"s2\"}\n");
}

TEST(cmd_add__switch)
{
	asks_and_prints(cmd_add, "add|switch|s9|s1|s2|delay=1us",
			"{\"ask\":\"add-switch\",\"name\":\"s9\",\"neighbours\":[\"s1\",\"s2\"],"
			"\"delay\":\"1us\"}\n");
}

TEST(cmd_add__switch_without_neighbours)
{
	asks_and_prints(cmd_add, "add|switch|s9",
			"{\"ask\":\"add-switch\",\"name\":\"s9\",\"neighbours\":[]}\n");
}

TEST(cmd_add__wrong_words)
{
	static const char *const lines[] = { "add|host|h9",    "add|host|h9|s1|s2",
					     "add|link|s1",    "add|link|s1|s2|s3",
					     "add|switch",     "add|switch|a=b",
					     "add|cable|s1|s2" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		is_wrong(cmd_add, lines[i],
			 "heddle add: expected 'host NAME SWITCH', 'switch NAME [NEIGHBOUR]...' or "
			 "'link SWITCH SWITCH'");
	is_wrong(cmd_add, "add|host|h9|\xff", "heddle add: one of these names is not valid UTF-8");
	is_wrong(cmd_add, "add|switch|s9|\xff",
		 "heddle add: one of these names is not valid UTF-8");
	is_wrong(cmd_add, "add|host|h9|s1|speed=1",
		 "heddle add: 'speed=1' cannot be set; expected one of rate=, delay=, jitter=, "
		 "jitter-shape=, loss=, bit-errors=, reorder=, reorder-frames=, reorder-wait=, "
		 "duplicate=, corrupt=, medium=\n");
	is_wrong(cmd_add, "add|host|h9|s1|rate=1|s2", "heddle add: 's2' cannot be set");
}

TEST(cmd_attach__process)
{
	asks_and_prints(cmd_attach, "attach|web|s1|--pid|1234|--interface|net1|loss=1%",
			"{\"ask\":\"add-host\",\"name\":\"web\",\"switch\":\"s1\",\"loss\":\"1%\","
			"\"interface\":\"net1\",\"network\":\"/proc/1234/ns/net\"}\n");
}

TEST(cmd_attach__namespace)
{
	asks_and_prints(cmd_attach, "attach|web|s1|--netns|/../dev//null",
			"{\"ask\":\"add-host\",\"name\":\"web\",\"switch\":\"s1\","
			"\"network\":\"/dev/null\"}\n");
}

TEST(cmd_attach__namespace_that_is_not_there)
{
	asks_and_prints(cmd_attach, "attach|web|s1|--netns|/dev/./nothing-like-this",
			"{\"ask\":\"add-host\",\"name\":\"web\",\"switch\":\"s1\","
			"\"network\":\"/dev/./nothing-like-this\"}\n");
}

TEST(cmd_attach__wrong_words)
{
	is_wrong(cmd_attach, "attach|web", "heddle attach: expected NAME SWITCH --pid PID");
	is_wrong(cmd_attach, "attach|web|s1",
		 "heddle attach: which network namespace? Expected one");
	is_wrong(cmd_attach, "attach|web|s1|--pid|3|--netns|/x",
		 "heddle attach: which network namespace?");
	is_wrong(cmd_attach, "attach|web|s1|--pid|-1",
		 "heddle attach: --pid takes the number of a process, not '-1'\n");
	is_wrong(cmd_attach, "attach|web|s1|--pid|12x",
		 "heddle attach: --pid takes the number of a process, not '12x'\n");
	is_wrong(cmd_attach, "attach|web|s1|--pid|0",
		 "heddle attach: --pid takes the number of a process, not '0'; does the container "
		 "run?\n");
	is_wrong(cmd_attach, "attach|web|s1|--pid|1|speed=1",
		 "heddle attach: 'speed=1' cannot be set");
	is_wrong(cmd_attach, "attach|\xff|s1|--pid|1",
		 "heddle attach: '\xff' or 's1' is not valid");
}

TEST(cmd_remove__node)
{
	asks_and_prints(cmd_remove, "remove|h1", "{\"ask\":\"remove\",\"node\":\"h1\"}\n");
}

TEST(cmd_remove__link)
{
	asks_and_prints(cmd_remove, "remove|s1:h1",
			"{\"ask\":\"remove\",\"node\":\"s1\",\"port\":\"h1\"}\n");
}

TEST(cmd_remove__refused)
{
	daemon_runs("{\"error\": \"s1 has hosts\"}\n", NULL);
	ck_assert_int_eq(command_run(cmd_remove, "remove|s1"), CLIENT_REFUSED);
	ck_assert_str_eq(said, "heddle remove: s1 has hosts\n");
	ck_assert_str_eq(printed, "");
	daemon_was_asked("{\"ask\":\"remove\",\"node\":\"s1\"}\n");
}
