/*  orchestrator/run: `heddle run` as a whole, with the processes of its nodes: what it prints, what
 *  it writes, its exit status, and what it refuses before anything is started (TB-10).
 *
 *  A -- s1 -- s2 -- B, C: A sends messages of 4 KiB to B. The virtual clock gives the same bytes
 *  each time. A second run of a test packs its nodes, whose processes take longer to start than to
 *  run. */
#include "tests/unit/orchestrator/whole_heddle.h"

TEST_GROUP(cmd_run, .setup_once = whole_begin, .teardown_once = whole_end, .setup = whole_setup,
	   .teardown = whole_teardown);

#define TOPOLOGY                                                            \
	"topology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2, C: s2}\n" \
	"  links: [[s1, s2]]\nlinks: {rate: 100Gb/s, delay: 100ns}\n"
#define LOAD "workloads:\n  - {name: w, pattern: pairs, pairs: [[A, B]], size: 4KiB, window: 2}\n"
#define TINY                                                                        \
	"name: t\nrun: {duration: 20us, warmup: 5us}\n" TOPOLOGY LOAD               \
	"expect:\n  - drops == 0\n  - goodput > 1Gb/s\n"                            \
	"compare:\n  columns: [goodput, drops]\n  variants:\n    - {name: as is}\n" \
	"    - {name: slow, set: {links.rate: 10Gb/s}}\n"

static void tiny(void)
{
	file_write("t.yaml", TINY);
}

/* ---- the summary ---- */

TEST(run__summary)
{
	tiny();
	ASSERT_STATUS("run|t.yaml", 0);
	ASSERT_HAS(printed, "t: 2 switches, 3 NICs, 4 links; virtual clock, seed 1\n"
			    "ran 22.30 us of fabric time, rates measured over 15.00 us; ");
	ASSERT_HAS(printed, "\nw         A    -> B         252.7 kB    98.84 Gb/s        60  ");
	ASSERT_HAS(printed, "injected 252.7 kB, delivered 252.7 kB, lost 0 B, inside 0 B\n");
	ASSERT_HAS(printed, "; event loop ");
	ASSERT_LACKS(printed, "; event loop 4 nodes: ");
	ASSERT_HAS(printed, "ok      goodput > 1Gb/s  98.84 Gb/s\n");
	ASSERT_LACKS(printed, "\033");
	ASSERT_LACKS(printed, "packet-hops");
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("run|t.yaml|--timing", 0);
	ASSERT_HAS(printed, "packet-hops");
	ck_assert_str_eq(said, "");
}

/* a load counts all that a packet takes of the link, with the local route header of port groups */
TEST(run__load_of_port_groups)
{
	file_write("p.yaml",
		   "name: p\nfabric: port-group\nrun: {duration: 1ms}\n"
		   "topology: {generate: star, hosts: 2}\nlinks: {rate: 10Gb/s}\n"
		   "workloads: [{name: w, pattern: pairs, pairs: [[h0, h1]], arrival: paced, "
		   "load: 95%, size: 20, frame: ethernet}]\n"
		   "expect: ['utilisation(h0:s0) == 95% +- 0.1%']\n");
	ASSERT_STATUS("run|p.yaml|--pack=1", 0);
}

/* where nothing was measured, the shares have no index */
TEST(run__nothing_is_measured)
{
	file_write("n.yaml", "name: n\nrun: {duration: 100us, warmup: 50us}\n"
			     "topology: {generate: star, hosts: 2}\n"
			     "workloads: [{name: w, pattern: pairs, pairs: [[h0, h1]], messages: "
			     "1, size: 20}]\n");
	ASSERT_STATUS("run|n.yaml|--pack=1", 0);
	ASSERT_HAS(printed, "       0 b/s        -  ");
}

TEST(run__stages_are_told)
{
	tiny();
	ASSERT_STATUS("run|t.yaml|--verbose|--quiet", 0);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said,
			 "heddle run: starts 5 nodes\n"
			 "heddle run: waits until all nodes are ready\n"
			 "heddle run: all nodes are ready\n"
			 "heddle run: the fabric manager asks all nodes\n"
			 "heddle run: the fabric manager has written the tables of 2 switches\n"
			 "heddle run: runs from 0\nheddle run: is stopped at 100020us\n"
			 "heddle run: reads the statistics\nheddle run: has written the result\n"
			 "heddle run: requests 5 processes to leave\n"
			 "heddle run: all nodes have left\n");
	/* all of the cost of the end counts */
	ASSERT_STATUS("run|t.yaml|--verbose|--timing", 0);
	ck_assert_ptr_nonnull(strstr(said, "all nodes have left\nheddle run: reads"));
}

