/*  scenario_class_map - the keys 'dscp' and 'pcp' of a class: what selects it (DU-7). */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_CLASS_MAP_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_CLASS_MAP_H

#include "orchestrator/scenario/scenario_keys.h"

/** scenario_dscp_read(), scenario_pcp_read() - a list of numbers and ranges such as [46, 32-39], or
 *  one of them, into the set of the struct class_config @target. */
key_read_fn scenario_dscp_read, scenario_pcp_read;

/** scenario_class_map_check() - refuses classes that share a value, at @node, the list of all. */
void scenario_class_map_check(struct reader *reader, const struct yaml_node *node);

#endif
