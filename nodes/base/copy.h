/*  copy - memcpy() for a few dozen to a few hundred bytes: headers, cells of a frame.
 *
 *  gcc makes `rep movsq` of a memcpy() whose length is short but not constant. It starts slowly: a
 *  frame of 1500 bytes in nine cells was copied at a third of the speed. NO_REP in the Makefile
 *  forbids that where the compiler knows the option; this is as fast with any.
 *  Source: ours, measured (docs/performance.md, attached hosts). */
#ifndef HEDDLE_NODES_BASE_COPY_H
#define HEDDLE_NODES_BASE_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COPY_STEP 16u

/* @bytes, @step to 2 * @step, in two moves that may overlap; @step is a constant */
static inline void copy_two(uint8_t *to, const uint8_t *from, size_t bytes, size_t step)
{
	uint8_t last[COPY_STEP];

	memcpy(last, from + bytes - step, step);
	memcpy(to, from, step);
	memcpy(to + bytes - step, last, step);
}

/** copy_short() - copies @bytes, any number, from @from to @to, which do not overlap. Reads and
 *  writes nothing else. O(bytes), for lengths of up to some hundred: the C library is faster for
 *  longer ones. */
static inline void copy_short(uint8_t *restrict to, const uint8_t *restrict from, size_t bytes)
{
	for (; bytes > 2 * COPY_STEP; bytes -= COPY_STEP, to += COPY_STEP, from += COPY_STEP) {
		memcpy(to, from, COPY_STEP);
		__asm__ volatile("" ::: "memory"); /* or gcc makes a memcpy() of the loop */
	}
	if (bytes >= COPY_STEP)
		copy_two(to, from, bytes, COPY_STEP);
	else if (bytes >= sizeof(uint64_t))
		copy_two(to, from, bytes, sizeof(uint64_t));
	else if (bytes >= sizeof(uint32_t))
		copy_two(to, from, bytes, sizeof(uint32_t));
	else if (bytes >= sizeof(uint16_t))
		copy_two(to, from, bytes, sizeof(uint16_t));
	else if (bytes)
		*to = *from;
}

#endif
