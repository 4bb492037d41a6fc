/*  node_files - a file without a name for each node, to which it appends its log of events or of
 *  series (nodes/stats/page_log.h).
 *
 *  They are on the disk of the output that is made of them; in memory if that file system has no
 *  such files, or if the output is no regular file. They vanish with the processes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_NODE_FILES_H
#define HEDDLE_ORCHESTRATOR_FABRIC_NODE_FILES_H

#include <stdint.h>

#include "nodes/base/why.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/results/node_log.h"

struct node_files {
	uint32_t count;
	int *fds; /* one for each node; NULL: none are wanted */
};

/** node_files_open() - @count files in @folder; NULL: in memory.
 *  Return: 0; -errno with a sentence in @why. node_files_close() is due in any case. */
int node_files_open(struct node_files *files, uint32_t count, const char *folder, struct why *why);

/** node_files_of() - the descriptor of @node; -1: there is none. */
static inline int node_files_of(const struct node_files *files, uint32_t node)
{
	return files->fds && node < files->count ? files->fds[node] : -1;
}

/** node_files_sources() - where the logs of @fabric are, an array to be freed by the caller; NULL:
 *  out of memory. A node whose page is destroyed cannot be read. @fabric has stopped, or ended. */
struct node_log_source *node_files_sources(const struct node_files *files,
					   const struct fabric *fabric);

/** node_files_close() - idempotent; zeroed files are fine. */
void node_files_close(struct node_files *files);

#endif
