#include "orchestrator/plan/plan_spare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/number.h"
#include "orchestrator/plan/plan_roce.h"
#include "orchestrator/plan/plan_routing.h"
#include "orchestrator/plan/plan_workload.h"

/* ---- vacant places ---- */

/* the places of nodes that join are on this machine */
static int machines_widen(struct plan *plan, uint32_t more_switches, uint32_t more_hosts)
{
	uint8_t *machine_of = malloc(plan->node_count + more_switches + more_hosts);

	if (!machine_of)
		return -ENOMEM;
	memset(machine_of, (int)plan->machine, plan->node_count + more_switches + more_hosts);
	memcpy(machine_of, plan->machine_of, plan->switch_count);
	memcpy(machine_of + plan->switch_count + more_switches,
	       plan->machine_of + plan->switch_count, plan->host_count);
	free(plan->machine_of);
	plan->machine_of = machine_of;
	return 0;
}

/* nodes from index @from on have moved up by @by: their peers and links follow */
static void indices_shift(struct plan *plan, uint32_t from, uint32_t by)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		for (uint32_t p = 0; p < plan->nodes[i].port_count; p++)
			if (plan->nodes[i].ports[p].peer_index >= from)
				plan->nodes[i].ports[p].peer_index += by;
	for (uint32_t i = 0; i < plan->link_count; i++) {
		struct plan_link *link = &plan->links[i];

		link->node_a += link->node_a >= from ? by : 0;
		link->node_b += link->node_b >= from ? by : 0;
	}
}

/* NICs move to higher indices, after the places of the new switches */
static int nodes_widen(struct plan *plan)
{
	uint32_t free_places = NODE_COUNT_MAX - plan->node_count, switches = plan->switch_count;
	uint32_t more_switches = number_min32(PLAN_SPARE_SWITCHES, free_places / 2);
	uint32_t more_hosts = number_min32(PLAN_SPARE_HOSTS, free_places - more_switches);
	uint32_t node_count = plan->node_count + more_switches + more_hosts;
	struct node_config *nodes = calloc(node_count, sizeof(*nodes));
	struct plan_host *hosts =
		reallocarray(plan->hosts, plan->host_count + more_hosts, sizeof(*hosts));

	plan->hosts = hosts ? hosts : plan->hosts;
	if (!nodes || !hosts ||
	    (plan->machine_of && machines_widen(plan, more_switches, more_hosts))) {
		free(nodes);
		return -ENOMEM;
	}
	memset(hosts + plan->host_count, 0, more_hosts * sizeof(*hosts));
	memcpy(nodes, plan->nodes, switches * sizeof(*nodes));
	memcpy(nodes + switches + more_switches, plan->nodes + switches,
	       plan->host_count * sizeof(*nodes));
	free(plan->nodes);
	plan->nodes = nodes;
	free(plan->spots); /* of the former places; no recording is made with spare ones */
	plan->spots = NULL;
	plan->switch_count += more_switches;
	plan->host_count += more_hosts;
	plan->node_count = node_count;
	for (uint32_t i = 0; i < node_count; i++) {
		nodes[i].kind = i < plan->switch_count ? NODE_SWITCH : NODE_NIC;
		nodes[i].index = i;
		nodes[i].node_count = node_count;
	}
	indices_shift(plan, switches, more_switches);
	return 0;
}

static int links_widen(struct plan *plan)
{
	uint32_t count = plan->link_count + PLAN_SPARE_LINKS;
	struct plan_link *links = realloc(plan->links, count * sizeof(*links));

	if (!links)
		return -ENOMEM;
	plan->links = links;
	for (; plan->link_count < count; plan->link_count++)
		links[plan->link_count] = (struct plan_link){ .vacant = true };
	return 0;
}

/* a vacant port with the largest MTU, headroom and number of channels that any port has */
static struct port_config vacant_port(const struct plan *plan)
{
	struct port_config port = { .vacant = true };

	for (uint32_t i = 0; i < plan->node_count; i++)
		for (uint32_t p = 0; p < plan->nodes[i].port_count; p++) {
			const struct port_config *other = &plan->nodes[i].ports[p];

			port.mtu_bytes = number_max32(port.mtu_bytes, other->mtu_bytes);
			port.channels = number_max32(port.channels, other->channels);
			port.headroom_bytes =
				number_max(port.headroom_bytes, other->headroom_bytes);
		}
	return port;
}

static int ports_widen(const struct plan *plan, struct node_config *node, uint32_t port_count,
		       const struct port_config *vacant)
{
	struct port_config *ports = realloc(node->ports, port_count * sizeof(*ports));

	if (!ports)
		return -ENOMEM;
	node->ports = ports;
	while (node->port_count < port_count)
		ports[node->port_count++] = *vacant;
	if (node->fabric == FABRIC_ROCE && node->kind == NODE_SWITCH)
		plan_roce_buffer_make(plan, node);
	return 0;
}

