/*  orchestrator/operate/up_health: hosts that are awaited until their checks succeed, and what is
 *  said of one that is not healthy in time (DU-3). The checks run here. */
#include "orchestrator/operate/up_health.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include "orchestrator/base/exit_status.h"
#include "orchestrator/base/human.h"
#include "tests/unit/orchestrator/operate/exec_daemon.h"

#define HOSTS 4u
#define WAITS "heddle up: waits until 1 host is healthy; the fabric runs, also after Ctrl-C\n"

static struct node_config nodes[HOSTS + 1];
static struct scenario_host_settings settings[HOSTS];
static struct plan_host hosts[HOSTS];
static struct plan plan;
static char *argvs[HOSTS][4];

static void setup(void)
{
	testing_input();
	daemon_setup();
	exec_runs();
	other_answer = "{\"programs\": []}\n";
	ck_assert_int_eq(chdir(root), 0);
	plan = (struct plan){ .nodes = nodes,
			      .hosts = hosts,
			      .switch_count = 1,
			      .host_count = HOSTS,
			      .node_count = HOSTS + 1 };
	for (uint32_t i = 0; i < HOSTS; i++) {
		nodes[i + 1].index = i + 1;
		snprintf(nodes[i + 1].name, NODE_NAME_MAX, "%c", 'A' + (int)i);
		settings[i] = (struct scenario_host_settings){ 0 };
		hosts[i].settings = i == 1 ? NULL : &settings[i];
	}
}

static void teardown(void)
{
	exec_ends();
	unlink("file");
	ck_assert_int_eq(chdir("/"), 0);
	daemon_teardown();
}

TEST_GROUP(up_health, .setup = setup, .teardown = teardown);

/* the check of host @host */
static void check_is(uint32_t host, const char *script, node_time_t every, node_time_t within)
{
	char *const argv[] = { "sh", "-c", (char *)script, NULL };

	memcpy(argvs[host], argv, sizeof(argv));
	hosts[host].settings = &settings[host];
	settings[host].health =
		(struct host_health){ .run = { argvs[host], "the check" }, every, within };
}

static int awaits(const char *fabric)
{
	int status;

	said_begin();
	status = up_health_await(fabric, &plan);
	said_end();
	return status;
}

