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

/** screen_look() - the screen of @out at this moment; zero if it is no terminal. */
struct screen screen_look(FILE *out);

#endif
