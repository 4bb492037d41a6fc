#include "orchestrator/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "nodes/control/config_check.h"
#include "nodes/link/jitter.h"
#include "nodes/link/link.h"
#include "nodes/wire/frame.h"
#include "orchestrator/plan/plan_buffer.h"
#include "orchestrator/plan/plan_congestion_make.h"
#include "orchestrator/plan/plan_given.h"
#include "orchestrator/plan/plan_reach.h"
#include "orchestrator/plan/plan_roce.h"
#include "orchestrator/plan/plan_routes.h"
#include "orchestrator/plan/plan_routing.h"
#include "orchestrator/plan/plan_workload.h"

/* ---- nodes ---- */

static void node_fill(const struct scenario *scenario, const struct plan *plan, uint32_t index,
		      enum node_kind kind, const char *name)
{
	struct node_config *node = &plan->nodes[index];

	node->kind = kind;
	node->fabric = scenario->fabric;
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->index = index;
	node->node_count = plan->node_count;
	node->seed = plan_mix(scenario->seed, index);
	node->measure_from_ps = scenario->run.warmup_ps;
	node->measure_to_ps = scenario->run.duration_ps;
	node->sample_ps = scenario->run.sample_ps;
	node->packets = scenario->run.packets;
	node->class_count = scenario->class_count;
	node->lanes = 1;
	memcpy(node->classes, scenario->classes, sizeof(node->classes));
}

static int spots_make(const struct scenario *scenario, struct plan *plan)
{
	bool given = false;

	for (uint32_t i = 0; i < scenario->switch_count; i++)
		given |= scenario->switches[i].spot.given;
	for (uint32_t i = 0; i < scenario->host_count; i++)
		given |= scenario->hosts[i].spot.given;
	if (!given)
		return 0;
	plan->spots = calloc(plan->node_count, sizeof(*plan->spots));
	if (!plan->spots)
		return -ENOMEM;
	for (uint32_t i = 0; i < scenario->switch_count; i++)
		plan->spots[i] = scenario->switches[i].spot;
	for (uint32_t i = 0; i < scenario->host_count; i++)
		plan->spots[plan_host_node(plan, i)] = scenario->hosts[i].spot;
	return 0;
}

static int hosts_copy(const struct scenario *scenario, struct plan *plan)
{
	plan->hosts = calloc(plan->host_count, sizeof(*plan->hosts));
	if (!plan->hosts)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->host_count; i++)
		plan->hosts[i] = (struct plan_host){
			.owner = scenario->hosts[i].owner,
			.interface = scenario->hosts[i].interface,
			.settings = scenario_host_settings_hold(scenario->hosts[i].settings),
		};
	return 0;
}

static int nodes_make(const struct scenario *scenario, struct plan *plan)
{
	int error;

	plan->nodes = calloc(plan->node_count, sizeof(*plan->nodes));
	if (!plan->nodes) {
		plan->node_count = 0;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		node_fill(scenario, plan, i, NODE_SWITCH, scenario->switches[i].name);
		plan->nodes[i].switch_ = scenario->switch_;
		plan->nodes[i].switch_.fabric_address = i + 1;
	}
	for (uint32_t i = 0; i < plan->host_count; i++) {
		node_fill(scenario, plan, plan_host_node(plan, i), NODE_NIC,
			  scenario->hosts[i].name);
		plan->nodes[plan_host_node(plan, i)].nic = scenario->nic;
		plan->nodes[plan_host_node(plan, i)].nic.host_index = i;
	}
	error = hosts_copy(scenario, plan);
	return error ? error : spots_make(scenario, plan);
}

/* ---- links and ports: edge ports first in the order of hosts, then fabric ports in the order of
 * links ---- */

/* Counts the ports of every node, rejects switches with none or too many, and allocates them. */
static int ports_alloc(const struct scenario *scenario, struct plan *plan,
		       struct scenario_errors *errors)
{
	unsigned errors_before = errors->count;

