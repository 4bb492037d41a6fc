#include "orchestrator/scenario/scenario.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/input_file.h"
#include "orchestrator/base/ready_folder.h"
#include "orchestrator/base/settings.h"
#include "orchestrator/scenario/scenario_class_map.h"
#include "orchestrator/scenario/scenario_compare.h"
#include "orchestrator/scenario/scenario_congestion.h"
#include "orchestrator/scenario/scenario_fault.h"
#include "orchestrator/scenario/scenario_flow_key.h"
#include "orchestrator/scenario/scenario_host_check.h"
#include "orchestrator/scenario/scenario_idle.h"
#include "orchestrator/scenario/scenario_keys.h"
#include "orchestrator/scenario/scenario_link.h"
#include "orchestrator/scenario/scenario_parameters.h"
#include "orchestrator/scenario/scenario_pause.h"
#include "orchestrator/scenario/scenario_topology.h"
#include "orchestrator/scenario/scenario_workload.h"

#define WORD(constant, word) word,
const char *const scenario_fabric_name[FABRIC_KINDS] = { FABRIC_KIND_ROWS(WORD) };
#undef WORD

/* ---- defaults ---- */

static const struct scenario scenario_defaults = {
	.seed = 1,
	.dilation = 1,
	.buffer_bytes = 2 << 20,
	.match = { .fields = MATCH_SOURCE_MAC | MATCH_IP_PAIR | MATCH_PORTS | MATCH_HPC },
	/* a section that is missing is complete; the topology is required */
	.classes_read = true,
	.workloads_read = true,
	.faults_read = true,
};

/* ---- switch, nic ---- */

/* beside those of switch.def */
static const struct key switch_keys[] = {
	{ "buffer", key_size, KEY_FIELD(struct scenario, buffer_bytes), .min = 256,
	  .max = 1u << 29 },
	{ "flow-key", scenario_flow_key_read, KEY_FIELD(struct scenario, match) },
};

static void switch_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	const struct yaml_node *buffer = yaml_find(node, "buffer"),
			       *output_queue = yaml_find(node, "output-queue");
	struct switch_config *config = &reader->scenario->switch_;
	const struct parameters_reading reading = {
		.table = &switch_parameters,
		.structure = config,
		.keys = switch_keys,
		.key_count = COUNT_OF(switch_keys),
		.target = target,
	};

	(void)key;
	reader->scenario->buffer_place = buffer ? buffer->place : node->place;
	reader->scenario->output_queue_place = output_queue ? output_queue->place : node->place;
	scenario_parameters_read(reader, node, "'switch'", &reading);
	if (config->ack_t1_ps > config->ack_t2_ps || config->ack_t2_ps > config->ack_t3_ps)
		key_refuse(reader, yaml_find(node, "acks"),
			   "the ACK timers must not fall: expected t1 <= t2 <= t3");
}

static void nic_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	const struct parameters_reading reading = {
		.table = &nic_parameters,
		.structure = &((struct scenario *)target)->nic,
	};

	(void)key;
	scenario_parameters_read(reader, node, "'nic'", &reading);
}

/* ---- classes ---- */

/* True if a class without the key `unordered` may be reordered. S1 forwards every packet by its
 * port group, in no order (PG-4, PG-8); flow channels keep order (FC-15). */
static bool unordered_by_default(const struct scenario *scenario)
{
	return scenario->fabric == FABRIC_PORT_GROUP;
}

static const struct key class_keys[] = {
	{ "name", key_name, KEY_FIELD(struct class_config, name) },
	{ "dscp", .read = scenario_dscp_read },
	{ "pcp", .read = scenario_pcp_read },
};

static void class_read(struct reader *reader, const struct yaml_node *node,
		       struct class_config *class, struct scenario_roce_class *roce)
{
	const struct parameters_reading roce_reading = {
		.table = &roce_class_parameters,
		.structure = &roce->config,
		.given = &roce->given,
	};
	const struct parameters_reading reading = {
		.table = &class_parameters,
		.structure = class,
		.keys = class_keys,
		.key_count = COUNT_OF(class_keys),
		.target = class,
		.also = &roce_reading,
	};

	parameters_default(&class_parameters, class);
	class->unordered = unordered_by_default(reader->scenario);
	scenario_roce_class_init(roce);
	roce->place = node->place;
	scenario_parameters_read(reader, node, "a class", &reading);
}

