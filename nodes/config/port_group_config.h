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

struct port_group_config {
	uint32_t lid_bits; /* 16, 20, 24 or 32 (PG-1) */
	bool adaptive;     /* false: the static port always */
	enum port_group_policy policy;
	/* PG-8: the choice replaces the entry; else it holds for this packet only (to compare with)
	 * */
	bool update_lft;
	/* PG-5: groups from PORT_GROUP_EDGE_FROM on have members that are on no shortest way.
	 * Packets from edge ports alone use them; others, which may have no lane left for a longer
	 * way, leave by the static port */
	bool non_minimal;
	/* PG-3: the static port is congested for a virtual lane if it has no credit, or at least
	 * pending_units wait for credit there and they became more since it was looked at last, or
	 * its congestion log has log_marks packets of the last log_window_ps. A port inside the
	 * fabric marks and logs what leaves while queue_units wait for its link */
	uint32_t pending_units, queue_units;
	uint32_t log_marks;
	node_time_t log_window_ps;
	node_time_t hold_ps; /* a DLID's entry is not changed again within that time; 0: any time */
	/* PG-10 */
	bool fecn;
	/* packets that leave a queue of so much get FECN that lasts: becn is about these */
	uint32_t fecn_units;
	bool becn;                    /* destinations answer, sources slow down */
	node_time_t becn_interval_ps; /* a destination answers a source at most once in that time */
	/* the source's agent, per destination: each BECN raises its index by ccti_increase, each
	 * ccti_timer_ps lowers it by one; the rate is that of the link / (1 + index *
	 * ccti_step_permille / 1000) */
	uint32_t ccti_increase, ccti_max, ccti_step_permille;
	node_time_t ccti_timer_ps;
};

/* a switch's forwarding state (PG-2, PG-5, PG-6); owned by the node_config */
struct lid_tables {
	/* entries: DLIDs 0 .. lid_count - 1; 0 is reserved (PG-1) */
	uint32_t lid_count;
	uint8_t *lft;                      /* static port, LFT_NO_PORT: none */
	uint8_t *pgft;                     /* group */
	uint32_t group_count;              /* groups 0 .. group_count - 1, <= PORT_GROUPS_MAX */
	uint64_t (*pgt)[PORT_GROUP_WORDS]; /* bit p of the mask: port p */
	/* DLIDs with several ports and no group, for all were taken; for whoever made the tables,
	 * nodes do not know */
	uint32_t ungrouped;
};

/** lid_stand_in() - one of @ports, a set of at least one, for packets to @lid whose static port is
 *  gone: the same whoever asks, switch or fabric manager, and different ones for LIDs that had the
 *  same port. O(ports). */
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
 *  Return: 0, or -EINVAL with a sentence in @why (@why_max bytes, always terminated). */
int port_group_config_check(const struct port_group_config *config, char *why, unsigned why_max);

/** lid_tables_check() - do @tables name ports and groups only that a switch with @port_count ports
 *  has? Bits of a group's mask beyond the ports are fine (PG-6). Return: as above. O(lid_count). */
int lid_tables_check(const struct lid_tables *tables, uint32_t port_count, char *why,
		     unsigned why_max);

/** lid_tables_free() - releases what @tables points to, and empties it. */
void lid_tables_free(struct lid_tables *tables);

#endif
