#include "nodes/config/config.h"

#include <stdlib.h>

static const struct parameter setting_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct congestion_setting, __VA_ARGS__),
#include "nodes/config/congestion_setting.def"
};
const struct parameter_table congestion_setting_parameters =
	PARAMETER_TABLE_OF(struct congestion_setting, setting_rows);

static const struct parameter congestion_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct congestion_config, __VA_ARGS__),
#define PARAMETER_ARRAY(type, ...) PARAMETER_ARRAY_ROW(struct congestion_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/congestion.def"
};
const struct parameter_table congestion_parameters =
	PARAMETER_TABLE_OF(struct congestion_config, congestion_rows);

void switch_tables_free(struct switch_config *config)
{
	free(config->routes);
	free(config->vias);
	lid_tables_free(&config->lids);
	config->routes = NULL;
	config->vias = NULL;
	config->route_count = config->via_count = 0;
}

void node_config_free(struct node_config *config)
{
	for (uint32_t i = 0; config->nic.workloads && i < config->nic.workload_count; i++) {
		free(config->nic.workloads[i].sizes);
		free(config->nic.workloads[i].destinations);
	}
	free(config->nic.workloads);
	free(config->nic.pauses);
	switch_tables_free(&config->switch_);
	free(config->switch_.hosts);
	free(config->switch_.prefixes);
	free(config->ports);
	config->nic.workloads = NULL;
	config->nic.pauses = NULL;
	config->switch_.hosts = NULL;
	config->switch_.prefixes = NULL;
	config->ports = NULL;
	config->nic.workload_count = config->nic.pause_count = config->switch_.host_count =
		config->port_count = 0;
	config->switch_.prefix_count = 0;
}