static void roce_class_check(struct reader *reader, const struct yaml_node *node, const char *name,
			     const struct scenario_roce_class *class)
{
	if (yaml_find(node, "ecn"))
		scenario_ecn_check(reader, yaml_find(node, "ecn"), &class->config, &class->given);
	if (class->given.xoff_bytes && class->given.xon_offset_bytes &&
	    class->config.xon_offset_bytes > class->config.xoff_bytes)
		key_refuse(reader, yaml_find(node, "xon-offset"),
			   "class '%s': xon-offset must not be greater than xoff", name);
}

static void class_check(struct reader *reader, const struct yaml_node *node, uint32_t index)
{
	const struct scenario *scenario = reader->scenario;
	const struct class_config *class = &scenario->classes[index];

	if (class->min_permille > class->max_permille)
		key_refuse(reader, node, "class '%s': min must not be greater than max",
			   class->name);
	roce_class_check(reader, node, class->name, &scenario->roce.classes[index]);
	for (uint32_t i = 0; i < index; i++)
		if (*class->name && !strcmp(scenario->classes[i].name, class->name))
			key_refuse(reader, node, "there are two classes called '%s'", class->name);
}

static void classes_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	struct scenario *scenario = target;
	uint32_t sum_permille = 0;

	if (!key_is_list(reader, key, node, 1, NODE_CLASSES_MAX,
			 "classes, such as [{name: bulk, min: 20%}]"))
		return;
	scenario->class_count = 0;
	for (const struct yaml_node *child = node->first; child; child = child->next) {
		struct class_config *class = &scenario->classes[scenario->class_count];

		*class = (struct class_config){ 0 };
		class_read(reader, child, class, &scenario->roce.classes[scenario->class_count]);
		class_check(reader, child, scenario->class_count++);
		sum_permille += class->min_permille;
	}
	scenario_class_map_check(reader, node);
	if (sum_permille > 1000)
		key_refuse(reader, node,
			   "the classes' minimum shares add up to %u.%u%%, more than 100%%",
			   sum_permille / 10, sum_permille % 10);
}

/* ---- expectations ---- */

static void expectations_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	struct scenario *scenario = target;

	scenario->expectations = key_list_new(reader, key, node, SCENARIO_EXPECTATIONS_MAX,
					      "expectations, such as '- lost == 0'",
					      sizeof(*scenario->expectations));
	for (const struct yaml_node *child = node->first; child && scenario->expectations;
	     child = child->next) {
		const char *text = key_scalar(reader, child, "an expectation such as lost == 0");
		struct scenario_text *expectation =
			&scenario->expectations[scenario->expectation_count];

		if (!text)
			continue;
		*expectation = (struct scenario_text){ strdup(text), child->place };
		reader->out_of_memory |= !expectation->text;
		scenario->expectation_count++;
	}
}

/* ---- the file ---- */

static void fabric_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	key_word(reader, key, node, target);
	scenario_links_default(reader);
}

#define COMPLETE(field) .complete = offsetof(struct scenario, field)

/* 'heddle up' makes a folder of that name, which commands list */
static void name_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		      void *target)
{
	key_name(reader, key, node, target);
	if (((struct scenario *)target)->name[0] == '.')
		key_refuse(reader, node, "the name of a scenario does not begin with '.'");
}

/* in the order of reading: keys that others depend on come first */
static const struct key scenario_keys[] = {
	{ "name", name_read, KEY_FIELD(struct scenario, name), .required = true },
	{ "about", key_text, KEY_FIELD(struct scenario, about) },
	{ "dilate", key_count, KEY_FIELD(struct scenario, dilation), .min = 1,
	  .max = DILATION_MAX },
	{ "seed", key_count, KEY_FIELD(struct scenario, seed), .max = INT64_MAX },
	{ "fabric", fabric_read, KEY_FIELD(struct scenario, fabric), .words = scenario_fabric_name,
	  .word_count = FABRIC_KINDS },
	{ "run", .read = scenario_run_read },
	{ "classes", classes_read, COMPLETE(classes_read) },
	{ "links", .read = scenario_links_read },
	{ "switch", .read = switch_read },
	{ "congestion", .read = scenario_congestion_read },
	{ "roce", .read = scenario_roce_read },
	{ "routing", .read = scenario_routing_read },
	{ "port-group", .read = scenario_port_group_read },
	{ "nic", .read = nic_read },
	{ "topology", scenario_topology_read, .required = true, COMPLETE(topology_read) },
	{ "hosts", .read = scenario_hosts_section_read },
	{ "workloads", scenario_workloads_read, COMPLETE(workloads_read) },
	{ "pauses", .read = scenario_pauses_read },
	{ "faults", scenario_faults_read, COMPLETE(faults_read) },
	{ "expect", .read = expectations_read },
	{ "compare", .read = scenario_compare_read },
};

