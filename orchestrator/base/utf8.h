/*  utf8 - makes text from outside (the name of a file, the last message of a node) safe for JSON
 *  and for terminals. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_UTF8_H
#define HEDDLE_ORCHESTRATOR_BASE_UTF8_H

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

/** utf8_mend() - leaves @text as it is if it is UTF-8; else each byte that is not ASCII becomes
 *  '?', in place. JSON takes UTF-8 only. */
void utf8_mend(char *text);

/** utf8_json() - @text as a JSON string, mended as by utf8_mend(). For the name of a file.
 *  Return: json_decref() later; NULL if memory is short. */
json_t *utf8_json(const char *text);

/** utf8_length() - the number of bytes of @text, at most @bytes_max, that are whole characters. For
 *  "%.*s". @text is UTF-8. */
int utf8_length(const char *text, unsigned bytes_max);

/** utf8_columns() - how many characters @text has. */
int utf8_columns(const char *text);

/** utf8_pad() - writes @text in @columns at least, at their right; at their left if @columns is
 *  negative: as "%*s", which counts bytes. */
void utf8_pad(FILE *out, int columns, const char *text);

/** utf8_plain() - replaces each control character of @text by '?', in place, also escape and
 *  newline. So a name from outside can neither command a terminal nor look like a line of ours. A
 *  tab stays. */
void utf8_plain(char *text);

/** utf8_plain_lines() - the same for text of several lines, such as a node's table: newlines
 *  stay. */
void utf8_plain_lines(char *text);

/** utf8_say() - writes @format as one plain line to @out, after @prefix.  O(length). */
void utf8_say(FILE *out, const char *prefix, const char *format, va_list arguments);

#endif
