/*  cmd_show - `heddle show SCENARIO`: the plan as text, as nodes receive it (TB-10). If the first
 *  word is not a file, it is a node of a running fabric. */
#include "orchestrator/cli/cmd_show.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/units.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/cli/plan_json.h"
#include "orchestrator/command/client.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/roce_text.h"
#include "orchestrator/plan/routing_text.h"

struct request {
	const char *scenario, *part, *node;
	const char *fabric; /* a running one: NULL: none, or the only one */
	bool json;
	struct option_settings settings;
};

#define AT(member) offsetof(struct request, member)

static const struct option_row options[] = {
	OPTION_SET(AT(settings), "run.duration=1ms"),
	CLIENT_FABRIC(AT(fabric)),
	OPTION_FLAG("--json", AT(json), "for programs: the columns are keys"),
};

static const struct command_words words = {
	"show",
	"usage: heddle show SCENARIO [PART] [--set PATH=VALUE]...\n"
	"Prints the plan of a scenario, without a run. PART is one of\n"
	"\n"
	"  summary       counts and times (default)\n"
	"  nodes         every node with its ports and peers\n"
	"  links         every link\n"
	"  routes        the routes of every switch\n"
	"  hosts         every host, its switch and its workloads\n"
	"  config NODE   the whole configuration of a node\n"
	"\n"
	"or:    heddle show [-f FABRIC] NODE TABLE [PORT]\n"
	"Prints a table of a node of a running fabric: ports, queues, routes, paths, ..., trace; "
	"any\n"
	"other word lists them. TABLE may come first. PORT is a number or the name of a "
	"neighbour.\n"
	"\n"
	"or:    heddle show [-f FABRIC] flow HOST HOST\n"
	"Prints the flows from one host of a running fabric to another, a row for each hop: what\n"
	"waits there, and what for.\n",
	"exit status: 0 fine, 1 the node has no such table, 2 wrong usage, scenario or fabric, 4 "
	"no answer\n",
	OPTIONS(options),
	OPERANDS("scenario, or which node of a running fabric", 1, 3),
};

typedef void part_fn(const struct plan *plan);

static part_fn summary_print, nodes_print, links_print, routes_print, hosts_print;
static int config_show(const struct plan *plan, const struct request *request);

static const struct part {
	const char *name;
	part_fn *print; /* NULL: of one node, config_show() */
	json_t *(*json)(const struct plan *plan);
} parts[] = {
	{ "summary", summary_print, plan_json_summary },
	{ "nodes", nodes_print, plan_json_nodes },
	{ "links", links_print, plan_json_links },
	{ "routes", routes_print, plan_json_routes },
	{ "hosts", hosts_print, plan_json_hosts },
	{ "config", NULL, NULL },
};

#define PART_COUNT COUNT_OF(parts)

static const struct part *part_find(const char *name)
{
	for (size_t i = 0; i < PART_COUNT; i++) {
		if (!strcmp(parts[i].name, name))
			return &parts[i];
	}
	return NULL;
}

/* is @word a node of a running fabric? A scenario is a file, or looks like one. */
static bool running_meant(const char *word)
{
	return !strchr(word, '/') && !strstr(word, ".yaml") && !strstr(word, ".yml") &&
	       access(word, F_OK) != 0;
}

/* a table of a node of a running fabric */
static int live_show(const struct request *request)
{
	if (request->settings.count)
		return options_wrong(
			"show", "--set changes a scenario; 'heddle set' changes a running fabric");
	return client_ask_and_print("show", request->fabric,
				    json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "ask", "show", "node",
					      request->scenario, "table",
					      request->part ? request->part : "", "port",
					      request->node, "form", request->json ? "json" : NULL),
				    request->json);
}

/* @value for programs; taken */
static int json_print(json_t *value)
{
	if (!value)
		return options_wrong("show", "a name is not valid UTF-8, or memory is short");
	client_json_print(value);
	json_decref(value);
	return 0;
}

/* a part of the plan of a scenario */
static int plan_show(const struct request *request)
{
	const struct part *part = part_find(request->part ? request->part : "summary");
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	struct plan plan = { 0 };
	char hint[128];
	int error, status = 0;

	if (!part) {
		suggest_sentence(request->part, &parts[0].name, PART_COUNT, sizeof(parts[0]), hint,
				 sizeof(hint));
		return options_wrong("show",
				     "a plan has no part '%s'%s; 'heddle show --help' lists them",
				     request->part, hint);
	}
	error = scenario_read_file(request->scenario, request->settings.texts,
				   request->settings.count, &scenario, &errors);
	if (!error)
		error = plan_make(&scenario, &plan, &errors);
	scenario_errors_print(&errors, stderr);
	if (error)
		status = errors.count ? EXIT_USAGE : options_wrong("show", "%s", strerror(-error));
	else if (!part->print)
		status = config_show(&plan, request);
	else if (request->json)
		status = json_print(part->json(&plan));
	else
		part->print(&plan);
	plan_free(&plan);
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	return status;
}

