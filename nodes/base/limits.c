#include "nodes/base/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static uint64_t value_of(const void *structure, const struct limit *limit)
{
	const void *field = (const char *)structure + limit->offset;

	return limit->bytes == sizeof(uint64_t) ? *(const uint64_t *)field
						: *(const uint32_t *)field;
}

int limits_check(const void *structure, const char *place, const struct limit *limits, size_t count,
		 char *why, unsigned why_max)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = value_of(structure, &limits[i]);

		if (value >= limits[i].min && value <= limits[i].max)
			continue;
		snprintf(why, why_max, "%s%s is %" PRIu64 ", it must be %" PRIu64 "..%" PRIu64,
			 place, limits[i].name, value, limits[i].min, limits[i].max);
		return -EINVAL;
	}
	return 0;
}
