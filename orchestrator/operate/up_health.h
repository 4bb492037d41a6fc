/*  up_health - `heddle up` waits until the hosts with a check (`health` of a scenario) are healthy:
 *  the command of the check ends with status 0 in the host (DU-3).
 *
 *  All checks run beside each other, each again and again: one at a time, the next one `every`
 *  after the start of the one before, for at most `within`. If all hosts are healthy then, start
 *  commands that have failed by now are told; else those of the first host that is not. One that
 *  fails later is in `heddle ps` and in the log. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_UP_HEALTH_H
#define HEDDLE_ORCHESTRATOR_OPERATE_UP_HEALTH_H

#include "orchestrator/plan/plan.h"

/** up_health_await() - waits for the hosts of @plan in @fabric, which runs, with a line on standard
 *  error for each, and for start commands that have failed.
 *  Return: 0; EXIT_UNHEALTHY, reported: which host, and the last line that its check has printed.
 *  The fabric still runs. */
int up_health_await(const char *fabric, const struct plan *plan);

#endif
