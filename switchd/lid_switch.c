#include "switchd/lid_switch.h"

static void *create(const struct node_config *config, struct link *links, struct stats_page *stats)
{
	(void)config, (void)links, (void)stats;
	return NULL;
}

const struct node_ops lid_ops = { .create = create };
