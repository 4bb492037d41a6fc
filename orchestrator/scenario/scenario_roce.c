/*  scenario_roce - the section `roce` of a scenario, and the marking of a class of such a fabric
 *  (RC-1 ... RC-11).
 *
 *  The defaults and the named sets of DCQCN's numbers are here. The section is read with any kind
 *  of fabric, so that one file can be compared under several. */
#include "orchestrator/scenario/scenario_roce.h"

#include <string.h>

#include "orchestrator/scenario/scenario_keys.h"

#define TIME_MAX (3600 * NODE_S)
#define RATE_MIN 1000000u
#define RATE_MAX 800000000000u
#define BYTES_MAX ROCE_BYTES_MAX

#define FIELD(field) KEY_FIELD(struct scenario_roce, field)
#define ECN_FIELD(field) KEY_FIELD(struct scenario_ecn, field)
#define DCQCN_FIELD(field) KEY_FIELD(struct dcqcn_config, field)
#define QUEUE_PAIR_FIELD(field) KEY_FIELD(struct queue_pair_config, field)
#define TCP_FIELD(field) KEY_FIELD(struct tcp_config, field)

/* ---- defaults ---- */

/*  Named sets of numbers, with which the same CNPs lead to different rates.
 *    paper   [Zhu et al., SIGCOMM 2015]: section 5 and figure 7. Its text does not give R_HAI;
 *            400 Mb/s, ten steps of R_AI, is what implementations use. The lowest rate is ours: one
 *            step of R_AI.
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
#define DCQCN_PAPER                                                             \
	.enabled = true, .g_ppb = 3906250, .alpha_initial_ppm = 1000000,        \
	.alpha_timer_ps = 55 * NODE_US, .increase_timer_ps = 55 * NODE_US,      \
	.byte_counter_bytes = 10000000, .fast_recovery = 5, .ai_bps = 40000000, \
	.hai_bps = 400000000, .rate_min_bps = 40000000, .clamp_target = true,   \
	.cnp_interval_ps = 50 * NODE_US

enum dcqcn_variant {
	DCQCN_VARIANT_PAPER,
	DCQCN_VARIANT_S4,
	DCQCN_VARIANT_VENDOR,
	DCQCN_VARIANT_HPCC,
	DCQCN_VARIANTS
};

static const char *const variant_words[DCQCN_VARIANTS] = { "paper", "s4", "vendor", "hpcc" };

static const struct dcqcn_config variants[DCQCN_VARIANTS] = {
	[DCQCN_VARIANT_PAPER] = { DCQCN_PAPER },
	[DCQCN_VARIANT_S4] = { DCQCN_PAPER },
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

	if (variant == DCQCN_VARIANT_S4)
		config.increase_timer_ps = 300 * NODE_US;
	if (variant == DCQCN_VARIANT_HPCC) {
		config.ai_bps = scaled(config.ai_bps, link_bps);
		config.hai_bps = scaled(config.hai_bps, link_bps);
	}
	return config;
}

static const struct scenario_ecn ecn_derived = { SCENARIO_DERIVED, SCENARIO_DERIVED,
						 SCENARIO_DERIVED, SCENARIO_DERIVED,
						 SCENARIO_DERIVED, SCENARIO_DERIVED };

void scenario_roce_class_init(struct scenario_roce_class *class)
{
	*class = (struct scenario_roce_class){
		.lossless = true,
		.ecn = ecn_derived,
		.queue_bytes = SCENARIO_DERIVED,
		.alpha_permille = SCENARIO_DERIVED,
		.xoff_bytes = SCENARIO_DERIVED,
		.xon_offset_bytes = SCENARIO_DERIVED,
		.watched = SCENARIO_DERIVED,
	};
}

void scenario_roce_init(struct scenario_roce *roce)
{
	*roce = (struct scenario_roce){
		.config = {
			.pfc = true,
			.buffer_bytes = 32 << 20,
			.increase_period_ps = 55 * NODE_US,
			.idle_ps = 10 * NODE_MS, /* ours: a frame of 4096 bytes at 3.3 Mb/s */
			.reference_permille = 1500, /* RC-7 */
			.path_target = ROCE_CNP_FAILED,
			.flows_max = 65536,
			.watchdog_ps = 10 * NODE_MS,
			.dcqcn = variant_of(DCQCN_VARIANT_PAPER, HPCC_LINK_BPS),
			.queue_pair = { .ack_packets = 16,
					.timeout_ps = SCENARIO_DERIVED,
					.retries = 7 },
			.tcp = { .initial_packets = 10,
				 .window_packets_max = 1024,
				 .rto_min_ps = SCENARIO_DERIVED },
		},
		.headroom_bytes = SCENARIO_DERIVED,
		.cnp_class = SCENARIO_DERIVED,
		.path_high_bytes = SCENARIO_DERIVED,
		.path_low_bytes = SCENARIO_DERIVED,
		.ecn = ecn_derived,
	};
	for (uint32_t i = 0; i < NODE_CLASSES_MAX; i++)
		scenario_roce_class_init(&roce->classes[i]);
}

