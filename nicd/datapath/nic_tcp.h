/*  nic_tcp - flows of TCP (nic.h). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_TCP_H
#define HEDDLE_NICD_DATAPATH_NIC_TCP_H

#include "nicd/datapath/nic.h"

/** nic_tcp_init() - no connections, behind transport_init(). @flows_max that may be sent. Return: 0
 *  or -ENOMEM. */
int nic_tcp_init(struct nic *nic, uint32_t flows_max);
void nic_tcp_fini(struct nic *nic);

/** nic_tcp_arrive() - a frame has arrived. Return: false if it is none of a connection of generated
 *  traffic. */
bool nic_tcp_arrive(struct nic *nic, const struct nic_frame *frame);

/** nic_tcp_answer() - the ACK that is due to the sender of the received flow in @slot, to @bytes
 *  (FRAME_BYTES_MIN).
 *  Return: its length. */
uint32_t nic_tcp_answer(struct nic *nic, uint32_t slot, uint8_t *bytes);

#endif
