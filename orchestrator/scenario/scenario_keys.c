#include "orchestrator/scenario/scenario_keys.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "orchestrator/base/origin.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/scenario/scenario_elsewhere.h"

void key_refuse(struct reader *reader, const struct yaml_node *node, const char *format, ...)
{
	const struct scenario *scenario = reader->scenario;
	const struct scenario_place *place = &node->place;
	va_list arguments;

	va_start(arguments, format);
	if (place->setting)
		scenario_errors_add_v(reader->errors, scenario->settings[place->setting - 1], 0, 0,
				      format, arguments);
	else
		scenario_errors_add_v(reader->errors, scenario->file, place->line, place->column,
				      format, arguments);
	va_end(arguments);
}

static void refuse_unknown(struct reader *reader, const struct yaml_node *child, const char *what,
			   const struct key *keys, size_t key_count)
{
	char meant[SUGGEST_BYTES_MAX], hint[SUGGEST_BYTES_MAX + 32], list[400] = "";
	size_t used = 0;

	if (key_elsewhere(what, child->key, meant, sizeof(meant))) {
		snprintf(hint, sizeof(hint), " - did you mean '%s'?", meant);
	} else if (!*suggest_sentence(child->key, &keys[0].name, key_count, sizeof(*keys), hint,
				      sizeof(hint))) {
		for (size_t i = 0; i < key_count && used < sizeof(list); i++)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 i ? ", " : "", keys[i].name);
		snprintf(hint, sizeof(hint), "; it has ");
	}
	scenario_errors_at(reader->errors, reader->scenario, &child->key_place,
			   "%s has no key '%.60s'%s%s", what, child->key, hint, list);
}

static bool is_empty(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !*node->text;
}

