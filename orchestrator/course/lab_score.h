/*  lab_score - `heddle lab score CONTROL...`: plays congestion controls in the scenarios of
 *  topologies/score/ and prints their points (SE-10). */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_SCORE_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_SCORE_H

/** lab_score() - Return: 0; 4: a control failed, and the others have points; else as main.c. */
int lab_score(int argc, char **argv);

#endif
