/*  class_map - which traffic class a frame requests: by its 802.1Q priority, else by its DSCP, else
 *  by the class in its HPC header.
 *
 *  Without a map of the scenario, class n is priority n and DSCP 8n ... 8n + 7 (802.1p and class
 *  selectors), and what is beyond the last class is of that. A class may name other values; then
 *  these are of it, and all others stay as they are. Frames of workloads, and answers, carry
 *  priority n and DSCP 8n, which no other class may name.
 *  No memory beside the structure. Pure. */
#ifndef HEDDLE_NODES_WIRE_CLASS_MAP_H
#define HEDDLE_NODES_WIRE_CLASS_MAP_H

#include "nodes/base/why.h"
#include "nodes/config/config.h"
#include "nodes/wire/frame.h"

#define CLASS_MAP_DSCPS 64u
#define CLASS_MAP_PRIORITIES 8u

struct class_map {
	uint8_t of_dscp[CLASS_MAP_DSCPS], of_priority[CLASS_MAP_PRIORITIES];
	uint8_t last; /* the last class */
};

/** class_map_check() - has each value one class, and class n its own?
 *  @why  the first mistake, a sentence with the names of the classes. */
bool class_map_check(const struct class_config *classes, uint32_t count, struct why *why);

/** class_map_init() - as the @count classes say. */
static inline void class_map_init(struct class_map *map, const struct class_config *classes,
				  uint32_t count)
{
	map->last = (uint8_t)(count - 1);
	for (uint32_t i = 0; i < CLASS_MAP_PRIORITIES; i++)
		map->of_priority[i] = (uint8_t)(i < count ? i : map->last);
	for (uint32_t i = 0; i < CLASS_MAP_DSCPS; i++)
		map->of_dscp[i] = map->of_priority[i / 8];
	for (uint32_t c = 0; c < count; c++) {
		for (uint32_t i = 0; i < CLASS_MAP_DSCPS; i++)
			if (classes[c].dscp_set >> i & 1)
				map->of_dscp[i] = (uint8_t)c;
		for (uint32_t i = 0; i < CLASS_MAP_PRIORITIES; i++)
			if (classes[c].pcp_set >> i & 1)
				map->of_priority[i] = (uint8_t)c;
	}
}

/** class_map_class() - the traffic class that a frame requests. O(1). */
static inline uint32_t class_map_class(const struct class_map *map,
				       const struct frame_fields *fields)
{
	if (fields->tagged)
		return map->of_priority[fields->priority];
	if (fields->ip_version)
		return map->of_dscp[fields->dscp];
	/* that of an HPC header, whose classes are those of the fabric */
	return fields->priority < map->last ? fields->priority : map->last;
}

#endif
