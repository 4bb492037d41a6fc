/*  cmd_set - changes of a running fabric: `heddle set`, `heddle link`, `heddle start` (TB-4, TB-9,
 *  TB-10). */
#include "orchestrator/operate/cmd_set.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/command/client.h"
#include "orchestrator/operate/link_words.h"

#define WORD_MAX 256u

static const struct command_words set_words = {
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

static const struct command_words start_words = {
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

struct link_options {
	struct client_words client;
	const char *towards;
};

static const struct option_row link_rows[] = {
	CLIENT_FABRIC(offsetof(struct link_options, client.fabric)),
	OPTION_FLAG("--json", offsetof(struct link_options, client.json),
		    "the answer, for programs"),
	OPTION_TEXT("--towards", "NODE", offsetof(struct link_options, towards),
		    "with set: only the direction to this end of the link"),
};

static const struct command_words link_words = {
	"link",
	"usage: heddle link [-f FABRIC] [--json]                          list the links\n"
	"       heddle link [-f FABRIC] [--json] NODE:PORT               what one is like\n"
	"       heddle link [-f FABRIC] NODE:PORT set KEY=VALUE... [--towards NODE]\n"
	"       heddle link [-f FABRIC] NODE:PORT down | up\n"
	"Shows and changes the links of a running fabric, both directions at once unless "
	"--towards\n"
	"names one. PORT is a number or the name of a neighbour. KEY, as in a scenario ('heddle "
	"help\n"
	"links'): rate, delay, jitter, jitter-shape, loss, bit-errors, corrupt, and on links that "
	"do\n"
	"not number their frames reorder, reorder-frames, reorder-wait, duplicate.\n"
	"  heddle link s1:s2 set rate=1Gb/s delay=1ms loss=0.1%\n"
	"  heddle link s1:s2 set jitter=2ms jitter-shape=pareto --towards s2\n"
	"A link that is down is like a cable that failed: packets on it are lost, and the fabric\n"
	"manager writes routes without it. 'heddle remove' removes the link from the fabric.\n",
	"exit status: 0 fine, 1 it cannot be done, 2 wrong usage or no such fabric, 4 no answer\n",
	OPTIONS(link_rows),
	OPERANDS("link", 0, 0),
};

int cmd_set(int argc, char **argv)
{
	struct client_words client = { 0 };
	const char *value;
	char name[WORD_MAX];
	int count, status = options_read(&set_words, argc, argv, &client, &count);
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

int cmd_start(int argc, char **argv)
{
	struct client_words client = { 0 };
	int count, status = options_read(&start_words, argc, argv, &client, &count);

	if (status >= 0)
		return status;
	return client_ask_and_print("start", client.fabric,
				    json_pack("{s:s, s:s}", "ask", "start", "node", argv[1]),
				    client.json);
}

/* ---- links ---- */

/* the request for @words; NULL after an error message */
static json_t *link_request(int count, char **words, const char *towards)
{
	const char *keys[LINK_KEYS_MAX];
	char node[WORD_MAX], ask[16];
	const char *colon, *verb = count > 1 ? words[1] : "";
	json_t *request;
	bool is_set = !strcmp(verb, "set");
	int status = CLIENT_FINE;

	link_keys(keys, NULL);
	if (!count)
		return json_pack("{s:s}", "ask", "links");
	colon = strrchr(words[0], ':');
	if (!colon || colon == words[0] || !colon[1] || colon - words[0] >= (int)sizeof(node)) {
		options_wrong("link",
			      "expected NODE:PORT, such as s1:0 or s1:s2, not '%s'; 'heddle link "
			      "--help' explains",
			      words[0]);
		return NULL;
	}
	if ((*verb && !is_set && strcmp(verb, "down") != 0 && strcmp(verb, "up") != 0) ||
	    is_set != (count > 2)) {
		options_wrong("link",
			      "expected '%s' alone, '%s set KEY=VALUE...', '%s down' or '%s up'; "
			      "'heddle link --help' explains",
			      words[0], words[0], words[0], words[0]);
		return NULL;
	}
	if (towards && !is_set) {
		options_wrong("link",
			      "--towards belongs to 'set': a link is down or up as a whole");
		return NULL;
	}
	snprintf(node, sizeof(node), "%.*s", (int)(colon - words[0]), words[0]);
	snprintf(ask, sizeof(ask), "link-%s", *verb ? verb : "show");
	request = json_pack("{s:s, s:s, s:s}", "ask", ask, "node", node, "port", colon + 1);
	if (!request)
		options_wrong("link", "'%s' is not valid UTF-8", words[0]);
	for (int i = 2; i < count && request && !status; i++)
		status = client_key_put("link", request, keys, words[i]);
	if (request && towards && !status)
		status = client_text_put("link", request, "towards", towards);
	if (status) {
		json_decref(request);
		return NULL;
	}
	return request;
}

int cmd_link(int argc, char **argv)
{
	struct link_options words = { 0 };
	json_t *request;
	int count, status = options_read(&link_words, argc, argv, &words, &count);

	if (status >= 0)
		return status;
	request = link_request(count, argv + 1, words.towards);
	return request ? client_ask_and_show("link", words.client.fabric, request,
					     words.client.json, link_words_print)
		       : CLIENT_USAGE;
}
