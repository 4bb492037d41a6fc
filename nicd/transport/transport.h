/*  transport - flows that ensure that their messages arrive: their packets, and which of them may
 *  send (RC-4, RC-6).
 *
 *  A flow is a (workload, destination, connection); its slot is its index in the statistics page
 *  and the number that its packets carry. Its packets are numbered from 0 without end; a message is
 *  a run of them. A message stays until its last packet is acknowledged: then it is complete.
 *
 *      acknowledged <= next <= top <= end
 *        |               |      |      after the last packet of the last message that was put
 *        |               |      never sent so far: from here on
 *        | sent next; going back to `acknowledged` sends again all in between (go-back-N)
 *        all before it have arrived
 *
 *  The protocol decides what is acknowledged and when to go back: queue_pair.h for reliable
 *  connections of RoCEv2. The congestion control decides how fast and how much
 *  (congestion_control.h): a time before which the next packet does not go, and a window.
 *
 *      IDLE   nothing to send, or the window is full
 *      READY  may send: in the ring of its class, where flows take turns by deficit round robin
 *      PACED  has something to send, but not before a time: in the heap
 *      ERROR  gave up after too many timeouts; accepts no more messages
 *
 *  The heap holds one time per flow: the end of its pacing, its timeout or its control's timer,
 *  whichever is first. A time that has moved to later is noticed when it expires, so an ACK costs
 *  no step in the heap; O(log flows) for a paced packet, else O(1). A timeout runs while a packet
 *  that asked for an ACK is in flight, since then or since the last progress. A packet that did not
 *  ask gets no answer, however long the next one that does is paced or paused (PFC).
 *
 *  Memory: flows_max flows of two cache lines and a pool of messages, allocated in _init, never
 *  later. transport_full() is a normal state: a caller checks it before it puts a message, and
 *  waits. Place: called by nic_transport.c; uses neither the link nor frames of others. `now` is
 *  given, never goes back. */
#ifndef HEDDLE_NICD_TRANSPORT_TRANSPORT_H
#define HEDDLE_NICD_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/traffic/drr.h"
#include "nicd/traffic/flow_packet.h"
#include "nicd/traffic/index_pool.h"
#include "nicd/traffic/message.h"
#include "nicd/transport/congestion_control.h"
#include "nodes/base/deadline_heap.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/roce_frame.h"

/* what holds for all flows of a transport */
struct transport_rules {
	struct congestion congestion; /* how fast, and how much */
	/* of the protocol; NULL: as said below, and nothing is added to headers */
	void *protocol;
	node_time_t (*timeout_of)(void *protocol, uint32_t slot);
	/* completes the headers that frame_write() has written. @stream  as in transport_message,
	 * of the first byte of the packet */
	void (*write)(void *protocol, uint32_t slot, uint32_t stream, bool again, uint8_t *bytes);
	bool ecn_capable;       /* its packets may be marked (RC-1) */
	uint32_t ack_packets;   /* an ACK is asked for at least every so many */
	uint64_t window_bytes;  /* unacknowledged at most; 0: window_packets_max */
	node_time_t timeout_ps; /* unless timeout_of() says otherwise */
	uint32_t timeouts_max;  /* in a row; one more, and the flow is in error */
};

/* what an ACK reports of the network */
struct transport_signs {
	uint32_t hops; /* switches that it passed; 0: not known */
	bool echo;     /* of an ECN mark */
};

/* half of the PSNs: old and new ones can be told apart */
#define TRANSPORT_WINDOW_MAX (ROCE_PSN_HALF - 1)

