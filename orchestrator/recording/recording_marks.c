#include "orchestrator/recording/recording_marks.h"

#define NO_CLASS UINT32_MAX

struct marking {
	json_t *marks;
	const struct node_config *node;
	uint32_t index, port;
};

/* @value of 0: there is no such level */
static void mark_add(const struct marking *marking, uint32_t traffic_class, const char *name,
		     const char *series, uint64_t value)
{
	if (!value)
		return;
	json_array_append_new(
		marking->marks,
		json_pack("{s:i, s:i, s:o, s:s, s:s, s:I}", "node", (int)marking->index, "port",
			  (int)marking->port, "class",
			  traffic_class == NO_CLASS ? json_null() : json_integer(traffic_class),
			  "name", name, "series", series, "value", (json_int_t)value));
}

/* RC-1, RC-5: of every class of an output, and of what came in by a port */
static void marks_roce(const struct marking *marking)
{
	const struct node_config *node = marking->node;
	const struct port_config *port = &node->ports[marking->port];

	for (uint32_t c = 0; c < node->class_count; c++) {
		const struct roce_class_config class =
			roce_class_at(&node->roce.classes[c], port->rate_bps, port->mtu_bytes);
		bool pauses = class.lossless && node->roce.pfc;

		if (class.ecn) {
			mark_add(marking, c, "kmin", "class_queue_bytes", class.kmin_bytes);
			mark_add(marking, c, "kmax", "class_queue_bytes", class.kmax_bytes);
		}
		if (!pauses)
			mark_add(marking, c, "queue", "class_queue_bytes", class.queue_bytes_max);
		if (pauses && class.xoff_bytes) {
			mark_add(marking, c, "xoff", "class_input_bytes", class.xoff_bytes);
			mark_add(marking, c, "xon", "class_input_bytes",
				 class.xoff_bytes - class.xon_offset_bytes);
		}
	}
}

static void marks_buffer(const struct marking *marking)
{
	const struct port_config *port = &marking->node->ports[marking->port];

	if (!port->buffer_units)
		return;
	mark_add(marking, NO_CLASS, "stop", "input_units", port->stop_units);
	mark_add(marking, NO_CLASS, "buffer", "input_units", port->buffer_units);
}

static void marks_port_group(const struct marking *marking)
{
	if (marking->node->port_group.fecn)
		mark_add(marking, NO_CLASS, "fecn", "input_units",
			 marking->node->port_group.fecn_units);
}

json_t *recording_marks_json(const struct plan *plan)
{
	struct marking marking = { .marks = json_array() };

	for (uint32_t i = 0; marking.marks && i < plan->switch_count; i++) {
		marking.index = i;
		marking.node = &plan->nodes[i];
		for (uint32_t p = 0; p < marking.node->port_count; p++) {
			marking.port = p;
			if (marking.node->ports[p].vacant)
				continue;
			if (plan_fabric(plan) == FABRIC_ROCE)
				marks_roce(&marking);
			else
				marks_buffer(&marking);
			if (plan_fabric(plan) == FABRIC_PORT_GROUP)
				marks_port_group(&marking);
		}
	}
	return marking.marks;
}
