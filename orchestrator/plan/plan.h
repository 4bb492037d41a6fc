/*  plan - the configuration of every node of a scenario, complete before any node starts.
 *
 *  plan_make() is pure: the same scenario and seed give the same plan, byte for byte, on any
 *  machine. Nodes are numbered switches first, then NICs (one per host), each in the scenario's
 *  order; a host's NIC has one port, port 0.
 *  A switch's route to another switch names every port that leads to a next hop (routing.h). */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_H

#include "nodes/config/config.h"
#include "orchestrator/plan/plan_fault.h"
#include "orchestrator/routing/routing.h"
#include "orchestrator/scenario/scenario.h"

struct plan_link {
	uint32_t node_a, port_a, node_b, port_b;
	uint64_t rate_bps;
	node_time_t delay_ps;
	uint32_t mtu_bytes;
	bool vacant; /* a place without a link: plan_spare.h */
	bool down;   /* real clock: set down by a command, until another sets it up */
	/* real clock, kind roce: routes avoid it, as a node at one of its ends is dead */
	bool dead;
};

/** plan_link_carries() - may routes, and floods of a fabric of kind roce, lead over @link? */
static inline bool plan_link_carries(const struct plan_link *link)
{
	return !link->vacant && !link->down && !link->dead;
}

struct plan_workload {
	char name[NODE_NAME_MAX];
	uint32_t traffic_class;
	uint32_t packet_bytes;
	enum frame_kind frame;
	enum transport_kind transport;
	uint32_t connections; /* to each destination */
};

/* a NIC, and the host that it is an interface of (scenario_host.h) */
struct plan_host {
	uint32_t owner;     /* host index of eth0 of that host */
	uint32_t interface; /* 0: eth0 */
	/* held; NULL: a further interface, or a vacant place */
	struct scenario_host_settings *settings;
};

struct plan {
	char scenario[NODE_NAME_MAX];
	char file[4096];
	char folder[4096];     /* of `heddle up`: where paths of the scenario begin; absolute */
	struct origin *origin; /* a reference; NULL: the plan was not made from a scenario */
	uint64_t seed;
	uint32_t dilation;        /* real clock: fabric time runs so many times slower, >= 1 */
	node_time_t duration_ps;  /* no message starts after; measured interval ends here */
	node_time_t warmup_ps;    /* measured interval begins here */
	bool drain;               /* continue after the duration until all data has arrived, */
	node_time_t drain_max_ps; /* at most until this time */
	node_time_t lookahead_ps;
	/* match fields of edge ports for which the scenario gives none (FC-2) */
	struct flow_match match;
	/* how routes are computed; lanes: those of each class, not 0 after plan_routes_make() */
	struct routing_request routing;
	struct route_said *routes_said; /* what routing.said points to; owned */
	bool tree;                      /* every link leads upward or downward: routing_upward.h */
	uint32_t agreement_permille;    /* of the numbers of upward ports: routing_upward.h */
	/* roce, real clock: a switch's buffer beside its headroom */
	uint64_t roce_shared_bytes;
	/* node_count = switch_count + host_count; vacant places included */
	uint32_t node_count, switch_count, host_count;
	struct node_config *nodes; /* [node_count]; a node's index is its place */
	/* [node_count]: where they are drawn; NULL: the scenario does not say. Vacant places and
	 * those that join have none */
	struct scenario_spot *spots;
	struct plan_host *hosts; /* [host_count] */
	/* several machines (plan_machines.h): [node_count] where each node runs, and this machine.
	 * NULL, 0: all run here. Nodes that join run here */
	uint8_t *machine_of;
	uint32_t machine, machine_count;
	char (*machine_names)[NODE_NAME_MAX]; /* [machine_count] */
	uint32_t link_count;                  /* vacant places included */
	struct plan_link *links;
	uint32_t prefix_count;
	struct prefix_config *prefixes; /* of every switch, a joining one included */
	uint32_t workload_count;
	struct plan_workload *workloads;
	struct plan_faults faults;
	uint32_t expectation_count;
	struct scenario_text *expectations; /* text and place in the file */
};

/** plan_make() - the plan of @scenario.
 *  Return: 0 with @plan filled, plan_free() later; -EINVAL when it cannot be built, reported to
 *  @errors with file, line and column; -ENOMEM. */
int plan_make(const struct scenario *scenario, struct plan *plan, struct scenario_errors *errors);

/** plan_make_for() - plan_make() for any clock, without plan_nodes_check(). Under the real clock
 *  the caller computes buffers, rings and times again before it checks (plan_real.c). */
int plan_make_for(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		  struct scenario_errors *errors);
void plan_free(struct plan *plan);

