#include "orchestrator/operate/host_run.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/program_path.h"
#include "orchestrator/command/client.h"
#include "orchestrator/hosts/host_dilation.h"
#include "orchestrator/hosts/host_user.h"
#include "orchestrator/hosts/room_init.h"
#include "orchestrator/hosts/room_program.h"
#include "orchestrator/live/live_request.h"
#include "orchestrator/live/runtime_dir.h"
#include "orchestrator/operate/enter.h"

extern char **environ;

#define EXIT_NOT_STARTED 126 /* as shells do */

/* ---- one host ---- */

/* keeps descriptors @fds of an answer */
static void namespaces_keep(const json_t *answer, const int *fds, unsigned fd_count,
			    struct enter_fds *enter)
{
	const struct {
		const char *name;
		int *fd;
	} places[] = { { "user", &enter->user_fd },
		       { "pid", &enter->pid_fd },
		       { "mount", &enter->mount_fd },
		       { "net", &enter->net_fd },
		       { "uts", &enter->uts_fd },
		       { "tmp", &enter->tmp_fd },
		       { "processes", &enter->group.fds[LIMIT_PROCESSES] },
		       { "memory", &enter->group.fds[LIMIT_MEMORY] } };
	const json_t *limits = json_object_get(answer, "limits");
	const json_t *names = json_object_get(answer, "namespaces");

	for (unsigned i = 0; i < fd_count; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		for (size_t k = 0; k < COUNT_OF(places); k++)
			if (name && !strcmp(places[k].name, name))
				*places[k].fd = fds[i];
	}
	enter->room = json_is_true(json_object_get(answer, "sandbox"));
	enter->rights.full = json_is_true(json_object_get(answer, "full_root"));
	enter->rights.limits = (struct host_process_limits){
		.files = (uint64_t)member_number(limits, "files"),
		.processes = (uint64_t)member_number(limits, "processes"),
		.address_bytes = (uint64_t)member_number(limits, "address_bytes")
	};
}

/* requests the descriptors of host @host. @by_request  it gives none, since this process is inside
 * of a host: it starts programs there instead.  Return: 0 or an exit status, reported */
static int host_ask(struct client *client, const char *host, struct enter_fds *enter,
		    bool *by_request)
{
	int fds[LIVE_FDS_MAX], status;
	unsigned fd_count = LIVE_FDS_MAX;
	json_t *answer = NULL;

	*enter = ENTER_FDS_NONE;
	status = client_ask(client, json_pack("{s:s, s:s}", "ask", "exec", "host", host), &answer,
			    fds, &fd_count);
	if (status)
		return status;
	*by_request = json_is_true(json_object_get(answer, "by_request"));
	snprintf(enter->dilation, sizeof(enter->dilation), "%s", member_text(answer, "dilation"));
	snprintf(enter->preload, sizeof(enter->preload), "%s", member_text(answer, "preload"));
	snprintf(enter->rootfs, sizeof(enter->rootfs), "%s", member_text(answer, "rootfs"));
	namespaces_keep(answer, fds, fd_count, enter);
	if (!*by_request && enter->net_fd < 0)
		status = options_wrong(client->command,
				       "fabric %s has not sent the namespaces of %s",
				       client->fabric, host);
	json_decref(answer);
	return status ? CLIENT_FAILED : 0;
}

/* ---- environment ---- */

/* a `heddle` that the program starts finds the same fabric, whatever its user is called there */
static void environment_set(const char *fabric, const char *host)
{
	char runtime[PATH_MAX], *whole = NULL;

	if (!runtime_path(runtime, sizeof(runtime)))
		whole = realpath(runtime, NULL);
	if (whole)
		setenv("HEDDLE_RUNTIME_DIR", whole, 1);
	free(whole);
	setenv("HEDDLE_FABRIC", fabric, 1);
	setenv("HEDDLE_HOST", host, 1);
	program_path_complete();
}

/* Return: 0, or an exit status, reported */
static int dilation_set(const char *command, const struct enter_fds *enter)
{
	char *preload;

	if (!*enter->dilation)
		return 0;
	preload = host_dilation_preload(enter->preload, getenv(HOST_DILATION_PRELOAD));
	if (!preload)
		return options_wrong(command, "not enough memory");
	setenv(HOST_DILATION_ORIGIN, enter->dilation, 1);
	setenv(HOST_DILATION_PRELOAD, preload, 1);
	free(preload);
	return 0;
}

/* looks up @name, or a number, of the host.  Return: 0 or an exit status, reported */
static int user_find(const char *command, const char *name, const struct enter_fds *host,
		     struct host_user *found)
{
	if (host_user_find(host->rootfs, name, found))
		return 0;
	if (*host->rootfs)
		return options_wrong(command, "%s/etc/passwd has no user '%s'", host->rootfs, name);
	return options_wrong(command, "this machine has no user '%s'", name);
}

/* ---- by namespaces, or by request ---- */