static unsigned lines_of(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* the last thing that is said is this one about a host */
static void healthy(const char *line)
{
	ck_assert_msg(strstr(said, line) != NULL, "%s", said);
	ck_assert_ptr_nonnull(strstr(said, "s\n")); /* after how long */
}

TEST(up_health_await__no_check)
{
	ck_assert_int_eq(awaits("lab"), 0);
	ck_assert_str_eq(said, "");
}

TEST(up_health_await__healthy)
{
	char *variables[] = { strdup("X=1") };

	settings[2].variables = variables;
	settings[2].variable_count = 1;
	check_is(2, "test $X = 1 -a $HEDDLE_HOST = C", NODE_S, 3600 * NODE_S);
	ck_assert_int_eq(awaits("lab"), 0);
	ck_assert_ptr_eq(strstr(said, WAITS "heddle up: host C is healthy after "), said);
	ck_assert_uint_eq(lines_of(said), 2);
	free(variables[0]);
}

/* each until it succeeds; those of other machines are awaited there */
TEST(up_health_await__tries_again)
{
	uint8_t machine_of[HOSTS + 1] = { [4] = 1 };

	plan.machine_of = machine_of;
	check_is(0, "echo x >>file; test $(wc -l <file) -ge 3", 5 * NODE_MS, 3600 * NODE_S);
	check_is(2, "true", NODE_S, 3600 * NODE_S);
	check_is(3, "exit 1", NODE_S, 3600 * NODE_S);
	ck_assert_int_eq(awaits("lab"), 0);
	ck_assert_ptr_eq(strstr(said, "heddle up: waits until 2 hosts are healthy; "), said);
	healthy("heddle up: host A is healthy after ");
	healthy("heddle up: host C is healthy after ");
	ck_assert_uint_eq(lines_of(said), 3);
}

/* The host A is not healthy: waits for as long as it takes that @part is said of its check, however
 * slow this machine is.  Return: the time in words. */
static const char *fails_with(const char *script, const char *part)
{
	static char time[HUMAN_TEXT_MAX];
	node_time_t within = 50 * NODE_MS;

	do {
		within *= 2;
		check_is(0, script, 3600 * NODE_S, within);
		ck_assert_int_eq(awaits("lab"), EXIT_UNHEALTHY);
	} while (!strstr(said, part));
	return human_time(within, time);
}

/* not before the next one is due */
TEST(up_health_await__tries_once)
{
	fails_with("echo x >>file; wc -l <file; rm file; exit 1", "ended with status 1: 1\n");
}

#define LONG                                                                               \
	"00000000000000000000000000000000000000000000000000000000000000000000000000000000" \
	"00000000000000000000000000000000000000000000000000000000000000000000000000000000" \
	"0000000000000000000000000000000000000"

static const struct {
	const char *script, *how;
} failures[] = {
	{ "echo one; echo two; echo; exit 3", "ended with status 3: two" },
	{ "exit 4", "ended with status 4" },
	{ "echo; exit 4", "ended with status 4" },
	{ "kill -9 $PPID", "was killed by signal 9" },
	{ "echo sick >&2; exit 1", "ended with status 1: sick" },
	{ "printf '\\377'; exit 1", "ended with status 1: ?" },
	/* the end of a long line */
	{ "printf '%0198d\\n' 7; exit 1", "ended with status 1: " LONG "7" },
	{ "printf 'x%0198d\\n' 7; exit 1", "ended with status 1: " LONG "7" },
	{ "printf '%0198d' 7; exit 1", "ended with status 1: " LONG "7" },
	{ "printf '%0199d' 7; exit 1", "ended with status 1: 0" LONG "7" },
	{ "printf '%0250d' 7; exit 1", "ended with status 1: 0" LONG "7" },
	{ "printf '%0190d\\n' 5; printf '%05d' 7; exit 1", "ended with status 1: 00007" },
	{ "printf '%0150d' 5; sleep 0.05; printf '%0198d\\n' 7; exit 1",
	  "ended with status 1: " LONG "7" },
};

TEST_RANGE(up_health_await__not_healthy, 0, (int)(sizeof(failures) / sizeof(failures[0])))
{
	char expected[512];

	const char *time = fails_with(failures[_i].script, "ed ");

	snprintf(expected, sizeof(expected),
		 WAITS "heddle up: host A is not healthy after %s: 'the check' %s\n"
		       "the fabric runs: 'heddle log -f lab A', 'heddle down lab'\n",
		 time, failures[_i].how);
	ck_assert_str_eq(said, expected);
}

/* its start commands that do not run are named, those of other hosts are not */
TEST(up_health_await__start_commands)
{
	other_answer =
		"{\"programs\": ["
		"{\"host\": \"A\", \"command\": \"web\", \"running\": false, "
		"\"fate\": \"not started: the host has no such user\"},"
		"{\"host\": \"A\", \"command\": \"log\", \"running\": true, \"fate\": \"running\"},"
		"{\"host\": \"B\", \"command\": \"db\", \"running\": false, "
		"\"fate\": \"ended with status 1\"}]}\n";
	fails_with("exit 7", "ed with status 7");
	ck_assert_msg(strstr(said, "ended with status 7\n"
				   "heddle up: host A: 'web': not started: the host has no such "
				   "user\n"
				   "the fabric runs: ") != NULL,
		      "%s", said);
	ck_assert_ptr_null(strstr(said, "'log':"));
	ck_assert_ptr_null(strstr(said, "'db':"));
}

/* one that runs is ended, with all that it has started; so are the checks of other hosts */
TEST(up_health_await__does_not_end)
{
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	check_is(2, "sleep 1000", NODE_S, 3600 * NODE_S);
	fails_with("echo begun; sleep 1000 & sleep 1000", "'the check' did not end: begun\n");
	while (waitpid(-1, NULL, 0) > 0)
		;
}

TEST(up_health_await__fabric_has_ended)
{
	check_is(0, "exit 1", NODE_MS, 3600 * NODE_S);
	ck_assert_int_eq(awaits("other"), EXIT_NODE);
	ck_assert_str_eq(said, WAITS "heddle up: fabric other has ended\n");
}
