/*  update_safety - checks that old and new routes together are free of deadlock.
 *
 *  New tables do not reach all switches at one moment, and packets that took old routes are in
 *  flight. Routes that follow a fault are chosen to be compatible with the old ones where possible
 *  (routing_follow.h). This is the check, against the tables that the switches really have. Routes
 *  over links that are down do not count, since no packet waits for such a link. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_UPDATE_SAFETY_H
#define HEDDLE_ORCHESTRATOR_MANAGER_UPDATE_SAFETY_H

#include "orchestrator/manager/manager_tables.h"

/** update_safety_check() - @routing the new routes, @images the present tables of each switch; an
 *  image may be empty.
 *  Afterwards @routing is the union of both, of no other use. @cycle as that of
 *  routing_cycle_find().
 *  Return: 0 or -ENOMEM. */
int update_safety_check(enum fabric_kind fabric, const struct topology *topology,
			const struct switch_image *images, struct routing *routing, char **cycle);

#endif
