#include "orchestrator/plan/plan_real.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "nodes/link/jitter.h"
#include "orchestrator/plan/plan_buffer.h"
#include "orchestrator/plan/plan_roce.h"

/* fifty of the largest frames, or what is in flight four times; a sender waits for a full ring */
#define RING_BYTES_REAL (1u << 19)
#define RING_FLIGHTS 4u
/* A tunnel cannot make its far end wait: what arrives while the node is late for so long must fit
 * into the ring, beside what is in flight. Only what is used takes memory. */
#define TUNNEL_LATE_PS (200 * NODE_MS)
#define TUNNEL_RING_BYTES_MAX (1u << 26)
/* flows are distributed over them, so that one that waits does not block all others */
#define HOST_QUEUES 4u
/* completed messages of which a NIC keeps the times: the last ones */
#define MESSAGES_MAX 4096u

/* A workload has no end but its own: the fabric runs until it is ended. One with `up: no` waits. */
static void workload_make_real(const struct scenario *scenario, struct workload_config *workload)
{
	const struct scenario_workload *said = &scenario->workloads[workload->workload_index];

	workload->stop_ps = said->stop_ps == NODE_TIME_NEVER ? 0 : said->stop_ps;
	workload->from_ps = said->up ? 0 : NODE_TIME_NEVER;
}

static void nic_make_real(const struct scenario *scenario, struct nic_config *nic)
{
	for (uint32_t i = 0; i < nic->workload_count; i++)
		workload_make_real(scenario, &nic->workloads[i]);
	if (!scenario->workload_count)
		nic->messages_max = 1;
	else if (nic->messages_max > MESSAGES_MAX)
		nic->messages_max = MESSAGES_MAX;
	nic->host_queues = HOST_QUEUES;
}

/* the pauses of each NIC again, in the order of pauses_make(), without the end of a run */
static void pauses_make_real(const struct scenario *scenario, struct plan *plan)
{
	for (uint32_t host = 0; host < plan->host_count; host++)
		plan->nodes[plan_host_node(plan, host)].nic.pause_count = 0;
	for (uint32_t i = 0; i < scenario->pause_count; i++) {
		const struct pause_config *said = &scenario->pauses[i].config;
		struct nic_config *nic =
			&plan->nodes[plan_host_node(plan, scenario->pauses[i].host)].nic;

		nic->pauses[nic->pause_count++].stop_ps =
			said->stop_ps == NODE_TIME_NEVER ? 0 : said->stop_ps;
	}
}

/* @link: links of hosts first, then those between switches, as in plan_make() */
static enum link_medium medium_of(const struct scenario *scenario, uint32_t link)
{
	enum link_medium said =
		link < scenario->host_count
			? scenario->hosts[link].link.medium
			: scenario->links[link - scenario->host_count].settings.medium;

	/* a saved fabric of several machines */
	return said == MEDIUM_TUNNEL ? MEDIUM_SHM : said;
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

static int prefix_compare(const void *a, const void *b)
{
	return prefix_order(a, b);
}

/* the addresses of @interface that the scenario gives, or (prefixes NULL) their number */
static uint32_t own_addresses(const struct host_interface *interface, uint32_t host,
			      struct prefix_config *prefixes)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < interface->address_count; i++) {
		const struct host_address *address = &interface->addresses[i];

		if (scenario_host_address_is_default(address))
			continue;
		if (prefixes) {
			prefixes[count] = (struct prefix_config){
				.host_index = host,
				.version = address->ip.version,
				.bits = (uint8_t)prefix_bits_max(address->ip.version),
				.own = true,
			};
			memcpy(prefixes[count].address, address->ip.bytes,
			       sizeof(prefixes[count].address));
		}
		count++;
	}
	return count;
}

/* Switches find a host by its own addresses as by those of its number. VLANs have none: the same
 * address may be in several. */
