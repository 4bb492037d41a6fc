/*  scenario_roce - the section `roce` of a scenario, and the marking of a class of such a fabric
 *  (RC-1 ... RC-11).
 *
 *  Keys, ranges and defaults are rows of nodes/config/roce.def and of the tables in it; the named
 *  sets of DCQCN's numbers are here. The section is read with any kind of fabric, so that one file
 *  can be compared under several. */
#include "orchestrator/scenario/scenario_roce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario_parameters.h"

/* ---- defaults ---- */

/*  Named sets of numbers, with which the same CNPs lead to different rates.
 *    paper   the defaults: nodes/config/dcqcn.def.
 *    s4      the same with the rate-increase period that S4 gives, 300 us.
 *    vendor  like NICs with separate periods: alpha rises or falls each 1 us, the rate is cut each
 *            4 us, depending on whether a CNP arrived since (both periods are defaults of
 *            ConnectX); the target is kept while it has not been reached; recovery is slow and
 *            short. The numbers are those of mix/config.txt in the simulator of HPCC [Li et al.,
 *            SIGCOMM 2019]. It has no byte counter, ours is the paper's; and it echoes every mark,
 *            so the CNP interval follows from that of cuts.
 *    hpcc    what the HPCC paper compares itself with: the "dcqcn" of run.py in that simulator.
 *            Only T counts; R_AI 5 Mb/s and R_HAI 50 Mb/s are for 25 Gb/s and grow with the rate of
 *            the hosts' links. Its kmin 100 kB and kmax 400 kB, pmax 20 %, grow with the rate of
 *            each port (KMIN_MAP, KMAX_MAP): those of `ecn` do, with `per: 25Gb/s`. Its counters
 *            begin at 0 where the paper's begin at 1, so F = 2 for its 1. Cuts and alpha wait for
 *            ticks of 4 us and 1 us, alpha's first. Marks are set when a packet leaves the queue
 *            (`ecn.at`). */
enum dcqcn_variant {
	DCQCN_VARIANT_PAPER,
	DCQCN_VARIANT_S4,
	DCQCN_VARIANT_VENDOR,
	DCQCN_VARIANT_HPCC,
	DCQCN_VARIANTS
};

static const char *const variant_words[DCQCN_VARIANTS] = { "paper", "s4", "vendor", "hpcc" };

/* those that have little in common with the defaults */
static const struct dcqcn_config variants[DCQCN_VARIANTS] = {
	[DCQCN_VARIANT_VENDOR] = {
		.enabled = true,
		.g_ppb = 3906250,
		.alpha_initial_ppm = 1000000,
		.alpha_timer_ps = 1 * NODE_US,
		.increase_timer_ps = 900 * NODE_US,
		.byte_counter_bytes = 10000000,
		.fast_recovery = 1,
		.ai_bps = 50000000,
		.hai_bps = 100000000,
		.rate_min_bps = 100000000,
		.cut_interval_ps = 4 * NODE_US,
		.react_on_tick = true,
		.alpha_first = true,
		.cnp_interval_ps = 4 * NODE_US,
	},
	[DCQCN_VARIANT_HPCC] = {
		.enabled = true,
		.g_ppb = 3906250,
		.alpha_initial_ppm = 1000000,
		.alpha_timer_ps = 1 * NODE_US,
		.increase_timer_ps = 300 * NODE_US,
		.fast_recovery = 2,
		.hyper_by_timer = true,
		.ai_bps = 5000000,
		.hai_bps = 50000000,
		.rate_min_bps = 1000000000,
		.cut_interval_ps = 4 * NODE_US,
		.react_on_tick = true,
		.alpha_first = true,
	},
};

#define HPCC_LINK_BPS 25000000000ull

static uint64_t scaled(uint64_t bps, uint64_t link_bps)
{
	return (uint64_t)((unsigned __int128)bps * link_bps / HPCC_LINK_BPS);
}

/* @link_bps  of the hosts' links, unless a host has another rate */
static struct dcqcn_config variant_of(enum dcqcn_variant variant, uint64_t link_bps)
{
	struct dcqcn_config config = variants[variant];
	struct roce_config defaults;

