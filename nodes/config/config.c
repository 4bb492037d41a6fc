#include "nodes/config/config.h"

#include <stdlib.h>

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
