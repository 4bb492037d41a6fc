#include "orchestrator/cli/plan_json.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "orchestrator/scenario/scenario.h"

#define MTU(config) (json_int_t)(config)->mtu_bytes

/* ---- summary, nodes, links ---- */

/* 64 bits without sign: JSON integers of jansson have one */
static json_t *seed_json(uint64_t seed)
{
	return json_sprintf("%" PRIu64, seed);
}

json_t *plan_json_summary(const struct plan *plan)
{
	json_t *workloads = json_array(), *expects = json_array();

	for (uint32_t i = 0; i < plan->workload_count; i++)
		json_array_append_new(
			workloads,
			json_pack("{s:s, s:I, s:I}", "name", plan->workloads[i].name,
				  "packet_bytes", (json_int_t)plan->workloads[i].packet_bytes,
				  "class", (json_int_t)plan->workloads[i].traffic_class));
	for (uint32_t i = 0; i < plan->expectation_count; i++)
		json_array_append_new(expects, json_string(plan->expectations[i].text));
	return json_pack(
		"{s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:o, s:o}", "scenario",
		plan->scenario, "seed", seed_json(plan->seed), "fabric",
		scenario_fabric_name[plan_fabric(plan)], "switches", (json_int_t)plan->switch_count,
		"hosts", (json_int_t)plan_owner_count(plan), "links", (json_int_t)plan->link_count,
		"duration_ps", (json_int_t)plan->duration_ps, "warmup_ps",
		(json_int_t)plan->warmup_ps, "drain", plan->drain, "lookahead_ps",
		(json_int_t)plan->lookahead_ps, "workloads", workloads, "expects", expects);
}

static json_t *ports_json(const struct node_config *node)
{
	json_t *ports = json_array();

	for (uint32_t p = 0; p < node->port_count; p++) {
		const struct port_config *port = &node->ports[p];

		json_array_append_new(
			ports,
			json_pack("{s:I, s:s, s:s, s:I, s:I, s:I, s:I}", "port", (json_int_t)p,
				  "kind", port->kind == PORT_EDGE ? "edge" : "fabric", "peer",
				  port->peer_name, "peer_port", (json_int_t)port->peer_port,
				  "rate_bps", (json_int_t)port->rate_bps, "delay_ps",
				  (json_int_t)port->delay_ps, "mtu_bytes", MTU(port)));
	}
	return ports;
}

static json_t *node_json(const struct node_config *node)
{
	return json_pack("{s:s, s:s, s:o}", "name", node->name, "kind", plan_kind_word(node),
			 "ports", ports_json(node));
}

json_t *plan_json_nodes(const struct plan *plan)
{
	json_t *nodes = json_array();

	for (uint32_t i = 0; i < plan->node_count; i++)
		json_array_append_new(nodes, node_json(&plan->nodes[i]));
	return json_pack("{s:o}", "nodes", nodes);
}

json_t *plan_json_links(const struct plan *plan)
{
	json_t *links = json_array();

	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];

		json_array_append_new(links, json_pack("{s:s, s:I, s:s, s:I, s:I, s:I, s:I}", "a",
						       plan->nodes[link->node_a].name, "port_a",
						       (json_int_t)link->port_a, "b",
						       plan->nodes[link->node_b].name, "port_b",
						       (json_int_t)link->port_b, "rate_bps",
						       (json_int_t)link->rate_bps, "delay_ps",
						       (json_int_t)link->delay_ps, "mtu_bytes",
						       MTU(link)));
	}
	return json_pack("{s:o}", "links", links);
}

/* ---- routes ---- */

/* adds @port and its peer */
static void port_add(json_t *ports, json_t *peers, const struct node_config *node, uint32_t port)
{
	json_array_append_new(ports, json_integer(port));
	json_array_append_new(peers, json_string(node->ports[port].peer_name));
}

