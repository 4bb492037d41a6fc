/*  lab_report - `heddle lab report`: what a student hands in, as one file (SE-9, SE-11). */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_REPORT_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_REPORT_H

/** lab_report() - Return: the exit status: 0: it is written, also if answers are wrong. */
int lab_report(int argc, char **argv);

#endif
