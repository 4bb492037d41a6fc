/*  orchestrator/prompt: breakpoint, line_editor, slow_view - commands at a breakpoint of a run, by
 *  a script and at a terminal, and a run that is shown slowly (TB-9, SE-8).
 *
 *  A -- s1 -- s2 -- B, C, stopped at 5 us. The virtual clock gives the same answers each time. */
#include "tests/unit/orchestrator/whole_heddle.h"

#define AT_5                                                                                       \
	"at 5.000 us; next event at 5.02432 us; waiting: 0 B in switches, 4.154 kB at hosts (not " \
	"sent yet)\n"
#define AT_6                                                                                       \
	"at 6.000 us; next event at 6.04672 us; waiting: 0 B in switches, 4.154 kB at hosts (not " \
	"sent yet)\n"
#define AT_7                                                                                       \
	"at 7.000 us; next event at 7.06912 us; waiting: 0 B in switches, 4.154 kB at hosts (not " \
	"sent yet)\n"
#define AT_4                                                                                       \
	"at 4.000 us; next event at 4.00192 us; waiting: 0 B in switches, 4.154 kB at hosts (not " \
	"sent yet)\n"
#define AT_STEP                                                                                 \
	"at 5.47432 us; next event at 5.475504 us; waiting: 4.212 kB in switches, 4.154 kB at " \
	"hosts (not sent yet)\n"
#define STEP "step [TIME | until CONDITION]"

static void setup(void)
{
	whole_setup();
	file_write("t.yaml",
		   "name: t\nrun: {duration: 20us, warmup: 5us}\ntopology:\n  switches: [s1, s2]\n"
		   "  hosts: {A: s1, B: s2, C: s2}\n  links: [[s1, s2]]\nlinks: {rate: 100Gb/s, "
		   "delay: 100ns}\nworkloads:\n  - {name: w, pattern: pairs, pairs: [[A, B]], "
		   "size: 4KiB, window: 2}\n");
}

