/*  control_fate - names the function of the user's congestion control in which a NIC ended, and its
 *  flow and time (SE-10). What the NIC has noted may be wrong in any respect: its process ran
 *  foreign code. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_CONTROL_FATE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_CONTROL_FATE_H

#include "orchestrator/fabric/fabric.h"

/** control_fate() - a sentence for the end of @node, such as "ended: the control my.so set rate_bps
 *  to 0 in on_ack of flow h0 -> h4 (incast) at 12.5 us; ...".
 *  @how    of the end: "signal 11 (Segmentation fault)"; NULL: it has not ended, it hangs.
 *  @text   @text_max bytes.
 *  Return: false: the node was in no such function, @text is unchanged. */
bool control_fate(const struct fabric *fabric, uint32_t node, const char *how, char *text,
		  size_t text_max);

#endif
