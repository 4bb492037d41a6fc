#include "nodes/control/config_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nodes/base/event_tree.h"
#include "nodes/base/ring.h"
#include "nodes/wire/class_map.h"
#include "nodes/wire/frame.h"

/* where the text goes, and the part of the configuration that is checked, e.g. "ports[3]." */
struct checker {
	struct why *why;
	const char *part, *after_index; /* the latter NULL: no index */
	uint32_t index;
	char place[64];
	bool refused;
};

_Static_assert(NIC_FLOWS_MAX == FRAME_FLOW_SLOTS_MAX, "a flow of a NIC has a slot in frames");

__attribute__((format(printf, 2, 3))) static void refuse(struct checker *checker,
							 const char *format, ...)
{
	va_list arguments;

	if (checker->refused)
		return;
	checker->refused = true;
	va_start(arguments, format);
	vsnprintf(checker->why->text, sizeof(checker->why->text), format, arguments);
	va_end(arguments);
}

static void enter(struct checker *checker, const char *part)
{
	checker->part = part;
	checker->after_index = NULL;
}

/* element @index of a list: @before "ports[", @after "]." */
static void enter_element(struct checker *checker, const char *before, uint32_t index,
			  const char *after)
{
	checker->part = before;
	checker->index = index;
	checker->after_index = after;
}

/* in front of the name of a field; made only for what is refused */
static const char *place(struct checker *checker)
{
	if (!checker->after_index)
		return checker->part;
	snprintf(checker->place, sizeof(checker->place), "%s%" PRIu32 "%s", checker->part,
		 checker->index, checker->after_index);
	return checker->place;
}

static void range(struct checker *checker, const char *field, uint64_t value, uint64_t min,
		  uint64_t max)
{
	if (value < min || value > max)
		refuse(checker, "%s%s is %" PRIu64 ", it must be %" PRIu64 "..%" PRIu64,
		       place(checker), field, value, min, max);
}

static void rows(struct checker *checker, const struct parameter_table *table,
		 const void *structure)
{
	struct why why;

	if (!checker->refused && parameters_check(table, "", structure, &why))
		refuse(checker, "%s%s", place(checker), why.text);
}

static void below(struct checker *checker, const char *field, uint64_t value,
		  const char *bound_name, uint64_t bound)
{
	if (value >= bound)
		refuse(checker, "%s%s is %" PRIu64 ", it must be less than %s, which is %" PRIu64,
		       place(checker), field, value, bound_name, bound);
}

/*  Return: true if @count elements are there to be looked at */
static bool array(struct checker *checker, const char *field, const void *elements, uint32_t count,
		  uint32_t min, uint32_t max)
{
	range(checker, field, count, min, max);
	if (count && !elements)
		refuse(checker, "%s%s is %" PRIu32 ", but the elements are missing", place(checker),
		       field, count);
	return !checker->refused;
}

/* a name goes into file names, tables and messages */
static void name(struct checker *checker, const char *field, const char *text)
{
	size_t length = strnlen(text, NODE_NAME_MAX);

	if (!length)
		refuse(checker, "%s%s is empty", place(checker), field);
	if (length == NODE_NAME_MAX)
		refuse(checker, "%s%s is longer than %d bytes", place(checker), field,
		       NODE_NAME_MAX - 1);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] <= ' ' || text[i] == '/' || text[i] == 0x7f)
			refuse(checker,
			       "%s%s has the byte 0x%02x at %zu, which a name must not have",
			       place(checker), field, (unsigned char)text[i], i);
}

static void classes_check(struct checker *checker, const struct node_config *config)
{
	uint64_t min_sum = 0;
	struct why why;

	range(checker, "class_count", config->class_count, 1, NODE_CLASSES_MAX);
	for (uint32_t i = 0; i < config->class_count && !checker->refused; i++) {
		const struct class_config *class = &config->classes[i];

		enter_element(checker, "classes[", i, "].");
		name(checker, "name", class->name);
		rows(checker, &class_parameters, class);
		range(checker, "min_permille", class->min_permille, 0, class->max_permille);
		min_sum += class->min_permille;
	}
	enter(checker, "classes: ");
	if (!checker->refused && !class_map_check(config->classes, config->class_count, &why))
		refuse(checker, "%s%s", place(checker), why.text);
	range(checker, "sum of min_permille", min_sum, 0, 1000);
	enter(checker, "");
	range(checker, "lanes", config->lanes, 1,
	      config->fabric == FABRIC_ROCE ? 1 : NODE_LANES_MAX);
	if (!checker->refused)
		range(checker, "class_count * lanes", config->class_count * config->lanes, 1,
		      NODE_LANES_MAX);
}

