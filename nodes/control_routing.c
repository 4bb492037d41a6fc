#include "nodes/control_routing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* as in control.c: packing and unpacking copy by the same list */
/* clang-format off */
#define ROUTING_FIELDS(F)                                                                                             \
	F(choice) F(detour) F(detour_weight_permille) F(detour_bias_units) F(detour_draws) F(lane_rule) F(hold_sources) \
	F(hold_ps) F(redirect) F(redirect_anywhere) F(redirect_depth_units) F(redirect_full_units)                     \
	F(redirect_growth_weight_permille) F(redirect_interval_ps) F(redirect_pause_ps) F(seed)
#define PORT_GROUP_FIELDS(F)                                                                                          \
	F(lid_bits) F(adaptive) F(policy) F(update_lft) F(pending_units) F(queue_units) F(log_marks) F(log_window_ps)  \
	F(hold_ps) F(fecn) F(fecn_units) F(becn) F(becn_interval_ps) F(ccti_increase) F(ccti_max) F(ccti_step_permille) \
	F(ccti_timer_ps)
/* clang-format on */

#define COPY(field) to->field = (__typeof__(to->field))from->field;

#define SAME(wire, here) \
	_Static_assert((int)HEDDLE__##wire == (int)(here), "control.proto and the configuration disagree")
SAME(ROUTING_CHOICE__STATIC_CHOICE, ROUTING_STATIC);
SAME(ROUTING_CHOICE__HASH_CHOICE, ROUTING_HASH);
SAME(ROUTING_CHOICE__ADAPTIVE_CHOICE, ROUTING_ADAPTIVE);
SAME(ROUTING_DETOUR__NEVER, DETOUR_NEVER);
SAME(ROUTING_DETOUR__IF_LESS_LOADED, DETOUR_ADAPTIVE);
SAME(ROUTING_DETOUR__ALWAYS, DETOUR_ALWAYS);
SAME(LANE_RULE__KEEP, LANES_KEEP);
SAME(LANE_RULE__BY_HOP, LANES_BY_HOP);
SAME(PORT_GROUP_POLICY__RANDOM_PORT, POLICY_RANDOM);
SAME(PORT_GROUP_POLICY__GREEDY_PORT, POLICY_GREEDY);
SAME(PORT_GROUP_POLICY__GREEDY_RANDOM_PORT, POLICY_GREEDY_RANDOM);

/* ---- packing ---- */

Heddle__RoutingConfig *control_routing_pack(struct control_routing_packing *packing, const struct routing_config *from)
{
	Heddle__RoutingConfig *to = &packing->routing;

	heddle__routing_config__init(to);
	ROUTING_FIELDS(COPY)
	return to;
}

static void lids_pack(Heddle__LidTables *to, const struct lid_tables *from)
{
	heddle__lid_tables__init(to);
	to->lft = (ProtobufCBinaryData){ .len = from->lid_count, .data = from->lft };
	to->pgft = (ProtobufCBinaryData){ .len = from->lid_count, .data = from->pgft };
	to->n_pgt = (size_t)from->group_count * PORT_GROUP_WORDS;
	to->pgt = from->group_count ? from->pgt[0] : NULL;
}

int control_paths_pack(struct control_routing_packing *packing, Heddle__SwitchConfig *to,
		       const struct switch_config *from)
{
	if (from->lids.lid_count || from->lids.group_count) {
		lids_pack(&packing->lids, &from->lids);
		to->lids = &packing->lids;
	}
	if (!from->via_count)
		return 0;
	packing->vias = calloc(from->via_count, sizeof(*packing->vias));
	if (!packing->vias)
		return -ENOMEM;
	to->vias = packing->vias;
	for (; to->n_vias < from->via_count; to->n_vias++)
		to->vias[to->n_vias] = from->vias[to->n_vias];
	return 0;
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

static int vias_unpack(struct switch_config *to, const Heddle__SwitchConfig *from)
{
	if (!from->n_vias)
		return 0;
	to->vias = calloc(from->n_vias, sizeof(*to->vias));
	if (!to->vias)
		return -ENOMEM;
	for (; to->via_count < from->n_vias; to->via_count++) {
		if (from->vias[to->via_count] > UINT16_MAX)
			return -EINVAL;
		to->vias[to->via_count] = (uint16_t)from->vias[to->via_count];
	}
	return 0;
}

/* a copy with room for one byte at least;  Return: NULL if there is no memory */
static void *copy_of(const void *from, size_t bytes)
{
	void *to = malloc(bytes ? bytes : 1);

	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

static int lids_unpack(struct lid_tables *to, const Heddle__LidTables *from)
{
	if (from->pgft.len != from->lft.len || from->lft.len > LID_COUNT_MAX || from->n_pgt % PORT_GROUP_WORDS ||
	    from->n_pgt > PORT_GROUPS_MAX * PORT_GROUP_WORDS)
		return -EINVAL;
	to->lft = copy_of(from->lft.data, from->lft.len);
	to->pgft = copy_of(from->pgft.data, from->pgft.len);
	to->pgt = copy_of(from->pgt, from->n_pgt * sizeof(*from->pgt));
	if (!to->lft || !to->pgft || !to->pgt)
		return -ENOMEM;
	to->lid_count = (uint32_t)from->lft.len;
	to->group_count = (uint32_t)(from->n_pgt / PORT_GROUP_WORDS);
	return 0;
}

int control_paths_unpack(struct switch_config *to, const Heddle__SwitchConfig *from)
{
	int error = vias_unpack(to, from);

	if (!error && from->lids)
		error = lids_unpack(&to->lids, from->lids);
	return error;
}

void control_port_group_unpack(struct port_group_config *to, const Heddle__PortGroupConfig *from)
{
	PORT_GROUP_FIELDS(COPY)
}
