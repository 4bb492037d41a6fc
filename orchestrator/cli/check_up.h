/*  check_up - what `heddle up` would warn of, without starting anything (TB-10, DU-5). */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CHECK_UP_H
#define HEDDLE_ORCHESTRATOR_CLI_CHECK_UP_H

#include <jansson.h>

#include "orchestrator/plan/plan.h"

/** check_up() - a sentence for each: more than this machine carries; a program or a device that
 *  hosts of @plan need and that is not here; namespaces of hosts that this user may not make.
 *  Return: a new array of texts; NULL: no memory. */
json_t *check_up(const struct plan *plan);

#endif
