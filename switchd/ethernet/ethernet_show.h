/*  ethernet_show - tables and parameters of the Ethernet switch. */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_SHOW_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_SHOW_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_show() - node_ops.show: "ports", "queues", "buffer", "pfc", "ecn", "states", "flows",
 *  "routes". */
int ethernet_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

/** ethernet_set() - node_ops.set: [CLASS.]PARAMETER, of one class or of all: "ecn" (on, off),
 *  "kmin", "kmax", "queue", "xoff", "xon-offset" (bytes), "pmax" (ppm), "alpha" (permille); and of
 *  the switch: "watchdog", "supplement-period" (us), "reference" (permille of kmax), "path-high",
 *  "path-low" (bytes). */
int ethernet_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
