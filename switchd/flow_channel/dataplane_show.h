/*  dataplane_show - the tables of the flow-channel switch as text (TB-9). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_SHOW_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_SHOW_H

#include "switchd/common/switch_show.h"

/* switch_ops.tables */
extern const struct switch_table dataplane_show_tables[];

#endif
