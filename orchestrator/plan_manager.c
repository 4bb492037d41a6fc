#include "orchestrator/plan_manager.h"

struct node_config plan_manager_config(const struct node_config *config)
{
	struct node_config bare = *config;

	if (bare.kind != NODE_SWITCH)
		return bare;
	bare.switch_.routes = NULL;
	bare.switch_.vias = NULL;
	bare.switch_.hosts = NULL;
	bare.switch_.route_count = bare.switch_.via_count = bare.switch_.host_count = 0;
	bare.switch_.lids = (struct lid_tables){ 0 };
	bare.switch_.flood_ports = 0;
	return bare;
}