	for (uint32_t i = 0; i < scenario->host_count; i++) {
		plan->nodes[scenario->hosts[i].switch_index].port_count++;
		plan->nodes[plan_host_node(plan, i)].port_count = 1;
	}
	for (uint32_t i = 0; i < scenario->link_count; i++) {
		plan->nodes[scenario->links[i].switch_a].port_count++;
		plan->nodes[scenario->links[i].switch_b].port_count++;
	}
	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct node_config *node = &plan->nodes[i];

		if (node->port_count > NODE_PORTS_MAX || !node->port_count) {
			scenario_errors_at(
				errors, scenario, &scenario->switches[i].place,
				node->port_count
					? "switch '%s' has %u hosts and links, but %d ports at most"
					: "switch '%s' has neither host nor link",
				node->name, node->port_count, NODE_PORTS_MAX);
			continue;
		}
		node->ports = calloc(node->port_count, sizeof(*node->ports));
		if (!node->ports)
			return -ENOMEM;
		node->port_count = 0; /* port_fill() counts again */
	}
	return errors->count == errors_before ? 0 : -EINVAL;
}

/* Fills one end of link @link_index: @node's next port, whose other end is @peer_port of @peer. */
static void port_fill(struct node_config *node, const struct node_config *peer, uint32_t peer_port,
		      uint32_t link_index, bool guarded)
{
	struct port_config *port = &node->ports[node->port_count++];
	bool edge = node->kind == NODE_NIC || peer->kind == NODE_NIC;

	*port = (struct port_config){
		.kind = edge ? PORT_EDGE : PORT_FABRIC,
		.peer_index = peer->index,
		.peer_port = peer_port,
		.link_index = link_index,
		.guarded = guarded,
	};
	snprintf(port->peer_name, sizeof(port->peer_name), "%s", peer->name);
}

static void link_fill(const struct scenario *scenario, struct plan *plan, struct node_config *a,
		      struct node_config *b, const struct link_config *settings,
		      const struct link_config *back)
{
	struct plan_link *link = &plan->links[plan->link_count];
	bool guarded =
		scenario->fabric != FABRIC_ROCE && (link_loses(settings) || link_loses(back));
	struct port_config *at_a, *at_b;

	*link = (struct plan_link){
		.node_a = a->index,
		.port_a = a->port_count,
		.node_b = b->index,
		.port_b = b->port_count,
		.rate_bps = settings->rate_bps,
		.delay_ps = settings->delay_ps,
		.mtu_bytes = settings->mtu_bytes,
	};
	port_fill(a, b, link->port_b, plan->link_count, guarded);
	port_fill(b, a, link->port_a, plan->link_count, guarded);
	at_a = &a->ports[link->port_a];
	at_b = &b->ports[link->port_b];
	port_direction_put(at_a, at_b, settings);
	port_direction_put(at_b, at_a, back);
	at_a->medium = at_b->medium = MEDIUM_SHM; /* under the real clock: plan_real.c */
	plan->link_count++;
}

/* fills the link of host @host, and the match fields of its edge port (FC-2) */
static void host_link_fill(const struct scenario *scenario, struct plan *plan, uint32_t host)
{
	struct node_config *edge = &plan->nodes[scenario->hosts[host].switch_index];

	link_fill(scenario, plan, &plan->nodes[plan_host_node(plan, host)], edge,
		  &scenario->hosts[host].link, &scenario->hosts[host].back);
	edge->ports[edge->port_count - 1].match = scenario->hosts[host].match;
}

