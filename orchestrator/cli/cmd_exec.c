/*  cmd_exec - `heddle exec` and `heddle shell`: a program in a host of a running fabric (TB-10,
 *  TB-15).
 *
 *  The daemon sends descriptors of the host's namespaces and is not needed any more: the program is
 *  a child of this process, in its terminal, with its environment. */
#include "orchestrator/cli/cmd_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/cli/client.h"
#include "orchestrator/cli/enter.h"
#include "orchestrator/live/live_request.h"

#define EXIT_NOT_STARTED 126 /* as shells do */

static const struct command_words exec_words = {
	"exec",
	"usage: heddle exec [-f FABRIC] HOST -- PROGRAM [ARGUMENT]...\n"
	"Runs a program in a host of a running fabric, e.g. heddle exec h1 -- ping -c 3 h6\n"
	"It has the host's network and host name, and the files of this machine.\n"
	"HOST may be a switch: the program then has the ends of all links with 'medium: veth', "
	"named\n"
	"NODE.NEIGHBOUR, e.g. heddle exec s1 -- tcpdump -i s1.s2   ('ip -br link' lists them)\n",
	"exit status: the program's; 128 + signal if one ended it; 126 it could not be started,\n"
	"2 wrong usage or no such fabric, 1 no such host\n",
	.options = client_options,
	.option_count = 1,
	.program = true,
};

static const struct command_words shell_words = {
	"shell",
	"usage: heddle shell [-f FABRIC] HOST\n"
	"A shell ($SHELL, else /bin/sh) in a host of a running fabric.\n",
	"exit status: as of 'heddle exec'\n",
	NULL,
	0,
	0,
	client_options,
	1,
	NULL,
	false
};

/* requests the descriptors of host @host, which the answer names */
static int host_ask(const char *command, const char *fabric, const char *host,
		    struct enter_fds *enter)
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

	*enter = (struct enter_fds){ -1, -1, -1, -1, -1 };
	status = client_open(&client, command, fabric);
	if (!status)
		status = client_ask(&client, json_pack("{s:s, s:s}", "ask", "exec", "host", host),
				    &answer, fds, &fd_count);
	client_close(&client);
	if (status)
		return status;
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

/* runs @argv in @host of @fabric */
static int host_run(const char *command, const char *fabric, const char *host, char *const argv[])
{
	char *cwd = getcwd(NULL, 0), why[512] = "";
	struct enter_fds enter;
	int status = host_ask(command, fabric, host, &enter);

	if (!status) {
		status = enter_run(&enter, argv, cwd, why, sizeof(why));
		if (status < 0) {
			options_wrong(command, "%s", why);
			status = EXIT_NOT_STARTED;
		}
	}
	free(cwd);
	return status;
}

int cmd_exec(int argc, char **argv)
{
	struct client_words client = { 0 };
	int count, at, status = options_read(&exec_words, argc, argv, &client, &count);

	if (status >= 0)
		return status;
	if (!count || !strcmp(argv[1], "--"))
		return options_wrong("exec", "missing HOST; 'heddle exec --help' explains");
	at = count > 1 && !strcmp(argv[2], "--") ? 3 : 2;
	if (at > count)
		return options_wrong("exec",
				     "missing PROGRAM: expected 'heddle exec %s -- PROGRAM', or "
				     "'heddle shell %s'",
				     argv[1], argv[1]);
	return host_run("exec", client.fabric, argv[1], argv + at);
}

int cmd_shell(int argc, char **argv)
{
	struct client_words client = { 0 };
	const char *shell = getenv("SHELL");
	char *arguments[2] = { NULL, NULL };
	int count, status = options_read(&shell_words, argc, argv, &client, &count);

	if (status >= 0)
		return status;
	if (!count)
		return options_wrong("shell", "missing HOST; 'heddle shell --help' explains");
	if (count > 1)
		return options_wrong(
			"shell", "'%s' is one word too many; 'heddle exec' runs programs", argv[2]);
	arguments[0] = (char *)(shell && shell[0] ? shell : "/bin/sh");
	return host_run("shell", client.fabric, argv[1], arguments);
}
