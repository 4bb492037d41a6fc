/*  lab_check - `heddle lab check`: are the answers of a student right? (SE-9) */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_CHECK_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_CHECK_H

/** lab_check() - Return: 0: all are right; 1: not; 2: wrong usage, or an answer is missing; 4: a
 *  run failed; 130: interrupted. */
int lab_check(int argc, char **argv);

#endif
