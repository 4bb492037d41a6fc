/*  ethernet_forward - forwarding: link -> output port (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_FORWARD_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_FORWARD_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_arrival() - a data frame has arrived on port @port (its header, if the switch cuts
 *  through).
 *  @bytes captured, in shared memory. */
void ethernet_arrival(struct ethernet *eth, uint32_t port, const struct record *header,
		      const uint8_t *bytes, node_time_t now);

/** ethernet_output_of() - switch_ops.output_of: what the routes and the hash select for a frame. */
int ethernet_output_of(const void *dataplane, const struct frame_fields *fields);

/** ethernet_originate() - sends the frame @bytes (captured whole, without FCS), which this switch
 *  has made, to its destination. Counts as injected. Without a route or free buffer it is dropped
 *  and counted. */
void ethernet_originate(struct ethernet *eth, const uint8_t *bytes, uint32_t frame_bytes,
			node_time_t now);

#endif
