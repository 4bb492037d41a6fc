#include "orchestrator/operate/cmd_set.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/command/client.h"

#define NAME_WORD_MAX 256u

static const struct command_words words = {
	"set",
	"usage: heddle set [-f FABRIC] [--json] NODE NAME VALUE    (or NODE NAME=VALUE)\n"
	"Changes a parameter of a node of a running fabric, at once. Names, values and ranges are\n"
	"those of a scenario's keys ('heddle help KEY'); a wrong name gives the list.\n"
	"  heddle set s1 acks.t1 100ns              flow channels: keys of the section switch\n"
	"  heddle set s1 congestion.rate-limit no   and some of congestion\n"
	"  heddle set s1 path-pause.high 600kB      roce: keys of the section roce\n"
	"  heddle set s1 rdma.ecn.kmin 10kB         and of a class; without its name of all\n"
	"  heddle set s1 log.window 20us            port groups: keys of the section port-group\n"
	"  heddle set s1 match source-mac,ports     the key flow-key, with commas; match.pN: at "
	"port N\n"
	"  heddle set h1 workload.NAME.load 90%     a NIC\n",
	"exit status: 0 it is changed, 1 the node refuses, 2 wrong usage or no such fabric, 4 no "
	"answer\n",
	OPTIONS(client_options),
	OPERANDS("node", 1, 3),
};

int cmd_set(int argc, char **argv)
{
	struct client_words client = { 0 };
	const char *value;
	char name[NAME_WORD_MAX];
	int count, status = options_read(&words, argc, argv, &client, &count);
	size_t length;

	if (status >= 0)
		return status;
	if (count < 2)
		return options_wrong("set",
				     "expected NODE NAME VALUE, such as 's1 acks.collect 4'; "
				     "'heddle set --help' explains");
	length = strcspn(argv[2], "=");
	value = argv[2][length] ? argv[2] + length + 1 : argv[3];
	if (!value)
		return options_wrong("set",
				     "missing VALUE for %s of %s; 'heddle set --help' explains",
				     argv[2], argv[1]);
	if (argv[2][length] && count > 2)
		return options_wrong("set", "'%s' is one word too many", argv[3]);
	if (length >= sizeof(name))
		return options_wrong("set", "no parameter has a name that long");
	snprintf(name, sizeof(name), "%.*s", (int)length, argv[2]);
	return client_ask_and_print("set", client.fabric,
				    json_pack("{s:s, s:s, s:s, s:s}", "ask", "set", "node", argv[1],
					      "name", name, "value", value),
				    client.json);
}