static int addresses_make(struct plan *plan)
{
	uint32_t count = plan->prefix_count;
	struct prefix_config *all;
	int error = 0;

	for (uint32_t i = 0; i < plan->host_count; i++)
		count += own_addresses(plan_host_interface(plan, i), i, NULL);
	if (count == plan->prefix_count || plan_fabric(plan) == FABRIC_PORT_GROUP)
		return 0;
	all = reallocarray(plan->prefixes, count, sizeof(*all));
	if (!all)
		return -ENOMEM;
	plan->prefixes = all;
	for (uint32_t i = 0; i < plan->host_count; i++)
		plan->prefix_count +=
			own_addresses(plan_host_interface(plan, i), i, all + plan->prefix_count);
	qsort(all, count, sizeof(*all), prefix_compare);
	for (uint32_t i = 0; i < plan->switch_count && !error; i++) {
		free(plan->nodes[i].switch_.prefixes);
		error = plan_prefixes_copy(plan, &plan->nodes[i].switch_);
	}
	return error;
}

/* A ring stands for a link: it holds whole frames for as long as the link is, and as long again
 * while its reader is late. */
static uint32_t ring_make_real(const struct node_config *node, const struct port_config *port)
{
	node_time_t span_ps = jitter_delay_max_ps(port) + plan_latency_ps(node);
	uint64_t bytes = node_bytes_in_time(RING_FLIGHTS * span_ps, port->rate_bps);
	uint32_t ring_bytes = RING_BYTES_REAL;

	while (ring_bytes < RING_BYTES_MAX && ring_bytes < bytes)
		ring_bytes *= 2;
	return ring_bytes;
}

static uint32_t tunnel_ring_bytes(const struct port_config *port)
{
	uint64_t needed = node_bytes_in_time(port->delay_ps + TUNNEL_LATE_PS, port->rate_bps);
	uint32_t bytes = RING_BYTES_REAL;

	while (bytes < TUNNEL_RING_BYTES_MAX && bytes < needed)
		bytes *= 2;
	return bytes;
}

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

		port->ring_bytes = port->medium == MEDIUM_TUNNEL ? tunnel_ring_bytes(port)
								 : ring_make_real(node, port);
		if (port->medium != MEDIUM_TUNNEL)
			port->medium = medium_of(scenario, port->link_index);
		/* the kernel or a network may drop frames: the sender must detect it */
		port->guarded = port->guarded || port->medium != MEDIUM_SHM;
		/* of NICs too: a template for links of switches that join */
		port_make_real(scenario, plan, node, port);
	}
	if (node->kind == NODE_NIC)
		nic_make_real(scenario, &node->nic);
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
	return plan_make_machines(scenario, NULL, plan, errors);
}

int plan_make_machines(const struct scenario *scenario, const struct machine_list *machines,
		       struct plan *plan, struct scenario_errors *errors)
{
	int error = plan_make_for(CLOCK_REAL, scenario, plan, errors);

	if (error)
		return error;
	error = addresses_make(plan);
	if (!error && machines)
		error = plan_machines_make(scenario, machines, plan, errors);
	if (error) {
		plan_free(plan);
		return error;
	}
	for (uint32_t i = 0; i < plan->node_count; i++)
		node_make_real(scenario, plan, &plan->nodes[i]);
	pauses_make_real(scenario, plan);
	plan->faults.window_ps = 0; /* no duration, so no windows of it */
	plan_peer_buffers_fill(plan);
	return plan_finish(scenario, plan, true, errors);
}

void plan_hold(struct plan *plan)
{
	for (uint32_t host = 0; host < plan->host_count; host++) {
		struct nic_config *nic = &plan->nodes[plan_host_node(plan, host)].nic;

		for (uint32_t i = 0; i < nic->workload_count; i++)
			nic->workloads[i].from_ps = NODE_TIME_NEVER;
		nic->pauses_from_ps = NODE_TIME_NEVER;
	}
	plan->faults.held = true;
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
		if (node->kind == NODE_NIC &&
		    (plan_fabric(plan) != FABRIC_PORT_GROUP || !node->nic.pause_count))
			port->buffer_units = port->stop_units = 0; /* accepts everything */
		/* so there is no limit to a NIC, however late it is */
		else if (port->kind == PORT_EDGE)
			port->flight_units = 0;
	}
}

int plan_make_traffic(const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors)
{
	int error = scenario_run_check(scenario, errors);

	*plan = (struct plan){ 0 };
	if (!error)
		error = plan_make_for(CLOCK_REAL, scenario, plan, errors);
	if (error)
		return error;
	for (uint32_t i = 0; i < plan->node_count; i++)
		node_make_traffic(scenario, plan, &plan->nodes[i]);
	plan_peer_buffers_fill(plan);
	return plan_finish(scenario, plan, false, errors);
}
