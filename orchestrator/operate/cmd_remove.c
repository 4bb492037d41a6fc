#include "orchestrator/operate/cmd_remove.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/command/client.h"

static const struct command_words words = {
	"remove",
	"usage: heddle remove [-f FABRIC] [--json] NODE | NODE:PORT\n"
	"Removes a host, a switch without hosts, or the link at a port of a switch from a running\n"
	"fabric. Programs in a removed host are ended; an attached host only loses its interface.\n"
	"PORT is a number or a neighbour.\n",
	"exit status: 0 it is removed, 1 it cannot be, 2 wrong usage or no such fabric, 4 no "
	"answer\n",
	OPTIONS(client_options),
	OPERANDS("node", 1, 1),
};

int cmd_remove(int argc, char **argv)
{
	struct client_words client = { 0 };
	const char *colon;
	char node[256];
	int count, status = options_read(&words, argc, argv, &client, &count);

	if (status >= 0)
		return status;
	colon = strrchr(argv[1], ':');
	snprintf(node, sizeof(node), "%.*s", colon ? (int)(colon - argv[1]) : (int)strlen(argv[1]),
		 argv[1]);
	return client_ask_and_print("remove", client.fabric,
				    json_pack("{s:s, s:s, s:s*}", "ask", "remove", "node", node,
					      "port", colon ? colon + 1 : NULL),
				    client.json);
}
