/*  flow_tree - what an input remembers of a flow of an unordered class (FC-16, EC-11); flow_tree.c is its way through the switch.
 *
 *  While the tree is open each packet chooses an output when it is the first of its flow's queue; each output that the flow uses has a
 *  channel of its own for it (ofct.h), all of which are that one flow here: its flow_extent is the sum of theirs, so what limits its
 *  injection limits all of it. Credit is each branch's own, as the queue at its other end is: it says that a link is loaded, and the
 *  choice avoids that branch. ours: so does it branches of which much is not acknowledged, for their congestion may be further on.
 *  Congestion at the destination folds the tree [S2]: from then on everything takes one branch, the one that the congestion ACK came
 *  up, until nothing of the flow is left. Folded, the flow tells so in its headers, and those behind it fold too.
 *  ours: a flow that does not end would stay folded for ever. It opens again when the congestion is over: an ACK without it has come, and
 *  the flow is not bound to its way as a source any more (source_hold.h).
 *  A flow that has but one output to go to, as in its last switch, is no tree.                                        */
#ifndef HEDDLE_SWITCHD_FLOW_TREE_H
#define HEDDLE_SWITCHD_FLOW_TREE_H

#include <stdint.h>

enum tree_state { TREE_NONE, TREE_OPEN, TREE_FOLDED };

struct tree_line {
	uint8_t state;       /* enum tree_state */
	uint8_t branch_port; /* folded: where everything goes */
};

#endif