/* links do not retransmit, and the switch's shared buffer decides which packets it accepts */
static void roce_port_check(struct checker *checker, const struct port_config *port)
{
	range(checker, "guarded", port->guarded, 0, 0);
	range(checker, "buffer_units", port->buffer_units, 0, 0);
}

/* each level of a fabric link can always have a channel: ofct.h */
static uint32_t channels_min(const struct node_config *config, const struct port_config *port)
{
	bool fabric = config->fabric == FABRIC_FLOW_CHANNEL &&
		      (port->vacant || port->kind == PORT_FABRIC);

	return fabric && config->lanes ? config->lanes : 1;
}

static void port_check(struct checker *checker, const struct node_config *config,
		       const struct port_config *port)
{
	if (config->clock == CLOCK_VIRTUAL && (port->vacant || port->medium != MEDIUM_SHM))
		refuse(checker, "%smedium: vacant ports and veth links need the real clock",
		       place(checker));
	range(checker, "match.fields", port->match.fields, 0, MATCH_ALL);
	if (!flow_match_valid(&port->match))
		refuse(checker,
		       "%smatch.mask has bits of no field, a field without bits, or all bits of "
		       "all fields",
		       place(checker));
	range(checker, "channels", port->channels, channels_min(config, port), NODE_CHANNELS_MAX);
	if (port->vacant) {
		range(checker, "mtu_bytes", port->mtu_bytes, 64, NODE_MTU_MAX);
		range(checker, "headroom_bytes", port->headroom_bytes, 0, ROCE_BYTES_MAX);
		range(checker, "capture_bytes", port->capture_bytes, 0, 0);
		return;
	}
	rows(checker, &port_parameters, port);
	name(checker, "peer_name", port->peer_name);
	below(checker, "peer_index", port->peer_index, "node_count", config->node_count);
	if (port->peer_index == config->index)
		refuse(checker, "%speer_index is %" PRIu32 ", which is the node itself",
		       place(checker), port->peer_index);
	if (config->fabric != FABRIC_ROCE && (port->loss_ppb || port->bit_error_e15) &&
	    !port->guarded)
		refuse(checker, "%sguarded is false, but the link loses frames", place(checker));
	if (link_counts_frames(config->fabric, port->kind) &&
	    (port->reorder_ppb || port->duplicate_ppb))
		refuse(checker,
		       "%sreorder_ppb and duplicate_ppb must be 0: this link numbers its frames",
		       place(checker));
	range(checker, "stop_units", port->stop_units, 0,
	      port->buffer_units ? port->buffer_units - 1 : 0);
	if (config->fabric == FABRIC_ROCE)
		roce_port_check(checker, port);
	if (port->ring_bytes & (port->ring_bytes - 1))
		refuse(checker, "%sring_bytes is %" PRIu32 ", which is no power of two",
		       place(checker), port->ring_bytes);
}

static void ports_check(struct checker *checker, const struct node_config *config,
			node_time_t latency_ps)
{
	uint32_t captures = 0;

	if (!array(checker, "port_count", config->ports, config->port_count, 1, NODE_PORTS_MAX))
		return;
	for (uint32_t i = 0; i < config->port_count && !checker->refused; i++) {
		enter_element(checker, "ports[", i, "].");
		port_check(checker, config, &config->ports[i]);
		/* the clock needs it: what is sent must arrive later than it was decided
		 * (clock.h) */
		if (config->clock == CLOCK_VIRTUAL && !latency_ps && !config->ports[i].delay_ps)
			refuse(checker,
			       "%sdelay_ps is 0, and so is the node's latency_ps: one must be "
			       "greater",
			       place(checker));
		captures += config->ports[i].capture_bytes != 0;
	}
	enter(checker, "");
	/* a link has one capture */
	range(checker, "number of ports with capture_bytes", captures, 0,
	      config->capture_sent_bytes ? 0 : NODE_CAPTURES_MAX);
	range(checker, "capture_sent_bytes", config->capture_sent_bytes, 0, NODE_CAPTURE_WHOLE);
}

static void route_check(struct checker *checker, const struct route_config *route,
			uint32_t port_count)
{
	range(checker, "fabric_address", route->fabric_address, ROUTE_UPWARD, 65535);
	if (port_count < 64 && route->ports >> port_count)
		refuse(checker,
		       "%sports is 0x%" PRIx64 ", it must name none but the node's %" PRIu32
		       " ports",
		       place(checker), route->ports, port_count);
}

