#include "orchestrator/base/diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/utf8.h"

void scenario_errors_add_v(struct scenario_errors *errors, const char *file, int line, int column,
			   const char *format, va_list arguments)
{
	struct scenario_error_place *place;
	char *sentence, *text;
	int length;

	if (errors->count++ >= SCENARIO_ERRORS_MAX)
		return;
	if (vasprintf(&sentence, format, arguments) < 0)
		sentence = NULL;
	length = line ? asprintf(&text, "%s:%d:%d: %s", file, line, column,
				 sentence ? sentence : "out of memory")
		      : asprintf(&text, "%s: %s", file, sentence ? sentence : "out of memory");
	if (length < 0)
		text = NULL;
	if (text) { /* it stays as long as it is */
		utf8_mend(text);
		utf8_plain(text);
	}
	place = &errors->places[errors->count - 1];
	*place = (struct scenario_error_place){ line, line ? column : 0, strlen(file), 0 };
	if (text)
		place->sentence = (size_t)length - strlen(sentence ? sentence : "out of memory");
	errors->texts[errors->count - 1] = text;
	free(sentence);
}

void scenario_errors_add(struct scenario_errors *errors, const char *file, int line, int column,
			 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	scenario_errors_add_v(errors, file, line, column, format, arguments);
	va_end(arguments);
}

void scenario_errors_print(const struct scenario_errors *errors, FILE *out)
{
	for (unsigned i = 0; i < errors->count && i < SCENARIO_ERRORS_MAX; i++)
		fprintf(out, "%s\n", errors->texts[i] ? errors->texts[i] : "out of memory");
	if (errors->count > SCENARIO_ERRORS_MAX)
		fprintf(out, "... and %u more\n", errors->count - SCENARIO_ERRORS_MAX);
}

static json_t *number_or_null(int number)
{
	return number ? json_integer(number) : json_null();
}

json_t *scenario_errors_json(const struct scenario_errors *errors)
{
	static const char none[] = "out of memory";
	json_t *list = json_array();

	for (unsigned i = 0; i < errors->count && i < SCENARIO_ERRORS_MAX; i++) {
		const struct scenario_error_place *place = &errors->places[i];
		const char *text = errors->texts[i];

		if (text)
			json_array_append_new(list,
					      json_pack("{s:s%, s:o, s:o, s:s, s:s}", "file", text,
							place->file_bytes, "line",
							number_or_null(place->line), "column",
							number_or_null(place->column), "message",
							text + place->sentence, "text", text));
		else
			json_array_append_new(list,
					      json_pack("{s:n, s:n, s:n, s:s, s:s}", "file", "line",
							"column", "message", none, "text", none));
	}
	return list;
}

void scenario_errors_free(struct scenario_errors *errors)
{
	for (unsigned i = 0; i < SCENARIO_ERRORS_MAX; i++)
		free(errors->texts[i]);
	memset(errors, 0, sizeof(*errors));
}
