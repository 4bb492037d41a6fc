/*  nic_transmit - the frame that is sent next, and when (nic.h). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_TRANSMIT_H
#define HEDDLE_NICD_DATAPATH_NIC_TRANSMIT_H

#include "nicd/datapath/nic.h"

/** nic_transmit_plan() - after every event: the classes that may send, and when nic_transmit() has
 *  something to do (transmit_at_ps). O(classes + queues). */
void nic_transmit_plan(struct nic *nic);

/** nic_transmit() - sends one frame, or the control words that are due, at transmit_at_ps. Then
 *  nic_transmit_plan() is due. */
void nic_transmit(struct nic *nic);

/** nic_transmit_count() - a frame is injected. */
static inline void nic_transmit_count(struct nic *nic, uint32_t frame_bytes)
{
	nic->stats->injected_packets++;
	nic->stats->injected_bytes += frame_bytes;
	nic->stats->data_hops++;
}

#endif
