/*  nic_sample - samples (nic.h). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_SAMPLE_H
#define HEDDLE_NICD_DATAPATH_NIC_SAMPLE_H

#include "nicd/datapath/nic.h"

/** nic_sample() - one sample, at sample_at_ps. O(flows). */
void nic_sample(struct nic *nic);

#endif
