/*  orchestrator/operate/cmd_load, cmd_faults, cmd_outside, mininet_word, cmd_save, cmd_down: what
 *  these commands ask the daemon for, and what they print of its answers (TB-12, TB-22, FC-26,
 *  DU-4, DU-6, DU-8). */
#include "orchestrator/operate/cmd_load.h"

#include "orchestrator/command/client.h"
#include "orchestrator/operate/cmd_down.h"
#include "orchestrator/operate/cmd_faults.h"
#include "orchestrator/operate/cmd_outside.h"
#include "orchestrator/operate/cmd_save.h"
#include "orchestrator/operate/mininet_word.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

TEST_GROUP(commands, .setup = daemon_setup, .teardown = daemon_teardown);

static void is_wrong(int (*command)(int argc, char **argv), const char *line, const char *sentence)
{
	ck_assert_int_eq(command_run(command, line), CLIENT_USAGE);
	ck_assert_str_eq(printed, "");
	ck_assert_msg(!strncmp(said, sentence, strlen(sentence)), "%s", said);
}

/* ---- workloads ---- */

#define LOADS_HEAD                                                                            \
	"workload          state       ran for        sent    received    lost        rate  " \
	"messages   time p50   time p99\n"

TEST(cmd_load__list)
{
	daemon_runs(
		"{\"loads\": [{\"name\": \"in\", \"state\": \"runs\", \"ran_ns\": 1500, "
		"\"sent_bytes\": 4096, \"received_bytes\": 2048, \"lost_packets\": 7, "
		"\"rate_bps\": 2000000, \"messages_complete\": 8, \"completion\": {\"count\": 8, "
		"\"p50_ns\": 10, \"p99_ns\": 20}}, {\"name\": \"out\", \"state\": \"waits\", "
		"\"completion\": {\"count\": 0}}]}\n",
		NULL);
	ck_assert_int_eq(command_run(cmd_load, "load"), 0);
	ck_assert_str_eq(
		printed, LOADS_HEAD
		"in                runs       1.500 us    4.096 kB    2.048 kB       7  2.000 "
		"Mb/s         8   10.00 ns   20.00 ns\n"
		"out               waits          0 ps         0 B         0 B       0       0 "
		"b/s         0          -          -\n");
	daemon_was_asked("{\"ask\":\"loads\"}\n");
}

TEST(cmd_load__none)
{
	daemon_runs("{\"loads\": []}\n", NULL);
	ck_assert_int_eq(command_run(cmd_load, "load|start"), 0);
	ck_assert_str_eq(printed, "the scenario has no workloads\n");
	daemon_was_asked("{\"ask\":\"load-start\"}\n");
}

TEST(cmd_load__stop_of_one)
{
	daemon_runs("{\"loads\": []}\n", NULL);
	ck_assert_int_eq(command_run(cmd_load, "load|--json|stop|in"), 0);
	ck_assert_str_eq(printed, "{\n  \"loads\": []\n}\n");
	daemon_was_asked("{\"ask\":\"load-stop\",\"name\":\"in\"}\n");
}

TEST(cmd_load__set)
{
	daemon_runs("{\"loads\": []}\n", NULL);
	ck_assert_int_eq(command_run(cmd_load, "load|set|in|load=90%"), 0);
	daemon_was_asked("{\"ask\":\"load-set\",\"name\":\"in\",\"load\":\"90%\"}\n");
}

