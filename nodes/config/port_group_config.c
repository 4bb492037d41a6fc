#include "nodes/config/port_group_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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

int port_group_config_check(const struct port_group_config *config, char *why, unsigned why_max)
{
	if (config->lid_bits != 16 && config->lid_bits != 20 && config->lid_bits != 24 &&
	    config->lid_bits != 32) {
		snprintf(why, why_max,
			 "port_group.lid_bits is %" PRIu32 ", it must be 16, 20, 24 or 32",
			 config->lid_bits);
		return -EINVAL;
	}
	return parameters_check(&port_group_parameters, "port_group.", config, why, why_max);
}

/* an entry of the LFT */
static int port_check(const struct lid_tables *tables, uint32_t lid, uint32_t port_count, char *why,
		      unsigned why_max)
{
	if (tables->lft[lid] == LFT_NO_PORT || tables->lft[lid] < port_count)
		return 0;
	snprintf(why, why_max,
		 "switch.lids.lft[%" PRIu32 "] is %u, but the node has %" PRIu32 " ports", lid,
		 tables->lft[lid], port_count);
	return -EINVAL;
}

/* an entry of the PGFT */
static int group_check(const struct lid_tables *tables, uint32_t lid, char *why, unsigned why_max)
{
	if (!tables->pgft[lid] || tables->pgft[lid] < tables->group_count)
		return 0;
	snprintf(why, why_max,
		 "switch.lids.pgft[%" PRIu32 "] is %u, but there are %" PRIu32 " groups", lid,
		 tables->pgft[lid], tables->group_count);
	return -EINVAL;
}

int lid_tables_check(const struct lid_tables *tables, uint32_t port_count, char *why,
		     unsigned why_max)
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
	if (wrong) {
		snprintf(why, why_max, "switch.lids.%s", wrong);
		return -EINVAL;
	}
	for (uint32_t lid = 0; lid < tables->lid_count && !error; lid++) {
		error = port_check(tables, lid, port_count, why, why_max);
		if (!error)
			error = group_check(tables, lid, why, why_max);
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