static int defaults_fill(struct scenario *scenario)
{
	scenario->class_count = 1;
	scenario->classes[0] = (struct class_config){ .name = "best-effort", .max_permille = 1000 };
	parameters_default(&run_parameters, &scenario->run);
	scenario->run.duration_ps = SCENARIO_RUN_DEFAULT_PS;
	parameters_default(&switch_parameters, &scenario->switch_);
	parameters_default(&nic_parameters, &scenario->nic);
	scenario_congestion_init(&scenario->congestion);
	scenario_roce_init(&scenario->roce);
	scenario_routing_init(&scenario->routing);
	scenario_port_group_init(&scenario->port_group);
	scenario->about = strdup("");
	return scenario->about ? 0 : -ENOMEM;
}

static int tree_read(struct scenario *scenario, const struct yaml_node *root,
		     const struct origin *files, struct scenario_errors *errors)
{
	struct reader reader = { .scenario = scenario, .errors = errors, .files = files };

	scenario_links_default(&reader);
	scenario->place = root->place;
	scenario->run_missing = root->kind == YAML_MAPPING && !yaml_find(root, "run");
	keys_read(&reader, root, "a scenario", scenario_keys, COUNT_OF(scenario_keys), scenario);
	if (scenario->topology_read && scenario->host_count)
		scenario_hosts_complete(&reader);
	if (root->kind == YAML_MAPPING && !yaml_find(root, "classes"))
		scenario->classes[0].unordered = unordered_by_default(scenario);
	if (reader.out_of_memory || scenario_idle_find(root, scenario))
		return -ENOMEM;
	return errors->count ? -EINVAL : 0;
}

/* Keeps the settings as errors name them, and puts them into the tree. */
static int settings_read(struct scenario *scenario, struct yaml_node *root,
			 const char *const *settings, unsigned count,
			 struct scenario_errors *errors)
{
	int error = 0;

	scenario->settings = calloc(count ? count : 1, sizeof(char *));
	if (!scenario->settings)
		return -ENOMEM;
	for (unsigned i = 0; i < count && error != -ENOMEM; i++) {
		if (asprintf(&scenario->settings[i], "--set %s", settings[i]) < 0) {
			scenario->settings[i] = NULL;
			return -ENOMEM;
		}
		scenario->setting_count++;
		error = settings_apply(root, settings[i], scenario->settings[i], i + 1, errors);
	}
	if (error == -ENOMEM)
		return error;
	return errors->count ? -EINVAL : 0;
}

/* @files: struct reader */
static int text_read(const char *name, const char *text, size_t length, const char *const *settings,
		     unsigned setting_count, uint32_t variant, const struct origin *files,
		     struct scenario *scenario, struct scenario_errors *errors)
{
	struct yaml_node *root;
	int error;

	*scenario = scenario_defaults;
	scenario->file = strdup(name);
	scenario->origin = origin_new(text, length, settings, setting_count);
	if (!scenario->file || !scenario->origin || defaults_fill(scenario))
		return -ENOMEM;
	if (length > SCENARIO_BYTES_MAX) {
		scenario_errors_add(errors, name, 0, 0, "a scenario has at most %u bytes",
				    SCENARIO_BYTES_MAX);
		return -EINVAL;
	}
	error = yaml_read(name, text, length, 0, &root, errors);
	if (error)
		return error;
	scenario->origin->effective = root;
	error = settings_read(scenario, root, settings, setting_count, errors);
	if (!error && variant != SCENARIO_NO_VARIANT)
		error = scenario_compare_apply(scenario, root, variant, errors);
	if (!error)
		error = tree_read(scenario, root, files, errors);
	return error;
}

int scenario_read_memory(const char *name, const char *text, size_t length,
			 const char *const *settings, unsigned setting_count,
			 struct scenario *scenario, struct scenario_errors *errors)
{
	return text_read(name, text, length, settings, setting_count, SCENARIO_NO_VARIANT, NULL,
			 scenario, errors);
}

