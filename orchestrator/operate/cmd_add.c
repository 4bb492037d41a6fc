#include "orchestrator/operate/cmd_add.h"

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
	if (!link_keys_put("add", request, "medium", count - 1 - plain, argv + 2 + plain))
		return client_ask_and_print("add", client.fabric, request, client.json);
	json_decref(request);
	return CLIENT_USAGE;
}
