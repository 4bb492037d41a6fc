/*  nic_lid - fabric kind port-group: local route headers, FECN and BECN (nic.h). */
#ifndef HEDDLE_NICD_DATAPLANE_NIC_LID_H
#define HEDDLE_NICD_DATAPLANE_NIC_LID_H

#include "nicd/dataplane/nic_transmit.h"

/** nic_lid_init() - no source gets a BECN.  Return: 0 or -ENOMEM. */
int nic_lid_init(struct nic *nic);
void nic_lid_fini(struct nic *nic);

/** nic_lid_plug_in() - prepares headers for the link that is plugged in now. */
void nic_lid_plug_in(struct nic *nic);

/** nic_lane() - the virtual lane at level 0 of @traffic_class. */
static inline uint32_t nic_lane(const struct nic *nic, uint32_t traffic_class)
{
	return traffic_class * nic->lid.lanes;
}

/** nic_lid_of_mac() - the DLID of frames to @mac. O(1). */
uint32_t nic_lid_of_mac(const struct nic *nic, const uint8_t mac[6]);

/** nic_lid_write() - writes what precedes @packet, LID_FRONT_BYTES, to @bytes. */
void nic_lid_write(const struct nic *nic, uint32_t traffic_class, const struct nic_packet *packet,
		   uint8_t *bytes);

/** nic_lid_send_becn() - sends the next BECN of @traffic_class, which must be in nic->lid.ready. */
void nic_lid_send_becn(struct nic *nic, uint32_t traffic_class);

/** nic_lid_arrive() - a packet has arrived. Removes its header: @record and @shared are then those
 *  of the inner frame, with its class.
 *  Return: false if there is no frame to deliver: a BECN, or dropped and counted. */
bool nic_lid_arrive(struct nic *nic, struct record *record, const uint8_t **shared,
		    uint32_t frame_bytes);

#endif