TEST_GROUP(breakpoint, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* The commands end the run with @status, have printed @out after the first status line, and said
 * @err. Nodes are packed, since their processes take longer to start than to run; they have
 * processes of their own in breakpoint__changes_no_result and later tests. */
static void prompt_gives(const char *script, int status, const char *out, const char *err)
{
	int found;

	file_write("script", script);
	found = heddle("run|t.yaml|--quiet|--pack=1|--break-at|5us|--script|script");
	ck_assert_msg(found == status, "%s: %d\n%s%s", script, found, printed, said);
	ck_assert_msg(!strncmp(printed, AT_5, strlen(AT_5)), "%s", printed);
	ck_assert_str_eq(printed + strlen(AT_5), out);
	ck_assert_str_eq(said, err);
}

/* ---- scripts ---- */

TEST(breakpoint__steps)
{
	prompt_gives("step\n", 0, AT_STEP, "");
	prompt_gives("step 1us\nstep 1us\nquit\n", 130, AT_6 AT_7, "");
	prompt_gives("# no command\n\n  \nstep 1us\n\n", 0, AT_6, "");
	/* past the end there is nothing left */
	prompt_gives(
		"step 100us\nstatus exact\n", 0,
		"at 105.000 us; no event is left; waiting: 0 B in switches, 0 B at hosts (not sent "
		"yet)\nat 105000000 ps; no event is left; waiting: 0 bytes in switches, 0 bytes at "
		"hosts (not sent yet)\n",
		"");
	/* no later than the end of the run */
	prompt_gives(
		"step 100us\nstep\n", 0,
		"at 105.000 us; no event is left; waiting: 0 B in switches, 0 B at hosts (not sent "
		"yet)\nat 100020.000 us; no event is left; waiting: 0 B in switches, 0 B at hosts "
		"(not sent yet)\n",
		"");
}

TEST(breakpoint__steps_until)
{
	prompt_gives("step until s1.p1.queue_bytes > 10\nstatus exact\n", 0,
		     AT_STEP
		     "at 5474320 ps; next event at 5475504 ps; waiting: 4212 bytes in switches, "
		     "4154 bytes at hosts (not sent yet)\n",
		     "");
	/* it is true already */
	prompt_gives("step until B.delivered_packets > 3\n", 0, AT_5, "");
	prompt_gives("step until now >= 7us\n", 0, AT_7, "");
	prompt_gives(
		"step until s1.inside_bytes > 1GB\n", 0,
		"the run is over, and 's1.inside_bytes > 1GB' was never true\n"
		"at 22.373504 us; no event is left; waiting: 0 B in switches, 0 B at hosts (not "
		"sent yet)\n",
		"");
	prompt_gives("step until time > 8us\n", 2, "",
		     "script:1: 'time' is neither 'now' nor NODE.PORT.COUNTER nor NODE.COUNTER\n");
}

TEST(breakpoint__continues_and_returns)
{
	prompt_gives("continue\n", 0, "", "");
	prompt_gives("continue 7us\n", 0, AT_7, "");
	prompt_gives("goto 7us\ngoto 5us\nback 1us\nquit\n", 130, AT_7 AT_5 AT_4, "");
	prompt_gives("goto 5us\nback 0us\n", 0, AT_5 AT_5, "");
	prompt_gives("step 1us\nstep 1us\nback\nback\n", 0, AT_6 AT_7 AT_6 AT_5, "");
}

/* Changes are made again at their times; those after that time are not. */
TEST(breakpoint__repeats_changes)
{
	prompt_gives("set s1 acks.collect 4\nstep 1us\nback 2us\nquit\n", 130,
		     AT_6 "1 change made after that time is undone\n" AT_4, "");
	prompt_gives("set s1 acks.collect 4\nstep 1us\nset s1 acks.collect 5\nstep 1us\nset s1 "
		     "acks.collect 6\nback 1500ns\n",
		     0,
		     AT_6 AT_7
		     "2 changes made after that time are undone\n"
		     "at 5.500 us; next event at 5.505504 us; waiting: 4.212 kB in switches, "
		     "4.154 kB at hosts (not sent yet)\n",
		     "");
}

TEST(breakpoint__mistakes)
{
	prompt_gives("step 1us x\n", 2, "", "script:1: 'x' is not expected here: " STEP "\n");
	prompt_gives(
		"\nstep 1\n", 2, "",
		"script:2: step: '1' lacks its unit; expected a time such as 350ns or 1us (ps, ns, "
		"us, ms, s)\n");
	prompt_gives(
		"continue 1\n", 2, "",
		"script:1: continue: '1' lacks its unit; expected a time such as 350ns or 1us (ps, "
		"ns, us, ms, s)\n");
	prompt_gives("continue 7us x\n", 2, "",
		     "script:1: 'x' is not expected here: continue [TIME]\n");
	prompt_gives("goto\n", 2, "",
		     "script:1: goto needs a time of the fabric, e.g. 'goto 50us'\n");
	prompt_gives("goto 3us x\n", 2, "", "script:1: 'x' is not expected here: goto TIME\n");
	prompt_gives("goto 9us x\n", 2, "", "script:1: 'x' is not expected here: goto TIME\n");
	prompt_gives("back 9us\n", 2, "",
		     "script:1: back: 9us is before the start: the fabric is at 5.000 us\n");
	prompt_gives(
		"back 1\n", 2, "",
		"script:1: back: '1' lacks its unit; expected a time such as 350ns or 1us (ps, ns, "
		"us, ms, s)\n");
	prompt_gives(
		"goto 1\n", 2, "",
		"script:1: goto: '1' lacks its unit; expected a time such as 350ns or 1us (ps, ns, "
		"us, ms, s)\n");
	prompt_gives("back 1us x\n", 2, "", "script:1: 'x' is not expected here: back [TIME]\n");
	prompt_gives("back\n", 2, "",
		     "script:1: back: there is no earlier stop; 'goto TIME' returns to any time\n");
	prompt_gives("status all\n", 2, "",
		     "script:1: status takes nothing or 'exact', not 'all'\n");
	prompt_gives("status exact x\n", 2, "",
		     "script:1: 'x' is not expected here: status [exact]\n");
	prompt_gives("stat\n", 2, "",
		     "script:1: there is no command 'stat' - did you mean 'status'?; 'help' lists "
		     "them\n");
	prompt_gives("quit now\n", 2, "", "script:1: 'now' is not expected here: quit\n");
	prompt_gives("help me\n", 2, "", "script:1: 'me' is not expected here: help\n");
	prompt_gives("set s1 x\n", 2, "",
		     "script:1: set needs a node, a name and a value: 'set s1 NAME VALUE'\n");
	prompt_gives("set s1 acks.collect 4 x\n", 2, "",
		     "script:1: 'x' is not expected here: set NODE NAME VALUE\n");
	prompt_gives("set s9 acks.collect 4\n", 2, "",
		     "script:1: there is no node 's9' - did you mean 's1'?\n");
	prompt_gives("set s1 acks.collect 400\n", 2, "",
		     "script:1: acks.collect: '400' is out of range; expected 1 to 48\n");
	prompt_gives("show s1\n", 2, "",
		     "script:1: show needs a node and a table, e.g. 'show s2 ifct p1'\n");
	ASSERT_STATUS("run|t.yaml|--break-at|5us|--script|none", 2);
	ck_assert_str_eq(said, "heddle run: cannot read the script none: No such file or "
			       "directory\n");
}

TEST(breakpoint__shows_tables_and_flows)
{
	prompt_gives(
		"show s1 ifct --json\n", 0,
		"{\n  \"node\": \"s1\",\n  \"table\": \"ifct\",\n  \"rows\": [\n    {\n"
		"      \"port\": 0,\n      \"peer\": \"A\",\n      \"flow_id\": 0,\n"
		"      \"dest\": \"B\",\n      \"class\": \"best-effort\",\n"
		"      \"follow_port\": 1,\n      \"follow_peer\": \"s2\",\n"
		"      \"received_bytes\": 56320,\n      \"sent_bytes\": 56320,\n"
		"      \"acknowledged_bytes\": 43264,\n      \"waiting_bytes\": 0,\n"
		"      \"unacknowledged_bytes\": 13056,\n      \"waits\": null\n    }\n  ]\n}\n",
		"");
	prompt_gives("show flow A B\n", 0,
		     "A -> B, workload w, class best-effort, slot 0\n"
		     "node  input_port  input_peer  input_flow_id  output_port  output_peer  "
		     "output_flow_id  waiting_bytes  unacknowledged_bytes  held_by\n"
		     "A     -           -                       -  p0           s1           "
		     "             -           4154                     -  its turn on the link\n"
		     "s1    p0          A                       0  p1           s2           "
		     "             0              0                 13056  -\n"
		     "s2    p2          s1                      0  p0           B            "
		     "             -              0                     -  -\n",
		     "");
	prompt_gives(
		"show s1 foo\n", 2, "",
		"script:1: s1 has no table 'foo'; it has: ports efct match ifct ofct limits queues "
		"fgfc acks congestion paths trees sources routes settings trace\n");
	prompt_gives(
		"help\n", 0,
		STEP
		"   run for one time step, for TIME (10ns), or until e.g. s2.p1.queue_bytes > "
		"10kB\n"
		"show NODE TABLE [PORT] [--json] print a table of a node (efct, ifct, ofct, "
		"..., trace); show flow HOST HOST: a flow, hop by hop\n"
		"set NODE NAME VALUE             change a parameter of a node\n"
		"continue [TIME]                 run to the end, or until the fabric's time is "
		"TIME\n"
		"back [TIME]                     return to the last stop, or by TIME (10ns)\n"
		"goto TIME                       go on to the fabric's time TIME, or return to "
		"it\n"
		"status [exact]                  time, next event, waiting data; exact: in ps "
		"and bytes\n"
		"help                            this list\n"
		"quit                            end the run here; Ctrl-D does so too\n",
		"");
}

/* the result of a run that was stopped, rewound and stepped is that of one that was not */
TEST(breakpoint__changes_no_result)
{
	ASSERT_STATUS("run|t.yaml|--quiet|--json|a.json|--events|a.csv|--record|a", 0);
	file_write("script", "step\nstep 3us\nback\nstatus\ngoto 1us\nshow s1 ifct\n");
	ASSERT_STATUS("run|t.yaml|--quiet|--json|b.json|--events|b.csv|--record|b|--break-at|5us|"
		      "--script|script",
		      0);
	ck_assert_int_eq(system("cmp a.json b.json && cmp a.csv b.csv"), 0);
	/* a pipe keeps what was written */
	file_write("script", "back 1us\n");
	ASSERT_STATUS("run|t.yaml|--quiet|--events|-|--break-at|5us|--script|script", 2);
	ck_assert_str_eq(said,
			 AT_5 "script:1: back: this run cannot be repeated, because a capture "
			      "or --events is a pipe or a device, which keeps what was "
			      "written\n");
	/* commands come from standard input, too */
	ck_assert_int_eq(heddle_given("run|t.yaml|--quiet|--break-at|5us", "step 1us\nstp\n"), 2);
	ck_assert_str_eq(printed, AT_5 AT_6);
	ck_assert_str_eq(said, "standard input:2: there is no command 'stp' - did you mean "
			       "'step'?; 'help' lists them\n");
	ck_assert_int_eq(heddle_given("run|t.yaml|--quiet|--break-at|5us|--script|-", "step 1us\n"),
			 0);
	ck_assert_str_eq(printed, AT_5 AT_6);
}

/* nothing of a stopped run is a result, unless it is interrupted: then so far */
TEST(breakpoint__quits)
{
	file_write("script", "quit\n");
	ASSERT_STATUS("run|t.yaml|--break-at|5us|--script|script", 130);
	ASSERT_HAS(printed, "t: 2 switches, 3 NICs, 4 links; virtual clock, seed 1");
	ASSERT_HAS(printed, "interrupted");
	/* at the time of the end */
	file_write("script", "status\n");
	ASSERT_STATUS("run|t.yaml|--quiet|--break-at|10s|--script|script", 0);
	ASSERT_HAS(printed, "at 100020.000 us; no event is left;");
}

/* Ctrl-C ends a script, and the run, in the middle of a step that has no end */
TEST(breakpoint__script_is_interrupted)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	file_write("script", "status\nstep 3000s\nstatus\nquit\n");
	pid = heddle_start("run|t.yaml|--quiet|--pack=1|--break-at|5us|--script|script|"
			   "--set|run.duration=3600s|--set|expect=[lost == 0]",
			   in);
	close(in);
	while (!file_has(".out", "at 5.000 us; "))
		usleep(1000);
	ck_assert_int_eq(kill(pid, SIGINT), 0);
	ck_assert_int_eq(heddle_await(pid), 130);
	ck_assert_uint_eq(times(printed, "at 5.000 us; "), 2);
	ck_assert_uint_eq(times(printed, "next event at "), 2);
}

