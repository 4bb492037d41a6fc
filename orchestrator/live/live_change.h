/*  live_change - requests that add and remove nodes and links of a running fabric, and make
 *  existing network namespaces its hosts (TB-15, TB-22). Form: live_query.h.
 *
 *  A change is made as a whole or not at all: the plan first (plan_spare.h), then the processes,
 *  then the tables of all switches. Traffic that does not depend on it continues. */
#ifndef HEDDLE_ORCHESTRATOR_LIVE_LIVE_CHANGE_H
#define HEDDLE_ORCHESTRATOR_LIVE_LIVE_CHANGE_H

#include "orchestrator/live/live_query.h"

live_query_fn live_add_switch, live_add_host, live_add_link, live_remove;

#endif
