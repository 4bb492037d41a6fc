/*  orchestrator/operate, orchestrator/live: a running fabric with its daemon, nodes and hosts, and
 *  the commands that ask it (DU-1, DU-3, TB-15).
 *
 *  A -- s1 -- s2 -- B, C under the real clock. Nothing that depends on the speed of the machine is
 *  judged. */
#include "tests/unit/orchestrator/whole_fabric.h"

#define NET                                                                          \
	"topology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2, C: s2}\n  links: " \
	"[[s1, s2]]\nlinks: {rate: 100Mb/s, delay: 1ms}\n"

static void setup(void)
{
	fabric_setup();
	file_write("u.yaml", "name: u\n" NET);
}

TEST_GROUP(whole_fabric, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* ---- up and down ---- */

TEST(up__says_what_runs)
{
	if (!up("up|u.yaml"))
		return;
	ck_assert_str_eq(printed,
			 "fabric u runs: 3 hosts, 2 switches, 4 links\n"
			 "  A            10.0.0.1        fd48::1\n"
			 "  B            10.0.0.2        fd48::2\n"
			 "  C            10.0.0.3        fd48::3\n"
			 "try: heddle exec -f u A -- ping -c 3 C; heddle ps u; heddle down "
			 "u\n");
	ASSERT_STATUS("up|u.yaml", 4);
	ASSERT_HAS(said, "heddle up: a fabric 'u' is running; end it with 'heddle down u', or give "
			 "another --name\n");
	ASSERT_STATUS("ps", 0);
	ASSERT_HAS(printed, "fabric     u, from ");
	ASSERT_HAS(printed, "nodes      3 hosts, 2 switches, 4 links\n");
	ASSERT_HAS(printed, "standby; swept ");
	ASSERT_HAS(printed, ": 2 switches, 1 links between them, 3 hosts\n");
	ASSERT_STATUS("ps|u", 0);
	ASSERT_HAS(printed, "\nswitch  s1 ");
	ASSERT_HAS(printed, "\nnic     C  ");
	ck_assert_uint_eq(times(printed, " running "), 5);
	/* a second one beside it, by another name, for programs */
	ASSERT_STATUS("up|u.yaml|--name|v|--json", 0);
	ASSERT_HAS(printed, "\"fabric\": \"v\"");
	ASSERT_HAS(printed, "\"10.0.0.3\"");
	ASSERT_STATUS("ps", 0);
	ASSERT_HAS(printed, "\n\nfabric     v, from ");
	ASSERT_STATUS("exec|A|--|true", 2);
	ASSERT_HAS(said, "heddle exec: ");
	ASSERT_STATUS("down|v", 0);
	ASSERT_HAS(printed, "fabric v has ended\n");
	ASSERT_HAS(printed, "fidelity ");
	ASSERT_STATUS("down|--json", 0);
	ASSERT_HAS(printed, "\"u\"");
	ASSERT_STATUS("down", 0);
	ck_assert_str_eq(printed, "no fabric runs\n");
	ASSERT_STATUS("ps", 0);
	ck_assert_str_eq(printed, "no fabric runs; start one with 'heddle up SCENARIO'\n");
	ck_assert(!file_there("run/u") && !file_there("run/v"));
}

TEST(up__refused)
{
	ASSERT_STATUS("up|none.yaml", 2);
	ASSERT_HAS(said, "none.yaml: cannot be read");
	ASSERT_STATUS("up|u.yaml|--set|links.rate=1", 2);
	ASSERT_HAS(said, "lacks its unit");
	ASSERT_STATUS("up|u.yaml|--name|a/b", 2);
	ASSERT_HAS(said, "--name: 'a/b' is not a valid name");
	ASSERT_STATUS("up|u.yaml|--dilate|0", 2);
	ASSERT_STATUS("down|u", 0);
	ASSERT_STATUS("exec|A|--|true", 2);
	ck_assert_str_eq(said,
			 "heddle exec: no fabric runs; start one with 'heddle up SCENARIO'\n");
	ASSERT_STATUS("exec|-f|u|A|--|true", 2);
	ASSERT_HAS(said, "u");
	ck_assert(!file_there("run/u"));
}

/* ---- programs ---- */

TEST(exec__in_one_host_and_in_many)
{
	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("exec|A|--|sh|-c|exit 7", 7);
	ASSERT_STATUS("exec|A|--|sh|-c|kill -9 $$", 128 + 9);
	ASSERT_STATUS("exec|A|--|/no/such", 126);
	ASSERT_HAS(said, "/no/such");
	ASSERT_STATUS("exec|A|--|sh|-c|hostname; echo $HEDDLE_FABRIC $HEDDLE_HOST; echo no >&2", 0);
	ck_assert_str_eq(printed, "A\nu A\n");
	ck_assert_str_eq(said, "no\n");
	ck_assert_int_eq(heddle_given("exec|B|--|cat", "given\n"), 0);
	ck_assert_str_eq(printed, "given\n");
	ASSERT_STATUS("exec|D|--|true", 1);
	ASSERT_HAS(said, "heddle exec: fabric u has no node 'D'; 'heddle ps u' lists them\n");
	ASSERT_STATUS("exec|A", 2);
	ASSERT_STATUS("exec|--all|--|hostname", 0);
	/* in the order in which they end */
	ck_assert_uint_eq(strlen(printed), strlen("A | A\nB | B\nC | C\n"));
	ASSERT_HAS(printed, "A | A\n");
	ASSERT_HAS(printed, "B | B\n");
	ASSERT_HAS(printed, "C | C\n");
	ASSERT_STATUS("exec|--hosts|[BC]|--|sh|-c|echo to; echo err >&2; test $HEDDLE_HOST = B", 1);
	ASSERT_HAS(printed, "B | to\n");
	ASSERT_HAS(printed, "C | to\n");
	ASSERT_HAS(said, "C | err\n");
	ASSERT_LACKS(printed, "A | ");
	ASSERT_STATUS("exec|--all|--json|--|sh|-c|echo $HEDDLE_HOST; test $HEDDLE_HOST = A", 1);
	ASSERT_HAS(printed, "\"host\": \"B\"");
	ASSERT_HAS(printed, "\"A\\n\"");
	ASSERT_STATUS("exec|--hosts|X*|--|true", 2);
	ck_assert_str_eq(said, "heddle exec: no host of fabric u is called like 'X*'\n");
	/* the network of the host: frames cross the fabric */
	ASSERT_STATUS("exec|A|--|ping|-c|1|-W|60|B", 0);
	ASSERT_HAS(printed, "1 received");
	/* the switch has the ends of veth links, of which there are none */
	ASSERT_STATUS("exec|s1|--|true", 0);
	setenv("SHELL", "/no/shell", 1);
	ck_assert_int_eq(heddle_given("shell|A", "echo \"of $0\"\n"), 0);
	ck_assert_str_eq(printed, "of /bin/sh\n");
	unsetenv("SHELL");
	ck_assert_int_eq(heddle_given("shell|A", "hostname\nexit 3\n"), 3);
	ck_assert_str_eq(printed, "A\n");
	down();
}

TEST(ping_all__each_pair)
{
	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("ping-all", 0);
	ASSERT_HAS(printed, "6 of 6 pairs answer, the first time within ");
	ASSERT_STATUS("ping-all|--json", 0);
	ASSERT_HAS(printed, "\n    \"ms\": ");
	ASSERT_HAS(printed, "\"from\": \"C\"");
	/* what does not answer is named: B and C reach each other only */
	ASSERT_STATUS("link|s1:s2|down", 0);
	ASSERT_HAS(printed, "3     s1:1 - s2:2                   down ");
	ASSERT_STATUS("ping-all|--wait|5", 1);
	ASSERT_HAS(printed, "2 of 6 pairs answer");
	ASSERT_HAS(printed, "A");
	ASSERT_STATUS("ping-all|--wait|5|--json", 1);
	ASSERT_HAS(printed, "\"from\": \"C\",\n    \"to\": \"B\",\n    \"ms\": ");
	ck_assert_uint_eq(times(printed, "\"ms\": null"), 4);
	down();
}

TEST(prompt__lines)
{
	if (!up("up|u.yaml"))
		return;
	ck_assert_int_eq(heddle_given("prompt",
				      "A hostname\nB sleep 1000 &\nnodes\nnet\nps\n\n# none\n"
				      "C sh -c 'exit 5'\n"),
			 5);
	ASSERT_HAS(printed, "A\n");
	ASSERT_HAS(printed, "s1");
	ASSERT_HAS(printed, "fabric     u, from ");
	ck_assert_int_eq(heddle_given("prompt|u", "links\ndump\nexit\nA false\n"), 0);
	ASSERT_HAS(printed, "3     s1:1 - s2:2                   up ");
	ASSERT_HAS(printed, "nic     C ");
	ck_assert_int_eq(heddle_given("prompt", "nothing at all\n"), 2);
	ASSERT_HAS(said, "nothing");
	ASSERT_STATUS("prompt|v", 2);
	down();
}

/* ---- changes ---- */

TEST(link__changes)
{
	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("link", 0);
	ASSERT_HAS(printed,
		   "\n0     A:0 - s1:0                    up        100.0 Mb/s    1.000 ms ");
	ASSERT_STATUS("link|s1:s2|set|rate=10Mb/s|loss=1%|--towards|s2", 0);
	ASSERT_STATUS("link|s1:s2", 0);
	ASSERT_HAS(printed, "10.00 Mb/s");
	ASSERT_HAS(printed, "1%");
	ASSERT_STATUS("link|s1:s9|down", 1);
	ASSERT_HAS(said, "s9");
	ASSERT_STATUS("link|s1:s2|set|rates=1Mb/s", 2);
	ASSERT_HAS(said, "rates");
	ASSERT_STATUS("link|s1:s2|down", 0);
	ASSERT_STATUS("link|s1:s2|up", 0);
	ASSERT_HAS(printed, " up ");
	ASSERT_STATUS("set|s1|acks.collect|4", 0);
	ASSERT_STATUS("set|s1|acks.collect|400", 1);
	ASSERT_HAS(said, "out of range");
	ASSERT_STATUS("show|s1|ports", 0);
	ASSERT_HAS(printed, "s2");
	ASSERT_STATUS("show|s1|nothing", 1);
	ASSERT_HAS(said, "s1 has no table 'nothing'");
	ASSERT_STATUS("save|-", 0);
	ASSERT_HAS(printed, "\n    A: {switch: s1}\n");
	ASSERT_HAS(printed,
		   "    - {between: [s1, s2], rate: 10Mb/s, loss: 1%, towards: {s1: {rate: "
		   "100Mb/s, loss: 0}}}\n");
	ASSERT_HAS(printed,
		   "# heddle save: not in a scenario: heddle set s1 acks.collect 4\nname: u\n");
	down();
}

TEST(add__and_remove)
{
	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("add|host|D|s1", 0);
	ASSERT_HAS(printed, "D");
	ASSERT_HAS(printed, "10.0.0.4");
	ASSERT_STATUS("exec|D|--|ping|-c|1|-W|60|C", 0);
	ASSERT_STATUS("add|host|D|s1", 1);
	ASSERT_HAS(said, "D");
	ASSERT_STATUS("add|host|E|s9", 1);
	ASSERT_HAS(said, "s9");
	ASSERT_STATUS("add|switch|s3|s1|s2", 0);
	ASSERT_STATUS("link", 0);
	ASSERT_HAS(printed, "\n6     s3:1 - s2:3                   up ");
	ASSERT_STATUS("link|s1:s2|down", 0);
	/* by the new switch */
	ASSERT_STATUS("exec|D|--|ping|-c|1|-W|60|C", 0);
	ASSERT_STATUS("remove|s1", 1);
	ASSERT_HAS(said, "s1");
	ASSERT_STATUS("remove|D", 0);
	ASSERT_STATUS("exec|D|--|true", 1);
	ASSERT_STATUS("remove|s3", 0);
	ASSERT_STATUS("save|s.yaml", 0);
	ck_assert(file_has("s.yaml", "    B: {switch: s2}\n") && !file_has("s.yaml", "s3"));
	ck_assert(file_has("s.yaml", "faults: [{at: 0ps, link: [s1, s2]}]") ||
		  file_has("s.yaml", "link: [s1, s2]"));
	ASSERT_STATUS("add|link|s1|s2", 0);
	down();
}

/* a network namespace that exists becomes a host, and keeps what it had */
TEST(attach__of_a_process)
{
	char line[128];
	int pipes[2];
	pid_t pid;

	if (!up("up|u.yaml"))
		return;
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
			_exit(1);
		(void)!write(pipes[1], "", 1);
		for (;;)
			pause();
	}
	close(pipes[1]);
	if (read(pipes[0], line, 1) == 1) {
		snprintf(line, sizeof(line), "attach|X|s1|--pid|%d", (int)pid);
		if (!geteuid()) {
			ASSERT_STATUS(line, 0);
			ASSERT_HAS(printed, "10.0.0.4");
			until("ps|u", "nic     X ");
			ASSERT_STATUS("remove|X", 0);
		}
	}
	ASSERT_STATUS("attach|Y|s1|--pid|0", 2);
	ASSERT_STATUS("attach|Y|s1|--netns|/no/such", 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pipes[0]);
	down();
}

