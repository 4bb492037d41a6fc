/*  arrival - a packet's first leg: link -> EFCT -> IFCT (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ARRIVAL_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ARRIVAL_H

#include "switchd/flow_channel/dataplane.h"

/** arrival_packet() - a data packet has arrived on port @port (its header, if the switch cuts
 *  through).
 *  @bytes captured, in shared memory. */
void arrival_packet(struct dataplane *dp, uint32_t port, const struct record *header,
		    const uint8_t *bytes, node_time_t now);

/** arrival_lines_freed() - EFCT lines of edge port @port are free: packets that wait for one get
 *  them, in order of arrival. O(packets that wait). */
void arrival_lines_freed(struct dataplane *dp, uint32_t port, node_time_t now);

#endif
