/*  top_text - one interval of `heddle top`: sums and verdict, the busiest nodes, the busiest links.
 *
 *  Busiest node: by its share of a core, then by packets. Busiest link: by the busier of its
 *  directions. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_TOP_TEXT_H
#define HEDDLE_ORCHESTRATOR_OPERATE_TOP_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/base/screen.h"

/** top_text_print() - @fabric, an answer to "ps" with all that observe.h puts into it.
 *  @screen of @out: a terminal gets bars, and no more lines than it has; what does not fit is
 *  counted. Else everything is printed. */
void top_text_print(const json_t *fabric, const struct screen *screen, FILE *out);

#endif
