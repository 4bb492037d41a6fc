/*  capture_file - the files of `heddle run --capture LINK=FILE` (TB-19): which link, who writes,
 *  what comes of it.
 *
 *  LINK is written as elsewhere, node:peer or node:port. That node captures, so that "inbound"
 *  means: to it. The file and its first blocks are made here; the node gets a descriptor and
 *  appends (nodes/link/capture.h).
 *  A FILE has its name when the run is over, however it ended: what was on a link before a fabric
 *  failed is what one wants to see then. A fabric that does not start leaves none. What is no
 *  regular file (a FIFO, /dev/stdout) is written directly. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_CAPTURE_FILE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/fabric/fabric.h"

#define CAPTURE_FILES_MAX 256u /* of a run: each is an open file here too */

struct capture_file {
	uint32_t node, port;
	char link[2 * NODE_NAME_MAX + 1]; /* the names of its ends */
	struct atomic_file file;
};

struct capture_files {
	uint32_t count;
	struct capture_file *files; /* [count] */
};

/** capture_files_open() - @words are LINK=FILE; of every frame @kept_bytes are kept (capture_bytes
 *  of config.h). The ports of @plan are marked, and the files begun.
 *  Return: 0; -errno with a sentence in @why, nothing is left of the files then. */
int capture_files_open(struct capture_files *files, const char *const *words, unsigned count,
		       uint32_t kept_bytes, struct plan *plan, char *why, size_t why_max);

/** capture_files_find() - the descriptor for fabric_options.capture_file; @owner a struct
 *  capture_files. */
int capture_files_find(void *owner, uint32_t node, uint32_t port);

/** capture_files_end() - the nodes have ended: the files get their names, and what went wrong is
 *  said on stderr.
 *  @fabric its statistics are still there. Return: 0; -EOWNERDEAD: a node had to be killed before
 *  its file was complete; else -errno if a file is not complete. */
int capture_files_end(struct capture_files *files, struct fabric *fabric);

/** capture_files_abort() - there was no run: nothing is left. Idempotent, also after
 *  capture_files_end(). */
void capture_files_abort(struct capture_files *files);

#endif