/* ---- at a terminal ---- */

#define PROMPT "heddle> "
#define AT_5_SHOWN "at 5.000 us;"

TEST(breakpoint__terminal)
{
	ck_assert_int_eq(heddle_typed("run|t.yaml|--break-at|5us",
				      (const char *const[]){ PROMPT, "step 1us\r", PROMPT, "\r",
							     PROMPT, "stp\r", PROMPT, "help\r",
							     PROMPT, "\004", NULL }),
			 130);
	ASSERT_HAS(printed, "heddle> ");
	ASSERT_HAS(printed, "at 6.000 us; next event at 6.04672 us");
	/* an empty line repeats the step, and a mistake ends nothing */
	ASSERT_HAS(printed, "at 7.000 us; next event at 7.06912 us");
	ASSERT_HAS(printed, "there is no command 'stp' - did you mean 'step'?");
	ASSERT_HAS(printed, "An empty line repeats the last step, TAB completes a word");
	ck_assert(file_has("heddle/history", "step\\0401us"));
	ck_assert(file_has("heddle/history", "help"));
}

TEST(breakpoint__terminal_completes)
{
	ck_assert_int_eq(
		heddle_typed("run|t.yaml|--break-at|5us",
			     (const char *const[]){ PROMPT, "stat\t\r", AT_5_SHOWN, "", PROMPT,
						    "show s\t\t", "s1  s2", "1 if\t\r", "flow_id",
						    "", PROMPT, "set s1 acks.c\t", "ollect", "4\r",
						    PROMPT, "q\t\r", NULL }),
		130);
	ck_assert_uint_eq(times(printed, AT_5_SHOWN), 2);
	ASSERT_HAS(printed, "follow_port");
	ck_assert(file_has("heddle/history", "set\\040s1\\040acks.collect\\0404"));
}

