#include "orchestrator/operate/cmd_attach.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/command/client.h"
#include "orchestrator/operate/link_words.h"

struct attach {
	struct client_words client;
	const char *pid, *path, *interface;
};

#define AT(member) offsetof(struct attach, member)

static const struct option_row attach_options[] = {
	CLIENT_FABRIC(AT(client.fabric)),
	OPTION_TEXT("--pid", "PID", AT(pid), "of any process inside"),
	OPTION_TEXT("--netns", "PATH", AT(path), "such as /run/netns/blue"),
	OPTION_TEXT("--interface", "NAME", AT(interface),
		    "of the new interface; heddle0 if not given"),
	OPTION_FLAG("--json", AT(client.json), "the answer, for programs"),
};

static const struct command_words attach_words = {
	"attach",
	"usage: heddle attach [-f FABRIC] [--json] NAME SWITCH --pid PID | --netns PATH "
	"[--interface NAME] [KEY=VALUE]...\n"
	"Makes an existing container or network namespace a host of a running fabric. It gets an\n"
	"interface with addresses of the fabric, and keeps its own. KEY as in 'heddle add'.\n"
	"'heddle remove NAME' removes the interface.\n"
	"  heddle attach web s1 --pid $(podman inspect -f '{{.State.Pid}}' web)\n",
	"exit status: 0 it has joined, 1 it cannot, 2 wrong usage or no such fabric, 4 no answer\n",
	OPTIONS(attach_options),
};

/* the network namespace: of a process, or a path, made absolute for the daemon */
static int network_put(json_t *request, const char *pid, const char *path)
{
	char text[PATH_MAX];
	char *end, *full;
	int status;

	if (!pid == !path)
		return options_wrong(
			"attach",
			"which network namespace? Expected one of --pid PID and --netns PATH");
	if (path) {
		full = realpath(path, NULL);
		status = client_text_put("attach", request, "network", full ? full : path);
		free(full);
		return status;
	}
	if (strtol(pid, &end, 10) < 1 || *end)
		return options_wrong("attach", "--pid takes the number of a process, not '%s'%s",
				     pid, strcmp(pid, "0") ? "" : "; does the container run?");
	snprintf(text, sizeof(text), "/proc/%s/ns/net", pid);
	json_object_set_new(request, "network", json_string(text));
	return CLIENT_FINE;
}

int cmd_attach(int argc, char **argv)
{
	struct attach attach = { 0 };
	json_t *request;
	int count, status = options_read(&attach_words, argc, argv, &attach, &count);

	if (status >= 0)
		return status;
	if (count < 2)
		return options_wrong(
			"attach",
			"expected NAME SWITCH --pid PID; 'heddle attach --help' explains");
	request =
		json_pack("{s:s, s:s, s:s}", "ask", "add-host", "name", argv[1], "switch", argv[2]);
	if (!request)
		return options_wrong("attach", "'%s' or '%s' is not valid UTF-8", argv[1], argv[2]);
	status = link_keys_put("attach", request, "medium", count - 2, argv + 3);
	if (!status && attach.interface)
		status = client_text_put("attach", request, "interface", attach.interface);
	if (!status)
		status = network_put(request, attach.pid, attach.path);
	if (!status)
		return client_ask_and_print("attach", attach.client.fabric, request,
					    attach.client.json);
	json_decref(request);
	return status;
}
