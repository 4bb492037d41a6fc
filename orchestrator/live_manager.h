/*  live_manager - the fabric manager of a running fabric, as its daemon uses it (PG-11, FC-26, TB-14). */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_MANAGER_H
#define HEDDLE_ORCHESTRATOR_LIVE_MANAGER_H

#include "orchestrator/live.h"

/** live_manage() - a link, a node or a host came or went: the manager sweeps, and routes and floods go around what carries nothing.
 *  Return: 0 or -errno with the reason in fabric->failure. */
int live_manage(struct live *live);

#endif
