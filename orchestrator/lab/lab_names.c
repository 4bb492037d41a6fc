#include "orchestrator/lab/lab_names.h"

#include <string.h>

#include "orchestrator/base/suggest.h"

struct names {
	const char *path;
	struct scenario_errors *errors;
	const char *list[LAB_VALUES_MAX];
	uint32_t count;
};

static void name_add(struct names *names, const char *name, const struct scenario_place *place)
{
	for (uint32_t i = 0; i < names->count; i++) {
		if (strcmp(names->list[i], name) != 0)
			continue;
		scenario_errors_add(names->errors, names->path, place->line, place->column,
				    "there are two values called '%s'", name);
		return;
	}
	if (names->count < LAB_VALUES_MAX)
		names->list[names->count++] = name;
	else
		scenario_errors_add(names->errors, names->path, place->line, place->column,
				    "a lab has at most %u values and answers", LAB_VALUES_MAX);
}

static void student_add(struct names *names, const struct lab *lab)
{
	for (uint32_t i = 0; i < lab->variable_count; i++) {
		const struct lab_variable *variable = &lab->variables[i];
		const struct yaml_node *choice =
			variable->choices ? variable->choices->first : NULL;

		if (!choice || choice->kind == YAML_SCALAR) {
			name_add(
				names, variable->name,
				&yaml_find(yaml_find(lab->root, "student"), variable->name)->place);
			continue;
		}
		for (const struct yaml_node *each = choice->first; each; each = each->next)
			name_add(names, each->key, &each->key_place);
	}
}

static void text_check(const struct names *names, const struct lab *lab,
		       const struct yaml_node *node)
{
	struct lab_placeholder found;

	for (size_t from = 0; lab_placeholder_find(node->text, from, &found);
	     from = found.at + found.length) {
		int line = node->place.line, column = node->place.column + (int)found.at;
		const struct lab_question *answer =
			lab_question_find(lab->answers, lab->answer_count, found.name);
		char hint[128];
		uint32_t i = 0;

		while (i < names->count && strcmp(names->list[i], found.name) != 0)
			i++;
		if (i == names->count)
			scenario_errors_add(names->errors, names->path, line, column,
					    "there is no value '%s' here%s", found.name,
					    suggest_sentence(found.name, names->list, names->count,
							     sizeof(names->list[0]), hint,
							     sizeof(hint)));
		else if (found.tolerance && (!answer || !answer->tolerance))
			scenario_errors_add(names->errors, names->path, line, column,
					    "'%s' has no tolerance", found.name);
	}
}

/* all texts below @node */
static void tree_check(const struct names *names, const struct lab *lab,
		       const struct yaml_node *node)
{
	if (!node)
		return;
	if (node->kind == YAML_SCALAR)
		text_check(names, lab, node);
	for (const struct yaml_node *child = node->first; child; child = child->next)
		tree_check(names, lab, child);
}

/* are the names in the list @list different? */
static void list_check(const struct names *names, const struct yaml_node *list)
{
	for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
		const struct yaml_node *name = yaml_find(node, "name");

		for (const struct yaml_node *other = list->first; other != node;
		     other = other->next)
			if (!strcmp(yaml_find(other, "name")->text, name->text))
				scenario_errors_add(names->errors, names->path, name->place.line,
						    name->place.column,
						    "'%s' is already given in "
						    "line %d",
						    name->text, other->place.line);
	}
}

/* is `in` of each prediction the name of a run that is no comparison? */
static void in_check(const struct names *names, const struct lab *lab)
{
	const struct yaml_node *predict = yaml_find(lab->root, "predict");

	for (const struct yaml_node *node = predict ? predict->first : NULL; node;
	     node = node->next) {
		const struct yaml_node *in = yaml_find(node, "in"),
				       *measured = yaml_find(node, "measured");
		const struct yaml_node *at = in ? in : measured;
		uint32_t i = 0;

		while (in && i < lab->run_count && strcmp(lab->runs[i].name, in->text) != 0)
			i++;
		if (at && i == lab->run_count)
			scenario_errors_add(names->errors, names->path, at->place.line,
					    at->place.column, "there is no run '%.60s'", in->text);
		else if (at && lab->runs[i].compare)
			scenario_errors_add(names->errors, names->path, at->place.line,
					    at->place.column,
					    "run '%s' compares variants, so it has no single value",
					    lab->runs[i].name);
	}
}

void lab_names_check(const struct lab *lab, const char *path, struct scenario_errors *errors)
{
	struct names names = { .path = path, .errors = errors };
	const struct yaml_node *answers = yaml_find(lab->root, "answers");

	list_check(&names, yaml_find(lab->root, "runs"));
	list_check(&names, yaml_find(lab->root, "predict"));
	list_check(&names, answers);
	in_check(&names, lab);
	student_add(&names, lab);
	tree_check(&names, lab, yaml_find(lab->root, "runs"));
	tree_check(&names, lab, yaml_find(lab->root, "predict"));
	tree_check(&names, lab, answers);
	for (const struct yaml_node *node = answers->first; node; node = node->next)
		name_add(&names, yaml_find(node, "name")->text, &yaml_find(node, "name")->place);
	tree_check(&names, lab, yaml_find(lab->root, "checks"));
}
