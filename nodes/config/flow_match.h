/*  flow_match - what an edge port tells flows apart by: fields of a frame under a mask, like a TCAM
 *  line (FC-2).
 *
 *  A match set names groups of fields (enum match_field) and, where they do not count as a whole,
 *  which of their bits do. For the mask the groups are divided into parts, one to a field of a
 *  header. Two packets whose frames are equal in all these bits are of one flow, if their
 *  destination and traffic class are the same: these always count.
 *
 *  Every match set has one form: one without a mask has a mask of 0 only, a mask has bits only in
 *  parts of `fields` and at least one in each of these groups, and is never the whole of them. So
 *  equal sets are equal bytes.
 *
 *  As text, a list of words:   source-mac, destination-ip/24, source-port&0xff00
 *      FIELD                   as a whole
 *      FIELD/BITS              its first so many bits
 *      FIELD/MASK, FIELD&MASK  under a mask, which may have holes: 0xff00, 255.255.0.0, ffff::,
 *                              ff:ff:ff:00:00:00
 *  as in Open vSwitch and tc-flower, where a prefix or mask follows a slash; & is ours, as in C. */
#ifndef HEDDLE_NODES_CONFIG_FLOW_MATCH_H
#define HEDDLE_NODES_CONFIG_FLOW_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/why.h"

/* what distinguishes flows at an edge port, as a set of groups of fields (FC-2); destination and
 * class always belong to it */
enum match_field {
	MATCH_SOURCE_MAC = 1 << 0,
	MATCH_DESTINATION_MAC = 1 << 1,
	MATCH_VLAN = 1 << 2,
	MATCH_IP_PAIR = 1 << 3,
	MATCH_PORTS = 1 << 4, /* protocol number, TCP/UDP ports: with MATCH_IP_PAIR the 5-tuple */
	MATCH_FLOW_LABEL = 1 << 5,
	MATCH_HPC = 1 << 6, /* HPC process, thread and queue pair; RoCEv2 queue pair */
	MATCH_ALL = (1 << 7) - 1,
};

/* what has a mask of its own; an IPv6 address has two parts */
enum flow_part {
	PART_SOURCE_MAC,
	PART_DESTINATION_MAC,
	PART_VLAN,
	PART_SOURCE_IPV4,
	PART_DESTINATION_IPV4,
	PART_SOURCE_IPV6_HIGH,
	PART_SOURCE_IPV6_LOW,
	PART_DESTINATION_IPV6_HIGH,
	PART_DESTINATION_IPV6_LOW,
	PART_IP_PROTOCOL,
	PART_SOURCE_PORT,
	PART_DESTINATION_PORT,
	PART_FLOW_LABEL,
	PART_HPC_SOURCE,
	PART_HPC_DESTINATION,
	PART_HPC_PROCESS,
	PART_QUEUE_PAIR,
	FLOW_PARTS
};

struct flow_match {
	uint32_t fields; /* set of enum match_field */
	uint32_t spare;  /* 0 */
	/* bits that count, the field's last bit lowest; all 0: every field of the set as a whole */
	uint64_t mask[FLOW_PARTS];
};

#define FLOW_MATCH_TEXT_MAX 1024u /* as flow_match_print() writes it, with the terminating 0 */

extern const char *const flow_match_words[]; /* names of fields */
extern const size_t flow_match_word_count;

/** flow_match_whole() - the set of whole @fields, of enum match_field. Pure. */
struct flow_match flow_match_whole(uint32_t fields);

/** flow_match_masked() - does any bit of its fields not count? Pure. */
bool flow_match_masked(const struct flow_match *match);

/** flow_match_part() - which bits of @part count. Pure, O(FLOW_PARTS). */
uint64_t flow_match_part(const struct flow_match *match, enum flow_part part);

/** flow_match_valid() - does it have the one form of its set? For input from a wire. */
bool flow_match_valid(const struct flow_match *match);

static inline bool flow_match_equal(const struct flow_match *a, const struct flow_match *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/** flow_match_begin(), flow_match_add(), flow_match_end() - a match set word by word.
 *  @word  such as "destination-ip/24".   Between begin and end @match is not to be used.
 *  Return of _add: 0; -EINVAL, with one line in @why: no such field, one that was named before, a
 *  mask or prefix that is none. flow_match_name_bytes() - of how many bytes of @word are the name
 *  of its field. Pure. */
void flow_match_begin(struct flow_match *match);
int flow_match_add(struct flow_match *match, const char *word, struct why *why);
void flow_match_end(struct flow_match *match);
size_t flow_match_name_bytes(const char *word);

/** flow_match_parse() - a whole one: words with commas or spaces between them, "none", or a number:
 *  the sum of enum match_field.
 *  Return: 0 with @match filled; -EINVAL, with one line in @why. */
int flow_match_parse(const char *text, struct flow_match *match, struct why *why);

/** flow_match_print() - as text that flow_match_parse() reads, without a line's end: "source-mac,
 *  destination-ip/24"; "none". */
void flow_match_print(const struct flow_match *match, FILE *out);

#endif
