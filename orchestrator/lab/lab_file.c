#include "orchestrator/lab/lab_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/lab/lab_names.h"
#include "orchestrator/lab/lab_text.h"
#include "orchestrator/scenario/scenario_keys.h"

/* ---- texts and lists ---- */

static void text_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	const char *text = key_scalar(reader, node, "a text");

	if (text)
		*(const char **)((char *)target + key->offset) = text;
}

static bool name_check(struct reader *reader, const struct scenario_place *place, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t length = strlen(name);

	if (islower((unsigned char)*name) && length < LAB_NAME_MAX &&
	    strspn(name, letters) == length)
		return true;
	scenario_errors_at(
		reader->errors, reader->scenario, place,
		"'%.60s' is not a name here: a small letter, then at most %u of a-z 0-9 _", name,
		LAB_NAME_MAX - 2);
	return false;
}

static void name_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	const char *text = key_scalar(reader, node, "a name");

	if (text && name_check(reader, &node->place, text))
		*(const char **)((char *)target + key->offset) = text;
}

/* a list of at least one text */
static void texts_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	if (node->kind != YAML_SEQUENCE || !node->count) {
		key_refuse(reader, node, "'%s' must be a list of texts, such as [\"...\"]",
			   key->name);
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next)
		key_scalar(reader, child, "a text");
	*(const struct yaml_node **)((char *)target + key->offset) = node;
}

/* each element of the list @node, at most @max; the type of an element is @bytes long */
static uint32_t list_read(struct reader *reader, const struct yaml_node *node, const char *what,
			  void *list, size_t bytes, uint32_t max,
			  void (*read)(struct reader *reader, const struct yaml_node *node,
				       void *element))
{
	uint32_t count = 0;

	if (node->kind != YAML_SEQUENCE || !node->count || node->count > max) {
		key_refuse(reader, node, "'%s' must be a list of 1 to %u elements", what, max);
		return 0;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next)
		read(reader, child, (char *)list + bytes * count++);
	return count;
}

/* ---- student ---- */

static void range_read(struct reader *reader, const struct yaml_node *node,
		       struct lab_variable *variable)
{
	char least[24];
	struct why why;
	const char *dots = strstr(node->text, "..");

	if (!dots || (size_t)(dots - node->text) >= sizeof(least)) {
		key_refuse(reader, node,
			   "'%.60s' must be a range such as 110..180, or a list such as [1us, 2us]",
			   node->text);
		return;
	}
	snprintf(least, sizeof(least), "%.*s", (int)(dots - node->text), node->text);
	if (quantity_parse(QUANTITY_COUNT, least, &variable->least, &why) ||
	    quantity_parse(QUANTITY_COUNT, dots + 2, &variable->most, &why))
		key_refuse(reader, node, "a range of whole numbers: %s", why.text);
	else if (variable->least > variable->most || variable->most > UINT32_MAX)
		key_refuse(reader, node,
			   "the range '%.60s' is empty or too large: expected LEAST..MOST",
			   node->text);
}

/* a list of texts, or of mappings that have the same keys */
static void choices_read(struct reader *reader, const struct yaml_node *node,
			 struct lab_variable *variable)
{
	const struct yaml_node *first = node->first;

	if (!first)
		key_refuse(reader, node, "a student needs at least one value to choose from");
	for (const struct yaml_node *choice = first; choice; choice = choice->next) {
		if (choice->kind == YAML_SCALAR && first->kind == YAML_SCALAR) {
			key_scalar(reader, choice, "a value");
			continue;
		}
		if (choice->kind != YAML_MAPPING || first->kind != YAML_MAPPING) {
			key_refuse(reader, choice,
				   "choices are either all values or all mappings of values");
			continue;
		}
		for (const struct yaml_node *each = choice->first; each; each = each->next) {
			key_scalar(reader, each, "a value");
			name_check(reader, &each->key_place, each->key);
			if (!yaml_find(first, each->key))
				key_refuse(reader, each, "the first choice has no '%s'", each->key);
		}
		if (choice->count < first->count)
			key_refuse(reader, choice,
				   "this choice has fewer values than the first one");
	}
	variable->choices = node;
}

static void student_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct lab *lab = target;

	(void)key;
	if (node->kind != YAML_MAPPING || !node->count || node->count > LAB_VARIABLES_MAX) {
		key_refuse(reader, node,
			   "'student' must be a mapping of 1 to %u names, such as {x: 110..180}",
			   LAB_VARIABLES_MAX);
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		struct lab_variable *variable = &lab->variables[lab->variable_count++];

		variable->name = child->key;
		name_check(reader, &child->key_place, child->key);
		if (child->kind == YAML_SEQUENCE)
			choices_read(reader, child, variable);
		else if (key_scalar(reader, child, "a range or a list"))
			range_read(reader, child, variable);
	}
}

/* ---- runs ---- */

