/*  orchestrator/tunnel, live/live_tunnel, operate/up_machines: a fabric on two machines, which
 *  here are two daemons that reach each other over the loopback interface
 *  (SC-5).
 *
 *    machine a: A - s1 ~~~~~ UDP ~~~~~ s2 - B, C: machine b */
#include "tests/unit/orchestrator/whole_heddle.h"

#include <netinet/in.h>
#include <sched.h>

#define KEY "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define OTHER "10112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static unsigned ports[2];
static char machines[64];

/* a port of UDP that is free now */
static unsigned port_draw(int *fd)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6 };
	socklen_t length = sizeof(address);

	*fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(*fd, (struct sockaddr *)&address, length), 0);
	ck_assert_int_eq(getsockname(*fd, (struct sockaddr *)&address, &length), 0);
	return ntohs(address.sin6_port);
}

static void setup(void)
{
	int fds[2];

	whole_setup();
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* as in hosts: see test_whole_fabric.c */
	for (unsigned i = 0; i < 2; i++)
		ports[i] = port_draw(&fds[i]);
	close(fds[0]);
	close(fds[1]);
	snprintf(machines, sizeof(machines), "a=127.0.0.1:%u,b=127.0.0.1:%u", ports[0], ports[1]);
	file_write("u.yaml", "name: u\ntopology:\n  switches: [s1, s2]\n"
			     "  hosts: {A: s1, B: s2, C: s2}\n  links: [[s1, s2]]\n"
			     "  machines: {a: [s1], b: [s2]}\n"
			     "links: {rate: 100Mb/s, delay: 5ms}\n");
	file_write("key", KEY);
	file_write("other", OTHER);
}

TEST_GROUP(whole_tunnel, .setup_once = whole_begin, .teardown_once = whole_end, .setup = setup,
	   .teardown = whole_teardown);

/* what follows is done on this machine */
static void on(const char *machine)
{
	char run[PATH_MAX];

	snprintf(run, sizeof(run), "%s/%s.run", whole_folder, machine);
	setenv("HEDDLE_RUNTIME_DIR", run, 1);
}

/* starts the machine's part; what it says goes to the file of its name */
static pid_t start(const char *machine, const char *key, const char *more)
{
	char line[512];
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out;
	pid_t pid;

	on(machine);
	snprintf(line, sizeof(line), "up|u.yaml|--machines|%s|--machine|%s|--key|%s%s", machines,
		 machine, key, more);
	out = open(machine, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	pid = fork();
	if (!pid)
		whole_exec(line, in, out, out);
	close(in);
	close(out);
	return pid;
}

static int end_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* until the machine has said this */
static void waits(const char *machine, const char *part)
{
	while (!file_has(machine, part))
		usleep(20000);
}

/* until the command on the machine ends well and prints this */
static void until(const char *machine, const char *line, const char *part)
{
	on(machine);
	while (heddle(line) || !strstr(printed, part))
		usleep(50000);
}

/* both parts run; false: the kernel forbids namespaces */
static bool both_start(void)
{
	pid_t a = start("a", "key", ""), b = start("b", "key", "");
	int ends[2] = { end_of(a), end_of(b) };
	char *text = file_read("a");
	bool forbidden = ends[0] && strstr(text, "namespace");

	ck_assert_msg(forbidden || (!ends[0] && !ends[1]), "%s", text);
	free(text);
	return !forbidden;
}

static void both_down(void)
{
	on("a");
	ASSERT_STATUS("down", 0);
	on("b");
	ASSERT_STATUS("down", 0);
	ck_assert(!file_there("a.run/u") && !file_there("b.run/u"));
}

/* ---- wrong words ---- */

TEST(machines__refused)
{
	ASSERT_STATUS("up|u.yaml|--machines|a|--machine|a|--key|key", 2);
	ck_assert_str_eq(said, "heddle up: --machines: expected two machines or more, such as "
			       "a=10.0.0.1,b=10.0.0.2\n");
	ASSERT_STATUS("up|u.yaml|--machines|a=1.2.3.4,b=1.2.3.5|--machine|a", 2);
	ASSERT_HAS(said, "openssl rand -hex 32");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1,b=127.0.0.2|--machine|c|--key|key", 2);
	ASSERT_HAS(said, "c");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1,a=127.0.0.2|--machine|a|--key|key", 2);
	ck_assert_str_eq(said, "heddle up: --machines names a twice\n");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1:0,b=127.0.0.2|--machine|b|--key|key", 2);
	ck_assert_str_eq(said, "heddle up: --machines: 'a=127.0.0.1:0' is no machine: expected "
			       "NAME, NAME=ADDRESS or NAME=ADDRESS:PORT\n");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1:65536,b=127.0.0.2|--machine|b|--key|key",
		      2);
	ck_assert_str_eq(said, "heddle up: --machines: 'a=127.0.0.1:65536' is no machine: expected "
			       "NAME, NAME=ADDRESS or NAME=ADDRESS:PORT\n");
	ASSERT_STATUS("up|u.yaml|--machines|a/=127.0.0.1,b=127.0.0.2|--machine|b|--key|key", 2);
	ck_assert_str_eq(said, "heddle up: --machines: 'a/=127.0.0.1' is no machine: expected "
			       "NAME, NAME=ADDRESS or NAME=ADDRESS:PORT\n");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1,b=127.0.0.2|--machine|a|--key|none", 2);
	ASSERT_HAS(said, "none");
	file_write("short", "12");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1,b=127.0.0.2|--machine|a|--key|short", 2);
	ck_assert_str_eq(said, "heddle up: --key: short is no key: expected 64 hexadecimal digits, "
			       "as from 'openssl rand -hex 32'\n");
	file_write("short", KEY "0");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1,b=127.0.0.2|--machine|a|--key|short", 2);
	file_write("short", "g0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1,b=127.0.0.2|--machine|a|--key|short", 2);
	ASSERT_STATUS("up|u.yaml|--machines|a=127.0.0.1,c=127.0.0.2|--machine|a|--key|key", 2);
	ASSERT_HAS(said,
		   "u.yaml:6:13: 'machines' puts switch s2 on b, which --machines does not name\n");
	ASSERT_STATUS("up|u.yaml|--machine|a", 2);
	ck_assert_str_eq(said, "heddle up: --machine and --key need --machines\n");
	ck_assert(!file_there("run/u"));
}

