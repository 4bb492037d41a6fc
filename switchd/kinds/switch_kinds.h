/*  switch_kinds - the dataplane of each kind of switch: one list for switchd, workerd and
 *  simulations. It is in a header, so that main.c has the list: from another file LTO makes other
 *  machine code of the nodes. */
#ifndef HEDDLE_SWITCHD_KINDS_SWITCH_KINDS_H
#define HEDDLE_SWITCHD_KINDS_SWITCH_KINDS_H

#include "nodes/base/array.h"
#include "nodes/node/node.h"
#include "switchd/ethernet/ethernet.h"
#include "switchd/flow_channel/dataplane.h"
#include "switchd/port_group/lid_switch.h"

static const struct node_ops *const switch_kinds[] = {
	[FABRIC_FLOW_CHANNEL] = &flow_channel_ops,
	[FABRIC_ROCE] = &ethernet_ops,
	[FABRIC_PORT_GROUP] = &lid_ops,
};

_Static_assert(COUNT_OF(switch_kinds) == FABRIC_KINDS, "a switch for each kind of fabric");

#endif
