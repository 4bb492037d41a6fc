/*  swarm_kept - the results of a swarm are those that are kept, for the seeds that it runs by
 *  default (TB-7): JSON, and what nodes show of themselves in the middle and at the end. So
 *  whatever changes what a fabric does is seen with settings that no written scenario has.
 *  WRITE=yes writes the file again; contributing.md says when. */
#ifndef HEDDLE_TESTS_SIM_SWARM_KEPT_H
#define HEDDLE_TESTS_SIM_SWARM_KEPT_H

#include "tests/kept.h"
#include "tests/sim/shown.h"

enum swarm_part { SWARM_JSON, SWARM_MIDDLE, SWARM_END, SWARM_PARTS };

/* a file, and how many seeds it has; what nodes showed of the present seed */
struct swarm_kept {
	const char *path;
	uint64_t seeds;
	struct kept_row row;
};

static inline uint64_t swarm_shown(const struct sim *sim)
{
	char *text = NULL;
	size_t length;
	uint64_t digest;
	FILE *out = open_memstream(&text, &length);

	ck_assert_ptr_nonnull(out);
	sim_show(sim, out);
	fclose(out);
	digest = kept_digest(KEPT_NOTHING, text, length);
	free(text);
	return digest;
}

/** swarm_begin() - runs half of the scenario. The caller runs the rest. */
static inline void swarm_begin(struct swarm_kept *kept, struct sim *sim)
{
	sim_run_until(sim, sim->plan.duration_ps / 2);
	kept->row.digests[SWARM_MIDDLE] = swarm_shown(sim);
}

/** swarm_end() - at the end of the run of @seed: is it as it is kept? */
static inline void swarm_end(struct swarm_kept *kept, struct sim *sim, uint64_t seed)
{
	static const char *const parts[SWARM_PARTS] = { "json", "middle", "end" };
	char name[24], *json;

	if (seed > kept->seeds)
		return;
	json = sim_json(sim);
	kept->row.digests[SWARM_JSON] = kept_digest_of_lines(json, strlen(json));
	free(json);
	kept->row.digests[SWARM_END] = swarm_shown(sim);
	snprintf(name, sizeof(name), "%llu", (unsigned long long)seed);
	if (!kept_is_written()) {
		kept_check(kept->path, name, parts, SWARM_PARTS, &kept->row);
		return;
	}
	if (seed == 1)
		kept_begin(kept->path, parts, SWARM_PARTS);
	kept_append(kept->path, name, SWARM_PARTS, &kept->row);
}

#endif
