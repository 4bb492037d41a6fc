/*  input_buffer - the input buffers: their water levels, and when the peer at a port has to
 *  stop (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_BUFFER_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_BUFFER_H

#include "nodes/link/link_send.h"
#include "switchd/flow_channel/dataplane.h"

/** input_buffer_configure() - the water levels of @port are as config->ports[@port] says. */
void input_buffer_configure(struct dataplane *dp, uint32_t port);

/** input_buffer_left() - how much more the input buffer may hold, or be reserved for, before the
 *  peer has to stop; units. */
uint32_t input_buffer_left(const struct dataplane *dp, uint32_t port, uint32_t lane);

/** input_buffer_charged() - what counts against the input buffer: what is in it, and what credit
 *  given may still bring; units. */
static inline uint32_t input_buffer_charged(const struct port *in, uint32_t lane)
{
	return in->link->rx.held_units[lane] + in->promised_units[lane];
}

/** input_buffer_hold() - the neighbour at @port must stop sending on @lane (@stop), or may send
 *  again. */
void input_buffer_hold(struct dataplane *dp, uint32_t port, uint32_t lane, bool stop);

/** input_buffer_update() - the input buffer of @port and @lane holds more, or less: does its
 *  neighbour have to stop, or may it go on? After each arrival, release and promise. O(1). */
static inline void input_buffer_update(struct dataplane *dp, uint32_t port, uint32_t lane)
{
	const struct port *in = &dp->ports[port];
	uint32_t units = input_buffer_charged(in, lane);
	bool stopped = in->link->stop.wanted >> lane & 1;

	if (stopped ? units <= in->go_units : units > in->stop_units)
		input_buffer_hold(dp, port, lane, !stopped);
	if (link_words_due(in->link))
		switch_touch(&dp->sw, port);
}

/** input_buffer_release() - @packet has left its input buffer. A copy was in none, and the buffer
 *  of a link that is gone went with it. */
void input_buffer_release(struct dataplane *dp, const struct packet *packet);

#endif
