/*  parameter - values of `set` with units, as scenarios write them, in the numbers that nodes take
 *  (TB-6, TB-10).
 *
 *  A node's parameters are whole numbers of one unit each, for a node reads no quantities; which
 *  unit is known here. A number without a unit goes to the node as it is, so that what was right
 *  once stays right. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_PARAMETER_H
#define HEDDLE_ORCHESTRATOR_LIVE_PARAMETER_H

#include "nodes/config/config.h"

/** parameter_convert() - what a node of a fabric of kind @fabric is to be told when its parameter
 *  @name becomes @value: "50kB" of "roce.xoff" is "50000", "1us" of "ack.t1" is "1000", "90%" of
 *  "workload.w.load" is "900".
 *  @text the number, or @value if that is one or @name is no parameter with a unit (the node
 *  decides); @text_max bytes.
 *  Return: 0; -EINVAL, with a sentence in @why, if the value does not come out whole or is of
 *  another unit. Pure. */
int parameter_convert(enum fabric_kind fabric, const char *name, const char *value, char *text,
		      unsigned text_max, char *why, unsigned why_max);

#endif
