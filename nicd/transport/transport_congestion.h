/*  transport_congestion - what the congestion control of a flow is told, and what it decides: when
 *  the next packet may go, and how many may be in flight (congestion_control.h).
 *
 *  A part of transport.c, which decides what to send. Without a control nothing happens here, and
 *  the window is that of the rules. */
#ifndef HEDDLE_NICD_TRANSPORT_TRANSPORT_CONGESTION_H
#define HEDDLE_NICD_TRANSPORT_TRANSPORT_CONGESTION_H

#include "nicd/transport/transport.h"

/** transport_congestion_open() - a control for the flow in @slot, whose full frames have
 *  @frame_bytes without FCS. */
void transport_congestion_open(struct transport *transport, uint32_t slot, uint32_t frame_bytes,
			       node_time_t now);

/** transport_congestion_obey() - what the control has written to the state of the flow in @slot
 *  holds from now on. */
void transport_congestion_obey(struct transport *transport, uint32_t slot);

/** transport_congestion_sent() - @packet, number @number of its flow, was just sent. */
void transport_congestion_sent(struct transport *transport, const struct flow_packet *packet,
			       uint64_t number, uint32_t wire_bytes, node_time_t now);

/** transport_congestion_ack() - an ACK of all before @packet, @bytes of payload, moves the flow on.
 *  The control has on_ack. */
void transport_congestion_ack(struct transport *transport, uint32_t slot, uint64_t packet,
			      const struct transport_signs *signs, uint64_t bytes, node_time_t now);

/** transport_congestion_loss() - a packet was lost. */
void transport_congestion_loss(struct transport *transport, uint32_t slot, bool timeout,
			       node_time_t now);

/** transport_congestion_cnp() - a CNP arrived. Return: false if the control does not listen to
 *  them. */
bool transport_congestion_cnp(struct transport *transport, uint32_t slot, node_time_t now);

/** transport_congestion_due_at() - when the control wants transport_congestion_step(); a flow
 *  without messages has no such time: NODE_TIME_NEVER. */
node_time_t transport_congestion_due_at(const struct transport *transport, uint32_t slot);

/** transport_congestion_step() - the control's timer, if it is due. */
void transport_congestion_step(struct transport *transport, uint32_t slot, node_time_t now);

#endif