/* ---- workloads and faults ---- */

TEST(load__and_faults)
{
	file_write("w.yaml",
		   "name: u\n" NET
		   "workloads:\n  - {name: w, pattern: pairs, pairs: [[A, B]], size: 1KiB, "
		   "load: 1%, arrival: poisson}\n"
		   "faults: [{at: 1000s, link: [s1, s2], for: 5s}]\n");
	if (!up("up|w.yaml"))
		return;
	ASSERT_STATUS("faults", 0);
	ASSERT_HAS(printed, "1 fault, 0 pauses; the time line is at ");
	ASSERT_HAS(printed, "\n    1  link s1:p1 - s2:p2                    planned    1000.0 s   "
			    "1005.0 s        0        0\n");
	ASSERT_STATUS("faults|stop", 0);
	ASSERT_STATUS("faults|start", 0);
	until("load", " runs ");
	ASSERT_HAS(printed, "\nw     ");
	ASSERT_STATUS("load|stop|w", 0);
	ASSERT_STATUS("load", 0);
	ASSERT_HAS(printed, "stopped");
	ASSERT_STATUS("load|start|w", 0);
	ASSERT_STATUS("load|set|w|load=2.5%", 0);
	ASSERT_STATUS("save|-", 0);
	ASSERT_HAS(printed, "2.5%");
	ASSERT_STATUS("load|start|x", 1);
	ASSERT_HAS(said, "x");
	/* it has sent */
	until("show|flow|A|B", "workload w");
	ASSERT_STATUS("metrics", 0);
	ASSERT_HAS(printed, "heddle_fabric_hosts{fabric=\"u\"} 3\n");
	ASSERT_STATUS("top|-n|1|-d|1", 0);
	ASSERT_HAS(printed, "s1");
	ASSERT_STATUS("top|-n|1|-d|1|--json", 0);
	ASSERT_HAS(printed, "\"u\"");
	ASSERT_STATUS("top|-d|x", 2);
	ASSERT_STATUS("top|-n|0", 2);
	down();
}

