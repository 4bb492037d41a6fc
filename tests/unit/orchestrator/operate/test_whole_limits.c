/*  orchestrator/operate, orchestrator/live: what is refused before a fabric starts, and commands at
 *  the limit of what they show or start (DU-1, DU-4, SC-5). */
#include "tests/unit/orchestrator/whole_fabric.h"

#define TWO                                                                                  \
	"name: u\ntopology:\n  switches: [s1, s2]\n  hosts: {A: s1, B: s2}\n  links: [[s1, " \
	"s2]]\n  machines: {a: [s1], b: [s2]}\nlinks: {rate: 100Mb/s, delay: 1ms}\n"

#define MACHINES "|--machines|a=127.0.0.1:7,b=127.0.0.1:8|--machine|a|--key|key"

static void setup(void)
{
	fabric_setup();
	file_write("u.yaml", TWO);
	file_write("key", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n");
}

TEST_GROUP(whole_limits, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* ---- up ---- */

TEST(up__several_machines)
{
	ASSERT_STATUS("up|u.yaml" MACHINES "|--dilate|2", 2);
	ASSERT_HAS(said, "heddle up: time cannot be dilated on several machines: the network "
			 "between them is not\n");
	ASSERT_STATUS("up|u.yaml" MACHINES "|--pack|2", 2);
	ASSERT_HAS(said, "heddle up: nodes are not packed on several machines\n");
	ck_assert(!file_there("run/u"));
}

TEST(up__values_of_options)
{
	ASSERT_STATUS("up|u.yaml|--poll|2s", 2);
	ck_assert_str_eq(said, "heddle up: --poll takes 0s to 1s, not '2s'\n");
	ASSERT_STATUS("up|u.yaml|--name|-a", 2);
	ck_assert(!file_there("run"));
	ASSERT_STATUS("up|u.yaml|--name|a.name-of-thirty-two-letters-here", 2);
	ck_assert_str_eq(said, "heddle up: --name: 'a.name-of-thirty-two-letters-here' is not a "
			       "valid name: 1 to 31 letters, digits, '_', '-', '.', no '.' or '-' "
			       "first\n");
}

/* a folder that cannot be used: what the daemon says of it is the command's */
TEST(up__runtime_folder_of_others)
{
	ck_assert(!mkdir("run", 0755) && !chmod("run", 0755));
	ASSERT_STATUS("up|u.yaml", 4);
	ASSERT_HAS(said, "run is open to others (mode 755); expected 700: chmod 700 ");
	ASSERT_STATUS("ps", 2);
	ASSERT_HAS(said, "heddle ps: ");
	ASSERT_HAS(said, "run is open to others (mode 755); expected 700: chmod 700 ");
}

/* also the end of a long sentence */
TEST(up__runtime_folder_with_a_long_name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/heddle-is-not-here/%0200d/%0200d/%0200d/%0200d/%0200d", 1, 2,
		 3, 4, 5);
	setenv("HEDDLE_RUNTIME_DIR", path, 1);
	ASSERT_STATUS("up|u.yaml", 4);
	ASSERT_HAS(said, ": No such file or directory; set HEDDLE_RUNTIME_DIR\n");
}

/* the fabric is ended while its hosts are awaited */
TEST(up__ended_before_it_is_healthy)
{
	int in, status;
	pid_t pid, other;

	file_write("q.yaml",
		   "name: u\ntopology:\n  switches: [s1]\n  hosts:\n    A: {switch: s1, health: "
		   "{run: 'exit 1', every: 10ms, within: 3600s}}\n    B: s1\nlinks: {rate: "
		   "100Mb/s, delay: 1ms}\n");
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid = heddle_start("up|q.yaml", in);
	close(in);
	while (!file_has(".err", "waits until 1 host is healthy")) {
		siginfo_t ended = { 0 };

		ck_assert_int_eq(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
		if (ended.si_pid) {
			heddle_await(pid);
			ck_assert_msg(strstr(said, "namespace") != NULL, "%s", said);
			printf("skipped, needs namespaces: %s\n", said);
			return;
		}
		usleep(10000);
	}
	other = fork();
	if (!other) {
		int out = open("/dev/null", O_WRONLY | O_CLOEXEC);

		whole_exec("down|u", out, out, out);
	}
	ck_assert_int_eq(waitpid(other, &status, 0), other);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(heddle_await(pid), 4);
	ASSERT_HAS(said, "heddle up: fabric u has ended\n");
	ASSERT_HAS(printed, "fabric u runs: 2 hosts, 1 switch, 2 links\n");
	ck_assert(!file_there("run/u"));
}

/* ---- ping-all ---- */

/* no more lines than a screen has; the count is of all. ping is a program of the test. */
TEST(ping_all__many_that_do_not_answer)
{
	char ping[PATH_MAX], path[PATH_MAX + 64];

	file_write("n.yaml",
		   "name: u\ntopology:\n  switches: [s1]\n  hosts: {A: s1, B: s1, C: s1, D: s1, E: "
		   "s1, F: s1}\nlinks: {rate: 100Mb/s, delay: 1ms}\n");
	whole_path(ping, "ping");
	file_write(ping, "#!/bin/sh\nexit 1\n");
	ck_assert_int_eq(chmod(ping, 0755), 0);
	if (!up("up|n.yaml"))
		return;
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", whole_programs);
	setenv("PATH", path, 1);
	ASSERT_STATUS("ping-all", 1);
	ck_assert_uint_eq(times(printed, "  no answer\n"), 20);
	ck_assert_uint_eq(times(printed, "... and more\n"), 1);
	ASSERT_HAS(printed, "\n0 of 30 pairs answer\n");
	/* of those that are named, the pairs between them */
	ASSERT_STATUS("ping-all|--hosts|[AB]|--json", 1);
	ck_assert_uint_eq(times(printed, "\"ms\": null"), 2);
	ASSERT_LACKS(printed, "\"F\"");
	/* without the program there is no answer of any */
	setenv("PATH", "/no/such", 1);
	ck_assert_int_eq(heddle("ping-all|--hosts|[AB]"), 4);
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	ASSERT_HAS(said, "heddle ping-all: A: ping is not installed\n");
	ASSERT_HAS(said, "heddle ping-all: B: ping is not installed\n");
	ck_assert_str_eq(printed, "");
	down();
}

/* ---- prompt ---- */

/* 64 programs in the background, and no more */
TEST(prompt__programs_in_the_background)
{
	char lines[8192] = "";

	file_write("s.yaml", "name: u\ntopology:\n  switches: [s1]\n  hosts: {A: s1, B: s1}\n"
			     "links: {rate: 100Mb/s, delay: 1ms}\n");
	if (!up("up|s.yaml"))
		return;
	for (unsigned i = 0; i < 65; i++)
		strcat(lines, "A sleep 1000 &\n");
	ck_assert_int_eq(heddle_given("prompt", lines), 2);
	ck_assert_str_eq(said, "heddle prompt: at most 64 programs in the background\n");
	down();
}

/* ---- time ---- */

/* the library for programs is not beside this heddle */
TEST(up__dilated_without_its_library)
{
	ck_assert_int_eq(heddle("up|u.yaml|--dilate|2"), 4);
	if (strstr(said, "namespace")) {
		printf("skipped, needs namespaces: %s\n", said);
		return;
	}
	ASSERT_HAS(said, "heddle up: cannot find libheddle-dilate.so beside heddle\n");
	ck_assert(!file_there("run/u"));
}