	parameters_default(&roce_parameters, &defaults);
	if (variant == DCQCN_VARIANT_PAPER || variant == DCQCN_VARIANT_S4)
		config = defaults.dcqcn;
	if (variant == DCQCN_VARIANT_S4)
		config.increase_timer_ps = 300 * NODE_US;
	if (variant == DCQCN_VARIANT_HPCC) {
		config.ai_bps = scaled(config.ai_bps, link_bps);
		config.hai_bps = scaled(config.hai_bps, link_bps);
	}
	return config;
}

void scenario_roce_class_init(struct scenario_roce_class *class)
{
	*class = (struct scenario_roce_class){ 0 };
	parameters_default(&roce_class_parameters, &class->config);
}

void scenario_roce_init(struct scenario_roce *roce)
{
	*roce = (struct scenario_roce){
		.headroom_bytes = SCENARIO_DERIVED,
		.cnp_class = SCENARIO_DERIVED,
		.transport = TRANSPORT_RC,
	};
	parameters_default(&roce_parameters, &roce->config);
	memset(roce->config.classes, 0, sizeof(roce->config.classes));
	for (uint32_t i = 0; i < NODE_CLASSES_MAX; i++)
		scenario_roce_class_init(&roce->classes[i]);
}

/* ---- keys that are no fields of a roce_config ---- */

static void headroom_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	struct key size = *key;

	size.name = "headroom";
	if (node->kind == YAML_SCALAR && !strcmp(node->text, "derived"))
		((struct scenario_roce *)target)->headroom_bytes = SCENARIO_DERIVED;
	else
		key_size(reader, &size, node, target);
}

void scenario_ecn_check(struct reader *reader, const struct yaml_node *node,
			const struct roce_class_config *ecn, const struct roce_class_config *given)
{
	if (given->kmin_bytes && given->kmax_bytes && ecn->kmin_bytes > ecn->kmax_bytes)
		key_refuse(reader, yaml_find(node, "kmin"), "kmin must not be greater than kmax");
}

static void ecn_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	struct scenario_roce *roce = target;
	const struct parameters_reading reading = {
		.table = &roce_class_parameters,
		.structure = &roce->ecn,
		.given = &roce->ecn_given,
		.group = "ecn.",
	};

	(void)key;
	scenario_parameters_read(reader, node, "'ecn'", &reading);
	scenario_ecn_check(reader, node, &roce->ecn, &roce->ecn_given);
}

/* ---- dcqcn ---- */

static void variant_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	int index = key_word_index(reader, node, "the name of a variant", variant_words,
				   DCQCN_VARIANTS);
	struct dcqcn_config *dcqcn = target;
	bool enabled = dcqcn->enabled;

	(void)key;
	if (index < 0)
		return;
	*dcqcn = variant_of((enum dcqcn_variant)index, reader->links.edge.rate_bps);
	dcqcn->enabled = enabled;
}

static void dcqcn_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	static const struct key keys[] = { { "variant", .read = variant_read } };
	struct dcqcn_config *dcqcn = &((struct scenario_roce *)target)->config.dcqcn;
	const struct parameters_reading reading = {
		.table = &dcqcn_parameters,
		.structure = dcqcn,
		.keys = keys,
		.key_count = COUNT_OF(keys),
		.target = dcqcn,
	};

	(void)key;
	scenario_parameters_read(reader, node, "'dcqcn'", &reading);
	if (dcqcn->rate_initial_bps && dcqcn->rate_initial_bps < dcqcn->rate_min_bps)
		key_refuse(reader, node,
			   "rate-initial, %llu b/s, must not be less than rate-min, %llu b/s",
			   (unsigned long long)dcqcn->rate_initial_bps,
			   (unsigned long long)dcqcn->rate_min_bps);
	if (dcqcn->react_on_tick && !dcqcn->cut_interval_ps)
		key_refuse(
			reader, node,
			"reaction: tick needs a cut-interval, which is the time between two ticks");
}

/* ---- a control of the user's ---- */

/* A file that the scenario names is in its folder; one of --set or --cc is as in the shell. */
static char *control_path(const struct reader *reader, const struct yaml_node *node,
			  const char *name)
{
	return node->place.setting ? strdup(name) : key_path_beside(reader, name);
}

