/*  settings - the "path=value" of --set, put into the YAML tree before it is read, so that a setting may do whatever
 *  the file may do, and is checked the same way.
 *
 *  A path is keys joined by dots; an element of a sequence is named by its number from 0 or, if it has one, by the
 *  value of its 'name'. Keys that are missing are made; the number behind the last element adds one. A value is YAML.
 */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SETTINGS_H
#define HEDDLE_ORCHESTRATOR_BASE_SETTINGS_H

#include "orchestrator/base/yaml_reader.h"

/** settings_apply() - puts @text ("path=value") into the tree @root.
 *  @label    "--set path=value", stands for the file in errors.   @number  1 for the first --set: goes into places.
 *  Return: 0; -EINVAL with one error added; -ENOMEM.                                                             */
int settings_apply(struct yaml_node *root, const char *text, const char *label, uint32_t number,
		   struct scenario_errors *errors);

/** settings_put() - puts @value at the path @value->key into the tree @root: a setting that is YAML already, and keeps its place.
 *  @value  taken, also on failure.   @file  for errors.   Return: as above.                                        */
int settings_put(struct yaml_node *root, struct yaml_node *value, const char *file, struct scenario_errors *errors);

#endif
