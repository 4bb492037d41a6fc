/*  read_scenario - the scenario that a test reads, and the errors of it. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_SCENARIO_READ_SCENARIO_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_SCENARIO_READ_SCENARIO_H

#include <string.h>

#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

static struct scenario scenario;
static struct scenario_errors errors;

static inline void setup(void)
{
	memset(&scenario, 0, sizeof(scenario));
	memset(&errors, 0, sizeof(errors));
}

static inline void teardown(void)
{
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

/* Return: as scenario_read_file(), which says that the file is @name */
static inline int read_text(const char *name, const char *text)
{
	return scenario_read_memory(name, text, strlen(text), NULL, 0, &scenario, &errors);
}

#endif
