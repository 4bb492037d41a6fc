#include "orchestrator/operate/mininet_word.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"

#define BLANKS " \t"

const char *const mininet_words[] = { "nodes", "net", "dump", NULL };

static const struct {
	const char *word, *command;
} replaced[] = {
	{ "pingall", "ping-all" },
	{ "links", "link" },
	{ "dump", "ps \"$HEDDLE_FABRIC\"" },
};

const char *mininet_word_replace(const char *line, size_t *length)
{
	*length = strcspn(line, BLANKS);
	for (size_t i = 0; i < COUNT_OF(replaced); i++)
		if (strlen(replaced[i].word) == *length &&
		    !strncmp(line, replaced[i].word, *length))
			return replaced[i].command;
	*length = 0;
	return "";
}

/* is @line nothing but @word? */
static bool is_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(line, word, length) && !line[length + strspn(line + length, BLANKS)];
}

bool mininet_word_is_own(const char *line)
{
	return is_word(line, "nodes") || is_word(line, "net");
}

static void nodes_print(const json_t *nodes)
{
	const json_t *node;
	size_t i;

	puts("available nodes are:");
	json_array_foreach (nodes, i, node)
		printf("%s%s", i ? " " : "", member_text(node, "name"));
	putchar('\n');
}

/* " PORT:NEIGHBOUR" if the link has one end at @name; so for both ends */
static void port_print(const json_t *link, const char *name)
{
	const char *a = member_text(link, "node_a"), *b = member_text(link, "node_b");

	if (!strcmp(a, name))
		printf(" %d:%s", (int)member_number(link, "port_a"), b);
	if (!strcmp(b, name))
		printf(" %d:%s", (int)member_number(link, "port_b"), a);
}

static void net_print(const json_t *nodes, const json_t *links)
{
	const json_t *node, *link;
	size_t i, l;

	json_array_foreach (nodes, i, node) {
		fputs(member_text(node, "name"), stdout);
		json_array_foreach (links, l, link)
			port_print(link, member_text(node, "name"));
		putchar('\n');
	}
}

int mininet_word_run(const char *line, const char *fabric)
{
	struct client client;
	json_t *state = NULL, *links = NULL;
	int status = client_open(&client, "prompt", fabric);

	if (status)
		return status;
	status = client_ask(&client, json_pack("{s:s}", "ask", "ps"), &state, NULL, NULL);
	if (!status && is_word(line, "nodes"))
		nodes_print(json_object_get(state, "nodes"));
	else if (!status)
		status =
			client_ask(&client, json_pack("{s:s}", "ask", "links"), &links, NULL, NULL);
	if (links)
		net_print(json_object_get(state, "nodes"), json_object_get(links, "links"));
	fflush(stdout);
	json_decref(state);
	json_decref(links);
	client_close(&client);
	return status;
}