int plan_spare_make(struct plan *plan)
{
	const struct port_config vacant = vacant_port(plan);
	int error = nodes_widen(plan);

	if (!error)
		error = links_widen(plan);
	for (uint32_t i = 0; i < plan->switch_count && !error; i++)
		if (!plan_vacant(plan, i))
			error = ports_widen(
				plan, &plan->nodes[i],
				number_min32(plan->nodes[i].port_count + PLAN_SPARE_PORTS,
					     NODE_PORTS_MAX),
				&vacant);
	return error;
}

/* ---- nodes ---- */

/* the first place of @kind that is @vacant, or is not; -ENOSPC */
static int64_t place_find(const struct plan *plan, enum node_kind kind, bool vacant)
{
	uint32_t from = kind == NODE_SWITCH ? 0 : plan->switch_count;
	uint32_t to = kind == NODE_SWITCH ? plan->switch_count : plan->node_count;

	for (uint32_t i = from; i < to; i++)
		if (plan_vacant(plan, i) == vacant)
			return i;
	return -ENOSPC;
}

/* a host that joins has the default addresses of its place */
static int host_add(struct plan *plan, uint32_t index)
{
	struct scenario_host_settings *settings = scenario_host_settings_new();

	plan->hosts[index] = (struct plan_host){ .owner = index, .settings = settings };
	return settings ? scenario_host_address_default(settings, index) : -ENOMEM;
}

static void host_remove(struct plan *plan, uint32_t index)
{
	scenario_host_settings_release(plan->hosts[index].settings);
	plan->hosts[index] = (struct plan_host){ 0 };
}

/* a node at a vacant place, like the first of its kind except for its tables and links */
static int64_t node_add(struct plan *plan, enum node_kind kind, const char *name,
			uint32_t port_count)
{
	int64_t place = place_find(plan, kind, true), first = place_find(plan, kind, false);
	const struct port_config vacant = vacant_port(plan);
	struct node_config *node;
	int error = 0;

	if (place < 0 || first < 0)
		return -ENOSPC;
	node = &plan->nodes[place];
	node_config_free(node);
	*node = plan->nodes[first];
	node->index = (uint32_t)place;
	node->seed = plan_mix(plan->seed, (uint64_t)place);
	node->ports = NULL;
	node->port_count = 0;
	if (kind == NODE_SWITCH) {
		node->switch_.fabric_address = (uint32_t)place + 1;
		node->switch_.routes = NULL;
		node->switch_.vias = NULL;
		node->switch_.lids = (struct lid_tables){ 0 };
		node->switch_.hosts = NULL;
		node->switch_.route_count = node->switch_.via_count = node->switch_.host_count = 0;
		node->switch_.routing.seed = plan_routing_seed(plan->seed, (uint32_t)place);
		error = plan_prefixes_copy(plan, &node->switch_);
	} else {
		node->nic.host_index = (uint32_t)place - plan->switch_count;
		node->nic.workloads = NULL;
		node->nic.workload_count = 0;
		node->nic.pauses = NULL;
		node->nic.pause_count = 0;
		error = host_add(plan, node->nic.host_index);
	}
	snprintf(node->name, sizeof(node->name), "%s", name);
	if (error || ports_widen(plan, node, port_count, &vacant)) {
		plan_spare_node_remove(plan, (uint32_t)place);
		return -ENOMEM;
	}
	return place;
}

int64_t plan_spare_switch(struct plan *plan, const char *name)
{
	return node_add(plan, NODE_SWITCH, name, NODE_PORTS_MAX);
}

int64_t plan_spare_host(struct plan *plan, const char *name)
{
	return node_add(plan, NODE_NIC, name, 1);
}

void plan_spare_node_remove(struct plan *plan, uint32_t node)
{
	struct node_config *config = &plan->nodes[node];
	enum node_kind kind = config->kind;
	enum clock_kind clock = config->clock;
	enum fabric_kind fabric = config->fabric;

	for (uint32_t p = 0; p < config->port_count; p++)
		if (!config->ports[p].vacant)
			plan_spare_link_remove(plan, config->ports[p].link_index);
	if (kind == NODE_NIC)
		host_remove(plan, node - plan->switch_count);
	node_config_free(config);
	*config = (struct node_config){ .kind = kind,
					.clock = clock,
					.fabric = fabric,
					.index = node,
					.node_count = plan->node_count };
}

/* ---- links ---- */

static bool is_edge(const struct plan *plan, uint32_t node_a, uint32_t node_b)
{
	return plan->nodes[node_a].kind == NODE_NIC || plan->nodes[node_b].kind == NODE_NIC;
}

/* how similar @link is to one between @node_a and @node_b; 0: @link is vacant */
static unsigned likeness(const struct plan *plan, const struct plan_link *link, uint32_t node_a,
			 uint32_t node_b)
{
	bool same_kind = is_edge(plan, link->node_a, link->node_b) == is_edge(plan, node_a, node_b);
	bool same_node = link->node_a == node_a || link->node_a == node_b ||
			 link->node_b == node_a || link->node_b == node_b;

	return link->vacant ? 0 : 1 + 2 * same_kind + same_node;
}

struct port_config plan_spare_template(const struct plan *plan, uint32_t node_a, uint32_t node_b)
{
	const struct plan_link *best = &plan->links[0];