TEST(run__expectation_that_does_not_hold)
{
	tiny();
	ASSERT_STATUS("run|t.yaml|--set|expect=[drops > 0]", 1);
	ASSERT_HAS(printed, "FAILED  drops > 0  0\n");
	/* the setting is refused before the start */
	ASSERT_STATUS("run|t.yaml|--set|expect=[dropz > 0]", 2);
	ASSERT_HAS(said, "there is no metric 'dropz' - did you mean 'drops'?");
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("run|none.yaml", 2);
	ASSERT_HAS(said, "none.yaml: cannot be read: No such file or directory");
}

/* ---- packed nodes ---- */

TEST(run__packed_nodes_give_the_same_bytes)
{
	char *alone;

	tiny();
	ASSERT_STATUS("run|t.yaml", 0);
	alone = printed;
	printed = NULL;
	ASSERT_STATUS("run|t.yaml|--pack=1", 0);
	ck_assert_str_eq(printed, alone);
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("run|t.yaml|--pack=1|--verbose", 0);
	ASSERT_HAS(said, "heddle run: starts 1 worker for 5 nodes\n");
	ASSERT_HAS(said, "heddle run: requests 1 process to leave\n");
	ASSERT_STATUS("run|t.yaml|--pack=2|--verbose", 0);
	ck_assert_str_eq(printed, alone);
	ASSERT_HAS(said, "heddle run: starts 2 workers for 5 nodes\n");
	ASSERT_HAS(said, "heddle run: requests 2 processes to leave\n");
	/* more workers than nodes */
	ASSERT_STATUS("run|t.yaml|--pack=200|--verbose", 0);
	ck_assert_str_eq(printed, alone);
	ASSERT_HAS(said, "heddle run: starts 5 workers for 5 nodes\n");
	ASSERT_STATUS("run|t.yaml|--pack=0|--verbose", 0);
	ck_assert_str_eq(printed, alone);
	ASSERT_HAS(said, "heddle run: starts 5 nodes\n");
	free(alone);
}

/* by faults too, which ask nodes while the clock stands */
TEST(run__packed_nodes_and_a_link_that_fails)
{
	char *alone;

	file_write("f.yaml", "name: f\nrun: {duration: 20us, warmup: 5us}\n" TOPOLOGY LOAD
			     "faults: [{at: 10us, link: [s1, s2], for: 5us}]\n"
			     "expect: [fault.lost(1) > 0, inside == 0, reordered == 0]\n");
	ASSERT_STATUS("run|f.yaml|--verbose", 0);
	ASSERT_HAS(said, "heddle run: runs from 0\n"
			 "heddle run: applies faults at 10us\n"
			 "heddle run: asks switch s1\nheddle run: s1 has answered\n"
			 "heddle run: asks switch s2\nheddle run: s2 has answered\n"
			 "heddle run: continues from 10us\n");
	ASSERT_HAS(said, "heddle run: applies faults at 15us\n");
	ASSERT_HAS(printed, "\nlink s1:p1 - s2:p2    10.00 us    15.00 us       4      30  ");
	alone = printed;
	printed = NULL;
	ASSERT_STATUS("run|f.yaml|--pack=2", 0);
	ck_assert_str_eq(printed, alone);
	free(alone);
}

/* ---- files ---- */

TEST(run__json)
{
	char *text;

	tiny();
	ASSERT_STATUS("run|t.yaml|--json|--seed|77", 0);
	ASSERT_HAS(printed, "\n \"seed\": 77,\n");
	ck_assert_int_eq(printed[0], '{');
	ASSERT_LACKS(printed, "ran 22.30 us");
	text = printed;
	printed = NULL;
	ASSERT_STATUS("run|--pack=1|t.yaml|--json|r.json|--seed|77", 0);
	ASSERT_HAS(printed, "ran 22.30 us");
	free(printed);
	printed = file_read("r.json");
	ck_assert_str_eq(printed, text);
	free(text);
	ASSERT_STATUS("run|t.yaml|--json|no/r.json|--quiet", 2);
	ck_assert_str_eq(said, "heddle run: --json cannot write no/r.json: there is no folder "
			       "./no\n");
}

