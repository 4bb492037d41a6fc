#include "orchestrator/results/series_values.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/units.h"

int series_values_init(struct series_values *values, const struct node_config *config)
{
	size_t ports = config->port_count;

	*values = (struct series_values){
		.port_count = config->port_count,
		.flows_max = config->kind == NODE_NIC ? config->nic.flows_max : 0,
	};
	values->ports = calloc(ports * SERIES_PER_PORT, sizeof(uint64_t));
	values->classes = calloc(ports * NODE_CLASSES_MAX * SERIES_PER_CLASS, sizeof(uint64_t));
	values->lanes = calloc(ports * NODE_LANES_MAX * SERIES_PER_LANE, sizeof(uint64_t));
	values->flows = calloc((size_t)values->flows_max * SERIES_PER_FLOW, sizeof(uint64_t));
	if (!values->ports || !values->classes || !values->lanes || !values->flows)
		return -ENOMEM;
	return 0;
}

void series_values_fini(struct series_values *values)
{
	free(values->ports);
	free(values->classes);
	free(values->lanes);
	free(values->flows);
	*values = (struct series_values){ 0 };
}

uint32_t series_values_node(const struct plan *plan, uint32_t node,
			    const struct series_entry *entry)
{
	const struct node_config *config = &plan->nodes[node];
	uint32_t peer;

	if (entry->id >= SERIES_IDS || entry->port >= config->port_count)
		return UINT32_MAX;
	if (config->kind == NODE_NIC || series_row(entry->id)->of != SERIES_OF_FLOW)
		return node;
	peer = config->ports[entry->port].peer_index;
	return !config->ports[entry->port].vacant && peer < plan->node_count &&
			       plan->nodes[peer].kind == NODE_NIC
		       ? peer
		       : UINT32_MAX;
}

uint64_t *series_values_at(const struct series_values *values, uint32_t id, uint32_t port,
			   uint32_t index)
{
	if (id == SERIES_SAMPLE || id >= SERIES_IDS || port >= values->port_count)
		return NULL;
	switch (series_row(id)->of) {
	case SERIES_OF_PORT:
		return index ? NULL
			     : &values->ports[port * SERIES_PER_PORT + (id - SERIES_PORT_FIRST)];
	case SERIES_OF_CLASS:
		return index < NODE_CLASSES_MAX
			       ? &values->classes[(port * NODE_CLASSES_MAX + index) *
							  SERIES_PER_CLASS +
						  (id - SERIES_CLASS_FIRST)]
			       : NULL;
	case SERIES_OF_LANE:
		return index < NODE_LANES_MAX
			       ? &values->lanes[(port * NODE_LANES_MAX + index) * SERIES_PER_LANE +
						(id - SERIES_LANE_FIRST)]
			       : NULL;
	case SERIES_OF_FLOW:
		break;
	}
	return index < values->flows_max && !port
		       ? &values->flows[(size_t)index * SERIES_PER_FLOW + (id - SERIES_FLOW_FIRST)]
		       : NULL;
}

uint64_t series_values_class(const struct series_values *values, const struct node_config *config,
			     uint32_t id, uint32_t port, uint32_t c)
{
	uint32_t lanes = node_lanes(config, config->ports[port].kind);
	enum series_id lane =
		id == SERIES_CLASS_QUEUE_BYTES ? SERIES_LANE_QUEUE_UNITS : SERIES_LANE_INPUT_UNITS;
	uint64_t units = 0;

	if (config->kind == NODE_NIC && config->class_count == 1 && id == SERIES_CLASS_QUEUE_BYTES)
		return *series_values_at(values, SERIES_QUEUE_BYTES, port, 0);
	if (config->kind == NODE_NIC || config->fabric == FABRIC_ROCE)
		return *series_values_at(values, id, port, c);
	for (uint32_t l = c * lanes; l < (c + 1) * lanes && l < NODE_LANES_MAX; l++)
		units += *series_values_at(values, lane, port, l);
	return units * UNIT_BYTES;
}

bool series_values_take(struct series_values *values, const struct series_entry *entry)
{
	uint64_t *at = series_values_at(values, entry->id, entry->port, entry->index);

	if (!at)
		return false;
	*at = entry->value;
	if (series_row(entry->id)->of == SERIES_OF_FLOW && entry->index >= values->flows_seen)
		values->flows_seen = entry->index + 1;
	return true;
}
