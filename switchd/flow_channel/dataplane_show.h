/*  dataplane_show - tables and parameters of the flow-channel switch. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_SHOW_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_DATAPLANE_SHOW_H

#include "switchd/flow_channel/dataplane.h"

/** dataplane_show() - node_ops.show: "ports", "efct", "ifct", "ofct", "congestion", "limits",
 *  "queues", "acks", "fgfc", "routes". */
int dataplane_show(void *dataplane, const char *table, int port, node_time_t now, FILE *out);

/** dataplane_set() - node_ops.set: "match", "match.pN", "ack.t1", "ack.t2", "ack.t3" (ns),
 *  "ack.collect", "output-queue" (units), "congestion.rate-limit", "congestion.flow-limit",
 *  "congestion.limit-after-ack" (on, off). */
int dataplane_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
