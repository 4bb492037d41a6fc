/*  port_group_config - what the nodes of a fabric of kind port-group are told beside the rest of
 *  node_config (PG-1 ... PG-10).
 *
 *  The same for all nodes but for a switch's tables, which stand in switch_config. Packets carry a
 *  local route header with DLID, SLID and service level in front of the frame, on edge links too:
 *  the NIC writes and removes it (nodes/wire/lid_header.h). Host i has LID i + 1. Plain data. */
#ifndef HEDDLE_NODES_CONFIG_PORT_GROUP_CONFIG_H
#define HEDDLE_NODES_CONFIG_PORT_GROUP_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/parameter.h"

#define PORT_GROUPS_MAX 256u /* 0 is "no group" (PG-5) */
/* with non_minimal, groups from here on are for packets from edge ports alone */
#define PORT_GROUP_EDGE_FROM 128u
#define PORT_GROUP_WORDS 4u   /* 256 ports in words of 64 (PG-6) */
#define LFT_NO_PORT 255u      /* of a DLID that leads nowhere */
#define LID_COUNT_MAX 0xc000u /* multicast begins there, with 16 bits */

#define PORT_GROUP_UNITS_MAX (1u << 20) /* of a threshold in data units */
#define PORT_GROUP_MARKS_MAX 64u        /* a congestion log remembers no more of a lane */
#define PORT_GROUP_CCTI_MAX 65535u
#define PORT_GROUP_TIME_MAX_PS (3600 * NODE_S)

/* PG-7 */
enum port_group_policy { POLICY_RANDOM, POLICY_GREEDY, POLICY_GREEDY_RANDOM, PORT_GROUP_POLICIES };

/* the fields: parameter.h */
struct port_group_config {
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/port_group.def"
};

extern const struct parameter_table port_group_parameters;
extern const char *const port_group_policy_words[]; /* the values of the key `policy` */

/* a switch's forwarding state (PG-2, PG-5, PG-6); owned by the node_config */
struct lid_tables {
	/* entries: DLIDs 0 .. lid_count - 1; 0 is reserved (PG-1) */
	uint32_t lid_count;
	uint8_t *lft;                      /* static port, LFT_NO_PORT: none */
	uint8_t *pgft;                     /* group */
	uint32_t group_count;              /* groups 0 .. group_count - 1, <= PORT_GROUPS_MAX */
	uint64_t (*pgt)[PORT_GROUP_WORDS]; /* bit p of the mask: port p */
	/* DLIDs with several ports and no group, since all groups were used; known where the tables
	 * are made, not in nodes */
	uint32_t ungrouped;
};

/** lid_stand_in() - one of @ports, a set of at least one, for packets to @lid whose static port is
 *  gone. Switch and fabric manager get the same port, and LIDs that had the same port get different
 *  ones. O(ports). */
static inline uint32_t lid_stand_in(uint64_t ports, uint32_t lid)
{
	/* multiplicative hash; their low bits are alike */
	uint32_t mixed = lid * 0x9e3779b1u >> 16;

	for (uint32_t skip = mixed % (uint32_t)__builtin_popcountll(ports); skip; skip--)
		ports &= ports - 1;
	return (uint32_t)__builtin_ctzll(ports);
}

/** port_group_config_check() - is @config within the limits stated above? What is off has numbers
 *  within them too.
 *  Return: 0, or -EINVAL with a sentence in @why. */
int port_group_config_check(const struct port_group_config *config, struct why *why);

/** lid_tables_check() - do @tables name ports and groups only that a switch with @port_count ports
 *  has? Bits of a group's mask beyond the ports are fine (PG-6). Return: as above. O(lid_count). */
int lid_tables_check(const struct lid_tables *tables, uint32_t port_count, struct why *why);

/** lid_tables_free() - releases what @tables points to, and empties it. */
void lid_tables_free(struct lid_tables *tables);

#endif