TEST(run__tables)
{
	static const char *const names[] = { "flows",   "messages",     "ports", "tables",
					     "samples", "flow_samples", "paths" };
	char name[64];

	tiny();
	ASSERT_STATUS("run|t.yaml|--csv|c|--quiet", 0);
	ck_assert_str_eq(said, "");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(name, sizeof(name), "c/%s.csv", names[i]);
		ck_assert_msg(file_there(name), "%s", name);
	}
	ck_assert(!file_there("c/compare.csv"));
	/* with samples those have rows, and so have the paths of flows */
	ck_assert(!file_has("c/flow_samples.csv", "\n1000000,"));
	ASSERT_STATUS("run|--pack=1|t.yaml|--csv|c|--quiet|--set|run.sample=1us", 0);
	ck_assert(file_has("c/flow_samples.csv", "\n1000000,") ||
		  file_has("c/samples.csv", "1000000"));
	/* a folder that cannot be made; one that was made goes if the run is refused */
	ASSERT_STATUS("run|t.yaml|--csv|t.yaml/c", 2);
	ck_assert_str_eq(said, "heddle run: --csv cannot write t.yaml/c/compare.csv: Not a "
			       "directory\n");
	ASSERT_STATUS("run|t.yaml|--csv|new|--capture|s1:s9=f.pcapng", 2);
	ck_assert(!file_there("new") && !file_there("f.pcapng"));
	ASSERT_STATUS("run|t.yaml|--csv|c|--capture|s1:s9=f.pcapng", 2);
	ck_assert(file_there("c/flows.csv"));
}

TEST(run__events_record_and_captures)
{
	char *events, *direct;

	tiny();
	ASSERT_STATUS("run|t.yaml|--events|e.csv|--record|r|--capture|s1:s2=l.pcapng|--quiet", 0);
	ck_assert_str_eq(said, "");
	ck_assert(file_there("r") && file_there("l.pcapng"));
	events = file_read("e.csv");
	ASSERT_HAS(events, "at_ps,node,port,peer,event,");
	/* the same to standard output, instead of the summary */
	ASSERT_STATUS("run|--pack=1|t.yaml|--events|-", 0);
	direct = printed;
	printed = NULL;
	ASSERT_HAS(direct, "at_ps,node,port,peer,event,");
	ASSERT_LACKS(direct, "ran 22.30 us");
	free(direct);
	/* what a recording has is what the run wrote */
	ASSERT_STATUS("export|r|--events|x.csv", 0);
	ck_assert(file_has("x.csv", "at_ps,node,port,peer,event,"));
	ASSERT_STATUS("run|--pack=1|t.yaml|--events|e.jsonl|--quiet", 0);
	ck_assert(file_has("e.jsonl", "{\"at_ps\":0,\"node\":\"A\",\"port\":0,"));
	free(events);
	ASSERT_STATUS("run|t.yaml|--events|no/e.csv", 2);
	ASSERT_HAS(said, "--events cannot write no/e.csv: there is no folder ./no\n");
	ASSERT_STATUS("run|t.yaml|--record|no/r", 2);
	ASSERT_HAS(said, "no/r");
}

/* packed nodes write the same recording and captures as nodes alone */
TEST(run__packed_nodes_write_the_same_files)
{
	ck_assert_int_eq(mkdir("alone", 0755), 0);
	tiny();
	ASSERT_STATUS("run|t.yaml|--quiet|--events|alone/e|--capture|s1:s2=alone/c", 0);
	ASSERT_STATUS("run|t.yaml|--quiet|--events|e|--capture|s1:s2=c|--pack=2", 0);
	ASSERT_STATUS("run|t.yaml|--quiet|--capture|all=alone/a", 0);
	ASSERT_STATUS("run|t.yaml|--quiet|--capture|all=a|--pack=2", 0);
	for (const char *const *name = (const char *const[]){ "e", "c", "a", NULL }; *name;
	     name++) {
		char command[64];

		snprintf(command, sizeof(command), "cmp %s alone/%s", *name, *name);
		ck_assert_int_eq(system(command), 0);
	}
}

