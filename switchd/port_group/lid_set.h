/*  lid_set - the parameters of the switch of fabric kind port-group (TB-10). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_SET_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_SET_H

#include "switchd/common/switch_set.h"

/* switch_ops.settings: of lid_switch.settings */
extern const struct switch_settings lid_settings;

#endif