/* a node that is killed is dead with its fate, and another one takes its place */
TEST(start__of_a_dead_node)
{
	const char *at;
	int pid;

	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("ps|u", 0);
	at = strstr(printed, "\nswitch  s1 ");
	ck_assert_ptr_nonnull(at);
	pid = atoi(at + strlen("\nswitch  s1 "));
	ck_assert_int_gt(pid, 1);
	ASSERT_STATUS("start|s1", 1);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	until("ps|u", " dead ");
	ASSERT_HAS(printed, "s1");
	ASSERT_STATUS("start|s1", 0);
	until("ps|u", "\nswitch  s1 ");
	ck_assert_uint_eq(times(printed, " running "), 5);
	ASSERT_STATUS("exec|A|--|ping|-c|1|-W|60|C", 0);
	ASSERT_STATUS("start|s9", 1);
	down();
}

/* ---- programs of a scenario ---- */

TEST(up__programs_and_health)
{
	file_write("p.yaml",
		   "name: u\ntopology:\n  switches: [s1]\n  hosts:\n"
		   "    A: {switch: s1, run: ['echo begun; echo err >&2; exec sleep 1000'], env: "
		   "{X: '1'}, health: {run: 'test $X = 1', every: 10ms}}\n"
		   "    B: {switch: s1, run: ['exit 3']}\nlinks: {rate: 100Mb/s, delay: 1ms}\n");
	if (!up("up|p.yaml"))
		return;
	until("log|A", "begun\nerr\n");
	ASSERT_STATUS("log|A|--json", 0);
	ASSERT_HAS(printed, "\"text\": \"begun\\nerr\\n\"");
	until("ps|u", "exit");
	ASSERT_HAS(printed, "sleep 1000");
	ASSERT_STATUS("log|C", 1);
	down();
	file_write("q.yaml",
		   "name: u\ntopology:\n  switches: [s1]\n  hosts:\n    A: {switch: s1, health: "
		   "{run: 'echo sick; exit 1', every: 10ms, within: 100ms}}\n    B: s1\nlinks: "
		   "{rate: 100Mb/s, delay: 1ms}\n");
	ASSERT_STATUS("up|q.yaml", 6);
	ASSERT_HAS(said, "A");
	ASSERT_HAS(said, "sick");
	down();
}

