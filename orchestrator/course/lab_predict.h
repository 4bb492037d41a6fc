/*  lab_predict - `heddle lab predict`: keeps what a student expects (SE-9). */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_PREDICT_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_PREDICT_H

#include "orchestrator/course/lab_open.h"

/** lab_predict() - Return: the exit status. */
int lab_predict(int argc, char **argv);

/** lab_predict_ask() - asks for the predictions that are missing, on the terminal; an empty line
 *  leaves one open. Keeps them.
 *  Return: 0 or an exit status, reported. */
int lab_predict_ask(const char *command, struct lab_opened *opened);

/** lab_predict_missing() - the number of predictions that are missing. */
uint32_t lab_predict_missing(const struct lab_opened *opened);

#endif