/* ---- mechanisms ---- */

/* a mechanism that is off unless a key of it is given */
static void wanted_read(struct reader *reader, const struct yaml_node *node, const char *what,
			const struct key *keys, size_t key_count, void *target, bool *enabled)
{
	if (node->kind == YAML_MAPPING)
		*enabled = true;
	keys_read_mechanism(reader, node, what, keys, key_count, target);
}

/* a size, or @word, which means SCENARIO_DERIVED or 0 */
static void size_or_word(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target, const char *word)
{
	if (node->kind == YAML_SCALAR && !strcmp(node->text, word))
		*(uint64_t *)((char *)target + key->offset) = SCENARIO_DERIVED;
	else
		key_size(reader, key, node, target);
}

static void headroom_read(struct reader *reader, const struct key *key,
			  const struct yaml_node *node, void *target)
{
	size_or_word(reader, key, node, target, "derived");
}

static const struct key pfc_keys[] = {
	{ "enabled", key_flag, FIELD(config.pfc) },
	{ "pause", key_flag, FIELD(config.pause) },
	{ "headroom", headroom_read, FIELD(headroom_bytes), .max = BYTES_MAX },
	{ "watchdog", key_time, FIELD(config.watchdog_ps), .min = NODE_NS, .max = TIME_MAX },
};

static void pfc_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	(void)key;
	keys_read_mechanism(reader, node, "'pfc'", pfc_keys, COUNT_OF(pfc_keys), target);
}

static void buffer_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	((struct scenario_roce *)target)->buffer_place = node->place;
	key_size(reader, key, node, target);
}

static void cnp_class_read(struct reader *reader, const struct key *key,
			   const struct yaml_node *node, void *target)
{
	int64_t index = key_class_index(reader, node);

	(void)key;
	if (index >= 0)
		((struct scenario_roce *)target)->cnp_class = (uint64_t)index;
}

static const char *const at_words[] = { "enqueue", "dequeue" };

static const struct key ecn_keys[] = {
	{ "enabled", key_flag, ECN_FIELD(enabled) },
	{ "kmin", key_size, ECN_FIELD(kmin_bytes), .max = BYTES_MAX },
	{ "kmax", key_size, ECN_FIELD(kmax_bytes), .max = BYTES_MAX },
	{ "pmax", key_share, ECN_FIELD(pmax_ppm), .max = 1000000, .one = 1000000 },
	{ "per", key_rate, ECN_FIELD(per_bps), .min = RATE_MIN, .max = RATE_MAX },
	{ "at", key_word, ECN_FIELD(at_dequeue), .words = at_words,
	  .word_count = COUNT_OF(at_words) },
};

void scenario_ecn_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct scenario_ecn *ecn = (struct scenario_ecn *)((char *)target + key->offset);

	if (node->kind == YAML_MAPPING)
		ecn->enabled = true;
	keys_read_mechanism(reader, node, "'ecn'", ecn_keys, COUNT_OF(ecn_keys), ecn);
	if (ecn->kmin_bytes != SCENARIO_DERIVED && ecn->kmax_bytes != SCENARIO_DERIVED &&
	    ecn->kmin_bytes > ecn->kmax_bytes)
		key_refuse(reader, yaml_find(node, "kmin"), "kmin must not be greater than kmax");
}

/* ---- dcqcn ---- */

static void variant_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			 void *target)
{
	const char *text = key_scalar(reader, node, "the name of a variant");
	int index = text ? key_word_index(reader, node, text, variant_words, DCQCN_VARIANTS) : -1;
	struct dcqcn_config *dcqcn = target;
	bool enabled = dcqcn->enabled;

	(void)key;
	if (index < 0)
		return;
	*dcqcn = variant_of((enum dcqcn_variant)index, reader->links.edge.rate_bps);
	dcqcn->enabled = enabled;
}

