/*  nic_hold - what becomes of flows that are held by FGFC (nic.h). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_HOLD_H
#define HEDDLE_NICD_DATAPATH_NIC_HOLD_H

#include "nicd/datapath/nic.h"

/** nic_hold_init() - nothing is held. @entries_max of the gate, or in a fabric of kind port-group
 *  places where nic_rate.c lets wait.
 *  Return: 0 or -ENOMEM. */
int nic_hold_init(struct nic *nic, uint32_t entries_max);
void nic_hold_fini(struct nic *nic);

/** nic_hold_frame() - an FGFC frame has arrived. @bytes captured, in shared memory. O(flows that it
 *  names). */
void nic_hold_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes);

/** nic_hold_step() - a pause is over, at fgfc_gate_next_at(). O(flows that were held by it). */
void nic_hold_step(struct nic *nic);

/** nic_hold_heads() - takes out of the way what is held and has its turn: flows of the send queue,
 *  frames of the host. O(those). */
void nic_hold_heads(struct nic *nic);

/** nic_hold_set_aside() - the head of the host's @queue waits at @entry with what is left of it, or
 *  is dropped and counted. */
void nic_hold_set_aside(struct nic *nic, uint32_t queue, uint32_t entry);

/** nic_hold_sent() - flow @slot of the send queue has sent a packet of @frame_bytes. */
void nic_hold_sent(struct nic *nic, uint32_t slot, uint32_t frame_bytes);

/** nic_hold_host_sent() - the same for the frame of the host that waited for @entry:
 *  host_hold_next() was called. */
void nic_hold_host_sent(struct nic *nic, uint32_t entry, uint32_t frame_bytes);

#endif
