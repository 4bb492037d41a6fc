/*  plan_text - for tests of what `heddle check` prints: the plan of a scenario, and its text. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_PLAN_PLAN_TEXT_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_PLAN_PLAN_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

static struct plan plan;
static char *text;

static inline void tear_down(void)
{
	plan_free(&plan);
	free(text);
	text = NULL;
}

static inline void plan_of(const char *yaml)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	int error = scenario_read_memory("t.yaml", yaml, strlen(yaml), NULL, 0, &scenario, &errors);

	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
	scenario_free(&scenario);
}

/* the text that @print writes of the plan of @yaml */
static inline void printed_by(void (*print)(const struct plan *plan, FILE *out), const char *yaml)
{
	size_t length;
	FILE *out = open_memstream(&text, &length);

	plan_of(yaml);
	print(&plan, out);
	fclose(out);
}

static inline void says(const char *line)
{
	ck_assert_msg(strstr(text, line), "'%s' is not in\n%s", line, text);
}

#endif
