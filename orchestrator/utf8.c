#include "orchestrator/utf8.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

void utf8_mend(char *text)
{
	json_t *string = json_string(text);

	json_decref(string);
	for (; !string && *text; text++)
		if (*text & 0x80)
			*text = '?';
}

void utf8_plain(char *text)
{
	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		bool second = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0; /* U+0080 to U+009F */

		if ((*at < 0x20 && *at != '\t') || *at == 0x7f)
			*at = '?';
		else if (second)
			at[0] = at[1] = '?';
	}
}

void utf8_say(FILE *out, const char *prefix, const char *format, va_list arguments)
{
	char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	if (text)
		utf8_plain(text);
	fprintf(out, "%s%s\n", prefix, text ? text : "out of memory");
	free(text);
}
