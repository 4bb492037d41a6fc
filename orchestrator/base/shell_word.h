/*  shell_word - a text as one word of a command line that a shell reads. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SHELL_WORD_H
#define HEDDLE_ORCHESTRATOR_BASE_SHELL_WORD_H

#include <stdio.h>

/** shell_word_print() - @word, in single quotes if a shell would change it. */
void shell_word_print(const char *word, FILE *out);

#endif
