/*  recording_thin - a recording with fewer samples and events, and all else of it: for a report of
 *  limited size (SE-11). */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_THIN_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_THIN_H

#include <stddef.h>
#include <stdio.h>

#include "nodes/base/why.h"

/* each level leaves out more than the one before; 0 leaves out nothing (ours) */
#define RECORDING_THIN_LEVELS 6u

/** recording_thin() - copies the recording on @in, from its start, to @out, without what @level (1
 *  and more) leaves out. HEAD says so in a sentence, "thinned". A sample that stays has the values
 *  of its time; tables of more than 64 KiB are left out. Memory: a slice.
 *  Return: 0; -errno, with a sentence in @why. */
int recording_thin(FILE *in, FILE *out, unsigned level, struct why *why);

#endif
