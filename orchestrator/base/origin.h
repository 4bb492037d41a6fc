/*  origin - the inputs of a result: the bytes of the scenario, and its settings (TB-13).
 *
 *  It is made while a scenario is read and is shared with the plan by reference count: each holder
 *  releases it once. It contains no names of folders, so a result does not depend on where the
 *  scenario lies. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_ORIGIN_H
#define HEDDLE_ORCHESTRATOR_BASE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "orchestrator/base/control_file.h"
#include "orchestrator/base/sha256.h"

#define ORIGIN_INPUTS_MAX 66u /* a scenario, a control, and a file of sizes for each workload */

struct yaml_node;

struct origin {
	uint32_t holders;
	/* of the scenario's file, then of each file that it names, in the order of reading */
	struct sha256 digest;
	char *text;      /* of the scenario's file, copied */
	char **settings; /* "path=value", in the order of the command line */
	uint32_t setting_count;
	/* the files that were read: none of them may be overwritten */
	struct origin_input {
		dev_t device;
		ino_t inode;
	} inputs[ORIGIN_INPUTS_MAX];
	uint32_t input_count;
	struct control_file control; /* with a digest of its own */
	/* the scenario's tree with settings and variant applied; NULL: not known yet */
	struct yaml_node *effective;
};

/** origin_new() - for a scenario of @length bytes at @text, read with @settings, which are copied.
 *  It has one holder.
 *  Return: NULL if memory is short. */
struct origin *origin_new(const char *text, size_t length, const char *const *settings,
			  uint32_t setting_count);

/** origin_input() - records that the file at @path was read. No effect if it does not exist, or
 *  beyond ORIGIN_INPUTS_MAX. */
void origin_input(struct origin *origin, const char *path);

/** origin_reads() - true if the file with these numbers is one of the inputs.  @origin  may be
 *  NULL. */
bool origin_reads(const struct origin *origin, dev_t device, ino_t inode);

/** origin_hold() - adds a holder.  Return: @origin, which may be NULL. */
struct origin *origin_hold(struct origin *origin);

/** origin_release() - removes a holder; the last one frees @origin. NULL is fine. */
void origin_release(struct origin *origin);

#endif
