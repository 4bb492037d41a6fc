#include "orchestrator/fabric/event_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int event_file_open(struct event_file *events, const char *path, struct why *why)
{
	int error;

	*events = (struct event_file){ 0 };
	if (!path)
		return 0;
	events->format = events_format_of(path);
	error = atomic_file_output(&events->file, path);
	if (error)
		why_say(why, 0, "cannot write the events to %s: %s", path, atomic_file_why(error));
	events->wanted = !error;
	return error;
}

/* Return: 0; -errno: those of a node are incomplete, reported */
static int nodes_write(const struct event_file *events, const struct node_files *logs,
		       const struct fabric *fabric)
{
	struct node_log_source *sources = node_files_sources(logs, fabric);
	struct why why;
	int error;

	if (!sources) {
		fprintf(stderr, "heddle run: out of memory for the events\n");
		return -ENOMEM;
	}
	error = events_write(fabric->plan, sources, events->format, events->file.stream, &why);
	if (error)
		fprintf(stderr, "heddle run: %s\n", why.text);
	free(sources);
	return error;
}

int event_file_end(struct event_file *events, const struct node_files *logs, struct fabric *fabric,
		   bool interrupted)
{
	int incomplete, error;

	if (!events->wanted)
		return 0;
	incomplete = nodes_write(events, logs, fabric);
	if (interrupted)
		event_row_interrupted(fabric->stopped_at_ps, events->format, events->file.stream);
	error = atomic_file_commit(&events->file);
	if (error)
		fprintf(stderr, "heddle run: cannot write the events to %s: %s\n",
			events->file.path, strerror(-error));
	event_file_abort(events);
	return error ? error : incomplete;
}

void event_file_abort(struct event_file *events)
{
	atomic_file_abort(&events->file);
	*events = (struct event_file){ 0 };
}
