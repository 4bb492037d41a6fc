/*  prompt_words - the words that can come next on a line of the prompt: nodes, tables, ports, keys
 *  of `set`, counters (SE-8). */
#ifndef HEDDLE_ORCHESTRATOR_PROMPT_PROMPT_WORDS_H
#define HEDDLE_ORCHESTRATOR_PROMPT_PROMPT_WORDS_H

#include "orchestrator/base/word_list.h"
#include "orchestrator/fabric/fabric.h"

/** prompt_words() - adds to @words those that may be in the place of the last word of @line, which
 *  is not its first one (those are commands). The nodes of @fabric, whose virtual clock is stopped,
 *  are asked for their tables and parameters. */
void prompt_words(struct fabric *fabric, const char *line, struct word_list *words);

#endif
