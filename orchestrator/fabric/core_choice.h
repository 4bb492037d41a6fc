/*  core_choice - how many cores a fabric uses while other programs use them too (TB-1, TB-7).
 *
 *  All nodes of a window must run before the next one opens. With nodes on several cores a fabric
 *  stalls while any of these cores runs another program, for a whole time slice of 3 to 4 ms. If a
 *  window has tens of microseconds of work, that is nearly all of the time: a run of 70 ms takes
 *  seconds. On one core the fabric gets its share of the core, and advances whenever it has the
 *  core. The rule: if nodes waited for other programs for half of the time, on any cores, the
 *  fabric keeps only as many cores as have CORE_CHOICE_WORK_NS of work each in a window, but no
 *  fewer than are free of other programs. It keeps those of which least was taken. A fabric with
 *  milliseconds of work in a window keeps all cores, since a lost time slice matters little there.
 *  After a while it tries all cores again; the sooner it had to leave them the last time, the
 *  longer it waits. Numbers are ours, measured on two cores (docs/performance.md). Pure: no system
 *  call, no clock. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_CORE_CHOICE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_CORE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define CORE_CHOICE_CORES_MAX 1024u
#define CORE_CHOICE_LOOK_NS 10000000u /* a few time slices */
/* while all cores are kept at one judgement after the other */
#define CORE_CHOICE_LOOK_MAX_NS 1000000000u
#define CORE_CHOICE_FORGET_NS 100000000u   /* what was taken earlier does not count */
#define CORE_CHOICE_WORK_NS 1000000u       /* of CPU time per window and core */
#define CORE_CHOICE_STAY_MIN_NS 250000000u /* before all cores are tried again */
#define CORE_CHOICE_STAY_MAX_NS 8000000000u

enum core_choice_verdict {
	CORE_CHOICE_SAME,
	CORE_CHOICE_FEWER, /* use keep[0..keep_count) from now on */
	CORE_CHOICE_ALL,   /* use all of them again */
};

/* measured since the fabric began to run; all values only grow */
struct core_sample {
	uint64_t now_ns;
	const uint64_t *stolen_ns; /* [core_count] */
	uint64_t windows;
	uint64_t cpu_ns; /* of all nodes */
};

struct core_choice {
	uint32_t core_count;
	bool fewer;
	uint64_t changes;  /* so far */
	uint64_t since_ns; /* of the last one */
	uint64_t stay_ns;  /* with fewer cores, this time */
	uint64_t look_ns;  /* the shortest time of a judgement */
	uint64_t from_ns;  /* start of the present judgement; 0: none */
	uint64_t stolen_ns[CORE_CHOICE_CORES_MAX];
	uint32_t keep[CORE_CHOICE_CORES_MAX], keep_count;
};

/** core_choice_init() - all of @core_count cores (at most CORE_CHOICE_CORES_MAX) are used. */
void core_choice_init(struct core_choice *choice, uint32_t core_count);

/** core_choice_due() - is a decision due? Then call core_choice_decide().
 *  @stolen_ns  taken from each core by other programs; [core_count], borrowed.   O(cores). */
bool core_choice_due(struct core_choice *choice, uint64_t now_ns, const uint64_t *stolen_ns);

/** core_choice_decide() - only if it is due. @sample borrowed.
 *  Return: what to do; choice->keep holds positions below core_count, ascending. O(cores^2). */
enum core_choice_verdict core_choice_decide(struct core_choice *choice,
					    const struct core_sample *sample);

#endif
