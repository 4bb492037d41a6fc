/*  origin - what a result came from: the bytes of the scenario, and what was changed of them (TB-13).
 *
 *  Made while a scenario is read and handed on to its plan, so that it needs no copy: whoever holds it releases it once.
 *  Names of folders are not in it, so that a result is the same wherever the scenario lies.                            */
#ifndef HEDDLE_ORCHESTRATOR_BASE_ORIGIN_H
#define HEDDLE_ORCHESTRATOR_BASE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "orchestrator/base/sha256.h"

#define ORIGIN_INPUTS_MAX 65u /* a scenario, and a list of sizes for each of its workloads */

struct yaml_node;

struct origin {
	uint32_t holders;
	struct sha256 digest; /* of the scenario's file, then of each file that it names, in the order of reading */
	char **settings;      /* "path=value", in the order of the command line */
	uint32_t setting_count;
	/* the files that were read, for whoever is about to write one */
	struct origin_input {
		dev_t device;
		ino_t inode;
	} inputs[ORIGIN_INPUTS_MAX];
	uint32_t input_count;
	struct yaml_node *effective; /* the scenario's tree with settings and variant in place; NULL: not known yet */
};

/** origin_new() - of a scenario of @length bytes at @text, read with @settings; one holder.
 *  Return: NULL if memory is short.                                                                                 */
struct origin *origin_new(const char *text, size_t length, const char *const *settings, uint32_t setting_count);

/** origin_input() - the file at @path was read; one that is not there, or one too many, is left out. */
void origin_input(struct origin *origin, const char *path);

/** origin_reads() - is the file with these numbers one of them?  @origin  may be NULL. */
bool origin_reads(const struct origin *origin, dev_t device, ino_t inode);

/** origin_hold() - one holder more.  Return: @origin, which may be NULL. */
struct origin *origin_hold(struct origin *origin);

/** origin_release() - one holder less; the last one takes it along. NULL is fine. */
void origin_release(struct origin *origin);

#endif
