/*  settings - applies the "path=value" of --set to the YAML tree before it is read. So a setting
 *  can do all that the file can, and is checked in the same way.
 *
 *  A path consists of keys joined by dots. An element of a sequence is named by its number from 0
 *  or, if it has one, by the value of its 'name'. Missing keys are created; the number after the
 *  last element appends one. A value is YAML. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SETTINGS_H
#define HEDDLE_ORCHESTRATOR_BASE_SETTINGS_H

#include "orchestrator/base/yaml_reader.h"

/** settings_apply() - applies @text ("path=value") to the tree @root.
 *  @label    "--set path=value", replaces the file's name in errors.   @number  1 for the first
 *  --set: recorded in places.
 *  Return: 0; -EINVAL with one error added; -ENOMEM. */
int settings_apply(struct yaml_node *root, const char *text, const char *label, uint32_t number,
		   struct scenario_errors *errors);

/** settings_put() - puts @value at the path @value->key of the tree @root. It is parsed YAML and
 *  keeps its place.
 *  @value  taken, also on failure.   @file  for errors.   Return: as settings_apply(). */
int settings_put(struct yaml_node *root, struct yaml_node *value, const char *file,
		 struct scenario_errors *errors);

#endif
