/*  screen - what the terminal of a stream can show: size, escape sequences, colours, characters
 *  (SE-8). */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SCREEN_H
#define HEDDLE_ORCHESTRATOR_BASE_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

struct screen {
	bool terminal; /* that obeys escape sequences; false: a pipe, a file, a dumb terminal */
	bool colours;  /* NO_COLOR is not set */
	bool utf8;     /* the locale's characters are those of UTF-8 */
	unsigned columns, lines; /* 80 x 24 if the terminal does not say */
};

#define SCREEN_BOLD "\033[1m"
#define SCREEN_RED "\033[1;31m"
#define SCREEN_GREEN "\033[32m"
#define SCREEN_YELLOW "\033[33m"
#define SCREEN_PLAIN "\033[0m"
#define SCREEN_CLEAR "\033[H\033[2J" /* and home */
#define SCREEN_BELOW_CLEAR "\033[J"
#define SCREEN_LINE_CLEAR "\r\033[K"
#define SCREEN_CUT "\033[?7l" /* long lines end at the edge */
#define SCREEN_WRAP "\033[?7h"

/** screen_paint() - @code, one of the colours above; "" without colours. */
static inline const char *screen_paint(bool colours, const char *code)
{
	return colours ? code : "";
}

/** screen_look() - the screen of @out at this moment; zero if it is no terminal. */
struct screen screen_look(FILE *out);

#endif
