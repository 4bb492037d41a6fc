#include "orchestrator/live/live_program.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/program_path.h"
#include "orchestrator/hosts/host_dilation.h"
#include "orchestrator/hosts/host_user.h"
#include "orchestrator/hosts/room_program.h"
#include "orchestrator/live/live_dilation.h"
#include "orchestrator/live/live_room.h"

#define LOG_NAME_MAX (NODE_NAME_MAX + 8)
#define FATE_TEXT_MAX 200u
#define OWN_VARIABLES 5u /* of a program, that the fabric sets */

extern char **environ;

/* ---- one program ---- */

static const struct host_command *command_of(const struct live *live,
					     const struct live_program *program)
{
	return &plan_host_settings(live->plan, program->host)->commands[program->number];
}

static const char *fate_text(const struct live_program *program, char text[FATE_TEXT_MAX])
{
	if (program->status_fd >= 0)
		snprintf(text, FATE_TEXT_MAX, "running");
	else if (program->no_user)
		snprintf(text, FATE_TEXT_MAX, "not started: the host has no such user");
	else if (program->error)
		snprintf(text, FATE_TEXT_MAX, "not started: %s", strerror(-program->error));
	else if (WIFSIGNALED(program->status))
		snprintf(text, FATE_TEXT_MAX, "killed by signal %d", WTERMSIG(program->status));
	else
		snprintf(text, FATE_TEXT_MAX, "ended with status %d", WEXITSTATUS(program->status));
	return text;
}

static bool has_failed(const struct live_program *program)
{
	return program->status_fd < 0 && (program->no_user || program->error || program->status);
}

static void fate_note(const struct live *live, const struct live_program *program)
{
	char text[FATE_TEXT_MAX];

	live_note("host %s: %s: %s", plan_host_name(live->plan, program->host),
		  command_of(live, program)->text, fate_text(program, text));
}

/* ---- their environment ---- */

/* @own[0] and @own[1]: the fabric's time */
static bool dilation_make(const struct live *live, char **own)
{
	char origin[LIVE_DILATION_ORIGIN_MAX];

	return asprintf(&own[0], HOST_DILATION_ORIGIN "=%s", live_dilation_origin(live, origin)) >
		       0 &&
	       asprintf(&own[1], HOST_DILATION_PRELOAD "=" HOST_DILATION_LIBRARY) > 0;
}

/* adds @text, "KEY=value", in the place of another one of that key */
static void variable_put(const char **list, size_t *count, const char *text)
{
	size_t key = strcspn(text, "=") + 1, i = 0;

	while (i < *count && strncmp(list[i], text, key) != 0)
		i++;
	list[i] = text;
	*count += i == *count;
}

/* that of the daemon, the fabric's own variables, then those of the scenario; the list is malloc'd.
 * A host with an image has variables of its image in place of the daemon's: nothing of the caller
 * fits its files.  @own  texts that the list points to */
static const char **environment_make(const struct scenario_host_settings *settings,
				     char *const own[OWN_VARIABLES])
{
	size_t before = 0, count = 0;
	const char **list;

	while (!settings->image && environ[before])
		before++;
	list = calloc(before + settings->variable_count + OWN_VARIABLES + 1, sizeof(*list));
	for (size_t i = 0; list && i < before; i++)
		list[count++] = environ[i];
	for (size_t i = 0; list && i < OWN_VARIABLES && own[i]; i++)
		variable_put(list, &count, own[i]);
	for (uint32_t i = 0; list && i < settings->variable_count; i++)
		variable_put(list, &count, settings->variables[i]);
	return list;
}

/* ---- the start ---- */

