#include "nodes/control/control_routing.h"

/* as in control.c: packing and unpacking copy by the same list */
/* clang-format off */
#define ROUTING_FIELDS(F)                                                                                             \
	F(choice) F(detour) F(detour_weight_permille) F(detour_bias_units) F(detour_draws) F(lane_rule) F(hold_sources) \
	F(load_queue) F(hold_ps) F(redirect) F(redirect_rule) F(redirect_anywhere) F(redirect_inputs) F(redirect_depth_units) F(redirect_full_units)                     \
	F(redirect_growth_weight_permille) F(redirect_interval_ps) F(redirect_pause_ps) F(redirect_group) F(seed)
#define PORT_GROUP_FIELDS(F)                                                                                          \
	F(lid_bits) F(adaptive) F(policy) F(update_lft) F(pending_units) F(queue_units) F(log_marks) F(log_window_ps)  \
	F(hold_ps) F(fecn) F(fecn_units) F(becn) F(becn_interval_ps) F(ccti_increase) F(ccti_max) F(ccti_step_permille) \
	F(ccti_timer_ps) F(non_minimal)
/* clang-format on */

#define COPY(field) to->field = (__typeof__(to->field))from->field;

#define SAME(wire, here)                                   \
	_Static_assert((int)HEDDLE__##wire == (int)(here), \
		       "control.proto and the configuration disagree")
SAME(ROUTING_CHOICE__STATIC_CHOICE, ROUTING_STATIC);
SAME(ROUTING_CHOICE__HASH_CHOICE, ROUTING_HASH);
SAME(ROUTING_CHOICE__ADAPTIVE_CHOICE, ROUTING_ADAPTIVE);
SAME(ROUTING_DETOUR__NEVER, DETOUR_NEVER);
SAME(ROUTING_DETOUR__IF_LESS_LOADED, DETOUR_ADAPTIVE);
SAME(ROUTING_DETOUR__ALWAYS, DETOUR_ALWAYS);
SAME(LANE_RULE__KEEP, LANES_KEEP);
SAME(LANE_RULE__BY_HOP, LANES_BY_HOP);
SAME(REDIRECT_RULE__BY_LOADS, REDIRECT_BY_LOADS);
SAME(REDIRECT_RULE__BY_DEPTH, REDIRECT_BY_DEPTH);
SAME(PORT_GROUP_POLICY__RANDOM_PORT, POLICY_RANDOM);
SAME(PORT_GROUP_POLICY__GREEDY_PORT, POLICY_GREEDY);
SAME(PORT_GROUP_POLICY__GREEDY_RANDOM_PORT, POLICY_GREEDY_RANDOM);

/* ---- packing ---- */

Heddle__RoutingConfig *control_routing_pack(struct control_routing_packing *packing,
					    const struct routing_config *from)
{
	Heddle__RoutingConfig *to = &packing->routing;

	heddle__routing_config__init(to);
	ROUTING_FIELDS(COPY)
	return to;
}

Heddle__PortGroupConfig *control_port_group_pack(struct control_routing_packing *packing,
						 const struct port_group_config *from)
{
	Heddle__PortGroupConfig *to = &packing->port_group;

	heddle__port_group_config__init(to);
	PORT_GROUP_FIELDS(COPY)
	return to;
}

/* ---- unpacking ---- */

void control_routing_unpack(struct routing_config *to, const Heddle__RoutingConfig *from)
{
	ROUTING_FIELDS(COPY)
}

void control_port_group_unpack(struct port_group_config *to, const Heddle__PortGroupConfig *from)
{
	PORT_GROUP_FIELDS(COPY)
}