/* refuses what the protocol of the link does not allow: link_counts_frames() */
static void order_check(const struct scenario *scenario, const struct plan *plan, uint32_t link,
			const struct scenario_place *place, struct scenario_errors *errors)
{
	const struct plan_link *ends = &plan->links[link];
	const struct port_config *a = &plan->nodes[ends->node_a].ports[ends->port_a];
	const struct port_config *b = &plan->nodes[ends->node_b].ports[ends->port_b];

	if (!link_counts_frames(scenario->fabric, a->kind) ||
	    (!a->reorder_ppb && !a->duplicate_ppb && !b->reorder_ppb && !b->duplicate_ppb))
		return;
	scenario_errors_at(errors, scenario, place,
			   "the link from '%s' to '%s' cannot reorder or duplicate packets: %s",
			   plan->nodes[ends->node_a].name, plan->nodes[ends->node_b].name,
			   scenario->fabric == FABRIC_PORT_GROUP
				   ? "its credits count them. loss, bit-errors, corrupt and jitter "
				     "are allowed"
				   : "links between switches of kind flow-channel number their "
				     "frames. links.edge may, and all links of kind roce");
}

static int links_make(const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors)
{
	unsigned errors_before = errors->count;

	plan->links =
		calloc((size_t)scenario->host_count + scenario->link_count, sizeof(*plan->links));
	if (!plan->links)
		return -ENOMEM;
	for (uint32_t i = 0; i < scenario->host_count; i++)
		host_link_fill(scenario, plan, i);
	for (uint32_t i = 0; i < scenario->link_count; i++)
		link_fill(scenario, plan, &plan->nodes[scenario->links[i].switch_a],
			  &plan->nodes[scenario->links[i].switch_b], &scenario->links[i].settings,
			  &scenario->links[i].back);
	for (uint32_t i = 0; i < plan->link_count && errors->count == errors_before; i++)
		order_check(scenario, plan, i,
			    i < scenario->host_count
				    ? &scenario->hosts[i].place
				    : &scenario->links[i - scenario->host_count].place,
			    errors);
	return errors->count == errors_before ? 0 : -EINVAL;
}

/* ---- time ---- */

/* Finds the shortest time in which a node can affect another one (TB-7). */
static int lookahead_find(const struct scenario *scenario, struct plan *plan,
			  struct scenario_errors *errors)
{
	plan->lookahead_ps = NODE_TIME_NEVER;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct node_config *node = &plan->nodes[i];

		for (uint32_t p = 0; p < node->port_count; p++) {
			node_time_t lead_ps = plan_latency_ps(node) + node->ports[p].delay_ps;

			plan->lookahead_ps = node_time_min(plan->lookahead_ps, lead_ps);
			if (lead_ps)
				continue;
			scenario_errors_at(errors, scenario, &scenario->topology_place,
					   "from '%s' to '%s' nothing takes time: give the link a "
					   "delay or the %s a latency",
					   node->name, node->ports[p].peer_name,
					   plan_kind_word(node));
			return -EINVAL;
		}
	}
	return 0;
}

/* The most frames that the link at @port carries in @span_ps: the lower of two bounds. All frames
 * are the shortest; or, as only the last frame of a message is short, frames have the mean length,
 * and each flow has one short frame in addition. */
static uint64_t frames_in(node_time_t span_ps, const struct port_config *port,
			  const struct plan_frames *frames, uint64_t flows)
{
	uint32_t more_bytes = FRAME_FCS_BYTES + port->gap_bytes;
	uint64_t bytes = node_bytes_in_time(span_ps, port->rate_bps);
	uint64_t of_least = bytes / (frames->least_bytes + more_bytes);
	uint64_t of_mean = bytes / (frames->mean_bytes + more_bytes) + flows;

	return of_least < of_mean ? of_least : of_mean;
}

/* The bytes of all records that can be in flight in one direction of a link: with a ring of this
 * size none overflows under the virtual clock.
 *
 * A record occupies its ring from the sender's decision until the receiver has handled its last bit
 * and has released the record at the end of its window. The sender may be a window ahead, the
 * receiver a window late, and the sender detects the release a window late: 3 lookaheads. Latency,
 * propagation and the time of two frames are added (ring_bytes_for()). In that time the link
 * carries frames_in() frames of the workloads' lengths. The shortest Ethernet frames would take
 * twenty times the memory.
 * Each frame may need a record of a packet (192 bytes: header, fabric header, captured headers), an
 * ACK of a packet of the other direction (64 bytes in a frame of its own, less in a shared one) and
 * link control words (64 bytes each). A quarter is added. */
