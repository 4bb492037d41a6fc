/*  lab_score - `heddle lab score CONTROL...`: runs the scenarios of topologies/score/ with each
 *  congestion control and prints the points of the controls (SE-10). */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_SCORE_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_SCORE_H

/** lab_score() - `heddle lab score`.  Return: 0; EXIT_NODE: a control failed, and the others have
 *  points; else another exit status, reported. */
int lab_score(int argc, char **argv);

#endif