/* the file that programs of @host print to, for @flags; -1 with errno */
static int log_open(const struct live *live, uint32_t host, int flags)
{
	char name[LOG_NAME_MAX];
	int folder, fd, saved;
	struct stat found;

	if (mkdirat(live->place.dir_fd, RUNTIME_PROGRAMS, 0700) && errno != EEXIST)
		return -1;
	folder = openat(live->place.dir_fd, RUNTIME_PROGRAMS,
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -1;
	snprintf(name, sizeof(name), "%s.log", plan_host_name(live->plan, host));
	/* a program may have put something else there, such as a FIFO, which must not block */
	fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	saved = errno;
	close(folder);
	if (fd >= 0 && (fstat(fd, &found) || !S_ISREG(found.st_mode))) {
		close(fd);
		fd = -1;
		saved = EINVAL;
	}
	errno = saved;
	return fd;
}

/* has the init process of the host start it; @fds: words, input, output, error, status */
static int program_start(struct live *live, struct live_program *program,
			 const struct room_program *words, int fds[ROOM_START_FDS])
{
	struct why why;
	const struct host_room *room = live_room_find(live, program->host, &why);

	fds[ROOM_START_WORDS] = room ? room_program_pack(words) : -EHOSTDOWN;
	if (fds[ROOM_START_WORDS] < 0)
		return fds[ROOM_START_WORDS];
	return host_room_start(room, fds, ROOM_START_FDS, LIVE_LOG_BYTES_MAX);
}

/* with descriptors for its input, output and status; the daemon keeps the reading end of that */
static int program_wire(struct live *live, struct live_program *program,
			const struct room_program *words)
{
	int fds[ROOM_START_FDS] = { -1, -1, -1, -1, -1 }, pipes[2] = { -1, -1 }, pid;

	fds[ROOM_START_INPUT] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fds[ROOM_START_OUTPUT] = log_open(live, program->host, O_WRONLY | O_CREAT | O_APPEND);
	if (fds[ROOM_START_INPUT] < 0 || fds[ROOM_START_OUTPUT] < 0 ||
	    pipe2(pipes, O_CLOEXEC | O_NONBLOCK)) {
		pid = -errno;
	} else {
		fds[ROOM_START_ERROR] = fds[ROOM_START_OUTPUT];
		fds[ROOM_START_STATUS] = pipes[1];
		pid = program_start(live, program, words, fds);
	}
	fds[ROOM_START_ERROR] = -1;
	for (unsigned i = 0; i < ROOM_START_FDS; i++)
		descriptor_close(&fds[i]);
	if (pid > 0) {
		struct epoll_event readable = { .events = EPOLLIN };

		program->status_fd = pipes[0];
		epoll_ctl(live->programs_epoll, EPOLL_CTL_ADD, pipes[0], &readable);
	} else if (pipes[0] >= 0) {
		close(pipes[0]);
	}
	return pid;
}

static bool user_find(const struct scenario_host_settings *settings, struct host_user *user)
{
	if (!settings->user)
		return false;
	return settings->user_of_image ? host_user_of_image(settings->rootfs, settings->user, user)
				       : host_user_find(settings->rootfs, settings->user, user);
}

/* as the user of the scenario, in the folder of the scenario; or as the image says */
static int program_make(struct live *live, struct live_program *program,
			char *const own[OWN_VARIABLES])
{
	const struct scenario_host_settings *settings =
		plan_host_settings(live->plan, program->host);
	struct host_user user;
	const bool found = user_find(settings, &user);
	const struct room_program words = {
		.argv = command_of(live, program)->argv,
		.env = (char *const *)environment_make(settings, own),
		.cwd = settings->work_folder ? settings->work_folder : live->plan->folder,
		.user = found ? &user : NULL,
	};
	int pid = -ENOMEM;

	program->no_user = settings->user && !found;
	if (words.env)
		pid = program->no_user ? -EINVAL : program_wire(live, program, &words);
	free((void *)(uintptr_t)words.env);
	return pid;
}

static void host_start(struct live *live, uint32_t host)
{
	const struct scenario_host_settings *settings = plan_host_settings(live->plan, host);
	char runtime[sizeof(live->place.path)], *own[OWN_VARIABLES] = { 0 };
	const char *base = dirname(strcpy(runtime, live->place.path));
	bool fine = asprintf(&own[0], "HEDDLE_FABRIC=%s", live->place.name) > 0 &&
		    asprintf(&own[1], "HEDDLE_HOST=%s", plan_host_name(live->plan, host)) > 0 &&
		    asprintf(&own[2], "HEDDLE_RUNTIME_DIR=%s", base) > 0;

	if (fine && live_dilation_reaches(live, host))
		fine = dilation_make(live, &own[3]);

	for (uint32_t i = 0; i < settings->command_count; i++) {
		struct live_program *program = &live->programs[live->program_count++];

		*program = (struct live_program){ .host = host, .number = i, .status_fd = -1 };
		program->pid = fine ? program_make(live, program, own) : -ENOMEM;
		program->error = program->pid < 0 ? program->pid : 0;
		if (program->error)
			fate_note(live, program);
	}
	for (unsigned i = 0; i < OWN_VARIABLES; i++)
		free(own[i]);
}

static bool has_commands(const struct plan *plan, uint32_t host)
{
	return plan_here(plan, plan_host_node(plan, host)) && !plan->hosts[host].interface &&
	       plan->hosts[host].settings->command_count;
}

int live_programs_start(struct live *live)
{
	const struct plan *plan = live->plan;
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->host_count; i++)
		count += has_commands(plan, i) ? plan->hosts[i].settings->command_count : 0;
	live->programs = calloc(count, sizeof(*live->programs));
	if (!live->programs)
		return -ENOMEM;
	live->programs_epoll = epoll_create1(EPOLL_CLOEXEC);
	program_path_complete();
	for (uint32_t i = 0; i < plan->host_count; i++)
		if (has_commands(plan, i))
			host_start(live, i);
	return 0;
}

