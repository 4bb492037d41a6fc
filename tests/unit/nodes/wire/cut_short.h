/*  cut_short - a frame of which bytes are missing, in memory of exactly that length, so that the
 *  address sanitizer detects a byte too many. */
#ifndef HEDDLE_TESTS_UNIT_NODES_WIRE_CUT_SHORT_H
#define HEDDLE_TESTS_UNIT_NODES_WIRE_CUT_SHORT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"

/* @read returns true for the first @least bytes of @bytes, up to all @length of them, and false for
 * any fewer */
static inline void cut_short_refused(const uint8_t *bytes, uint32_t least, uint32_t length,
				     bool (*read)(const uint8_t *bytes, uint32_t length))
{
	for (uint32_t some = 0; some <= length; some++) {
		uint8_t *copy = malloc(some + !some);

		memcpy(copy, bytes, some);
		ck_assert_msg(read(copy, some) == (some >= least), "%u bytes", some);
		free(copy);
	}
}

#endif