	for (uint32_t i = 1; i < plan->link_count; i++)
		if (likeness(plan, &plan->links[i], node_a, node_b) >
		    likeness(plan, best, node_a, node_b))
			best = &plan->links[i];
	return plan->nodes[best->node_a].ports[best->port_a];
}

/* Finds vacant ports of @a and @b that fit together. A port keeps the number of flow channels that
 * it was made with; ports of two switches must have the same number. */
static bool vacant_ports_find(const struct node_config *a, const struct node_config *b,
			      uint32_t *port_a, uint32_t *port_b)
{
	bool edge = a->kind == NODE_NIC || b->kind == NODE_NIC;

	for (*port_a = 0; *port_a < a->port_count; ++*port_a)
		for (*port_b = 0; *port_b < b->port_count; ++*port_b) {
			const struct port_config *own = &a->ports[*port_a],
						 *peer = &b->ports[*port_b];

			if (own->vacant && peer->vacant &&
			    (edge || own->channels == peer->channels))
				return true;
		}
	return false;
}

static void port_plug(struct plan *plan, uint32_t node, uint32_t port, uint32_t peer,
		      uint32_t peer_port, uint32_t link, const struct port_config *like,
		      uint32_t mtu_bytes)
{
	struct port_config *config = &plan->nodes[node].ports[port];
	bool edge = is_edge(plan, node, peer);

	config->vacant = false;
	config->kind = edge ? PORT_EDGE : PORT_FABRIC;
	config->medium = like->medium;
	config->peer_index = peer;
	config->peer_port = peer_port;
	config->link_index = link;
	port_link_change(config, like);
	config->in_rate_bps = 0; /* both directions have the rate of `like` */
	config->mtu_bytes = mtu_bytes;
	config->gap_bytes = like->gap_bytes;
	config->guarded = plan_fabric(plan) != FABRIC_ROCE &&
			  (like->loss_ppb || like->bit_error_e15 || like->medium != MEDIUM_SHM);
	config->buffer_units = like->buffer_units;
	config->stop_units = like->stop_units;
	config->flight_units = like->flight_units;
	config->ring_bytes = like->ring_bytes;
	config->match =
		edge && plan->nodes[node].kind == NODE_SWITCH ? plan->match : flow_match_whole(0);
	snprintf(config->peer_name, sizeof(config->peer_name), "%s", plan->nodes[peer].name);
}

int64_t plan_spare_link(struct plan *plan, uint32_t node_a, uint32_t node_b,
			const struct port_config *like)
{
	const struct node_config *a = &plan->nodes[node_a], *b = &plan->nodes[node_b];
	uint32_t port_a, port_b, mtu_bytes, link = 0;

	while (link < plan->link_count && !plan->links[link].vacant)
		link++;
	if (link == plan->link_count)
		return -ENOSPC;
	if (!vacant_ports_find(a, b, &port_a, &port_b))
		return -EMLINK;
	mtu_bytes = number_min32(like->mtu_bytes, number_min32(a->ports[port_a].mtu_bytes,
							       b->ports[port_b].mtu_bytes));
	port_plug(plan, node_a, port_a, node_b, port_b, link, like, mtu_bytes);
	port_plug(plan, node_b, port_b, node_a, port_a, link, like, mtu_bytes);
	plan->links[link] = (struct plan_link){
		.node_a = node_a,
		.port_a = port_a,
		.node_b = node_b,
		.port_b = port_b,
		.rate_bps = like->rate_bps,
		.delay_ps = like->delay_ps,
		.mtu_bytes = mtu_bytes,
	};
	return link;
}

/* The running node keeps what it was made with: channels and headroom of this port, memory for
 * frames of its largest port. */
static void port_vacate(struct node_config *node, uint32_t port)
{
	struct port_config vacant = { .vacant = true,
				      .channels = node->ports[port].channels,
				      .headroom_bytes = node->ports[port].headroom_bytes };

	for (uint32_t p = 0; p < node->port_count; p++)
		if (node->ports[p].mtu_bytes > vacant.mtu_bytes)
			vacant.mtu_bytes = node->ports[p].mtu_bytes;
	node->ports[port] = vacant;
}

void plan_spare_link_remove(struct plan *plan, uint32_t link)
{
	const struct plan_link was = plan->links[link];

	port_vacate(&plan->nodes[was.node_a], was.port_a);
	port_vacate(&plan->nodes[was.node_b], was.port_b);
	plan->links[link] = (struct plan_link){ .vacant = true };
}

struct plan_counts plan_spare_counts(const struct plan *plan)
{
	struct plan_counts counts = { 0 };

	for (uint32_t i = 0; i < plan->node_count; i++) {
		counts.switches += i < plan->switch_count && !plan_vacant(plan, i);
		counts.hosts += i >= plan->switch_count && !plan_vacant(plan, i) &&
				!plan->hosts[i - plan->switch_count].interface;
	}
	for (uint32_t i = 0; i < plan->link_count; i++)
		counts.links += !plan->links[i].vacant;
	return counts;
}
