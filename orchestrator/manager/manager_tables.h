/*  manager_tables - the tables that a switch is to have, in blocks: of the fabric manager. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TABLES_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TABLES_H

#include "nodes/config/switch_image.h"
#include "orchestrator/routing/routing.h"

/** manager_tables_make() - the tables that switch @index must have in a fabric of kind @fabric.
 *  Return: 0 or -ENOMEM. */
int manager_tables_make(enum fabric_kind fabric, const struct topology *topology,
			const struct routing *routing, uint32_t index, uint64_t flood_ports,
			struct switch_image *image);

#endif