static uint64_t records_bytes(node_time_t span_ps, const struct port_config *port,
			      const struct plan_frames *frames, uint64_t flows)
{
	uint64_t record_bytes = 192 + 64 + (port->guarded ? 4 : 2) * RING_LINE;

	return (frames_in(span_ps, port, frames, flows) + 8) * record_bytes * 5 / 4;
}

/* records_bytes() for a fabric of kind roce. A link carries frames only, but all of them may be as
 * short as an ACK or a PFC frame. A record has 128 bytes, or 192 if more than 96 bytes of its frame
 * are captured. */
static uint64_t roce_records_bytes(node_time_t span_ps, const struct port_config *port)
{
	uint64_t bytes = node_bytes_in_time(span_ps, port->rate_bps);
	uint64_t of_shortest = bytes / (FRAME_BYTES_MIN + FRAME_FCS_BYTES + port->gap_bytes) * 128;
	uint64_t of_longer = bytes / (97 + FRAME_FCS_BYTES + port->gap_bytes) * 192;

	return (of_shortest > of_longer ? of_shortest : of_longer) + 8 * 192;
}

/* Return: the size of the ring of @node at @port, a power of two; 0: a ring cannot be so large */
static uint32_t ring_bytes_for(const struct plan *plan, const struct node_config *node,
			       const struct port_config *port, const struct plan_frames *frames)
{
	const struct node_config *peer = &plan->nodes[port->peer_index];
	const struct node_config *nic = node->kind == NODE_NIC ? node : peer;
	node_time_t span_ps = 3 * plan->lookahead_ps + jitter_delay_max_ps(port) +
			      2 * plan_latency_ps(node) +
			      2 * node_time_of_bytes(port->mtu_bytes + 64, port->rate_bps);
	uint64_t flows = nic->kind == NODE_NIC ? nic->nic.flows_max : frames->flows;
	uint64_t bytes = node->fabric == FABRIC_ROCE ? roce_records_bytes(span_ps, port)
						     : records_bytes(span_ps, port, frames, flows);
	uint32_t ring_size = RING_BYTES_MIN;

	while (ring_size < RING_BYTES_MAX && ring_capacity(ring_size, LINK_HEADERS_MAX) < bytes)
		ring_size *= 2;
	return ring_capacity(ring_size, LINK_HEADERS_MAX) < bytes ? 0 : ring_size;
}

