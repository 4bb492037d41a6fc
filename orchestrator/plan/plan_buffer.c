#include "orchestrator/plan/plan_buffer.h"

#include <errno.h>

#include "nodes/base/number.h"
#include "nodes/base/units.h"
#include "nodes/link/jitter.h"
#include "nodes/link/link.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"

#define FLIGHT_PACKETS_MIN (4 * LINK_SEEN_FRAMES) /* a guarded link reports them in portions */
#define FLIGHT_UNITS_MAX (1u << 22)
#define PACKETS_MIN 2u /* of the MTU, below the STOP level: one is sent, one arrives */

/* ---- the virtual clock ---- */

/* STOP waits for a frame on its own link, then travels to the sender. What the sender decides until
 * then still travels, and a frame counts at its last bit. During all that time the shortest frames
 * may arrive, each in a unit of its own. Added are the output queue of a sending fabric port, and
 * two packets: the one that rose above the level, and the rounding to whole packets. */
uint64_t plan_buffer_reserve_units(const struct node_config *sender,
				   const struct node_config *receiver,
				   const struct port_config *port)
{
	bool fabric = port->kind == PORT_FABRIC;
	uint32_t around_bytes =
		FRAME_FCS_BYTES + port->gap_bytes + (fabric ? FABRIC_HEADER_BYTES : 0);
	const struct port_config *from = &sender->ports[port->peer_port];
	node_time_t own_ps = node_time_of_bytes(port->mtu_bytes + around_bytes, port->rate_bps);
	node_time_t longest_ps = node_time_of_bytes(port->mtu_bytes + around_bytes, from->rate_bps);
	node_time_t word_ps = node_time_of_bytes(LINK_WORD_BYTES, port->rate_bps);
	node_time_t told_ps =
		own_ps + word_ps + plan_latency_ps(receiver) + jitter_delay_max_ps(port);
	node_time_t span_ps =
		told_ps + plan_latency_ps(sender) + jitter_delay_max_ps(from) + longest_ps;
	uint64_t bytes = node_bytes_in_time(span_ps, from->rate_bps);

	return bytes / (FRAME_BYTES_MIN + around_bytes) + 1 + 2 * units_of_bytes(port->mtu_bytes) +
	       (fabric ? sender->switch_.output_queue_units_max : 0);
}

/* The buffer of a virtual lane: an equal share of its class's buffer, at least @needed_units. Links
 * of hosts use one lane. */
static uint64_t lane_units(const struct scenario *scenario, const struct node_config *node,
			   const struct port_config *port, uint64_t needed_units)
{
	uint64_t buffer_units = scenario->buffer_bytes / UNIT_BYTES;

	if (port->kind == PORT_EDGE || buffer_units < needed_units)
		return buffer_units;
	return number_max(buffer_units / node->lanes, needed_units);
}

/* fills the input buffer of @node at @port. Return: 0; the units that it needs if it has fewer */
static uint64_t buffer_make(enum clock_kind clock, const struct scenario *scenario,
			    const struct plan *plan, const struct node_config *node,
			    struct port_config *port)
{
	const struct node_config *sender = &plan->nodes[port->peer_index];
	bool stops = clock == CLOCK_VIRTUAL && scenario->fabric == FABRIC_FLOW_CHANNEL;
	uint64_t reserve_units = stops ? plan_buffer_reserve_units(sender, node, port) : 0;
	uint64_t needed_units = reserve_units + PACKETS_MIN * units_of_bytes(port->mtu_bytes);
	uint64_t buffer_units = lane_units(scenario, node, port, needed_units);

	if (buffer_units < needed_units)
		return needed_units;
	if (clock == CLOCK_VIRTUAL)
		port->buffer_units = (uint32_t)buffer_units;
	if (stops)
		port->stop_units = (uint32_t)(buffer_units - reserve_units);
	return 0;
}

static int input_buffers_make(enum clock_kind clock, const struct scenario *scenario,
			      struct plan *plan, struct scenario_errors *errors)
{
	const struct node_config *worst = NULL;
	const struct port_config *worst_port = NULL;
	uint64_t worst_units = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t p = 0; p < plan->nodes[i].port_count; p++) {
			uint64_t needed_units = buffer_make(clock, scenario, plan, &plan->nodes[i],
							    &plan->nodes[i].ports[p]);

			if (needed_units <= worst_units)
				continue;
			worst = &plan->nodes[i];
			worst_port = &worst->ports[p];
			worst_units = needed_units;
		}
	if (!worst)
		return 0;
	scenario_errors_at(errors, scenario, &scenario->buffer_place,
			   "the switches' buffer of %llu bytes is too small for the link from '%s' "
			   "to '%s': %llu at least, for %stwo packets of the MTU",
			   (unsigned long long)scenario->buffer_bytes, worst_port->peer_name,
			   worst->name, (unsigned long long)worst_units * UNIT_BYTES,
			   clock == CLOCK_VIRTUAL && scenario->fabric == FABRIC_FLOW_CHANNEL
				   ? "the data in flight until a sender has stopped and "
				   : "");
	return -EINVAL;
}

