/*  word_list - words that may come next on a command line, for completion (SE-8). */
#ifndef HEDDLE_ORCHESTRATOR_BASE_WORD_LIST_H
#define HEDDLE_ORCHESTRATOR_BASE_WORD_LIST_H

#include <stddef.h>

struct word_list {
	char **words; /* sorted and without doubles after word_list_keep() */
	size_t count;
	size_t max; /* allocated */
};

/** word_list_add() - adds the word that @format gives. Without memory it is missing. */
void word_list_add(struct word_list *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** word_list_keep() - keeps the words that begin with @start, each once, in the order of strcmp().
 *  Return: how many bytes all of them have in common at their beginning; 0 if there are none. */
size_t word_list_keep(struct word_list *list, const char *start);

void word_list_free(struct word_list *list);

#endif
