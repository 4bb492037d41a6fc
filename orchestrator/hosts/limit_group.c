#include "orchestrator/hosts/limit_group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"

#define NAME_MAX_HERE 64
#define SWEEP_PAUSE_US 20000
#define SWEEP_TRIES 500 /* ten seconds, for processes that end slowly */

static const struct kind {
	const char *controller;
	const char *unified, *old;           /* files of the limit */
	const char *unified_swap, *old_swap; /* may be missing; NULL: none */
} kinds[LIMIT_KINDS] = {
	[LIMIT_PROCESSES] = { "pids", "pids.max", "pids.max", NULL, NULL },
	[LIMIT_MEMORY] = { "memory", "memory.max", "memory.limit_in_bytes", "memory.swap.max",
			   "memory.memsw.limit_in_bytes" },
};

static int value_write(const char *folder, const char *file, const char *text)
{
	char path[PATH_MAX + NAME_MAX_HERE];
	int fd, error;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	error = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
	descriptor_close(&fd);
	return error;
}

/* ---- where groups can be made ---- */

/* is @word one of the words of @list, between commas? */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && strchr(",\n", at[length]))
			return true;
	return false;
}

/* opens file @name of folder @process */
static FILE *process_open(const char *process, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", process, name);
	return fopen(path, "re");
}

/* the group of @process in the hierarchy of @controller, or (NULL) in that of version 2.
 * Return: false: there is none */
static bool own_group(const char *process, const char *controller, char *group, size_t group_max)
{
	FILE *file = process_open(process, "cgroup");
	char line[PATH_MAX + 128];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = 0;
		path[strcspn(path, "\n")] = 0;
		found = controller ? has_word(list + 1, controller) : !list[1];
		if (found)
			snprintf(group, group_max, "%s", path);
	}
	if (file)
		fclose(file);
	return found;
}

/* a mount of a hierarchy, from a line of mountinfo */
struct hierarchy {
	char root[PATH_MAX], place[PATH_MAX];
	bool unified;
};

static bool hierarchy_parse(const char *line, const char *controller, struct hierarchy *found)
{
	const char *rest = strstr(line, " - cgroup");
	char options[256] = "";

	if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", found->root, found->place) != 2)
		return false;
	found->unified = !strncmp(rest, " - cgroup2 ", 11);
	if (sscanf(rest, " - %*s %*s %255s", options) != 1)
		return false;
	return found->unified || has_word(options, controller);
}

/* Can a group with the files of @kind be made in @folder? */
static bool is_base(const char *folder, const struct kind *kind, bool unified)
{
	char probe[PATH_MAX], file[PATH_MAX + NAME_MAX_HERE], enable[NAME_MAX_HERE];
	bool works;

	if (snprintf(probe, sizeof(probe), "%s/heddle.%d.probe", folder, (int)getpid()) >=
		    (int)sizeof(probe) ||
	    mkdir(probe, 0755))
		return false;
	snprintf(file, sizeof(file), "%s/%s", probe, unified ? kind->unified : kind->old);
	works = !access(file, W_OK);
	if (!works && unified) {
		snprintf(enable, sizeof(enable), "+%s", kind->controller);
		works = !value_write(folder, "cgroup.subtree_control", enable) &&
			!access(file, W_OK);
	}
	rmdir(probe);
	return works;
}

/* the nearest folder from the own group up to the top of @hierarchy */
static bool base_find(const char *process, const struct hierarchy *hierarchy,
		      const struct kind *kind, char *base)
{
	char group[PATH_MAX], path[2 * PATH_MAX];
	const char *below = group;
	size_t root = strlen(hierarchy->root), top = strlen(hierarchy->place);
	char *slash;

	if (!own_group(process, hierarchy->unified ? NULL : kind->controller, group, sizeof(group)))
		return false;
	if (root > 1 && !strncmp(group, hierarchy->root, root))
		below += root;
	snprintf(path, sizeof(path), "%s%s", hierarchy->place, strcmp(below, "/") ? below : "");
	while (strlen(path) >= PATH_MAX || !is_base(path, kind, hierarchy->unified)) {
		slash = strrchr(path, '/');
		if (!slash || (size_t)(slash - path) < top)
			return false;
		*slash = 0;
	}
	strcpy(base, path);
	return true;
}

static void kind_open(struct limit_groups *groups, enum limit_kind kind, const char *process)
{
	FILE *file = process_open(process, "mountinfo");
	char line[3 * PATH_MAX];
	struct hierarchy hierarchy;

	groups->bases[kind][0] = 0;
	while (file && !groups->bases[kind][0] && fgets(line, sizeof(line), file))
		if (hierarchy_parse(line, kinds[kind].controller, &hierarchy) &&
		    base_find(process, &hierarchy, &kinds[kind], groups->bases[kind]))
			groups->unified[kind] = hierarchy.unified;
	if (file)
		fclose(file);
}

/* ---- removing ---- */