static void rate_initial_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	if (node->kind == YAML_SCALAR && !strcmp(node->text, "link"))
		((struct dcqcn_config *)target)->rate_initial_bps = 0;
	else
		key_rate(reader, key, node, target);
}

static void byte_counter_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *node, void *target)
{
	if (node->kind == YAML_SCALAR && !strcmp(node->text, "off"))
		((struct dcqcn_config *)target)->byte_counter_bytes = 0;
	else
		key_size(reader, key, node, target);
}

static const char *const hyper_words[] = { "both", "timer" };
static const char *const alpha_words[] = { "after-cut", "before-cut" };
static const char *const reaction_words[] = { "at-once", "tick" };

/* the variant first: single numbers change it */
static const struct key dcqcn_keys[] = {
	{ "enabled", key_flag, DCQCN_FIELD(enabled) },
	{ "variant", .read = variant_read },
	{ "g", key_share, DCQCN_FIELD(g_ppb), .min = 1, .max = 1000000000, .one = 1000000000 },
	{ "alpha", key_word, DCQCN_FIELD(alpha_first), .words = alpha_words,
	  .word_count = COUNT_OF(alpha_words) },
	{ "alpha-initial", key_share, DCQCN_FIELD(alpha_initial_ppm), .max = 1000000,
	  .one = 1000000 },
	{ "alpha-timer", key_time, DCQCN_FIELD(alpha_timer_ps), .min = NODE_NS, .max = TIME_MAX },
	{ "increase-timer", key_time, DCQCN_FIELD(increase_timer_ps), .min = NODE_NS,
	  .max = TIME_MAX },
	{ "byte-counter", byte_counter_read, DCQCN_FIELD(byte_counter_bytes), .min = 1,
	  .max = 1ull << 40 },
	{ "fast-recovery", key_count, DCQCN_FIELD(fast_recovery), .min = 1, .max = 1000 },
	{ "hyper", key_word, DCQCN_FIELD(hyper_by_timer), .words = hyper_words,
	  .word_count = COUNT_OF(hyper_words) },
	{ "ai", key_rate, DCQCN_FIELD(ai_bps), .max = RATE_MAX },
	{ "hai", key_rate, DCQCN_FIELD(hai_bps), .max = RATE_MAX },
	{ "rate-min", key_rate, DCQCN_FIELD(rate_min_bps), .min = RATE_MIN, .max = RATE_MAX },
	{ "rate-initial", rate_initial_read, DCQCN_FIELD(rate_initial_bps), .min = RATE_MIN,
	  .max = RATE_MAX },
	{ "cut-interval", key_time, DCQCN_FIELD(cut_interval_ps), .max = TIME_MAX },
	{ "reaction", key_word, DCQCN_FIELD(react_on_tick), .words = reaction_words,
	  .word_count = COUNT_OF(reaction_words) },
	{ "clamp-target", key_flag, DCQCN_FIELD(clamp_target) },
	{ "cnp-interval", key_time, DCQCN_FIELD(cnp_interval_ps), .max = TIME_MAX },
};

static void dcqcn_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		       void *target)
{
	struct dcqcn_config *dcqcn = &((struct scenario_roce *)target)->config.dcqcn;

	(void)key;
	keys_read_mechanism(reader, node, "'dcqcn'", dcqcn_keys, COUNT_OF(dcqcn_keys), dcqcn);
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

/* ---- what S4 adds ---- */

static const struct key supplement_keys[] = {
	{ "enabled", key_flag, FIELD(config.supplement) },
	{ "period", key_time, FIELD(config.increase_period_ps), .min = NODE_NS, .max = TIME_MAX },
	{ "idle", key_time, FIELD(config.idle_ps), .max = TIME_MAX },
};

static void supplement_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	(void)key;
	wanted_read(reader, node, "'supplement'", supplement_keys, COUNT_OF(supplement_keys),
		    target, &((struct scenario_roce *)target)->config.supplement);
}

static const char *const target_words[] = { "ecn-failed", "cnp-failed" };
static const char *const form_words[PATH_PAUSE_FORMS] = { "target", "all", "none", "port" };