TEST(cmd_load__wrong_words)
{
	static const char *const lines[] = { "load|begin",     "load|starts",
					     "load|start|a|b", "load|set",
					     "load|set|in",    "load|stop|a|b",
					     "load|starting",  "load|begin|a|load=1" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		is_wrong(cmd_load, lines[i],
			 "heddle load: expected 'start [NAME]', 'stop [NAME]' or 'set NAME ");
	is_wrong(cmd_load, "load|set|in|rate=1",
		 "heddle load: 'rate=1' cannot be set; expected one of load=\n");
	is_wrong(cmd_load, "load|start|\xff", "heddle load: '\xff' is not valid UTF-8");
}

/* ---- faults ---- */

TEST(cmd_faults__list)
{
	daemon_runs(
		"{\"pauses\": 1, \"time_ns\": 5000, \"faults\": [{\"fault\": 1, \"what\": \"link "
		"s1 - s2\", \"state\": \"over\", \"at_ns\": 1000, \"until_ns\": 2000, "
		"\"lost_packets\": 3, \"astray_packets\": 4}, {\"fault\": 2, \"what\": \"switch "
		"s3\", \"state\": \"planned\", \"at_ns\": 9000, \"until_ns\": null}], "
		"\"drops\": {\"link-down\": 3, \"oversize\": 0, \"no-route\": 4}}\n",
		NULL);
	ck_assert_int_eq(command_run(cmd_faults, "faults"), 0);
	ck_assert_str_eq(
		printed,
		"2 faults, 1 pause; the time line is at 5.000 us\n"
		"fault  what                                  state            at      until     "
		"lost   astray\n"
		"    1  link s1 - s2                          over       1.000 us   2.000 us       "
		" 3 "
		"       4\n"
		"    2  switch s3                             planned    9.000 us          -       "
		" 0 "
		"       0\n"
		"lost: on the link, or queued for it, when it failed; astray: without a route from "
		"then until\ntables followed. All drops of these reasons since the start of the "
		"fabric, also after that:\n"
		" 3 link-down, 4 no-route\n");
	daemon_was_asked("{\"ask\":\"faults\"}\n");
}

TEST(cmd_faults__waiting_and_none)
{
	daemon_runs("{\"pauses\": 2, \"time_ns\": null, \"faults\": []}\n", NULL);
	ck_assert_int_eq(command_run(cmd_faults, "faults|stop"), 0);
	ck_assert_str_eq(printed, "0 faults, 2 pauses; they wait for 'heddle faults start'\n");
	daemon_was_asked("{\"ask\":\"faults-stop\"}\n");
}

TEST(cmd_faults__no_drops)
{
	daemon_runs("{\"faults\": [{\"fault\": 0}], \"drops\": {\"link-down\": 0}}\n", NULL);
	ck_assert_int_eq(command_run(cmd_faults, "faults|start"), 0);
	ck_assert_msg(!strncmp(printed, "1 fault, 0 pauses;", 18), "%s", printed);
	ck_assert_ptr_nonnull(strstr(printed, "also after that:\n none\n"));
	daemon_was_asked("{\"ask\":\"faults-start\"}\n");
}

TEST(cmd_faults__wrong_word)
{
	is_wrong(cmd_faults, "faults|begin",
		 "heddle faults: expected 'start' or 'stop', not 'begin'\n");
}

/* ---- the machine's network ---- */

TEST(cmd_outside__list)
{
	daemon_runs("{\"fabric\": \"lab\", \"outside\": [{\"host\": \"web\", \"interface\": "
		    "\"outside0\", \"pid\": 9}, {\"host\": \"db\", \"fate\": \"killed\"}]}\n",
		    NULL);
	ck_assert_int_eq(command_run(cmd_outside, "outside"), 0);
	ck_assert_str_eq(printed, "web          outside0, pid 9\n"
				  "db           dead: killed\n");
	daemon_was_asked("{\"ask\":\"outside\"}\n");
}

TEST(cmd_outside__none)
{
	daemon_runs("{\"fabric\": \"lab\", \"outside\": []}\n", NULL);
	ck_assert_int_eq(command_run(cmd_outside, "outside"), 0);
	ck_assert_str_eq(printed, "no host of lab reaches the machine's network; 'heddle outside "
				  "HOST on' connects one\n");
	daemon_was_asked("{\"ask\":\"outside\"}\n");
}

TEST(cmd_outside__host_with_a_resolver_of_its_own)
{
	daemon_runs("{\"text\": \"web is connected\", \"own_resolver\": true, \"state\": \"on\"}\n",
		    NULL);
	ck_assert_int_eq(command_run(cmd_outside, "outside|web|on"), 0);
	ck_assert_str_eq(printed, "web is connected\n");
	ck_assert_str_eq(said, "");
	shutdown(listener, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(daemon_thread, NULL), 0);
	ck_assert_ptr_nonnull(strstr(asked, "\"web\""));
	ck_assert_ptr_nonnull(strstr(asked, "\"on\""));
}

/* ---- words of Mininet ---- */

#define NODES "{\"nodes\": [{\"name\": \"s1\"}, {\"name\": \"h1\"}, {\"name\": \"h2\"}]}\n"

static int mininet_run(int argc, char **argv)
{
	(void)argc;
	return mininet_word_run(argv[0], NULL);
}

TEST(mininet_word_run__nodes)
{
	daemon_runs(NODES, NULL);
	ck_assert_int_eq(command_run(mininet_run, "nodes "), 0);
	ck_assert_str_eq(printed, "available nodes are:\ns1 h1 h2\n");
	daemon_was_asked("{\"ask\":\"ps\"}\n");
}

TEST(mininet_word_run__net)
{
	daemon_runs(NODES,
		    "{\"links\": [{\"node_a\": \"s1\", \"port_a\": 2, \"node_b\": \"h1\", "
		    "\"port_b\": 0}, {\"node_a\": \"h2\", \"port_a\": 0, \"node_b\": \"s1\", "
		    "\"port_b\": 5}]}\n");
	ck_assert_int_eq(command_run(mininet_run, "net"), 0);
	ck_assert_str_eq(printed, "s1 2:h1 5:h2\nh1 0:s1\nh2 0:s1\n");
	daemon_was_asked("{\"ask\":\"ps\"}\n{\"ask\":\"links\"}\n");
}

TEST(mininet_word_is_own__whole_words)
{
	ck_assert(mininet_word_is_own("nodes"));
	ck_assert(mininet_word_is_own("net \t"));
	ck_assert(!mininet_word_is_own("nets"));
	ck_assert(!mininet_word_is_own("net s1"));
	ck_assert(!mininet_word_is_own("ne"));
	ck_assert(!mininet_word_is_own("dump"));
}

TEST(mininet_word_replace__commands)
{
	size_t length;

	ck_assert_str_eq(mininet_word_replace("pingall", &length), "ping-all");
	ck_assert_uint_eq(length, 7);
	ck_assert_str_eq(mininet_word_replace("links\tx", &length), "link");
	ck_assert_uint_eq(length, 5);
	ck_assert_str_eq(mininet_word_replace("dump now", &length), "ps \"$HEDDLE_FABRIC\"");
	ck_assert_uint_eq(length, 4);
	ck_assert_str_eq(mininet_word_replace("link s1:0", &length), "");
	ck_assert_uint_eq(length, 0);
	ck_assert_str_eq(mininet_word_replace("dumps", &length), "");
	ck_assert_uint_eq(length, 0);
}

/* ---- down ---- */

TEST(cmd_down__nothing_runs)
{
	ck_assert_int_eq(command_run(cmd_down, "down"), 0);
	ck_assert_str_eq(printed, "no fabric runs\n");
	ck_assert_int_eq(command_run(cmd_down, "down|lab"), 0);
	ck_assert_str_eq(printed, "no fabric 'lab' runs\n");
	ck_assert_int_eq(command_run(cmd_down, "down|--all|--json"), 0);
	ck_assert_str_eq(printed, "[]\n");
	is_wrong(cmd_down, "down|lab|--all", "heddle down: expected a name or --all, not both\n");
}

/* ---- save ---- */

static const char scenario[] =
	"{\"text\": \"topology:\\n  switches: [s1]\\n  hosts: [h1, h2]\\n  links: [[s1, h1], [s1, "
	"h2]]\\n\"}\n";

static char *file_read(const char *path)
{
	static char text[512];
	FILE *file = fopen(path, "r");
	size_t length;

	ck_assert_ptr_nonnull(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = 0;
	fclose(file);
	return text;
}

TEST(cmd_save__to_a_file)
{
	char line[256], request[256];

	snprintf(line, sizeof(line), "save|-f|lab|%s/out.yaml", root);
	daemon_runs("{\"text\": \"none: at all\\n\"}\n", NULL);
	ck_assert_int_eq(command_run(cmd_save, line), CLIENT_REFUSED);
	ck_assert_ptr_nonnull(strstr(said, "heddle save: it is saved, but has to be mended\n"));
	snprintf(request, sizeof(request), "{\"ask\":\"save\",\"folder\":\"%s\"}\n", root);
	daemon_was_asked(request);
	snprintf(line, sizeof(line), "%s/out.yaml", root);
	ck_assert_str_eq(file_read(line), "none: at all\n");
	unlink(line);
}

TEST(cmd_save__fabric_and_file)
{
	char line[256];

	snprintf(line, sizeof(line), "save|lab|%s/out.yaml", root);
	daemon_runs(scenario, NULL);
	command_run(cmd_save, line);
	snprintf(line, sizeof(line), "%s/out.yaml", root);
	ck_assert_msg(!strncmp(file_read(line), "topology:\n", 10), "%s", said);
	unlink(line);
}

TEST(cmd_save__wrong_words)
{
	char line[256];

	is_wrong(cmd_save, "save|-f|lab|one|two",
		 "heddle save: one file is expected beside -f lab\n");
	is_wrong(cmd_save, "save|out.yaml", "heddle save: no fabric runs");
	snprintf(line, sizeof(line), "save|%s/no/folder", root);
	daemon_runs(scenario, NULL);
	ck_assert_int_eq(command_run(cmd_save, line), CLIENT_FAILED);
	ck_assert_ptr_nonnull(strstr(said, "heddle save: cannot write "));
}
