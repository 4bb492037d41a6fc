/*  lab_start - `heddle lab start`: shows a lab to a student, asks for predictions, and executes
 *  its runs (SE-9). */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_START_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_START_H

/** lab_start() - Return: the exit status. What the scenario of a run expects does not change it. */
int lab_start(int argc, char **argv);

#endif
