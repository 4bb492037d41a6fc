/*  link_words - what of a link `heddle link set` and `heddle add` can set, and how links are
 *  printed (TB-4, DU-6). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_LINK_WORDS_H
#define HEDDLE_ORCHESTRATOR_OPERATE_LINK_WORDS_H

#include <jansson.h>

#define LINK_KEYS_MAX 20u

/** link_keys() - @keys receives the keys of link.def that can change while a link runs, then @more
 *  (NULL: none), then NULL. */
void link_keys(const char *keys[LINK_KEYS_MAX], const char *more);

/** link_keys_put() - adds @count @words, KEY=VALUE each, to @request, where KEY is one of
 *  link_keys(). Return: 0, or the exit status after an error message of @command. */
int link_keys_put(const char *command, json_t *request, const char *more, int count, char **words);

/** link_words_print() - the links of @answer, or the one link that it is, to standard output: a
 *  line for each, one for a direction that differs, one for what impairs its packets. */
void link_words_print(const json_t *answer);

#endif
