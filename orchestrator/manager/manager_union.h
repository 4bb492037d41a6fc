/*  manager_union - may packets on the ways that switches have and packets on those that they get
 *  wait for each other in a circle?
 *
 *  New tables do not reach all switches at one moment, and packets are under way on the former
 *  ones. How tables follow is chosen so that both go together, wherever that is possible
 *  (routing_follow.h). This is the check, by what the switches really have. What leads over links
 *  that are down does not count: nobody waits there. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_UNION_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_UNION_H

#include "orchestrator/manager/manager_tables.h"

/** manager_union_check() - @routing are the ways that switches get, @images what they have, by
 *  switch; an image may be empty.
 *  @routing afterwards both together, without worth for anything else. @circle as that of
 *  routing_cycle_find().
 *  Return: 0 or -ENOMEM. */
int manager_union_check(enum fabric_kind fabric, const struct topology *topology,
			const struct switch_image *images, struct routing *routing, char **circle);

#endif
