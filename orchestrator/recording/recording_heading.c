#include "orchestrator/recording/recording_heading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 1

struct reading {
	struct recording_heading *heading;
	struct why *why;
};

const char *const recording_series_of[] = { [SERIES_OF_PORT] = "port",
					    [SERIES_OF_CLASS] = "class",
					    [SERIES_OF_LANE] = "lane",
					    [SERIES_OF_FLOW] = "flow" };

/* ---- values ---- */

const char *recording_heading_word(const json_t *value, bool empty)
{
	const char *text = json_string_value(value);

	if (!text || json_string_length(value) != strlen(text) || (!empty && !*text) ||
	    strlen(text) > RECORDING_WORD_MAX ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") !=
		    strlen(text))
		return NULL;
	return text;
}

static bool name_read(const json_t *value, char name[NODE_NAME_MAX])
{
	const char *text = recording_heading_word(value, false);

	if (!text || strlen(text) >= NODE_NAME_MAX)
		return false;
	strcpy(name, text);
	return true;
}

bool recording_heading_number(const json_t *object, const char *key, uint64_t limit,
			      uint32_t *number)
{
	const json_t *value = json_object_get(object, key);
	json_int_t got = json_integer_value(value);

	if (!json_is_integer(value) || got < 0 || (uint64_t)got >= limit)
		return false;
	*number = (uint32_t)got;
	return true;
}

/* ---- nodes ---- */

static int classes_read(const struct reading *reading, struct node_config *common)
{
	const json_t *array = json_object_get(reading->heading->json, "classes");
	uint32_t lanes;

	if (!json_is_array(array) || json_array_size(array) > NODE_CLASSES_MAX)
		return why_say(reading->why, -EINVAL,
			       "HEAD: classes: expected a list of at most %u", NODE_CLASSES_MAX);
	common->class_count = (uint32_t)json_array_size(array);
	for (uint32_t c = 0; c < common->class_count; c++)
		if (!name_read(json_array_get(array, c), common->classes[c].name))
			return why_say(reading->why, -EINVAL, "HEAD: classes: number %u is no name",
				       c);
	if (!recording_heading_number(reading->heading->json, "lanes", NODE_LANES_MAX + 1,
				      &lanes) ||
	    lanes * common->class_count > NODE_LANES_MAX)
		return why_say(reading->why, -EINVAL,
			       "HEAD: lanes: expected a number, with the classes at most %u",
			       NODE_LANES_MAX);
	common->lanes = lanes;
	return 0;
}

static int kind_read(const struct reading *reading, struct node_config *common)
{
	const char *text = json_string_value(json_object_get(reading->heading->json, "kind"));

	for (uint32_t kind = 0; text && kind < FABRIC_KINDS; kind++) {
		if (strcmp(text, scenario_fabric_name[kind]) != 0)
			continue;
		common->fabric = (enum fabric_kind)kind;
		return 0;
	}
	return why_say(reading->why, -EINVAL, "HEAD: kind: there is no such kind of fabric");
}

/* name, kind and number of ports */
static int node_read(const struct reading *reading, uint32_t index, const json_t *json)
{
	struct plan *plan = &reading->heading->plan;
	struct node_config *node = &plan->nodes[index];
	const char *type = json_string_value(json_object_get(json, "type"));
	const json_t *ports = json_object_get(json, "ports");

	if (!name_read(json_object_get(json, "name"), node->name))
		return why_say(reading->why, -EINVAL, "HEAD: node %u has no name", index);
	if (!type || (strcmp(type, "switch") != 0 && strcmp(type, "host") != 0))
		return why_say(reading->why, -EINVAL, "HEAD: node %u is no switch and no host",
			       index);
	node->kind = *type == 's' ? NODE_SWITCH : NODE_NIC;
	if (node->kind == NODE_SWITCH && plan->host_count)
		return why_say(reading->why, -EINVAL, "HEAD: node %u is a switch after a host",
			       index);
	*(node->kind == NODE_SWITCH ? &plan->switch_count : &plan->host_count) += 1;
	if (!json_is_array(ports) || !json_array_size(ports) ||
	    json_array_size(ports) > NODE_PORTS_MAX)
		return why_say(reading->why, -EINVAL,
			       "HEAD: node %u: expected a list of 1 to %u ports", index,
			       NODE_PORTS_MAX);
	node->port_count = (uint32_t)json_array_size(ports);
	node->ports = calloc(node->port_count, sizeof(*node->ports));
	reading->heading->port_counts[index] = node->port_count;
	return node->ports ? 0 : -ENOMEM;
}