struct transport_flow {
	/* what is sent */
	_Alignas(64) uint64_t acknowledged; /* packets */
	uint64_t next, top, end;
	node_time_t pace_at_ps;    /* the next packet is not sent before */
	node_time_t timeout_at_ps; /* NODE_TIME_NEVER: no ACK is waited for */
	struct drr_flow turn;
	/* how */
	struct index_list messages; /* that are not complete */
	uint32_t sending;           /* the message that `next` is in; none if next == end */
	uint32_t window_packets;    /* unacknowledged at most */
	/* lower half of the number after the packet that last asked for an ACK */
	uint32_t ack_asked;
	uint32_t message; /* number of the next one that is put */
	/* the frame length that the template is written for; 0: none yet */
	uint32_t template_frame_bytes;
	struct message_shape shape;
	uint8_t transport; /* enum transport_kind */
	uint8_t traffic_class;
	bool in_error;
	/* the packet `acknowledged` is sent again before `next`, which does not change:
	 * transport_repeat() */
	bool repeat;
	uint32_t timeouts;   /* in a row */
	uint32_t stream_end; /* TCP: byte after the last message, modulo 2^32 */
};

struct transport_message {
	uint64_t bytes;
	node_time_t start_ps;
	uint64_t packet; /* number of its first */
	uint32_t number; /* in its flow */
	uint32_t stream; /* TCP: its first byte in the stream of its connection, modulo 2^32 */
};

struct transport {
	struct drr drr; /* drr.ready: classes with a flow that may send: transport_settle() */
	uint32_t host_index;
	uint32_t gap_bytes;             /* between two frames on the link */
	uint32_t flows_max, flow_count; /* that are open */
	struct transport_flow *flows;   /* by slot */
	void *flow_memory;              /* they lie in */
	struct flow_spec *specs;        /* by slot */
	uint8_t (*templates)[FRAME_HEADERS_MAX];
	struct deadline_heap timers; /* source: slot */
	struct transport_rules rules[TRANSPORT_KINDS];
	struct transport_message *messages; /* by entry of the pool */
	uint64_t *message_bytes;            /* by slot: of messages that are not complete */
	struct index_pool pool;
	/* messages of flows that are in error */
	uint64_t discarded;
	struct stats_page *stats;
};

/** transport_init() - no flows, for the NIC that @config describes; rules of reliable connections
 *  as it says, without a control. Other transports set theirs (tcp_sender.h). @flows_max slots,
 *  @messages_max messages that may wait beside one of each flow. @stats borrowed.
 *  Return: 0 or -ENOMEM. */
int transport_init(struct transport *transport, const struct node_config *config,
		   uint32_t flows_max, uint32_t messages_max, struct stats_page *stats);
void transport_fini(struct transport *transport);

/** transport_open() - the flow in @slot, which is free. Its line of the statistics page was filled.
 *  O(1).
 *  @spec copied; its shape's largest frame is below 64 KiB. */
void transport_open(struct transport *transport, uint32_t slot, const struct flow_spec *spec,
		    node_time_t now);

/** transport_is_open() - true if there is a flow of @kind in @slot, which may be any number. */
static inline bool transport_is_open(const struct transport *transport, uint32_t slot,
				     enum transport_kind kind)
{
	return slot < transport->flows_max && transport->flows[slot].transport == kind;
}

/** transport_congestion() - the control of the flow in @slot, which is open; perhaps none. */
static inline const struct congestion *transport_congestion(const struct transport *transport,
							    uint32_t slot)
{
	return &transport->rules[transport->flows[slot].transport].congestion;
}

/** transport_full() - true if the pool of messages is used up: no transport_put() now. */
static inline bool transport_full(const struct transport *transport)
{
	return index_pool_full(&transport->pool);
}

/** transport_put() - message of @bytes (>= 1) for the flow in @slot, started at @start_ps. Not if
 *  transport_full().
 *  Return: false if the flow is in error: the message is discarded, and never ends. O(log
 *  flows). */
bool transport_put(struct transport *transport, uint32_t slot, uint64_t bytes, node_time_t start_ps,
		   node_time_t now);

/* ---- sending ---- */

/** transport_next_at() - when transport_step() has something to do; NODE_TIME_NEVER. O(1). */
static inline node_time_t transport_next_at(const struct transport *transport)
{
	return deadline_heap_next_at(&transport->timers);
}

