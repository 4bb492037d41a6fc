/*  scenario_parameters - reads the parameters of a structure from a section of a scenario, by the
 *  table of the structure (nodes/config/parameter.h). */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PARAMETERS_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PARAMETERS_H

#include "nodes/config/parameter.h"
#include "orchestrator/scenario/scenario_keys.h"

/*  A key with dots, "pfc.pause", is key `pause` of the mapping `pfc`. A mapping whose first row
 *  has no help is a mechanism: a value of that row may be in its place, such as no for
 *  {enabled: no}. If it is a flag, any key of the mapping turns it on. */
struct parameters_reading {
	const struct parameter_table *table;
	void *structure;
	/* another such structure, NULL: not needed; a field that is given becomes 1 here */
	void *given;
	/* keys that the section reads with code of its own, into @target: those that are no rows,
	 * which come first, and those that are, with their whole key as the name */
	const struct key *keys;
	size_t key_count;
	void *target;
	const char *group; /* NULL: all keys; "pfc.": those of the mapping `pfc` */
	/* another structure whose keys are in the same mapping, after these; NULL: none */
	const struct parameters_reading *also;
};

/** scenario_parameters_read() - reads @mapping, which @what names in errors; keys_read(). */
void scenario_parameters_read(struct reader *reader, const struct yaml_node *mapping,
			      const char *what, const struct parameters_reading *reading);

/** scenario_parameter_parse() - reads @text, a value of @row as a scenario has it. @name is that of
 *  the key in errors.
 *  Return: true with the number of the field in @value; false with an error in @errors. */
bool scenario_parameter_parse(const struct parameter *row, const char *name, const char *text,
			      uint64_t *value, struct scenario_errors *errors);

#endif
