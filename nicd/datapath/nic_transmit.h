/*  nic_transmit - which frame is sent next, and when (nic.h). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_TRANSMIT_H
#define HEDDLE_NICD_DATAPATH_NIC_TRANSMIT_H

#include "nicd/datapath/nic.h"

/** nic_transmit_plan() - after every event: who may send, and when the next chance is
 *  (transmit_at_ps). O(classes + queues). */
void nic_transmit_plan(struct nic *nic);

/** nic_transmit() - one frame, or the control words that are due. At transmit_at_ps;
 *  nic_transmit_plan() after it. */
void nic_transmit(struct nic *nic);

/** nic_transmit_count() - a frame is injected. */
static inline void nic_transmit_count(struct nic *nic, uint32_t frame_bytes)
{
	nic->stats->injected_packets++;
	nic->stats->injected_bytes += frame_bytes;
	nic->stats->data_hops++;
}

#endif