/* removes the groups of daemon @daemon in @base. Return: are some left? */
static bool base_sweep(const char *base, pid_t daemon)
{
	DIR *stream = *base ? opendir(base) : NULL;
	char prefix[NAME_MAX_HERE];
	const struct dirent *entry;
	bool left = false;

	snprintf(prefix, sizeof(prefix), "heddle.%d.", (int)daemon);
	while (stream && (entry = readdir(stream)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			left |= unlinkat(dirfd(stream), entry->d_name, AT_REMOVEDIR) != 0;
	if (stream)
		closedir(stream);
	return left;
}

/* waits for the end of the daemon, which is that of the other end of pipe @fd */
static _Noreturn void sweeper_run(const struct limit_groups *groups, int fd, pid_t daemon)
{
	char byte;
	bool left = true;

	prctl(PR_SET_NAME, "heddle-sweep");
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (fd != 3)
		dup2(fd, 3);
	close_range(4, ~0u, 0);
	while (read(3, &byte, 1) < 0 && errno == EINTR)
		;
	for (int i = 0; left && i < SWEEP_TRIES; i++) {
		left = false;
		for (int kind = 0; kind < LIMIT_KINDS; kind++)
			left |= base_sweep(groups->bases[kind], daemon);
		if (left)
			usleep(SWEEP_PAUSE_US);
	}
	_exit(0);
}

/* The write end of the pipe stays open in the daemon, and there only. */
static bool sweeper_start(const struct limit_groups *groups)
{
	pid_t daemon = getpid(), between;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		return false;
	between = fork();
	if (!between) { /* not a child of the daemon, which counts its children */
		setsid();
		if (!fork())
			sweeper_run(groups, pipes[0], daemon);
		_exit(0);
	}
	close(pipes[0]);
	if (between > 0)
		waitpid(between, NULL, 0);
	else
		close(pipes[1]);
	return between > 0;
}

void limit_groups_open(struct limit_groups *groups, const char *process)
{
	if (groups->opened)
		return;
	groups->opened = true;
	for (int kind = 0; kind < LIMIT_KINDS; kind++)
		kind_open(groups, kind, process);
	if ((*groups->bases[LIMIT_PROCESSES] || *groups->bases[LIMIT_MEMORY]) &&
	    !sweeper_start(groups))
		*groups = (struct limit_groups){ .opened = true };
}

/* ---- one group ---- */

static void folder_name(const struct limit_groups *groups, enum limit_kind kind, uint32_t host,
			char path[PATH_MAX + NAME_MAX_HERE])
{
	snprintf(path, PATH_MAX + NAME_MAX_HERE, "%s/heddle.%d.%" PRIu32, groups->bases[kind],
		 (int)getpid(), host);
}

/* Return: the descriptor by which processes join, or -errno */
static int kind_make(const struct limit_groups *groups, enum limit_kind kind, uint32_t host,
		     uint64_t value, pid_t pid)
{
	const struct kind *files = &kinds[kind];
	bool unified = groups->unified[kind];
	const char *swap = unified ? files->unified_swap : files->old_swap;
	char path[PATH_MAX + NAME_MAX_HERE], join[PATH_MAX + 2 * NAME_MAX_HERE], text[32];
	int fd, error;

	folder_name(groups, kind, host, path);
	if (mkdir(path, 0755) && errno != EEXIST)
		return -errno;
	snprintf(text, sizeof(text), "%" PRIu64, value);
	error = value_write(path, unified ? files->unified : files->old, text);
	if (!error && swap)
		(void)value_write(path, swap, unified ? "0" : text);
	snprintf(text, sizeof(text), "%d", (int)pid);
	if (!error)
		error = value_write(path, "cgroup.procs", text);
	if (error)
		return error;
	snprintf(join, sizeof(join), "%s/cgroup.procs", path);
	fd = open(join, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int limit_group_make(const struct limit_groups *groups, struct limit_group *group, uint32_t host,
		     const uint64_t values[LIMIT_KINDS], pid_t pid, struct why *why)
{
	*group = LIMIT_GROUP_NONE;
	for (int kind = 0; kind < LIMIT_KINDS; kind++) {
		int fd;

		if (!values[kind] || !*groups->bases[kind])
			continue;
		fd = kind_make(groups, kind, host, values[kind], pid);
		if (fd < 0) {
			limit_group_free(groups, group, host);
			return why_say(why, fd, "a control group in %s: %s", groups->bases[kind],
				       strerror(-fd));
		}
		group->fds[kind] = fd;
	}
	return 0;
}

void limit_group_free(const struct limit_groups *groups, struct limit_group *group, uint32_t host)
{
	char path[PATH_MAX + NAME_MAX_HERE];

	for (int kind = 0; kind < LIMIT_KINDS; kind++) {
		if (group->fds[kind] < 0)
			continue;
		descriptor_close(&group->fds[kind]);
		folder_name(groups, kind, host, path);
		rmdir(path); /* what is left now, the sweeper removes */
	}
}