static json_t *switch_routes_json(const struct plan *plan, const struct node_config *node)
{
	json_t *routes = json_array();

	for (uint32_t i = 0; i < node->switch_.route_count; i++) {
		const struct route_config *route = &node->switch_.routes[i];
		json_t *ports = json_array(), *peers = json_array();

		for (uint32_t p = 0; p < node->port_count; p++)
			if (route->ports >> p & 1)
				port_add(ports, peers, node, p);
		if (route->fabric_address == ROUTE_UPWARD && !route->ports) {
			json_decref(ports);
			json_decref(peers);
			continue;
		}
		json_array_append_new(
			routes, json_pack("{s:s, s:o, s:o}", "dest",
					  route->fabric_address == ROUTE_UPWARD
						  ? "upward"
						  : plan_switch_name(plan, route->fabric_address),
					  "ports", ports, "peers", peers));
	}
	return routes;
}

static json_t *vias_json(const struct plan *plan, const struct switch_config *config)
{
	json_t *vias = json_array();

	for (uint32_t i = 0; i < config->via_count; i++)
		json_array_append_new(vias, json_string(plan_switch_name(plan, config->vias[i])));
	return vias;
}

static json_t *lids_json(const struct plan *plan, const struct node_config *node)
{
	const struct lid_tables *tables = &node->switch_.lids;
	json_t *lids = json_array();

	for (uint32_t lid = 1; lid < tables->lid_count && lid <= plan->host_count; lid++) {
		json_t *ports = json_array(), *peers = json_array(), *port = NULL;
		uint32_t group = tables->pgft[lid];

		for (uint32_t p = 0; group && p < node->port_count; p++)
			if (tables->pgt[group][p / 64] >> p % 64 & 1)
				port_add(ports, peers, node, p);
		if (tables->lft[lid] != LFT_NO_PORT)
			port = json_integer(tables->lft[lid]);
		json_array_append_new(
			lids, json_pack("{s:s, s:I, s:o, s:I, s:o, s:o}", "dlid",
					plan_host_name(plan, lid - 1), "lid", (json_int_t)lid,
					"static_port", port ? port : json_null(), "group",
					(json_int_t)group, "ports", ports, "peers", peers));
	}
	return lids;
}

json_t *plan_json_routes(const struct plan *plan)
{
	json_t *switches = json_array();

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct node_config *node = &plan->nodes[i];

		json_array_append_new(
			switches,
			json_pack("{s:s, s:I, s:o, s:o, s:o}", "name", node->name, "fabric_address",
				  (json_int_t)node->switch_.fabric_address, "routes",
				  switch_routes_json(plan, node), "detours",
				  vias_json(plan, &node->switch_), "lids", lids_json(plan, node)));
	}
	return json_pack("{s:o}", "switches", switches);
}

/* ---- hosts ---- */

static json_t *workloads_json(const struct plan *plan, const struct node_config *node)
{
	json_t *workloads = json_array();

	for (uint32_t i = 0; i < node->nic.workload_count; i++) {
		const struct workload_config *workload = &node->nic.workloads[i];
		json_t *to = json_array();

		for (uint32_t k = 0; k < workload->destination_count; k++)
			json_array_append_new(
				to, json_string(plan_host_name(plan, workload->destinations[k])));
		json_array_append_new(
			workloads,
			json_pack("{s:s, s:o, s:I, s:I, s:o}", "name", workload->name,
				  "message_bytes",
				  workload->message_bytes
					  ? json_integer((json_int_t)workload->message_bytes)
					  : json_null(),
				  "start_ps", (json_int_t)workload->start_ps, "stop_ps",
				  (json_int_t)workload->stop_ps, "to", to));
	}
	return workloads;
}

static json_t *pauses_json(const struct node_config *node)
{
	json_t *pauses = json_array();

	for (uint32_t i = 0; i < node->nic.pause_count; i++) {
		const struct pause_config *pause = &node->nic.pauses[i];
		json_t *classes = json_array();

		for (uint32_t c = 0; c < node->class_count; c++)
			if (pause->classes >> c & 1)
				json_array_append_new(classes, json_string(node->classes[c].name));
		json_array_append_new(pauses,
				      json_pack("{s:I, s:I, s:I, s:I, s:o}", "start_ps",
						(json_int_t)pause->start_ps, "stop_ps",
						(json_int_t)pause->stop_ps, "for_ps",
						(json_int_t)pause->for_ps, "every_ps",
						(json_int_t)pause->every_ps, "classes", classes));
	}
	return pauses;
}

