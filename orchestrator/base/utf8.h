/*  utf8 - text from outside (a file's name, a node's last words) that is to go into JSON, which takes UTF-8 only.     */
#ifndef HEDDLE_ORCHESTRATOR_BASE_UTF8_H
#define HEDDLE_ORCHESTRATOR_BASE_UTF8_H

#include <stdarg.h>
#include <stdio.h>

/** utf8_mend() - @text as it is if it is UTF-8; else every byte of it that is no ASCII becomes '?', in place. */
void utf8_mend(char *text);

/** utf8_length() - how many bytes of @text, at most @bytes_max, are whole characters, where it is UTF-8: for "%.*s". */
int utf8_length(const char *text, unsigned bytes_max);

/** utf8_plain() - every control character of @text, escape and the end of a line too, becomes '?', in place: what names say
 *  from outside must neither command a terminal nor look like a line of ours. A tab stays.                          */
void utf8_plain(char *text);

/** utf8_plain_lines() - the same for text of several lines, such as a node's table: ends of lines stay. */
void utf8_plain_lines(char *text);

/** utf8_say() - writes @format as one plain line to @out, after @prefix.  O(length). */
void utf8_say(FILE *out, const char *prefix, const char *format, va_list arguments);

#endif
