#include "nodes/wire/class_map.h"

/* @what "DSCP" or "priority"; @step from a class's own value to the next one's */
static bool set_check(const struct class_config *classes, const uint64_t *sets, uint32_t count,
		      const char *what, uint32_t step, struct why *why)
{
	for (uint32_t c = 0; c < count; c++)
		for (uint32_t other = 0; other < count; other++) {
			uint64_t own = 1ull << other * step;
			uint64_t shared = c < other ? sets[c] & sets[other] : 0;

			if (shared)
				return why_say(why, false, "%s %d is of two classes, '%s' and '%s'",
					       what, __builtin_ctzll(shared), classes[c].name,
					       classes[other].name);
			if (c == other || !(sets[c] & own))
				continue;
			return why_say(why, false,
				       "%s %u is what generated frames of class '%s' carry, number "
				       "%u in the list: class '%s' cannot have it",
				       what, other * step, classes[other].name, other,
				       classes[c].name);
		}
	return true;
}

bool class_map_check(const struct class_config *classes, uint32_t count, struct why *why)
{
	uint64_t dscps[NODE_CLASSES_MAX], priorities[NODE_CLASSES_MAX];

	for (uint32_t c = 0; c < count; c++) {
		dscps[c] = classes[c].dscp_set;
		priorities[c] = classes[c].pcp_set;
	}
	return set_check(classes, dscps, count, "DSCP", 8, why) &&
	       set_check(classes, priorities, count, "priority", 1, why);
}
