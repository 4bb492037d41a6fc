/*  top_text - one interval of `heddle top`: sums and verdict, the busiest nodes, the busiest links.
 *
 *  Busiest node: by its share of a core, then by packets. Busiest link: by the busier of its
 *  directions. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_TOP_TEXT_H
#define HEDDLE_ORCHESTRATOR_CLI_TOP_TEXT_H

#include <jansson.h>
#include <stdio.h>

/** top_text_print() - @fabric, an answer to "ps" with all that observe.h puts into it.
 *  @lines_max of the text; what does not fit is counted in its last line. 0: everything. */
void top_text_print(const json_t *fabric, unsigned lines_max, FILE *out);

#endif
