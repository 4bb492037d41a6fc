#include "orchestrator/plan/routing_text.h"

#include <inttypes.h>

#include "nodes/base/units.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/parameter_json.h"

static const char *const rule_names[LANE_RULES] = {
	[LANES_KEEP] = "keep", [LANES_BY_HOP] = "by-hop"
};

/* ---- for people ---- */

static const char *human_units(uint32_t units, char *text)
{
	return human_bytes((uint64_t)units * UNIT_BYTES, text);
}

static void lanes_print(const struct plan *plan, FILE *out)
{
	const struct node_config *node = &plan->nodes[0];

	if (node->lanes == 1)
		fprintf(out, "one lane for each class\n");
	else
		fprintf(out, "%" PRIu32 " lanes for each class, %s\n", node->lanes,
			node->switch_.routing.lane_rule == LANES_BY_HOP
				? "the next higher one at every hop"
				: "the same one on the whole path");
}

static void detour_print(const struct routing_config *routing, FILE *out)
{
	char bias[HUMAN_TEXT_MAX];

	if (routing->detour == DETOUR_ALWAYS)
		fprintf(out, "  detours     always, by a random intermediate switch\n");
	if (routing->detour == DETOUR_ADAPTIVE)
		fprintf(out,
			"  detours     the better of %" PRIu32
			", if the load of the minimal path exceeds %g times its load plus %s\n",
			routing->detour_draws, routing->detour_weight_permille / 1000.0,
			human_units(routing->detour_bias_units, bias));
}

static void redirect_print(const struct plan *plan, FILE *out)
{
	const struct routing_config *routing = &plan->nodes[0].switch_.routing;
	char text[4][HUMAN_TEXT_MAX];

	if (routing->hold_sources)
		fprintf(out,
			"  sources     of congestion keep their path, for %s after the last "
			"congestion ACK\n",
			human_time(routing->hold_ps, text[0]));
	if (!routing->redirect)
		return;
	fprintf(out,
		"  redirects   above a queue of %s, always from %s on; growth within %s counts %g "
		"times; the same flow again after %s%s\n",
		human_units(routing->redirect_depth_units, text[0]),
		human_units(routing->redirect_full_units, text[1]),
		human_time(routing->redirect_interval_ps, text[2]),
		routing->redirect_growth_weight_permille / 1000.0,
		human_time(routing->redirect_pause_ps, text[3]),
		routing->redirect_inputs     ? "; inputs request, at any switch"
		: routing->redirect_anywhere ? "; at any switch"
					     : "");
	if (plan->tree && routing->redirect_anywhere && !routing->redirect_inputs)
		fprintf(out,
			"              inputs request none: switches are cabled in different "
			"orders, and agree on %g %% of the paths up\n",
			plan->agreement_permille / 10.0);
	if (routing->redirect_rule == REDIRECT_BY_DEPTH)
		fprintf(out, "              any packet may request one, the likelier the longer "
			     "the queue; the flow then takes the least loaded path\n");
	if (routing->redirect_group > 1)
		fprintf(out,
			"              groups of up to %" PRIu32
			" flows, at most half of those that wait\n",
			routing->redirect_group);
}

/* prints @before and the names of the classes that are @unordered, or are not; nothing without such
 * a class */
static void classes_print(const struct node_config *node, bool unordered, const char *before,
			  FILE *out)
{
	for (uint32_t c = 0; c < node->class_count; c++) {
		if (node->classes[c].unordered != unordered)
			continue;
		fprintf(out, "%s%s", before, node->classes[c].name);
		before = ", ";
	}
}

static bool classes_adaptive(const struct node_config *node)
{
	bool adaptive = false;

	for (uint32_t c = 0; c < node->class_count; c++)
		adaptive |= node->port_group.adaptive && node->classes[c].unordered;
	return adaptive;
}

/* PG-5: the number of destinations, of all switches together, to which a packet from a host may
 * take a longer path */
static void non_minimal_print(const struct plan *plan, FILE *out)
{
	uint32_t count = 0, all = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct lid_tables *lids = &plan->nodes[i].switch_.lids;

		for (uint32_t lid = 1; lid < lids->lid_count; lid++) {
			count += lids->pgft[lid] >= PORT_GROUP_EDGE_FROM;
			all += lids->lft[lid] != LFT_NO_PORT;
		}
	}
	if (count)
		fprintf(out,
			"  non-minimal packets from hosts may take one more link, where a single "
			"port is shortest: %" PRIu32 " of %" PRIu32 " entries\n",
			count, all);
	else
		fprintf(out, "  non-minimal none: no destination has a single shortest port and a "
			     "longer path within the lanes\n");
}

