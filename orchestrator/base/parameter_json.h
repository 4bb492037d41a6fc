/*  parameter_json - a structure with a table of parameters (nodes/config/parameter.h) as JSON: each
 *  number by the name of its field. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_PARAMETER_JSON_H
#define HEDDLE_ORCHESTRATOR_BASE_PARAMETER_JSON_H

#include <jansson.h>

#include "nodes/config/parameter.h"

/** parameter_json() - the field of @row in @structure: a word, true or false, else a number in the
 *  unit of the field. Return: a new reference; NULL: memory is short. */
json_t *parameter_json(const struct parameter *row, const void *structure);

/** parameters_json() - all fields of @structure, but for structures in it. Return: a new object;
 *  NULL: memory is short. */
json_t *parameters_json(const struct parameter_table *table, const void *structure);

#endif
