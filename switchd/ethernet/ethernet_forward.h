/*  ethernet_forward - where a frame goes: link -> output port (ethernet.h). */
#ifndef HEDDLE_SWITCHD_ETHERNET_ETHERNET_FORWARD_H
#define HEDDLE_SWITCHD_ETHERNET_ETHERNET_FORWARD_H

#include "switchd/ethernet/ethernet.h"

/** ethernet_arrival() - a data frame has arrived on port @port (its header, if the switch cuts
 *  through).
 *  @bytes captured, in shared memory. */
void ethernet_arrival(struct ethernet *eth, uint32_t port, const struct record *header,
		      const uint8_t *bytes, node_time_t now);

/** ethernet_originate() - the switch itself sends the frame @bytes (captured whole, without FCS) to
 *  whom it is addressed to. Counts as injected; what there is no room or no way for is dropped and
 *  counted. */
void ethernet_originate(struct ethernet *eth, const uint8_t *bytes, uint32_t frame_bytes,
			node_time_t now);

#endif
