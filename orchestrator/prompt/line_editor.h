/*  line_editor - lines that a person types at a terminal: editing, history, completion with TAB
 *  (SE-8). libedit is used here and nowhere else.
 *
 *  The history is kept for the user in $XDG_STATE_HOME/heddle/history, else in
 *  ~/.local/state/heddle/history: the last LINE_EDITOR_HISTORY lines. If two prompts are open, the
 *  one that ends last writes the file. Keys are bytes of ASCII; others are ignored. */
#ifndef HEDDLE_ORCHESTRATOR_PROMPT_LINE_EDITOR_H
#define HEDDLE_ORCHESTRATOR_PROMPT_LINE_EDITOR_H

#include <stdio.h>

#include "orchestrator/base/word_list.h"

#define LINE_EDITOR_HISTORY 500
#define LINE_EDITOR_LISTED 200u /* words that TAB lists */

struct line_editor;

/* adds to @words the words that can be in the place of the last one of @line, which ends at the
 * cursor; also those that do not begin as it does. A word that ends with a dot is not complete. */
typedef void line_words_fn(void *owner, const char *line, struct word_list *words);

/** line_editor_open() - edits lines of the terminal @in, shown on the terminal @out after @prompt;
 *  all are borrowed.  @words with @owner: NULL, nothing is completed.
 *  Return: NULL if memory is short. line_editor_close() ends it and writes the history. */
struct line_editor *line_editor_open(FILE *in, FILE *out, const char *prompt, line_words_fn *words,
				     void *owner);
void line_editor_close(struct line_editor *editor);

/** line_editor_read() - the next line, without a newline; borrowed until the next call. It becomes
 *  part of the history unless it is empty.
 *  Return: NULL: Ctrl-D on an empty line, the terminal is gone, or a signal has arrived
 *  (interrupt.h). */
const char *line_editor_read(struct line_editor *editor);

#endif