static void set_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	if (node->kind != YAML_MAPPING) {
		key_refuse(reader, node,
			   "'set' must be a mapping of paths and values, such as "
			   "{switch.arbiter: by-port}");
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next)
		key_scalar(reader, child, "one text: write a list in quotes, \"[a, b]\"");
	*(const struct yaml_node **)((char *)target + key->offset) = node;
}

#define ARGUMENT_KEYS(type, required_)                                                      \
	{ "run", text_keep, KEY_FIELD(type, arguments.scenario), .required = (required_) }, \
		{ "set", set_keep, KEY_FIELD(type, arguments.set) },                        \
		{ "seed", text_keep, KEY_FIELD(type, arguments.seed) },                     \
	{                                                                                   \
		"variant", text_keep, KEY_FIELD(type, arguments.variant)                    \
	}

static const struct key run_keys[] = {
	{ "name", name_keep, KEY_FIELD(struct lab_run, name), .required = true },
	ARGUMENT_KEYS(struct lab_run, true),
	{ "compare", key_flag, KEY_FIELD(struct lab_run, compare) },
};

static void run_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	keys_read(reader, node, "a run", run_keys, COUNT_OF(run_keys), element);
}

static void runs_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	struct lab *lab = target;

	lab->run_count = list_read(reader, node, key->name, lab->runs, sizeof(lab->runs[0]),
				   LAB_RUNS_MAX, run_read);
}

/* ---- questions ---- */

/* as in the file */
struct question_row {
	struct lab_question question;
	bool is_file;
	const struct yaml_node *unit;
};

static void node_keep(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	if (key_scalar(reader, node, "a unit such as Gb/s"))
		*(const struct yaml_node **)((char *)target + key->offset) = node;
}

#define QUESTION_KEYS                                                                           \
	{ "name", name_keep, KEY_FIELD(struct question_row, question.name), .required = true }, \
		{ "ask", text_keep, KEY_FIELD(struct question_row, question.ask),               \
		  .required = true },                                                           \
		{ "unit", node_keep, KEY_FIELD(struct question_row, unit) },                    \
	{                                                                                       \
		"choices", texts_keep, KEY_FIELD(struct question_row, question.choices)         \
	}

static const struct key prediction_keys[] = {
	QUESTION_KEYS,
	{ "measured", text_keep, KEY_FIELD(struct question_row, question.measured) },
	{ "in", text_keep, KEY_FIELD(struct question_row, question.in) },
};

static const struct key answer_keys[] = {
	QUESTION_KEYS,
	{ "tolerance", text_keep, KEY_FIELD(struct question_row, question.tolerance) },
	{ "file", key_flag, KEY_FIELD(struct question_row, is_file) },
};

/* Return: false: no kind of quantity has this unit */
static bool unit_read(const char *unit, struct lab_question *question)
{
	static const enum quantity_kind kinds[] = { QUANTITY_TIME, QUANTITY_RATE, QUANTITY_BYTES,
						    QUANTITY_SHARE };
	char text[64];
	struct why why;

	question->unit = unit;
	question->quantity = QUANTITY_SHARE;
	question->one = QUANTITY_SHARE_ONE;
	if (!strcmp(unit, "share")) {
		question->unit = "";
		return true;
	}
	snprintf(text, sizeof(text), "1%.40s", unit);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		question->quantity = kinds[i];
		if (!quantity_parse(kinds[i], text, &question->one, &why))
			return !isdigit((unsigned char)*unit);
	}
	return false;
}

static void question_take(struct reader *reader, const struct yaml_node *node,
			  struct question_row *row, struct lab_question *question)
{
	*question = row->question;
	question->kind = row->is_file ? LAB_PATH : question->choices ? LAB_CHOICE : LAB_NUMBER;
	question->quantity = QUANTITY_COUNT;
	question->one = 1;
	question->unit = "";
	if (row->is_file + !!question->choices + !!row->unit > 1)
		key_refuse(reader, node, "a question has one of 'unit', 'choices' and 'file'");
	else if (row->unit && !unit_read(row->unit->text, question))
		key_refuse(
			reader, row->unit,
			"'%.40s' is no unit; expected one of a time, a rate or a size such as us, "
			"Gb/s or kB, or %%, or 'share'",
			row->unit->text);
}

static void prediction_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct question_row row = { 0 };

	keys_read(reader, node, "a prediction", prediction_keys, COUNT_OF(prediction_keys), &row);
	question_take(reader, node, &row, element);
}

static void answer_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct question_row row = { 0 };

	keys_read(reader, node, "an answer", answer_keys, COUNT_OF(answer_keys), &row);
	question_take(reader, node, &row, element);
}

static void predict_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct lab *lab = target;

	lab->prediction_count =
		list_read(reader, node, key->name, lab->predictions, sizeof(lab->predictions[0]),
			  LAB_QUESTIONS_MAX, prediction_read);
}