static void host_check(struct checker *checker, const struct host_config *host)
{
	range(checker, "host_index", host->host_index, 0, NODE_COUNT_MAX - 1);
	range(checker, "fabric_address", host->fabric_address, 1, 65535);
	range(checker, "egress_port", host->egress_port, 0, NODE_PORTS_MAX - 1);
}

static void setting_check(struct checker *checker, const struct congestion_setting *setting)
{
	range(checker, "queue_extent_units", setting->queue_extent_units, setting->high_units,
	      CONGESTION_UNITS_MAX);
	range(checker, "high_units", setting->high_units, setting->target_units,
	      CONGESTION_UNITS_MAX);
	below(checker, "drop_units", setting->drop_units, "target_units", setting->target_units);
	if (!checker->refused)
		range(checker, "byte_time_ps << byte_time_scale",
		      setting->byte_time_ps << setting->byte_time_scale, 0,
		      CONGESTION_BYTE_TIME_PS_MAX);
}

static void congestion_check(struct checker *checker, const struct congestion_config *congestion)
{
	const struct congestion_setting *settings = congestion->settings;
	uint32_t count = congestion_setting_count(congestion);

	for (uint32_t i = 0; i < CONGESTION_SETTINGS && !checker->refused; i++) {
		enter_element(checker, "switch.congestion.settings[", i, "].");
		if (i ? i >= count && !parameters_equal(&congestion_setting_parameters,
							&settings[i], &settings[i - 1])
		      : settings[i].eca_min)
			refuse(checker,
			       "%seca_min is %" PRIu32 ": it must be 0 for the first setting and "
			       "then rise; settings after the last must repeat it",
			       place(checker), settings[i].eca_min);
		setting_check(checker, &settings[i]);
	}
	enter(checker, "");
}

/* headrooms are a part of the buffer, and something must be left to share */
static void roce_switch_check(struct checker *checker, const struct node_config *config)
{
	uint64_t headroom_bytes = 0;

	for (uint32_t i = 0; i < config->port_count; i++)
		for (uint32_t c = 0; config->roce.pfc && c < config->class_count; c++)
			headroom_bytes += config->roce.classes[c].lossless
						  ? config->ports[i].headroom_bytes
						  : 0;
	enter(checker, "");
	below(checker, "sum of all headroom_bytes", headroom_bytes, "roce.buffer_bytes",
	      config->roce.buffer_bytes);
}

/* the header has 13 bits for a via, and 0 means none */
static void vias_check(struct checker *checker, const struct switch_config *self)
{
	if (!array(checker, "via_count", self->vias, self->via_count, 0, NODE_SWITCHES_MAX + 1))
		return;
	for (uint32_t i = 0; i < self->via_count && !checker->refused; i++) {
		enter_element(checker, "switch.vias[", i, "]");
		range(checker, "", self->vias[i], 1, NODE_SWITCHES_MAX);
	}
}

static void paths_check(struct checker *checker, const struct node_config *config)
{
	const struct switch_config *self = &config->switch_;
	struct why why;

	vias_check(checker, self);
	if (checker->refused)
		return;
	if (routing_config_check(&self->routing, &why) ||
	    lid_tables_check(&self->lids, config->port_count, &why))
		refuse(checker, "%s", why.text);
}

static void flood_check(struct checker *checker, const struct node_config *config)
{
	if (config->port_count < 64 && config->switch_.flood_ports >> config->port_count)
		refuse(checker,
		       "switch.flood_ports is 0x%" PRIx64 ", but the node has %" PRIu32 " ports",
		       config->switch_.flood_ports, config->port_count);
}

static void prefixes_check(struct checker *checker, const struct switch_config *self)
{
	struct why why;

	if (array(checker, "prefix_count", self->prefixes, self->prefix_count, 0,
		  NODE_PREFIXES_MAX) &&
	    prefix_list_check(self->prefixes, self->prefix_count, NODE_COUNT_MAX, &why))
		refuse(checker, "%s%s", place(checker), why.text);
}