/* ---- slowly ---- */

TEST(slow_view__lines)
{
	ASSERT_STATUS("run|t.yaml|--slow|200us/s", 0);
	ASSERT_HAS(printed, "at 10.000 us; s1 -> s2 91.56 Gb/s, queue 4.212 kB; A -> s1 100.0 "
			    "Gb/s, queue 4.154 kB; s2 -> B 87.68 Gb/s, queue 0 B\n");
	ASSERT_HAS(printed, "ran 22.30 us of fabric time");
	/* where standard output is another one */
	ASSERT_STATUS("run|t.yaml|--slow|200us/s|--json", 0);
	ASSERT_HAS(said, "at 10.000 us; s1 -> s2 91.56 Gb/s");
	ck_assert_int_eq(printed[0], '{');
	ASSERT_STATUS("run|t.yaml|--slow|200us/s|--quiet", 0);
	ck_assert_str_eq(printed, "");
}

TEST(slow_view__picture)
{
	ck_assert_int_eq(heddle_typed("run|t.yaml|--slow|100us/s", (const char *const[]){ NULL }),
			 0);
	ASSERT_HAS(printed, "\033[?7lt at 5.000 us of 20.000 us, 100.0 us per second; queue bars: "
			    "10.00 kB\033[K\r\n");
	ASSERT_HAS(printed, "s1 -> s2  88.06 Gb/s  ");
	ASSERT_HAS(printed, "A -> s1   100.0 Gb/s  ");
	ASSERT_HAS(printed, "  4.154 kB  ");
	/* over what was drawn before: two lines of the head, four ports */
	ASSERT_HAS(printed, "\033[J\033[?7h\033[?7l\033[6A\rt at 25.000 us of");
}

