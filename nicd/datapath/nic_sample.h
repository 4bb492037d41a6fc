/*  nic_sample - samples of a NIC: its port, its flows (nic.h, SE-1). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_SAMPLE_H
#define HEDDLE_NICD_DATAPATH_NIC_SAMPLE_H

#include "nicd/datapath/nic.h"

/** nic_sample() - one sample, at sample_at_ps; it changes nothing else. O(flows). */
void nic_sample(struct nic *nic);

#endif
