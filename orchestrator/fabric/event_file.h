/*  event_file - the file of `heddle run --events FILE` (SE-2).
 *
 *  At the end of the run the events of all nodes (node_files.h) are merged into FILE
 *  (orchestrator/results/events.h), also after a failure: the events before it are of most use. A
 *  fabric that does not start leaves no file. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_EVENT_FILE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_EVENT_FILE_H

#include "nodes/base/why.h"
#include "orchestrator/base/atomic_file.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/node_files.h"
#include "orchestrator/results/events.h"

struct event_file {
	struct atomic_file file;
	enum events_format format;
	bool wanted;
};

/** event_file_open() - @path, NULL: no events are wanted.
 *  Return: 0; -errno with a sentence in @why, and no file is left. */
int event_file_open(struct event_file *events, const char *path, struct why *why);

/** event_file_end() - after the end of the nodes: writes FILE, and reports errors on standard
 *  error. @logs of the nodes. @interrupted: the last line says so.
 *  @fabric has its statistics pages.
 *  Return: 0, or -errno if the file is not complete. */
int event_file_end(struct event_file *events, const struct node_files *logs, struct fabric *fabric,
		   bool interrupted);

/** event_file_abort() - without a run: deletes the file. Idempotent, also after
 *  event_file_end(). */
void event_file_abort(struct event_file *events);

#endif