/* ---- starts that wait ---- */

static void given_up(pid_t a, pid_t b)
{
	kill(a, SIGTERM);
	kill(b, SIGTERM);
	ck_assert_int_ne(end_of(a), 0);
	ck_assert_int_ne(end_of(b), 0);
	for (const char *const *m = (const char *const[]){ "a", "b", NULL }; *m; m++) {
		on(*m);
		while (heddle("down|--all") || heddle("ps") ||
		       strncmp(printed, "no fabric runs", 14) != 0)
			usleep(50000);
	}
}

TEST(machines__another_key_opens_nothing)
{
	pid_t a = start("a", "key", ""), b = start("b", "other", "");

	waits("a", "heddle up: waiting for machine b (127.0.0.1:");
	waits("a", "not sealed with this key");
	given_up(a, b);
}

TEST(machines__another_scenario_is_named)
{
	pid_t a = start("a", "key", ""), b = start("b", "key", "|--set|links.delay=6ms");

	waits("a", "it has another scenario, other settings");
	given_up(a, b);
}

/* ---- a fabric ---- */

TEST(machines__hosts_reach_each_other)
{
	if (!both_start())
		return;
	ck_assert(file_has("a", "fabric u runs: 1 host, 2 switches, 4 links\n"
				"  A            10.0.0.1        fd48::1\n"));
	ck_assert(file_has("b", "fabric u runs: 2 hosts, 2 switches, 4 links\n"));
	on("a");
	/* until the manager has the link */
	until("a", "exec|A|--|ping|-c|1|-W|1|B", "1 received");
	/* a frame that is longer than the datagrams of a path of 1500 bytes */
	until("a", "exec|A|--|ping|-c|1|-W|1|-s|3500|C", "1 received");
	ASSERT_STATUS("exec|B|--|true", 1);
	ASSERT_HAS(said, "B runs on machine b");
	ASSERT_STATUS("exec|A|--|grep|-c|10.0.0.3|/etc/hosts", 0);
	ASSERT_STATUS("ps|u", 0);
	ASSERT_HAS(printed, "machines   a        1 host, this one\n           b        2 hosts, 1 "
			    "link to it: connected at 127.0.0.1:");
	ASSERT_HAS(printed, "\ntunnel  tunnel:b ");
	ASSERT_HAS(printed, " connected ");
	ASSERT_STATUS("ps|u|--json", 0);
	ASSERT_HAS(printed, "\"sent_frames\": ");
	ASSERT_LACKS(printed, "\"sent_frames\": 0,");
	ASSERT_LACKS(printed, "\"received_frames\": 0,");
	/* a link is cut at one side: the other one follows */
	ASSERT_STATUS("link|s1:s2|down", 0);
	until("b", "ps|u", "2 switches, 0 links between them");
	ASSERT_STATUS("exec|B|--|ping|-c|1|-W|1|A", 1);
	on("a");
	ASSERT_STATUS("link|s1:s2|up", 0);
	until("b", "ps|u", "2 switches, 1 links between them");
	until("b", "exec|B|--|ping|-c|1|-W|1|A", "1 received");
	both_down();
}

/* A machine that has ended is named by the other one; when it is back, they are joined again. */
TEST(machines__one_ends)
{
	if (!both_start())
		return;
	on("b");
	ASSERT_STATUS("down", 0);
	until("a", "ps|u", "ended");
	ASSERT_HAS(printed, "b        2 hosts");
	ck_assert_int_eq(end_of(start("b", "key", "")), 0);
	until("a", "exec|A|--|ping|-c|1|-W|1|B", "1 received");
	both_down();
}
