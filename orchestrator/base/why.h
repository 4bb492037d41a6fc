/*  why - the sentence that says why something failed, for people. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_WHY_H
#define HEDDLE_ORCHESTRATOR_BASE_WHY_H

#include <stddef.h>

/** why_write() - writes a sentence to @why, as far as it fits.
 *  Return: @error, so that a function can return both at once. */
int why_write(int error, char *why, size_t why_max, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
