/*  event_file - the file of `heddle run --events FILE` (SE-2).
 *
 *  Each node gets a descriptor of a file without a name, to which it appends its events
 *  (nodes/stats/trace.h). At the end of the run they are merged into FILE
 *  (orchestrator/results/events.h), also after a failure: the events before it are of most use. A
 *  fabric that does not start leaves no file. The files without a name are on the disk of FILE and
 *  vanish with the processes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_EVENT_FILE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_EVENT_FILE_H

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/results/events.h"

struct event_file {
	struct atomic_file file;
	enum events_format format;
	uint32_t node_count;
	int *fds; /* one for each node; NULL: no events are wanted */
};

/** event_file_open() - @path, NULL: no events are wanted. Marks the nodes of @plan and makes their
 *  files.
 *  Return: 0; -errno with a sentence in @why, and no file is left. */
int event_file_open(struct event_file *events, const char *path, struct plan *plan, char *why,
		    size_t why_max);

/** event_file_of() - for fabric_options.event_file: the descriptor for @node. */
int event_file_of(const struct event_file *events, uint32_t node);

/** event_file_end() - after the end of the nodes: writes FILE, and reports errors on standard
 *  error. @interrupted: the last line says so.
 *  @fabric has its statistics pages.
 *  Return: 0, or -errno if the file is not complete. */
int event_file_end(struct event_file *events, struct fabric *fabric, bool interrupted);

/** event_file_abort() - without a run: deletes the file. Idempotent, also after
 *  event_file_end(). */
void event_file_abort(struct event_file *events);

#endif
