/*  flow_name - what tells a flow to its source: the fields of its frames that an edge port
 *  compares, with their values.
 *
 *  An edge port tells flows apart by its match fields (efct.h); when it speaks to the host of one
 *  of them (FGFC, EC-16), it names it by these fields. The whole name of a frame has all of them;
 *  under a set of fields the others are 0. So two frames are of one flow for a port with match
 *  fields M if their whole names are equal under M. The kind of frame and the traffic class always
 *  belong to a name.
 *  Of a port whose match set has a mask (nodes/config/flow_match.h) bits of the fields count: a
 *  name has a mask beside it, of the same shape, and both are 0 where they do not count. A mask of
 *  0 only stands for whole fields. */
#ifndef HEDDLE_NODES_WIRE_FLOW_NAME_H
#define HEDDLE_NODES_WIRE_FLOW_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nodes/config/config.h"
#include "nodes/wire/frame.h"

/* as the type byte of an FGFC frame has them */
enum flow_kind { FLOW_HPC, FLOW_LAYER_2, FLOW_IPV4, FLOW_IPV6, FLOW_KINDS };

struct flow_name {
	uint8_t source_mac[6], destination_mac[6];
	/* IPv4, HPC endpoints (big endian): in the first four bytes */
	uint8_t source_ip[16], destination_ip[16];
	uint16_t source_port, destination_port;
	uint32_t flow_label;
	uint32_t queue_pair; /* RoCEv2 queue pair, HPC process */
	uint16_t vlan;
	uint16_t fields; /* set of enum match_field: what is not in it is 0 */
	uint8_t traffic_class, ip_protocol;
	uint8_t kind;  /* enum flow_kind */
	uint8_t spare; /* 0 */
};

_Static_assert(sizeof(struct flow_name) == 64, "a name is one cache line, without padding");

/** flow_name_of() - the whole name of a frame with @fields in @traffic_class; flow_name_under() for
 *  less. Pure. */
struct flow_name flow_name_of(const struct frame_fields *fields, uint32_t traffic_class);

/** flow_name_under() - @name as it is under those of its fields that are in the set @match.
 *  Pure. */
struct flow_name flow_name_under(const struct flow_name *name, uint32_t match);

/** flow_name_mask() - which bits of a name of @kind count under @match.
 *  @mask filled: 0 only if that is every bit of the fields returned; else its fields, class, kind
 *  and spare are 0.
 *  Return: set of enum match_field of which bits count for this kind, without a mask in @match all
 *  of its fields. Pure. */
uint32_t flow_name_mask(const struct flow_match *match, enum flow_kind kind,
			struct flow_name *mask);

/** flow_name_masked() - @name as it is under the set @fields and @mask, which flow_name_mask()
 *  gave. Pure. */
struct flow_name flow_name_masked(const struct flow_name *name, uint32_t fields,
				  const struct flow_name *mask);

/** flow_name_is_masked() - does @mask, as flow_name_mask() fills it, leave any bit out? Pure. */
bool flow_name_is_masked(const struct flow_name *mask);

/** flow_name_masked_valid() - can flow_name_masked() give @name under @mask, and flow_name_mask()
 *  the mask? For what comes from a wire. */
bool flow_name_masked_valid(const struct flow_name *name, const struct flow_name *mask);

/** flow_name_valid() - is @name one that flow_name_of() and flow_name_under() can give? For names
 *  that come from a wire. */
bool flow_name_valid(const struct flow_name *name);

/** flow_name_print() - @name as text for people, without a line's end: "ipv4 class 0 10.0.0.1 >
 *  10.0.0.2 protocol 6 ports 1 > 2". */
void flow_name_print(const struct flow_name *name, FILE *out);

/** flow_name_mask_print() - after it, if there is one, the mask: " mask 0.0.0.0 > 255.255.255.0
 *  ports 0xff00 > 0x0". */
void flow_name_mask_print(const struct flow_name *name, const struct flow_name *mask, FILE *out);

static inline bool flow_name_equal(const struct flow_name *a, const struct flow_name *b)
{
	return !memcmp(a, b, sizeof(*a));
}

#endif
