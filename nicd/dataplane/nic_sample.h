/*  nic_sample - samples of a NIC: its port, its flows (nic.h, SE-1). */
#ifndef HEDDLE_NICD_DATAPLANE_NIC_SAMPLE_H
#define HEDDLE_NICD_DATAPLANE_NIC_SAMPLE_H

#include "nicd/dataplane/nic.h"

/** nic_sample() - one sample, at sample_at_ps; it changes nothing else. O(flows). */
void nic_sample(struct nic *nic);

/** nic_sample_rate_bps() - the rate that the flow in @slot, without a transport, may have; 0: it
 *  may send its credit only. O(1). */
uint64_t nic_sample_rate_bps(const struct nic *nic, uint32_t slot);

#endif
