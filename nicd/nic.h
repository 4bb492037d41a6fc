/*  nic - what the parts of the NIC's dataplane share: its state, and what they do for each other. What it is all for: datapath.h.
 *
 *      datapath.c        set-up, arrivals, starts of messages, the order of events, link changes
 *      nic_transmit.c    which frame is sent next, and when
 *      nic_transport.c   flows with a transport: their data, what is answered and what answers mean
 *      nic_tcp.c         those of TCP
 *      nic_pfc.c         who is held by PFC and PAUSE, here and there
 *      nic_sample.c      samples
 *      nic_hold.c        what becomes of flows that are held (FGFC)
 *      datapath_show.c   tables and parameters                                                                       */
#ifndef HEDDLE_NICD_NIC_H
#define HEDDLE_NICD_NIC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nicd/dcqcn_control.h"
#include "nicd/fgfc_gate.h"
#include "nicd/host_hold.h"
#include "nicd/host_if.h"
#include "nicd/host_send.h"
#include "nicd/receive.h"
#include "nicd/reply_queue.h"
#include "nicd/send_queue.h"
#include "nicd/tcp_receiver.h"
#include "nicd/tcp_sender.h"
#include "nicd/transport.h"
#include "nicd/workload.h"
#include "nodes/config.h"
#include "nodes/link.h"
#include "nodes/pfc.h"
#include "nodes/stats.h"
#include "nodes/traffic_class.h"

/* flows of the send queue that are named by an entry of the gate and may not send: parked, in this order */
struct nic_parked {
	uint32_t first, last; /* SEND_NONE: none */
};

struct nic {
	const struct node_config *config;
	struct link *link;
	struct stats_page *stats;
	struct workload_set workloads;
	struct send_queue queue;
	struct class_scheduler classes;
	struct receive receive;
	/* fabric kind roce */
	bool roce;
	struct transport transport;
	struct reply_queue replies;
	struct dcqcn_control dcqcn;
	struct tcp_sender tcp_sender;
	struct tcp_receiver tcp_receiver; /* by slot of the received flow */
	struct pfc_gate pfc_gate;         /* what the switch lets go */
	struct pfc_teller pfc_teller;
	uint32_t held, held_waiting; /* sets of classes: held by the gate, and with something to send */
	uint32_t held_stuck;         /* of held_waiting, those that the watchdog has found already */
	node_time_t held_until_ps;   /* when the first of held_waiting goes on by itself */
	node_time_t held_noted_ps;   /* time of held classes is counted up to here */
	node_time_t sample_at_ps;
	struct host_if host;
	struct host_send host_send;
	struct host_hold host_hold;
	uint32_t pausing;        /* set of classes that the switch was told to stop: pause.h */
	node_time_t pause_at_ps; /* when that changes */
	struct fgfc_gate gate;
	struct nic_parked *parked;        /* by entry of the gate */
	node_time_t host_at_ps;           /* when a head of the host may be considered that may not yet */
	uint32_t host_ready;              /* set of the host's queues whose heads may be considered */
	uint32_t turns[NODE_CLASSES_MAX]; /* the source whose turn it is */
	uint32_t *flow_slots;        /* by workload, place of the destination and connection; SEND_NONE: no flow yet */
	uint32_t *flow_base;         /* where a workload's begin */
	node_time_t now_ps;          /* of the event under way or of the last one */
	node_time_t transmit_at_ps;  /* next chance to send */
	uint32_t sendable;           /* classes whose next packet may go */
	uint32_t shaped;             /* classes that were ready when none of them was below its maximum ... */
	node_time_t shaped_until_ps; /* ... and when one will be */
	bool paused;
	node_time_t paused_since_ps;    /* what came before is in paused_ps */
	uint8_t arriving[NODE_MTU_MAX]; /* copy of the frame that has arrived */
};

/* ---- nic_transmit.c ---- */

/** nic_transmit_plan() - after every event: who may send, and when the next chance is (transmit_at_ps). O(classes + queues). */
void nic_transmit_plan(struct nic *nic);

/** nic_transmit() - one frame, or the control words that are due.  At transmit_at_ps; nic_transmit_plan() after it. */
void nic_transmit(struct nic *nic);

/** nic_transmit_count() - a frame is injected. */
void nic_transmit_count(struct nic *nic, uint32_t frame_bytes);

/* ---- nic_transport.c ---- */

