#include "orchestrator/operate/cmd_link.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/command/client.h"
#include "orchestrator/operate/link_words.h"

#define NODE_WORD_MAX 256 /* in a command; longer than any name of a node */

struct link_options {
	struct client_words client;
	const char *towards;
};

#define AT(member) offsetof(struct link_options, member)

static const struct option_row rows[] = {
	CLIENT_FABRIC(AT(client.fabric)),
	OPTION_FLAG("--json", AT(client.json), "the answer, for programs"),
	OPTION_TEXT("--towards", "NODE", AT(towards),
		    "with set: only the direction to this end of the link"),
};

static const struct command_words words = {
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
	OPTIONS(rows),
	OPERANDS("link", 0, 0),
};

/* Does @link name a link, and then what is to be done?  Return: 0, or CLIENT_USAGE, reported. */
static int words_check(int count, char **link, const char *towards)
{
	const char *colon = strrchr(link[0], ':'), *verb = count > 1 ? link[1] : "";
	bool is_set = !strcmp(verb, "set");

	if (!colon || colon == link[0] || !colon[1] || colon - link[0] >= NODE_WORD_MAX)
		return options_wrong("link",
				     "expected NODE:PORT, such as s1:0 or s1:s2, not '%s'; 'heddle "
				     "link --help' explains",
				     link[0]);
	if ((*verb && !is_set && strcmp(verb, "down") != 0 && strcmp(verb, "up") != 0) ||
	    is_set != (count > 2))
		return options_wrong("link",
				     "expected '%s' alone, '%s set KEY=VALUE...', '%s down' or '%s "
				     "up'; 'heddle link --help' explains",
				     link[0], link[0], link[0], link[0]);
	if (towards && !is_set)
		return options_wrong("link", "--towards belongs to 'set': a link is down or up as "
					     "a whole");
	return 0;
}

/* the request for @link, which words_check() has accepted; NULL after an error message */
static json_t *link_request(int count, char **link, const char *towards)
{
	const char *colon = strrchr(link[0], ':');
	char node[NODE_WORD_MAX], ask[16];
	json_t *request;
	int status;

	snprintf(node, sizeof(node), "%.*s", (int)(colon - link[0]), link[0]);
	snprintf(ask, sizeof(ask), "link-%s", count > 1 ? link[1] : "show");
	request = json_pack("{s:s, s:s, s:s}", "ask", ask, "node", node, "port", colon + 1);
	if (!request) {
		options_wrong("link", "'%s' is not valid UTF-8", link[0]);
		return NULL;
	}
	status = link_keys_put("link", request, NULL, count - 2, link + 2);
	if (towards && !status)
		status = client_text_put("link", request, "towards", towards);
	if (!status)
		return request;
	json_decref(request);
	return NULL;
}

int cmd_link(int argc, char **argv)
{
	struct link_options options = { 0 };
	json_t *request;
	int count, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	if (count && words_check(count, argv + 1, options.towards))
		return CLIENT_USAGE;
	request = count ? link_request(count, argv + 1, options.towards)
			: json_pack("{s:s}", "ask", "links");
	return request ? client_ask_and_show("link", options.client.fabric, request,
					     options.client.json, link_words_print)
		       : CLIENT_USAGE;
}
