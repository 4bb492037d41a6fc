#include "nodes/config/port_group_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

const char *const port_group_policy_words[PORT_GROUP_POLICIES] = {
	[POLICY_RANDOM] = "random",
	[POLICY_GREEDY] = "greedy",
	[POLICY_GREEDY_RANDOM] = "greedy-random",
};

static const struct parameter port_group_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct port_group_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/port_group.def"
};
const struct parameter_table port_group_parameters =
	PARAMETER_TABLE_OF(struct port_group_config, port_group_rows);

int port_group_config_check(const struct port_group_config *config, struct why *why)
{
	if (config->lid_bits != 16 && config->lid_bits != 20 && config->lid_bits != 24 &&
	    config->lid_bits != 32)
		return why_say(why, -EINVAL,
			       "port_group.lid_bits is %" PRIu32 ", it must be 16, 20, 24 or 32",
			       config->lid_bits);
	return parameters_check(&port_group_parameters, "port_group.", config, why);
}

/* an entry of the LFT */
static int port_check(const struct lid_tables *tables, uint32_t lid, uint32_t port_count,
		      struct why *why)
{
	if (tables->lft[lid] == LFT_NO_PORT || tables->lft[lid] < port_count)
		return 0;
	return why_say(why, -EINVAL,
		       "switch.lids.lft[%" PRIu32 "] is %u, but the node has %" PRIu32 " ports",
		       lid, tables->lft[lid], port_count);
}

/* an entry of the PGFT */
static int group_check(const struct lid_tables *tables, uint32_t lid, struct why *why)
{
	if (!tables->pgft[lid] || tables->pgft[lid] < tables->group_count)
		return 0;
	return why_say(why, -EINVAL,
		       "switch.lids.pgft[%" PRIu32 "] is %u, but there are %" PRIu32 " groups", lid,
		       tables->pgft[lid], tables->group_count);
}

int lid_tables_check(const struct lid_tables *tables, uint32_t port_count, struct why *why)
{
	const char *wrong = NULL;
	int error = 0;

	if (tables->lid_count > LID_COUNT_MAX)
		wrong = "lid_count is beyond the unicast LIDs of 16 bits";
	else if (tables->group_count > PORT_GROUPS_MAX)
		wrong = "group_count is more than 256";
	else if (tables->lid_count && (!tables->lft || !tables->pgft))
		wrong = "lid_count is not 0, but a table is missing";
	else if (tables->group_count && !tables->pgt)
		wrong = "group_count is not 0, but the port group table is missing";
	if (wrong)
		return why_say(why, -EINVAL, "switch.lids.%s", wrong);
	for (uint32_t lid = 0; lid < tables->lid_count && !error; lid++) {
		error = port_check(tables, lid, port_count, why);
		if (!error)
			error = group_check(tables, lid, why);
	}
	return error;
}

void lid_tables_free(struct lid_tables *tables)
{
	free(tables->lft);
	free(tables->pgft);
	free(tables->pgt);
	*tables = (struct lid_tables){ 0 };
}
