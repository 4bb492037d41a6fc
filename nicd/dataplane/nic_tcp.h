/*  nic_tcp - flows of TCP (nic.h). */
#ifndef HEDDLE_NICD_DATAPLANE_NIC_TCP_H
#define HEDDLE_NICD_DATAPLANE_NIC_TCP_H

#include "nicd/dataplane/nic.h"

/** nic_tcp_init() - after transport_init(): no connections. @flows_max connections that may send.
 *  Return: 0 or -ENOMEM. */
int nic_tcp_init(struct nic *nic, uint32_t flows_max);
void nic_tcp_fini(struct nic *nic);

/** nic_tcp_arrive() - a frame has arrived. Return: false if it belongs to no connection of
 *  generated traffic. */
bool nic_tcp_arrive(struct nic *nic, const struct nic_frame *frame);

/** nic_tcp_answer() - writes the ACK that is due to the sender of the received flow in @slot to
 *  @bytes (FRAME_BYTES_MIN).   Return: its length. */
uint32_t nic_tcp_answer(struct nic *nic, uint32_t slot, uint8_t *bytes);

#endif