static int peers_read(const struct reading *reading, uint32_t index, const json_t *json)
{
	const struct plan *plan = &reading->heading->plan;
	const json_t *ports = json_object_get(json, "ports");
	struct node_config *node = &plan->nodes[index];

	for (uint32_t p = 0; p < node->port_count; p++) {
		const json_t *port = json_array_get(ports, p);
		struct port_config *config = &node->ports[p];

		config->vacant = json_is_null(port);
		if (config->vacant)
			continue;
		if (!recording_heading_number(port, "peer", plan->node_count, &config->peer_index))
			return why_say(reading->why, -EINVAL,
				       "HEAD: node %u: port %u leads to no node", index, p);
		strcpy(config->peer_name, plan->nodes[config->peer_index].name);
		config->kind =
			node->kind == NODE_NIC || plan->nodes[config->peer_index].kind == NODE_NIC
				? PORT_EDGE
				: PORT_FABRIC;
	}
	return 0;
}

static int nodes_read(const struct reading *reading)
{
	struct recording_heading *heading = reading->heading;
	const json_t *array = json_object_get(heading->json, "nodes");
	struct node_config common = { 0 };
	size_t count = json_array_size(array);
	int error;

	if (!count || count > NODE_COUNT_MAX)
		return why_say(reading->why, -EINVAL, "HEAD: nodes: expected a list of 1 to %u",
			       NODE_COUNT_MAX);
	error = classes_read(reading, &common);
	if (!error)
		error = kind_read(reading, &common);
	if (error)
		return error;
	heading->plan.nodes = calloc(count, sizeof(*heading->plan.nodes));
	heading->port_counts = calloc(count, sizeof(*heading->port_counts));
	if (!heading->plan.nodes || !heading->port_counts)
		return -ENOMEM;
	heading->plan.node_count = (uint32_t)count;
	for (uint32_t i = 0; i < count && !error; i++) {
		heading->plan.nodes[i] = common;
		heading->plan.nodes[i].index = i;
		error = node_read(reading, i, json_array_get(array, i));
	}
	for (uint32_t i = 0; i < count && !error; i++)
		error = peers_read(reading, i, json_array_get(array, i));
	return error;
}

/* ---- series and events ---- */

/* the series of this Heddle that has the same name and the same kind of index */
static uint32_t series_find(const char *name, const char *of)
{
	for (uint32_t id = SERIES_SAMPLE + 1; id < SERIES_IDS; id++)
		if (!strcmp(series_row(id)->name, name) && of &&
		    !strcmp(recording_series_of[series_row(id)->of], of))
			return id;
	return SERIES_SAMPLE;
}

static int series_read(const struct reading *reading)
{
	struct recording_heading *heading = reading->heading;
	const json_t *array = json_object_get(heading->json, "series");
	size_t count = json_array_size(array);

	if (!json_is_array(array) || count > RECORDING_SERIES_MAX)
		return why_say(reading->why, -EINVAL, "HEAD: series: expected a list of at most %u",
			       RECORDING_SERIES_MAX);
	heading->series = calloc(count, sizeof(*heading->series));
	if (!heading->series)
		return -ENOMEM;
	heading->series_count = (uint32_t)count;
	for (uint32_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(array, i);
		const char *name = recording_heading_word(json_object_get(row, "name"), false);
		uint32_t id;

		if (!name || !recording_heading_number(row, "id", count, &id) || id != i)
			return why_say(reading->why, -EINVAL,
				       "HEAD: series %u: expected a name, and id %u", i, i);
		heading->series[i] =
			series_find(name, json_string_value(json_object_get(row, "of")));
	}
	return 0;
}

