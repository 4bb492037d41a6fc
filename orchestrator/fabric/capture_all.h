/*  capture_all - the file of `heddle run --capture all=FILE`: all links in one pcapng (SE-13).
 *
 *  Each node appends what it sends to a file without a name (nodes/link/capture.h). At the end of
 *  the run they are merged into FILE: an interface for each end of a link, named node:peer, and
 *  what that end has sent, in the order of the stamps. Frames of the same nanosecond are in
 *  the order of the interfaces, so the same run writes the same bytes.
 *  Nothing in a node's file is trusted: one that is not what its node may write is cut there, and
 *  the node is named. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_CAPTURE_ALL_H
#define HEDDLE_ORCHESTRATOR_FABRIC_CAPTURE_ALL_H

#include "nodes/base/why.h"
#include "orchestrator/base/atomic_file.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/node_files.h"

#define CAPTURE_ALL "all"

struct capture_all {
	struct atomic_file file;
	struct node_files parts; /* of the nodes */
	bool wanted;
};

/** capture_all_open() - of every frame @kept_bytes are kept. Marks the nodes of @plan and makes
 *  their files.
 *  Return: 0; -errno with a sentence in @why, and no file is left. */
int capture_all_open(struct capture_all *all, const char *path, uint32_t kept_bytes,
		     struct plan *plan, struct why *why);

/** capture_all_end() - after the end of the nodes: writes FILE, and reports errors on standard
 *  error.
 *  @fabric has its statistics pages.   O(frames log nodes), 32 KiB of memory for each node.
 *  Return: 0; -EOWNERDEAD: a node was killed before its file was complete; else -errno if FILE is
 *  not complete. */
int capture_all_end(struct capture_all *all, struct fabric *fabric);

/** capture_all_abort() - without a run: deletes the file. Idempotent, also after
 *  capture_all_end(). */
void capture_all_abort(struct capture_all *all);

#endif
