/*  cmd_add - what joins and leaves a running fabric: `heddle add`, `heddle attach`, `heddle remove` (TB-10, TB-15, TB-22). */
#include "orchestrator/cli/cmd_add.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/cli/client.h"

static const char add_usage[] =
	"usage: heddle add [-f FABRIC] [--json] host NAME SWITCH [KEY=VALUE]...\n"
	"       heddle add [-f FABRIC] [--json] switch NAME [NEIGHBOUR]... [KEY=VALUE]...\n"
	"       heddle add [-f FABRIC] [--json] link SWITCH SWITCH [KEY=VALUE]...\n"
	"Adds a host, a switch with links to its neighbours, or a link between two switches to a running fabric, at "
	"once.\n"
	"KEY of the new links: rate=, delay=, loss=, bit-errors=, medium=shm|veth; what is not given is as on links "
	"like\n"
	"them. 'heddle attach' adds an existing container as a host.\n"
	"\n"
	"exit status: 0 it has joined, 1 it cannot, 2 wrong usage or no such fabric, 4 no answer\n";

static const char attach_usage[] =
	"usage: heddle attach [-f FABRIC] [--json] NAME SWITCH --pid PID | --netns PATH [--interface NAME] "
	"[KEY=VALUE]...\n"
	"Makes an existing container or network namespace a host of a running fabric: it is given an interface "
	"(heddle0\n"
	"unless named otherwise) with addresses of the fabric, and keeps all others. PID is any process inside, PATH "
	"such as\n"
	"/run/netns/blue. KEY as of 'heddle add'. 'heddle remove NAME' takes the interface away again.\n"
	"  heddle attach web s1 --pid $(podman inspect -f '{{.State.Pid}}' web)\n"
	"\n"
	"exit status: 0 it has joined, 1 it cannot, 2 wrong usage or no such fabric, 4 no answer\n";

static const char remove_usage[] =
	"usage: heddle remove [-f FABRIC] NODE | NODE:PORT\n"
	"Removes a host, a switch without hosts, or the link at a port of a switch from a running fabric. Programs in "
	"a host\n"
	"that leaves are ended; one that was attached only loses its interface. PORT is a number or a neighbour.\n"
	"\n"
	"exit status: 0 it has left, 1 it cannot, 2 wrong usage or no such fabric, 4 no answer\n";

static const char *const link_keys[] = { "rate", "delay", "loss", "bit-errors", "medium", NULL };

