#include "orchestrator/plan/plan_real.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/ring.h"
#include "orchestrator/plan/plan_buffer.h"
#include "orchestrator/plan/plan_roce.h"

#define RING_BYTES_REAL (1u << 19) /* fifty of the largest frames; a sender waits for a full ring */
/* flows are distributed over them, so that one that waits does not block all others */
#define HOST_QUEUES 4u

/* removes workloads and pauses: real programs send the traffic, at their own speed */
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

/* @link: links of hosts first, then those between switches, as in plan_make() */
static enum link_medium medium_of(const struct scenario *scenario, uint32_t link)
{
	return link < scenario->host_count
		       ? scenario->hosts[link].link.medium
		       : scenario->links[link - scenario->host_count].settings.medium;
}

/* fills the limit of data in flight, and the buffer for a sender that is notified late */
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
	/* it has no duration: averages are over all the time that it runs */
	node->measure_from_ps = 0;
	node->measure_to_ps = NODE_TIME_NEVER;
	for (uint32_t p = 0; p < node->port_count; p++) {
		struct port_config *port = &node->ports[p];

		port->ring_bytes = RING_BYTES_REAL;
		port->medium = medium_of(scenario, port->link_index);
		/* the kernel may drop frames: the sender must detect it */
		port->guarded = port->guarded || port->medium == MEDIUM_VETH;
		/* of NICs too: a template for links of switches that join */
		port_make_real(scenario, plan, node, port);
	}
	if (node->kind == NODE_NIC) {
		workloads_remove(&node->nic);
		node->nic.host_queues = HOST_QUEUES;
	}
}

/* @spare  for as many ports as a switch can have: plan_spare.h */
static int plan_finish(const struct scenario *scenario, struct plan *plan, bool spare,
		       struct scenario_errors *errors)
{
	int error = 0;

	if (plan_fabric(plan) == FABRIC_ROCE) {
		error = plan_roce_buffers_check_real(scenario, plan, spare, errors);
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
	plan_peer_buffers_fill(plan);
	return plan_finish(scenario, plan, true, errors);
}

/* ---- generated traffic ---- */

/* A ring must hold what is sent while its reader is late: twice the size under the virtual clock,
 * at least RING_BYTES_REAL. */
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
			port->buffer_units = port->stop_units = 0; /* accepts everything */
		/* so there is no limit to a NIC, however late it is */
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
	plan_peer_buffers_fill(plan);
	return plan_finish(scenario, plan, false, errors);
}
