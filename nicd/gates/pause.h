/*  pause - when a NIC tells its switch to stop because its host is slower than the link, as the
 *  scenario has it (EC-4).
 *
 *  A function of time alone: between start and stop, `for_ps` out of every `every_ps`. Several may
 *  overlap; a class is stopped while one of them says so. The NIC itself takes whatever still
 *  arrives: what was under way when it said stop. */
#ifndef HEDDLE_NICD_GATES_PAUSE_H
#define HEDDLE_NICD_GATES_PAUSE_H

#include "nodes/config/config.h"

/** pause_classes() - the set of traffic classes that have to stop at @now. Pure, O(pauses). */
uint32_t pause_classes(const struct nic_config *config, node_time_t now);

/** pause_next_at() - when pause_classes() may be another one for the first time after @now;
 *  NODE_TIME_NEVER: no more. */
node_time_t pause_next_at(const struct nic_config *config, node_time_t now);

#endif