static void switch_check(struct checker *checker, const struct node_config *config)
{
	const struct switch_config *self = &config->switch_;

	enter(checker, "switch.");
	rows(checker, &switch_parameters, self);
	if (array(checker, "route_count", self->routes, self->route_count, 0, NODE_COUNT_MAX))
		for (uint32_t i = 0; i < self->route_count && !checker->refused; i++) {
			enter_element(checker, "switch.routes[", i, "].");
			route_check(checker, &self->routes[i], config->port_count);
		}
	enter(checker, "switch.");
	if (array(checker, "host_count", self->hosts, self->host_count, 0, NODE_COUNT_MAX))
		for (uint32_t i = 0; i < self->host_count && !checker->refused; i++) {
			enter_element(checker, "switch.hosts[", i, "].");
			host_check(checker, &self->hosts[i]);
		}
	enter(checker, "switch.");
	prefixes_check(checker, self);
	paths_check(checker, config);
	congestion_check(checker, &self->congestion);
	if (config->fabric == FABRIC_ROCE)
		roce_switch_check(checker, config);
	if (config->fabric != FABRIC_FLOW_CHANNEL)
		flood_check(checker, config);
}

static void sizes_check(struct checker *checker, const struct workload_config *workload)
{
	uint64_t bytes = 0;
	uint32_t ppm = 0;

	if (!array(checker, "size_count", workload->sizes, workload->size_count,
		   workload->message_bytes ? 0 : 1, WORKLOAD_SIZES_MAX))
		return;
	for (uint32_t i = 0; i < workload->size_count; i++) {
		const struct size_point *point = &workload->sizes[i];

		if (!point->bytes || point->bytes < bytes)
			refuse(checker,
			       "%ssizes[%" PRIu32 "].bytes is %" PRIu64
			       ", sizes must be positive and rise",
			       place(checker), i, point->bytes);
		if (point->cumulative_ppm <= ppm)
			refuse(checker,
			       "%ssizes[%" PRIu32 "].cumulative_ppm is %" PRIu32
			       ", it must rise strictly",
			       place(checker), i, point->cumulative_ppm);
		bytes = point->bytes;
		ppm = point->cumulative_ppm;
	}
	if (workload->size_count && ppm != 1000000)
		refuse(checker,
		       "%ssizes end at cumulative_ppm %" PRIu32 ", they must end at 1000000",
		       place(checker), ppm);
}

static void arrival_check(struct checker *checker, const struct workload_config *workload)
{
	if (workload->arrival == ARRIVAL_CLOSED)
		range(checker, "window", workload->window, 1, UINT32_MAX);
	if (workload->arrival == ARRIVAL_PACED || workload->arrival == ARRIVAL_POISSON)
		range(checker, "load_permille", workload->load_permille, 1, UINT32_MAX);
	if (workload->arrival == ARRIVAL_BURST) {
		range(checker, "burst_messages", workload->burst_messages, 1, UINT32_MAX);
		range(checker, "burst_period_ps", workload->burst_period_ps, 1, NODE_TIME_NEVER);
	}
}

/* each transport is about frames of its own, and in a fabric of kind roce */
static void transport_check(struct checker *checker, const struct node_config *config,
			    const struct workload_config *workload)
{
	bool roce = frame_is_roce(workload->frame);

	if (config->fabric != FABRIC_ROCE)
		range(checker, "transport", workload->transport, 0, TRANSPORT_NONE);
	if ((workload->transport == TRANSPORT_RC && !roce) ||
	    (workload->transport == TRANSPORT_TCP && workload->frame != FRAME_TCP))
		refuse(checker, "%stransport is %d, which is not for frame %d", place(checker),
		       (int)workload->transport, (int)workload->frame);
}

static void workload_check(struct checker *checker, const struct node_config *config,
			   const struct workload_config *workload)
{
	name(checker, "name", workload->name);
	range(checker, "workload_index", workload->workload_index, 0, FRAME_WORKLOADS_MAX - 1);
	rows(checker, &workload_parameters, workload);
	transport_check(checker, config, workload);
	arrival_check(checker, workload);
	below(checker, "traffic_class", workload->traffic_class, "class_count",
	      config->class_count);
	range(checker, "packet_bytes", workload->packet_bytes,
	      frame_is_roce(workload->frame) ? frame_bytes_of(workload->frame, FRAME_PATH_MTU_MIN)
					     : 64,
	      config->ports[0].mtu_bytes);
	range(checker, "start_ps", workload->start_ps, 0,
	      workload->stop_ps ? workload->stop_ps : NODE_TIME_NEVER);
	sizes_check(checker, workload);
	if (array(checker, "destination_count", workload->destinations, workload->destination_count,
		  1, NODE_COUNT_MAX))
		for (uint32_t i = 0; i < workload->destination_count; i++)
			range(checker, "destinations", workload->destinations[i], 0,
			      NODE_COUNT_MAX - 1);
}

