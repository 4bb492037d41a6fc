/*  ethernet_set - the parameters of the switch of fabric kind roce (TB-10). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_SET_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_SET_H

#include "switchd/common/switch_set.h"

/* switch_ops.settings: of ethernet.roce */
extern const struct switch_settings ethernet_settings;

#endif
