#include "orchestrator/plan/plan_real.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/ring.h"
#include "orchestrator/plan/plan_buffer.h"
#include "orchestrator/plan/plan_roce.h"

#define RING_BYTES_REAL (1u << 19) /* fifty of the largest frames; a full ring is waited for */
/* flows are spread over them, so that one that waits leaves the others alone */
#define HOST_QUEUES 4u

/* where real programs run, they are the traffic, and as slow as they are */
static void workloads_remove(struct nic_config *nic)
{
	for (uint32_t i = 0; i < nic->workload_count; i++) {
		free(nic->workloads[i].sizes);
		free(nic->workloads[i].destinations);
	}
	free(nic->workloads);
	nic->workloads = NULL;
	nic->workload_count = 0;
	nic->messages_max = 1;
	free(nic->pauses);
	nic->pauses = NULL;
	nic->pause_count = 0;
}

/* links in the order of plan_make(): of the hosts, then those between switches */
static enum link_medium medium_of(const struct scenario *scenario, uint32_t link)
{
	return link < scenario->host_count
		       ? scenario->hosts[link].link.medium
		       : scenario->links[link - scenario->host_count].settings.medium;
}

/* what may be under way, and what there is room for if its sender hears late */
static void port_make_real(const struct scenario *scenario, const struct plan *plan,
			   const struct node_config *node, struct port_config *port)
{
	if (node->fabric == FABRIC_ROCE)
		plan_roce_port_make_real(scenario, plan, node, port);
	else
		plan_buffer_make_real(scenario, node, port);
}

/* ---- real programs ---- */

static void node_make_real(const struct scenario *scenario, const struct plan *plan,
			   struct node_config *node)
{
	node->clock = CLOCK_REAL;
	node->sample_ps = 0;
	node->samples_max = 0;
	/* it has no duration: averages are of all the time that it runs */
	node->measure_from_ps = 0;
	node->measure_to_ps = NODE_TIME_NEVER;
	for (uint32_t p = 0; p < node->port_count; p++) {
		struct port_config *port = &node->ports[p];

		port->ring_bytes = RING_BYTES_REAL;
		port->medium = medium_of(scenario, port->link_index);
		/* the kernel drops what it has no buffer for: the sender must hear of it */
		port->guarded = port->guarded || port->medium == MEDIUM_VETH;
		/* of NICs too: a model for links of switches to come */
		port_make_real(scenario, plan, node, port);
	}
	if (node->kind == NODE_NIC) {
		workloads_remove(&node->nic);
		node->nic.host_queues = HOST_QUEUES;
	}
}

/* @room  for what joins: plan_spare.h */
static int plan_finish(const struct scenario *scenario, struct plan *plan, bool room,
		       struct scenario_errors *errors)
{
	int error = 0;

	if (plan_fabric(plan) == FABRIC_ROCE) {
		error = plan_roce_buffers_check_real(scenario, plan, room, errors);
		for (uint32_t i = 0; i < plan->switch_count; i++)
			plan_roce_buffer_make(plan, &plan->nodes[i]);
	}
	if (!error)
		error = plan_nodes_check(scenario, plan, errors);
	if (error)
		plan_free(plan);
	return error;
}

int plan_make_real(const struct scenario *scenario, struct plan *plan,
		   struct scenario_errors *errors)
{
	int error = plan_make_for(CLOCK_REAL, scenario, plan, errors);

	if (error)
		return error;
	for (uint32_t i = 0; i < plan->node_count; i++)
		node_make_real(scenario, plan, &plan->nodes[i]);
	plan_buffers_tell(plan);
	return plan_finish(scenario, plan, true, errors);
}

/* ---- generated traffic ---- */

/* a ring holds what was sent while its reader was late: as much again as under the virtual clock,
 * and no less than above */
static void node_make_traffic(const struct scenario *scenario, const struct plan *plan,
			      struct node_config *node)
{
	node->clock = CLOCK_REAL;
	for (uint32_t p = 0; p < node->port_count; p++) {
		struct port_config *port = &node->ports[p];

		if (port->ring_bytes < RING_BYTES_MAX)
			port->ring_bytes *= 2;
		if (port->ring_bytes < RING_BYTES_REAL)
			port->ring_bytes = RING_BYTES_REAL;
		port_make_real(scenario, plan, node, port);
		if (node->kind == NODE_NIC)
			port->buffer_units = port->stop_units = 0; /* it takes everything, so ... */
		/* ... it may be sent everything, however late it is */
		else if (port->kind == PORT_EDGE)
			port->flight_units = 0;
	}
}

int plan_make_traffic(const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors)
{
	int error = plan_make_for(CLOCK_REAL, scenario, plan, errors);

	if (error)
		return error;
	for (uint32_t i = 0; i < plan->node_count; i++)
		node_make_traffic(scenario, plan, &plan->nodes[i]);
	plan_buffers_tell(plan);
	return plan_finish(scenario, plan, false, errors);
}
