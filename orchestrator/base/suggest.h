/*  suggest - finds the known word that a misspelt one probably means. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SUGGEST_H
#define HEDDLE_ORCHESTRATOR_BASE_SUGGEST_H

#include <stddef.h>

#define SUGGEST_BYTES_MAX 64u /* longer words are not compared */

/** suggest_nearest() - the one of @words that @word most likely misspells; the first of several.
 *  The distance counts insertions, deletions, replacements and swaps of adjacent letters; case is
 *  ignored and '_' equals '-'. A third of the letters may differ, or one letter of a short word:
 *  with two of three letters wrong the rest means nothing. A word that starts with @word (3 letters
 *  or more) counts as near.
 *  @stride  bytes from one pointer to a word to the next, so that a table of structs can be
 *  searched.
 *  Return: the word, borrowed; NULL if none is near.  O(count). */
const char *suggest_nearest(const char *word, const char *const *words, size_t count,
			    size_t stride);

/** suggest_distance() - the distance of suggest_nearest(); SUGGEST_BYTES_MAX for longer words. */
unsigned suggest_distance(const char *a, const char *b);

/** suggest_sentence() - writes " - did you mean 'WORD'?" or "" to @out (@out_max bytes).  Return:
 *  @out. */
const char *suggest_sentence(const char *word, const char *const *words, size_t count,
			     size_t stride, char *out, size_t out_max);

#endif
