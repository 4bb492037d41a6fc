/*  nic_gate - between the gate and the send queues: takes flows that may not send out of their
 *  rings, and returns them when they may (nic.h). */
#ifndef HEDDLE_NICD_DATAPLANE_NIC_GATE_H
#define HEDDLE_NICD_DATAPLANE_NIC_GATE_H

#include "nicd/dataplane/nic.h"

/** nic_gate_init() - no flow is limited; after send_queue_init() and host_if_init(). Return: 0 or
 *  -ENOMEM; nic_gate_fini() is due in any case. */
int nic_gate_init(struct nic *nic);
void nic_gate_fini(struct nic *nic);

/** nic_gate_open_flow() - the flow in @slot was opened in the send queue. */
void nic_gate_open_flow(struct nic *nic, uint32_t slot);

/* ---- after every event ---- */

/* nic_gate_heads() if a key limits a flow */
void nic_gate_stop_heads(struct nic *nic);

/** nic_gate_heads() - takes flows that have the turn, and heads of the host, out of their rings and
 *  queues while they may not send. Afterwards every ring begins with a flow that may send. O(1),
 *  and O(log keys) for each one taken out. */
static inline void nic_gate_heads(struct nic *nic)
{
	if (nic->roce)
		transport_settle(&nic->transport, nic->now_ps);
	if (gate_used(&nic->gate))
		nic_gate_stop_heads(nic);
}

/* ---- sending ---- */

/** nic_gate_of_flow(), nic_gate_of_head() - the key that limits flow @slot of the send queue, or
 *  the head of the host's @queue; GATE_KEY_NONE: it is not limited. */
static inline uint32_t nic_gate_of_flow(const struct nic *nic, uint32_t slot)
{
	struct gate_flow flow;

	if (!gate_used(&nic->gate))
		return GATE_KEY_NONE;
	flow.name = &nic->queue.names[slot];
	flow.look = &nic->looks[slot];
	flow.lid = nic->by_lid ? lid_of_host(nic->queue.specs[slot].destination) : 0;
	return gate_find(&nic->gate, &flow);
}

uint32_t nic_gate_of_head(struct nic *nic, uint32_t queue);

/* nic_gate_sent() of a key */
void nic_gate_count_sent(struct nic *nic, uint32_t key, uint32_t frame_bytes);

/** nic_gate_sent() - a packet of @frame_bytes of a flow of @key has been sent. O(log keys). */
static inline void nic_gate_sent(struct nic *nic, uint32_t key, uint32_t frame_bytes)
{
	if (key != GATE_KEY_NONE)
		nic_gate_count_sent(nic, key, frame_bytes);
}

/* ---- frames and times that change the state of gates ---- */

/** nic_gate_on_fgfc() - an FGFC frame has arrived. @bytes captured, in shared memory. O(flows that
 *  it names). */
void nic_gate_on_fgfc(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes);

/** nic_gate_on_becn() - a BECN of host @lid has arrived: limits the rate to it. O(flows to it). */
void nic_gate_on_becn(struct nic *nic, uint32_t lid);

/** nic_gate_step() - at gate_next_at(): a key opens or ends. O(flows of it). */
void nic_gate_step(struct nic *nic);

#endif
