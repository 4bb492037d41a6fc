/*  nic_pfc - classes that PFC and PAUSE stop, here and at the switch (nic.h). */
#ifndef HEDDLE_NICD_DATAPLANE_NIC_PFC_H
#define HEDDLE_NICD_DATAPLANE_NIC_PFC_H

#include "nicd/dataplane/nic.h"

/** nic_pfc_init() - no class is paused, here or at the switch: at the start, for a link that is
 *  down, and for a new one. Pauses that last end now, and are counted. */
void nic_pfc_init(struct nic *nic);

/** nic_pfc_frame() - a PFC or PAUSE frame has arrived.  @bytes  captured, in shared memory. */
void nic_pfc_frame(struct nic *nic, const uint8_t *bytes, uint32_t captured_bytes);

/** nic_pfc_plan() - (roce) updates nic->pfc for the present time: classes that are paused, and
 *  until_ps. Counts the time for which classes of @waiting, which have something to send, were. */
void nic_pfc_plan(struct nic *nic, uint32_t waiting);

/** nic_pfc_stop() - the switch must stop @traffic_class (@stop), or may resume it. */
void nic_pfc_stop(struct nic *nic, uint32_t traffic_class, bool stop);

/** nic_pfc_send() - sends the PFC or PAUSE frame that is due at pfc_teller_due_at(). */
void nic_pfc_send(struct nic *nic);

#endif
