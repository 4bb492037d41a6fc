/*  mininet_word - words that users of Mininet type at the prompt (DU-4).
 *
 *  pingall, links and dump stand for a command of heddle; nodes and net print what Mininet prints,
 *  with Heddle's names of ports. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_MININET_WORD_H
#define HEDDLE_ORCHESTRATOR_OPERATE_MININET_WORD_H

#include <stdbool.h>
#include <stddef.h>

/** mininet_words - those that completion offers: of pingall and links it offers the command. NULL
 *  ends them. */
extern const char *const mininet_words[];

/** mininet_word_is_own() - is @line one that mininet_word_run() prints? */
bool mininet_word_is_own(const char *line);

/** mininet_word_run() - prints @line of @fabric.   Return: the exit status. */
int mininet_word_run(const char *line, const char *fabric);

/** mininet_word_replace() - what stands for the first word of @line, for the shell.
 *  @length  of that word; 0 if it is no word of Mininet's.   Return: static text, "" for none. */
const char *mininet_word_replace(const char *line, size_t *length);

#endif