TEST(run__report)
{
	tiny();
	ASSERT_STATUS("run|t.yaml|--report|r.html|--quiet", 0);
	ck_assert_str_eq(said, "");
	ck_assert(file_has("r.html", "<html"));
	ASSERT_STATUS("run|--pack=1|--compare|t.yaml|--report|c.html|--quiet", 0);
	ck_assert(file_has("c.html", "<html"));
	ASSERT_STATUS("run|t.yaml|--report|no/r.html", 2);
	ck_assert_str_eq(said, "heddle run: --report cannot write no/r.html: there is no folder "
			       "./no\n");
	ASSERT_STATUS("run|t.yaml|--report|bad.html|--capture|s1:s9=f", 2);
	ck_assert(!file_there("bad.html"));
}

TEST(run__outputs_that_exclude_each_other)
{
	tiny();
	ASSERT_STATUS("run|t.yaml|--json|--events|-", 2);
	ck_assert_str_eq(said, "heddle run: only one of --json -, --events - and --record - can "
			       "have standard output\n");
	ASSERT_STATUS("run|t.yaml|--record|-|--events|-", 2);
	ASSERT_HAS(said, "only one of --json -");
	ASSERT_STATUS("run|t.yaml|--capture|s1:s2=-", 2);
	ck_assert_str_eq(said, "heddle run: --capture takes a file, not -\n");
	ASSERT_STATUS("run|t.yaml|--csv|-", 2);
	ck_assert_str_eq(said, "heddle run: --csv takes a folder, not -\n");
	ASSERT_STATUS("run|t.yaml|--report|-", 2);
	ck_assert_str_eq(said, "heddle run: --report takes a file, not -\n");
	ASSERT_STATUS("run|t.yaml|--record|r|--report|r.html", 2);
	ASSERT_HAS(said, "--report and --record each make a recording");
	ASSERT_STATUS("run|t.yaml|--record|-|--view|--listen|127.0.0.1:0", 2);
	ASSERT_HAS(said, "a recording is no text: --view with --record FILE");
	/* the same file twice, and the scenario itself */
	ASSERT_STATUS("run|t.yaml|--json|same.json|--events|same.json", 2);
	ASSERT_HAS(said, "same.json");
	ASSERT_STATUS("run|t.yaml|--events|t.yaml", 2);
	ASSERT_HAS(said, "t.yaml");
	ck_assert(file_has("t.yaml", "name: t\n"));
	ASSERT_STATUS("run|t.yaml|--csv|c|--events|c/flows.csv", 2);
	ASSERT_HAS(said, "c/flows.csv");
	ASSERT_STATUS("run|t.yaml|--csv|c|--json|c/compare.csv", 2);
	ASSERT_HAS(said, "c/compare.csv");
	ck_assert(!file_there("c") && !file_there("same.json"));
	/* a recording to a pipe is one */
	ASSERT_STATUS("run|--pack=1|t.yaml|--record|-", 0);
	ck_assert_str_eq(said, "");
	ck_assert(printed[0]);
	ASSERT_LACKS(printed, "ran 22.30 us");
}

/* ---- comparison ---- */

TEST(compare__table)
{
	tiny();
	ASSERT_STATUS("run|--compare|t.yaml", 0);
	ck_assert_str_eq(printed, "t: 2 variants; virtual clock, seed 1\n\n"
				  "variant     goodput  drops\n"
				  "as is    98.84 Gb/s      0\n"
				  "slow     9.047 Gb/s      0\n");
	ck_assert_str_eq(said, "heddle run: variant 'as is', 1 of 2\n"
			       "heddle run: variant 'slow', 2 of 2\n");
	ASSERT_STATUS("run|--pack=1|--compare|t.yaml|--only|slow|--quiet|--csv|c|--json|c.json", 0);
	ck_assert_str_eq(printed, "");
	ck_assert_str_eq(said, "");
	ck_assert(file_has("c/compare.csv", "slow") && !file_has("c/compare.csv", "as is"));
	ck_assert(file_has("c.json", "\"name\": \"slow\"") && file_has("c.json", "\"seed\": 1"));
	ck_assert(!file_there("c/flows.csv"));
	ASSERT_STATUS("run|--pack=1|--compare|t.yaml|--quiet|--json", 0);
	ASSERT_HAS(printed, "\"goodput\": 98841600000.0");
	ASSERT_STATUS("run|--compare|t.yaml|--quiet|--json|no/c.json", 2);
	ck_assert_str_eq(said, "heddle run: --json cannot write no/c.json: there is no folder "
			       "./no\n");
}

