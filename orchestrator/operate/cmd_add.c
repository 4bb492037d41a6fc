#include "orchestrator/operate/cmd_add.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/command/client.h"
#include "orchestrator/operate/link_words.h"

static const struct command_words add_words = {
	"add",
	"usage: heddle add [-f FABRIC] [--json] host NAME SWITCH [KEY=VALUE]...\n"
	"       heddle add [-f FABRIC] [--json] switch NAME [NEIGHBOUR]... [KEY=VALUE]...\n"
	"       heddle add [-f FABRIC] [--json] link SWITCH SWITCH [KEY=VALUE]...\n"
	"Adds a host, a switch with links to its neighbours, or a link between two switches to a\n"
	"running fabric. KEY of the new links: medium=shm|veth, and those of "
	"'heddle link set'.\n"
	"Other settings are those of similar links. 'heddle attach' makes an existing container a\n"
	"host.\n",
	"exit status: 0 it has joined, 1 it cannot, 2 wrong usage or no such fabric, 4 no answer\n",
	.options = client_options,
	.option_count = 2,
	OPERANDS("kind", 1, 0),
};

/* adds @words, KEY=VALUE each, to @request, which is freed if one is wrong */
static int keys_put(const char *command, json_t *request, int count, char **words)
{
	const char *keys[LINK_KEYS_MAX];
	int status = CLIENT_FINE;

	link_keys(keys, "medium");
	for (int i = 0; i < count && !status; i++)
		status = client_key_put(command, request, keys, words[i]);
	if (status)
		json_decref(request);
	return status;
}

/* how many of @words come before the first KEY=VALUE */
static int plain_count(int count, char **words)
{
	int plain = 0;

	while (plain < count && !strchr(words[plain], '='))
		plain++;
	return plain;
}

/* @words as JSON; NULL if one is not valid UTF-8 */
static json_t *words_pack(int count, char **words)
{
	json_t *array = json_array();

	for (int i = 0; i < count; i++) {
		if (!json_array_append_new(array, json_string(words[i])))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

/* the request for @plain words; NULL after an error message */
static json_t *add_request(const char *kind, int plain, char **words)
{
	json_t *request;

	if (!strcmp(kind, "host") && plain == 2) {
		request = json_pack("{s:s, s:s, s:s}", "ask", "add-host", "name", words[0],
				    "switch", words[1]);
	} else if (!strcmp(kind, "link") && plain == 2) {
		request = json_pack("{s:s, s:s, s:s}", "ask", "add-link", "node", words[0], "peer",
				    words[1]);
	} else if (!strcmp(kind, "switch") && plain) {
		request = json_pack("{s:s, s:s, s:o}", "ask", "add-switch", "name", words[0],
				    "neighbours", words_pack(plain - 1, words + 1));
	} else {
		options_wrong("add", "expected 'host NAME SWITCH', 'switch NAME [NEIGHBOUR]...' or "
				     "'link SWITCH SWITCH'; 'heddle add --help' explains");
		return NULL;
	}
	if (!request)
		options_wrong("add", "one of these names is not valid UTF-8");
	return request;
}

int cmd_add(int argc, char **argv)
{
	struct client_words client = { 0 };
	json_t *request;
	int count, plain, status = options_read(&add_words, argc, argv, &client, &count);

	if (status >= 0)
		return status;
	plain = plain_count(count - 1, argv + 2);
	request = add_request(argv[1], plain, argv + 2);
	if (!request)
		return CLIENT_USAGE;
	status = keys_put("add", request, count - 1 - plain, argv + 2 + plain);
	return status ? status : client_ask_and_print("add", client.fabric, request, client.json);
}

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
	status = keys_put("attach", request, count - 2, argv + 3);
	if (status)
		return status;
	if (attach.interface)
		status = client_text_put("attach", request, "interface", attach.interface);
	if (!status)
		status = network_put(request, attach.pid, attach.path);
	if (!status)
		return client_ask_and_print("attach", attach.client.fabric, request,
					    attach.client.json);
	json_decref(request);
	return status;
}
