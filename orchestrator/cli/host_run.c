#include "orchestrator/cli/host_run.h"

#include <fnmatch.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/cli/client.h"
#include "orchestrator/cli/enter.h"
#include "orchestrator/live/live_request.h"
#include "orchestrator/live/runtime_dir.h"

#define EXIT_NOT_STARTED 126 /* as shells do */

/* ---- one host ---- */

/* requests the descriptors of host @host, which the answer names. @found  the fabric's name */
static int host_ask(const char *command, const char *fabric, const char *host,
		    struct enter_fds *enter, char *found)
{
	const struct {
		const char *name;
		int *fd;
	} places[] = { { "user", &enter->user_fd },
		       { "pid", &enter->pid_fd },
		       { "mount", &enter->mount_fd },
		       { "net", &enter->net_fd },
		       { "uts", &enter->uts_fd } };
	int fds[LIVE_FDS_MAX], status;
	unsigned fd_count = LIVE_FDS_MAX;
	struct client client;
	json_t *answer = NULL, *names;

	*enter = (struct enter_fds){ -1, -1, -1, -1, -1, 0 };
	status = client_open(&client, command, fabric);
	if (!status)
		status = client_ask(&client, json_pack("{s:s, s:s}", "ask", "exec", "host", host),
				    &answer, fds, &fd_count);
	client_close(&client);
	if (status)
		return status;
	memcpy(found, client.fabric, NODE_NAME_MAX);
	names = json_object_get(answer, "namespaces");
	for (unsigned i = 0; i < fd_count; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		for (size_t k = 0; k < COUNT_OF(places); k++)
			if (name && !strcmp(places[k].name, name))
				*places[k].fd = fds[i];
	}
	if (json_array_size(names) != fd_count || enter->net_fd < 0) {
		options_wrong(command, "fabric %s has not sent the namespaces of %s", client.fabric,
			      host);
		status = CLIENT_FAILED;
	}
	json_decref(answer);
	return status;
}

/* ---- environment ---- */

/* root's programs are in folders that are not in the PATH of other users */
static void path_complete(void)
{
	static const char *const folders[] = { "/usr/local/sbin", "/usr/sbin", "/sbin" };
	const char *path = getenv("PATH");

	for (size_t i = 0; i < COUNT_OF(folders); i++) {
		char *longer = NULL;

		if (path && !strstr(path, folders[i]) &&
		    asprintf(&longer, "%s:%s", path, folders[i]) > 0)
			setenv("PATH", longer, 1);
		free(longer);
		path = getenv("PATH");
	}
}

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
	path_complete();
}

/* looks up @name, or a number, of this machine.  Return: 0 or an exit status, told */
static int user_find(const char *command, const char *name, struct enter_user *found)
{
	const struct passwd *user = getpwnam(name);
	unsigned long number = strtoul(name, NULL, 10);

	if (!user && *name && !name[strspn(name, "0123456789")] && number < UINT32_MAX)
		user = getpwuid((uid_t)number);
	if (!user)
		return options_wrong(command, "this machine has no user '%s'", name);
	*found = (struct enter_user){ user->pw_name, user->pw_dir, user->pw_uid, user->pw_gid };
	return 0;
}

int host_run(const char *command, const char *fabric, const char *host, const char *user,
	     char *const argv[], pid_t parent)
{
	struct enter_user found_user;
	char *cwd = getcwd(NULL, 0), why[512] = "", found[NODE_NAME_MAX];
	struct enter_fds enter;
	int status = user ? user_find(command, user, &found_user) : 0;

	if (!status)
		status = host_ask(command, fabric, host, &enter, found);

	if (!status) {
		environment_set(found, host);
		enter.parent = parent;
		status = enter_run(&enter, user ? &found_user : NULL, argv, cwd, why, sizeof(why));
		if (status < 0) {
			options_wrong(command, "%s", why);
			status = EXIT_NOT_STARTED;
		}
	}
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
	hosts->names = calloc(json_array_size(json_object_get(answer, "hosts")) + 1,
			      sizeof(*hosts->names));
	json_array_foreach(json_object_get(answer, "hosts"), i, host)
	{
		const char *name = client_text(host, "name");

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