/* as text_read(), with no other files than the scenario has with the first @own settings */
static int closed_read(const char *name, const char *text, size_t length,
		       const char *const *settings, unsigned own, unsigned setting_count,
		       uint32_t variant, struct scenario *scenario, struct scenario_errors *errors)
{
	struct scenario_errors ignored = { 0 }; /* settings after those may mend them */
	struct scenario before = { 0 };
	int error = text_read(name, text, length, settings, own, variant, NULL, &before, &ignored);

	if (error != -ENOMEM)
		error = text_read(name, text, length, settings, setting_count, variant,
				  before.origin, scenario, errors);
	scenario_errors_free(&ignored);
	scenario_free(&before);
	return error;
}

int scenario_read_closed(const char *path, const char *const *settings, unsigned own,
			 unsigned setting_count, uint32_t variant, struct scenario *scenario,
			 struct scenario_errors *errors)
{
	const char *name = input_file_is_stdin(path) ? "standard input" : path;
	char hint[2 * NAME_MAX];
	size_t length;
	char *text;
	int error;

	memset(scenario, 0, sizeof(*scenario));
	text = input_file_read(path, SCENARIO_BYTES_MAX, &length);
	if (!text) {
		error = errno;
		ready_hint(path, hint, sizeof(hint));
		scenario_errors_add(errors, name, 0, 0, "cannot be read: %s%s", strerror(error),
				    hint);
		return -EINVAL;
	}
	error = own == setting_count ? text_read(name, text, length, settings, setting_count,
						 variant, NULL, scenario, errors)
				     : closed_read(name, text, length, settings, own, setting_count,
						   variant, scenario, errors);
	if (scenario->origin)
		origin_input(scenario->origin, path);
	free(text);
	return error;
}

int scenario_read_variant(const char *path, const char *const *settings, unsigned setting_count,
			  uint32_t variant, struct scenario *scenario,
			  struct scenario_errors *errors)
{
	return scenario_read_closed(path, settings, setting_count, setting_count, variant, scenario,
				    errors);
}

int scenario_read_file(const char *path, const char *const *settings, unsigned setting_count,
		       struct scenario *scenario, struct scenario_errors *errors)
{
	return scenario_read_variant(path, settings, setting_count, SCENARIO_NO_VARIANT, scenario,
				     errors);
}

void scenario_free(struct scenario *scenario)
{
	for (uint32_t i = 0; i < scenario->workload_count; i++) {
		free(scenario->workloads[i].senders);
		free(scenario->workloads[i].receivers);
		free(scenario->workloads[i].sizes);
	}
	for (uint32_t i = 0; i < scenario->expectation_count; i++)
		free(scenario->expectations[i].text);
	for (uint32_t i = 0; i < scenario->setting_count; i++)
		free(scenario->settings[i]);
	for (uint32_t i = 0; i < scenario->idle_count; i++)
		free(scenario->idle[i]);
	for (uint32_t i = 0; i < scenario->host_count; i++)
		scenario_host_settings_release(scenario->hosts[i].settings);
	scenario_compare_free(scenario->compare);
	origin_release(scenario->origin);
	free(scenario->idle);
	free(scenario->lates);
	free(scenario->routing.routes);
	free(scenario->workloads);
	free(scenario->pauses);
	free(scenario->faults);
	free(scenario->expectations);
	free(scenario->settings);
	free(scenario->switches);
	free(scenario->hosts);
	free(scenario->links);
	free(scenario->prefixes);
	free(scenario->about);
	free(scenario->file);
	memset(scenario, 0, sizeof(*scenario));
}

int64_t scenario_host_find(const struct scenario *scenario, const char *name)
{
	for (uint32_t i = 0; i < scenario->host_count; i++)
		if (!strcmp(scenario->hosts[i].name, name))
			return i;
	return -1;
}

int64_t scenario_switch_find(const struct scenario *scenario, const char *name)
{
	for (uint32_t i = 0; i < scenario->switch_count; i++)
		if (!strcmp(scenario->switches[i].name, name))
			return i;
	return -1;
}

/* ---- errors ---- */

void scenario_errors_at(struct scenario_errors *errors, const struct scenario *scenario,
			const struct scenario_place *place, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (place->setting)
		scenario_errors_add_v(errors, scenario->settings[place->setting - 1], 0, 0, format,
				      arguments);
	else
		scenario_errors_add_v(errors, scenario->file, place->line, place->column, format,
				      arguments);
	va_end(arguments);
}
