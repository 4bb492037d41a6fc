#include "nodes/config/port_group_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nodes/base/array.h"
#include "nodes/base/limits.h"

static const struct limit port_group_limits[] = {
	LIMIT(struct port_group_config, policy, 0, PORT_GROUP_POLICIES - 1),
	LIMIT(struct port_group_config, pending_units, 1, PORT_GROUP_UNITS_MAX),
	LIMIT(struct port_group_config, queue_units, 1, PORT_GROUP_UNITS_MAX),
	LIMIT(struct port_group_config, log_marks, 1, PORT_GROUP_MARKS_MAX),
	LIMIT(struct port_group_config, log_window_ps, 1, PORT_GROUP_TIME_MAX_PS),
	LIMIT(struct port_group_config, hold_ps, 0, PORT_GROUP_TIME_MAX_PS),
	LIMIT(struct port_group_config, fecn_units, 1, PORT_GROUP_UNITS_MAX),
	LIMIT(struct port_group_config, becn_interval_ps, 0, PORT_GROUP_TIME_MAX_PS),
	LIMIT(struct port_group_config, ccti_increase, 1, PORT_GROUP_CCTI_MAX),
	LIMIT(struct port_group_config, ccti_max, 1, PORT_GROUP_CCTI_MAX),
	LIMIT(struct port_group_config, ccti_step_permille, 1, 1000000),
	LIMIT(struct port_group_config, ccti_timer_ps, 1, PORT_GROUP_TIME_MAX_PS),
};

int port_group_config_check(const struct port_group_config *config, char *why, unsigned why_max)
{
	if (config->lid_bits != 16 && config->lid_bits != 20 && config->lid_bits != 24 &&
	    config->lid_bits != 32) {
		snprintf(why, why_max,
			 "port_group.lid_bits is %" PRIu32 ", it must be 16, 20, 24 or 32",
			 config->lid_bits);
		return -EINVAL;
	}
	return limits_check(config, "port_group.", port_group_limits, COUNT_OF(port_group_limits),
			    why, why_max);
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