/* ---- flows of fabrics with queues ---- */

/* the script @script at 5 us in a fabric of this kind, with a second flow that meets the first */
static int shown(const char *kind, const char *script)
{
	char line[256];

	file_write("script", script);
	snprintf(line, sizeof(line),
		 "run|t.yaml|--quiet|--pack=1|--break-at|5us|--script|script|--set|fabric=%s|--set|"
		 "workloads.w.pairs=[[A, B], [C, B]]",
		 kind);
	return heddle(line);
}

TEST(show_flow__queues)
{
	ck_assert_int_eq(shown("roce", "show flow A B\n"), 0);
	ASSERT_HAS(printed, "A -> B, workload w, class best-effort, slot ");
	ASSERT_HAS(printed,
		   "\nnode  input_port  input_peer  output_port  output_peer  waiting_bytes  "
		   "unacknowledged_bytes  held_by\n"
		   "A     -           -           p0           s1                       0         "
		   "         8192  -\n"
		   "s1    p0          A           p1           s2                       0         "
		   "            -  -\n"
		   "s2    p2          s1          p0           B                        0         "
		   "            -  -\n");
	ck_assert_int_eq(shown("port-group", "show flow A B\nshow flow C B --json\n"), 0);
	ASSERT_HAS(printed,
		   "\nA     -           -           p0           s1                    4154   "
		   "                  -  its turn on the link\n"
		   "s1    p0          A           p1           s2                       0   "
		   "                  -  -\n"
		   "s2    p2          s1          p0           B                    29368   "
		   "                  -  its turn in the queue to B\n");
	ASSERT_HAS(printed,
		   "          \"node\": \"s2\",\n          \"input_port\": 1,\n          "
		   "\"input_peer\": \"C\",\n          \"output_port\": 0,\n          "
		   "\"output_peer\": \"B\",\n          \"waiting_bytes\": 21060,\n          "
		   "\"unacknowledged_bytes\": null,\n          \"held_by\": \"its turn in "
		   "the queue to B\"\n");
}

TEST_RANGE(show_flow__mistakes, 0, 3)
{
	static const char *const kinds[] = { "flow-channel", "roce", "port-group" };

	ck_assert_int_eq(shown(kinds[_i], "show flow A s1\n"), 2);
	ck_assert_str_eq(said, "script:1: s1 is a switch: a flow is from one host to another\n");
	ck_assert_int_eq(shown(kinds[_i], "show flow A Z\n"), 2);
	ck_assert_str_eq(said, "script:1: there is no host 'Z'\n");
	ck_assert_int_eq(shown(kinds[_i], "show flow A\n"), 2);
	ck_assert_str_eq(said, "script:1: show flow needs two hosts, e.g. 'show flow h1 h5'\n");
	ck_assert_int_eq(shown(kinds[_i], "show flow A B C\n"), 2);
	ck_assert_str_eq(said, "script:1: show takes a node, a table and perhaps a port, no 'C'\n");
	ck_assert_int_eq(shown(kinds[_i], "show flow B A\n"), 2);
	ck_assert_str_eq(said, "script:1: no flow from B to A now; B sends nothing\n");
	ck_assert_int_eq(shown(kinds[_i], "show flow A C\n"), 2);
	ck_assert_str_eq(said, "script:1: no flow from A to C now; there are flows to B\n");
}

/* each hop says what holds the flow there */
TEST(show_flow__holds)
{
	file_write("script", "show flow A B\n");
	ASSERT_STATUS(
		"run|t.yaml|--quiet|--break-at|12us|--script|script|--set|workloads.w.pairs=[[A, "
		"B], [C, B]]|--set|faults=[{at: 10us, link: [s1, s2], for: 50us}]",
		0);
	ASSERT_HAS(printed, "pause of this flow by s1 (FGFC)\n");
	ASSERT_HAS(printed, "a change of its path: until all that it sent is acknowledged\n");
	ASSERT_HAS(printed, "its turn at the output to B\n");
	ASSERT_STATUS(
		"run|t.yaml|--quiet|--break-at|5us|--script|script|--set|workloads.w.pairs=[[A, "
		"B], [C, B]]|--set|fabric=roce|--set|links.rate=1Gb/s",
		0);
	ASSERT_HAS(printed, "its turn on the link\n");
	ASSERT_HAS(printed, "4158                     -  its turn in the queue to B\n");
}
