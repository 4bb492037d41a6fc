/*  orchestrator/run: `heddle test`, which runs scenarios beside each other (DU-9), and runs that
 *  fail: a node that is killed, a deadlock, Ctrl-C. */
#include "tests/unit/orchestrator/whole_heddle.h"

TEST_GROUP(cmd_test, .setup_once = whole_begin, .teardown_once = whole_end, .setup = whole_setup,
	   .teardown = whole_teardown);

#define STAR(name, duration, pattern, expect)                           \
	"name: " name "\nrun: {duration: " duration ", warmup: 5us}\n"  \
	"topology: {switches: [s1], hosts: {h0: s1, h1: s1, h2: s1}}\n" \
	"workloads:\n  - {name: w, pattern: " pattern ", to: h0, size: 4KiB, window: 1}\n" expect

static void scenarios_write(void)
{
	file_write("fine.yaml",
		   STAR("fine", "20us", "incast", "expect:\n  - jain(w) >= 0.5\n  - lost == 0\n"));
	file_write("lossy.yaml",
		   STAR("lossy", "20us", "incast", "expect:\n  - jain(w) >= 0.5\n  - lost > 5\n"));
	file_write("wrong.yaml", STAR("wrong", "20us", "inca", "expect:\n  - lost == 0\n"));
	file_write("silent.yaml", STAR("silent", "20us", "incast", ""));
}

#define ALL "lossy.yaml|wrong.yaml|missing.yaml|silent.yaml|fine.yaml"

/* ---- suites ---- */

TEST(test__in_the_order_of_the_files)
{
	char *text;

	scenarios_write();
	ASSERT_STATUS("test|" ALL "|-j|3", 1);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(strncmp(printed,
				 "TAP version 13\nok 1 - lossy.yaml: jain(w) >= 0.5\nnot "
				 "ok 2 - lossy.yaml: lost > 5\n",
				 80),
			 0);
	ASSERT_HAS(printed, "message: \"the value is 0\"");
	ASSERT_HAS(printed, "\nnot ok 3 - wrong.yaml: the scenario can be read\n");
	ASSERT_HAS(printed, "message: \"wrong.yaml:5:24: 'inca' is not one of");
	ASSERT_HAS(printed, "\nnot ok 4 - missing.yaml: the scenario can be read\n");
	ASSERT_HAS(printed, "\nok 5 - silent.yaml: it runs; there are no expectations\n"
			    "ok 6 - fine.yaml: jain(w) >= 0.5\nok 7 - fine.yaml: lost == 0\n1..7\n"
			    "# 3 of 7 tests of 5 files failed:\n");
	ASSERT_HAS(printed, "\n#   lossy.yaml ");
	text = printed;
	printed = NULL;
	ASSERT_STATUS("test|" ALL "|-j|1|--quiet", 1);
	ck_assert_str_eq(printed, text);
	ASSERT_STATUS("test|" ALL "|-j|256", 1);
	ck_assert_str_eq(printed, text);
	free(text);
}

TEST(test__folders_settings_and_other_formats)
{
	scenarios_write();
	ck_assert(!mkdir("d", 0755) && !rename("fine.yaml", "d/fine.yaml") && !mkdir("none", 0755));
	ck_assert_int_eq(mkfifo("d/fifo.yaml", 0600), 0);
	ASSERT_STATUS("test|d", 0);
	ck_assert_str_eq(printed, "TAP version 13\nok 1 - d/fine.yaml: jain(w) >= 0.5\nok 2 - "
				  "d/fine.yaml: lost == 0\n1..2\n# all 2 tests of 1 files hold\n");
	ASSERT_STATUS("test|d|silent.yaml|--set|expect=[lost == 0]", 0);
	ASSERT_HAS(printed, "ok 1 - d/fine.yaml: lost == 0\nok 2 - silent.yaml: lost == 0\n1..2\n");
	ASSERT_STATUS("test|d|lossy.yaml|--json", 1);
	ASSERT_HAS(printed, "{\n  \"tests\": 4,\n  \"failed\": 1,\n  \"files\": [\n    {\n      "
			    "\"file\": \"d/fine.yaml\",\n      \"status\": 0,\n");
	ASSERT_HAS(printed,
		   "\"name\": \"lost > 5\",\n          \"ok\": false,\n          \"value\": "
		   "0.0,\n");
	ASSERT_LACKS(printed, "TAP");
	ASSERT_STATUS("test|d|lossy.yaml|--junit|-", 1);
	ASSERT_HAS(printed, "<?xml");
	ASSERT_HAS(printed, "failures=\"1\"");
	ASSERT_LACKS(printed, "TAP");
	ASSERT_STATUS("test|d|--junit|j.xml", 0);
	ASSERT_HAS(printed, "1..2\n");
	ck_assert(file_has("j.xml", "failures=\"0\""));
	ASSERT_STATUS("test|d|--json|--junit|j.xml", 0);
	ck_assert_int_eq(printed[0], '{');
}