/* a frame that has arrived: a private copy of its headers at least */
struct nic_frame {
	const uint8_t *bytes;
	uint32_t captured_bytes, frame_bytes;
	uint32_t traffic_class;
};

/** nic_transport_init() - no flows with a transport.  @flows_max, @messages_max  as of transport_init().  Return: 0 or -ENOMEM. */
int nic_transport_init(struct nic *nic, uint32_t flows_max, uint32_t messages_max);
void nic_transport_fini(struct nic *nic);

/** nic_transport_open() - the flow in @slot, just opened in the send queue, has a transport and sends there. */
void nic_transport_open(struct nic *nic, uint32_t slot, enum transport_kind kind, uint32_t connection);

/** nic_transport_arrive() - a frame has arrived.  Return: false if it is none of a transport. */
bool nic_transport_arrive(struct nic *nic, const struct nic_frame *frame);

/** nic_transport_ready() - the set of classes in which a transport has something to send now, data or an answer. */
uint32_t nic_transport_ready(struct nic *nic);

/** nic_transport_send(), nic_transport_reply() - the next data frame, or answer, of @traffic_class, which has one. */
void nic_transport_send(struct nic *nic, uint32_t traffic_class);
void nic_transport_reply(struct nic *nic, uint32_t traffic_class);

/* ---- nic_tcp.c ---- */

/** nic_tcp_init() - no connections, behind transport_init().  @flows_max  that may be sent.  Return: 0 or -ENOMEM. */
int nic_tcp_init(struct nic *nic, uint32_t flows_max);
void nic_tcp_fini(struct nic *nic);

/** nic_tcp_arrive() - a frame has arrived.  Return: false if it is none of a connection of generated traffic. */
bool nic_tcp_arrive(struct nic *nic, const struct nic_frame *frame);

/** nic_tcp_answer() - the ACK that is due to the sender of the received flow in @slot, to @bytes (FRAME_BYTES_MIN).
 *  Return: its length. */
uint32_t nic_tcp_answer(struct nic *nic, uint32_t slot, uint8_t *bytes);

/* ---- nic_pfc.c ---- */

/** nic_pfc_init() - nothing is held, for the link that is plugged in. */
void nic_pfc_init(struct nic *nic);

/** nic_pfc_frame() - a PFC or PAUSE frame has arrived.  @bytes  captured, in shared memory. */
void nic_pfc_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes);

/** nic_pfc_plan() - @waiting is the set of classes with something to send: counts how long they are held, and says when that ends. */
void nic_pfc_plan(struct nic *nic, uint32_t waiting);

/** nic_pfc_stop() - the switch is to send no more of @traffic_class (@stop), or to go on. */
void nic_pfc_stop(struct nic *nic, uint32_t traffic_class, bool stop);

/** nic_pfc_send() - the frame that is due for the switch, at pfc_teller_due_at(). */
void nic_pfc_send(struct nic *nic);

/* ---- nic_sample.c ---- */

/** nic_sample() - one sample, at sample_at_ps. O(flows). */
void nic_sample(struct nic *nic);

/* ---- nic_hold.c ---- */

/** nic_hold_init() - nothing is held.  Return: 0 or -ENOMEM. */
int nic_hold_init(struct nic *nic, uint32_t entries_max);
void nic_hold_fini(struct nic *nic);

/** nic_hold_frame() - an FGFC frame has arrived.  @bytes  captured, in shared memory.  O(flows that it names). */
void nic_hold_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes);

/** nic_hold_step() - a pause is over, at fgfc_gate_next_at(). O(flows that were held by it). */
void nic_hold_step(struct nic *nic);

/** nic_hold_heads() - takes out of the way what is held and has its turn: flows of the send queue, frames of the host. O(those). */
void nic_hold_heads(struct nic *nic);

/** nic_hold_sent() - flow @slot of the send queue has sent a packet of @frame_bytes. */
void nic_hold_sent(struct nic *nic, uint32_t slot, uint32_t frame_bytes);

/** nic_hold_host_sent() - the same for the frame of the host that waited for @entry: host_hold_next() was called. */
void nic_hold_host_sent(struct nic *nic, uint32_t entry, uint32_t frame_bytes);

/* ---- datapath_show.c: node_ops of the same names ---- */

int nic_show(void *dataplane, const char *table, int port, FILE *out);
int nic_set(void *dataplane, const char *name, const char *value, FILE *out);

#endif
