/*  limits - tables of the ranges that the numbers of a configuration must be in. */
#ifndef HEDDLE_NODES_BASE_LIMITS_H
#define HEDDLE_NODES_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* a field of 4 or 8 bytes of a structure, and its range */
struct limit {
	const char *name;
	size_t offset, bytes;
	uint64_t min, max;
};

#define LIMIT(type, field, min, max)                                                \
	{                                                                           \
#field, offsetof(type, field), sizeof(((type *)0)->field), min, max \
	}

/** limits_check() - is each of the @count fields of @structure within its range?
 *  Return: 0, or -EINVAL with a sentence in @why; @place is in front of the field's name there. */
int limits_check(const void *structure, const char *place, const struct limit *limits, size_t count,
		 char *why, unsigned why_max);

#endif
