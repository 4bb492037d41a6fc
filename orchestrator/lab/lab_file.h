/*  lab_file - a lab as its folder has it: lab.yaml, read and checked (SE-9).
 *
 *  The format is in docs/labs.md. All errors are collected, each with its place. What a lab says
 *  about its scenarios (keys, metrics) is checked when they are run. Texts are borrowed from the
 *  tree of the file, which the lab holds. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_FILE_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_FILE_H

#include <limits.h>

#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/lab/lab_values.h"

#define LAB_VARIABLES_MAX 24u
#define LAB_RUNS_MAX 16u
#define LAB_QUESTIONS_MAX 16u /* predictions, and answers */
#define LAB_CHECKS_MAX 24u
#define LAB_CHECK_VALUES_MAX 8u

/* one or more values of the student */
struct lab_variable {
	const char *name;
	const struct yaml_node *choices; /* a list; NULL: a range */
	uint64_t least, most;            /* of a range */
};

/* a scenario, and options of `heddle run`; texts with placeholders */
struct lab_arguments {
	const char *scenario;        /* its file, beside lab.yaml */
	const struct yaml_node *set; /* mapping of paths and texts; NULL: none */
	const char *seed, *variant;  /* NULL: as the scenario says, none */
};

struct lab_run {
	const char *name;
	struct lab_arguments arguments;
	bool compare; /* all variants, as a table */
};

enum lab_question_kind { LAB_NUMBER, LAB_CHOICE, LAB_PATH };

/* a prediction or an answer */
struct lab_question {
	const char *name, *ask;
	enum lab_question_kind kind;
	const char *unit;            /* of a number; "": none */
	enum quantity_kind quantity; /* of a number */
	uint64_t one;                /* the number for one unit */
	const struct yaml_node *choices;
	const char *tolerance; /* NULL: none is stated */
	const char *measured;  /* a prediction: the metric that tells how it was; NULL: none */
	const char *in;        /* ... of this run; NULL: the first one */
};

/* a metric of a run of its own */
struct lab_check_value {
	const char *name;
	struct lab_arguments arguments;
	const char *metric;
};

struct lab_check {
	struct lab_arguments arguments; /* scenario NULL: only values */
	const struct yaml_node *expect; /* lists of texts; NULL: none */
	const struct yaml_node *holds;
	bool fails; /* one of the expectations must not hold */
	const char *says;
	uint32_t value_count;
	struct lab_check_value values[LAB_CHECK_VALUES_MAX];
};

struct lab {
	char folder[PATH_MAX]; /* as found */
	char name[NAME_MAX + 1];
	const char *title, *about;
	uint64_t minutes;
	uint32_t variable_count, run_count, prediction_count, answer_count, check_count;
	struct lab_variable variables[LAB_VARIABLES_MAX];
	struct lab_run runs[LAB_RUNS_MAX];
	struct lab_question predictions[LAB_QUESTIONS_MAX], answers[LAB_QUESTIONS_MAX];
	struct lab_check checks[LAB_CHECKS_MAX];
	struct yaml_node *root;
};

/** lab_read() - reads lab.yaml in @folder.
 *  Return: 0; -EINVAL with @errors; -ENOMEM. lab_free() in any case. */
int lab_read(const char *folder, struct lab *lab, struct scenario_errors *errors);

/** lab_read_memory() - the same for @length bytes at @text. */
int lab_read_memory(const char *folder, const char *text, size_t length, struct lab *lab,
		    struct scenario_errors *errors);

void lab_free(struct lab *lab);

/** lab_question_find() - the one of @questions called @name; NULL: there is none. */
const struct lab_question *lab_question_find(const struct lab_question *questions, uint32_t count,
					     const char *name);

#endif
