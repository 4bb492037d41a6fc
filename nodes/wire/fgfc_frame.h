/*  fgfc_frame - what an edge switch says to a host's NIC about one of its flows (FGFC, EC-16) [S3].
 *
 *  An Ethernet frame to 01:80:c2:00:00:0e, which no bridge passes on, with an OUI Extended
 *  EtherType [IEEE 802, 9.2.4]: OUI 00:0e:ab, protocol id 0, then a type byte: 0 HPC, 1 layer 2, 2
 *  IPv4, 3 IPv6. What follows is ours, big endian:
 *
 *      20      version, 0             21      reserved
 *      22..23  fields that name the flow (enum match_field)
 *      24..27  pause, ns              28..31  credit, data units
 *      32      traffic class          33      IP protocol
 *      34..35  VLAN                   36..41  source MAC, 42..47 destination MAC
 *      48..63  source IP address, HPC endpoint; 64..79 those of the destination
 *      80..81  source port            82..83  destination port
 *      84..87  flow label             88..91  queue pair, HPC process
 *
 *  Version 1 is for a name with a mask (FC-2), 60 bytes longer: after it, in the same order, the
 *  bits of the fields that count:
 *
 *      92        reserved             93        IP protocol
 *      94..95    VLAN                 96..101   source MAC, 102..107 destination MAC
 *      108..123  source address       124..139  destination address
 *      140..141  source port          142..143  destination port
 *      144..147  flow label           148..151  queue pair, HPC process
 *
 *  Every field has a fixed place, and one that is not in the set is 0. So each flow has one name,
 *  and a reader needs no loop. During the pause the flow may send its credit only; pause 0 ends it.
 *  Reasons: docs/wire-format.md. */
#ifndef HEDDLE_NODES_WIRE_FGFC_FRAME_H
#define HEDDLE_NODES_WIRE_FGFC_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/wire/flow_name.h"

#define FGFC_FRAME_BYTES 92u                               /* without FCS */
#define FGFC_MASKED_BYTES 152u                             /* the same of one with a mask */
#define FGFC_PAUSE_PS_MAX ((uint64_t)UINT32_MAX * NODE_NS) /* 4.3 s */

struct fgfc_frame {
	/* as flow_name_mask() fills it: 0 only if the fields of the name count as a whole */
	struct flow_name name, mask;
	/* whole nanoseconds, to FGFC_PAUSE_PS_MAX; 0: the flow is held no longer */
	node_time_t pause_ps;
	uint32_t credit_units; /* more that it may send before the pause ends; 0 if that is 0 */
};

/** fgfc_frame_write() - writes FGFC_FRAME_BYTES to @bytes, with a mask FGFC_MASKED_BYTES. Return:
 *  which of the two. A pause of less than a nanosecond more than a whole one is rounded up, one
 *  above FGFC_PAUSE_PS_MAX cut down to it.
 *  @source_mac of the port that says it. */
uint32_t fgfc_frame_write(const struct fgfc_frame *frame, const uint8_t source_mac[6],
			  uint8_t *bytes);

/** fgfc_frame_is() - is it an FGFC frame, by its address, EtherType, OUI and protocol id? Then it
 *  ends at this link. O(1). */
bool fgfc_frame_is(const uint8_t *bytes, uint32_t captured_bytes);

/** fgfc_frame_read() - parses one.
 *  Return: 0, or -EINVAL: another frame, another length or version, a name or a mask that is none,
 *  credit without pause. */
int fgfc_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct fgfc_frame *frame);

#endif
