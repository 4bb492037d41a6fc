/*  port_group - forwarding tables of a switch: the port of a DLID, and the ports of its group
 *  (PG-2, PG-5 ... PG-8).
 *
 *      LFT   DLID -> static port      PGFT  DLID -> group, 0: none      PGT   group -> set of ports
 *
 *  Each DLID has two ports. `home` is what the fabric manager wrote into the LFT. `now` is the same
 *  at first, and each choice replaces it (PG-8). Packets of ordered classes use `home`, so only the
 *  fabric manager changes their path. All others use `now`. S1 promises no order: packets of a DLID
 *  whose port has been replaced overtake those in flight on the former path, and no switch knows
 *  when these have arrived.
 *  A mask has 256 bits. Those beyond the switch's ports are ignored, and read back as 0 (PG-6). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_PORT_GROUP_H
#define HEDDLE_SWITCHD_PORT_GROUP_PORT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

/* of a DLID */
struct port_group_lid {
	uint8_t home, now; /* port, LFT_NO_PORT: none */
	uint8_t group;
	node_time_t changed_ps; /* when `now` was replaced last; 0: it was not */
};

struct port_group {
	struct port_group_lid *lids; /* by DLID, lid_count of them */
	uint32_t lid_count;
	uint64_t ports; /* set of the ports of the switch */
	uint64_t mask[PORT_GROUPS_MAX];
};

/** port_group_init() - tables of the configuration or the fabric manager. Return: 0 or -ENOMEM. */
int port_group_init(struct port_group *tables, const struct lid_tables *lids, uint32_t port_count);
void port_group_fini(struct port_group *tables);

/** port_group_grow() - memory for DLIDs below @lid_count; new ones have no port. Return: 0 or
 *  -ENOMEM (nothing changed). */
int port_group_grow(struct port_group *tables, uint32_t lid_count);

/** port_group_set() - @lids replace all tables.  Return: 0 or -ENOMEM (nothing changed). */
int port_group_set(struct port_group *tables, const struct lid_tables *lids);

/** port_group_set_port() - writes an LFT entry. Another port also ends what choices have made of
 *  it.
 *  @dlid below lid_count. */
static inline void port_group_set_port(struct port_group *tables, uint32_t dlid, uint8_t port)
{
	if (tables->lids[dlid].home == port)
		return;
	tables->lids[dlid].home = tables->lids[dlid].now = port;
	tables->lids[dlid].changed_ps = 0;
}

static inline void port_group_set_mask(struct port_group *tables, uint32_t group,
				       uint64_t first_ports)
{
	tables->mask[group] = group ? first_ports & tables->ports : 0;
}

/** port_group_members() - the ports that a packet for @dlid may take; 0: it has no group (PG-5). */
static inline uint64_t port_group_members(const struct port_group *tables, uint32_t dlid)
{
	return dlid < tables->lid_count ? tables->mask[tables->lids[dlid].group] : 0;
}

/** port_group_may_replace() - may a choice replace the entry of @dlid? Not within @hold_ps of the
 *  last replacement. */
static inline bool port_group_may_replace(const struct port_group *tables, uint32_t dlid,
					  node_time_t now, node_time_t hold_ps)
{
	return !tables->lids[dlid].changed_ps || now - tables->lids[dlid].changed_ps >= hold_ps;
}

static inline void port_group_replace(struct port_group *tables, uint32_t dlid, uint8_t port,
				      node_time_t now)
{
	tables->lids[dlid].now = port;
	tables->lids[dlid].changed_ps = now;
}

/** port_group_choose() - one of @candidates, a set of at least one port (PG-7).
 *  @loads by port: what waits there; only those of candidates are read. @from the port that the
 *  packet avoids.
 *  Random: each with the same probability. Greedy: the least loaded; of several the next after
 *  @from, so packets that avoid different ports spread. Greedy random: one of the least loaded,
 *  each with the same probability. O(candidates). */
uint32_t port_group_choose(enum port_group_policy policy, uint64_t candidates,
			   const uint64_t *loads, uint32_t from, struct random *random);

#endif
