#include "orchestrator/base/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/suggest.h"

#define NAMES_MAX 64u /* of a list: among them a misspelt one is looked for */

struct setting {
	const char *label;
	struct scenario_place place; /* of the path */
	struct scenario_errors *errors;
	unsigned depth; /* of the node reached so far, from the root */
};

static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && !text[digits] && digits < 7;
}

static struct yaml_node *child_make(struct yaml_node *parent, const char *key,
				    const struct setting *setting)
{
	struct yaml_node *child = yaml_node_new(YAML_SCALAR, key);

	if (!child)
		return NULL;
	child->place = child->key_place = setting->place;
	yaml_append(parent, child);
	return child;
}

static const char *name_of(const struct yaml_node *element)
{
	const struct yaml_node *name = yaml_find(element, "name");

	return name ? name->text : NULL;
}

static struct yaml_node *element_find(struct yaml_node *sequence, const char *word)
{
	struct yaml_node *child = sequence->first;

	if (is_number(word)) {
		for (long left = strtol(word, NULL, 10); child && left; left--)
			child = child->next;
		return child;
	}
	while (child && (!name_of(child) || strcmp(name_of(child), word) != 0))
		child = child->next;
	return child;
}

/* Return: -EINVAL, with an error added */
static int element_refuse(const struct yaml_node *sequence, const char *word,
			  const struct setting *setting)
{
	const char *names[NAMES_MAX];
	size_t count = 0;
	char hint[SUGGEST_BYTES_MAX + 32];

	for (const struct yaml_node *child = sequence->first; child && count < NAMES_MAX;
	     child = child->next)
		if (name_of(child))
			names[count++] = name_of(child);
	scenario_errors_add(
		setting->errors, setting->label, setting->place.line, setting->place.column,
		"'%.60s' has %u element%s (0 is the first), none is '%.60s'%s",
		sequence->key ? sequence->key : "the list", sequence->count,
		sequence->count == 1 ? "" : "s", word,
		suggest_sentence(word, names, count, sizeof(names[0]), hint, sizeof(hint)));
	return -EINVAL;
}

/* Return: the child @word of @parent, created if it is missing and can be; NULL with one error
 * added. */
static int step_down(struct yaml_node *parent, const char *word, const struct setting *setting,
		     struct yaml_node **child)
{
	if (parent->kind == YAML_SCALAR && parent->text && *parent->text) {
		scenario_errors_add(setting->errors, setting->label, setting->place.line,
				    setting->place.column,
				    "'%.60s' is a single value, there is no '%.60s' in it",
				    parent->key ? parent->key : parent->text, word);
		return -EINVAL;
	}
	if (parent->kind == YAML_SCALAR)
		yaml_clear(parent, YAML_MAPPING);
	if (parent->kind == YAML_MAPPING) {
		*child = yaml_find(parent, word);
		if (!*child)
			*child = child_make(parent, word, setting);
		return *child ? 0 : -ENOMEM;
	}
	*child = element_find(parent, word);
	if (*child)
		return 0;
	if (!is_number(word) || strtoul(word, NULL, 10) != parent->count)
		return element_refuse(parent, word, setting);
	*child = child_make(parent, NULL, setting);
	return *child ? 0 : -ENOMEM;
}

/* @node takes the value and all children of @value, which is freed. */
static void replace(struct yaml_node *node, struct yaml_node *value)
{
	yaml_clear(node, value->kind);
	node->place = value->place;
	node->text = value->text;
	node->first = value->first;
	node->last = value->last;
	node->count = value->count;
	value->text = NULL;
	value->first = value->last = NULL;
	yaml_free(value);
}

static int walk(struct yaml_node *root, char *path, struct setting *setting,
		struct yaml_node **node)
{
	char *rest = path, *word;

	*node = root;
	while ((word = strsep(&rest, "."))) {
		int error;

		if (!*word || ++setting->depth >= YAML_DEPTH_MAX) {
			scenario_errors_add(setting->errors, setting->label, setting->place.line,
					    setting->place.column,
					    "this is not a path: write keys joined by dots, "
					    "as in switch.arbiter");
			return -EINVAL;
		}
		error = step_down(*node, word, setting, node);
		if (error)
			return error;
	}
	return 0;
}

int settings_apply(struct yaml_node *root, const char *text, const char *label, uint32_t number,
		   struct scenario_errors *errors)
{
	struct setting setting = { .label = label, .place.setting = number, .errors = errors };
	const char *equals = strchr(text, '=');
	struct yaml_node *node, *value;
	char *path;
	int error;

	if (!equals || equals == text) {
		scenario_errors_add(errors, label, 0, 0,
				    "expected path=value, as in switch.arbiter=by-port");
		return -EINVAL;
	}
	path = strndup(text, (size_t)(equals - text));
	if (!path)
		return -ENOMEM;
	error = yaml_read(label, equals + 1, strlen(equals + 1), number, &value, errors);
	if (!error) {
		error = walk(root, path, &setting, &node);
		if (error)
			yaml_free(value);
		else
			replace(node, value);
	}
	free(path);
	return error;
}

int settings_put(struct yaml_node *root, struct yaml_node *value, const char *file,
		 struct scenario_errors *errors)
{
	struct setting setting = { .label = file, .place = value->key_place, .errors = errors };
	char *path = strdup(value->key);
	struct yaml_node *node;
	int error;

	if (setting.place.setting)
		setting.place.line = 0;
	error = path ? walk(root, path, &setting, &node) : -ENOMEM;

	if (error)
		yaml_free(value);
	else
		replace(node, value);
	free(path);
	return error;
}
