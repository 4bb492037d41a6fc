/*  Every file of tests/bad-scenarios/ is rejected at the place and for the reason of its first line
 *  (TB-11, TB-23).
 *
 *  First line: "# expect: LINE:COLUMN: sentence" for the scenario itself, "# expect:
 *  FILE:LINE:COLUMN: sentence" for a file beside it that it names, "# expect: --set ...: sentence"
 *  with a second line "# set: path=value". The first error counts. Tests run at the top of the
 *  repository. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/results/expect.h"
#include "tests/testing.h"

#define FOLDER "tests/bad-scenarios"
#define SCENARIOS_MIN 60u

struct expected {
	char line[1024];   /* as the file has it */
	char full[2048];   /* with the path in front */
	char setting[512]; /* "" for none */
};

static void expected_read(const char *path, struct expected *expected)
{
	FILE *file = fopen(path, "r");
	char second[512] = "";
	int places[2];

	ck_assert_ptr_nonnull(file);
	*expected = (struct expected){ 0 };
	ck_assert_msg(fscanf(file, "# expect: %1000[^\n]\n", expected->line) == 1,
		      "%s does not begin with '# expect: '", path);
	if (fgets(second, sizeof(second), file) &&
	    sscanf(second, "# set: %500[^\n]", expected->setting) != 1)
		expected->setting[0] = 0;
	fclose(file);
	if (expected->line[0] == '-')
		snprintf(expected->full, sizeof(expected->full), "%s", expected->line);
	else if (sscanf(expected->line, "%d:%d", &places[0], &places[1]) == 2)
		snprintf(expected->full, sizeof(expected->full), "%s:%s", path, expected->line);
	else
		snprintf(expected->full, sizeof(expected->full), FOLDER "/%s", expected->line);
}

static int scenario_judge(const char *path, const char *setting, struct scenario_errors *errors)
{
	const char *settings[] = { setting };
	struct scenario scenario;
	struct plan plan = { 0 };
	int error = scenario_read_file(path, settings, *setting != 0, &scenario, errors);

	if (!error)
		error = plan_make(&scenario, &plan, errors);
	for (uint32_t i = 0; !error && i < plan.expectation_count; i++)
		error = expect_check(&plan, &plan.expectations[i], errors);
	plan_free(&plan);
	scenario_free(&scenario);
	return error;
}

static int is_scenario(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".yaml");
}

TEST_GROUP(bad_scenarios, .timeout_s = 60);

TEST(bad_scenarios__each_is_rejected_with_place_and_reason)
{
	struct dirent **entries;
	int count = scandir(FOLDER, &entries, is_scenario, alphasort), failed = 0;

	ck_assert_msg(count >= (int)SCENARIOS_MIN, "%d scenarios in " FOLDER, count);
	for (int i = 0; i < count; i++) {
		struct scenario_errors errors = { 0 };
		struct expected expected;
		char path[512];
		int error;

		snprintf(path, sizeof(path), FOLDER "/%s", entries[i]->d_name);
		expected_read(path, &expected);
		error = scenario_judge(path, expected.setting, &errors);
		if (error != -EINVAL || !errors.count ||
		    strncmp(errors.texts[0], expected.full, strlen(expected.full))) {
			printf("expected  %s\nbut       %s\n", expected.full,
			       errors.count ? errors.texts[0] : "no error");
			failed++;
		}
		scenario_errors_free(&errors);
		free(entries[i]);
	}
	free(entries);
	ck_assert_int_eq(failed, 0);
}
