/*  orchestrator/operate/cmd_ps: what `heddle ps` prints of a fabric and of its nodes (TB-8, TB-10,
 *  TB-22). */
#include "orchestrator/operate/cmd_ps.h"

#include "orchestrator/command/client.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

TEST_GROUP(cmd_ps, .setup = daemon_setup, .teardown = daemon_teardown);

/* the answer of a fabric of one node; @more with a comma before it */
static const char *fabric(const char *more)
{
	static char text[4096];

	snprintf(text, sizeof(text),
		 "{\"fabric\": \"lab\", \"file\": \"two.yaml\", \"since\": \"noon\", "
		 "\"uptime_ns\": 2000000000, \"cpu_ns\": 500000000, \"pid\": 77, \"hosts_count\": "
		 "2, \"switches\": 3, \"links\": 4, \"memory_bytes\": 3000000, \"nodes\": "
		 "[{\"kind\": \"switch\", \"name\": \"s1\", \"pid\": 78, \"state\": \"runs\", "
		 "\"readable\": 1, \"cpu_ns\": 100000000, \"memory_bytes\": 1500000, "
		 "\"sent_packets\": 11, \"received_packets\": 12, \"dropped_packets\": 13, "
		 "\"lateness_max_ns\": 9000, \"links_absorb_ns\": 10000, "
		 "\"buffers_bridge_ns\": 400000, \"lateness_counts\": {}, \"ports\": []%s}",
		 more);
	strcat(text, "\n");
	return text;
}

static void contains(const char *line)
{
	ck_assert_msg(strstr(printed, line) != NULL, "'%s' is not in:\n%s", line, printed);
}

static void lacks(const char *line)
{
	ck_assert_msg(!strstr(printed, line), "'%s' is in:\n%s", line, printed);
}

#define HEAD                                           \
	"fabric     lab, from two.yaml\n"              \
	"running    since noon (2.000 s), daemon 77\n" \
	"nodes      2 hosts, 3 switches, 4 links\n"    \
	"cost       25.0 % of a core, 3.000 MB of memory\n"

