#include "orchestrator/base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nodes/base/number.h"

static char folded(char letter)
{
	return letter == '_' ? '-' : (char)tolower((unsigned char)letter);
}

static const char *word_at(const char *const *words, size_t stride, size_t index)
{
	const char *word;

	memcpy(&word, (const char *)words + index * stride, sizeof(word));
	return word;
}

/* a candidate that starts with @word counts as one mistake, so a real misspelling of a short word
 * is nearer */
static unsigned distance_or_prefix(const char *word, const char *candidate)
{
	size_t length = strlen(word);
	unsigned distance = suggest_distance(word, candidate);

	return length >= 3 && !strncasecmp(word, candidate, length) ? number_min32(distance, 1)
								    : distance;
}

const char *suggest_nearest(const char *word, const char *const *words, size_t count, size_t stride)
{
	unsigned allowed = number_max32(1, (1 + (unsigned)strlen(word)) / 3);
	unsigned best_distance = allowed + 1;
	const char *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *candidate = word_at(words, stride, i);
		unsigned distance = distance_or_prefix(word, candidate);

		if (distance < best_distance && distance < strlen(candidate)) {
			best_distance = distance;
			best = candidate;
		}
	}
	return best;
}

unsigned suggest_distance(const char *a, const char *b)
{
	/* rows[0] is two letters of @a back: swaps need it */
	unsigned rows[3][SUGGEST_BYTES_MAX + 1];
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length >= SUGGEST_BYTES_MAX || b_length >= SUGGEST_BYTES_MAX)
		return SUGGEST_BYTES_MAX;
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = rows[1][j] = rows[2][j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		memcpy(rows[0], rows[1], sizeof(rows[0]));
		memcpy(rows[1], rows[2], sizeof(rows[1]));
		rows[2][0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			char x = folded(a[i - 1]), y = folded(b[j - 1]);
			unsigned best = number_min32(number_min32(rows[1][j], rows[2][j - 1]) + 1,
						     rows[1][j - 1] + (x != y));

			if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
				best = number_min32(best, rows[0][j - 2] + 1);
			rows[2][j] = best;
		}
	}
	return rows[2][b_length];
}

const char *suggest_sentence(const char *word, const char *const *words, size_t count,
			     size_t stride, char *out, size_t out_max)
{
	const char *near = suggest_nearest(word, words, count, stride);

	if (near)
		snprintf(out, out_max, " - did you mean '%s'?", near);
	else if (out_max)
		out[0] = 0;
	return out;
}
