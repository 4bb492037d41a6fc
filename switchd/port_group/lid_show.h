/*  lid_show - tables and parameters of the switch of fabric kind port-group. */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_SHOW_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_SHOW_H

#include "switchd/port_group/lid_switch.h"

/** lid_show() - node_ops.show: "ports", "lanes", "lft", "groups", "log", "settings". */
int lid_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

/** lid_set() - node_ops.set: a name and value of scenario section port-group: "adaptive", "policy",
 *  "update", "pending", "queue", "marks", "window", "hold" (ns), "fecn", "fecn-at". */
int lid_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
