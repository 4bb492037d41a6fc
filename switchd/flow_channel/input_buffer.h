/*  input_buffer - the input buffers: their water levels, and when the peer at a port has to
 *  stop (dataplane.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_BUFFER_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_BUFFER_H

#include "nodes/link/link_send.h"
#include "switchd/flow_channel/dataplane.h"

/** input_buffer_configure() - the water levels of @port are as config->ports[@port] says. */
void input_buffer_configure(struct dataplane *dp, uint32_t port);

/** input_buffer_left() - input buffer, in units, that may still be filled or reserved before the
 *  peer must stop. */
uint32_t input_buffer_left(const struct dataplane *dp, uint32_t port, uint32_t lane);

/** input_buffer_charged() - what counts against the input buffer: what is in it, and what credit
 *  given may still bring; units. */
static inline uint32_t input_buffer_charged(const struct port *in, uint32_t lane)
{
	return in->link->rx.held_units[lane] + in->fabric.promised_units[lane];
}

/** input_buffer_stop() - the peer at @port must stop sending on @lane (@stop), or may send again:
 *  counts it, and has the link send the control word. */
void input_buffer_stop(struct dataplane *dp, uint32_t port, uint32_t lane, bool stop);

/** input_buffer_update() - stops the peer at @port if the input buffer of @lane is above its level,
 *  or resumes it. For after each arrival, release and change of reserved credit. O(1). */
static inline void input_buffer_update(struct dataplane *dp, uint32_t port, uint32_t lane)
{
	const struct port *in = &dp->ports[port];
	uint32_t units = input_buffer_charged(in, lane);
	bool stopped = in->link->stop.wanted >> lane & 1;

	if (stopped ? units <= in->go_units : units > in->stop_units)
		input_buffer_stop(dp, port, lane, !stopped);
	if (link_words_due(in->link))
		switch_touch(&dp->sw, port);
}

/** input_buffer_release() - @packet has left its input buffer. Nothing for a copy, which was in
 *  none, and for a link that is down, whose buffer no longer exists. */
void input_buffer_release(struct dataplane *dp, const struct packet *packet);

#endif
