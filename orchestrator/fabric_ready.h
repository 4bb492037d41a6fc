/*  fabric_ready - nodes that start become ready. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_READY_H
#define HEDDLE_ORCHESTRATOR_FABRIC_READY_H

#include "orchestrator/fabric_start.h"

/** fabric_nodes_await() - until every node has said READY, in any order.  Return: as fabric_nodes_start(). */
int fabric_nodes_await(struct fabric *fabric);

#endif
