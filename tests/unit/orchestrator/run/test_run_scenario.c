/*  orchestrator/run/run_scenario: what is said of settings that the real clock does not follow, and
 *  that a wrong scenario ends the run before it starts (DU-5). */
#include "orchestrator/run/run_scenario.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/said.h"
#include "tests/testing.h"

#define SHORT "rates are measured over "
#define VETH "heddle run: all links are of shared memory; 'medium: veth' is for 'heddle up'\n"

static char path[] = "/tmp/heddle-XXXXXX";
static struct run_options options;
static struct plan plan;

static void setup(void)
{
	strcpy(path + strlen(path) - 6, "XXXXXX");
	close(mkstemp(path));
	options = (struct run_options){ .scenario = path, .real = true };
	memset(&plan, 0, sizeof(plan));
}

static void teardown(void)
{
	plan_free(&plan);
	unlink(path);
}

TEST_GROUP(run_scenario, .setup = setup, .teardown = teardown);

/* what is said of a scenario of this duration, with @links more settings of its links */
static const char *loaded(const char *duration, const char *links, int status)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"name: t\nrun: {duration: %s, warmup: 10ms}\ntopology: {switches: [s1, s2, "
		"s3], hosts: {h1: {switch: s1}, h2: {switch: s1}}, links: [{between: [s1, s2]}, "
		"{between: [s2, s3]}]}\nlinks: {rate: 1Mb/s%s}\nworkloads: [{name: w, pattern: "
		"pairs, "
		"pairs: [[h1, h2]], size: 1kB}]\n",
		duration, links);
	fclose(file);
	plan_free(&plan);
	memset(&plan, 0, sizeof(plan));
	said_begin();
	ck_assert_int_eq(run_scenario_load(&options, SCENARIO_NO_VARIANT, &plan), status);
	return said_end();
}

/* 100 ms at least, without the time before it is measured */
TEST(run_scenario_load__short_under_the_real_clock)
{
	struct compare_row row = { 0 };

	ck_assert_ptr_null(strstr(loaded("110ms", "", 0), SHORT));
	ck_assert_ptr_nonnull(strstr(loaded("109999us", "", 0), SHORT));
	/* in a table there is no line for each */
	options.row = &row;
	ck_assert_str_eq(loaded("50ms", "", 0), "");
	options = (struct run_options){ .scenario = path };
	ck_assert_str_eq(loaded("50ms", "", 0), "");
}

TEST(run_scenario_load__links_of_veth)
{
	static const char *settings[] = { "topology.hosts.h1.medium=veth",
					  "topology.hosts.h2.medium=veth",
					  "topology.links.0.medium=veth",
					  "topology.links.1.medium=veth" };

	ck_assert_ptr_null(strstr(loaded("1s", "", 0), VETH));
	ck_assert_ptr_nonnull(strstr(loaded("1s", ", medium: veth", 0), VETH));
	/* one of them */
	for (uint32_t i = 0; i < COUNT_OF(settings); i++) {
		options.settings = (struct option_settings){ .texts = { settings[i] }, .count = 1 };
		ck_assert_msg(strstr(loaded("1s", "", 0), VETH), "%s", settings[i]);
	}
}

TEST(run_scenario_load__wrong)
{
	ck_assert_ptr_nonnull(strstr(loaded("1", "", EXIT_USAGE), "lacks its unit"));
	options.scenario = "/proc/self/none.yaml";
	ck_assert_ptr_nonnull(strstr(loaded("1s", "", EXIT_USAGE), "/proc/self/none.yaml"));
}
