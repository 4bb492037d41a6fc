/*  lab_list - `heddle lab list`: the labs, a line each (SE-9). */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_LIST_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_LIST_H

/** lab_list() - Return: the exit status. */
int lab_list(int argc, char **argv);

#endif