/* ---- the end ---- */

/* reads how it has ended, if it has */
static void program_watch(const struct live *live, struct live_program *program)
{
	struct room_status end;
	ssize_t length = read(program->status_fd, &end, sizeof(end));

	if (length < 0)
		return;
	close(program->status_fd);
	program->status_fd = -1;
	if (length != (ssize_t)sizeof(end)) {
		program->status = SIGKILL; /* with its host */
	} else if (end.kind == ROOM_NOT_STARTED) {
		program->error = end.value;
		program->no_user = end.no_user;
	} else {
		program->status = end.value;
	}
	fate_note(live, program);
}

void live_programs_watch(struct live *live)
{
	for (uint32_t i = 0; i < live->program_count; i++)
		if (live->programs[i].status_fd >= 0)
			program_watch(live, &live->programs[i]);
}

void live_programs_drop(struct live *live, uint32_t host)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < live->program_count; i++) {
		struct live_program *program = &live->programs[i];

		if (program->host != host)
			live->programs[kept++] = *program;
		else
			descriptor_close(&program->status_fd);
	}
	live->program_count = kept;
}

void live_programs_free(struct live *live)
{
	for (uint32_t i = 0; i < live->program_count; i++)
		descriptor_close(&live->programs[i].status_fd);
	if (live->programs && live->programs_epoll >= 0)
		close(live->programs_epoll);
	free(live->programs);
	live->programs = NULL;
	live->program_count = 0;
}

/* ---- for people ---- */

json_t *live_programs_describe(struct live *live)
{
	json_t *list = json_array();
	char fate[FATE_TEXT_MAX];

	live_programs_watch(live);
	for (uint32_t i = 0; i < live->program_count; i++) {
		const struct live_program *program = &live->programs[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:b, s:b, s:s}", "host",
						      plan_host_name(live->plan, program->host),
						      "command", command_of(live, program)->text,
						      "pid", program->pid > 0 ? program->pid : 0,
						      "running", program->status_fd >= 0, "failed",
						      has_failed(program), "fate",
						      fate_text(program, fate)));
	}
	return list;
}

json_t *live_programs_log(struct live_query *query)
{
	struct live *live = query->live;
	int64_t node = live_query_node(query, live_query_text(query, "host"));
	uint32_t host;
	int fd;

	if (node < 0)
		return query->refusal;
	host = live->plan->nodes[node].kind == NODE_NIC ? plan_owner(live->plan, (uint32_t)node)
							: 0;
	if (live->plan->nodes[node].kind != NODE_NIC || !has_commands(live->plan, host))
		return live_refuse("%s has no start commands: the key 'run' of a host",
				   live->plan->nodes[node].name);
	fd = log_open(live, host, O_RDONLY | O_CREAT); /* nothing may have been printed */
	if (fd < 0)
		return live_refuse("what the programs of %s print cannot be read: %s",
				   plan_host_name(live->plan, host), strerror(errno));
	query->answer->fds[query->answer->fd_count++] = fd;
	query->answer->fds_owned = true;
	return json_pack("{s:s, s:s}", "fabric", live->place.name, "host",
			 plan_host_name(live->plan, host));
}
