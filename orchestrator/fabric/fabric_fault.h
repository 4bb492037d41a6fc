/*  fabric_fault - applies faults to a fabric of processes, over the control sockets of the
 *  nodes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_FAULT_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_FAULT_H

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/fault_schedule.h"

/** fabric_fault() - the callbacks for fault_schedule_init(). If a node fails to carry out a change,
 *  fabric->failure has the reason. */
struct fault_fabric fabric_fault(struct fabric *fabric);

/** fabric_drain_report(), fabric_page_of() - struct link_drain_fabric's, of a fabric of processes;
 *  @owner is the struct fabric. */
int fabric_drain_report(void *owner, uint32_t node, uint32_t port, const struct channel_set *left);
const struct stats_page *fabric_page_of(void *owner, uint32_t node);

#endif