static void target_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	const char *text = key_scalar(reader, node, "a state");
	int index = text ? key_word_index(reader, node, text, target_words, COUNT_OF(target_words))
			 : -1;

	(void)key;
	if (index >= 0)
		((struct scenario_roce *)target)->config.path_target =
			index ? ROCE_CNP_FAILED : ROCE_ECN_FAILED;
}

static const struct key path_pause_keys[] = {
	{ "enabled", key_flag, FIELD(config.path_pause) },
	{ "target", .read = target_read },
	{ "form", key_word, FIELD(config.path_form), .words = form_words,
	  .word_count = PATH_PAUSE_FORMS },
	{ "high", key_size, FIELD(path_high_bytes), .min = 2, .max = BYTES_MAX },
	{ "low", key_size, FIELD(path_low_bytes), .max = BYTES_MAX },
};

static void path_pause_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	struct scenario_roce *roce = target;

	(void)key;
	roce->path_place = node->place;
	wanted_read(reader, node, "'path-pause'", path_pause_keys, COUNT_OF(path_pause_keys),
		    target, &roce->config.path_pause);
	if (roce->path_high_bytes != SCENARIO_DERIVED && roce->path_low_bytes != SCENARIO_DERIVED &&
	    roce->path_low_bytes >= roce->path_high_bytes)
		key_refuse(reader, yaml_find(node, "low"), "low must be less than high");
}

/* ---- transports ---- */

static const struct key queue_pair_keys[] = {
	{ "ack", key_count, QUEUE_PAIR_FIELD(ack_packets), .min = 1, .max = 65536 },
	{ "window", key_size, QUEUE_PAIR_FIELD(window_bytes), .max = 1ull << 40 },
	{ "timeout", key_time, QUEUE_PAIR_FIELD(timeout_ps), .min = NODE_NS, .max = TIME_MAX },
	{ "retries", key_count, QUEUE_PAIR_FIELD(retries), .max = 65535 },
};

static void queue_pair_read(struct reader *reader, const struct key *key,
			    const struct yaml_node *node, void *target)
{
	(void)key;
	keys_read(reader, node, "'queue-pair'", queue_pair_keys, COUNT_OF(queue_pair_keys),
		  &((struct scenario_roce *)target)->config.queue_pair);
}

static const struct key tcp_keys[] = {
	{ "initial-window", key_count, TCP_FIELD(initial_packets), .min = 1, .max = 4096 },
	{ "window-max", key_count, TCP_FIELD(window_packets_max), .min = 1, .max = 4096 },
	{ "ecn", key_flag, TCP_FIELD(ecn) },
	{ "rto-min", key_time, TCP_FIELD(rto_min_ps), .min = NODE_NS, .max = TIME_MAX },
};

static void tcp_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
		     void *target)
{
	struct tcp_config *tcp = &((struct scenario_roce *)target)->config.tcp;

	(void)key;
	keys_read(reader, node, "'tcp'", tcp_keys, COUNT_OF(tcp_keys), tcp);
	if (tcp->initial_packets > tcp->window_packets_max)
		key_refuse(reader, node,
			   "initial-window, %u, must not be greater than window-max, %u",
			   tcp->initial_packets, tcp->window_packets_max);
}

/* ---- the section ---- */

static const struct key roce_keys[] = {
	{ "pfc", .read = pfc_read },
	{ "buffer", buffer_read, FIELD(config.buffer_bytes), .min = 1, .max = BYTES_MAX },
	{ "cnp-class", .read = cnp_class_read },
	{ "ecn", scenario_ecn_read, FIELD(ecn) },
	{ "dcqcn", .read = dcqcn_read },
	{ "supplement", .read = supplement_read },
	{ "reference", key_share, FIELD(config.reference_permille), .min = 1000, .max = 1000000,
	  .one = 1000 },
	{ "path-pause", .read = path_pause_read },
	{ "queue-pair", .read = queue_pair_read },
	{ "tcp", .read = tcp_read },
	{ "flows", key_count, FIELD(config.flows_max), .min = 1, .max = ROCE_SWITCH_FLOWS_MAX },
};

void scenario_roce_read(struct reader *reader, const struct key *key, const struct yaml_node *node,
			void *target)
{
	struct scenario *scenario = target;

	(void)key;
	scenario->roce.place = scenario->roce.buffer_place = scenario->roce.path_place =
		node->place;
	keys_read(reader, node, "'roce'", roce_keys, COUNT_OF(roce_keys), &scenario->roce);
}