int cmd_show(int argc, char **argv)
{
	struct request request = { 0 };
	int count, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	request.scenario = argv[1];
	request.part = argv[2];
	request.node = count > 2 ? argv[3] : NULL;
	return request.fabric || running_meant(argv[1]) ? live_show(&request) : plan_show(&request);
}

/* ---- parts ---- */

static void summary_print(const struct plan *plan)
{
	char duration[HUMAN_TEXT_MAX], warmup[HUMAN_TEXT_MAX], lookahead[HUMAN_TEXT_MAX];
	bool named = plan_fabric(plan) != FABRIC_FLOW_CHANNEL;
	uint32_t hosts = plan_owner_count(plan);

	printf("scenario   %s, seed %" PRIu64 "\n", plan->scenario, plan->seed);
	printf("fabric     %s%s%" PRIu32 " switch%s, %" PRIu32 " host%s, %" PRIu32 " link%s\n",
	       named ? scenario_fabric_name[plan_fabric(plan)] : "", named ? ", " : "",
	       plan->switch_count, plan->switch_count == 1 ? "" : "es", hosts,
	       hosts == 1 ? "" : "s", plan->link_count, plan->link_count == 1 ? "" : "s");
	printf("time       %s, measured from %s%s; time step %s\n",
	       human_time(plan->duration_ps, duration), human_time(plan->warmup_ps, warmup),
	       plan->drain ? ", then drained" : "", human_time(plan->lookahead_ps, lookahead));
	for (uint32_t i = 0; i < plan->workload_count; i++)
		printf("workload   %s: packets of %" PRIu32 " bytes, class %" PRIu32 "\n",
		       plan->workloads[i].name, plan->workloads[i].packet_bytes,
		       plan->workloads[i].traffic_class);
	for (uint32_t i = 0; i < plan->expectation_count; i++)
		printf("expects    %s\n", plan->expectations[i].text);
	routing_print(plan, stdout);
	if (plan_fabric(plan) == FABRIC_ROCE)
		roce_print(plan, stdout);
}

static void ports_print(const struct node_config *node)
{
	char rate[HUMAN_TEXT_MAX], delay[HUMAN_TEXT_MAX], headroom[HUMAN_TEXT_MAX];

	for (uint32_t port = 0; port < node->port_count; port++) {
		const struct port_config *config = &node->ports[port];

		printf("  port %-3" PRIu32 " %-6s -> %s port %" PRIu32 "  %s, %s, MTU %" PRIu32,
		       port, config->kind == PORT_EDGE ? "edge" : "fabric", config->peer_name,
		       config->peer_port, human_rate(config->rate_bps, rate),
		       human_time(config->delay_ps, delay), config->mtu_bytes);
		if (config->tier == TIER_GLOBAL)
			printf(", global");
		if (node->fabric == FABRIC_FLOW_CHANNEL)
			printf(", %" PRIu32 " channels\n", config->channels);
		else if (node->fabric == FABRIC_PORT_GROUP && config->buffer_units)
			printf(", credit for %s a lane\n",
			       human_bytes((uint64_t)config->buffer_units * UNIT_BYTES, headroom));
		else if (node->fabric == FABRIC_PORT_GROUP)
			printf("\n");
		else if (node->kind == NODE_SWITCH)
			printf(", headroom %s a class\n",
			       human_bytes(config->headroom_bytes, headroom));
		else
			printf("\n");
	}
}

static void nodes_print(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		printf("%s %s\n", plan_kind_word(&plan->nodes[i]), plan->nodes[i].name);
		ports_print(&plan->nodes[i]);
	}
}

static void links_print(const struct plan *plan)
{
	char rate[HUMAN_TEXT_MAX], delay[HUMAN_TEXT_MAX];

	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];

		printf("%-4" PRIu32 " %s port %" PRIu32 " - %s port %" PRIu32
		       "  %s, %s, MTU %" PRIu32 "\n",
		       i, plan->nodes[link->node_a].name, link->port_a,
		       plan->nodes[link->node_b].name, link->port_b,
		       human_rate(link->rate_bps, rate), human_time(link->delay_ps, delay),
		       link->mtu_bytes);
	}
}

