/*  nic_transport - flows with a transport: data, answers, and arriving answers (nic.h). */
#ifndef HEDDLE_NICD_DATAPLANE_NIC_TRANSPORT_H
#define HEDDLE_NICD_DATAPLANE_NIC_TRANSPORT_H

#include "nicd/dataplane/nic.h"

/** nic_transport_init() - no flows with a transport. @flows_max, @messages_max as of
 *  transport_init(). Return: 0 or -ENOMEM. */
int nic_transport_init(struct nic *nic, uint32_t flows_max, uint32_t messages_max);
void nic_transport_fini(struct nic *nic);

/** nic_transport_arrive() - a frame has arrived.  Return: false if it belongs to no transport. */
bool nic_transport_arrive(struct nic *nic, const struct nic_frame *frame);

/** nic_transport_send(), nic_transport_reply() - the next data frame, or answer, of @traffic_class,
 *  which has one. */
void nic_transport_send(struct nic *nic, uint32_t traffic_class);
void nic_transport_reply(struct nic *nic, uint32_t traffic_class);

#endif
