/*  fgfc_path - flows that are held at their source: IFCT of an edge port -> FGFC -> link. Without
 *  FGFC configured these do nothing. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FGFC_PATH_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FGFC_PATH_H

#include "switchd/flow_channel/dataplane.h"

/** fgfc_path_queued() - a packet of flow @flow_id was queued at edge port @port (its line has the
 *  pattern already). */
void fgfc_path_queued(struct dataplane *dp, uint32_t port, uint32_t flow_id);

/** fgfc_path_forwarded() - @units of it were taken out of its queue, which tells its extent without
 *  them. */
void fgfc_path_forwarded(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t units);

/** fgfc_path_freed() - its EFCT line is free. */
void fgfc_path_freed(struct dataplane *dp, uint32_t port, uint32_t flow_id);

/** fgfc_path_clear() - the link at @port is gone. */
void fgfc_path_clear(struct dataplane *dp, uint32_t port);

/** fgfc_path_send() - puts the frame that is due on edge port @port's link, which is free. Return:
 *  was there one? */
bool fgfc_path_send(struct dataplane *dp, uint32_t port, node_time_t now);

/** fgfc_path_name() - how the host of edge port @port can tell flow @flow_id.
 *  @mask filled: which bits of the name count (FC-2), as flow_name_mask() says it. */
struct flow_name fgfc_path_name(const struct dataplane *dp, uint32_t port, uint32_t flow_id,
				struct flow_name *mask);

#endif
