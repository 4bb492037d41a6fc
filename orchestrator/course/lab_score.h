/*  lab_score - `heddle lab score CONTROL...`: plays congestion controls in the scenarios of
 *  topologies/score/ and prints their points (SE-10). */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_SCORE_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_SCORE_H

/** lab_score() - `heddle lab score`.  Return: 0; EXIT_NODE: a control failed, and the others have
 *  points; else another exit status, reported. */
int lab_score(int argc, char **argv);

#endif
