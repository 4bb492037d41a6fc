#include "nodes/config/roce_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* ours, to keep sums and products within 64 bits */
#define TIME_MAX_PS (3600 * NODE_S)
#define RATE_MIN_BPS 1000000u
#define RATE_MAX_BPS 800000000000u
#define COUNTER_BYTES_MAX (1ull << 40)

/* ---- words of a scenario, by the values of the fields ---- */

#define WORD(constant, word) word,
const char *const congestion_words[CONGESTION_KINDS] = { CONGESTION_ROWS(WORD) "own" };
#undef WORD
static const char *const alpha_words[] = { "after-cut", "before-cut" };
static const char *const hyper_words[] = { "both", "timer" };
static const char *const reaction_words[] = { "at-once", "tick" };
static const char *const at_words[] = { "enqueue", "dequeue" };
static const char *const target_words[] = { "ecn-failed", "cnp-failed" };
static const char *const form_words[PATH_PAUSE_FORMS] = { "target", "all", "none", "port" };

/* ---- the tables ---- */

static const struct parameter roce_class_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct roce_class_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/roce_class.def"
};
const struct parameter_table roce_class_parameters =
	PARAMETER_TABLE_OF(struct roce_class_config, roce_class_rows);

static const struct parameter dcqcn_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct dcqcn_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/dcqcn.def"
};
const struct parameter_table dcqcn_parameters = PARAMETER_TABLE_OF(struct dcqcn_config, dcqcn_rows);

static const struct parameter swift_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct swift_config, __VA_ARGS__),
#include "nodes/config/swift.def"
};
static const struct parameter_table swift_parameters =
	PARAMETER_TABLE_OF(struct swift_config, swift_rows);

static const struct parameter queue_pair_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct queue_pair_config, __VA_ARGS__),
#include "nodes/config/queue_pair.def"
};
static const struct parameter_table queue_pair_parameters =
	PARAMETER_TABLE_OF(struct queue_pair_config, queue_pair_rows);

static const struct parameter tcp_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct tcp_config, __VA_ARGS__),
#include "nodes/config/tcp.def"
};
static const struct parameter_table tcp_parameters =
	PARAMETER_TABLE_OF(struct tcp_config, tcp_rows);

static const struct parameter roce_rows[] = {
#define PARAMETER(...) PARAMETER_ROW(struct roce_config, __VA_ARGS__),
#define PARAMETERS(type, ...) PARAMETERS_ROW(struct roce_config, __VA_ARGS__),
#define PARAMETER_ARRAY(type, ...) PARAMETER_ARRAY_ROW(struct roce_config, __VA_ARGS__),
#define KEY(...) KEY_ROW(__VA_ARGS__),
#include "nodes/config/roce.def"
};
const struct parameter_table roce_parameters = PARAMETER_TABLE_OF(struct roce_config, roce_rows);

uint64_t roce_level_bytes(uint64_t bytes, uint64_t per_bps, uint64_t rate_bps, uint64_t least_bytes)
{
	unsigned __int128 scaled;

	if (!per_bps)
		return bytes;
	scaled = (unsigned __int128)bytes * rate_bps / per_bps;
	if (rate_bps < per_bps && scaled < least_bytes)
		return bytes < least_bytes ? bytes : least_bytes;
	return scaled < ROCE_BYTES_MAX ? (uint64_t)scaled : ROCE_BYTES_MAX;
}

void roce_marking_at(const struct roce_class_config *class, uint64_t rate_bps, uint64_t frame_bytes,
		     uint64_t *kmin_bytes, uint64_t *kmax_bytes)
{
	*kmin_bytes =
		roce_level_bytes(class->kmin_bytes, class->kmin_per_bps, rate_bps, frame_bytes);
	*kmax_bytes =
		roce_level_bytes(class->kmax_bytes, class->kmax_per_bps, rate_bps, 2 * frame_bytes);
}

struct roce_class_config roce_class_at(const struct roce_class_config *class, uint64_t rate_bps,
				       uint64_t frame_bytes)
{
	struct roce_class_config at = *class;

	roce_marking_at(class, rate_bps, frame_bytes, &at.kmin_bytes, &at.kmax_bytes);
	if (at.kmin_bytes > at.kmax_bytes)
		at.kmin_bytes = at.kmax_bytes;
	return at;
}

static int order_check(const char *place, const char *low_name, uint64_t low, const char *high_name,
		       uint64_t high, struct why *why)
{
	if (low <= high)
		return 0;
	return why_say(why, -EINVAL, "%s%s is %" PRIu64 ", more than %s, which is %" PRIu64, place,
		       low_name, low, high_name, high);
}

static int class_check(const struct roce_config *config, uint32_t index, struct why *why)
{
	const struct roce_class_config *class = &config->classes[index];
	char place[32];
	int error = 0;

	snprintf(place, sizeof(place), "roce.classes[%" PRIu32 "].", index);
	/* else it depends on the port: roce_class_at() */
	if (class->kmin_per_bps == class->kmax_per_bps)
		error = order_check(place, "kmin_bytes", class->kmin_bytes, "kmax_bytes",
				    class->kmax_bytes, why);
	if (!error && class->xoff_bytes)
		error = order_check(place, "xon_offset_bytes", class->xon_offset_bytes,
				    "xoff_bytes", class->xoff_bytes, why);
	if (!error && config->pfc && class->lossless && !class->xoff_bytes &&
	    !class->alpha_permille)
		error = why_say(
			why, -EINVAL,
			"%sxoff_bytes and alpha_permille are 0: nothing would ever stop this class",
			place);
	return error;
}

static int dcqcn_check(const struct dcqcn_config *dcqcn, struct why *why)
{
	int error = 0;

	if (dcqcn->rate_initial_bps)
		error = order_check("roce.dcqcn.", "rate_min_bps", dcqcn->rate_min_bps,
				    "rate_initial_bps", dcqcn->rate_initial_bps, why);
	if (!error && dcqcn->react_on_tick && !dcqcn->cut_interval_ps)
		error = why_say(why, -EINVAL,
				"roce.dcqcn.cut_interval_ps is 0: with react_on_tick there would "
				"be no tick");
	return error;
}

int roce_config_check(const struct roce_config *config, uint32_t class_count, struct why *why)
{
	int error = parameters_check(&roce_parameters, "roce.", config, why);

	if (!error)
		error = order_check("roce.", "cnp_class", config->cnp_class, "the last class",
				    class_count - 1, why);
	if (!error)
		error = order_check("roce.", "path_low_bytes", config->path_low_bytes,
				    "path_high_bytes - 1", config->path_high_bytes - 1, why);
	for (uint32_t i = 0; i < class_count && !error; i++)
		error = class_check(config, i, why);
	if (!error)
		error = dcqcn_check(&config->dcqcn, why);
	if (!error)
		error = order_check("roce.swift.", "fs_min_ppm", config->swift.fs_min_ppm,
				    "fs_max_ppm - 1", config->swift.fs_max_ppm - 1, why);
	if (!error)
		error = order_check("roce.swift.", "cwnd_min_ppm", config->swift.cwnd_min_ppm,
				    "cwnd_max_ppm", config->swift.cwnd_max_ppm, why);
	if (!error)
		error = order_check("roce.tcp.", "initial_packets", config->tcp.initial_packets,
				    "window_packets_max", config->tcp.window_packets_max, why);
	return error;
}
