/*  orchestrator/operate/cmd_top: intervals of a running fabric, each against the one before (TB-8,
 *  TB-10). */
#include "orchestrator/operate/cmd_top.h"

#include <jansson.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/command/client.h"
#include "tests/unit/orchestrator/operate/one_daemon.h"

static void setup(void)
{
	testing_input();
	daemon_setup();
	answers[2] = answers[3] = NULL;
}

TEST_GROUP(cmd_top, .setup = setup, .teardown = daemon_teardown);

#define ANSWER(uptime_ms, cpu_ms)                                                   \
	"{\"fabric\": \"lab\", \"pid\": 7, \"uptime_ns\": " uptime_ms               \
	"000000, \"cpu_ns\": " cpu_ms                                               \
	"000000, \"nodes\": [{\"name\": \"s1\", \"kind\": \"switch\", \"pid\": 8, " \
	"\"state\": \"running\", \"readable\": true, \"cpu_ns\": " cpu_ms           \
	"000000, \"sent_packets\": " cpu_ms ", \"ports\": []}]}\n"

static double number_of(const json_t *fabric, const char *key)
{
	return json_real_value(json_object_get(fabric, key));
}

/* a line each, of what has grown since the one before */
TEST(cmd_top__intervals_as_json)
{
	uint64_t began_ns = monotonic_ns();
	json_t *first, *second;
	char *line;

	answers[2] = ANSWER("4000", "1500");
	daemon_runs(ANSWER("1000", "100"), ANSWER("2000", "1000"));
	ck_assert_int_eq(command_run(cmd_top, "top|lab|--json|-n|2|-d|0.1"), 0);
	ck_assert_uint_ge(monotonic_ns() - began_ns, 200000000);
	daemon_was_asked("{\"ask\":\"ps\"}\n{\"ask\":\"ps\"}\n{\"ask\":\"ps\"}\n");
	line = strchr(printed, '\n');
	ck_assert_ptr_nonnull(line);
	first = json_loadb(printed, (size_t)(line - printed), 0, NULL);
	second = json_loads(line + 1, 0, NULL);
	ck_assert_ptr_null(strchr(strchr(line + 1, '\n') + 1, '\n'));
	ck_assert_double_eq(number_of(first, "cpu_percent"), 90);
	ck_assert_double_eq(number_of(second, "cpu_percent"), 25);
	ck_assert_double_eq(
		number_of(json_array_get(json_object_get(first, "nodes"), 0), "sent_pps"), 900);
	ck_assert_double_eq(
		number_of(json_array_get(json_object_get(second, "nodes"), 0), "sent_pps"), 250);
	ck_assert_ptr_nonnull(json_object_get(second, "fidelity"));
	json_decref(first);
	json_decref(second);
}

/* as text an empty line is between them */
TEST(cmd_top__intervals_as_text)
{
	const char *second;

	answers[2] = ANSWER("4000", "1500");
	daemon_runs(ANSWER("1000", "100"), ANSWER("2000", "1000"));
	ck_assert_int_eq(command_run(cmd_top, "top|-n|2|-d|0.1"), 0);
	ck_assert_ptr_eq(strstr(printed, "fabric     lab, running for 2.000 s: 90.0 % of a core"),
			 printed);
	second = strstr(printed, "\n\nfabric     lab, running for 4.000 s: 25.0 % of a core");
	ck_assert_ptr_nonnull(second);
	ck_assert_ptr_null(strstr(second + 2, "\n\nfabric"));
	daemon_was_asked("{\"ask\":\"ps\"}\n{\"ask\":\"ps\"}\n{\"ask\":\"ps\"}\n");
}

/* the end of the fabric is not waited for until the interval is over */
TEST(cmd_top__ends_with_the_fabric)
{
	answers[2] = NULL;
	daemon_runs(ANSWER("1000", "100"), NULL);
	ck_assert_int_eq(command_run(cmd_top, "top|-d|3600"), CLIENT_FAILED);
	ck_assert_str_eq(printed, "");
	ck_assert_ptr_eq(strstr(said, "heddle top: "), said);
}

TEST(cmd_top__refused)
{
	daemon_runs("{\"error\": \"not now\"}\n", NULL);
	ck_assert_int_eq(command_run(cmd_top, "top"), CLIENT_REFUSED);
	ck_assert_str_eq(said, "heddle top: not now\n");
	ck_assert_str_eq(printed, "");
}
