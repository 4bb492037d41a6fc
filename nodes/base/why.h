/*  why - the sentence that says why something failed, for people. */
#ifndef HEDDLE_NODES_BASE_WHY_H
#define HEDDLE_NODES_BASE_WHY_H

struct why {
	char text[8192]; /* the longest sentence has two paths */
};

/** why_say() - writes a sentence to @why, as far as it fits.
 *  Return: @error, so that a function can return both at once. */
int why_say(struct why *why, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** why_add() - writes on at the end of @why, as far as it fits. */
void why_add(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
