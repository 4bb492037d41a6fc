/*  fgfc_path - flows that are paused at their source: IFCT of an edge port -> FGFC -> link. Without
 *  FGFC configured these do nothing. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FGFC_PATH_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FGFC_PATH_H

#include "switchd/flow_channel/dataplane.h"

/** fgfc_path_queued() - a packet of flow @flow_id was queued at edge port @port, and its EFCT line
 *  has the pattern: pauses the flow at its source if its queue is at the target level. */
void fgfc_path_queued(struct dataplane *dp, uint32_t port, uint32_t flow_id);

/** fgfc_path_forwarded() - @units of flow @flow_id have left its queue, whose extent no longer
 *  counts them: grants credit, or ends the pause. */
void fgfc_path_forwarded(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t units);

/** fgfc_path_clear() - the link at @port is down. */
void fgfc_path_clear(struct dataplane *dp, uint32_t port);

/** fgfc_path_send() - sends the FGFC frame that is due on edge port @port's link, which is free.
 *  Return: true if it was sent; false: none is due after all. */
bool fgfc_path_send(struct dataplane *dp, uint32_t port, node_time_t now);

#endif