static void own_control_read(struct reader *reader, const struct key *key,
			     const struct yaml_node *node, void *target)
{
	const char *name = key_scalar(reader, node, "the name of a shared library");
	struct origin *origin = reader->scenario->origin;
	char *path = name ? control_path(reader, node, name) : NULL;
	int error;

	(void)key, (void)target;
	if (!name)
		return;
	if (!path) {
		reader->out_of_memory = true;
		return;
	}
	if (!key_file_allowed(reader, node, path)) {
		free(path);
		return;
	}
	origin_input(origin, path);
	error = control_file_read(&origin->control, path);
	if (error == -EBADF)
		key_refuse(reader, node, "'%.200s' is not a file", path);
	else if (error == -EFBIG)
		key_refuse(reader, node, "'%.200s' is larger than %u bytes", path,
			   CONTROL_FILE_BYTES_MAX);
	else if (error == -ENOEXEC)
		key_refuse(reader, node,
			   "'%.200s' is no shared library for this machine: docs/own-congestion-"
			   "control.md has the command that makes one",
			   path);
	else if (error)
		key_refuse(reader, node, "the file '%.200s' cannot be read: %s", path,
			   strerror(-error));
	free(path);
}

static void transport_read(struct reader *reader, const struct key *key,
			   const struct yaml_node *node, void *target)
{
	int index = key_word_index(reader, node, "a transport", transport_words + 1,
				   TRANSPORT_KINDS - 1);

	(void)key;
	if (index >= 0)
		((struct scenario_roce *)target)->transport = (enum transport_kind)(index + 1);
}

/* ---- the section ---- */

static const struct key roce_keys[] = {
	{ "pfc.headroom", headroom_read, KEY_FIELD(struct scenario_roce, headroom_bytes),
	  .max = ROCE_BYTES_MAX },
	{ "cnp-class", key_class, KEY_FIELD(struct scenario_roce, cnp_class) },
	{ "ecn", .read = ecn_read },
	{ "dcqcn", .read = dcqcn_read },
	{ "own-control", .read = own_control_read },
	{ "transport", .read = transport_read },
};

/* what two keys must be to each other */
static void roce_check(struct reader *reader, const struct yaml_node *node,
		       const struct scenario_roce *roce)
{
	const struct roce_config *config = &roce->config;

	if (roce->given.path_high_bytes && roce->given.path_low_bytes &&
	    config->path_low_bytes >= config->path_high_bytes)
		key_refuse(reader, yaml_find(yaml_find(node, "path-pause"), "low"),
			   "low must be less than high");
	if (config->tcp.initial_packets > config->tcp.window_packets_max)
		key_refuse(reader, yaml_find(node, "tcp"),
			   "initial-window, %u, must not be greater than window-max, %u",
			   config->tcp.initial_packets, config->tcp.window_packets_max);
}

/* A library alone selects itself. Is there a library, if one is selected? */
static void own_control_check(struct reader *reader, const struct yaml_node *node,
			      struct scenario_roce *roce)
{
	struct control_file *control = &reader->scenario->origin->control;

	if (yaml_find(node, "own-control") && !yaml_find(node, "congestion-control"))
		roce->config.congestion = CONGESTION_OWN;
	if (roce->config.congestion != CONGESTION_OWN)
		return;
	control->used = control->fd >= 0 && reader->scenario->fabric == FABRIC_ROCE;
	if (!yaml_find(node, "own-control"))
		key_refuse(reader, yaml_find(node, "congestion-control"),
			   "congestion-control: own needs own-control: FILE, a shared library");
}

static struct scenario_place place_of(const struct yaml_node *section, const char *key)
{
	const struct yaml_node *node = yaml_find(section, key);

	return node ? node->place : section->place;
}

void scenario_roce_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct scenario_roce *roce = &((struct scenario *)target)->roce;
	const struct parameters_reading reading = {
		.table = &roce_parameters,
		.structure = &roce->config,
		.given = &roce->given,
		.keys = roce_keys,
		.key_count = COUNT_OF(roce_keys),
		.target = roce,
	};

	(void)key;
	scenario_parameters_read(reader, node, "'roce'", &reading);
	roce->place = node->place;
	roce->buffer_place = place_of(node, "buffer");
	roce->path_place = place_of(node, "path-pause");
	roce_check(reader, node, roce);
	own_control_check(reader, node, roce);
}
