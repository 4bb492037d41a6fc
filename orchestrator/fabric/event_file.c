#include "orchestrator/fabric/event_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"

/* ---- files of nodes ---- */

/* A file without a name in the folder of @path; in memory if its file system has none, or if @path
 * is no regular file. */
static int nameless_open(const struct atomic_file *file)
{
	char folder[PATH_MAX];
	int fd = -1;

	snprintf(folder, sizeof(folder), "%s", file->path);
	if (file->written[0])
		fd = open(dirname(folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create("events", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int nodes_open(struct event_file *events, struct plan *plan)
{
	descriptor_limit_raise();
	events->fds = malloc((plan->node_count + 1) * sizeof(*events->fds));
	if (!events->fds)
		return -ENOMEM;
	for (; events->node_count < plan->node_count; events->node_count++) {
		int fd = nameless_open(&events->file);

		if (fd < 0)
			return fd;
		events->fds[events->node_count] = fd;
		plan->nodes[events->node_count].events = true;
	}
	return 0;
}

/* ---- the file ---- */

int event_file_open(struct event_file *events, const char *path, struct plan *plan, char *why,
		    size_t why_max)
{
	int error;

	*events = (struct event_file){ 0 };
	if (!path)
		return 0;
	events->format = events_format_of(path);
	error = atomic_file_open(&events->file, path);
	if (!error)
		error = nodes_open(events, plan);
	if (!error)
		return 0;
	snprintf(why, why_max, "cannot write the events to %s: %s%s", path, atomic_file_why(error),
		 error == -EMFILE ? " (ulimit -n: each node needs one)" : "");
	event_file_abort(events);
	return error;
}

int event_file_of(const struct event_file *events, uint32_t node)
{
	return events->fds && node < events->node_count ? events->fds[node] : -1;
}

/* Return: 0; -errno: those of a node are incomplete, told */
static int nodes_write(const struct event_file *events, struct fabric *fabric)
{
	struct event_source *sources = calloc(events->node_count + 1, sizeof(*sources));
	char why[256];
	int error;

	if (!sources) {
		fprintf(stderr, "heddle run: out of memory for the events\n");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < events->node_count; i++) {
		bool sound = fabric->nodes[i].stats && !stats_view_check(&fabric->nodes[i].view);

		sources[i] = (struct event_source){ .page = sound ? fabric->nodes[i].stats : NULL,
						    .fd = plan_vacant(fabric->plan, i)
								  ? -1
								  : events->fds[i] };
	}
	error = events_write(fabric->plan, sources, events->format, events->file.stream, why,
			     sizeof(why));
	if (error)
		fprintf(stderr, "heddle run: %s\n", why);
	free(sources);
	return error;
}

int event_file_end(struct event_file *events, struct fabric *fabric, bool interrupted)
{
	const char *mark = events->format == EVENTS_CSV
				   ? "# interrupted=true end_ps=%" PRIu64 "\n"
				   : "{\"interrupted\":true,\"end_ps\":%" PRIu64 "}\n";
	int incomplete, error;

	if (!events->fds)
		return 0;
	incomplete = nodes_write(events, fabric);
	if (interrupted)
		fprintf(events->file.stream, mark, fabric_now(fabric));
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
	for (uint32_t i = 0; i < events->node_count; i++)
		close(events->fds[i]);
	free(events->fds);
	*events = (struct event_file){ 0 };
}
