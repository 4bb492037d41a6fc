/*  lid_show - the tables of the switch of fabric kind port-group as text (TB-9). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_SHOW_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_SHOW_H

#include "switchd/common/switch_show.h"

/* switch_ops.tables */
extern const struct switch_table lid_show_tables[];

#endif