static void answers_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct lab *lab = target;

	lab->answer_count = list_read(reader, node, key->name, lab->answers,
				      sizeof(lab->answers[0]), LAB_QUESTIONS_MAX, answer_read);
}

/* ---- checks ---- */

static const struct key value_keys[] = {
	ARGUMENT_KEYS(struct lab_check_value, true),
	{ "value", text_keep, KEY_FIELD(struct lab_check_value, metric), .required = true },
};

static void values_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct lab_check *check = target;

	(void)key;
	if (node->kind != YAML_MAPPING || !node->count || node->count > LAB_CHECK_VALUES_MAX) {
		key_refuse(reader, node,
			   "'values' must be a mapping of 1 to %u names, such as {pfc: {run: ..., "
			   "value: \"fct.p99(victim)\"}}",
			   LAB_CHECK_VALUES_MAX);
		return;
	}
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		struct lab_check_value *value = &check->values[check->value_count++];

		value->name = child->key;
		name_check(reader, &child->key_place, child->key);
		keys_read(reader, child, "a value", value_keys, COUNT_OF(value_keys), value);
	}
}

static const struct key check_keys[] = {
	ARGUMENT_KEYS(struct lab_check, false),
	{ "expect", texts_keep, KEY_FIELD(struct lab_check, expect) },
	{ "fails", key_flag, KEY_FIELD(struct lab_check, fails) },
	{ "values", .read = values_read },
	{ "holds", texts_keep, KEY_FIELD(struct lab_check, holds) },
	{ "says", text_keep, KEY_FIELD(struct lab_check, says), .required = true },
};

static void check_read(struct reader *reader, const struct yaml_node *node, void *element)
{
	struct lab_check *check = element;

	keys_read(reader, node, "a check", check_keys, COUNT_OF(check_keys), check);
	if (node->kind != YAML_MAPPING)
		return;
	if (!!check->arguments.scenario != !!check->expect)
		key_refuse(reader, node, "'run' and 'expect' go together");
	else if (!!check->value_count != !!check->holds)
		key_refuse(reader, node, "'values' and 'holds' go together");
	else if (!check->expect && !check->holds)
		key_refuse(reader, node, "a check has 'run' and 'expect', or 'values' and 'holds'");
}

static void checks_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct lab *lab = target;

	lab->check_count = list_read(reader, node, key->name, lab->checks, sizeof(lab->checks[0]),
				     LAB_CHECKS_MAX, check_read);
}

/* ---- the file ---- */

static const struct key lab_keys[] = {
	{ "title", text_keep, KEY_FIELD(struct lab, title), .required = true },
	{ "about", text_keep, KEY_FIELD(struct lab, about), .required = true },
	{ "minutes", key_count, KEY_FIELD(struct lab, minutes), .min = 1, .max = 600,
	  .required = true },
	{ "student", .read = student_read },
	{ "runs", .read = runs_read, .required = true },
	{ "predict", .read = predict_read },
	{ "answers", .read = answers_read, .required = true },
	{ "checks", .read = checks_read, .required = true },
};

int lab_read_memory(const char *folder, const char *text, size_t length, struct lab *lab,
		    struct scenario_errors *errors)
{
	const char *slash = strrchr(folder, '/');
	char path[PATH_MAX + 16];
	/* for the readers of keys: the name of the file */
	struct scenario file = { .file = path };
	struct reader reader = { .scenario = &file, .errors = errors };
	int error;

	*lab = (struct lab){ 0 };
	snprintf(lab->folder, sizeof(lab->folder), "%s", folder);
	snprintf(lab->name, sizeof(lab->name), "%s", slash ? slash + 1 : folder);
	snprintf(path, sizeof(path), "%s/lab.yaml", folder);
	error = yaml_read(path, text, length, 0, &lab->root, errors);
	if (error)
		return error;
	keys_read(&reader, lab->root, "a lab", lab_keys, COUNT_OF(lab_keys), lab);
	if (reader.out_of_memory)
		return -ENOMEM;
	if (!errors->count)
		lab_names_check(lab, path, errors);
	return errors->count ? -EINVAL : 0;
}

int lab_read(const char *folder, struct lab *lab, struct scenario_errors *errors)
{
	char path[PATH_MAX + 16], *text;
	size_t length;
	int error;

	*lab = (struct lab){ 0 };
	snprintf(path, sizeof(path), "%s/lab.yaml", folder);
	error = lab_text_read(path, &text, &length);
	if (error) {
		scenario_errors_add(errors, path, 0, 0, "the lab cannot be read: %s",
				    strerror(-error));
		return -EINVAL;
	}
	error = lab_read_memory(folder, text, length, lab, errors);
	free(text);
	return error;
}

void lab_free(struct lab *lab)
{
	yaml_free(lab->root);
	*lab = (struct lab){ 0 };
}

const struct lab_question *lab_question_find(const struct lab_question *questions, uint32_t count,
					     const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(questions[i].name, name))
			return &questions[i];
	return NULL;
}
