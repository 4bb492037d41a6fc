#include "orchestrator/plan/plan_routing.h"

#include "nodes/base/number.h"
#include "nodes/base/units.h"
#include "orchestrator/plan/plan_congestion_make.h"
#include "orchestrator/plan/plan_workload.h"

#define SEED_OF_ROUTING 0x726f757465ull /* "route" */

#define DETOUR_WEIGHT_PERMILLE 2000u /* a detour has twice the links */
#define DETOUR_DRAWS 2u
/* With less agreement about upward ports, suggestions do harm: docs/routing.md, "Plug order" */
#define AGREEMENT_MIN_PERMILLE 500u
#define LOG_MARKS 1u
#define CCTI_INCREASE 4u
#define CCTI_STEPS 8u /* of the index; after so many the rate is half of the link's */

/* data units that @rate_bps carries in @span_ps, @frames of the MTU at least */
static uint32_t units_in(const struct congestion_basis *basis, node_time_t span_ps, uint32_t frames)
{
	uint64_t bytes = node_bytes_in_time(span_ps, basis->rate_bps);
	uint64_t units = number_max((bytes + UNIT_BYTES - 1) / UNIT_BYTES,
				    frames * (uint64_t)units_of_bytes(basis->mtu_bytes));

	return (uint32_t)number_min(units, ROUTING_UNITS_MAX);
}

static node_time_t time_limited(uint64_t time_ps)
{
	return number_min(number_max(time_ps, NODE_NS), ROUTING_TIME_MAX_PS);
}

/* ---- the request to the routing library ---- */

static bool cycles_allowed(const struct scenario *scenario)
{
	uint64_t allowed = scenario->routing.cycles_allowed;

	return allowed == SCENARIO_DERIVED ? scenario->fabric == FABRIC_ROCE : allowed;
}

struct routing_request plan_routing_request(const struct scenario *scenario)
{
	bool roce = scenario->fabric == FABRIC_ROCE;

	return (struct routing_request){
		.fabric = scenario->fabric,
		.order = (enum routing_order)scenario->routing.order,
		.lanes = roce ? 1 : scenario->routing.lanes,
		.lanes_max = roce ? 1 : NODE_LANES_MAX / scenario->class_count,
		.detours = scenario->fabric == FABRIC_FLOW_CHANNEL &&
			   scenario->routing.config.detour != DETOUR_NEVER,
		.non_minimal = scenario->fabric == FABRIC_PORT_GROUP &&
			       scenario->port_group.config.adaptive &&
			       scenario->port_group.config.non_minimal,
		.cycles_allowed = cycles_allowed(scenario),
	};
}

/* ---- derived values ---- */

/* the time between two frames of a source if all hosts send to the same one */
static node_time_t source_gap_ps(const struct congestion_basis *basis)
{
	return node_time_of_bytes(basis->mtu_bytes, basis->rate_bps) * basis->hosts;
}

struct routing_config plan_routing_derive(const struct congestion_basis *basis, bool tree)
{
	uint32_t depth_units = units_in(basis, 0, 4);

	return (struct routing_config){
		.detour_weight_permille = DETOUR_WEIGHT_PERMILLE,
		/* uniform traffic takes few detours: dragonfly-uniform.yaml */
		.detour_bias_units = units_in(basis, 0, 8),
		.detour_draws = DETOUR_DRAWS,
		.hold_ps = time_limited(number_max(2 * source_gap_ps(basis), 4 * basis->rtt_ps)),
		.redirect_depth_units = depth_units,
		.redirect_full_units = (uint32_t)number_min(
			depth_units + (uint64_t)units_in(basis, basis->rtt_ps, 8),
			ROUTING_UNITS_MAX),
		.redirect_growth_weight_permille = 1000,
		.redirect_group = 1,
		.redirect_anywhere = tree,
		.redirect_inputs = tree,
		.redirect_interval_ps =
			time_limited(tree ? 9 * basis->rtt_ps / 2 : 8 * basis->rtt_ps / 3),
		.redirect_pause_ps =
			time_limited(tree ? 9 * basis->rtt_ps / 2 : 3 * basis->rtt_ps / 2),
	};
}

