#include "nodes/control/control_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/control/control_parameters.h"

/*  The fields that struct node_config and its message have with the same names. Packing and
 *  unpacking copy by the same list, so that a field cannot be sent and not received. Structures
 *  with rows: control_parameters.c. Names and lists are dealt with by hand. */
/* clang-format off */
#define NODE_FIELDS(F)                                                            \
	F(kind) F(clock) F(fabric) F(lanes) F(index) F(node_count) F(seed)        \
	F(measure_from_ps) F(measure_to_ps) F(sample_ps) F(events) F(series) \
	F(packets) F(capture_sent_bytes)
/* clang-format on */

#define COPY(field) to->field = (__typeof__(to->field))from->field;

/* ---- packing ---- */

/* a table of pointers to @count structures of @size that follow it, zeroed, released by one free();
 * NULL if @count is 0 */
static void *table(size_t count, size_t size)
{
	size_t rounded = (size + 15) / 16 * 16;
	size_t head = (count * sizeof(void *) + 15) / 16 * 16;
	char *memory = count ? calloc(1, head + count * rounded) : NULL;

	for (size_t i = 0; memory && i < count; i++)
		((void **)(void *)memory)[i] = memory + head + i * rounded;
	return memory;
}

static int classes_pack(Heddle__NodeConfig *node, const struct node_config *config)
{
	node->classes = table(config->class_count, sizeof(Heddle__ClassConfig));
	if (config->class_count && !node->classes)
		return -ENOMEM;
	for (node->n_classes = 0; node->n_classes < config->class_count; node->n_classes++) {
		const struct class_config *from = &config->classes[node->n_classes];
		Heddle__ClassConfig *to = node->classes[node->n_classes];

		heddle__class_config__init(to);
		to->name = (char *)from->name;
	}
	return 0;
}

int control_port_pack(Heddle__PortConfig *to, const struct port_config *from)
{
	heddle__port_config__init(to);
	to->peer_name = (char *)from->peer_name;
	to->match_fields = from->match.fields;
	if (flow_match_masked(&from->match)) {
		to->match_mask = (uint64_t *)from->match.mask;
		to->n_match_mask = FLOW_PARTS;
	}
	return control_rows_pack(&port_parameters, from, &to->parameters, &to->n_parameters);
}

static int ports_pack(Heddle__NodeConfig *node, const struct node_config *config)
{
	int error = 0;

	node->ports = table(config->port_count, sizeof(Heddle__PortConfig));
	if (config->port_count && !node->ports)
		return -ENOMEM;
	for (; !error && node->n_ports < config->port_count; node->n_ports++)
		error = control_port_pack(node->ports[node->n_ports],
					  &config->ports[node->n_ports]);
	return error;
}

static int prefixes_pack(Heddle__SwitchConfig *to, const struct switch_config *config)
{
	to->prefixes = table(config->prefix_count, sizeof(Heddle__PrefixConfig));
	if (config->prefix_count && !to->prefixes)
		return -ENOMEM;
	for (; to->n_prefixes < config->prefix_count; to->n_prefixes++) {
		const struct prefix_config *from = &config->prefixes[to->n_prefixes];
		Heddle__PrefixConfig *prefix = to->prefixes[to->n_prefixes];

		heddle__prefix_config__init(prefix);
		prefix->host_index = from->host_index;
		prefix->bits = from->bits;
		prefix->own = from->own;
		prefix->address.data = (uint8_t *)from->address;
		prefix->address.len = prefix_bits_max(from->version) / 8;
	}
	return 0;
}

static int workload_pack(Heddle__WorkloadConfig *to, const struct workload_config *from)
{
	heddle__workload_config__init(to);
	to->name = (char *)from->name;
	to->n_destinations = from->destination_count;
	to->destinations = from->destinations;
	to->sizes = table(from->size_count, sizeof(Heddle__SizePoint));
	if (from->size_count && !to->sizes)
		return -ENOMEM;
	for (; to->n_sizes < from->size_count; to->n_sizes++) {
		heddle__size_point__init(to->sizes[to->n_sizes]);
		to->sizes[to->n_sizes]->bytes = from->sizes[to->n_sizes].bytes;
		to->sizes[to->n_sizes]->cumulative_ppm = from->sizes[to->n_sizes].cumulative_ppm;
	}
	return control_rows_pack(&workload_parameters, from, &to->parameters, &to->n_parameters);
}