TEST(test__refused)
{
	scenarios_write();
	ck_assert_int_eq(mkdir("none", 0755), 0);
	ASSERT_STATUS("test|none", 2);
	ASSERT_HAS(said, "none");
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("test|fine.yaml|-j|0", 2);
	ck_assert_str_eq(said, "heddle test: -j takes 1 to 256, not 0\n");
	ASSERT_STATUS("test|fine.yaml|-j|257", 2);
	ck_assert_str_eq(said, "heddle test: -j takes 1 to 256, not 257\n");
	ASSERT_STATUS("test|fine.yaml|-j|x", 2);
	ASSERT_HAS(said, "heddle test: -j: ");
	ASSERT_STATUS("test|fine.yaml|--json|--junit|-", 2);
	ck_assert_str_eq(said, "heddle test: --json and --junit - both print; give one a file\n");
	ASSERT_STATUS("test|fine.yaml|--junit|no/j.xml", 2);
	ASSERT_HAS(said, "heddle test: cannot write no/j.xml: ");
	ASSERT_STATUS("test", 2);
	ASSERT_STATUS("test|-|fine.yaml|-", 2);
	ck_assert_str_eq(said,
			 "heddle test: standard input has one scenario: '-' is given twice\n");
	ck_assert_str_eq(printed, "");
}

TEST(test__standard_input)
{
	ck_assert_int_eq(
		heddle_given("test|-", STAR("in", "20us", "incast", "expect:\n  - lost == 0\n")),
		0);
	ck_assert_str_eq(printed, "TAP version 13\nok 1 - -: lost == 0\n1..1\n# all 1 tests of 1 "
				  "files hold\n");
	/* other scenarios have none */
	scenarios_write();
	ck_assert_int_eq(heddle_given("test|fine.yaml|--set|run.duration=10us", "x: 1\n"), 0);
}

/* what runs is interrupted, what waits is not started */
TEST(test__interrupted)
{
	char path[64];
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	scenarios_write();
	file_write("long.yaml", STAR("long", "100s", "incast", ""));
	pid = heddle_start("test|long.yaml|fine.yaml|-j|1|--junit|j.xml", in);
	close(in);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	while (file_has(path, "") && !file_has(path, " "))
		usleep(5000);
	usleep(100000); /* it runs, or starts: both are interrupted */
	ck_assert_int_eq(kill(pid, SIGINT), 0);
	ck_assert_int_eq(heddle_await(pid), 130);
	ASSERT_HAS(printed, "not ok 1 - long.yaml: the run is not interrupted\n");
	ASSERT_HAS(printed, "\nnot ok 2 - fine.yaml: the run is not interrupted\n"
			    "  ---\n  message: \"it was not started\"\n  status: 130\n  ...\n1..2\n"
			    "# 2 of 2 tests of 2 files failed:\n");
	ck_assert(file_has("j.xml", "errors=\"2\""));
}

/* ---- runs that fail ---- */

/* the first child of @pid that runs @program; 0: none */
static pid_t child_of(pid_t pid, const char *program)
{
	char path[64], name[64], *list, *at;
	pid_t found = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	list = file_read(path);
	for (at = list; at && *at && !found;) {
		pid_t child = (pid_t)strtol(at, &at, 10);
		char *text;

		at += strspn(at, " ");
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)child);
		text = file_read(path);
		snprintf(name, sizeof(name), "%s\n", program);
		if (text && !strcmp(text, name))
			found = child;
		free(text);
	}
	free(list);
	return found;
}

