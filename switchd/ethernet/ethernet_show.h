/*  ethernet_show - the tables of the switch of fabric kind roce as text (TB-9). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_SHOW_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_SHOW_H

#include "switchd/common/switch_show.h"

/* switch_ops.tables */
extern const struct switch_table ethernet_show_tables[];

#endif