static int pauses_pack(Heddle__NicConfig *nic, const struct nic_config *config)
{
	int error = 0;

	nic->pauses = table(config->pause_count, sizeof(Heddle__PauseConfig));
	if (config->pause_count && !nic->pauses)
		return -ENOMEM;
	for (; !error && nic->n_pauses < config->pause_count; nic->n_pauses++) {
		Heddle__PauseConfig *to = nic->pauses[nic->n_pauses];

		heddle__pause_config__init(to);
		error = control_rows_pack(&pause_parameters, &config->pauses[nic->n_pauses],
					  &to->parameters, &to->n_parameters);
	}
	return error;
}

static int nic_pack(Heddle__NicConfig *to, const struct nic_config *from)
{
	int error = 0;

	to->workloads = table(from->workload_count, sizeof(Heddle__WorkloadConfig));
	if (from->workload_count && !to->workloads)
		return -ENOMEM;
	for (; !error && to->n_workloads < from->workload_count; to->n_workloads++)
		error = workload_pack(to->workloads[to->n_workloads],
				      &from->workloads[to->n_workloads]);
	return error ? error : pauses_pack(to, from);
}

int control_config_pack(struct control_config_packing *packing, const struct node_config *from)
{
	Heddle__NodeConfig *to = &packing->node;
	int error;

	heddle__node_config__init(to);
	heddle__switch_config__init(&packing->switch_);
	heddle__nic_config__init(&packing->nic);
	to->name = (char *)from->name;
	NODE_FIELDS(COPY)
	error = classes_pack(to, from);
	if (!error)
		error = control_parameters_pack(to, from);
	if (!error)
		error = ports_pack(to, from);
	if (!error && from->kind == NODE_SWITCH) {
		to->switch_ = &packing->switch_;
		error = prefixes_pack(to->switch_, &from->switch_);
	} else if (!error) {
		to->nic = &packing->nic;
		error = nic_pack(to->nic, &from->nic);
	}
	return error;
}

void control_config_packing_free(struct control_config_packing *packing)
{
	for (size_t i = 0; i < packing->nic.n_workloads; i++) {
		free(packing->nic.workloads[i]->sizes);
		control_rows_free(packing->nic.workloads[i]->parameters,
				  packing->nic.workloads[i]->n_parameters);
	}
	free(packing->nic.workloads);
	for (size_t i = 0; i < packing->nic.n_pauses; i++)
		control_rows_free(packing->nic.pauses[i]->parameters,
				  packing->nic.pauses[i]->n_parameters);
	free(packing->nic.pauses);
	free(packing->switch_.prefixes);
	free(packing->node.classes);
	control_rows_free(packing->node.parameters, packing->node.n_parameters);
	for (size_t i = 0; i < packing->node.n_ports; i++)
		control_rows_free(packing->node.ports[i]->parameters,
				  packing->node.ports[i]->n_parameters);
	free(packing->node.ports);
}

/* ---- unpacking ---- */

bool control_text_copy(char *to, size_t to_bytes, const char *from)
{
	size_t length = strlen(from);

	if (length >= to_bytes)
		return false;
	memcpy(to, from, length + 1);
	return true;
}

static int classes_unpack(struct node_config *config, const Heddle__NodeConfig *node)
{
	if (node->n_classes > NODE_CLASSES_MAX)
		return -EINVAL;
	for (; config->class_count < node->n_classes; config->class_count++) {
		const Heddle__ClassConfig *from = node->classes[config->class_count];
		struct class_config *to = &config->classes[config->class_count];

		if (!control_text_copy(to->name, sizeof(to->name), from->name))
			return -EINVAL;
	}
	return 0;
}

bool control_port_unpack(struct port_config *to, const Heddle__PortConfig *from)
{
	if (!control_text_copy(to->peer_name, sizeof(to->peer_name), from->peer_name) ||
	    (from->n_match_mask && from->n_match_mask != FLOW_PARTS))
		return false;
	to->match = flow_match_whole(from->match_fields);
	for (size_t i = 0; i < from->n_match_mask; i++)
		to->match.mask[i] = from->match_mask[i];
	return control_rows_unpack(&port_parameters, to, from->parameters, from->n_parameters);
}

