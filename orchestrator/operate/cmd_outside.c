#include "orchestrator/operate/cmd_outside.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/hosts/outside.h"
#include "orchestrator/operate/host_run.h"

static const struct command_words words = {
	"outside",
	"usage: heddle outside [-f FABRIC] [--json] [HOST on|off]\n"
	"Connects a host of a running fabric to the machine's network, or ends the connection;\n"
	"without words it lists the connections. The host gets a second interface, outside0, a\n"
	"default route by it if it has none, and the resolver 198.19.255.3 in its\n"
	"/etc/resolv.conf, unless the scenario gives it name servers ('dns'). It can open\n"
	"connections as the machine can, but not to the machine's own 127.0.0.1. Needs the\n"
	"program slirp4netns, no privilege.\n"
	"  heddle outside web on; heddle exec web -- ping -c 1 www.example.org\n",
	"exit status: 0 done, 1 it cannot be, 2 wrong usage or no such fabric, 4 no answer\n",
	.options = client_options,
	.option_count = 2,
	OPERANDS("host", 0, 2),
};

static void list_print(const json_t *answer)
{
	const json_t *list = json_object_get(answer, "outside"), *row;
	size_t i;

	if (!json_array_size(list))
		printf("no host of %s reaches the machine's network; 'heddle outside HOST on' "
		       "connects one\n",
		       member_text(answer, "fabric"));
	json_array_foreach (list, i, row) {
		if (member_number(row, "pid"))
			printf("%-12s %s, pid %d\n", member_text(row, "host"),
			       member_text(row, "interface"), (int)member_number(row, "pid"));
		else
			printf("%-12s dead: %s\n", member_text(row, "host"),
			       member_text(row, "fate"));
	}
}

/* Writes /etc/resolv.conf of @host. A process of its own enters the host and stays there. */
static void resolver_write(const char *fabric, const char *host, bool on)
{
	char command[256];
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, command, NULL };
	int status = 0;
	pid_t pid;

	snprintf(command, sizeof(command), "printf '%%s' '%s' >/etc/resolv.conf",
		 on ? OUTSIDE_RESOLVER_LINE : OUTSIDE_NO_RESOLVER_LINE);
	pid = fork();
	if (!pid)
		_exit(host_run("outside", fabric, host, NULL, argv, 0));
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		fprintf(stderr, "heddle outside: /etc/resolv.conf of %s is as before: %s\n", host,
			on ? "names outside need the line 'nameserver " OUTSIDE_RESOLVER "' there"
			   : "it may name the resolver of the connection");
}

static int change(const struct client_words *options, json_t *request)
{
	struct client client;
	json_t *answer = NULL;
	int status = client_open(&client, "outside", options->fabric);

	if (status) {
		json_decref(request);
		return status;
	}
	status = client_ask(&client, request, &answer, NULL, NULL);
	if (!status && !json_is_true(json_object_get(answer, "own_resolver")))
		resolver_write(client.fabric, member_text(answer, "host"),
			       !strcmp(member_text(answer, "state"), "on"));
	if (!status && options->json)
		client_json_print(answer);
	else if (!status)
		puts(member_text(answer, "text"));
	json_decref(answer);
	client_close(&client);
	return status;
}

int cmd_outside(int argc, char **argv)
{
	struct client_words options = { 0 };
	json_t *request;
	int count, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	if (!count)
		return client_ask_and_show("outside", options.fabric,
					   json_pack("{s:s}", "ask", "outside"), options.json,
					   list_print);
	if (count == 1 || (strcmp(argv[2], "on") != 0 && strcmp(argv[2], "off") != 0))
		return options_wrong("outside", "expected HOST on or HOST off");
	request = json_pack("{s:s, s:s}", "ask", "outside", "state", argv[2]);
	status = client_text_put("outside", request, "host", argv[1]);
	if (!status)
		return change(&options, request);
	json_decref(request);
	return status;
}
