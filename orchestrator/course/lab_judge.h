/*  lab_judge - runs the checks of a lab and says which answers are right.
 *
 *  An answer is right if every expectation that depends on it holds: one that names it, or one of a
 *  run whose settings name it. Nothing that a run measured is told, since it may be the answer. */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_JUDGE_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_JUDGE_H

#include "orchestrator/course/lab_open.h"

struct lab_verdict {
	bool passed;
	bool right[LAB_QUESTIONS_MAX]; /* the answers */
	bool holds[LAB_CHECKS_MAX];    /* the checks */
};

/** lab_judge() - runs all checks of @opened with the answers of its record, which are all there.
 *  @command  for messages.  @quiet  no progress.
 *  Return: 0 with @verdict; an exit status, reported. Cost: the runs. */
int lab_judge(const char *command, const struct lab_opened *opened, bool quiet,
	      struct lab_verdict *verdict);

#endif
