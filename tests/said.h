/*  said - what is written to standard error while something is called. */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/testing.h"

static char *said; /* between the last said_begin() and said_end(), and before a flush of stderr */
static size_t said_bytes;
static FILE *said_own; /* the process's standard error */

/** said_begin() - keeps from now on what is written to the stream stderr.
 *  said_end() - writes to it again.   Return: `said`, valid until the next said_begin(). */
static inline void said_begin(void)
{
	free(said);
	said_own = stderr;
	stderr = open_memstream(&said, &said_bytes);
	ck_assert_ptr_nonnull(stderr);
}

static inline const char *said_end(void)
{
	fclose(stderr);
	stderr = said_own;
	return said;
}

#endif
