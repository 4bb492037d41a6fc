#include "nodes/config/config.h"

#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"

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

static const struct parameter class_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct class_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/class.def"
};
const struct parameter_table class_parameters = PARAMETER_TABLE_OF(struct class_config, class_rows);

static const char *const tier_words[LINK_TIERS] = { "local", "global" };
static const char *const jitter_words[JITTER_SHAPES] = { "uniform", "normal", "pareto",
							 "paretonormal" };
static const char *const medium_words[LINK_MEDIA] = { "shm", "veth", "tunnel" };

static const struct parameter link_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct link_config, __VA_ARGS__),
#include "nodes/config/link.def"
};
const struct parameter_table link_parameters = PARAMETER_TABLE_OF(struct link_config, link_rows);

static const struct parameter port_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct port_config, __VA_ARGS__),
#include "nodes/config/link.def"
#define PARAMETER(...) PARAMETER_ROW(struct port_config, __VA_ARGS__),
#include "nodes/config/port.def"
};
const struct parameter_table port_parameters = PARAMETER_TABLE_OF(struct port_config, port_rows);

static const char *const forwarding_words[] = { "store-and-forward", "cut-through" };
static const char *const arbiter_words[ARBITER_KINDS] = { "by-flow", "by-port" };

static const struct parameter switch_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct switch_config, __VA_ARGS__),
#define PARAMETERS(type, ...) PARAMETERS_ROW(struct switch_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/switch.def"
};
const struct parameter_table switch_parameters =
	PARAMETER_TABLE_OF(struct switch_config, switch_rows);

static const struct parameter nic_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct nic_config, __VA_ARGS__),
#include "nodes/config/nic.def"
};
const struct parameter_table nic_parameters = PARAMETER_TABLE_OF(struct nic_config, nic_rows);

const char *const frame_words[FRAME_KINDS] = { "ethernet", "ipv4",      "ipv6", "roce",
					       "hpc",      "roce-ipv6", "tcp" };
const char *const transport_words[TRANSPORT_KINDS] = { "none", "rc", "tcp" };
const char *const arrival_words[ARRIVAL_KINDS] = { "closed", "paced", "poisson", "burst" };

static const struct parameter workload_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct workload_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/traffic.def"
#define PARAMETER(...) PARAMETER_ROW(struct workload_config, __VA_ARGS__),
#include "nodes/config/workload.def"
};
const struct parameter_table workload_parameters =
	PARAMETER_TABLE_OF(struct workload_config, workload_rows);

static const struct parameter pause_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct pause_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/pause.def"
};
const struct parameter_table pause_parameters = PARAMETER_TABLE_OF(struct pause_config, pause_rows);

void port_link_change(struct port_config *port, const struct port_config *to)
{
	for (size_t r = 0; r < COUNT_OF(port_rows); r++)
		if (port_rows[r].live)
			parameter_put(&port_rows[r], port, parameter_get(&port_rows[r], to));
	port->in_rate_bps = to->in_rate_bps;
}

/* the rows of a link are the first ones of a port */
void port_direction_put(struct port_config *from, struct port_config *to,
			const struct link_config *link)
{
	for (size_t r = 0; r < COUNT_OF(link_rows); r++)
		parameter_put(&port_rows[r], link_rows[r].inbound ? to : from,
			      parameter_get(&link_rows[r], link));
	to->in_rate_bps = link->rate_bps;
}

void port_direction_get(const struct port_config *from, const struct port_config *to,
			struct link_config *link)
{
	for (size_t r = 0; r < COUNT_OF(link_rows); r++)
		parameter_put(&link_rows[r], link,
			      parameter_get(&port_rows[r], link_rows[r].inbound ? to : from));
}

struct live_search {
	const struct node_config *config;
	const char *name;
	struct parameter_live *live;
	uint32_t elements;
};

static bool live_compare(void *context, const struct parameter_live *live)
{
	struct live_search *search = context;
	uint32_t classes = live->stride ? search->config->class_count : 0;

	if (!strcmp(search->name, live->name))
		search->elements = classes ? (1u << classes) - 1 : 1;
	for (uint32_t c = 0; c < classes && !search->elements; c++) {
		const char *class = search->config->classes[c].name;
		size_t length = strlen(class);

		if (!strncmp(search->name, class, length) && search->name[length] == '.' &&
		    !strcmp(search->name + length + 1, live->name))
			search->elements = 1u << c;
	}
	if (search->elements)
		*search->live = *live;
	return !search->elements;
}

uint32_t node_live_find(const struct parameter_table *table, const struct node_config *config,
			const char *name, struct parameter_live *live)
{
	struct live_search search = { config, name, live, 0 };

	parameters_live(table, live_compare, &search);
	return search.elements;
}

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
