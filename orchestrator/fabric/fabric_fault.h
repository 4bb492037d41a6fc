/*  fabric_fault - plays faults on a fabric of processes: both ends of a link, and switches, are
 *  told over their control sockets. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_FAULT_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_FAULT_H

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/fault_player.h"

/** fabric_fault() - what fault_player_init() is given for @fabric. A node that does not do what it
 *  is told: fabric->failure. */
struct fault_fabric fabric_fault(struct fabric *fabric);

/** fabric_settle_at(), fabric_page_of() - struct link_drain_fabric's, of a fabric of processes;
 *  @owner is the struct fabric. */
int fabric_settle_at(void *owner, uint32_t node, uint32_t port, const struct channel_set *left);
const struct stats_page *fabric_page_of(void *owner, uint32_t node);

#endif
