/*  tcp_sender - TCP as a transport: windows of all connections of a NIC, and what their ACKs mean (RC-6).
 *
 *  transport.h keeps messages and packets, tcp_window.h says how many may be under way; this file is between them: ACKs name bytes of
 *  the stream, windows count packets. A packet is a segment: the test payload's header and bytes of one message; none is pushed
 *  together from two messages, as with TCP_NODELAY (ours).
 *  Memory: a window per slot, allocated in _init, never later.                                                          */
#ifndef HEDDLE_NICD_TCP_SENDER_H
#define HEDDLE_NICD_TCP_SENDER_H

#include <stdint.h>

#include "nicd/tcp_window.h"
#include "nicd/transport.h"
#include "nodes/roce_config.h"
#include "nodes/wire/tcp_frame.h"

struct tcp_sender {
	const struct tcp_config *config;
	struct transport *transport;
	struct tcp_window *windows; /* by slot */
};

/** tcp_sender_init() - the control of all TRANSPORT_TCP flows of @transport (initialised, @flows_max slots).
 *  @config, @transport  borrowed.   Return: 0 or -ENOMEM. */
int tcp_sender_init(struct tcp_sender *sender, const struct tcp_config *config, uint32_t flows_max,
		    struct transport *transport);
void tcp_sender_fini(struct tcp_sender *sender);

/** tcp_sender_on_ack() - an ACK for the flow in @slot, which is one of TRANSPORT_TCP, has come at @now. What names a byte that was not
 *  sent, or is inside a packet, or says less than is known, changes nothing.
 *  Return: how many messages are complete by that. */
uint32_t tcp_sender_on_ack(struct tcp_sender *sender, uint32_t slot, const struct tcp_fields *ack, node_time_t now);

#endif