TEST(compare__refused)
{
	tiny();
	ASSERT_STATUS("run|--compare|t.yaml|--only|slo", 2);
	ck_assert_str_eq(said, "heddle run: --only: there is no variant 'slo' - did you mean "
			       "'slow'?\n");
	ASSERT_STATUS("run|t.yaml|--variant|slowx", 2);
	ck_assert_str_eq(said, "heddle run: --variant: there is no variant 'slowx' - did you mean "
			       "'slow'?\n");
	ASSERT_STATUS("run|--pack=1|t.yaml|--variant|slow", 0);
	ASSERT_HAS(printed, "9.047 Gb/s");
	file_write("n.yaml", "name: n\nrun: {duration: 20us}\n" TOPOLOGY LOAD);
	ASSERT_STATUS("run|--compare|n.yaml", 2);
	ck_assert_str_eq(said, "heddle run: n.yaml has no 'compare' section, which lists what to "
			       "compare: docs/scenario.md has an example\n");
	ASSERT_STATUS("run|n.yaml|--variant|slow", 2);
	ASSERT_HAS(said, "n.yaml has no 'compare' section");
	ASSERT_STATUS("run|--compare|none.yaml", 2);
	ASSERT_HAS(said, "none.yaml");
	/* the variant whose setting is wrong is named, and none was run */
	file_write("w.yaml", "name: w\nrun: {duration: 20us}\n" TOPOLOGY LOAD
			     "compare: {columns: [drops], variants: [{name: one}, "
			     "{name: two, set: {links.rate: 1}}]}\n");
	ASSERT_STATUS("run|--compare|w.yaml", 2);
	ASSERT_HAS(said, "heddle run: this is variant 'two'\n");
	ASSERT_LACKS(said, "variant 'one'");
	ck_assert_str_eq(printed, "");
	/* with the wrong one left out, the other one is */
	ASSERT_STATUS("run|--pack=1|--compare|w.yaml|--only|one", 0);
	ASSERT_HAS(printed, "\none          0\n");
}

/* ---- sweeps ---- */

TEST(sweep__one_row_each)
{
	tiny();
	ASSERT_STATUS("run|t.yaml|--sweep|links.rate=10Gb/s,20Gb/s", 0);
	ck_assert_str_eq(printed, "t: 2 values of links.rate; virtual clock, seed 1\n\n"
				  "links.rate     goodput  drops\n"
				  "10Gb/s      9.047 Gb/s      0\n"
				  "20Gb/s      17.97 Gb/s      0\n");
	ck_assert_str_eq(said, "heddle run: links.rate=10Gb/s, 1 of 2\n"
			       "heddle run: links.rate=20Gb/s, 2 of 2\n");
	ASSERT_STATUS("run|--pack=1|t.yaml|--sweep|links.delay=1us,2us|--variant|slow|--csv|c", 0);
	ASSERT_HAS(printed, "\n1us          ");
	ASSERT_LACKS(printed, "98.84 Gb/s");
	ck_assert(file_has("c/compare.csv", "2us"));
}

TEST(sweep__seeds_have_a_spread)
{
	tiny();
	ASSERT_STATUS("run|--pack=1|t.yaml|--seeds|1..3", 0);
	ASSERT_HAS(said, "heddle run: seed=3, 3 of 3\n");
	ASSERT_HAS(printed, "t: 3 values of seed; virtual clock\n\n");
	ASSERT_HAS(printed, "\n3          98.84 Gb/s      0\n\nmean       98.84 Gb/s      0\n");
}

