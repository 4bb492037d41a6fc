/*  json_text - a JSON value as text, for programs. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_JSON_TEXT_H
#define HEDDLE_ORCHESTRATOR_BASE_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

/** json_text_write() - writes @value, taken, and a newline.  @flags  of json_dumpf().
 *  Return: 0; -ENOMEM: @value is NULL; -errno of the write that failed. */
int json_text_write(json_t *value, size_t flags, FILE *out);

#endif