/** transport_step() - flows whose time has come: pacing is over, a timeout, the control. O(log
 *  flows) for each. */
void transport_step(struct transport *transport, node_time_t now);

/** transport_settle() - after every event: updates drr.ready. Flows that have the turn but may no
 *  longer send leave their rings. */
void transport_settle(struct transport *transport, node_time_t now);

/** transport_next() - (after transport_settle()) the next packet of @traffic_class, which must be
 *  in drr.ready; nothing changes. O(1). */
struct flow_packet transport_next(const struct transport *transport, uint32_t traffic_class);

/** transport_write() - writes @packet, just returned by transport_next(), to @bytes (captured_bytes
 *  of them). */
void transport_write(struct transport *transport, const struct flow_packet *packet, uint8_t *bytes);

/** transport_sent() - @packet, just returned by transport_next(), is on the link or lost on it
 *  since @now.
 *  @wire_bytes with FCS and gap. Counts it in the flow's statistics. */
void transport_sent(struct transport *transport, const struct flow_packet *packet,
		    uint32_t wire_bytes, node_time_t now);

/* ---- events of the protocol ---- */

/** transport_acknowledge() - all packets before @packet have arrived: acknowledged <= @packet <=
 *  top. @signs for the control; NULL: none.
 *  Return: how many messages are complete by that. */
uint32_t transport_acknowledge(struct transport *transport, uint32_t slot, uint64_t packet,
			       const struct transport_signs *signs, node_time_t now);

/** transport_go_back() - the first packet that is not acknowledged did not arrive: it is next, and
 *  all later ones again. */
void transport_go_back(struct transport *transport, uint32_t slot, node_time_t now);

/** transport_repeat() - the first unacknowledged packet, which was sent, is sent again as the next
 *  one, whatever the window, and no other; the timeout runs from now on. An ACK of it that arrives
 *  first cancels that. */
void transport_repeat(struct transport *transport, uint32_t slot, node_time_t now);

/** transport_keep_timeout() - after transport_acknowledge(): the timeout is no later than @at_ps,
 *  unless none runs. */
void transport_keep_timeout(struct transport *transport, uint32_t slot, node_time_t at_ps,
			    node_time_t now);

/** transport_obey() - applies the state of the flow in @slot, which its control has changed outside
 *  of the calls of this file. */
void transport_obey(struct transport *transport, uint32_t slot, node_time_t now);

/** transport_packet_at() - TCP: the packet that begins at byte @stream, modulo 2^32, of the
 *  connection in @slot. O(messages that end there).
 *  Return: false if none does that is in flight or sent next: the byte is acknowledged already, or
 *  inside a packet, or was not sent. */
bool transport_packet_at(const struct transport *transport, uint32_t slot, uint32_t stream,
			 uint64_t *packet);

/** transport_congested() - a CNP for the flow in @slot has arrived: calls its control. */
void transport_congested(struct transport *transport, uint32_t slot, node_time_t now);

/* ---- observing ---- */

/** transport_rate_bps() - of the flow in @slot at @now; 0: it has none. */
uint64_t transport_rate_bps(const struct transport *transport, uint32_t slot, node_time_t now);

/* what a sample shows of a flow */
struct transport_sample {
	/* of messages: never sent; sent and not acknowledged */
	uint64_t queued_bytes, unacked_bytes;
	uint64_t window_bytes; /* may be unacknowledged at most; 0: no limit */
	struct congestion_sample control;
};

/** transport_sample() - of the flow in @slot at @now; nothing changes. O(messages in flight). */
struct transport_sample transport_sample(const struct transport *transport, uint32_t slot,
					 node_time_t now);

/** transport_waiting() - messages of the flow in @slot that are not complete. O(messages), for
 *  `show`. */
uint32_t transport_waiting(const struct transport *transport, uint32_t slot);

#endif
