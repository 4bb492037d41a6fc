/*  control_call - which function of the user's congestion control a NIC is in (SE-10).
 *
 *  The NIC notes each call in its statistics page before it makes it. If the process ends in the
 *  call, however that happens, the orchestrator reads there what to name. A value that the control
 *  may not set ends the process too; the call then has the fault and the value. */
#ifndef HEDDLE_NODES_STATS_CONTROL_CALL_H
#define HEDDLE_NODES_STATS_CONTROL_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "nodes/base/time.h"

enum control_function {
	CONTROL_NONE, /* the process is in none */
	CONTROL_LOAD, /* constructors of the library */
	CONTROL_OPEN,
	CONTROL_ON_ACK,
	CONTROL_ON_CNP,
	CONTROL_ON_LOSS,
	CONTROL_ON_TIMER,
	CONTROL_ON_SENT,
	CONTROL_FUNCTIONS
};

enum control_fault {
	CONTROL_FINE,
	CONTROL_RATE,   /* value: rate_bps */
	CONTROL_WINDOW, /* value: window_packets */
	CONTROL_TIMER,  /* value: timer_ns */
	CONTROL_STATE,  /* it wrote beyond its state */
	CONTROL_LOOP,   /* it used more than CONTROL_CPU_S of CPU time */
	CONTROL_FAULTS
};

#define CONTROL_CPU_S 1u /* ours: a function takes less than a microsecond */

struct control_call {
	uint32_t function; /* enum control_function */
	uint32_t fault;    /* enum control_fault */
	uint32_t slot;     /* of the flow */
	uint32_t spare;
	uint64_t count; /* of calls, this one included */
	uint64_t value;
	node_time_t at_ps;
	uint64_t line_bps;
};

/** control_call_describe() - what happened in @call, as the part of a sentence after "the control X
 *  ": "set rate_bps to 0 in on_ack, but ..." .
 *  @how    of a process that ended without a fault: "signal 11 (...)"; NULL: it has not ended.
 *  @flow   "of flow h0 -> h4 at 12.5 us"; "" for CONTROL_LOAD.
 *  @call   may have any contents.   Return: @text. */
const char *control_call_describe(const struct control_call *call, const char *how,
				  const char *flow, char *text, size_t text_max);

#endif