/* ---- captures ---- */

TEST(capture__ends_with_the_fabric)
{
	pid_t pid;
	int in;

	if (!up("up|u.yaml"))
		return;
	ASSERT_STATUS("capture|s1:s9|f", 1);
	ASSERT_HAS(said, "s9");
	ASSERT_STATUS("capture|s1:s2|no/f", 2);
	ASSERT_HAS(said, "no/f");
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid = heddle_start("capture|s1:s2|f.pcapng", in);
	close(in);
	while (!file_there("f.pcapng"))
		usleep(10000);
	for (unsigned i = 0; i < 2; i++) {
		struct stat found = { 0 };
		pid_t other = fork();

		if (!other) {
			ck_assert_int_ge(chdir("/"), 0);
			execl(getenv("WHOLE_HEDDLE"), "heddle", "exec", "A", "--", "ping", "-c",
			      "1", "-W", "60", "-q", "C", NULL);
			_exit(127);
		}
		ck_assert_int_eq(waitpid(other, NULL, 0), other);
		while (!stat("f.pcapng", &found) && found.st_size < 300)
			usleep(10000);
	}
	ck_assert_int_eq(kill(pid, SIGINT), 0);
	ck_assert_int_eq(heddle_await(pid), 0);
	ASSERT_HAS(said, "frames");
	down();
}
