/*  orchestrator/run: run_output, run_execute - files that cannot be written, runs that stop for
 *  commands, and what a run remarks of its result (TB-10, TB-22).
 *
 *  A -- s1 -- s2 -- B: A sends messages of 4 KiB to B. */
#include "tests/unit/orchestrator/whole_heddle.h"

#define TINY                                                                                  \
	"name: t\nrun: {duration: 20us, warmup: 5us, sample: 1us}\n"                          \
	"topology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2}\n  links: [[s1, s2]]\n"     \
	"links: {rate: 100Gb/s, delay: 100ns}\n"                                              \
	"workloads:\n  - {name: w, pattern: pairs, pairs: [[A, B]], size: 4KiB, window: 2}\n" \
	"compare: {columns: [goodput], variants: [{name: one}]}\n"

static void setup(void)
{
	whole_setup();
	file_write("t.yaml", TINY);
}

TEST_GROUP(run_output, .setup = setup, .teardown = whole_teardown, .setup_once = whole_begin,
	   .teardown_once = whole_end);

/* ---- files ---- */

/* a result that cannot be written is no result: exit status 2, whatever else is fine */
TEST_RANGE(run__disk_is_full, 0, 5)
{
	static const char *const rows[][2] = {
		{ "--json|/dev/full", "cannot write the JSON result to /dev/full: No space left on "
				      "device" },
		{ "--events|/dev/full", "/dev/full: No space left on device" },
		{ "--record|/dev/full", "/dev/full: No space left on device" },
		{ "--capture|s1:s2=/dev/full", "/dev/full: No space left on device" },
		{ "--compare|--json|/dev/full",
		  "cannot write the table to /dev/full: No space left "
		  "on device" },
	};
	char line[256];

	snprintf(line, sizeof(line), "run|--pack=1|t.yaml|--quiet|%s", rows[_i][0]);
	ASSERT_STATUS(line, 2);
	ck_assert_str_eq(printed, "");
	ASSERT_HAS(said, "heddle run: ");
	ASSERT_HAS(said, rows[_i][1]);
	ck_assert_uint_eq(times(said, "No space left on device"), 1);
}

/* what was written before an interruption stays, and says so */
TEST(run__quit)
{
	ck_assert_int_eq(heddle_given("run|t.yaml|--quiet|--break-at|5us|--json|r.json|--csv|c|"
				      "--events|e.csv|--capture|s1:s2=l.pcapng",
				      "quit\n"),
			 130);
	ck_assert(file_has("r.json", "\"interrupted\": true"));
	ck_assert(file_has("r.json", "\"end_ps\": 5000000"));
	ck_assert(file_has("c/flows.csv", "# interrupted=true end_ps=5000000 exit_status=130\n"));
	ck_assert(file_has("e.csv", "# interrupted=true end_ps=5000000\n"));
	ck_assert(file_there("l.pcapng"));
}

/* ---- commands at a stop ---- */

TEST(run__script)
{
	char *text;

	ASSERT_STATUS("run|t.yaml", 0);
	text = printed;
	printed = NULL;
	file_write("s", "continue\n");
	ASSERT_STATUS("run|t.yaml|--break-at|5us|--script|s", 0);
	ASSERT_HAS(printed, "at 5.000 us");
	ASSERT_HAS(printed, text);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(
		heddle_given("run|t.yaml|--break-at|5us|--script|-|--pack=1", "continue\n"), 0);
	ASSERT_HAS(printed, text);
	/* what is asked at a stop is no part of a result on standard output */
	ASSERT_STATUS("run|t.yaml|--break-at|5us|--script|s|--json", 0);
	ck_assert_int_eq(printed[0], '{');
	ASSERT_HAS(said, "at 5.000 us");
	free(text);
	ASSERT_STATUS("run|t.yaml|--break-at|5us|--script|none", 2);
	ck_assert_str_eq(said, "heddle run: cannot read the script none: No such file or "
			       "directory\n");
	ck_assert_str_eq(printed, "");
	file_write("s", "contnue\n");
	ASSERT_STATUS("run|t.yaml|--break-at|5us|--script|s|--json|r.json", 2);
	ASSERT_HAS(said, "s:1: ");
	ck_assert(!file_there("r.json"));
	ck_assert_int_eq(heddle_given("run|t.yaml|--break-at|5us", "contnue\n"), 2);
	ASSERT_HAS(said, "standard input:1: ");
	/* after the end of the run there is nothing to stop */
	ASSERT_STATUS("run|t.yaml|--break-at|1s|--quiet", 0);
}

/* 'goto' begins the run again: files are those of a run without */
TEST(run__again)
{
	static const char *const files[] = { "j", "e", "l", "r", "a" };
	char command[128];

	ck_assert_int_eq(mkdir("once", 0755), 0);
	ASSERT_STATUS("run|t.yaml|--quiet|--json|once/j|--events|once/e|--capture|s1:s2=once/l|"
		      "--record|once/r",
		      0);
	file_write("s", "goto 3us\ncontinue\n");
	ASSERT_STATUS("run|t.yaml|--quiet|--json|j|--events|e|--capture|s1:s2=l|--record|r|"
		      "--break-at|9us|--script|s",
		      0);
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("run|t.yaml|--quiet|--report|once.html|--capture|all=once/a", 0);
	ASSERT_STATUS("run|t.yaml|--quiet|--report|again.html|--capture|all=a|--break-at|9us|"
		      "--script|s",
		      0);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		snprintf(command, sizeof(command), "cmp %s once/%s", files[i], files[i]);
		ck_assert_msg(!system(command), "%s", command);
	}
	/* a report's recording begins again, too */
	ck_assert_int_eq(system("cmp once.html again.html"), 0);
	/* what a pipe has got stays there */
	file_write("s", "goto 3us\n");
	ASSERT_STATUS("run|t.yaml|--break-at|9us|--script|s|--events|/dev/null", 2);
	ASSERT_HAS(said, "goto: this run cannot be repeated, because a capture or --events is a "
			 "pipe or a device, which keeps what was written\n");
	ASSERT_STATUS("run|t.yaml|--break-at|9us|--script|s|--capture|s1:s2=/dev/null", 2);
	ASSERT_HAS(said, "because a capture or --events is a pipe");
	ASSERT_STATUS("run|t.yaml|--break-at|9us|--script|s|--capture|all=/dev/null", 2);
	ASSERT_HAS(said, "because a capture or --events is a pipe");
	ASSERT_STATUS("run|t.yaml|--break-at|9us|--script|s|--record|/dev/null", 2);
	ASSERT_HAS(said, "because its recording has a reader, such as the page: rewind there\n");
}

