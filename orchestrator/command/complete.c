#include "orchestrator/command/complete.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/ready_folder.h"
#include "orchestrator/command/client.h"
#include "orchestrator/command/options.h"
#include "orchestrator/lab/lab_folder.h"
#include "orchestrator/live/runtime_dir.h"

#define OPERANDS_MAX 4

struct words {
	const struct command_words *command;
	const char *last;    /* what is completed */
	const char *fabric;  /* of -f; NULL: the only one */
	const char *option;  /* the last word is the value of this option; NULL: of none */
	unsigned operands;   /* before the last word */
	const char *operand; /* the first of them; NULL: none */
};

typedef void source_fn(const struct words *words);

/* ---- sources ---- */

static void candidate(const struct words *words, const char *text)
{
	if (!strncmp(text, words->last, strlen(words->last)))
		puts(text);
}

static void files(const struct words *words)
{
	(void)words;
	puts(":files");
}

/* of the folder that comes with heddle, by their paths; and any file */
static void scenarios(const struct words *words)
{
	struct ready_files ready;
	char folder[PATH_MAX], here[PATH_MAX];
	size_t length;

	files(words);
	if (!getcwd(here, sizeof(here)) || ready_folder("", folder, sizeof(folder)) ||
	    ready_files_list(folder, &ready))
		return;
	length = strlen(here);
	for (size_t i = 0; i < ready.count; i++) {
		bool below =
			!strncmp(ready.paths[i], here, length) && ready.paths[i][length] == '/';

		candidate(words, ready.paths[i] + (below ? length + 1 : 0));
	}
	ready_files_free(&ready);
}

static void fabrics(const struct words *words)
{
	char(*names)[NODE_NAME_MAX] = NULL;
	struct why why;
	int base_fd = runtime_open(false, &why);
	int count = base_fd < 0 ? 0 : runtime_names(base_fd, &names);

	for (int i = 0; i < count; i++)
		candidate(words, names[i]);
	free(names);
	if (base_fd >= 0)
		close(base_fd);
}

/* the answer of the fabric to @ask; NULL: none.  json_decref() later */
static json_t *fabric_ask(const struct words *words, const char *ask)
{
	json_t *answer;

	client_fetch("complete", words->fabric, json_pack("{s:s}", "ask", ask), &answer);
	return answer;
}

/* the nodes of @kind; NULL: all */
static void nodes_of(const struct words *words, const char *kind)
{
	json_t *answer = fabric_ask(words, "ps"), *node;
	size_t i;

	json_array_foreach (json_object_get(answer, "nodes"), i, node) {
		if (!kind || !strcmp(member_text(node, "kind"), kind))
			candidate(words, member_text(node, "name"));
	}
	json_decref(answer);
}

static void nodes(const struct words *words)
{
	nodes_of(words, NULL);
}

static void hosts(const struct words *words)
{
	nodes_of(words, "nic");
}

static void switches(const struct words *words)
{
	nodes_of(words, "switch");
}

/* NODE:PEER, from both ends */
static void links(const struct words *words)
{
	json_t *answer = fabric_ask(words, "links"), *link;
	size_t i;

	json_array_foreach (json_object_get(answer, "links"), i, link) {
		char text[2 * NODE_NAME_MAX + 2];

		snprintf(text, sizeof(text), "%s:%s", member_text(link, "node_a"),
			 member_text(link, "node_b"));
		candidate(words, text);
		snprintf(text, sizeof(text), "%s:%s", member_text(link, "node_b"),
			 member_text(link, "node_a"));
		candidate(words, text);
	}
	json_decref(answer);
}

static void nodes_and_links(const struct words *words)
{
	nodes(words);
	links(words);
}

static void scenarios_and_nodes(const struct words *words)
{
	scenarios(words);
	nodes(words);
}

static void fabrics_and_files(const struct words *words)
{
	files(words);
	fabrics(words);
}

static void list(const struct words *words, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		candidate(words, texts[i]);
}

static void lab_names(const struct words *words)
{
	struct lab_folders folders;
	char folder[PATH_MAX];

	if (ready_folder("labs", folder, sizeof(folder)) || lab_folders_list(folder, &folders))
		return;
	for (size_t i = 0; i < folders.count; i++)
		candidate(words, folders.names[i]);
	lab_folders_free(&folders);
}

static void link_actions(const struct words *words)
{
	static const char *const texts[] = { "set", "down", "up" };

	list(words, texts, COUNT_OF(texts));
}

static void on_off(const struct words *words)
{
	static const char *const texts[] = { "on", "off" };

	list(words, texts, COUNT_OF(texts));
}