TEST(cmd_ps__one_fabric)
{
	daemon_runs(fabric("}]"), NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	ck_assert_msg(!strncmp(printed, HEAD, strlen(HEAD)), "%s", printed);
	lacks("time ");
	lacks("packed");
	lacks("machines");
	lacks("manager");
	lacks("faults");
	lacks("kind"); /* nodes only with a name */
	daemon_was_asked("{\"ask\":\"ps\"}\n");
}

TEST(cmd_ps__nodes_of_a_named_one)
{
	daemon_runs(fabric(", \"fate\": \"killed\", \"unplugged\": \"eth0\"}]"), NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps|lab"), 0);
	ck_assert_msg(!strncmp(printed, HEAD, strlen(HEAD)), "%s", printed);
	contains("\nkind    name               pid  state      cpu %      memory         sent     "
		 "received   dropped    late p50         p99         max\n");
	contains("\nswitch  s1                  78  runs         5.0    1.500 MB           11      "
		 "  "
		 "   12        13    9.000 us    9.000 us    9.000 us  killed  UNPLUGGED: a "
		 "program in "
		 "the host has deleted eth0\n");
}

TEST(cmd_ps__what_is_out_of_the_ordinary)
{
	daemon_runs(
		fabric("}], \"dilation\": 10, \"dead\": 2, \"init_dead\": true, \"workers\": 1, "
		       "\"tunnel_fate\": \"signal 9\", \"faults\": [{\"state\": \"present\"}, "
		       "{\"state\": \"over\"}, {\"state\": \"over\"}, {\"state\": \"planned\"}]"),
		NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	contains("\ntime       dilated 10 times: times and rates are the fabric's, cost is the "
		 "machine's\n");
	contains("\nnodes      2 hosts, 3 switches, 4 links; 2 DEAD: 'heddle ps lab' has the "
		 "reason, "
		 "'heddle start NODE' restarts one\nprograms   DEAD: the hosts' init process was "
		 "killed; end the fabric and start it again\ncost ");
	contains("\npacked     into 1 worker; what one costs is in the row of its first node\n");
	contains("\ntunnel     DEAD (signal 9): links to other machines are down; end the fabric "
		 "and "
		 "start it again\n");
	contains("\nfaults     3 of 4 have happened, 1 of them present ('heddle faults')\n");
}

TEST(cmd_ps__two_workers_and_time_that_is_not_dilated)
{
	daemon_runs(fabric("}], \"dilation\": 1, \"workers\": 2"), NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	contains("\npacked     into 2 workers; what");
	lacks("dilated");
	lacks("DEAD");
}

TEST_RANGE(cmd_ps__manager, 0, 2)
{
	daemon_runs(
		_i ? fabric("}], \"manager\": {\"active\": 80, \"standby\": 81, \"swept_ago_ns\": "
			    "1000000, \"took_ns\": 2000000, \"switches\": 3, \"links\": 5, "
			    "\"hosts\": 7, \"changed_blocks\": 9, \"changed_switches\": 2, "
			    "\"changed_ago_ns\": 4000000, \"trouble\": \"s2 is silent\"}")
		   : fabric("}], \"manager\": {\"active\": 80}"),
		NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	if (_i) {
		contains("\nmanager    pid 80 active, pid 81 standby; swept 1.000 ms ago in 2.000 "
			 "ms: "
			 "3 switches, 5 links between them, 7 hosts\n");
		contains("\ntables     changed 4.000 ms ago: 9 blocks in 2 switches\n"
			 "           TROUBLE: s2 is silent\n");
	} else {
		contains("\nmanager    pid 80 active, no standby; swept ");
		lacks("tables");
		lacks("TROUBLE");
	}
}

TEST(cmd_ps__machines)
{
	daemon_runs(fabric("}], \"machines\": [{\"name\": \"m1\", \"here\": true, \"hosts\": "
			   "[\"h1\"]}, {\"name\": \"m2\", \"hosts\": [\"h2\", \"h3\"], \"links\": "
			   "[7], \"state\": \"connected\", \"address\": \"10.0.0.2:1\", "
			   "\"round_trip_ns\": 3000, \"datagram_bytes\": 900, \"lost_frames\": 4, "
			   "\"received_frames\": 200, \"late_frames\": 3}, {\"name\": \"m3\", "
			   "\"links\": [1, 2], \"state\": \"silent\"}]"),
		    NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	contains("\nmachines   m1       1 host, this one\n"
		 "           m2       2 hosts, 1 link to it: connected at 10.0.0.2:1; round trip "
		 "3.000 us, 900 B datagrams, lost 4, late 1.5 % of 200 frames\n"
		 "           m3       0 hosts, 2 links to it: silent at ; round trip 0 ps, 0 B "
		 "datagrams, lost 0, late 0 % of 0 frames\n");
}

TEST_RANGE(cmd_ps__programs, 16, 18)
{
	char more[2048] = "}], \"programs\": [{\"host\": \"h0\", \"fate\": \"runs\", \"command\": "
			  "\" \\n first \\n  \"}, {\"host\": \"h1\", \"fate\": \"status 1\", "
			  "\"command\": \"one\\ntwo\"}";

	for (int i = 2; i < _i; i++)
		strcat(more, ", {\"host\": \"h9\", \"fate\": \"runs\", \"command\": \"x\"}");
	strcat(more, "]");
	daemon_runs(fabric(more), NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	contains("\nprograms   h0           runs: first \n           h1           status 1: one "
		 "...\n"
		 "           h9           runs: x\n");
	if (_i == 17)
		contains("\n           ... and 1 more\n");
	else
		lacks("more\n");
}

TEST(cmd_ps__as_json)
{
	daemon_runs(fabric("}]"), NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps|--json"), 0);
	contains("[\n  {\n    \"fabric\": \"lab\",\n");
	contains("\"cpu_percent\": 25.0");
	contains("\"fidelity\": {");
}

/* ---- since an earlier output ---- */

static void since_write(const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/since", root);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static int since_run(void)
{
	char line[256];

	snprintf(line, sizeof(line), "ps|lab|--since|%s/since", root);
	return command_run(cmd_ps, line);
}

static void since_remove(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/since", root);
	unlink(path);
}

/* 0.5 s of CPU time until now, 0.2 s of them in the first second */
TEST(cmd_ps__cost_since)
{
	since_write("[{\"fabric\": \"lab\", \"pid\": 76}, {\"fabric\": \"other\", \"pid\": 77}, "
		    "{\"fabric\": \"lab\", \"pid\": 77, \"uptime_ns\": 1000000000, \"cpu_ns\": "
		    "200000000, \"nodes\": []}]");
	daemon_runs(fabric("}]"), NULL);
	ck_assert_int_eq(since_run(), 0);
	since_remove();
	contains("\ncost       30.0 % of a core, 3.000 MB of memory\n");
}

TEST(cmd_ps__since_of_another_fabric)
{
	since_write("[{\"fabric\": \"lab\", \"pid\": 76}]");
	daemon_runs(fabric("}]"), NULL);
	ck_assert_int_eq(since_run(), CLIENT_USAGE);
	since_remove();
	ck_assert_ptr_nonnull(
		strstr(said, "/since has no data of fabric lab as it runs now; make it"));
	ck_assert_str_eq(printed, "");
}

TEST(cmd_ps__since_is_no_file)
{
	daemon_runs(fabric("}]"), NULL);
	ck_assert_int_eq(since_run(), CLIENT_USAGE);
	ck_assert_ptr_nonnull(strstr(said, "heddle ps: --since "));
	ck_assert_str_eq(printed, "");
}

/* ---- two ---- */

/* The daemon of `lab` answers for another fabric as well, whose socket is the same one. */
TEST(cmd_ps__two_fabrics)
{
	struct runtime_place other;
	struct why why;
	size_t half;

	daemon_runs(fabric("}]"), fabric("}]"));
	ck_assert_int_eq(runtime_claim(base_fd, "other", &other, &why), 0);
	ck_assert_int_eq(linkat(place.dir_fd, "control", other.dir_fd, "control", 0), 0);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	runtime_release(&other);
	daemon_was_asked("{\"ask\":\"ps\"}\n{\"ask\":\"ps\"}\n");
	/* twice the same, with an empty line between */
	half = strlen(printed) / 2;
	ck_assert_msg(!strncmp(printed, HEAD, strlen(HEAD)) && printed[half] == '\n' &&
			      !strncmp(printed, printed + half + 1, half),
		      "%s", printed);
}

/* ---- none ---- */

TEST(cmd_ps__nothing_runs)
{
	ck_assert_int_eq(command_run(cmd_ps, "ps"), 0);
	ck_assert_str_eq(printed, "no fabric runs; start one with 'heddle up SCENARIO'\n");
	ck_assert_int_eq(command_run(cmd_ps, "ps|--json"), 0);
	ck_assert_str_eq(printed, "[]\n");
	ck_assert_int_eq(command_run(cmd_ps, "ps|lab"), CLIENT_USAGE);
	ck_assert_str_eq(printed, "");
}

/* the longest name of a fabric, and one that none can have */
TEST_RANGE(cmd_ps__long_name, NODE_NAME_MAX - 1, NODE_NAME_MAX + 1)
{
	char line[NODE_NAME_MAX + 8], expected[NODE_NAME_MAX + 64];
	int name_begin = snprintf(line, sizeof(line), "ps|");

	memset(line + name_begin, 'n', (size_t)_i);
	line[name_begin + _i] = 0;
	if (_i < NODE_NAME_MAX)
		snprintf(expected, sizeof(expected), "no fabric runs; start one");
	else
		snprintf(expected, sizeof(expected), "no fabric '%s' runs", line + name_begin);
	ck_assert_int_eq(command_run(cmd_ps, line), CLIENT_USAGE);
	ck_assert_msg(strstr(said, expected) != NULL, "%s", said);
}

TEST(cmd_ps__does_not_answer)
{
	daemon_runs("nonsense\n", NULL);
	ck_assert_int_eq(command_run(cmd_ps, "ps"), CLIENT_FAILED);
	ck_assert_str_eq(printed, "");
}
