/*  capture_file - the files of `heddle run --capture LINK=FILE` (TB-19); all=FILE: capture_all.h.
 *
 *  LINK is node:peer or node:port. That node captures, so "inbound" is to this node. The file and
 *  its first blocks are made here. The node gets a descriptor and appends (nodes/link/capture.h). A
 *  FILE gets its name at the end of the run, also of one that failed: frames before a failure are
 *  of most use. A fabric that does not start leaves no file. What is not a regular file (a FIFO,
 *  /dev/stdout) is written directly. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_CAPTURE_FILE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "nodes/base/why.h"
#include "orchestrator/base/atomic_file.h"
#include "orchestrator/fabric/capture_all.h"
#include "orchestrator/fabric/fabric.h"

#define CAPTURE_FILES_MAX 256u /* of a run; each is an open file in this process */

struct capture_file {
	uint32_t node, port;
	char link[2 * NODE_NAME_MAX + 1]; /* the names of its ends */
	struct atomic_file file;
};

struct capture_files {
	uint32_t count;
	struct capture_file *files; /* [count] */
	struct capture_all all;
};

/** capture_files_open() - @words are LINK=FILE; of every frame @kept_bytes are kept (capture_bytes
 *  of config.h). Marks the ports of @plan and starts the files.
 *  Return: 0; -errno with a sentence in @why, and no file is left. */
int capture_files_open(struct capture_files *files, const char *const *words, unsigned count,
		       uint32_t kept_bytes, struct plan *plan, struct why *why);

/** capture_files_find() - the descriptor for fabric_options.capture_file, at port NODE_PORTS_MAX
 *  that of all; -1: there is none. */
int capture_files_find(const struct capture_files *files, uint32_t node, uint32_t port);

/** capture_files_end() - after the end of the nodes: gives the files their names, and reports
 *  errors on standard error.
 *  @fabric has its statistics pages.
 *  Return: 0; -EOWNERDEAD: a node was killed before its file was complete; else -errno if a file is
 *  not complete. */
int capture_files_end(struct capture_files *files, struct fabric *fabric);

/** capture_files_abort() - without a run: deletes the files. Idempotent, also after
 *  capture_files_end(). */
void capture_files_abort(struct capture_files *files);

#endif
