/*  nic_transmit - the frame that is sent next, and when (nic.h). */
#ifndef HEDDLE_NICD_DATAPLANE_NIC_TRANSMIT_H
#define HEDDLE_NICD_DATAPLANE_NIC_TRANSMIT_H

#include "nicd/dataplane/nic.h"

/** nic_transmit_plan() - after every event: computes nic->tx, which classes may send, and when
 *  nic_transmit() is due (tx.at_ps). O(classes + queues of the host). */
void nic_transmit_plan(struct nic *nic);

/** nic_transmit() - at tx.at_ps, when the link is free: sends one frame, or the control words that
 *  are due. Call nic_transmit_plan() afterwards. */
void nic_transmit(struct nic *nic);

/* a packet that a source sends */
struct nic_packet {
	uint32_t dlid;                        /* port-group: the host or group that it goes to */
	uint32_t frame_bytes, captured_bytes; /* the inner frame */
	uint32_t tag;                         /* as of link_send_packet() */
	bool becn;                            /* port-group */
};

/** nic_start() - the one place that hands packets to the link: with the header of the fabric kind,
 *  counted, and charged to @traffic_class. Return: where the inner frame is to be written; NULL:
 *  the link has lost it. */
uint8_t *nic_start(struct nic *nic, uint32_t traffic_class, const struct nic_packet *packet);

/** nic_message_sent() - a message of the flow in @slot is completely sent at @at, or with a
 *  transport acknowledged: its workload may start another one. O(log workloads). */
void nic_message_sent(struct nic *nic, uint32_t slot, node_time_t at);

#endif
