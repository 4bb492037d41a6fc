/*  real_advice - warns before a fabric starts that this machine cannot carry (DU-5).
 *
 *  A plan asks for the rate of its fastest links to hosts, over the longest path, from the hosts
 *  that its workloads send from; under `up` from one at least, since only the user knows what
 *  programs will do. Its shortest delay should absorb the lateness that the machine has under
 *  load. A fabric whose time is dilated N times asks for the Nth part of its rates, and its delays
 *  absorb N times as much. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_REAL_ADVICE_H
#define HEDDLE_ORCHESTRATOR_RUN_REAL_ADVICE_H

#define REAL_ADVICE_MAX 640u /* bytes of the sentence */

#include <stdio.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/run/calibration.h"

/* what a plan asks for */
struct real_load {
	uint64_t rate_bps;     /* of the fastest link to a host */
	uint64_t delay_ns;     /* that the shortest link absorbs */
	uint32_t switches;     /* on the longest path */
	uint32_t packet_bytes; /* the longest packets */
	uint32_t senders;      /* hosts that send at a time */
	uint32_t dilation;     /* of time: the machine has so many times as long */
};

/** real_load_of() - of @plan, which is not empty.  @programs  real programs send too. */
struct real_load real_load_of(const struct plan *plan, bool programs);

/** real_advice() - a sentence to @text if @calibration says that the machine carries less than
 *  @load, with what it carries as `--set`, and with `--dilate`; else "".   Return: is there one? */
bool real_advice(const struct calibration *calibration, const struct real_load *load, char *text,
		 size_t text_max);

/* of links, as a scenario accepts them */
struct real_settings {
	char rate[32], half_rate[32], delay[32];
	/* of an input port, and of a switch of kind roce: what is in flight, with much to spare
	 * (ours) */
	char buffer[32], shared_buffer[32];
};

/** real_settings() - what the machine carries with the hosts, paths and packets of @load. */
struct real_settings real_settings(const struct calibration *calibration,
				   const struct real_load *load);

/** real_advice_here() - real_advice() for @plan with the calibration of this machine.
 *  @programs  as of real_load_of(). */
bool real_advice_here(const struct plan *plan, bool programs, char *text, size_t text_max);

/** real_advice_print() - the same of @plan to standard error, as `heddle COMMAND`, with the
 *  calibration of this machine. */
void real_advice_print(const char *command, const struct plan *plan, bool programs);

#endif
