/*  live_outside - which hosts of a running fabric reach the machine's network: outside.h (DU-3). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_OUTSIDE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_OUTSIDE_H

#include "orchestrator/live/live_query.h"

/** live_outside_start_all() - connects the hosts whose scenario says `outside: yes`.
 *  Return: 0, or -errno with the reason in @text. */
int live_outside_start_all(struct live *live, struct why *text);

/** live_outside_stop() - ends the connection of host @index. Return: false if it has none. */
bool live_outside_stop(struct live *live, uint32_t index);

/** live_outside_watch() - logs the programs that have died, and remembers how. Never waits. */
void live_outside_watch(struct live *live);

/** live_outside() - the request "outside": lists the connections; with a host and a state, on or
 *  off, changes one. */
live_query_fn live_outside;

#endif
