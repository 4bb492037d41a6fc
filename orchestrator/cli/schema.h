/*  schema - what `--json` of each command prints, as JSON Schemas (draft 2020-12; DU-10).
 *
 *  The source is schema/NAME.fields, a line for each key, which is part of the program:
 *      schema ps 1 - one line          name ("lab check" is lab-check), version, what it is about
 *      array | object [- when]         a form of the output, its keys below by two columns further;
 *                                      of several forms the output has one
 *      KEY: TYPE [UNIT] [- meaning]    KEY[] is an array of TYPE; KEY? and KEY[]? may be missing
 *      define NAME                     keys that several have; "@NAME" is their TYPE
 *  TYPE is text, int, number, bool, any, null, object (keys below), "map TYPE" (any keys), a word
 *  that is the value itself, several of them with | between, or "counters LIST [nonzero]", the rows
 *  of the registry of counters (results/statistics.h): ports, port-congestion, port-paths,
 *  port-pauses, classes, nodes, transports, totals or drops. nonzero: those that are 0 are missing.
 *  A key that ends in _ns, _bytes, ... has this unit without a word. # begins a comment line. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_SCHEMA_H
#define HEDDLE_ORCHESTRATOR_CLI_SCHEMA_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "nodes/base/why.h"

/* all files schema/NAME.fields, one after the other */
extern const char schema_text[];
extern const size_t schema_length;

/** schema_read() - all schemas in the @length bytes at @text: an object of JSON Schemas by name.
 *  @why  what is wrong, with the number of the line.
 *  Return: json_decref() later; NULL: @text is wrong. */
json_t *schema_read(const char *text, size_t length, struct why *why);

/** schema_fields_print() - the keys of @schema, a line each: path, type, unit, meaning. */
void schema_fields_print(const json_t *schema, FILE *out);

#endif
