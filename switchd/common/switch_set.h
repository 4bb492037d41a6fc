/*  switch_set - parameters of a switch that can change while it runs: node_ops.set of every kind
 *  (TB-10).
 *
 *  A kind holds what can be set in one struct, its settings, and lists the members. A value is
 *  stored in a copy of the settings. The copy replaces them if the kind's check accepts it, so a
 *  rejected value changes nothing. */
#ifndef HEDDLE_SWITCHD_COMMON_SWITCH_SET_H
#define HEDDLE_SWITCHD_COMMON_SWITCH_SET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/base/time.h"

#define SWITCH_SETTINGS_BYTES_MAX 4096u

/* the type of a member */
enum switch_parameter_kind {
	PARAMETER_NUMBER, /* uint32_t */
	PARAMETER_BYTES,  /* uint64_t, bytes */
	PARAMETER_NS,     /* node_time_t; the value is in nanoseconds */
	PARAMETER_US,     /* node_time_t; the value is in microseconds */
	PARAMETER_FLAG,   /* bool: @words says false and true */
	PARAMETER_CHOICE, /* an enum: @words in its order */
	PARAMETER_OWN,    /* no member: @set parses and stores the value */
};

struct switch_parameter {
	const char *name; /* NULL: the end of the list */
	enum switch_parameter_kind kind;
	uint32_t offset; /* of the member in the settings */
	uint64_t min, max;
	const char *unit;         /* of a PARAMETER_NUMBER, for the list; NULL: it counts */
	const char *const *words; /* NULL at the end */
	/* not 0: each class has the member, so many bytes apart. "NAME" sets it for all classes,
	 * "CLASS.NAME" for one */
	uint32_t class_bytes;
	/* not 0: the uint64_t at this offset becomes 0 with the member, for the same class */
	uint32_t clears;
	/* PARAMETER_OWN. @name is the row's, or the row's with "." and more. Return: 0, or -EINVAL
	 * with the reason in @why. */
	int (*set)(void *dataplane, const char *name, const char *value, char *why, size_t why_max);
	const char *values; /* PARAMETER_OWN: what @set accepts, for the list */
};

struct switch_settings {
	const struct switch_parameter *parameters;
	uint32_t offset, bytes; /* of the settings in the kind's switch */
	/* NULL: every value within its limits is good. Could a switch start with @changed?
	 * Return: 0, or -EINVAL with the reason in @why. */
	int (*check)(const void *dataplane, const void *changed, char *why, size_t why_max);
	/* NULL: nothing is derived from the settings. They have changed: what is derived
	 * follows. */
	void (*changed)(void *dataplane, node_time_t now);
};

extern const char *const switch_on_off[], *const switch_yes_no[];

/** switch_set() - node_ops.set. On an error @out gets the reason, if the name is known, and the
 *  list of parameters. */
int switch_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
