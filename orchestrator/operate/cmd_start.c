#include "orchestrator/operate/cmd_start.h"

#include "orchestrator/command/client.h"

static const struct command_words words = {
	"start",
	"usage: heddle start [-f FABRIC] [--json] NODE\n"
	"Starts a dead switch or NIC again, with new links to its neighbours. The rest of the "
	"fabric\n"
	"continues meanwhile.\n",
	"exit status: 0 it runs, 1 it cannot be started, 2 wrong usage or no such fabric, 4 no "
	"answer\n",
	OPTIONS(client_options),
	OPERANDS("node", 1, 1),
};

int cmd_start(int argc, char **argv)
{
	struct client_words client = { 0 };
	int count, status = options_read(&words, argc, argv, &client, &count);

	if (status >= 0)
		return status;
	return client_ask_and_print("start", client.fabric,
				    json_pack("{s:s, s:s}", "ask", "start", "node", argv[1]),
				    client.json);
}
