/*  switch_set - parameters of a switch that can change while it runs: node_ops.set of every kind
 *  (TB-10).
 *
 *  A kind holds them in one structure, its settings, which is a part of its configuration at first.
 *  Names, units and ranges are those of the rows of that structure: a row with .live can be set
 *  (nodes/config/parameter.h). A value is stored in a copy of the settings. The copy replaces them
 *  if the kind's check accepts it, so a rejected value changes nothing. */
#ifndef HEDDLE_SWITCHD_COMMON_SWITCH_SET_H
#define HEDDLE_SWITCHD_COMMON_SWITCH_SET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/base/time.h"
#include "nodes/config/parameter.h"

#define SWITCH_SETTINGS_BYTES_MAX 4096u

struct switch_settings {
	const struct parameter_table *table;
	uint32_t offset; /* of the settings in the kind's switch */
	/* NULL: every value within its range is valid. Checks settings @changed as a whole, as at
	 * the start of a switch. Return: 0, or -EINVAL with the reason in @why. */
	int (*check)(const void *dataplane, const void *changed, struct why *why);
	/* NULL: nothing is derived from the settings. Called after a change: derives it again. */
	void (*changed)(void *dataplane, node_time_t now);
	/* NULL: there is none. A parameter that is no field: @name is own_name, or own_name with
	 * "." and more. Return: as above. */
	const char *own_name;
	int (*own_set)(void *dataplane, const char *name, const char *value, struct why *why);
};

/** switch_set() - node_ops.set. @value is a number in the unit of the row, of a word its place in
 *  the list. On an error @out gets the reason, if the name is known, else the names. */
int switch_set(void *dataplane, const char *name, const char *value, FILE *out);

/** switch_show_settings() - switch_table.head of table "settings": what can be set, as it is. */
void switch_show_settings(const void *dataplane, int port, FILE *out);

#endif
