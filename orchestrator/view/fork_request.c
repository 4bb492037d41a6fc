#include "orchestrator/view/fork_request.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/shell_word.h"
#include "orchestrator/base/utf8.h"

#define STATUS_WRONG 400

/* ---- checks ---- */

/* printable, without a space and without what begins a comment of a script */
static bool is_word(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t length = json_string_length(value);

	if (!text || !length || length >= FORK_WORD_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == '#')
			return false;
	return true;
}

/* "path=value"; which files it may name, the run decides: --no-new-files */
static bool is_setting(const json_t *value)
{
	const char *text = json_string_value(value), *equals;

	if (!is_word(value) || text[0] == '-')
		return false;
	equals = strchr(text, '=');
	return equals && equals > text;
}

static int changes_check(const json_t *set, struct why *why)
{
	static const char *const keys[] = { "node", "key", "value" };
	const json_t *change;
	size_t i;

	if (set && !json_is_array(set))
		return why_say(why, STATUS_WRONG, "'set' is no array.");
	if (json_array_size(set) > FORK_CHANGES_MAX)
		return why_say(why, STATUS_WRONG, "'set' has more than %u changes.",
			       FORK_CHANGES_MAX);
	json_array_foreach (set, i, change) {
		for (size_t k = 0; k < COUNT_OF(keys); k++)
			if (!is_word(json_object_get(change, keys[k])))
				return why_say(why, STATUS_WRONG,
					       "'set' %zu has no '%s', or it is no word of less "
					       "than %u characters.",
					       i, keys[k], FORK_WORD_MAX);
	}
	return 0;
}

int fork_request_check(const json_t *request, struct why *why)
{
	const json_t *at = json_object_get(request, "at_ps"), *setting;
	const json_t *settings = json_object_get(request, "settings");
	size_t i;

	if (!json_is_object(request))
		return why_say(why, STATUS_WRONG, "The body is no object.");
	if (!json_is_integer(json_object_get(request, "of")))
		return why_say(why, STATUS_WRONG, "'of' is no number of a recording.");
	if (at && (!json_is_integer(at) || json_integer_value(at) < 0))
		return why_say(why, STATUS_WRONG, "'at_ps' is no time in picoseconds.");
	if (!at && json_array_size(json_object_get(request, "set")))
		return why_say(why, STATUS_WRONG, "'set' needs 'at_ps', the time of the changes.");
	if (settings && !json_is_array(settings))
		return why_say(why, STATUS_WRONG, "'settings' is no array.");
	json_array_foreach (settings, i, setting) {
		if (!is_setting(setting))
			return why_say(why, STATUS_WRONG, "'settings' %zu is not PATH=VALUE.", i);
	}
	return changes_check(json_object_get(request, "set"), why);
}

/* ---- what it means ---- */

static json_int_t at_of(const json_t *change)
{
	return member_number(change, "at_ps");
}

json_t *fork_changes(const json_t *before, const json_t *request, struct why *why)
{
	json_t *changes = before ? json_deep_copy(before) : json_array();
	size_t count = json_array_size(changes);
	json_t *set = json_object_get(request, "set");

	if (count && at_of(request) < at_of(json_array_get(changes, count - 1))) {
		why_say(why, 0,
			"'at_ps' is before the changes of recording %" JSON_INTEGER_FORMAT ".",
			member_number(request, "of"));
		json_decref(changes);
		return NULL;
	}
	if (json_array_size(set) &&
	    json_array_append_new(changes,
				  json_pack("{s:I, s:O}", "at_ps", at_of(request), "set", set))) {
		why_say(why, 0, "Memory is short.");
		json_decref(changes);
		return NULL;
	}
	return changes;
}

json_t *fork_settings(const json_t *before, const json_t *request)
{
	json_t *settings = before ? json_copy((json_t *)before) : json_array();
	json_t *more = json_object_get(request, "settings");

	if (more)
		json_array_extend(settings, more);
	return settings;
}

static const char *word_of(const json_t *change, const char *key)
{
	return json_string_value(json_object_get(change, key));
}

/* one command of a script; @shell: as a word for a shell */
static void __attribute__((format(printf, 3, 4)))
line_put(FILE *out, bool shell, const char *format, ...)
{
	char line[3 * FORK_WORD_MAX + 32];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (shell)
		fputc(' ', out);
	if (shell)
		shell_word_print(line, out);
	else
		fprintf(out, "%s\n", line);
}

static void script_put(const json_t *changes, bool shell, FILE *out)
{
	const json_t *change, *one;
	size_t i, k;

	json_array_foreach (changes, i, change) {
		if (i)
			line_put(out, shell, "continue %" JSON_INTEGER_FORMAT "ps", at_of(change));
		json_array_foreach (json_object_get(change, "set"), k, one) {
			line_put(out, shell, "set %s %s %s", word_of(one, "node"),
				 word_of(one, "key"), word_of(one, "value"));
		}
	}
}

char *fork_script(const json_t *changes)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	script_put(changes, false, out);
	return fclose(out) ? NULL : text;
}

json_t *fork_command(const char *scenario, const char *variant, const json_t *settings,
		     const json_t *changes)
{
	char *text = NULL;
	const json_t *setting;
	json_t *command;
	size_t length, i;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	if (json_array_size(changes)) {
		fputs("printf '%s\\n'", out);
		script_put(changes, true, out);
		fputs(" | ", out);
	}
	fputs("heddle run ", out);
	shell_word_print(scenario, out);
	if (variant)
		fputs(" --variant ", out);
	if (variant)
		shell_word_print(variant, out);
	json_array_foreach (settings, i, setting) {
		fputs(" --set ", out);
		shell_word_print(json_string_value(setting), out);
	}
	if (json_array_size(changes))
		fprintf(out, " --break-at %" JSON_INTEGER_FORMAT "ps",
			at_of(json_array_get(changes, 0)));
	fputs(" --record FILE", out);
	if (fclose(out))
		return NULL;
	command = utf8_json(text);
	free(text);
	return command;
}
