/*  nic_pfc - what PFC and PAUSE hold, here and at the switch (nic.h). */
#ifndef HEDDLE_NICD_DATAPATH_NIC_PFC_H
#define HEDDLE_NICD_DATAPATH_NIC_PFC_H

#include "nicd/datapath/nic.h"

/** nic_pfc_init() - nothing is held, for the link that is plugged in. */
void nic_pfc_init(struct nic *nic);

/** nic_pfc_frame() - a PFC or PAUSE frame has arrived.  @bytes  captured, in shared memory. */
void nic_pfc_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes);

/** nic_pfc_plan() - (roce) @waiting is the set of classes with something to send: counts how long they are
 *  held, and says when that ends. */
void nic_pfc_plan(struct nic *nic, uint32_t waiting);

/** nic_pfc_stop() - the switch is to send no more of @traffic_class (@stop), or to go on. */
void nic_pfc_stop(struct nic *nic, uint32_t traffic_class, bool stop);

/** nic_pfc_send() - the frame that is due for the switch, at pfc_teller_due_at(). */
void nic_pfc_send(struct nic *nic);

#endif