static void switch_routes_print(const struct plan *plan, const struct node_config *node)
{
	for (uint32_t i = 0; i < node->switch_.route_count; i++) {
		const struct route_config *route = &node->switch_.routes[i];

		if (route->fabric_address == ROUTE_UPWARD && !route->ports)
			continue;
		if (route->fabric_address == ROUTE_UPWARD)
			printf("  upward by");
		else
			printf("  to %s by", plan_switch_name(plan, route->fabric_address));
		for (uint32_t port = 0; port < node->port_count; port++) {
			if (route->ports >> port & 1)
				printf(" port %" PRIu32 " (%s)", port, node->ports[port].peer_name);
		}
		printf("\n");
	}
}

/* the intermediate switches of detours */
static void vias_print(const struct plan *plan, const struct switch_config *config)
{
	if (!config->via_count)
		return;
	printf("  detours by");
	for (uint32_t i = 0; i < config->via_count && i < 8; i++)
		printf(" %s", plan_switch_name(plan, config->vias[i]));
	if (config->via_count > 8)
		printf(" and %" PRIu32 " more", config->via_count - 8);
	printf("\n");
}

/* a host's static port, and the ports of its group */
static void lids_print(const struct plan *plan, const struct node_config *node)
{
	const struct lid_tables *lids = &node->switch_.lids;

	for (uint32_t lid = 1; lid < lids->lid_count && lid <= plan->host_count; lid++) {
		uint32_t group = lids->pgft[lid];

		printf("  LID %" PRIu32 " (%s) ", lid, plan_host_name(plan, lid - 1));
		if (lids->lft[lid] == LFT_NO_PORT) {
			printf("has no port\n");
			continue;
		}
		printf("by port %u", lids->lft[lid]);
		if (group)
			printf(", group %" PRIu32 "%s:", group,
			       node->port_group.non_minimal && group >= PORT_GROUP_EDGE_FROM
				       ? ", for packets from hosts here alone"
				       : "");
		for (uint32_t port = 0; group && port < node->port_count; port++)
			if (lids->pgt[group][port / 64] >> port % 64 & 1)
				printf(" %" PRIu32, port);
		printf("\n");
	}
}

static void routes_print(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		printf("switch %s, fabric address %" PRIu32 "\n", plan->nodes[i].name,
		       plan->nodes[i].switch_.fabric_address);
		switch_routes_print(plan, &plan->nodes[i]);
		vias_print(plan, &plan->nodes[i].switch_);
		lids_print(plan, &plan->nodes[i]);
	}
}

static void workloads_print(const struct plan *plan, const struct node_config *node)
{
	char start[HUMAN_TEXT_MAX], stop[HUMAN_TEXT_MAX], bytes[HUMAN_TEXT_MAX];

	for (uint32_t i = 0; i < node->nic.workload_count; i++) {
		const struct workload_config *workload = &node->nic.workloads[i];

		printf("  %s: messages of %s from %s to %s, to", workload->name,
		       workload->message_bytes ? human_bytes(workload->message_bytes, bytes)
					       : "many sizes",
		       human_time(workload->start_ps, start), human_time(workload->stop_ps, stop));
		for (uint32_t k = 0; k < workload->destination_count && k < 8; k++)
			printf(" %s",
			       plan->nodes[plan_host_node(plan, workload->destinations[k])].name);
		if (workload->destination_count > 8)
			printf(" and %" PRIu32 " more", workload->destination_count - 8);
		printf("\n");
	}
}

static void pauses_print(const struct node_config *node)
{
	char start[HUMAN_TEXT_MAX], stop[HUMAN_TEXT_MAX], every[HUMAN_TEXT_MAX],
		held[HUMAN_TEXT_MAX];

	for (uint32_t i = 0; i < node->nic.pause_count; i++) {
		const struct pause_config *pause = &node->nic.pauses[i];

		printf("  pauses its link from %s to %s, for %s of every %s: classes",
		       human_time(pause->start_ps, start), human_time(pause->stop_ps, stop),
		       human_time(pause->for_ps, held), human_time(pause->every_ps, every));
		for (uint32_t c = 0; c < node->class_count; c++)
			if (pause->classes >> c & 1)
				printf(" %s", node->classes[c].name);
		printf("\n");
	}
}

/* the flow key at the edge port of @host, if it differs from the common one (FC-2) */
static void flow_key_print(const struct plan *plan, uint32_t host)
{
	const struct flow_match *match = plan_host_match(plan, host);

	if (plan_fabric(plan) == FABRIC_FLOW_CHANNEL && !flow_match_equal(match, &plan->match)) {
		printf("; flow key ");
		flow_match_print(match, stdout);
	}
	printf("\n");
}