/* requests that @host starts the program. @status_fd receives its struct room_status; its other end
 * is the host's alone.  Return: 0 or an exit status, reported */
static int program_request(struct client *client, const char *host,
			   const struct room_program *program, int *status_fd)
{
	int pipes[2], words_fd = room_program_pack(program);
	json_t *answer = NULL;
	int status;

	if (words_fd < 0 || pipe2(pipes, O_CLOEXEC))
		return options_wrong(client->command, "no memory file, or no pipe: %s",
				     strerror(words_fd < 0 ? -words_fd : errno));
	client->sent_fds = (const int[ROOM_START_FDS]){ [ROOM_START_WORDS] = words_fd,
							[ROOM_START_INPUT] = STDIN_FILENO,
							[ROOM_START_OUTPUT] = STDOUT_FILENO,
							[ROOM_START_ERROR] = STDERR_FILENO,
							[ROOM_START_STATUS] = pipes[1] };
	client->sent_count = ROOM_START_FDS;
	status = client_ask(client, json_pack("{s:s, s:s}", "ask", "run", "host", host), &answer,
			    NULL, NULL);
	json_decref(answer);
	close(words_fd);
	close(pipes[1]);
	*status_fd = pipes[0];
	return status;
}

/* Return: as enter_run() */
static int program_await(int status_fd, const char *name, const struct host_user *user,
			 struct why *why)
{
	struct room_status end;
	ssize_t length;

	do
		length = read(status_fd, &end, sizeof(end));
	while (length < 0 && errno == EINTR);
	if (length != (ssize_t)sizeof(end))
		return why_say(why, -ECHILD, "the host has ended");
	if (end.kind == ROOM_NOT_STARTED) {
		enter_failure_text(name, user, end.value, end.no_user, why);
		return end.value;
	}
	return WIFSIGNALED(end.value) ? 128 + WTERMSIG(end.value) : WEXITSTATUS(end.value);
}

/* The program is killed when this process ends, since the pipe has no reader then. */
static int run_by_request(struct client *client, const char *host, const struct host_user *user,
			  char *const argv[], const char *cwd, struct why *why)
{
	const struct room_program program = { argv, environ, cwd ? cwd : "/", user };
	int status_fd = -1, status = program_request(client, host, &program, &status_fd);

	client_close(client); /* its place is for others while the program runs */
	return status ? status : program_await(status_fd, argv[0], user, why);
}

int host_run(const char *command, const char *fabric, const char *host, const char *user,
	     char *const argv[], pid_t parent)
{
	struct host_user found_user, *as = user ? &found_user : NULL;
	char *cwd = getcwd(NULL, 0);
	struct why why = { "" };
	struct client client;
	struct enter_fds enter;
	bool by_request = false;
	int status = client_open(&client, command, fabric);

	if (status)
		goto out;
	status = host_ask(&client, host, &enter, &by_request);
	if (!status && user)
		status = user_find(command, user, &enter, &found_user);
	if (status)
		goto close;
	environment_set(client.fabric, host);
	status = dilation_set(command, &enter);
	if (status)
		goto close;
	enter.parent = parent;
	if (by_request) {
		status = run_by_request(&client, host, as, argv, cwd, &why);
	} else {
		client_close(&client);
		status = enter_run(&enter, as, argv, cwd, &why);
	}
	if (status < 0) {
		options_wrong(command, "%s", why.text);
		status = EXIT_NOT_STARTED;
	}
close:
	client_close(&client);
out:
	free(cwd);
	return status;
}

/* ---- which hosts ---- */

int host_names_ask(const char *command, const char *fabric, const char *glob,
		   struct host_names *hosts)
{
	struct client client;
	json_t *answer = NULL, *host;
	size_t i;
	int status = client_open(&client, command, fabric);

	*hosts = (struct host_names){ 0 };
	if (!status)
		status = client_ask(&client, json_pack("{s:s}", "ask", "hosts"), &answer, NULL,
				    NULL);
	client_close(&client);
	if (status)
		return status;
	memcpy(hosts->fabric, client.fabric, sizeof(hosts->fabric));
	hosts->names =
		calloc(json_array_size(json_object_get(answer, "hosts")), sizeof(*hosts->names));
	json_array_foreach (json_object_get(answer, "hosts"), i, host) {
		const char *name = member_text(host, "name");

		if (hosts->names && (!glob || !fnmatch(glob, name, 0)))
			snprintf(hosts->names[hosts->count++], NODE_NAME_MAX, "%s", name);
	}
	json_decref(answer);
	if (!hosts->names)
		return options_wrong(command, "not enough memory");
	if (!hosts->count) {
		host_names_free(hosts);
		return glob ? options_wrong(command, "no host of fabric %s is called like '%s'",
					    client.fabric, glob)
			    : options_wrong(command, "fabric %s has no hosts", client.fabric);
	}
	return 0;
}

void host_names_free(struct host_names *hosts)
{
	free(hosts->names);
	*hosts = (struct host_names){ 0 };
}
