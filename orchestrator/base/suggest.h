/*  suggest - the word that somebody probably meant.                                                                  */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SUGGEST_H
#define HEDDLE_ORCHESTRATOR_BASE_SUGGEST_H

#include <stddef.h>

#define SUGGEST_BYTES_MAX 64u /* longer words are not compared */

/** suggest_nearest() - the one of @words that @word is most likely a misspelling of; the first of several.
 *  Distance: insertions, deletions, replacements and swaps of neighbours, case ignored, '_' like '-'. A third of the
 *  letters may differ, of short words one, for of three letters two say nothing; a word that merely starts with @word (3 letters or more) counts as near.
 *  @stride  bytes from one pointer to a word to the next, so that a table of structs can be searched.
 *  Return: the word, borrowed; NULL if none is near.  O(count).                                                  */
const char *suggest_nearest(const char *word, const char *const *words, size_t count, size_t stride);

/** suggest_distance() - that distance; SUGGEST_BYTES_MAX for words that are longer than that. */
unsigned suggest_distance(const char *a, const char *b);

/** suggest_sentence() - writes " - did you mean 'WORD'?" or "" to @out (@out_max bytes).  Return: @out. */
const char *suggest_sentence(const char *word, const char *const *words, size_t count, size_t stride, char *out,
			     size_t out_max);

#endif
