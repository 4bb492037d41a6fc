/*  nic_rate - fabric kind port-group: flows to destinations that have sent BECN (nic.h). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_RATE_H
#define HEDDLE_NICD_DATAPATH_NIC_RATE_H

#include "nicd/datapath/nic.h"

/** nic_rate_init() - no destination is slowed down. @flows_max flows that are sent. Return: 0 or
 *  -ENOMEM. */
int nic_rate_init(struct nic *nic, uint32_t flows_max);
void nic_rate_fini(struct nic *nic);

/** nic_rate_open() - the flow in @slot was opened in the send queue. */
void nic_rate_open(struct nic *nic, uint32_t slot);

/** nic_rate_find() - the agent for @dlid, or RATE_NONE. O(1). */
uint32_t nic_rate_find(const struct nic *nic, uint32_t dlid);

/** nic_rate_heads() - takes out of the way what has its turn too early. O(those). */
void nic_rate_heads(struct nic *nic);

/** nic_rate_becn() - host @lid has sent BECN. O(flows to it). */
void nic_rate_becn(struct nic *nic, uint32_t lid);

/** nic_rate_sent() - a packet of @wire_bytes to @dlid has been sent. O(log agents). */
void nic_rate_sent(struct nic *nic, uint32_t dlid, uint32_t wire_bytes);

/** nic_rate_lid_of() - to whom frames of the host go that wait at @place of the host_hold. */
uint32_t nic_rate_lid_of(const struct nic *nic, uint32_t place);

/** nic_rate_step() - an agent's time has come, at rate_agents_next_at(). O(flows to its
 *  destination). */
void nic_rate_step(struct nic *nic);

#endif
