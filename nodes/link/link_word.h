/*  link_word - what a control word of the peer changes: stops, credit, and what a guarded link has
 *  lost. A part of link.c, which sends and receives words. */
#ifndef HEDDLE_NODES_LINK_LINK_WORD_H
#define HEDDLE_NODES_LINK_LINK_WORD_H

#include "nodes/link/link.h"

/* a stop lasts as long as a buffer is full: a repeated request costs little against that. Ours */
#define LINK_ASK_PS (10 * NODE_MS)

/** link_word_on_received() - the word in @header arrived; tells the listener.
 *  Return: false if the peer cannot have sent it. */
bool link_word_on_received(struct link *link, const struct record *header, node_time_t now);

/** link_word_wait_end() - the wait for credit, if there is one, is over at @now. */
void link_word_wait_end(struct link *link, node_time_t now);

#endif