static const struct key *key_find(const char *name, const struct key *keys, size_t key_count)
{
	for (size_t i = 0; i < key_count; i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

bool keys_read(struct reader *reader, const struct yaml_node *mapping, const char *what,
	       const struct key *keys, size_t key_count, void *target)
{
	if (mapping->kind != YAML_MAPPING && !is_empty(mapping)) {
		key_refuse(reader, mapping, "%s must be a mapping (key: value), such as '%s: ...'",
			   what, keys[0].name);
		return false;
	}
	for (const struct yaml_node *child = mapping->first; child; child = child->next)
		if (!key_find(child->key, keys, key_count))
			refuse_unknown(reader, child, what, keys, key_count);
	for (size_t i = 0; i < key_count; i++) {
		const struct yaml_node *value = yaml_find(mapping, keys[i].name);
		unsigned errors_before = reader->errors->count;

		if (value)
			keys[i].read(reader, &keys[i], value, target);
		else if (keys[i].required)
			key_refuse(reader, mapping, "%s lacks the key '%s'", what, keys[i].name);
		if (value && keys[i].complete)
			*(bool *)((char *)target + keys[i].complete) =
				reader->errors->count == errors_before;
	}
	return true;
}

void keys_read_mechanism(struct reader *reader, const struct yaml_node *node, const char *what,
			 const struct key *keys, size_t key_count, void *target)
{
	if (node->kind == YAML_SCALAR && *node->text)
		keys[0].read(reader, &keys[0], node, target);
	else
		keys_read(reader, node, what, keys, key_count, target);
}

bool key_is_list(struct reader *reader, const struct key *key, const struct yaml_node *node,
		 uint32_t min, uint32_t max, const char *what)
{
	if (node->kind == YAML_SEQUENCE && node->count >= min && node->count <= max)
		return true;
	key_refuse(reader, node, "'%s' must be a list of %s %u %s", key->name,
		   min ? "1 to" : "at most", max, what);
	return false;
}

void *key_list_new(struct reader *reader, const struct key *key, const struct yaml_node *node,
		   uint32_t max, const char *what, size_t bytes)
{
	void *list;

	if (is_empty(node) || !key_is_list(reader, key, node, 0, max, what))
		return NULL;
	list = calloc(node->count ? node->count : 1, bytes);
	reader->out_of_memory |= !list;
	return list;
}

const char *key_scalar(struct reader *reader, const struct yaml_node *node, const char *expected)
{
	if (node->kind == YAML_SCALAR && *node->text)
		return node->text;
	if (node->kind == YAML_SCALAR)
		key_refuse(reader, node, "'%.60s' is empty; expected %s",
			   node->key ? node->key : "the element", expected);
	else
		key_refuse(reader, node, "'%.60s' is a %s; expected %s",
			   node->key ? node->key : "the element",
			   node->kind == YAML_MAPPING ? "mapping" : "list", expected);
	return NULL;
}

/* @value into a field of @bytes at @field */
static void store(const struct key *key, void *target, uint64_t value)
{
	void *field = (char *)target + key->offset;

	if (key->bytes == sizeof(uint64_t))
		*(uint64_t *)field = value;
	else if (key->bytes == sizeof(uint32_t))
		*(uint32_t *)field = (uint32_t)value;
	else
		*(bool *)field = value;
}

static const char *const quantity_expected[QUANTITY_KINDS] = {
	[QUANTITY_COUNT] = "a whole number such as 16",
	[QUANTITY_TIME] = "a time such as 350ns or 1us",
	[QUANTITY_RATE] = "a rate such as 200Gb/s",
	[QUANTITY_BYTES] = "a size such as 4096 or 512KiB",
	[QUANTITY_SHARE] = "a share such as 90% or 1e-12",
};

/* @kept_one: the number in the field for @parsed_one of quantity_parse() */
static void quantity_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target, enum quantity_kind kind,
			  uint64_t parsed_one, uint64_t kept_one)
{
	const char *text = key_scalar(reader, node, quantity_expected[kind]);
	char low[QUANTITY_TEXT_MAX], high[QUANTITY_TEXT_MAX];
	struct why why;
	uint64_t value, divisor = parsed_one / kept_one;

	if (!text)
		return;
	if (quantity_parse(kind, text, &value, &why)) {
		key_refuse(reader, node, "%s: %s", key->name, why.text);
		return;
	}
	if (value % divisor && value / divisor < key->max) {
		key_refuse(reader, node, "%s: '%.60s' is finer than the step of %s", key->name,
			   text, quantity_format(kind, divisor, low));
		return;
	}
	if ((value / divisor < key->min && (value || !key->zero)) || value / divisor > key->max) {
		key_refuse(reader, node, "%s: '%.60s' is out of range; expected %s%s to %s",
			   key->name, text, key->zero ? "0 or " : "",
			   quantity_format(kind, key->min * divisor, low),
			   quantity_format(kind, key->max * divisor, high));
		return;
	}
	store(key, target, value / divisor);
}

void key_count(struct reader *reader, const struct key *key, const struct yaml_node *node,
	       void *target)
{
	quantity_read(reader, key, node, target, QUANTITY_COUNT, 1, 1);
}

void key_time(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	quantity_read(reader, key, node, target, QUANTITY_TIME, 1, 1);
}

void key_rate(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	quantity_read(reader, key, node, target, QUANTITY_RATE, 1, 1);
}

void key_size(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	quantity_read(reader, key, node, target, QUANTITY_BYTES, 1, 1);
}

void key_share(struct reader *reader, const struct key *key, const struct yaml_node *node,
	       void *target)
{
	quantity_read(reader, key, node, target, QUANTITY_SHARE, QUANTITY_SHARE_ONE, key->one);
}

void key_flag(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on" };
	const char *text = key_scalar(reader, node, "yes or no");

	for (size_t i = 0; text && i < COUNT_OF(words); i++) {
		if (!strcasecmp(words[i], text)) {
			store(key, target, i & 1);
			return;
		}
	}
	if (text)
		/* `fgfc: no` is short for `fgfc: {enabled: no}` */
		key_refuse(reader, node, "%s: '%.60s' is neither yes nor no",
			   node->key ? node->key : key->name, text);
}

int key_word_find(struct reader *reader, const struct yaml_node *node, const char *text,
		  const char *const *words, size_t word_count)
{
	char hint[SUGGEST_BYTES_MAX + 32], list[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < word_count; i++)
		if (!strcmp(words[i], text))
			return (int)i;
	for (size_t i = 0; i < word_count && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i ? (i + 1 == word_count ? " or " : ", ") : "", words[i]);
	suggest_sentence(text, words, word_count, sizeof(*words), hint, sizeof(hint));
	key_refuse(reader, node, "'%.60s' is not one of %s%s", text, list, hint);
	return -1;
}

int key_word_index(struct reader *reader, const struct yaml_node *node, const char *expected,
		   const char *const *words, size_t word_count)
{
	const char *text = key_scalar(reader, node, expected);

	return text ? key_word_find(reader, node, text, words, word_count) : -1;
}

static void index_store(const struct key *key, void *target, int64_t index)
{
	if (index >= 0)
		store(key, target, (uint64_t)index);
}

void key_word(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	index_store(key, target,
		    key_word_index(reader, node, "a word", key->words, key->word_count));
}

bool key_name_valid(const char *text)
{
	size_t length = strlen(text);

	return length && length < NODE_NAME_MAX && text[0] != '-' &&
	       length ==
		       strspn(text,
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
}

bool key_host_name_valid(const char *text)
{
	struct in_addr address;

	return key_name_valid(text) && strcasecmp(text, "localhost") != 0 &&
	       !inet_aton(text, &address);
}

bool key_name_check(struct reader *reader, const struct scenario_place *place, const char *text)
{
	if (key_name_valid(text))
		return true;
	scenario_errors_at(reader->errors, reader->scenario, place,
			   "'%.60s' is not a name: 1 to %d letters, digits, '_', '.' or '-' are, "
			   "'-' not first",
			   text, NODE_NAME_MAX - 1);
	return false;
}

char *key_path_beside(const struct reader *reader, const char *name)
{
	const char *file = reader->scenario->file, *slash = strrchr(file, '/');
	char *path = NULL;

	if (*name == '/' || !slash)
		return strdup(name);
	return asprintf(&path, "%.*s/%s", (int)(slash - file), file, name) < 0 ? NULL : path;
}

bool key_file_allowed(struct reader *reader, const struct yaml_node *node, const char *path)
{
	struct stat status;

	if (!reader->files ||
	    (!stat(path, &status) && origin_reads(reader->files, status.st_dev, status.st_ino)))
		return true;
	key_refuse(reader, node,
		   "a setting may not name a file here that the scenario without it does not have");
	return false;
}

const char *key_name_hint(const char *word, const char *first, size_t count, size_t stride,
			  char *out, size_t out_max)
{
	const char **names = calloc(count ? count : 1, sizeof(char *));

	out[0] = 0;
	for (size_t i = 0; names && i < count; i++)
		names[i] = first + i * stride;
	if (names)
		suggest_sentence(word, names, count, sizeof(char *), out, out_max);
	free(names);
	return out;
}

/* what a value names: @count names, the first of which is @first */
struct named {
	const char *what;
	const char *first;
	size_t count, stride;
};

/* the index of what @node names; else -1, and an error unless there are none: then their own
 * section has an error already */
static int64_t name_index(struct reader *reader, const struct yaml_node *node, struct named of)
{
	char expected[32], hint[SUGGEST_BYTES_MAX + 32];
	const char *text;

	snprintf(expected, sizeof(expected), "the name of a %s", of.what);
	text = key_scalar(reader, node, expected);
	for (size_t i = 0; text && i < of.count; i++)
		if (!strcmp(of.first + i * of.stride, text))
			return (int64_t)i;
	if (text && of.count)
		key_refuse(reader, node, "there is no %s '%.60s'%s", of.what, text,
			   key_name_hint(text, of.first, of.count, of.stride, hint, sizeof(hint)));
	return -1;
}

int64_t key_host_index(struct reader *reader, const struct yaml_node *node)
{
	const struct scenario *scenario = reader->scenario;

	return name_index(reader, node,
			  (struct named){ "host", scenario->hosts ? scenario->hosts->name : NULL,
					  scenario->host_count, sizeof(*scenario->hosts) });
}

int64_t key_switch_index(struct reader *reader, const struct yaml_node *node)
{
	const struct scenario *scenario = reader->scenario;

	return name_index(reader, node,
			  (struct named){ "switch",
					  scenario->switches ? scenario->switches->name : NULL,
					  scenario->switch_count, sizeof(*scenario->switches) });
}

int64_t key_class_index(struct reader *reader, const struct yaml_node *node)
{
	const struct scenario *scenario = reader->scenario;

	return name_index(reader, node,
			  (struct named){ "class", scenario->classes->name, scenario->class_count,
					  sizeof(*scenario->classes) });
}

void key_node_refuse(struct reader *reader, const struct yaml_node *node, const char *text)
{
	const struct scenario *scenario = reader->scenario;
	char hint[SUGGEST_BYTES_MAX + 32] = "";

	if (scenario->switch_count)
		key_name_hint(text, scenario->switches->name, scenario->switch_count,
			      sizeof(*scenario->switches), hint, sizeof(hint));
	if (!hint[0] && scenario->host_count)
		key_name_hint(text, scenario->hosts->name, scenario->host_count,
			      sizeof(*scenario->hosts), hint, sizeof(hint));
	key_refuse(reader, node, "there is no switch or host '%.60s'%s", text, hint);
}

void key_host(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	index_store(key, target, key_host_index(reader, node));
}

void key_switch(struct reader *reader, const struct key *key, const struct yaml_node *node,
		void *target)
{
	index_store(key, target, key_switch_index(reader, node));
}

void key_class(struct reader *reader, const struct key *key, const struct yaml_node *node,
	       void *target)
{
	index_store(key, target, key_class_index(reader, node));
}

void key_name(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	const char *text = key_scalar(reader, node, "a name");

	if (text && key_name_check(reader, &node->place, text))
		snprintf((char *)target + key->offset, key->bytes, "%s", text);
}

void key_text(struct reader *reader, const struct key *key, const struct yaml_node *node,
	      void *target)
{
	const char *text = key_scalar(reader, node, "a sentence");
	char **field = (char **)((char *)target + key->offset);

	if (!text)
		return;
	free(*field);
	*field = strdup(text);
	reader->out_of_memory |= !*field;
}