static void port_group_print(const struct plan *plan, FILE *out)
{
	const struct node_config *node = &plan->nodes[0];
	const struct port_group_config *config = &node->port_group;
	char text[4][HUMAN_TEXT_MAX];

	if (!config->adaptive) {
		fprintf(out, "port groups   LIDs of %" PRIu32 " bits, static ports only\n",
			config->lid_bits);
	} else {
		fprintf(out,
			"port groups   LIDs of %" PRIu32
			" bits, policy %s, the choice applies to %s\n",
			config->lid_bits, port_group_policy_words[config->policy],
			config->update_lft ? "the DLID" : "one packet");
		fprintf(out,
			"  congested   without credit, or if %s wait for it and that rises, or "
			"after %" PRIu32
			" marks, from a queue of %s, within %s; an entry again after %s\n",
			human_units(config->pending_units, text[0]), config->log_marks,
			human_units(config->queue_units, text[1]),
			human_time(config->log_window_ps, text[2]),
			human_time(config->hold_ps, text[3]));
		if (config->non_minimal)
			non_minimal_print(plan, out);
		fprintf(out, "  classes     ");
		classes_print(node, true, "adaptive, any order: ", out);
		classes_print(node, false,
			      classes_adaptive(node) ? "; in order, static ports: "
						     : "in order, static ports: ",
			      out);
		fprintf(out, "\n");
	}
	if (config->fecn)
		fprintf(out, "  FECN        from a queue of %s on, of which sources are notified\n",
			human_units(config->fecn_units, text[0]));
	if (config->becn)
		fprintf(out,
			"  BECN        one in %s; each raises the index by %" PRIu32
			" up to %" PRIu32 ", each %s lowers it by 1; rate / (1 + %g * index)\n",
			human_time(config->becn_interval_ps, text[0]), config->ccti_increase,
			config->ccti_max, human_time(config->ccti_timer_ps, text[1]),
			config->ccti_step_permille / 1000.0);
}

#define SWITCHES_NAMED 8u

void routing_ungrouped_print(const struct plan *plan, const char *label, FILE *out)
{
	uint32_t switches = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct node_config *node = &plan->nodes[i];
		uint32_t count = node->kind == NODE_SWITCH ? node->switch_.lids.ungrouped : 0;

		if (!count)
			continue;
		if (!switches)
			fprintf(out,
				"%sa switch has at most %u%s; destinations without a group have "
				"their static port only:",
				label,
				node->port_group.non_minimal ? PORT_GROUP_EDGE_FROM - 1
							     : PORT_GROUPS_MAX - 1,
				node->port_group.non_minimal ? ", and 128 with longer paths" : "");
		if (switches++ < SWITCHES_NAMED)
			fprintf(out, "%s %" PRIu32 " at %s", switches > 1 ? "," : "", count,
				node->name);
	}
	if (switches > SWITCHES_NAMED)
		fprintf(out, ", more at %" PRIu32 " other switches", switches - SWITCHES_NAMED);
	if (switches)
		fprintf(out, "\n");
}

void routing_print(const struct plan *plan, FILE *out)
{
	const struct routing_config *routing = &plan->nodes[0].switch_.routing;

	if (plan_fabric(plan) == FABRIC_PORT_GROUP) {
		port_group_print(plan, out);
		routing_ungrouped_print(plan, "  groups      ", out);
		fprintf(out, "paths         ");
	} else {
		fprintf(out, "paths         %s, ", routing_choice_words[routing->choice]);
	}
	lanes_print(plan, out);
	if (plan_fabric(plan) != FABRIC_FLOW_CHANNEL)
		return;
	if (routing->choice == ROUTING_ADAPTIVE)
		fprintf(out, "  load        the queue of a port%s\n",
			routing->load_queue ? "" : ", and data sent there but not acknowledged");
	detour_print(routing, out);
	redirect_print(plan, out);
}

/* ---- for programs ---- */

json_t *routing_json(const struct plan *plan)
{
	const struct routing_config *routing = &plan->nodes[0].switch_.routing;
	json_t *root = parameters_json(&routing_parameters, routing);
	json_t *more = json_pack(
		"{s:s, s:s, s:I, s:s}", "load", routing->load_queue ? "queue" : "path", "order",
		scenario_order_name[plan->routing.order], "lanes", (json_int_t)plan->nodes[0].lanes,
		"lane_rule", rule_names[routing->lane_rule]);

	/* of one switch only; `load` says it */
	json_object_del(root, "seed");
	json_object_del(root, "load_queue");
	if (!json_object_update(root, more)) {
		json_decref(more);
		return root;
	}
	json_decref(more);
	json_decref(root);
	return NULL;
}

/* PG-4: the names of the classes whose packets may be sent to other ports than the static one */
static json_t *adaptive_classes_json(const struct node_config *node)
{
	json_t *names = json_array();

	for (uint32_t c = 0; c < node->class_count; c++)
		if (node->port_group.adaptive && node->classes[c].unordered)
			json_array_append_new(names, json_string(node->classes[c].name));
	return names;
}

json_t *port_group_json(const struct plan *plan)
{
	const struct node_config *node = &plan->nodes[0];
	json_t *root = parameters_json(&port_group_parameters, &node->port_group);

	if (!json_object_set_new(root, "adaptive_classes", adaptive_classes_json(node)))
		return root;
	json_decref(root);
	return NULL;
}