json_t *plan_json_hosts(const struct plan *plan)
{
	json_t *hosts = json_array();

	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct node_config *node = &plan->nodes[plan_host_node(plan, i)];

		json_array_append_new(
			hosts, json_pack("{s:s, s:s, s:I, s:o, s:o}", "name", node->name, "switch",
					 node->ports[0].peer_name, "port",
					 (json_int_t)node->ports[0].peer_port, "workloads",
					 workloads_json(plan, node), "pauses", pauses_json(node)));
	}
	return json_pack("{s:o}", "hosts", hosts);
}

/* ---- one node ---- */

static json_t *classes_json(const struct node_config *node)
{
	json_t *classes = json_array();

	for (uint32_t i = 0; i < node->class_count; i++)
		json_array_append_new(classes, json_pack("{s:s, s:I, s:I, s:b}", "name",
							 node->classes[i].name, "min_permille",
							 (json_int_t)node->classes[i].min_permille,
							 "max_permille",
							 (json_int_t)node->classes[i].max_permille,
							 "unordered", node->classes[i].unordered));
	return classes;
}

/* where a switch knows hosts and prefixes to be */
static void places_add(json_t *object, const struct plan *plan, const struct switch_config *config)
{
	json_t *hosts = json_array(), *prefixes = json_array();

	for (uint32_t i = 0; i < config->host_count; i++)
		json_array_append_new(
			hosts,
			json_pack("{s:s, s:s, s:I}", "name",
				  plan_host_name(plan, config->hosts[i].host_index), "switch",
				  plan_switch_name(plan, config->hosts[i].fabric_address), "port",
				  (json_int_t)config->hosts[i].egress_port));
	for (uint32_t i = 0; i < config->prefix_count; i++) {
		const struct prefix_config *prefix = &config->prefixes[i];
		char text[INET6_ADDRSTRLEN];

		inet_ntop(prefix->version == 4 ? AF_INET : AF_INET6, prefix->address, text,
			  sizeof(text));
		json_array_append_new(prefixes,
				      json_pack("{s:s, s:I, s:s}", "prefix", text, "bits",
						(json_int_t)prefix->bits, "host",
						plan_host_name(plan, prefix->host_index)));
	}
	json_object_set_new(object, "hosts", hosts);
	json_object_set_new(object, "prefixes", prefixes);
}

json_t *plan_json_config(const struct plan *plan, const struct node_config *node)
{
	json_t *object = node_json(node);

	json_object_set_new(object, "seed", seed_json(node->seed));
	json_object_set_new(object, "measure_from_ps",
			    json_integer((json_int_t)node->measure_from_ps));
	json_object_set_new(object, "measure_to_ps", json_integer((json_int_t)node->measure_to_ps));
	json_object_set_new(object, "classes", classes_json(node));
	if (node->kind == NODE_NIC) {
		json_object_set_new(object, "host_index", json_integer(node->nic.host_index));
		json_object_set_new(object, "latency_ps",
				    json_integer((json_int_t)node->nic.latency_ps));
		json_object_set_new(object, "workloads", workloads_json(plan, node));
		json_object_set_new(object, "pauses", pauses_json(node));
		return object;
	}
	json_object_set_new(object, "fabric_address", json_integer(node->switch_.fabric_address));
	json_object_set_new(object, "latency_ps",
			    json_integer((json_int_t)node->switch_.latency_ps));
	json_object_set_new(object, "cut_through", json_boolean(node->switch_.cut_through));
	json_object_set_new(object, "routes", switch_routes_json(plan, node));
	places_add(object, plan, &node->switch_);
	return object;
}
