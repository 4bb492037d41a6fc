/*  flow_name - what tells a flow to its source: the fields of its frames that an edge port compares, with their values.
 *
 *  An edge port tells flows apart by its match fields (efct.h); when it speaks to the host of one of them (FGFC, EC-16), it
 *  names it by these fields. The whole name of a frame has all of them; under a set of fields the others are 0. So two
 *  frames are of one flow for a port with match fields M if their whole names are equal under M. The kind of frame and
 *  the traffic class always belong to a name.                                                                       */
#ifndef HEDDLE_NODES_WIRE_FLOW_NAME_H
#define HEDDLE_NODES_WIRE_FLOW_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nodes/config.h"
#include "nodes/wire/frame.h"

/* as the type byte of an FGFC frame has them */
enum flow_kind { FLOW_HPC, FLOW_LAYER_2, FLOW_IPV4, FLOW_IPV6, FLOW_KINDS };

struct flow_name {
	uint8_t source_mac[6], destination_mac[6];
	uint8_t source_ip[16], destination_ip[16]; /* IPv4, HPC endpoints (big endian): in the first four bytes */
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

/** flow_name_of() - the whole name of a frame with @fields in @traffic_class; flow_name_under() for less. Pure. */
struct flow_name flow_name_of(const struct frame_fields *fields, uint32_t traffic_class);

/** flow_name_under() - @name as it is under those of its fields that are in the set @match. Pure. */
struct flow_name flow_name_under(const struct flow_name *name, uint32_t match);

/** flow_name_valid() - is @name one that flow_name_of() and flow_name_under() can give? For names that come from a wire. */
bool flow_name_valid(const struct flow_name *name);

/** flow_name_print() - @name as text for people, without a line's end: "ipv4 class 0 10.0.0.1 > 10.0.0.2 protocol 6 ports 1 > 2". */
void flow_name_print(const struct flow_name *name, FILE *out);

static inline bool flow_name_equal(const struct flow_name *a, const struct flow_name *b)
{
	return !memcmp(a, b, sizeof(*a));
}

#endif
