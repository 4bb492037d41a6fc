/*  pause - when a NIC pauses its switch because its host is slower than the link, as the scenario
 *  says (EC-4).
 *
 *  A function of time alone: between start and stop, `for_ps` of every `every_ps`; without an end
 *  if stop is 0. Pauses may overlap: a class is paused while one of them pauses it. The NIC still
 *  receives what was in flight when it sent STOP. */
#ifndef HEDDLE_NICD_GATES_PAUSE_H
#define HEDDLE_NICD_GATES_PAUSE_H

#include "nodes/config/config.h"

/** pause_classes() - the set of traffic classes that are paused at @now. The times of the pauses
 *  count from @from; NODE_TIME_NEVER: there is none. Pure, O(pauses). */
uint32_t pause_classes(const struct nic_config *config, node_time_t from, node_time_t now);

/** pause_next_at() - the first time after @now at which pause_classes() may change;
 *  NODE_TIME_NEVER: there is none. */
node_time_t pause_next_at(const struct nic_config *config, node_time_t from, node_time_t now);

#endif
