#include "switchd/port_group/port_group.h"

#include <errno.h>
#include <stdlib.h>

int port_group_init(struct port_group *tables, const struct lid_tables *lids, uint32_t port_count)
{
	*tables =
		(struct port_group){ .ports = port_count < NODE_PORTS_MAX ? (1ull << port_count) - 1
									  : UINT64_MAX };
	return port_group_set(tables, lids);
}

int port_group_set(struct port_group *tables, const struct lid_tables *lids)
{
	if (port_group_grow(tables, lids->lid_count))
		return -ENOMEM;
	for (uint32_t dlid = 0; dlid < tables->lid_count; dlid++) {
		bool known = dlid < lids->lid_count;

		port_group_set_port(tables, dlid, known ? lids->lft[dlid] : LFT_NO_PORT);
		tables->lids[dlid].group = known ? lids->pgft[dlid] : 0;
	}
	for (uint32_t group = 0; group < PORT_GROUPS_MAX; group++)
		port_group_set_mask(tables, group,
				    group < lids->group_count ? lids->pgt[group][0] : 0);
	return 0;
}

void port_group_fini(struct port_group *tables)
{
	free(tables->lids);
	*tables = (struct port_group){ 0 };
}

int port_group_grow(struct port_group *tables, uint32_t lid_count)
{
	struct port_group_lid *lids;

	if (lid_count <= tables->lid_count)
		return 0;
	lids = realloc(tables->lids, lid_count * sizeof(*lids));
	if (!lids)
		return -ENOMEM;
	tables->lids = lids;
	for (; tables->lid_count < lid_count; tables->lid_count++)
		lids[tables->lid_count] =
			(struct port_group_lid){ .home = LFT_NO_PORT, .now = LFT_NO_PORT };
	return 0;
}

/* of @candidates, those with the least of @loads */
static uint64_t least_loaded(uint64_t candidates, const uint64_t *loads)
{
	uint64_t least = UINT64_MAX, set = 0;

	for (; candidates; candidates &= candidates - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(candidates);

		if (loads[port] < least)
			set = 0;
		if (!set || loads[port] == least) {
			set |= 1ull << port;
			least = loads[port];
		}
	}
	return set;
}

static uint32_t drawn(uint64_t candidates, struct random *random)
{
	for (uint64_t skip = random_below(random, (uint64_t)__builtin_popcountll(candidates)); skip;
	     skip--)
		candidates &= candidates - 1;
	return (uint32_t)__builtin_ctzll(candidates);
}

static uint32_t next_after(uint64_t candidates, uint32_t from)
{
	uint64_t after = from < NODE_PORTS_MAX ? candidates & ~((2ull << from) - 1) : 0;

	return (uint32_t)__builtin_ctzll(after ? after : candidates);
}

uint32_t port_group_choose(enum port_group_policy policy, uint64_t candidates,
			   const uint64_t *loads, uint32_t from, struct random *random)
{
	if (policy != POLICY_RANDOM)
		candidates = least_loaded(candidates, loads);
	return policy == POLICY_GREEDY ? next_after(candidates, from) : drawn(candidates, random);
}
