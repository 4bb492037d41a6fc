#include "orchestrator/base/yaml_reader.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/yaml_anchor.h"

struct reading {
	const char *file;
	uint32_t setting;
	struct scenario_errors *errors;
	struct yaml_node *stack[YAML_DEPTH_MAX]; /* open mappings and sequences */
	unsigned depth;
	char *key; /* of the next value */
	struct scenario_place key_place;
	struct yaml_node *root;
	struct yaml_size size;
	bool ended; /* the document is complete */
	struct yaml_anchors anchors;
	int error;
};

/* Adds an error; within a --set there are no lines. */
static __attribute__((format(printf, 3, 4))) int
refuse(struct reading *reading, struct scenario_place place, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	scenario_errors_add_v(reading->errors, reading->file, reading->setting ? 0 : place.line,
			      place.column, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* how many bytes the UTF-8 character at @at has; 0 if it is none or not printable */
static size_t character_bytes(const unsigned char *at, size_t left)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = { { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	if (at[0] < 0x80)
		return (at[0] >= 0x20 && at[0] != 0x7f) || at[0] == '\n' || at[0] == '\r' ||
		       at[0] == '\t';
	for (size_t form = 0; form < 3; form++) {
		uint32_t code = at[0] & (unsigned char)~forms[form].mask;
		size_t i;

		if ((at[0] & forms[form].mask) != forms[form].lead || left < form + 2)
			continue;
		for (i = 1; i <= form + 1 && (at[i] & 0xc0) == 0x80; i++)
			code = code << 6 | (at[i] & 0x3fu);
		if (i != form + 2 || code < forms[form].least || code > 0x10ffff ||
		    (code >= 0xd800 && code < 0xe000) || code < 0xa0 || code == 0x2028 ||
		    code == 0x2029 || code == 0xfeff || (code & 0xfffe) == 0xfffe)
			return 0;
		return form + 2;
	}
	return 0;
}

bool yaml_text_mend(char *text)
{
	size_t left = strlen(text), bytes;
	bool any = false;

	for (; left; text += bytes, left -= bytes) {
		bytes = character_bytes((const unsigned char *)text, left);
		if (bytes)
			continue;
		bytes = 1;
		*text = '?';
		any = true;
	}
	return any;
}

static int check_characters(struct reading *reading, const char *text, size_t length)
{
	struct scenario_place place = { .setting = reading->setting, .line = 1, .column = 1 };

	for (size_t i = 0; i < length;) {
		size_t bytes = character_bytes((const unsigned char *)text + i, length - i);

		if (!bytes)
			return refuse(reading, place,
				      "this is not text: a scenario is YAML in UTF-8");
		if (text[i] == '\n') {
			place.line++;
			place.column = 0;
		}
		place.column++;
		i += bytes;
	}
	return 0;
}

static struct scenario_place place_at(const struct reading *reading, const char *text, size_t at)
{
	struct scenario_place place = { .setting = reading->setting, .line = 1, .column = 1 };

	for (size_t i = 0; i < at; i++) {
		place.column = text[i] == '\n' ? 1 : place.column + 1;
		place.line += text[i] == '\n';
	}
	return place;
}

/* does a part of a document begin or end with the first sign of @text, if it is no text itself? */
static bool is_sign(const char *text, size_t left)
{
	if (memchr(",[{&*!", text[0], 6))
		return true;
	return memchr(":?-", text[0], 3) && left > 1 && memchr(" \t\r\n", text[1], 4);
}

/* before libfyaml takes memory for them */
static int check_signs(struct reading *reading, const char *text, size_t length)
{
	uint32_t open = 0, signs = 0;

	for (size_t i = 0; i < length; i++) {
		open += text[i] == '[' || text[i] == '{';
		open -= open && (text[i] == ']' || text[i] == '}');
		signs += is_sign(text + i, length - i);
		if (open > YAML_BRACKETS_MAX)
			return refuse(reading, place_at(reading, text, i),
				      "too many brackets are open here: the document is nested too "
				      "deeply (12 levels at most)");
		if (signs > YAML_SIGNS_MAX)
			return refuse(reading, place_at(reading, text, i),
				      "the document has too many values (200000 at most)");
	}
	return 0;
}

/* The place of an event. A missing value has none: then it is that of its key, or of what contains
 * it. */
static struct scenario_place place_of(const struct reading *reading, struct fy_event *event)
{
	const struct fy_mark *mark = fy_event_start_mark(event);

	if (mark)
		return (struct scenario_place){ reading->setting, mark->line + 1,
						mark->column + 1 };
	if (reading->key)
		return reading->key_place;
	return reading->depth ? reading->stack[reading->depth - 1]->place
			      : (struct scenario_place){ reading->setting, 1, 1 };
}

/* Adds a new node at the current position of the document. */
static int add_node(struct reading *reading, enum yaml_kind kind, struct scenario_place place,
		    struct yaml_node **node)
{
	struct yaml_node *parent = reading->depth ? reading->stack[reading->depth - 1] : NULL;

	if (++reading->size.nodes > YAML_NODES_MAX)
		return refuse(reading, place, "the document has too many values (200000 at most)");
	*node = yaml_node_new(kind, NULL);
	if (!*node)
		return -ENOMEM;
	(*node)->place = place;
	if (!parent) {
		reading->root = *node;
		return 0;
	}
	(*node)->key = reading->key;
	(*node)->key_place = reading->key_place;
	reading->key = NULL;
	yaml_append(parent, *node);
	return 0;
}

static int open_node(struct reading *reading, enum yaml_kind kind, struct scenario_place place)
{
	struct yaml_node *node;
	int error;

	if (reading->depth && reading->stack[reading->depth - 1]->kind == YAML_MAPPING &&
	    !reading->key)
		return refuse(reading, place, "a key must be a plain word");
	if (reading->depth == YAML_DEPTH_MAX)
		return refuse(reading, place,
			      "the document is nested too deeply (12 levels at most)");
	error = add_node(reading, kind, place, &node);
	if (!error)
		reading->stack[reading->depth++] = node;
	return error;
}

static int on_scalar(struct reading *reading, struct fy_event *event)
{
	struct scenario_place place = place_of(reading, event);
	struct yaml_node *node;
	size_t length = 0;
	const char *text = fy_token_get_text(event->scalar.value, &length);
	char *copy;
	int error;

	if (length && memchr(text, 0, length))
		return refuse(reading, place, "a value must not contain the character 0");
	copy = strndup(text ? text : "", length);
	if (!copy)
		return -ENOMEM;
	if (reading->depth && reading->stack[reading->depth - 1]->kind == YAML_MAPPING &&
	    !reading->key) {
		reading->key = copy;
		reading->key_place = place;
		return 0;
	}
	error = add_node(reading, YAML_SCALAR, place, &node);
	if (error)
		free(copy);
	else
		node->text = copy;
	return error;
}

/* ---- anchors ---- */

static const struct fy_token *anchor_token(const struct fy_event *event)
{
	switch (event->type) {
	case FYET_SCALAR:
		return event->scalar.anchor;
	case FYET_SEQUENCE_START:
		return event->sequence_start.anchor;
	case FYET_MAPPING_START:
		return event->mapping_start.anchor;
	case FYET_ALIAS:
		return event->alias.anchor;
	default:
		return NULL;
	}
}

static void anchor_name(const struct fy_event *event, char *name, size_t name_max)
{
	const struct fy_token *token = anchor_token(event);
	size_t length = 0;
	const char *text =
		token ? fy_token_get_text((struct fy_token *)(uintptr_t)token, &length) : NULL;

	snprintf(name, name_max, "%.*s", text ? (int)length : 0, text ? text : "");
}

/* remembers @node as the one that the anchor of @event names */
static int anchor_add(struct reading *reading, const struct fy_event *event,
		      const struct yaml_node *node)
{
	char name[YAML_ANCHOR_NAME_MAX];

	anchor_name(event, name, sizeof(name));
	if (!yaml_anchor_add(&reading->anchors, name, node))
		return 0;
	return refuse(reading, node->place, "the document has too many anchors (%u at most)",
		      YAML_ANCHORS_MAX);
}

/* the error of a copy, at @place */
static int copy_failed(struct reading *reading, struct scenario_place place, int error)
{
	if (error == -E2BIG)
		return refuse(reading, place, "the document has too many values (200000 at most)");
	if (error == -EFBIG)
		return refuse(reading, place,
			      "what aliases (*) copy is too long (16 MiB of text at most)");
	if (error == -ELOOP)
		return refuse(reading, place,
			      "the document is nested too deeply (12 levels at most)");
	if (error == -EINVAL)
		return refuse(reading, place, "'<<' takes a mapping, or a list of mappings");
	return error;
}

static bool is_open(const struct reading *reading, const struct yaml_node *node)
{
	for (unsigned i = 0; i < reading->depth; i++)
		if (reading->stack[i] == node)
			return true;
	return false;
}

static int on_alias(struct reading *reading, struct fy_event *event)
{
	struct scenario_place place = place_of(reading, event);
	const struct yaml_node *from;
	struct yaml_node *node;
	char name[YAML_ANCHOR_NAME_MAX];
	int error;

	anchor_name(event, name, sizeof(name));
	from = yaml_anchor_find(&reading->anchors, name);
	if (!from)
		return refuse(reading, place, "no anchor '&%s' stands before this", name);
	if (is_open(reading, from))
		return refuse(reading, place, "'*%s' stands within what it names", name);
	if (reading->depth && reading->stack[reading->depth - 1]->kind == YAML_MAPPING &&
	    !reading->key)
		return refuse(reading, place, "a key must be a plain word");
	error = add_node(reading, from->kind, place, &node);
	if (!error)
		error = copy_failed(reading, place,
				    yaml_copy(from, node, reading->depth, &reading->size));
	return error;
}

/* ---- ends ---- */

/* by key, then by place */
static int node_compare(const void *a, const void *b)
{
	const struct yaml_node *left = *(struct yaml_node *const *)a,
			       *right = *(struct yaml_node *const *)b;
	int order = strcmp(left->key, right->key);

	if (order)
		return order;
	order = left->key_place.line - right->key_place.line;
	return order ? order : left->key_place.column - right->key_place.column;
}

static int check_duplicates(struct reading *reading, const struct yaml_node *mapping)
{
	struct yaml_node **sorted;
	uint32_t count = 0;
	int error = 0;

	if (mapping->count < 2)
		return 0;
	sorted = calloc(mapping->count, sizeof(struct yaml_node *));
	if (!sorted)
		return -ENOMEM;
	for (struct yaml_node *child = mapping->first; child; child = child->next)
		sorted[count++] = child;
	qsort(sorted, count, sizeof(struct yaml_node *), node_compare);
	for (uint32_t i = 1; i < count && !error; i++) {
		if (strcmp(sorted[i - 1]->key, sorted[i]->key))
			continue;
		error = refuse(reading, sorted[i]->key_place, "'%.60s' is already given in line %d",
			       sorted[i]->key, sorted[i - 1]->key_place.line);
	}
	free(sorted);
	return error;
}

static int close_node(struct reading *reading)
{
	struct yaml_node *node = reading->stack[--reading->depth];

	int error = node->kind == YAML_MAPPING ? check_duplicates(reading, node) : 0;

	if (!error && reading->anchors.allowed && node->kind == YAML_MAPPING)
		error = copy_failed(
			reading, node->place,
			yaml_merge(&reading->anchors, node, reading->depth, &reading->size));
	return error;
}

static bool has_tag(const struct fy_event *event)
{
	switch (event->type) {
	case FYET_SCALAR:
		return event->scalar.tag;
	case FYET_SEQUENCE_START:
		return event->sequence_start.tag;
	case FYET_MAPPING_START:
		return event->mapping_start.tag;
	default:
		return false;
	}
}

/* are there parts that are not allowed in this document? */
static int check_event(struct reading *reading, struct fy_event *event)
{
	if (!reading->anchors.allowed && (anchor_token(event) || has_tag(event)))
		return refuse(reading, place_of(reading, event),
			      "anchors (&), aliases (*) and tags (!) have no place in a scenario: "
			      "write the value out");
	if (has_tag(event))
		return refuse(reading, place_of(reading, event),
			      "tags (!) have no place in this file");
	if (reading->ended && event->type != FYET_STREAM_END)
		return refuse(reading, place_of(reading, event),
			      "a second document begins here: a file is one %s",
			      reading->anchors.allowed ? "topology" : "scenario");
	return 0;
}

/* the value that @event has begun: the last one of what is open, or what was opened */
static const struct yaml_node *value_of(const struct reading *reading, const struct fy_event *event)
{
	if (event->type != FYET_SCALAR)
		return reading->stack[reading->depth - 1];
	if (!reading->depth)
		return reading->root;
	return reading->key ? NULL : reading->stack[reading->depth - 1]->last;
}

static int on_checked(struct reading *reading, struct fy_event *event)
{
	switch (event->type) {
	case FYET_SCALAR:
		return on_scalar(reading, event);
	case FYET_SEQUENCE_START:
		return open_node(reading, YAML_SEQUENCE, place_of(reading, event));
	case FYET_MAPPING_START:
		return open_node(reading, YAML_MAPPING, place_of(reading, event));
	case FYET_SEQUENCE_END:
	case FYET_MAPPING_END:
		return close_node(reading);
	case FYET_DOCUMENT_END:
		reading->ended = true;
		return 0;
	case FYET_ALIAS:
		return on_alias(reading, event);
	default:
		return 0;
	}
}

static int on_event(struct reading *reading, struct fy_event *event)
{
	const struct yaml_node *value = NULL;
	int error = check_event(reading, event);

	if (!error)
		error = on_checked(reading, event);
	if (!error && event->type != FYET_ALIAS && anchor_token(event))
		value = value_of(reading, event);
	return error || !value ? error : anchor_add(reading, event, value);
}

/* Explains an error of libfyaml to the author of a scenario; libfyaml's own text if it is not
 * known here. */
static const char *syntax_text(const char *message)
{
	static const struct {
		const char *part, *text;
	} texts[] = {
		{ "indendation in sequence",
		  "'-' stands among the keys of a mapping: indent the list below its key" },
		{ "indented sequence item", "'-' is not indented as the others of its list" },
		{ "block sequence entries not allowed",
		  "'-' begins a list where none can be: begin it on a line of its own" },
		{ "invalid indentation in mapping",
		  "this line is not indented as the lines that it belongs to" },
		{ "invalid nested block mapping",
		  "two 'key: value' stand on one line: write {key: value, key: value}" },
		{ "invalid mapping in plain multiline",
		  "two 'key: value' stand on one line, or the line before lacks its ':'" },
		{ "could not find expected ':'", "a key lacks its ':'" },
		{ "missing ':'", "a key lacks its ':'" },
		{ "invalid multiline plain key", "a key lacks its ':'" },
		{ "scalar at the end of block sequence",
		  "a key stands in a list: indent it as those of its '-', or less" },
		{ "did not find expected key", "a key is expected here, as in 'rate: 200Gb/s'" },
		{ "missing comma in flow mapping", "',' or '}' is missing before this" },
		{ "missing comma in flow sequence", "',' or ']' is missing before this" },
		{ "without a closing bracket", "']' or '}' is missing" },
		{ "tab", "a line is indented with a tab: use spaces" },
		{ "indented double-quoted scalar", "a text in \" lacks its end" },
		{ "indented single-quoted scalar", "a text in ' lacks its end" },
	};

	for (size_t i = 0; message && i < COUNT_OF(texts); i++) {
		if (strstr(message, texts[i].part))
			return texts[i].text;
	}
	return message ? message : "expected YAML, which this line is not";
}

/* is there a tab in the indentation of the @line-th line of @text? */
static bool tab_indents(const char *text, size_t length, int line)
{
	const char *end = text ? text + length : NULL;

	while (text && --line > 0) {
		text = memchr(text, '\n', (size_t)(end - text));
		if (text)
			text++;
	}
	while (text && text < end && *text == ' ')
		text++;
	return text && text < end && *text == '\t';
}

/* Reports the first error of libfyaml in @text. A text that goes on in a line with a tab has its
 * error where it begins. */
static int report_syntax(struct reading *reading, struct fy_diag *diag, const char *text,
			 size_t length)
{
	struct scenario_place place = { .line = 1, .column = 1 };
	struct fy_diag_error *error;
	const char *message;
	void *iterator = NULL;

	error = fy_diag_errors_iterate(diag, &iterator);
	message = error ? error->msg : NULL;
	if (error && error->line > 0)
		place = (struct scenario_place){ .line = error->line,
						 .column = error->column > 0 ? error->column : 1 };
	if (tab_indents(text, length, place.line + 1)) {
		place = (struct scenario_place){ .line = place.line + 1, .column = 1 };
		message = "tab";
	}
	return refuse(reading, place, "this is not YAML: %.200s", syntax_text(message));
}

static int read_events(struct reading *reading, struct fy_parser *parser, struct fy_diag *diag,
		       const char *text, size_t length)
{
	struct fy_event *event;
	int error = 0;

	while (!error && (event = fy_parser_parse(parser))) {
		error = on_event(reading, event);
		fy_parser_event_free(parser, event);
	}
	if (!error && (fy_parser_get_stream_error(parser) || fy_diag_got_error(diag)))
		error = report_syntax(reading, diag, text, length);
	return error;
}

static int read_text(struct reading *reading, const char *text, size_t length)
{
	struct fy_diag *diag = fy_diag_create(NULL);
	struct fy_parse_cfg config = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE,
				       .diag = diag };
	struct fy_parser *parser;
	int error = -ENOMEM;

	if (!diag)
		return -ENOMEM;
	fy_diag_set_collect_errors(diag, true);
	parser = fy_parser_create(&config);
	if (parser && !fy_parser_set_string(parser, text, length))
		error = read_events(reading, parser, diag, text, length);
	fy_parser_destroy(parser);
	fy_diag_destroy(diag);
	return error;
}

/* A copy of @text whose tabs are spaces, but for those that indent a line: they are an error. Some
 * versions of libfyaml crash when a tab separates the parts of a pair that begins with '? '. */
static char *text_spaced(const char *text, size_t length)
{
	char *copy = malloc(length);
	bool indent = true;

	for (size_t i = 0; copy && i < length; i++) {
		copy[i] = text[i] == '\t' && !indent ? ' ' : text[i];
		indent = text[i] == '\n' || (indent && (text[i] == ' ' || text[i] == '\t'));
	}
	return copy;
}

static int document_read(struct reading *reading, const char *text, size_t length,
			 struct yaml_node **root)
{
	char *spaced = NULL;
	int error;

	if (length >= 3 &&
	    !memcmp(text, "\xef\xbb\xbf", 3)) { /* the mark that some editors write */
		text += 3;
		length -= 3;
	}
	error = check_characters(reading, text, length);
	if (!error)
		error = check_signs(reading, text, length);
	if (!error && length) {
		spaced = text_spaced(text, length);
		error = spaced ? read_text(reading, spaced, length) : -ENOMEM;
	}
	if (!error && !reading->root) {
		reading->root = yaml_node_new(YAML_SCALAR, NULL);
		error = reading->root && (reading->root->text = strdup("")) ? 0 : -ENOMEM;
		if (!error)
			reading->root->place = (struct scenario_place){ reading->setting, 1, 1 };
	}
	free(reading->key);
	free(spaced);
	yaml_anchors_free(&reading->anchors);
	if (error) {
		yaml_free(reading->root);
		return error;
	}
	*root = reading->root;
	return 0;
}

int yaml_read(const char *file, const char *text, size_t length, uint32_t setting,
	      struct yaml_node **root, struct scenario_errors *errors)
{
	struct reading reading = { .file = file, .setting = setting, .errors = errors };

	return document_read(&reading, text, length, root);
}

int yaml_read_anchored(const char *file, const char *text, size_t length, struct yaml_node **root,
		       struct scenario_errors *errors)
{
	struct reading reading = { .file = file, .errors = errors, .anchors.allowed = true };

	return document_read(&reading, text, length, root);
}
