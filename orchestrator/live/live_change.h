/*  live_change - requests that change who belongs to a running fabric: switches, hosts and links
 *  that join and leave, and existing network namespaces that become hosts (TB-15, TB-22). Form:
 *  live_query.h.
 *
 *  A change happens as a whole or not at all: the plan first (plan_spare.h), then the processes,
 *  then the tables of all switches. Whatever has nothing to do with it goes on meanwhile. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_CHANGE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_CHANGE_H

#include "orchestrator/live/live_query.h"

live_query_fn live_add_switch, live_add_host, live_add_link, live_remove;

#endif