/* @words, KEY=VALUE each, into @request (given away if one is wrong) */
static int keys_put(const char *command, json_t *request, int count, char **words)
{
	int status = CLIENT_FINE;

	for (int i = 0; i < count && !status; i++)
		status = client_key_put(command, request, link_keys, words[i]);
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

/* @words as JSON; NULL if one is no UTF-8 */
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

/* what is to be added, of @plain words; NULL after a complaint */
static json_t *add_request(const char *kind, int plain, char **words)
{
	json_t *request;

	if (!strcmp(kind, "host") && plain == 2) {
		request = json_pack("{s:s, s:s, s:s}", "ask", "add-host", "name", words[0], "switch", words[1]);
	} else if (!strcmp(kind, "link") && plain == 2) {
		request = json_pack("{s:s, s:s, s:s}", "ask", "add-link", "node", words[0], "peer", words[1]);
	} else if (!strcmp(kind, "switch") && plain) {
		request = json_pack("{s:s, s:s, s:o}", "ask", "add-switch", "name", words[0], "neighbours",
				    words_pack(plain - 1, words + 1));
	} else {
		client_wrong("add",
			     "expected 'host NAME SWITCH', 'switch NAME [NEIGHBOUR]...' or 'link SWITCH SWITCH'; "
			     "'heddle add --help' explains");
		return NULL;
	}
	if (!request)
		client_wrong("add", "one of these names is no UTF-8");
	return request;
}

int cmd_add(int argc, char **argv)
{
	const char *fabric = NULL;
	bool as_json = false;
	json_t *request;
	int at, plain, status = client_options(add_usage, argc, argv, &at, &fabric, &as_json);

	if (status >= 0)
		return status;
	if (at == argc)
		return client_wrong("add", "add what? 'heddle add --help' explains");
	plain = plain_count(argc - at - 1, argv + at + 1);
	request = add_request(argv[at], plain, argv + at + 1);
	if (!request)
		return CLIENT_USAGE;
	at += 1 + plain;
	status = keys_put("add", request, argc - at, argv + at);
	return status ? status : client_ask_and_print("add", fabric, request, as_json);
}

/* takes option @name, with its value, at argv[*at]; NULL if something else stands there */
static const char *option_take(const char *name, int argc, char **argv, int *at)
{
	size_t length = strlen(name);

	if (strncmp(argv[*at], name, length) != 0 || (argv[*at][length] && argv[*at][length] != '='))
		return NULL;
	if (argv[*at][length])
		return argv[*at] + length + 1;
	return *at + 1 < argc ? argv[++*at] : "";
}

/* where the network namespace is: of a process, or a path as the daemon finds it too */
static int network_put(json_t *request, const char *pid, const char *path)
{
	char text[PATH_MAX];
	char *end, *full;
	int status;

	if (!pid == !path)
		return client_wrong("attach", "which network namespace? Expected one of --pid PID and --netns PATH");
	if (path) {
		full = realpath(path, NULL);
		status = client_text_put("attach", request, "network", full ? full : path);
		free(full);
		return status;
	}
	if (strtol(pid, &end, 10) < 1 || *end)
		return client_wrong("attach", "--pid takes the number of a process, not '%s'%s", pid,
				    strcmp(pid, "0") ? "" : "; does the container run?");
	snprintf(text, sizeof(text), "/proc/%s/ns/net", pid);
	json_object_set_new(request, "network", json_string(text));
	return CLIENT_FINE;
}

/* the words behind NAME and SWITCH, into @request */
static int attach_words(json_t *request, int argc, char **argv, int at)
{
	const char *pid = NULL, *path = NULL, *interface = NULL, *value;
	int status = CLIENT_FINE;

	for (; at < argc && !status; at++) {
		if ((value = option_take("--pid", argc, argv, &at)))
			pid = value;
		else if ((value = option_take("--netns", argc, argv, &at)))
			path = value;
		else if ((value = option_take("--interface", argc, argv, &at)))
			interface = value;
		else
			status = client_key_put("attach", request, link_keys, argv[at]);
	}
	if (interface && !status)
		status = client_text_put("attach", request, "interface", interface);
	return status ? status : network_put(request, pid, path);
}

int cmd_attach(int argc, char **argv)
{
	const char *fabric = NULL;
	bool as_json = false;
	json_t *request;
	int at, status = client_options(attach_usage, argc, argv, &at, &fabric, &as_json);

	if (status >= 0)
		return status;
	if (argc - at < 2)
		return client_wrong("attach", "expected NAME SWITCH --pid PID; 'heddle attach --help' explains");
	request = json_pack("{s:s, s:s, s:s}", "ask", "add-host", "name", argv[at], "switch", argv[at + 1]);
	if (!request)
		return client_wrong("attach", "'%s' or '%s' is no UTF-8", argv[at], argv[at + 1]);
	status = attach_words(request, argc, argv, at + 2);
	if (status) {
		json_decref(request);
		return status;
	}
	return client_ask_and_print("attach", fabric, request, as_json);
}

int cmd_remove(int argc, char **argv)
{
	const char *fabric = NULL, *colon;
	char node[256];
	int at, status = client_options(remove_usage, argc, argv, &at, &fabric, NULL);

	if (status >= 0)
		return status;
	if (argc - at != 1)
		return client_wrong("remove", "expected one NODE or NODE:PORT; 'heddle remove --help' explains");
	colon = strrchr(argv[at], ':');
	snprintf(node, sizeof(node), "%.*s", colon ? (int)(colon - argv[at]) : (int)strlen(argv[at]), argv[at]);
	return client_ask_and_print(
		"remove", fabric,
		json_pack("{s:s, s:s, s:s*}", "ask", "remove", "node", node, "port", colon ? colon + 1 : NULL), false);
}
