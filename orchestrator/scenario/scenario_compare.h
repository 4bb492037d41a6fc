/*  scenario_compare - section 'compare' of a scenario: its variants, and the columns of their
 *  table. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_COMPARE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_COMPARE_H

#include "orchestrator/scenario/scenario_keys.h"

key_read_fn scenario_compare_read;

/** scenario_compare_apply() - puts the settings of variant @variant into the tree @root of
 *  @scenario, before it is read.
 *  Return: 0; -EINVAL with an error added; -ENOMEM. If `variants` is no list,
 *  scenario_compare_read() reports it. */
int scenario_compare_apply(const struct scenario *scenario, struct yaml_node *root,
			   uint32_t variant, struct scenario_errors *errors);

/** scenario_compare_sets() - does `set` of variant @variant in the tree @root, which has no variant
 *  applied, give the value at @path, or a section that contains it? */
bool scenario_compare_sets(struct yaml_node *root, uint32_t variant, const char *path);

void scenario_compare_free(struct scenario_compare *compare);

#endif
