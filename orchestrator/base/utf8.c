#include "orchestrator/base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void utf8_mend(char *text)
{
	json_t *string = json_string(text);

	json_decref(string);
	for (; !string && *text; text++)
		if (*text & 0x80)
			*text = '?';
}

json_t *utf8_json(const char *text)
{
	char *copy = strdup(text);
	json_t *string = NULL;

	if (copy) {
		utf8_mend(copy);
		string = json_string(copy);
	}
	free(copy);
	return string;
}

int utf8_length(const char *text, unsigned bytes_max)
{
	size_t length = strnlen(text, bytes_max);

	if (text[length])
		for (; length && (text[length] & 0xc0) == 0x80; length--)
			; /* the byte after the cut continues a character */
	return (int)length;
}

int utf8_columns(const char *text)
{
	int columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

void utf8_pad(FILE *out, int columns, const char *text)
{
	int more = (int)strlen(text) - utf8_columns(text);

	fprintf(out, "%*s", columns < 0 ? columns - more : columns + more, text);
}

static void plain(char *text, bool lines)
{
	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		bool second = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0; /* U+0080 to U+009F */

		if ((*at < 0x20 && *at != '\t' && !(lines && *at == '\n')) || *at == 0x7f)
			*at = '?';
		else if (second)
			at[0] = at[1] = '?';
	}
}

void utf8_plain(char *text)
{
	plain(text, false);
}

void utf8_plain_lines(char *text)
{
	plain(text, true);
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
