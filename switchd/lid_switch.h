/*  lid_switch - the switch of fabric kind port-group: forwards by DLID, over port groups when the static port is congested (PG-1 ... PG-10). */
#ifndef HEDDLE_SWITCHD_LID_SWITCH_H
#define HEDDLE_SWITCHD_LID_SWITCH_H

#include "nodes/node.h"

extern const struct node_ops lid_ops;

#endif