static int rings_size(const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors)
{
	struct plan_frames frames = plan_frames_of(scenario);

	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct node_config *node = &plan->nodes[i];

		for (uint32_t p = 0; p < node->port_count; p++) {
			node->ports[p].ring_bytes =
				ring_bytes_for(plan, node, &node->ports[p], &frames);
			if (node->ports[p].ring_bytes)
				continue;
			scenario_errors_at(errors, scenario, &scenario->topology_place,
					   "too much is in flight from '%s' to '%s': make the "
					   "delay shorter, the rate lower or the packets longer",
					   node->name, node->ports[p].peer_name);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- routes ---- */

/* Gives every switch the address and the egress port of each host. */
static int hosts_fill(const struct scenario *scenario, struct plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct switch_config *config = &plan->nodes[i].switch_;

		config->hosts = calloc(plan->host_count, sizeof(*config->hosts));
		if (!config->hosts)
			return -ENOMEM;
		config->host_count = plan->host_count;
		for (uint32_t h = 0; h < plan->host_count; h++)
			config->hosts[h] = (struct host_config){
				.host_index = h,
				.fabric_address = scenario->hosts[h].switch_index + 1,
				.egress_port = plan->links[h].port_b,
			};
	}
	return 0;
}

int plan_prefixes_copy(const struct plan *plan, struct switch_config *config)
{
	config->prefix_count = 0;
	config->prefixes =
		plan->prefix_count ? calloc(plan->prefix_count, sizeof(*config->prefixes)) : NULL;
	if (!plan->prefix_count)
		return 0;
	if (!config->prefixes)
		return -ENOMEM;
	memcpy(config->prefixes, plan->prefixes, plan->prefix_count * sizeof(*config->prefixes));
	config->prefix_count = plan->prefix_count;
	return 0;
}

/* Gives every switch the prefixes of the networks behind the hosts. */
static int prefixes_fill(const struct scenario *scenario, struct plan *plan)
{
	int error = 0;

	plan->prefixes = calloc(scenario->prefix_count, sizeof(*plan->prefixes));
	if (!plan->prefixes)
		return -ENOMEM;
	for (; plan->prefix_count < scenario->prefix_count; plan->prefix_count++)
		plan->prefixes[plan->prefix_count] = scenario->prefixes[plan->prefix_count].config;
	for (uint32_t i = 0; i < plan->switch_count && !error; i++)
		error = plan_prefixes_copy(plan, &plan->nodes[i].switch_);
	return error;
}

/* Lanes cannot be added later. So if the scenario does not give their number, there are enough for
 * the paths around its faults, up to the maximum. */
static int lanes_spare(const struct scenario *scenario, struct plan *plan, struct why *why)
{
	struct routing_request request = plan_routing_request(scenario);
	uint32_t hops;
	int error;

	if (request.lanes || plan->routing.lane_rule != LANES_BY_HOP || !plan->faults.count)
		return 0;
	error = plan_faults_hops(plan, &hops);
	if (error || hops <= plan->routing.lanes || plan->routing.lanes == request.lanes_max)
		return error;
	request.lanes = hops < request.lanes_max ? hops : request.lanes_max;
	plan->routing = request;
	return plan_routes_make(plan, why);
}

static int routes_make(const struct scenario *scenario, struct plan *plan,
		       struct scenario_errors *errors)
{
	bool is_said = scenario->routing.place.line || scenario->routing.place.setting;
	const struct scenario_place *place =
		is_said ? &scenario->routing.place : &scenario->topology_place;
	struct why why;
	int error;

	plan->routing = plan_routing_request(scenario);
	error = plan_given_make(scenario, plan, errors);
	if (error)
		return error;
	error = plan_routes_make(plan, &why);
	if (!error)
		error = lanes_spare(scenario, plan, &why);
	if (error == -EINVAL)
		scenario_errors_at(errors, scenario, place, "%s", why.text);
	return error;
}

/* ---- pauses ---- */

static int pauses_make(const struct scenario *scenario, struct plan *plan)
{
	for (uint32_t i = 0; i < scenario->pause_count; i++)
		plan->nodes[plan_host_node(plan, scenario->pauses[i].host)].nic.pause_count++;
	for (uint32_t i = 0; i < plan->host_count; i++) {
		struct nic_config *nic = &plan->nodes[plan_host_node(plan, i)].nic;

		nic->pauses =
			nic->pause_count ? calloc(nic->pause_count, sizeof(*nic->pauses)) : NULL;
		if (nic->pause_count && !nic->pauses)
			return -ENOMEM;
		nic->pause_count = 0;
	}
	for (uint32_t i = 0; i < scenario->pause_count; i++) {
		struct nic_config *nic =
			&plan->nodes[plan_host_node(plan, scenario->pauses[i].host)].nic;

		nic->pauses[nic->pause_count] = scenario->pauses[i].config;
		nic->pauses[nic->pause_count++].stop_ps = node_time_min(
			scenario->pauses[i].config.stop_ps, scenario->run.duration_ps);
	}
	return 0;
}

/* ---- the whole ---- */

static int expectations_copy(const struct scenario *scenario, struct plan *plan)
{
	plan->expectations = calloc(scenario->expectation_count, sizeof(*plan->expectations));
	if (!plan->expectations)
		return -ENOMEM;
	for (uint32_t i = 0; i < scenario->expectation_count; i++) {
		plan->expectations[i] = scenario->expectations[i];
		plan->expectations[i].text = strdup(scenario->expectations[i].text);
		if (!plan->expectations[i].text)
			return -ENOMEM;
		plan->expectation_count++;
	}
	return 0;
}

int plan_nodes_check(const struct scenario *scenario, const struct plan *plan,
		     struct scenario_errors *errors)
{
	struct why why;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		if (!node_config_check(&plan->nodes[i], &why))
			continue;
		scenario_errors_at(errors, scenario, &scenario->topology_place,
				   "node '%s' cannot be built: %s", plan->nodes[i].name, why.text);
		return -EINVAL;
	}
	return 0;
}

