/*  nic - what the parts of the NIC's dataplane share: its state, and what they do for each other. What it is all for: datapath.h.
 *
 *      datapath.c        set-up, arrivals, starts of messages, the order of events, link changes
 *      nic_transmit.c    which frame is sent next, and when
 *      nic_hold.c        what becomes of flows that are held (FGFC)
 *      datapath_show.c   tables and parameters                                                                       */
#ifndef HEDDLE_NICD_NIC_H
#define HEDDLE_NICD_NIC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nicd/fgfc_gate.h"
#include "nicd/host_hold.h"
#include "nicd/host_if.h"
#include "nicd/host_send.h"
#include "nicd/receive.h"
#include "nicd/send_queue.h"
#include "nicd/workload.h"
#include "nodes/config.h"
#include "nodes/link.h"
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
	uint32_t *flow_slots;             /* by workload and place of the destination; SEND_NONE: no flow yet */
	uint32_t *flow_base;              /* where a workload's begin */
	node_time_t now_ps;               /* of the event under way or of the last one */
	node_time_t transmit_at_ps;       /* next chance to send */
	uint32_t sendable;                /* classes whose next packet may go */
	uint32_t shaped;                  /* classes that were ready when none of them was below its maximum ... */
	node_time_t shaped_until_ps;      /* ... and when one will be */
	bool paused;
	node_time_t paused_since_ps; /* what came before is in paused_ps */
};

/* ---- nic_transmit.c ---- */

/** nic_transmit_plan() - after every event: who may send, and when the next chance is (transmit_at_ps). O(classes + queues). */
void nic_transmit_plan(struct nic *nic);

/** nic_transmit() - one frame, or the control words that are due.  At transmit_at_ps; nic_transmit_plan() after it. */
void nic_transmit(struct nic *nic);

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
