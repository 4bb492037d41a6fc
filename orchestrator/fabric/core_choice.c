#include "orchestrator/fabric/core_choice.h"

#include <string.h>

#define TAKEN_PART 2u /* half of the time */
#define FREE_PART 20u /* a core is free of other programs if they took less than a twentieth */

void core_choice_init(struct core_choice *choice, uint32_t core_count)
{
	memset(choice, 0, sizeof(*choice));
	choice->core_count =
		core_count < CORE_CHOICE_CORES_MAX ? core_count : CORE_CHOICE_CORES_MAX;
	choice->stay_ns = CORE_CHOICE_STAY_MIN_NS;
	choice->look_ns = CORE_CHOICE_LOOK_NS;
}

static void judge_from(struct core_choice *choice, uint64_t now_ns, const uint64_t *stolen_ns)
{
	choice->from_ns = now_ns;
	memcpy(choice->stolen_ns, stolen_ns, choice->core_count * sizeof(*stolen_ns));
}

bool core_choice_due(struct core_choice *choice, uint64_t now_ns, const uint64_t *stolen_ns)
{
	uint64_t passed_ns = now_ns - choice->from_ns, all_ns = 0;

	if (choice->fewer)
		return now_ns - choice->since_ns >= choice->stay_ns;
	if (!choice->from_ns)
		judge_from(choice, now_ns, stolen_ns);
	else if (passed_ns < choice->look_ns)
		return false;
	for (uint32_t core = 0; core < choice->core_count; core++)
		all_ns += stolen_ns[core] - choice->stolen_ns[core];
	if (all_ns > passed_ns / TAKEN_PART)
		return true;
	if (passed_ns > CORE_CHOICE_FORGET_NS)
		judge_from(choice, now_ns, stolen_ns);
	return false;
}

/* taken from core @core since the judgement began */
static uint64_t taken(const struct core_choice *choice, const struct core_sample *sample,
		      uint32_t core)
{
	return sample->stolen_ns[core] - choice->stolen_ns[core];
}

/* how many cores to keep */
static uint32_t worth(const struct core_choice *choice, const struct core_sample *sample)
{
	uint64_t passed_ns = sample->now_ns - choice->from_ns;
	uint64_t cores =
		sample->cpu_ns / (sample->windows ? sample->windows : 1) / CORE_CHOICE_WORK_NS;
	uint32_t are_free = 0;

	for (uint32_t core = 0; core < choice->core_count; core++)
		are_free += taken(choice, sample, core) < passed_ns / FREE_PART;
	if (cores < are_free)
		cores = are_free;
	if (cores < 1)
		cores = 1;
	return cores < choice->core_count ? (uint32_t)cores : choice->core_count;
}

/* selects the @count cores of which least was taken; of equal ones the first */
static void keep_choose(struct core_choice *choice, const struct core_sample *sample,
			uint32_t count)
{
	choice->keep_count = 0;
	for (uint32_t core = 0; core < choice->core_count; core++) {
		uint32_t better = 0;

		for (uint32_t other = 0; other < choice->core_count; other++) {
			uint64_t mine = taken(choice, sample, core),
				 its = taken(choice, sample, other);

			better += its < mine || (its == mine && other < core);
		}
		if (better < count)
			choice->keep[choice->keep_count++] = core;
	}
}

static enum core_choice_verdict change(struct core_choice *choice, const struct core_sample *sample,
				       bool fewer)
{
	choice->changes++;
	choice->fewer = fewer;
	choice->since_ns = sample->now_ns;
	choice->look_ns = CORE_CHOICE_LOOK_NS;
	judge_from(choice, sample->now_ns, sample->stolen_ns);
	return fewer ? CORE_CHOICE_FEWER : CORE_CHOICE_ALL;
}

/* if all cores were used for a shorter time than fewer ones before, they were tried too soon */
static void stay_adapt(struct core_choice *choice, uint64_t now_ns)
{
	if (!choice->changes || now_ns - choice->since_ns > choice->stay_ns)
		choice->stay_ns = CORE_CHOICE_STAY_MIN_NS;
	else if (choice->stay_ns < CORE_CHOICE_STAY_MAX_NS)
		choice->stay_ns *= 2;
}

enum core_choice_verdict core_choice_decide(struct core_choice *choice,
					    const struct core_sample *sample)
{
	uint32_t count;

	if (choice->fewer)
		return change(choice, sample, false);
	count = worth(choice, sample);
	if (count == choice->core_count) {
		judge_from(choice, sample->now_ns, sample->stolen_ns);
		if (choice->look_ns < CORE_CHOICE_LOOK_MAX_NS)
			choice->look_ns *= 2;
		return CORE_CHOICE_SAME;
	}
	stay_adapt(choice, sample->now_ns);
	keep_choose(choice, sample, count);
	return change(choice, sample, true);
}
