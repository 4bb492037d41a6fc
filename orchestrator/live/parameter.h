/*  parameter - reads the values of `set` as in a scenario, into the numbers of nodes (TB-6, TB-10).
 *
 *  A node does not parse quantities: its parameters are whole numbers, each of one unit. Names,
 *  units and ranges are those of the rows in nodes/config/. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_PARAMETER_H
#define HEDDLE_ORCHESTRATOR_LIVE_PARAMETER_H

#include "nodes/base/why.h"
#include "nodes/config/config.h"

/** parameter_load - the load of a workload with paced or Poisson arrivals. */
extern const struct parameter parameter_load;

/** parameter_read() - @text, a value of @row as a scenario has it. @name is that of the key in
 *  @why.
 *  Return: 0 with the number of the field in @value; -EINVAL with a sentence in @why. */
int parameter_read(const struct parameter *row, const char *name, const char *text, uint64_t *value,
		   struct why *why);

/** parameter_convert() - @value of parameter @name of @node as a number: "50kB" of
 *  "roce.xoff" is "50000", "1us" of "acks.t1" is "1000000", "90%" of "workload.w.load" is "900".
 *  @text receives it, or @value if the node has no such row (the node checks it); @text_max bytes.
 *  Return: 0; -EINVAL, with a sentence in @why, if it is no value of @name. */
int parameter_convert(const struct node_config *node, const char *name, const char *value,
		      char *text, unsigned text_max, struct why *why);

#endif