/* without `compare` the metrics of the expectations are the columns, each once */
TEST(sweep__columns_of_expectations)
{
	file_write("e.yaml", "name: e\nrun: {duration: 20us, warmup: 5us}\n" TOPOLOGY LOAD
			     "expect:\n  - drops == 0\n  - goodput > 1Gb/s\n  - goodput < 1Tb/s\n"
			     "  - drops <= 3\n");
	ASSERT_STATUS("run|--pack=1|e.yaml|--sweep|links.rate=10Gb/s", 0);
	ck_assert_str_eq(printed, "e: 1 value of links.rate; virtual clock, seed 1\n\n"
				  "links.rate  drops     goodput\n"
				  "10Gb/s          0  9.047 Gb/s\n");
	file_write("n.yaml", "name: n\nrun: {duration: 20us, warmup: 5us}\n" TOPOLOGY LOAD);
	ASSERT_STATUS("run|n.yaml|--sweep|links.rate=10Gb/s", 2);
	ck_assert_str_eq(said, "heddle run: n.yaml has neither 'compare' nor 'expect', which are "
			       "the columns of the table\n");
}

TEST(sweep__refused)
{
	tiny();
	ASSERT_STATUS("run|t.yaml|--sweep|links.rate", 2);
	ck_assert_str_eq(said, "heddle run: --sweep takes KEY=A..B, not 'links.rate'\n");
	ASSERT_STATUS("run|t.yaml|--sweep|=1,2", 2);
	ck_assert_str_eq(said, "heddle run: --sweep takes KEY=A..B, not '=1,2'\n");
	ASSERT_STATUS("run|t.yaml|--sweep|links.rate=10Gb/s,fast", 2);
	ASSERT_HAS(said, "fast");
	ck_assert_str_eq(printed, "");
	ASSERT_STATUS("run|t.yaml|--sweep|links.rat=10Gb/s", 2);
	ASSERT_HAS(said, "links.rat");
	ASSERT_STATUS("run|t.yaml|--seeds|3..1", 2);
	ASSERT_HAS(said, "heddle run: --seeds: ");
	ASSERT_STATUS("run|t.yaml|--sweep|links.rate=10Gb/s|--variant|none", 2);
	ASSERT_HAS(said, "--variant: there is no variant 'none'");
	ASSERT_STATUS("run|none.yaml|--sweep|links.rate=10Gb/s", 2);
	ASSERT_HAS(said, "none.yaml");
}

/* the row of a value that stalls says so, and the others are run */
TEST(sweep__what_has_no_effect_is_told_once)
{
	tiny();
	ASSERT_STATUS("run|--pack=1|t.yaml|--sweep|port-group.becn=no,yes", 0);
	ck_assert_uint_eq(times(said, "no effect in a fabric of kind flow-channel"), 1);
}

/* ---- several machines ---- */

/* by mpirun, srun or mpiexec: rank 0 says what is wrong, the others are silent */
TEST(ranks__refused)
{
	tiny();
	setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
	ASSERT_STATUS("run|t.yaml", 2);
	ck_assert_str_eq(said, "heddle run: mpirun has started 2 processes that cannot join each "
			       "other: start them with srun --mpi=pmix\n");
	setenv("PMIX_RANK", "0", 1);
	ASSERT_STATUS("run|t.yaml|--compare", 2);
	ck_assert_str_eq(said, "heddle run: not on several machines: --compare, --sweep and "
			       "--seeds: start a run for each value\n");
	ASSERT_STATUS("run|t.yaml|--seeds|1..2", 2);
	ASSERT_HAS(said, "--compare, --sweep and --seeds");
	ASSERT_STATUS("run|t.yaml|--sweep|seed=1,2", 2);
	ASSERT_HAS(said, "--compare, --sweep and --seeds");
	ASSERT_STATUS("run|t.yaml|--clock|real", 2);
	ck_assert_str_eq(said, "heddle run: not on several machines: --clock real: several "
			       "machines are for the virtual clock\n");
	ASSERT_STATUS("run|t.yaml|--view", 2);
	ASSERT_HAS(said, "not on several machines: --view: make a recording");
	/* rankd is not beside these programs */
	ASSERT_STATUS("run|t.yaml", 2);
	ck_assert_str_eq(said, "heddle run: mpirun has started 2 ranks, but the program rankd is "
			       "not there: install the package heddle-mpi, or build where "
			       "libopenmpi-dev is installed\n");
	setenv("OMPI_COMM_WORLD_RANK", "1", 1);
	ASSERT_STATUS("run|t.yaml", 2);
	ck_assert_str_eq(said, "");
	ASSERT_STATUS("run|t.yaml|--view", 2);
	ck_assert_str_eq(said, "");
	setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
	ASSERT_STATUS("run|t.yaml|--quiet", 0);
}