/* starts a run that stops at 5 us and waits for commands at *@words_fd */
static pid_t stopped_start(const char *line, int *words_fd)
{
	int pipes[2];
	pid_t pid;

	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	pid = heddle_start(line, pipes[0]);
	close(pipes[0]);
	*words_fd = pipes[1];
	while (!file_has(".out", "next event at"))
		usleep(5000);
	return pid;
}

TEST(run__node_that_is_killed)
{
	int words_fd;
	pid_t pid, node;

	scenarios_write();
	pid = stopped_start("run|fine.yaml|--break-at|5us|--json|r.json|--csv|c", &words_fd);
	node = child_of(pid, "switchd");
	ck_assert_int_gt(node, 0);
	ck_assert_int_eq(kill(node, SIGKILL), 0);
	ck_assert_int_eq(write(words_fd, "continue\n", 9), 9);
	close(words_fd);
	ck_assert_int_eq(heddle_await(pid), 4);
	ASSERT_HAS(said, "heddle run: switch s1 (pid ");
	ASSERT_HAS(said, ") was killed by signal 9 (Killed)\n");
	/* nothing that looks like a result */
	ck_assert(!file_there("r.json") && !file_there("c/flows.csv"));
	ASSERT_LACKS(printed, "goodput");
}

TEST(run__worker_that_is_killed)
{
	int words_fd;
	pid_t pid, node;

	scenarios_write();
	pid = stopped_start("run|fine.yaml|--break-at|5us|--pack=2", &words_fd);
	node = child_of(pid, "workerd");
	ck_assert_int_gt(node, 0);
	ck_assert_int_eq(kill(node, SIGKILL), 0);
	ck_assert_int_eq(write(words_fd, "continue\n", 9), 9);
	close(words_fd);
	ck_assert_int_eq(heddle_await(pid), 4);
	ASSERT_HAS(said, "heddle run: worker ");
	ASSERT_HAS(said, ") was killed by signal 9 (Killed)\n");
	ASSERT_LACKS(printed, "goodput");
}

/* what was measured so far is written, and the status says so */
TEST(run__interrupted)
{
	int words_fd;
	pid_t pid;

	scenarios_write();
	pid = stopped_start("run|fine.yaml|--break-at|5us|--json|r.json", &words_fd);
	ck_assert_int_eq(kill(pid, SIGINT), 0);
	close(words_fd);
	ck_assert_int_eq(heddle_await(pid), 130);
	ASSERT_HAS(printed, "interrupted: the figures are those of that moment\n");
	ck_assert(file_has("r.json", "\"interrupted\": true"));
}

#define SEVEN                                                                                \
	"topology:\n  switches: [s0, s1, s2, s3, s4, s5, s6]\n"                              \
	"  hosts: {a0: s0, a1: s1, a2: s2, a3: s3, a4: s4, a5: s5, a6: s6, b0: s0, b1: s1, " \
	"b2: s2, b3: s3, b4: s4, b5: s5, b6: s6}\n"                                          \
	"  links: [[s0, s1], [s1, s2], [s2, s3], [s3, s4], [s4, s5], [s5, s6], [s6, s0]]\n"  \
	"routing: {cycles: allow, lanes: 1}\nlinks: {rate: 200Gb/s, delay: 1us}\n"           \
	"switch: {buffer: 260KiB}\ncongestion: no\nworkloads:\n"                             \
	"  - {name: a, pattern: pairs, size: 64KiB, window: 4, pairs: [[a0, a3], [a1, a4], " \
	"[a2, a5], [a3, a6], [a4, a0], [a5, a1], [a6, a2]]}\n"                               \
	"  - {name: b, pattern: pairs, size: 64KiB, window: 4, pairs: [[b0, b3], [b1, b4], " \
	"[b2, b5], [b3, b6], [b4, b0], [b5, b1], [b6, b2]]}\n"
