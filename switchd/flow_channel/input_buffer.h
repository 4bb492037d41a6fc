/*  input_buffer - the input buffers: their water levels, and when the peer at a port has to
 *  stop (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_BUFFER_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_BUFFER_H

#include "switchd/flow_channel/dataplane.h"

/** input_buffer_configure() - the water levels of @port are as config->ports[@port] says. */
void input_buffer_configure(struct dataplane *dp, uint32_t port);

/** input_buffer_left() - how much more the input buffer may hold, or be reserved for, before the
 *  peer has to stop; units. */
uint32_t input_buffer_left(const struct dataplane *dp, uint32_t port, uint32_t lane);

/** input_buffer_update() - the input buffer of @port and @lane holds more, or less: does its
 *  neighbour have to stop, or may it go on? After each arrival, release and promise. O(1). */
void input_buffer_update(struct dataplane *dp, uint32_t port, uint32_t lane);

/** input_buffer_release() - @packet has left its input buffer. A copy was in none, and the buffer
 *  of a link that is gone went with it. */
void input_buffer_release(struct dataplane *dp, const struct packet *packet);

#endif
