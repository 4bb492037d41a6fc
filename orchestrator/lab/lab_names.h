/*  lab_names - do the names in a lab fit together? Each is given once, and each placeholder has a
 *  value where it stands. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_NAMES_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_NAMES_H

#include "orchestrator/lab/lab_file.h"

/** lab_names_check() - adds the errors of @lab, which was read from @path without one. */
void lab_names_check(const struct lab *lab, const char *path, struct scenario_errors *errors);

#endif