static int words_read(const struct reading *reading, const json_t *words, uint32_t id)
{
	for (size_t i = 0; i < json_array_size(words); i++)
		if (!recording_heading_word(json_array_get(words, i), false))
			return why_say(reading->why, -EINVAL, "HEAD: event %u: word %zu is no word",
				       id, i);
	return 0;
}

static int kinds_read(const struct reading *reading)
{
	struct recording_heading *heading = reading->heading;
	const json_t *array = json_object_get(heading->json, "events");
	int error = 0;

	if (!json_is_array(array) || json_array_size(array) > RECORDING_KINDS_MAX)
		return why_say(reading->why, -EINVAL, "HEAD: events: expected a list of at most %u",
			       RECORDING_KINDS_MAX);
	heading->kinds = calloc(RECORDING_KINDS_MAX, sizeof(*heading->kinds));
	if (!heading->kinds)
		return -ENOMEM;
	for (uint32_t i = 0; i < json_array_size(array) && !error; i++) {
		const json_t *row = json_array_get(array, i);
		struct recording_kind kind = {
			.name = recording_heading_word(json_object_get(row, "name"), false),
			.detail = recording_heading_word(json_object_get(row, "detail"), true),
			.value = recording_heading_word(json_object_get(row, "value"), true),
			.has_class = json_is_true(json_object_get(row, "has_class")),
			.words = json_object_get(row, "words"),
		};
		uint32_t id;

		if (!kind.name || !kind.detail || !kind.value ||
		    !recording_heading_number(row, "id", RECORDING_KINDS_MAX, &id))
			return why_say(reading->why, -EINVAL,
				       "HEAD: events: row %u: expected id, name, detail, value", i);
		error = words_read(reading, kind.words, id);
		heading->kinds[id] = kind;
		if (id >= heading->kind_count)
			heading->kind_count = id + 1;
	}
	return error;
}

/* ---- all ---- */

int recording_heading_read(struct recording_heading *heading, const char *text, size_t length,
			   struct why *why)
{
	struct reading reading = { .heading = heading, .why = why };
	json_error_t json_error;
	uint32_t format;
	int error;

	*heading = (struct recording_heading){ 0 };
	heading->json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);
	if (!json_is_object(heading->json))
		return why_say(why, -EINVAL, "HEAD is no JSON object: %s",
			       heading->json ? "another value" : json_error.text);
	if (!recording_heading_number(heading->json, "format", UINT32_MAX, &format) ||
	    format != FORMAT)
		return why_say(why, -EINVAL, "HEAD: format: only %u is known", FORMAT);
	error = nodes_read(&reading);
	if (!error)
		error = series_read(&reading);
	if (!error)
		error = kinds_read(&reading);
	heading->limits = (struct slice_limits){ .node_count = heading->plan.node_count,
						 .series_count = heading->series_count,
						 .kind_count = heading->kind_count,
						 .port_counts = heading->port_counts };
	return error;
}

void recording_heading_free(struct recording_heading *heading)
{
	for (uint32_t i = 0; i < heading->plan.node_count; i++)
		free(heading->plan.nodes[i].ports);
	free(heading->plan.nodes);
	free(heading->plan.workloads);
	free(heading->port_counts);
	free(heading->kinds);
	free(heading->series);
	json_decref(heading->json);
	*heading = (struct recording_heading){ 0 };
}

uint32_t recording_heading_workload(struct recording_heading *heading, const char *name)
{
	struct plan *plan = &heading->plan;
	struct plan_workload *workloads;

	for (uint32_t i = 0; i < plan->workload_count; i++)
		if (!strcmp(plan->workloads[i].name, name))
			return i;
	if (strlen(name) >= NODE_NAME_MAX || plan->workload_count == SCENARIO_WORKLOADS_MAX)
		return UINT32_MAX;
	workloads = realloc(plan->workloads, (plan->workload_count + 1) * sizeof(*workloads));
	if (!workloads)
		return UINT32_MAX;
	plan->workloads = workloads;
	workloads[plan->workload_count] = (struct plan_workload){ 0 };
	strcpy(workloads[plan->workload_count].name, name);
	return plan->workload_count++;
}
