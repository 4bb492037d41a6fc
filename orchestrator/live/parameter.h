/*  parameter - converts values of `set` with units, as in scenarios, to the numbers of nodes (TB-6,
 *  TB-10).
 *
 *  A node's parameters are whole numbers, each of one unit, since a node does not parse quantities.
 *  The units are listed here. A number without a unit is passed unchanged. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_PARAMETER_H
#define HEDDLE_ORCHESTRATOR_LIVE_PARAMETER_H

#include "nodes/config/config.h"

/** parameter_convert() - @value of parameter @name in the unit of a node of kind @fabric: "50kB" of
 *  "roce.xoff" is "50000", "1us" of "ack.t1" is "1000", "90%" of "workload.w.load" is "900".
 *  @text receives the number, or @value if that is a number or @name has no unit (the node checks
 *  it); @text_max bytes.
 *  Return: 0; -EINVAL, with a sentence in @why, if the result is not whole or the unit is wrong.
 *  Pure. */
int parameter_convert(enum fabric_kind fabric, const char *name, const char *value, char *text,
		      unsigned text_max, char *why, unsigned why_max);

#endif