static int parts_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		      struct scenario_errors *errors)
{
	/* the first error ends it */
	return nodes_make(scenario, plan)
	       ?: ports_alloc(scenario, plan, errors)
	       ?: links_make(scenario, plan, errors)
	       ?: plan_faults_make(clock, scenario, plan, errors)
	       ?: routes_make(scenario, plan, errors)
	       ?: plan_reach_check(scenario, plan, errors)
	       ?: plan_buffers_make(clock, scenario, plan, errors)
	       ?: lookahead_find(scenario, plan, errors)
	       ?: hosts_fill(scenario, plan)
	       ?: prefixes_fill(scenario, plan)
	       ?: plan_congestion_make(clock, scenario, plan, errors)
	       ?: plan_routing_make(clock, scenario, plan)
	       ?: plan_roce_make(clock, scenario, plan, errors)
	       ?: plan_workloads_make(scenario, plan, errors)
	       ?: pauses_make(scenario, plan)
	       ?: rings_size(scenario, plan, errors)
	       ?: expectations_copy(scenario, plan);
}

int plan_make_for(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		  struct scenario_errors *errors)
{
	int error;

	*plan = (struct plan){
		.origin = origin_hold(scenario->origin),
		.seed = scenario->seed,
		.dilation = scenario->dilation,
		.duration_ps = scenario->run.duration_ps,
		.warmup_ps = scenario->run.warmup_ps,
		.drain = scenario->run.drain,
		.drain_max_ps = scenario->run.duration_ps + scenario->run.drain_max_ps,
		.match = scenario->match,
		.switch_count = scenario->switch_count,
		.host_count = scenario->host_count,
		.node_count = scenario->switch_count + scenario->host_count,
	};
	snprintf(plan->scenario, sizeof(plan->scenario), "%s", scenario->name);
	snprintf(plan->file, sizeof(plan->file), "%s", scenario->file);
	error = parts_make(clock, scenario, plan, errors);
	if (error)
		plan_free(plan);
	return error;
}

int plan_make(const struct scenario *scenario, struct plan *plan, struct scenario_errors *errors)
{
	int error = scenario_run_check(scenario, errors);

	*plan = (struct plan){ 0 };
	if (!error)
		error = plan_make_for(CLOCK_VIRTUAL, scenario, plan, errors);
	if (error)
		return error;
	error = plan_nodes_check(scenario, plan, errors);
	if (error)
		plan_free(plan);
	return error;
}

void plan_free(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		node_config_free(&plan->nodes[i]);
	for (uint32_t i = 0; i < plan->expectation_count; i++)
		free(plan->expectations[i].text);
	for (uint32_t i = 0; plan->hosts && i < plan->host_count; i++)
		scenario_host_settings_release(plan->hosts[i].settings);
	plan_faults_free(&plan->faults);
	origin_release(plan->origin);
	free(plan->nodes);
	free(plan->hosts);
	free(plan->spots);
	free(plan->machine_of);
	free(plan->machine_names);
	free(plan->links);
	free(plan->prefixes);
	free(plan->workloads);
	free(plan->expectations);
	free(plan->routes_said);
	memset(plan, 0, sizeof(*plan));
}

const struct node_config *plan_node_find(const struct plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		if (!strcmp(plan->nodes[i].name, name))
			return &plan->nodes[i];
	return NULL;
}