static int output_queues_check(const struct scenario *scenario, const struct plan *plan,
			       struct scenario_errors *errors)
{
	uint32_t mtu_bytes = 0;
	uint64_t needed_bytes,
		bytes = (uint64_t)scenario->switch_.output_queue_units_max * UNIT_BYTES;

	for (uint32_t i = 0; i < plan->link_count; i++)
		if (plan->links[i].mtu_bytes > mtu_bytes)
			mtu_bytes = plan->links[i].mtu_bytes;
	needed_bytes = (uint64_t)UNIT_BYTES * units_of_bytes(mtu_bytes);
	if (bytes >= needed_bytes)
		return 0;
	scenario_errors_at(errors, scenario, &scenario->output_queue_place,
			   "the switches' output-queue of %llu bytes cannot hold a packet of the "
			   "MTU: %llu at least",
			   (unsigned long long)bytes, (unsigned long long)needed_bytes);
	return -EINVAL;
}

/* A NIC takes all that arrives at once. One that pauses has a buffer, so that it can withhold
 * credit from its switch: what keeps its link busy when it does not pause, with grants of a part of
 * it. */
static void pausing_buffers_make(const struct scenario *scenario, struct plan *plan)
{
	for (uint32_t i = 0; i < scenario->pause_count; i++) {
		const struct node_config *nic =
			&plan->nodes[plan_host_node(plan, scenario->pauses[i].host)];
		struct port_config *port = &nic->ports[0];
		uint64_t units =
			plan_buffer_reserve_units(&plan->nodes[port->peer_index], nic, port);

		port->buffer_units = (uint32_t)(units * CREDIT_PARTS / (CREDIT_PARTS - 1));
	}
}

void plan_peer_buffers_fill(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count && plan_fabric(plan) == FABRIC_PORT_GROUP; i++)
		for (uint32_t p = 0; p < plan->nodes[i].port_count; p++) {
			struct port_config *port = &plan->nodes[i].ports[p];
			uint32_t units =
				plan->nodes[port->peer_index].ports[port->peer_port].buffer_units;

			port->peer_units =
				port->medium == MEDIUM_SHM ? (units ? units : CREDIT_ALL) : 0;
		}
}

int plan_buffers_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors)
{
	int error;

	if (scenario->fabric == FABRIC_ROCE)
		return 0;
	error = output_queues_check(scenario, plan, errors);
	if (!error)
		error = input_buffers_make(clock, scenario, plan, errors);
	if (error)
		return error;
	if (scenario->fabric == FABRIC_PORT_GROUP)
		pausing_buffers_make(scenario, plan);
	plan_peer_buffers_fill(plan);
	return 0;
}

/* ---- the real clock ---- */

/* The limit of data in flight: twice what the link itself holds, and at least a buffer, so that a
 * receiver which is late has data to process. */
static uint64_t flight_units(const struct port_config *port, uint64_t buffer_units)
{
	uint64_t link_bytes = node_bytes_in_time(jitter_delay_max_ps(port), port->rate_bps);
	uint64_t units = number_max(2 * link_bytes / UNIT_BYTES, buffer_units);

	units = number_max(units, FLIGHT_PACKETS_MIN * units_of_bytes(port->mtu_bytes));
	return units < FLIGHT_UNITS_MAX ? units : FLIGHT_UNITS_MAX;
}

void plan_buffer_make_real(const struct scenario *scenario, const struct node_config *node,
			   struct port_config *port)
{
	uint64_t buffer_units =
		lane_units(scenario, node, port, PACKETS_MIN * units_of_bytes(port->mtu_bytes));

	port->flight_units = (uint32_t)flight_units(port, buffer_units);
	port->stop_units =
		(uint32_t)number_max(buffer_units, PACKETS_MIN * units_of_bytes(port->mtu_bytes));
	port->buffer_units =
		port->stop_units + port->flight_units + scenario->switch_.output_queue_units_max;
}
