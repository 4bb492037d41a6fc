/*  fabric_start - one process per node, and what it is handed: see fabric.h. Called by fabric.c only.                */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_START_H
#define HEDDLE_ORCHESTRATOR_FABRIC_START_H

#include "orchestrator/fabric.h"

/** fabric_clock_make() - the clock page, laid out and mapped.  Return: 0 or -errno. */
int fabric_clock_make(struct fabric *fabric);

/** fabric_nodes_start() - starts every node and sends it its configuration.
 *  Return: 0; -EINTR if interrupted; else -errno, mostly with the reason in fabric->failure.                     */
int fabric_nodes_start(struct fabric *fabric);

/** fabric_nodes_await() - until every node has said READY, in any order.  Return: as above. */
int fabric_nodes_await(struct fabric *fabric);

#endif