/** plan_nodes_check() - checks the configuration of every node as the node itself does.
 *  Return: 0; -EINVAL, reported to @errors. */
int plan_nodes_check(const struct scenario *scenario, const struct plan *plan,
		     struct scenario_errors *errors);

/** plan_is_real() - is the plan for the real clock (plan_real.h)? */
static inline bool plan_is_real(const struct plan *plan)
{
	return plan->nodes[0].clock == CLOCK_REAL;
}

/** plan_fabric() - the kind of the fabric. */
static inline enum fabric_kind plan_fabric(const struct plan *plan)
{
	return plan->nodes[0].fabric;
}

/** plan_prefixes_copy() - copies the prefixes of @plan to switch @config, which has none.
 *  Return: 0 or -ENOMEM. */
int plan_prefixes_copy(const struct plan *plan, struct switch_config *config);

/** plan_node_find() - the node named @name, or NULL. */
const struct node_config *plan_node_find(const struct plan *plan, const char *name);

/** plan_vacant() - is @node a place without a node (plan_spare.h)? */
static inline bool plan_vacant(const struct plan *plan, uint32_t node)
{
	return !plan->nodes[node].name[0];
}

/** plan_elsewhere() - is @node one that runs on another machine (plan_machines.h)? */
static inline bool plan_elsewhere(const struct plan *plan, uint32_t node)
{
	return plan->machine_of && plan->machine_of[node] != plan->machine;
}

/** plan_here() - is @node one that runs on this machine? */
static inline bool plan_here(const struct plan *plan, uint32_t node)
{
	return !plan_vacant(plan, node) && !plan_elsewhere(plan, node);
}

/** plan_latency_ps() - the time from a decision of @node to the first bit on the link. */
static inline node_time_t plan_latency_ps(const struct node_config *node)
{
	return node->kind == NODE_SWITCH ? node->switch_.latency_ps : node->nic.latency_ps;
}

/** plan_kind_word() - the kind of @node for programs. */
static inline const char *plan_kind_word(const struct node_config *node)
{
	return node->kind == NODE_SWITCH ? "switch" : "nic";
}

/** plan_switch_name() - the name of the switch with @fabric_address. */
static inline const char *plan_switch_name(const struct plan *plan, uint32_t fabric_address)
{
	return plan->nodes[fabric_address - 1].name;
}

/** plan_owner_count() - the number of hosts, each once, however many NICs it has.  O(NICs). */
static inline uint32_t plan_owner_count(const struct plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->host_count; i++)
		count += !plan->hosts[i].interface;
	return count;
}

/** plan_host_settings() - the settings of the host that NIC @host_index is of; of a place that is
 *  not vacant. */
static inline const struct scenario_host_settings *plan_host_settings(const struct plan *plan,
								      uint32_t host_index)
{
	return plan->hosts[plan->hosts[host_index].owner].settings;
}

/** plan_host_interface() - the addresses of NIC @host_index. */
static inline const struct host_interface *plan_host_interface(const struct plan *plan,
							       uint32_t host_index)
{
	return &plan_host_settings(plan, host_index)->interfaces[plan->hosts[host_index].interface];
}

/** plan_host_node() - index of the NIC of host @host_index. */
static inline uint32_t plan_host_node(const struct plan *plan, uint32_t host_index)
{
	return plan->switch_count + host_index;
}

/** plan_owner() - index of the host that NIC @node is of: that of its eth0. */
static inline uint32_t plan_owner(const struct plan *plan, uint32_t node)
{
	return plan->hosts[node - plan->switch_count].owner;
}

/** plan_host_name() - the name of the NIC of host @host_index; "" if there is no such host. */
static inline const char *plan_host_name(const struct plan *plan, uint32_t host_index)
{
	return host_index < plan->host_count ? plan->nodes[plan_host_node(plan, host_index)].name
					     : "";
}

/** plan_host_match() - the flow key at the edge port of host @host_index (FC-2). */
static inline const struct flow_match *plan_host_match(const struct plan *plan, uint32_t host_index)
{
	const struct port_config *port = &plan->nodes[plan_host_node(plan, host_index)].ports[0];

	return &plan->nodes[port->peer_index].ports[port->peer_port].match;
}

/** plan_class_name() - the name of traffic class @index; "" if there is no such class. */
static inline const char *plan_class_name(const struct plan *plan, uint32_t index)
{
	return index < plan->nodes[0].class_count ? plan->nodes[0].classes[index].name : "";
}

/** plan_workload_name() - the name of workload @index; "" if there is no such workload. */
static inline const char *plan_workload_name(const struct plan *plan, uint32_t index)
{
	return index < plan->workload_count ? plan->workloads[index].name : "";
}

#endif
