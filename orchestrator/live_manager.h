/*  live_manager - the fabric managers of a running fabric, as its daemon keeps them: one active, one that stands by (PG-11, FC-26, TB-14).
 *
 *  The daemon tells the active one to sweep when something has changed, and relays its questions (manager_process.h). If it dies, does
 *  not answer or talks nonsense it is ended, the other one becomes active and sweeps, and a new one is started to stand by. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_MANAGER_H
#define HEDDLE_ORCHESTRATOR_LIVE_MANAGER_H

#include <jansson.h>
#include <poll.h>

#include "orchestrator/live.h"

/** live_managers_init() - there are none yet.  live_managers_end() - ends them. */
void live_managers_init(struct live *live);
void live_managers_end(struct live *live);

/** live_manage() - a link, a node or a host came or went, or the fabric begins: the active manager sweeps. Waits for it.
 *  Return: 0 or -errno with the reason in fabric->failure, mostly.                                                   */
int live_manage(struct live *live);

/** live_managers_poll() - what to poll to learn that a manager has died. */
void live_managers_poll(const struct live *live, struct pollfd polled[LIVE_MANAGERS]);

/** live_managers_watch() - one that has died is replaced, and if it was the active one the other takes over.
 *  Return: is one still missing, so that it is worth looking again in a second?                                    */
bool live_managers_watch(struct live *live);

/** live_managers_describe() - who is active, the last sweep, the last change, as JSON. */
json_t *live_managers_describe(const struct live *live);

#endif
