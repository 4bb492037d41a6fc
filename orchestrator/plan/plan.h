/*  plan - a scenario turned into the exact configuration of every node, before anything is started.
 *
 *  plan_make() is pure: the same scenario and seed give the same plan, byte for byte, on any
 *  machine. Nodes are numbered switches first, then NICs (one per host), each in the scenario's
 *  order; a host's NIC has one port, port 0.
 *  A switch's route names every neighbour port that is the first step of a way there
 *  (routing.h). */
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
	bool vacant; /* a place for a link to come: plan_spare.h */
	bool down;   /* real clock: taken down, until somebody takes it up */
	/* real clock, kind roce: a node at one of its ends is, as far as routes know */
	bool dead;
};

/** plan_link_carries() - do routes and floods of a fabric of kind roce lead over it? */
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

struct plan {
	char scenario[NODE_NAME_MAX];
	char file[4096];
	struct origin *origin; /* held; NULL: the plan was not made from a scenario */
	uint64_t seed;
	node_time_t duration_ps;  /* no message starts after; measured interval ends here */
	node_time_t warmup_ps;    /* measured interval begins here */
	bool drain;               /* after the duration let everything that is inside arrive */
	node_time_t drain_max_ps; /* but not longer than until this time */
	node_time_t lookahead_ps;
	/* what edge ports tell flows apart by that say nothing of their own (FC-2) */
	struct flow_match match;
	/* what the ways are made by; lanes: those of each class that there are */
	struct routing_request routing;
	struct route_said *routes_said; /* what routing.said points to; owned */
	bool tree;                      /* every link leads upward or downward: routing_upward.h */
	/* roce, real clock: a switch's buffer beside its headroom */
	uint64_t roce_shared_bytes;
	/* node_count = switch_count + host_count; vacant places included */
	uint32_t node_count, switch_count, host_count;
	struct node_config *nodes; /* [node_count]; a node's index is its place */
	uint32_t link_count;       /* vacant places included */
	struct plan_link *links;
	uint32_t prefix_count;
	struct prefix_config *prefixes; /* as every switch has them, those that join too */
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

/** plan_make_for() - the same for any clock: under the real one buffers and rings are not final yet
 *  (plan_real.c). */
int plan_make_for(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		  struct scenario_errors *errors);
void plan_free(struct plan *plan);

/** plan_nodes_check() - whatever a node would refuse of its configuration is found here, not by the
 *  node.
 *  Return: 0; -EINVAL, reported to @errors. */
int plan_nodes_check(const struct scenario *scenario, const struct plan *plan,
		     struct scenario_errors *errors);

/** plan_is_real() - is the plan for the real clock (plan_real.h)? */
static inline bool plan_is_real(const struct plan *plan)
{
	return plan->nodes[0].clock == CLOCK_REAL;
}

/** plan_fabric() - which kind of fabric it is. */
static inline enum fabric_kind plan_fabric(const struct plan *plan)
{
	return plan->nodes[0].fabric;
}

/** plan_prefixes_tell() - gives switch @config, which has none, a copy of @plan's prefixes. Return:
 *  0 or -ENOMEM. */
int plan_prefixes_tell(const struct plan *plan, struct switch_config *config);

/** plan_node_find() - node named @name; NULL if there is none. */
const struct node_config *plan_node_find(const struct plan *plan, const char *name);

/** plan_vacant() - is place @node one for a node to come (plan_spare.h)? */
static inline bool plan_vacant(const struct plan *plan, uint32_t node)
{
	return !plan->nodes[node].name[0];
}

/** plan_latency_ps() - from a decision of @node to the first bit on the link. */
static inline node_time_t plan_latency_ps(const struct node_config *node)
{
	return node->kind == NODE_SWITCH ? node->switch_.latency_ps : node->nic.latency_ps;
}

/** plan_host_node() - index of the NIC of host @host_index. */
static inline uint32_t plan_host_node(const struct plan *plan, uint32_t host_index)
{
	return plan->switch_count + host_index;
}

#endif
