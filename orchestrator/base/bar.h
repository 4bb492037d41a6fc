/*  bar - a share as a bar of characters (SE-8). Pure. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_BAR_H
#define HEDDLE_ORCHESTRATOR_BASE_BAR_H

#include <stdbool.h>

#define BAR_COLUMNS_MAX 64u
#define BAR_TEXT_MAX (3 * BAR_COLUMNS_MAX + 1) /* bytes */

/** bar_write() - writes the bar of @share, of which 1 has @columns columns (at most
 *  BAR_COLUMNS_MAX), to @text (BAR_TEXT_MAX bytes). What is more than 0 has a mark. With @utf8 in
 *  blocks of an eighth of a column, else in '#'.
 *  Return: columns of the bar; nothing follows it. */
unsigned bar_write(char *text, double share, unsigned columns, bool utf8);

/** bar_pad() - bar_write(), then spaces up to @columns. Return: @text. */
const char *bar_pad(char *text, double share, unsigned columns, bool utf8);

#endif
