#include "orchestrator/prompt/prompt_words.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/fabric/fabric_ask.h"
#include "orchestrator/results/counter.h"

#define WORDS_MAX 5u
#define WORD_MAX 128u
#define OF_CLASS "[CLASS.]" /* of a parameter of all traffic classes, or of one */

/* the words of @line in @words; the last one is what is being typed, perhaps "". Return: their
 * number */
static unsigned line_split(const char *line, char words[WORDS_MAX][WORD_MAX])
{
	unsigned count = 0;

	while (count < WORDS_MAX) {
		line += strspn(line, " \t");
		snprintf(words[count++], WORD_MAX, "%.*s", (int)strcspn(line, " \t"), line);
		line += strcspn(line, " \t");
		if (!*line)
			break;
	}
	return count;
}

static void nodes_add(const struct plan *plan, struct word_list *words)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		word_list_add(words, "%s", plan->nodes[i].name);
}

static void ports_add(const struct node_config *node, struct word_list *words)
{
	for (uint32_t port = 0; port < node->port_count; port++)
		if (!node->ports[port].vacant)
			word_list_add(words, "%s", node->ports[port].peer_name);
}

/* A node that is asked for a name that it does not have lists those that it has: tables in one
 * line, parameters one in each line, with their range. */
static void names_add(struct fabric *fabric, const struct node_config *node, bool set,
		      struct word_list *words)
{
	struct control_message message = { .kind = set ? CONTROL_SET : CONTROL_SHOW, .number = -1 };

	if (fabric_ask(fabric, node->index, &message))
		return;
	for (const char *at = message.body; at && *at;) {
		size_t length;

		if (!strncmp(at, OF_CLASS, strlen(OF_CLASS)))
			at += strlen(OF_CLASS);
		length = strcspn(at, " \n");
		if (length)
			word_list_add(words, "%.*s", (int)length, at);
		at += set ? strcspn(at, "\n") : length;
		at += strspn(at, " \n");
	}
	control_message_free(&message);
	if (!set)
		word_list_add(words, "trace");
}

/* the arguments of show and set: a node, one of its names, a port for show; or 'flow' and two
 * nodes */
static void node_words(struct fabric *fabric, char typed[WORDS_MAX][WORD_MAX], unsigned count,
		       bool set, struct word_list *words)
{
	const struct node_config *node;

	if (count == 2 || (!set && !strcmp(typed[1], "flow"))) {
		nodes_add(fabric->plan, words);
		if (count == 2 && !set)
			word_list_add(words, "flow");
		return;
	}
	node = plan_node_find(fabric->plan, typed[1]);
	if (node && count == 3)
		names_add(fabric, node, set, words);
	else if (node && count == 4 && !set)
		ports_add(node, words);
}

void prompt_words(struct fabric *fabric, const char *line, struct word_list *words)
{
	char typed[WORDS_MAX][WORD_MAX];
	unsigned count = line_split(line, typed);
	bool set = !strcmp(typed[0], "set");

	if (set || !strcmp(typed[0], "show"))
		node_words(fabric, typed, count, set, words);
	else if (!strcmp(typed[0], "step") && count == 2)
		word_list_add(words, "until");
	else if (!strcmp(typed[0], "step") && count == 3 && !strcmp(typed[1], "until"))
		counter_words(fabric->plan, typed[2], words);
	else if (!strcmp(typed[0], "status") && count == 2)
		word_list_add(words, "exact");
}
