/*  tcp_sender - TCP as a transport: windows of all connections of a NIC, and what their ACKs mean
 *  (RC-6).
 *
 *  transport.h keeps messages and packets, tcp_window.h computes how many may be in flight. This
 *  module connects them: ACKs name bytes of the stream, windows count packets. A packet is a
 *  segment: the test payload's header and bytes of one message; no segment has bytes of two
 *  messages, as with TCP_NODELAY (ours).
 *  Overhead. A packet that waited for an ACK is delayed by a random time, up to that of two full
 *  packets on the link (ours). Real hosts have such jitter; without it, packets of some connections
 *  would reach a full queue exactly when it has space, those of others never [Floyd and Jacobson,
 *  On Traffic Phase Effects in Packet-Switched Gateways, 1991, section 3.3].
 *  Memory: a window per slot, allocated in _init, never later. */
#ifndef HEDDLE_NICD_TRANSPORT_TCP_SENDER_H
#define HEDDLE_NICD_TRANSPORT_TCP_SENDER_H

#include <stdint.h>

#include "nicd/transport/tcp_window.h"
#include "nicd/transport/transport.h"
#include "nodes/base/random.h"
#include "nodes/config/config.h"
#include "nodes/wire/tcp_frame.h"

struct tcp_sender {
	const struct tcp_config *config;
	struct transport *transport;
	struct random random;
};

/** tcp_sender_window() - that of the flow in @slot, which is open. */
struct tcp_window *tcp_sender_window(const struct tcp_sender *sender, uint32_t slot);

/** tcp_sender_init() - the control of all TRANSPORT_TCP flows of @transport (initialised,
 *  @flows_max slots), on port 0 of @config.
 *  @config, @transport  borrowed.   Return: 0 or -ENOMEM. */
int tcp_sender_init(struct tcp_sender *sender, const struct node_config *config, uint32_t flows_max,
		    struct transport *transport);

/** tcp_sender_on_ack() - an ACK for the flow in @slot, which is one of TRANSPORT_TCP, has come at
 *  @now. What names a byte that was not sent, or is inside a packet, or says less than is known,
 *  changes nothing.
 *  Return: how many messages are complete by that. */
uint32_t tcp_sender_on_ack(struct tcp_sender *sender, uint32_t slot, const struct tcp_fields *ack,
			   node_time_t now);

#endif