#define RING                                                                                \
	"name: ring\nfabric: roce\nrun: {duration: 200us, warmup: 20us, drain-max: 15ms}\n" \
	"classes: [{name: roce, ecn: no, xoff: 60kB}]\n"                                    \
	"roce: {dcqcn: no, queue-pair: {timeout: 200us}}\n" SEVEN

/* PFC around a ring stops it for ever: named, and status 3, unless the scenario expects it. Packed
 * nodes say the same as 21 processes, and start sooner. */
TEST(run__deadlock)
{
	file_write("ring.yaml", RING "compare: {columns: [deadlocks], variants: [{name: pfc}]}\n");
	ASSERT_STATUS("run|ring.yaml", 3);
	ASSERT_HAS(said, "heddle run: the fabric stalled: deadlock ");
	ASSERT_HAS(said, "s0");
	ASSERT_STATUS("run|ring.yaml|--pack=1|--set|expect=[deadlocks == 1]", 0);
	ASSERT_LACKS(said, "stalled");
	/* a row of a table that says so is a result */
	ASSERT_STATUS("run|ring.yaml|--pack=1|--compare", 0);
	ASSERT_HAS(printed, "pfc              1");
	ASSERT_HAS(printed, "the fabric stalled: deadlock ");
	ASSERT_STATUS("run|ring.yaml|--pack=1|--sweep|seed=1,2", 0);
	ASSERT_HAS(printed, "the fabric stalled: deadlock ");
}

/* credit around a ring leaves no event at all */
TEST(run__stall)
{
	file_write("stall.yaml", "name: stall\nrun: {duration: 1ms, warmup: 50us}\n" SEVEN);
	ASSERT_STATUS("run|stall.yaml", 3);
	ASSERT_HAS(said, "heddle run: the fabric stalled: no event is left, but s0 holds ");
	ASSERT_HAS(said, ", s6 holds ");
	ASSERT_HAS(said, " and ");
	ASSERT_HAS(said, " more nodes\n");
}

/* ---- the real clock ---- */

TEST(run__real_clock)
{
	char *text;
	int status;

	file_write("real.yaml",
		   "name: real\nrun: {duration: 100ms, warmup: 10ms}\ntopology: {switches: [s1], "
		   "hosts: {h0: s1, h1: s1}}\nlinks: {rate: 10Mb/s, delay: 20ms}\nworkloads:\n  - "
		   "{name: w, pattern: pairs, pairs: [[h0, h1]], size: 1KiB, window: 1}\n");
	/* on a machine that is too slow the figures are not valid */
	status = heddle("run|real.yaml|--clock|real|--timing");
	ck_assert_msg(status == 0 || status == 5, "%d %s", status, said);
	ASSERT_HAS(printed, "real: 1 switch, 2 NICs, 2 links; real clock");
	ASSERT_HAS(printed, "injected ");
	ASSERT_HAS(said,
		   "heddle run: rates are measured over 90.00 ms, which is short under the real "
		   "clock: try --set run.duration=2s\n");
	/* late nodes have 10 ms for what was due before the end */
	status = heddle("run|real.yaml|--clock|real|--quiet|--json|r.json|--set|run.drain=no");
	ck_assert_msg(status == 0 || status == 5, "%d %s", status, said);
	text = file_read("r.json");
	ck_assert_int_ge(atoll(strstr(text, "\"end_ps\": ") + strlen("\"end_ps\": ")),
			 110000000000);
	free(text);
	ASSERT_STATUS("run|real.yaml|--clock|real|--pack=2", 2);
	ck_assert_str_eq(said, "heddle run: under the real clock each node is a process: --pack is "
			       "for --clock virtual\n");
	status = heddle("run|real.yaml|--clock|real|--set|links.medium=veth|--set|run.duration=1ms|"
			"--set|run.warmup=0us|--quiet");
	ck_assert_msg(status == 0 || status == 5, "%d %s", status, said);
	ASSERT_HAS(said,
		   "heddle run: all links are of shared memory; 'medium: veth' is for 'heddle "
		   "up'\n");
}
