#include "orchestrator/recording/recording_head.h"

#include <string.h>

#include "nodes/base/version.h"
#include "nodes/stats/trace.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/recording/recording_heading.h"
#include "orchestrator/recording/recording_layout.h"
#include "orchestrator/recording/recording_marks.h"
#include "orchestrator/results/results_origin.h"
#include "orchestrator/scenario/scenario_spot.h"

#define FORMAT 1

/* ---- the scenario ---- */

/* the path of the scenario as it was given; of a descriptor, which has another number in each run,
 * only the end */
static const char *shown_path(const char *path)
{
	return strncmp(path, "/proc/", strlen("/proc/")) != 0 ? path : strrchr(path, '/') + 1;
}

static json_t *scenario_json(const struct plan *plan, const char *variant)
{
	const char *text = plan->origin ? plan->origin->text : NULL;
	json_t *scenario = json_object();
	int error = results_origin_put(plan->origin, scenario);

	error |= json_object_set_new(scenario, "name", json_string(plan->scenario));
	error |= json_object_set_new(
		scenario, "about",
		json_string(member_text(json_object_get(scenario, "effective"), "about")));
	error |= json_object_set_new(scenario, "text", text ? json_string(text) : json_null());
	error |= json_object_set_new(scenario, "file", utf8_json(shown_path(plan->file)));
	error |= json_object_set_new(scenario, "variant",
				     variant ? json_string(variant) : json_null());
	error |= json_object_set_new(scenario, "seed", json_integer((json_int_t)plan->seed));
	if (!error)
		return scenario;
	json_decref(scenario);
	return NULL;
}

/* the section of a generated topology, and its type; else the type "given" */
static json_t *topology_json(const json_t *scenario)
{
	const json_t *section = json_object_get(json_object_get(scenario, "effective"), "topology");
	const char *type = json_string_value(json_object_get(section, "generate"));
	json_t *topology = type ? json_deep_copy(section) : json_object();

	json_object_set_new(topology, "type", json_string(type ? type : "given"));
	return topology;
}

/* ---- nodes ---- */

static json_t *number_json(uint32_t number)
{
	return number == RECORDING_NOWHERE ? json_null() : json_integer(number);
}

static json_t *ports_json(const struct node_config *node)
{
	json_t *array = json_array();

	for (uint32_t p = 0; p < node->port_count; p++) {
		const struct port_config *port = &node->ports[p];

		json_array_append_new(
			array, port->vacant ? json_null()
					    : json_pack("{s:i, s:i, s:I, s:I}", "peer",
							(int)port->peer_index, "peer_port",
							(int)port->peer_port, "rate_bps",
							(json_int_t)port->rate_bps, "delay_ps",
							(json_int_t)port->delay_ps));
	}
	return array;
}

/* [x, y] of the scenario; null: the page finds a place */
static json_t *spot_json(const struct plan *plan, uint32_t node)
{
	const struct scenario_spot *spot = plan->spots ? &plan->spots[node] : NULL;

	return spot && spot->given ? json_pack("[f, f]", (double)spot->x / SCENARIO_SPOT_ONE,
					       (double)spot->y / SCENARIO_SPOT_ONE)
				   : json_null();
}

static json_t *nodes_json(const struct plan *plan)
{
	struct recording_layout layout;
	json_t *array;

	if (recording_layout_make(plan, &layout))
		return NULL;
	array = json_array();
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct node_config *node = &plan->nodes[i];

		json_array_append_new(
			array, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", node->name,
					 "type", node->kind == NODE_SWITCH ? "switch" : "host",
					 "tier", number_json(layout.tiers[i]), "group",
					 number_json(layout.groups[i]), "at", spot_json(plan, i),
					 "ports", ports_json(node)));
	}
	recording_layout_free(&layout);
	return array;
}

static json_t *classes_json(const struct plan *plan)
{
	json_t *array = json_array();

	for (uint32_t c = 0; c < plan->nodes[0].class_count; c++)
		json_array_append_new(array, json_string(plan->nodes[0].classes[c].name));
	return array;
}

/* ---- series ---- */

/* the names in @unit, of a state; null if there are none */
static json_t *states_json(const struct series_row *row)
{
	const char *at = row->unit;
	json_t *array;

	if (row->type != SERIES_STATE || !strchr(at, '|'))
		return json_null();
	array = json_array();
	for (; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		json_array_append_new(array, json_stringn(at, strcspn(at, "|")));
	return array;
}

json_t *recording_series_json(void)
{
	static const char *const type_names[] = {
		[SERIES_GAUGE] = "gauge", [SERIES_COUNTER] = "counter", [SERIES_STATE] = "state"
	};
	json_t *array = json_array();

	for (uint32_t id = SERIES_SAMPLE + 1; id < SERIES_IDS; id++) {
		const struct series_row *row = series_row(id);
		json_t *states = states_json(row);

		json_array_append_new(array,
				      json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o}", "id",
						(int)recording_series_number(id), "name", row->name,
						"unit", json_is_null(states) ? row->unit : "state",
						"of", recording_series_of[row->of], "type",
						type_names[row->type], "what", row->what, "states",
						states));
	}
	return array;
}

/* ---- events ---- */

/* names of the values of `detail`; null if they are numbers */
static json_t *words_json(uint32_t kind)
{
	json_t *array;

	if (!trace_detail_word(kind, 0))
		return json_null();
	array = json_array();
	for (uint32_t detail = 0; trace_detail_word(kind, detail); detail++)
		json_array_append_new(array, json_string(trace_detail_word(kind, detail)));
	return array;
}

json_t *recording_events_json(void)
{
	json_t *array = json_array();

	for (uint32_t kind = TRACE_NONE + 1; kind < TRACE_KINDS; kind++) {
		const struct trace_row *row = trace_row(kind);

		json_array_append_new(array, json_pack("{s:i, s:s, s:s, s:s, s:b, s:s, s:o}", "id",
						       (int)kind, "name", row->name, "detail",
						       row->detail, "value", row->value,
						       "has_class", (int)row->has_class, "what",
						       row->what, "words", words_json(kind)));
	}
	return array;
}

/* ---- all ---- */

json_t *recording_head(const struct plan *plan, const char *variant, node_time_t sample_ps)
{
	json_t *scenario = scenario_json(plan, variant), *topology = topology_json(scenario);

	return json_pack("{s:i, s:s, s:o, s:s, s:s, s:I, s:[I, I], s:o, s:o, s:i, s:o, s:o, s:o, "
			 "s:o}",
			 "format", FORMAT, "version", HEDDLE_VERSION, "scenario", scenario, "clock",
			 plan_is_real(plan) ? "real" : "virtual", "kind",
			 scenario_fabric_name[plan_fabric(plan)], "sample_ps",
			 (json_int_t)sample_ps, "measure", (json_int_t)plan->warmup_ps,
			 (json_int_t)plan->duration_ps, "topology", topology, "classes",
			 classes_json(plan), "lanes", (int)node_lanes(&plan->nodes[0], PORT_FABRIC),
			 "nodes", nodes_json(plan), "series", recording_series_json(), "events",
			 recording_events_json(), "marks", recording_marks_json(plan));
}