/* FECN marks a queue whose delay is that of the congestion notification. The index falls more
 * slowly than BECNs raise it, even if all hosts send to the same one and each source has only one
 * packet in source_gap_ps(). */
struct port_group_config plan_port_group_derive(const struct congestion_basis *basis)
{
	node_time_t loop_ps = basis->rtt_ps + 2 * basis->link_rtt_ps; /* links to the hosts too */
	uint32_t queue_units = units_in(basis, basis->link_rtt_ps / 2, 4);

	return (struct port_group_config){
		.pending_units = units_in(basis, 0, 4),
		.queue_units = queue_units,
		.log_marks = LOG_MARKS,
		/* congestion counts as present until the detected queue can have drained */
		.log_window_ps = time_limited(
			node_time_of_bytes((uint64_t)queue_units * UNIT_BYTES, basis->rate_bps)),
		.hold_ps = time_limited(basis->link_rtt_ps),
		.fecn_units = units_in(basis, loop_ps, 8),
		.becn_interval_ps = time_limited(loop_ps / 2),
		.ccti_increase = CCTI_INCREASE,
		.ccti_max = (uint32_t)number_min(2 * CCTI_STEPS * (uint64_t)basis->hosts,
						 PORT_GROUP_CCTI_MAX),
		.ccti_step_permille = 1000 / CCTI_STEPS,
		.ccti_timer_ps = time_limited(number_max(loop_ps / 2, source_gap_ps(basis))),
	};
}

/* ---- values of the scenario ---- */

static void routing_take(struct routing_config *config, enum fabric_kind fabric,
			 const struct scenario_routing *section)
{
	const struct routing_config *given = &section->given;
	bool s2 = section->preset == PRESET_S2, tree = config->redirect_inputs;
	uint32_t span_units = config->redirect_full_units - config->redirect_depth_units;

	config->choice = scenario_routing_choice(section, fabric);
	config->hold_sources = config->redirect = config->choice == ROUTING_ADAPTIVE;
	config->load_queue = s2;
	config->redirect_rule = s2 ? REDIRECT_BY_DEPTH : REDIRECT_BY_LOADS;
	config->redirect_anywhere = !s2 && config->redirect_anywhere;
	parameters_take(&routing_parameters, config, &section->config, given);
	if (fabric != FABRIC_FLOW_CHANNEL)
		config->detour = DETOUR_NEVER;
	config->redirect_inputs = tree && config->redirect && config->redirect_anywhere;
	/* the other level follows the one that is given */
	if (given->redirect_depth_units && !given->redirect_full_units)
		config->redirect_full_units = (uint32_t)number_min(
			(uint64_t)config->redirect_depth_units + span_units, ROUTING_UNITS_MAX);
	config->redirect_depth_units =
		(uint32_t)number_min(config->redirect_depth_units, config->redirect_full_units);
}

/* ---- the whole ---- */

uint64_t plan_routing_seed(uint64_t seed, uint32_t index)
{
	return plan_mix(seed ^ SEED_OF_ROUTING, index);
}

int plan_routing_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan)
{
	struct congestion_basis basis;
	struct routing_config routing;
	struct port_group_config port_group;
	int error = plan_congestion_basis(clock, plan, &basis);

	if (error)
		return error;
	routing = plan_routing_derive(&basis, plan->tree);
	routing.redirect_inputs &= plan->agreement_permille >= AGREEMENT_MIN_PERMILLE;
	routing_take(&routing, scenario->fabric, &scenario->routing);
	port_group = plan_port_group_derive(&basis);
	parameters_take(&port_group_parameters, &port_group, &scenario->port_group.config,
			&scenario->port_group.given);
	port_group.becn = port_group.becn && port_group.fecn;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct node_config *node = &plan->nodes[i];

		if (scenario->fabric == FABRIC_PORT_GROUP)
			node->port_group = port_group;
		node->port_group.non_minimal = plan->routing.non_minimal;
		if (node->kind != NODE_SWITCH)
			continue;
		routing.lane_rule = node->switch_.routing.lane_rule;
		routing.seed = plan_routing_seed(scenario->seed, i);
		node->switch_.routing = routing;
	}
	return 0;
}
