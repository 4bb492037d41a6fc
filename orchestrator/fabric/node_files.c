#include "orchestrator/fabric/node_files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"

/* in @folder or, if it is not there yet, in the one that it will be in */
static int nameless_open(const char *folder)
{
	int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
	char above[PATH_MAX];

	if (folder && fd < 0 && errno == ENOENT) {
		snprintf(above, sizeof(above), "%s", folder);
		fd = open(dirname(above), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	}
	if (fd < 0)
		fd = memfd_create("log", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int node_files_open(struct node_files *files, uint32_t count, const char *folder, struct why *why)
{
	int fd = 0;

	*files = (struct node_files){ .fds = malloc((count + 1ul) * sizeof(*files->fds)) };
	if (!files->fds)
		fd = -ENOMEM;
	descriptor_limit_raise();
	for (; fd >= 0 && files->count < count; files->fds[files->count++] = fd) {
		fd = nameless_open(folder);
		if (fd < 0)
			break;
	}
	if (fd >= 0)
		return 0;
	return why_say(why, fd, "cannot open a file for each node: %s%s", strerror(-fd),
		       fd == -EMFILE ? " (ulimit -n: each node needs one)" : "");
}

struct node_log_source *node_files_sources(const struct node_files *files,
					   const struct fabric *fabric)
{
	struct node_log_source *sources = calloc(fabric->plan->node_count + 1ul, sizeof(*sources));

	for (uint32_t i = 0; sources && i < fabric->plan->node_count; i++) {
		bool sound = fabric->nodes[i].stats && !stats_view_check(&fabric->nodes[i].view);

		sources[i] = (struct node_log_source){
			.page = sound ? fabric->nodes[i].stats : NULL,
			.fd = plan_vacant(fabric->plan, i) ? -1 : node_files_of(files, i),
		};
	}
	return sources;
}

void node_files_close(struct node_files *files)
{
	for (uint32_t i = 0; i < files->count; i++)
		close(files->fds[i]);
	free(files->fds);
	*files = (struct node_files){ 0 };
}
