/*  prompt_words - the words that can come next on a line of the prompt: nodes, tables, ports, keys
 *  of `set`, counters (SE-8). */
#ifndef HEDDLE_ORCHESTRATOR_CLI_PROMPT_WORDS_H
#define HEDDLE_ORCHESTRATOR_CLI_PROMPT_WORDS_H

#include "orchestrator/base/word_list.h"
#include "orchestrator/plan/plan.h"

struct prompt_nodes {
	const struct plan *plan;
	/* adds the names of the tables of @node, or of its parameters with @set */
	void (*names)(void *owner, const struct node_config *node, bool set,
		      struct word_list *words);
	void *owner;
};

/** prompt_words() - adds to @words those that may be in the place of the last word of @line, which
 *  is not its first one (those are commands). */
void prompt_words(const struct prompt_nodes *nodes, const char *line, struct word_list *words);

#endif
