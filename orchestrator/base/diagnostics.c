#include "orchestrator/base/diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/utf8.h"

void scenario_errors_add_v(struct scenario_errors *errors, const char *file, int line, int column,
			   const char *format, va_list arguments)
{
	char *sentence, *text;

	if (errors->count++ >= SCENARIO_ERRORS_MAX)
		return;
	if (vasprintf(&sentence, format, arguments) < 0)
		sentence = NULL;
	if ((line ? asprintf(&text, "%s:%d:%d: %s", file, line, column,
			     sentence ? sentence : "out of memory")
		  : asprintf(&text, "%s: %s", file, sentence ? sentence : "out of memory")) < 0)
		text = NULL;
	if (text)
		utf8_plain(text);
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

void scenario_errors_free(struct scenario_errors *errors)
{
	for (unsigned i = 0; i < SCENARIO_ERRORS_MAX; i++)
		free(errors->texts[i]);
	memset(errors, 0, sizeof(*errors));
}