static void hosts_print(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct node_config *node = &plan->nodes[plan_host_node(plan, i)];

		printf("%s at %s port %" PRIu32, node->name, node->ports[0].peer_name,
		       node->ports[0].peer_port);
		flow_key_print(plan, i);
		workloads_print(plan, node);
		pauses_print(node);
	}
}

/* configuration of a switch that depends on the kind of fabric */
static void dataplane_print(const struct node_config *node)
{
	const struct switch_config *config = &node->switch_;
	char latency[HUMAN_TEXT_MAX], timers[3][HUMAN_TEXT_MAX], buffer[HUMAN_TEXT_MAX];

	if (node->fabric != FABRIC_FLOW_CHANNEL) {
		printf("  fabric address %" PRIu32 ", latency %s, %s", config->fabric_address,
		       human_time(config->latency_ps, latency),
		       config->cut_through ? "cut-through" : "store and forward");
		if (node->fabric == FABRIC_ROCE)
			printf(", buffer %s", human_bytes(node->roce.buffer_bytes, buffer));
		printf("; floods over ports");
		for (uint32_t port = 0; port < node->port_count; port++)
			if (config->flood_ports >> port & 1)
				printf(" %" PRIu32, port);
		printf("\n");
		return;
	}
	printf("  fabric address %" PRIu32 ", latency %s, %s, arbiter by %s, output queue %" PRIu32
	       " units\n",
	       config->fabric_address, human_time(config->latency_ps, latency),
	       config->cut_through ? "cut-through" : "store and forward",
	       config->arbiter == ARBITER_BY_FLOW ? "flow" : "port",
	       config->output_queue_units_max);
	printf("  ACK timers %s, %s, %s, collect %" PRIu32 "\n",
	       human_time(config->ack_t1_ps, timers[0]), human_time(config->ack_t2_ps, timers[1]),
	       human_time(config->ack_t3_ps, timers[2]), config->ack_collect);
}

static void switch_print(const struct plan *plan, const struct node_config *node)
{
	const struct switch_config *config = &node->switch_;

	dataplane_print(node);
	switch_routes_print(plan, node);
	for (uint32_t i = 0; i < config->host_count; i++)
		printf("  host %s at %s port %" PRIu32 "\n",
		       plan->nodes[plan_host_node(plan, config->hosts[i].host_index)].name,
		       plan_switch_name(plan, config->hosts[i].fabric_address),
		       config->hosts[i].egress_port);
	for (uint32_t i = 0; i < config->prefix_count; i++) {
		const struct prefix_config *prefix = &config->prefixes[i];
		char text[INET6_ADDRSTRLEN];

		inet_ntop(prefix->version == 4 ? AF_INET : AF_INET6, prefix->address, text,
			  sizeof(text));
		printf("  prefix %s/%u at host %s\n", text, prefix->bits,
		       plan_host_name(plan, prefix->host_index));
	}
}

static int config_show(const struct plan *plan, const struct request *request)
{
	const struct node_config *node = request->node ? plan_node_find(plan, request->node) : NULL;
	char from[HUMAN_TEXT_MAX], to[HUMAN_TEXT_MAX], latency[HUMAN_TEXT_MAX];

	if (!node)
		return request->node ? options_wrong("show",
						     "the scenario has no node '%s'; 'heddle show "
						     "%s nodes' lists them",
						     request->node, request->scenario)
				     : options_wrong("show", "missing NODE: expected config NODE");
	if (request->json)
		return json_print(plan_json_config(plan, node));
	printf("%s %s, node %" PRIu32 " of %" PRIu32 ", seed %" PRIu64 ", measures from %s to %s\n",
	       plan_kind_word(node), node->name, node->index, node->node_count, node->seed,
	       human_time(node->measure_from_ps, from), human_time(node->measure_to_ps, to));
	for (uint32_t i = 0; i < node->class_count; i++)
		printf("  class %" PRIu32 " %s: at least %.1f %%, at most %.1f %%%s\n", i,
		       node->classes[i].name, node->classes[i].min_permille / 10.0,
		       node->classes[i].max_permille / 10.0,
		       node->classes[i].unordered ? ", unordered" : "");
	ports_print(node);
	if (node->kind == NODE_SWITCH) {
		switch_print(plan, node);
		return 0;
	}
	printf("  host %" PRIu32 ", latency %s, up to %" PRIu32 " flows and %" PRIu32
	       " logged messages\n",
	       node->nic.host_index, human_time(node->nic.latency_ps, latency), node->nic.flows_max,
	       node->nic.messages_max);
	workloads_print(plan, node);
	pauses_print(node);
	return 0;
}
