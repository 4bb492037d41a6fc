/*  dataplane_show - tables and parameters of the NIC: node_ops.show and node_ops.set. Their
 *  contract is in node.h. */
#ifndef HEDDLE_NICD_DATAPLANE_DATAPLANE_SHOW_H
#define HEDDLE_NICD_DATAPLANE_DATAPLANE_SHOW_H

#include "nicd/dataplane/nic.h"

int nic_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out);
int nic_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