static void kinds_of_nodes(const struct words *words)
{
	static const char *const texts[] = { "host", "switch", "link" };

	list(words, texts, COUNT_OF(texts));
}

/* parts of a plan; tables of a running node, of any kind */
static void parts_and_tables(const struct words *words)
{
	static const char *const parts[] = { "summary", "nodes", "links",
					     "routes",  "hosts", "config" };
	static const char *const tables[] = { "ports", "queues", "routes", "paths",
					      "flows", "pfc",    "lanes",  "trace" };

	if (strchr(words->operand, '/') || strstr(words->operand, ".yaml"))
		list(words, parts, COUNT_OF(parts));
	else
		list(words, tables, COUNT_OF(tables));
}

/* ---- which source ---- */

/* of the operands of a command, in their order */
static const struct {
	const char *command;
	source_fn *sources[OPERANDS_MAX];
} operands[] = {
	{ "run", { scenarios, files } },
	{ "check", { scenarios } },
	{ "show", { scenarios_and_nodes, parts_and_tables, nodes_and_links } },
	{ "import", { files } },
	{ "export", { files } },
	{ "up", { scenarios } },
	{ "down", { fabrics } },
	{ "ps", { fabrics } },
	{ "top", { fabrics } },
	{ "capture", { links, files } },
	{ "metrics", { fabrics } },
	{ "view", { fabrics_and_files } },
	{ "exec", { hosts } },
	{ "shell", { hosts } },
	{ "outside", { hosts, on_off } },
	{ "start", { nodes } },
	{ "set", { nodes } },
	{ "add", { kinds_of_nodes, switches } },
	{ "attach", { switches } },
	{ "remove", { nodes_and_links } },
	{ "link", { links, link_actions } },
	{ "lab start", { lab_names } },
	{ "lab predict", { lab_names } },
	{ "lab check", { lab_names } },
	{ "lab report", { lab_names, files } },
	{ "lab score", { files } },
};

static void operand_complete(const struct words *words)
{
	for (size_t i = 0; i < COUNT_OF(operands); i++) {
		if (!strcmp(operands[i].command, words->command->name) &&
		    words->operands < OPERANDS_MAX && operands[i].sources[words->operands])
			operands[i].sources[words->operands](words);
	}
}

static const struct option_row *option_find(const struct command_words *command, const char *word)
{
	for (unsigned i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];

		if (!strcmp(row->name, word) ||
		    (row->letter && word[0] == '-' && word[1] == row->letter && !word[2]))
			return row;
	}
	return NULL;
}

static void value_complete(const struct words *words)
{
	const struct option_row *row = option_find(words->command, words->option);

	for (const struct option_word *word = row->words; word && word->name; word++)
		candidate(words, word->name);
	if (!strcmp(row->argument, "FABRIC"))
		fabrics(words);
	else if (strstr(row->argument, "FILE") || strstr(row->argument, "DIR"))
		files(words);
}

static void options_complete(const struct words *words)
{
	for (unsigned i = 0; i < words->command->option_count; i++)
		candidate(words, words->command->options[i].name);
	candidate(words, "--help");
}

/* ---- words ---- */

/* reads the words before the last one: options, their values, operands */
static void words_read(struct words *words, int count, char **texts)
{
	for (int i = 0; i < count; i++) {
		const struct option_row *row = option_find(words->command, texts[i]);

		words->option = NULL;
		if (row && row->argument && !row->otherwise) {
			words->option = texts[i];
			i++;
			if (i < count && !strcmp(row->argument, "FABRIC"))
				words->fabric = texts[i];
			if (i < count)
				words->option = NULL;
		} else if (texts[i][0] != '-') {
			words->operand = words->operand ? words->operand : texts[i];
			words->operands++;
		}
	}
}

int complete(const struct command *commands, size_t command_count, int word_count, char **words)
{
	struct words read = { .last = word_count ? words[word_count - 1] : "" };

	if (word_count == 2 && !strcmp(words[0], "help"))
		word_count = 1;
	for (; word_count > 1 && command_count; words++, word_count--) {
		struct command_answer answer;
		size_t i = 0;

		while (i < command_count && strcmp(words[0], commands[i].name) != 0)
			i++;
		if (i == command_count)
			return 0;
		answer = command_ask(&commands[i]);
		read.command = answer.words;
		commands = answer.commands;
		command_count = answer.count;
	}
	for (size_t i = 0; i < command_count; i++)
		candidate(&read, commands[i].name);
	if (!read.command)
		return 0;
	words_read(&read, word_count - 1, words);
	if (read.option)
		value_complete(&read);
	else if (read.last[0] == '-')
		options_complete(&read);
	else
		operand_complete(&read);
	return 0;
}
