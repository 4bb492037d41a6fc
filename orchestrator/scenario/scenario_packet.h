/*  scenario_packet - how long the packets of a workload are. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PACKET_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PACKET_H

#include "orchestrator/scenario/scenario_keys.h"

/** scenario_packet_complete() - sets the largest packet of @workload, read from @node: what it
 *  gives, or for RoCEv2 a path MTU, or what the links on its paths permit. Its hosts and its frame
 *  are known. */
void scenario_packet_complete(struct reader *reader, const struct yaml_node *node,
			      struct scenario_workload *workload);

#endif
