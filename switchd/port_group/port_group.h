/*  port_group - a switch's forwarding tables: which port leads to a DLID, and which others do
 *  (PG-2, PG-5 ... PG-8).
 *
 *      LFT   DLID -> static port      PGFT  DLID -> group, 0: none      PGT   group -> set of ports
 *
 *  The LFT is kept twice. `home` is what the fabric manager wrote; `now` begins as the same, and
 *  each choice replaces its entry (PG-8). Packets whose order matters go by `home`, so nothing but
 *  the fabric manager moves them; all others go by `now`. S1 promises no order at all: packets of a
 *  DLID whose entry has been replaced overtake those that are still under way on the former path,
 *  and no switch knows when those have arrived.
 *  A mask has 256 bits; those beyond the switch's ports are forgotten, and read back as 0
 *  (PG-6). */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_PORT_GROUP_H
#define HEDDLE_SWITCHD_PORT_GROUP_PORT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

struct port_group {
	uint32_t lid_count;      /* entries of each table by DLID */
	uint8_t *home, *now;     /* port, LFT_NO_PORT: none */
	uint8_t *group;          /* by DLID */
	node_time_t *changed_ps; /* when `now` was replaced last; 0: it was not */
	uint64_t ports;          /* set of those that there are */
	uint64_t mask[PORT_GROUPS_MAX];
};

/** port_group_init() - from what the fabric manager, or the configuration, says. Return: 0 or
 *  -ENOMEM. */
int port_group_init(struct port_group *tables, const struct lid_tables *lids, uint32_t port_count);
void port_group_fini(struct port_group *tables);

/** port_group_grow() - room for DLIDs below @lid_count; new ones lead nowhere. Return: 0 or -ENOMEM
 *  (nothing changed). */
int port_group_grow(struct port_group *tables, uint32_t lid_count);

/** port_group_set() - @lids replace all tables.  Return: 0 or -ENOMEM (nothing changed). */
int port_group_set(struct port_group *tables, const struct lid_tables *lids);

/** port_group_set_port() - writes an LFT entry; what choices have made of another one is gone.
 *  @dlid below lid_count. */
static inline void port_group_set_port(struct port_group *tables, uint32_t dlid, uint8_t port)
{
	if (tables->home[dlid] == port)
		return;
	tables->home[dlid] = tables->now[dlid] = port;
	tables->changed_ps[dlid] = 0;
}

static inline void port_group_set_mask(struct port_group *tables, uint32_t group,
				       uint64_t first_ports)
{
	tables->mask[group] = group ? first_ports & tables->ports : 0;
}

/** port_group_members() - the ports that a packet for @dlid may take; 0: it has no group (PG-5). */
static inline uint64_t port_group_members(const struct port_group *tables, uint32_t dlid)
{
	return dlid < tables->lid_count ? tables->mask[tables->group[dlid]] : 0;
}

/** port_group_may_replace() - may the entry of @dlid change, one that is not to change within
 *  @hold_ps again? */
static inline bool port_group_may_replace(const struct port_group *tables, uint32_t dlid,
					  node_time_t now, node_time_t hold_ps)
{
	return !tables->changed_ps[dlid] || now - tables->changed_ps[dlid] >= hold_ps;
}

static inline void port_group_replace(struct port_group *tables, uint32_t dlid, uint8_t port,
				      node_time_t now)
{
	tables->now[dlid] = port;
	tables->changed_ps[dlid] = now;
}

/** port_group_choose() - one of @candidates, a set of at least one port (PG-7).
 *  @loads by port: what waits there; only those of candidates are looked at. @from the port that
 *  the packet does not take.
 *  Random: each with the same probability. Greedy: the least loaded, of several the next behind
 *  @from, so that those who leave different ports do not all meet at the first one. Greedy random:
 *  one of the least loaded, each
 *  with the same probability.   O(candidates). */
uint32_t port_group_choose(enum port_group_policy policy, uint64_t candidates,
			   const uint64_t *loads, uint32_t from, struct random *random);

#endif