static void pause_check(struct checker *checker, const struct node_config *config,
			const struct pause_config *pause)
{
	rows(checker, &pause_parameters, pause);
	range(checker, "start_ps", pause->start_ps, 0,
	      pause->stop_ps ? pause->stop_ps : NODE_TIME_NEVER);
	range(checker, "for_ps", pause->for_ps, 1, pause->every_ps);
	range(checker, "classes", pause->classes, 1, (1u << config->class_count) - 1);
}

/* A connection is a flow of its own from the start, not when it first sends. Flows without a
 * transport may be more than flows_max, but a NIC has a place for each. */
static void flows_check(struct checker *checker, const struct nic_config *nic)
{
	uint64_t flows = 0, connections = 0;

	for (uint32_t i = 0; i < nic->workload_count; i++) {
		const struct workload_config *workload = &nic->workloads[i];
		uint64_t count = (uint64_t)workload->connections * workload->destination_count;

		flows += count;
		connections += workload->transport == TRANSPORT_NONE ? 0 : count;
	}
	range(checker, "connections of all workloads", connections, 0,
	      nic->flows_max < ROCE_QUEUE_PAIRS_MAX ? nic->flows_max : ROCE_QUEUE_PAIRS_MAX);
	range(checker, "flows of all workloads", flows, 0, NIC_FLOWS_MAX);
}

static void nic_check(struct checker *checker, const struct node_config *config)
{
	const struct nic_config *nic = &config->nic;

	range(checker, "port_count", config->port_count, 1, 1);
	enter(checker, "nic.");
	rows(checker, &nic_parameters, nic);
	if (config->fabric == FABRIC_ROCE)
		range(checker, "flows_max", nic->flows_max, 1, ROCE_FLOWS_MAX);
	range(checker, "host_queues", nic->host_queues, 0,
	      config->clock == CLOCK_REAL ? NIC_HOST_QUEUES_MAX : 0);
	if (!array(checker, "workload_count", nic->workloads, nic->workload_count, 0,
		   EVENT_SOURCES_MAX))
		return;
	for (uint32_t i = 0; i < nic->workload_count && !checker->refused; i++) {
		enter_element(checker, "nic.workloads[", i, "].");
		workload_check(checker, config, &nic->workloads[i]);
	}
	enter(checker, "nic.");
	flows_check(checker, nic);
	if (!array(checker, "pause_count", nic->pauses, nic->pause_count, 0, NIC_PAUSES_MAX))
		return;
	for (uint32_t i = 0; i < nic->pause_count && !checker->refused; i++) {
		enter_element(checker, "nic.pauses[", i, "].");
		pause_check(checker, config, &nic->pauses[i]);
	}
}

static void roce_check(struct checker *checker, const struct node_config *config)
{
	struct why why;

	if (!checker->refused && config->fabric == FABRIC_ROCE &&
	    roce_config_check(&config->roce, config->class_count, &why))
		refuse(checker, "%s", why.text);
}

static void port_group_check(struct checker *checker, const struct node_config *config)
{
	struct why why;

	if (!checker->refused && config->fabric == FABRIC_PORT_GROUP &&
	    port_group_config_check(&config->port_group, &why))
		refuse(checker, "%s", why.text);
}

int node_config_check(const struct node_config *config, struct why *why)
{
	struct checker checker = { .part = "", .why = why };

	why->text[0] = 0;
	range(&checker, "kind", config->kind, 0, NODE_KINDS - 1);
	range(&checker, "clock", config->clock, 0, CLOCK_KINDS - 1);
	name(&checker, "name", config->name);
	range(&checker, "node_count", config->node_count, 1, NODE_COUNT_MAX);
	below(&checker, "index", config->index, "node_count", config->node_count);
	range(&checker, "measure_from_ps", config->measure_from_ps, 0, config->measure_to_ps);
	range(&checker, "fabric", config->fabric, 0, FABRIC_KINDS - 1);
	classes_check(&checker, config);
	roce_check(&checker, config);
	port_group_check(&checker, config);
	ports_check(&checker, config,
		    config->kind == NODE_SWITCH ? config->switch_.latency_ps
						: config->nic.latency_ps);
	if (!checker.refused && config->kind == NODE_SWITCH)
		switch_check(&checker, config);
	if (!checker.refused && config->kind == NODE_NIC)
		nic_check(&checker, config);
	return checker.refused ? -EINVAL : 0;
}