static int ports_unpack(struct node_config *config, const Heddle__NodeConfig *node)
{
	config->ports = calloc(node->n_ports ? node->n_ports : 1, sizeof(*config->ports));
	if (!config->ports)
		return -ENOMEM;
	for (; config->port_count < node->n_ports; config->port_count++) {
		if (!control_port_unpack(&config->ports[config->port_count],
					 node->ports[config->port_count]))
			return -EINVAL;
	}
	return 0;
}

/* whether it is a prefix, and where it stands among the others: node_config_check() */
static bool prefix_unpack(struct prefix_config *to, const Heddle__PrefixConfig *from)
{
	if ((from->address.len != 4 && from->address.len != 16) || from->bits > 128)
		return false;
	*to = (struct prefix_config){ .host_index = from->host_index,
				      .version = from->address.len == 4 ? 4 : 6,
				      .bits = (uint8_t)from->bits,
				      .own = from->own };
	memcpy(to->address, from->address.data, from->address.len);
	return true;
}

static int prefixes_unpack(struct switch_config *to, const Heddle__SwitchConfig *from)
{
	if (from->n_prefixes > NODE_PREFIXES_MAX)
		return -EINVAL;
	to->prefixes = from->n_prefixes ? calloc(from->n_prefixes, sizeof(*to->prefixes)) : NULL;
	if (from->n_prefixes && !to->prefixes)
		return -ENOMEM;
	for (; to->prefix_count < from->n_prefixes; to->prefix_count++)
		if (!prefix_unpack(&to->prefixes[to->prefix_count],
				   from->prefixes[to->prefix_count]))
			return -EINVAL;
	return 0;
}

static int workload_unpack(struct workload_config *to, const Heddle__WorkloadConfig *from)
{
	if (!control_text_copy(to->name, sizeof(to->name), from->name) ||
	    from->n_sizes > WORKLOAD_SIZES_MAX ||
	    !control_rows_unpack(&workload_parameters, to, from->parameters, from->n_parameters))
		return -EINVAL;
	to->sizes = calloc(from->n_sizes ? from->n_sizes : 1, sizeof(*to->sizes));
	to->destinations =
		calloc(from->n_destinations ? from->n_destinations : 1, sizeof(*to->destinations));
	if (!to->sizes || !to->destinations)
		return -ENOMEM;
	for (; to->size_count < from->n_sizes; to->size_count++) {
		to->sizes[to->size_count].bytes = from->sizes[to->size_count]->bytes;
		to->sizes[to->size_count].cumulative_ppm =
			from->sizes[to->size_count]->cumulative_ppm;
	}
	for (; to->destination_count < from->n_destinations; to->destination_count++)
		to->destinations[to->destination_count] = from->destinations[to->destination_count];
	return 0;
}

static int pauses_unpack(struct nic_config *nic, const Heddle__NicConfig *config)
{
	nic->pauses = calloc(config->n_pauses ? config->n_pauses : 1, sizeof(*nic->pauses));
	if (!nic->pauses)
		return -ENOMEM;
	for (; nic->pause_count < config->n_pauses; nic->pause_count++) {
		const Heddle__PauseConfig *from = config->pauses[nic->pause_count];

		if (!control_rows_unpack(&pause_parameters, &nic->pauses[nic->pause_count],
					 from->parameters, from->n_parameters))
			return -EINVAL;
	}
	return 0;
}

static int nic_unpack(struct nic_config *to, const Heddle__NicConfig *from)
{
	to->workloads = calloc(from->n_workloads ? from->n_workloads : 1, sizeof(*to->workloads));
	if (!to->workloads)
		return -ENOMEM;
	for (; to->workload_count < from->n_workloads; to->workload_count++) {
		int error = workload_unpack(&to->workloads[to->workload_count],
					    from->workloads[to->workload_count]);

		if (error) {
			to->workload_count++; /* what it has is to be released too */
			return error;
		}
	}
	return pauses_unpack(to, from);
}

int control_config_unpack(struct node_config *to, const Heddle__NodeConfig *from)
{
	int error = 0;

	if (!control_text_copy(to->name, sizeof(to->name), from->name))
		return -EINVAL;
	NODE_FIELDS(COPY)
	error = classes_unpack(to, from);
	if (!error && !control_parameters_unpack(to, from))
		error = -EINVAL;
	if (!error && from->switch_)
		error = prefixes_unpack(&to->switch_, from->switch_);
	if (!error)
		error = ports_unpack(to, from);
	if (!error && from->nic)
		error = nic_unpack(&to->nic, from->nic);
	return error;
}
