/*  scenario_packet - how long the packets of a workload are. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PACKET_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PACKET_H

#include "orchestrator/scenario/scenario_keys.h"

/** scenario_packet_complete() - what @workload, read from @node, sends at most in a packet: what it says, for RoCEv2 a path MTU, or as much as
 *  the links that it may meet let through. Its hosts and its frame are known. */
void scenario_packet_complete(struct reader *reader, const struct yaml_node *node, struct scenario_workload *workload);

#endif