/* ---- remarks ---- */

TEST(run__not_empty_at_its_end)
{
	ASSERT_STATUS("run|t.yaml|--pack=1|--quiet|--set|run.drain-max=1us", 0);
	ck_assert_str_eq(said,
			 "heddle run: the fabric was not empty when run.drain-max was over\n");
	ASSERT_STATUS("run|t.yaml|--pack=1|--quiet|--set|run.drain-max=3us", 0);
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("run|t.yaml|--pack=1|--quiet|--set|run.drain=no", 0);
	ck_assert_str_eq(said, "");
}

/* in the row of a table, where the summary is not */
TEST(run__remarks_of_a_row)
{
	ASSERT_STATUS("run|--compare|t.yaml|--quiet|--set|nic.messages-max=59|--csv|c", 0);
	ck_assert(file_has("c/compare.csv",
			   "\"completion times lack 1 messages: nic.messages-max\"\n"));
	ASSERT_STATUS("run|--compare|t.yaml|--quiet|--set|nic.messages-max=60|--csv|c", 0);
	ck_assert(!file_has("c/compare.csv", "completion"));
	file_write("f.yaml",
		   "name: f\nfabric: roce\nrun: {duration: 20ms, drain: no}\n"
		   "topology: {generate: star, hosts: 4}\nroce: {queue-pair: {timeout: 200us}}\n"
		   "faults: [{at: 0us, link: [s0, h3]}]\n"
		   "workloads: [{name: w, pattern: incast, to: h3, from: [h0], size: "
		   "4KiB}]\ncompare: {columns: [goodput], variants: [{name: one}, {name: "
		   "two, set: {workloads.w.connections: 2}}]}\n");
	ASSERT_STATUS("run|--compare|f.yaml|--quiet|--csv|c", 0);
	ck_assert(file_has("c/compare.csv", "\"1 flow retransmits, nothing arrives\"\n"));
	ck_assert(file_has("c/compare.csv", "\"2 flows retransmit, nothing arrives\"\n"));
}

/* nodes that do not become ready are waited for until Ctrl-C */
TEST(run__interrupted_before_its_start)
{
	static const char *const names[] = { "switchd", "nicd" };
	char folder[PATH_MAX], path[PATH_MAX];
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	whole_path(folder, "slow");
	ck_assert_int_eq(mkdir(folder, 0755), 0);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		ck_assert_int_lt(snprintf(path, sizeof(path), "%.4000s/%s", folder, names[i]),
				 (int)sizeof(path));
		file_write(path, "#!/bin/sh\nexec sleep 1000\n");
		chmod(path, 0755);
	}
	ck_assert_int_lt(snprintf(path, sizeof(path), "%.4000s/heddle", folder), (int)sizeof(path));
	ck_assert_int_eq(link(getenv("WHOLE_HEDDLE"), path), 0);
	setenv("WHOLE_HEDDLE", path, 1);
	pid = heddle_start("run|t.yaml|--quiet|--verbose|--json|r.json", in);
	close(in);
	while (!file_has(".err", "waits until all nodes are ready"))
		usleep(5000);
	ck_assert_int_eq(kill(pid, SIGINT), 0);
	ck_assert_int_eq(heddle_await(pid), 130);
	ASSERT_HAS(said, "\nheddle run: interrupted before the start\n");
	ck_assert_str_eq(printed, "");
	ck_assert(!file_there("r.json"));
}

/* more than 64 nodes are packed, which is told */
TEST(run__packed_by_its_size)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	char wanted[256];

	file_write("many.yaml", "name: many\nrun: {duration: 2us, drain: no}\n"
				"topology: {generate: leaf-spine, leaves: 5, hosts-per-leaf: 24, "
				"spines: 3}\n");
	snprintf(wanted, sizeof(wanted),
		 "heddle run: more than 64 nodes: 128 are packed into %d worker%s (--pack=0: each "
		 "is a process)\n",
		 cores > 1 ? 2 : 1, cores > 1 ? "s" : "");
	ASSERT_STATUS("run|many.yaml", 0);
	ck_assert_str_eq(said, wanted);
	ASSERT_STATUS("run|many.yaml|--quiet", 0);
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("run|many.yaml|--verbose|--quiet|--pack=3", 0);
	ASSERT_HAS(said, "heddle run: starts 3 workers for 128 nodes\n");
	ASSERT_STATUS("run|t.yaml|--verbose|--quiet|--pack", 0);
	snprintf(wanted, sizeof(wanted), "heddle run: starts %ld worker", cores < 4 ? cores : 4);
	ASSERT_HAS(said, wanted);
}
