/*  dcqcn_np - DCQCN's notification point of one flow: when a marked packet is worth a CNP (RC-2).
 *
 *  The first marked packet makes one at once; then none is made for the CNP interval, whatever
 *  comes marked. Marks are not remembered beyond it: without a marked packet there is no CNP [Zhu
 *  et al., SIGCOMM 2015, figure 6].
 *  Memory: 8 bytes a flow. Place: asked for every packet that came marked CE, those out of order
 *  too. */
#ifndef HEDDLE_NICD_TRANSPORT_DCQCN_NP_H
#define HEDDLE_NICD_TRANSPORT_DCQCN_NP_H

#include <stdbool.h>

#include "nodes/base/time.h"
#include "nodes/config/roce_config.h"

/* all zero: no CNP was made so far */
struct dcqcn_np {
	node_time_t quiet_until_ps;
};

/** dcqcn_np_marked() - a packet of the flow has come marked CE at @now.
 *  Return: is a CNP to be sent? Then it counts as sent at @now. With a CNP interval of 0 always. */
bool dcqcn_np_marked(struct dcqcn_np *np, const struct dcqcn_config *config, node_time_t now);

#endif
