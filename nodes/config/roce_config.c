#include "nodes/config/roce_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "nodes/base/array.h"
#include "nodes/base/limits.h"

/* ours, to keep sums and products within 64 bits */
#define TIME_MAX_PS (3600 * NODE_S)
#define RATE_MIN_BPS 1000000u
#define RATE_MAX_BPS 800000000000u
#define COUNTER_BYTES_MAX (1ull << 40)

static const struct limit roce_limits[] = {
	LIMIT(struct roce_config, buffer_bytes, 1, ROCE_BYTES_MAX),
	LIMIT(struct roce_config, increase_period_ps, 1, TIME_MAX_PS),
	LIMIT(struct roce_config, idle_ps, 0, TIME_MAX_PS),
	LIMIT(struct roce_config, reference_permille, 1000, 1000000),
	LIMIT(struct roce_config, path_target, ROCE_ECN_FAILED, ROCE_CNP_FAILED),
	LIMIT(struct roce_config, path_form, 0, PATH_PAUSE_FORMS - 1),
	LIMIT(struct roce_config, path_high_bytes, 1, ROCE_BYTES_MAX),
	LIMIT(struct roce_config, path_per_bps, 0, RATE_MAX_BPS),
	LIMIT(struct roce_config, flows_max, 1, ROCE_SWITCH_FLOWS_MAX),
	LIMIT(struct roce_config, watchdog_ps, 1, TIME_MAX_PS),
};

static const struct limit class_limits[] = {
	LIMIT(struct roce_class_config, kmax_bytes, 0, ROCE_BYTES_MAX),
	LIMIT(struct roce_class_config, kmin_bytes, 0, ROCE_BYTES_MAX),
	LIMIT(struct roce_class_config, kmin_per_bps, 0, RATE_MAX_BPS),
	LIMIT(struct roce_class_config, kmax_per_bps, 0, RATE_MAX_BPS),
	LIMIT(struct roce_class_config, pmax_ppm, 0, 1000000),
	LIMIT(struct roce_class_config, queue_bytes_max, 0, ROCE_BYTES_MAX),
	LIMIT(struct roce_class_config, alpha_permille, 0, ROCE_ALPHA_PERMILLE_MAX),
	LIMIT(struct roce_class_config, xoff_bytes, 0, ROCE_BYTES_MAX),
	LIMIT(struct roce_class_config, xon_offset_bytes, 0, ROCE_BYTES_MAX),
};

static const struct limit dcqcn_limits[] = {
	LIMIT(struct dcqcn_config, g_ppb, 1, 1000000000),
	LIMIT(struct dcqcn_config, alpha_initial_ppm, 0, 1000000),
	LIMIT(struct dcqcn_config, alpha_timer_ps, 1, TIME_MAX_PS),
	LIMIT(struct dcqcn_config, increase_timer_ps, 1, TIME_MAX_PS),
	LIMIT(struct dcqcn_config, byte_counter_bytes, 0, COUNTER_BYTES_MAX),
	LIMIT(struct dcqcn_config, fast_recovery, 1, 1000),
	LIMIT(struct dcqcn_config, ai_bps, 0, RATE_MAX_BPS),
	LIMIT(struct dcqcn_config, hai_bps, 0, RATE_MAX_BPS),
	LIMIT(struct dcqcn_config, rate_min_bps, RATE_MIN_BPS, RATE_MAX_BPS),
	LIMIT(struct dcqcn_config, rate_initial_bps, 0, RATE_MAX_BPS),
	LIMIT(struct dcqcn_config, cut_interval_ps, 0, TIME_MAX_PS),
	LIMIT(struct dcqcn_config, cnp_interval_ps, 0, TIME_MAX_PS),
};

static const struct limit queue_pair_limits[] = {
	LIMIT(struct queue_pair_config, ack_packets, 1, 65536),
	LIMIT(struct queue_pair_config, window_bytes, 0, COUNTER_BYTES_MAX),
	LIMIT(struct queue_pair_config, timeout_ps, 1, TIME_MAX_PS),
	LIMIT(struct queue_pair_config, retries, 0, 65535),
};

static const struct limit tcp_limits[] = {
	LIMIT(struct tcp_config, initial_packets, 1, 4096),
	LIMIT(struct tcp_config, window_packets_max, 1, 4096),
	LIMIT(struct tcp_config, rto_min_ps, 1, TIME_MAX_PS),
};

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
		       uint64_t high, char *why, unsigned why_max)
{
	if (low <= high)
		return 0;
	snprintf(why, why_max, "%s%s is %" PRIu64 ", more than %s, which is %" PRIu64, place,
		 low_name, low, high_name, high);
	return -EINVAL;
}

static int class_check(const struct roce_config *config, uint32_t index, char *why,
		       unsigned why_max)
{
	const struct roce_class_config *class = &config->classes[index];
	char place[32];
	int error;

	snprintf(place, sizeof(place), "roce.classes[%" PRIu32 "].", index);
	error = limits_check(class, place, class_limits, COUNT_OF(class_limits), why, why_max);
	/* else it depends on the port: roce_class_at() */
	if (!error && class->kmin_per_bps == class->kmax_per_bps)
		error = order_check(place, "kmin_bytes", class->kmin_bytes, "kmax_bytes",
				    class->kmax_bytes, why, why_max);
	if (!error && class->xoff_bytes)
		error = order_check(place, "xon_offset_bytes", class->xon_offset_bytes,
				    "xoff_bytes", class->xoff_bytes, why, why_max);
	if (!error && config->pfc && class->lossless && !class->xoff_bytes &&
	    !class->alpha_permille) {
		snprintf(
			why, why_max,
			"%sxoff_bytes and alpha_permille are 0: nothing would ever stop this class",
			place);
		error = -EINVAL;
	}
	return error;
}

static int dcqcn_check(const struct dcqcn_config *dcqcn, char *why, unsigned why_max)
{
	int error = limits_check(dcqcn, "roce.dcqcn.", dcqcn_limits, COUNT_OF(dcqcn_limits), why,
				 why_max);

	if (!error && dcqcn->rate_initial_bps)
		error = order_check("roce.dcqcn.", "rate_min_bps", dcqcn->rate_min_bps,
				    "rate_initial_bps", dcqcn->rate_initial_bps, why, why_max);
	if (!error && dcqcn->react_on_tick && !dcqcn->cut_interval_ps) {
		snprintf(why, why_max,
			 "roce.dcqcn.cut_interval_ps is 0: with react_on_tick there would be no "
			 "tick");
		error = -EINVAL;
	}
	return error;
}

int roce_config_check(const struct roce_config *config, uint32_t class_count, char *why,
		      unsigned why_max)
{
	int error = limits_check(config, "roce.", roce_limits, COUNT_OF(roce_limits), why, why_max);

	if (!error)
		error = order_check("roce.", "cnp_class", config->cnp_class, "the last class",
				    class_count - 1, why, why_max);
	if (!error)
		error = order_check("roce.", "path_low_bytes", config->path_low_bytes,
				    "path_high_bytes - 1", config->path_high_bytes - 1, why,
				    why_max);
	for (uint32_t i = 0; i < class_count && !error; i++)
		error = class_check(config, i, why, why_max);
	if (!error)
		error = dcqcn_check(&config->dcqcn, why, why_max);
	if (!error)
		error = order_check("roce.tcp.", "initial_packets", config->tcp.initial_packets,
				    "window_packets_max", config->tcp.window_packets_max, why,
				    why_max);
	if (!error)
		error = limits_check(&config->queue_pair, "roce.queue_pair.", queue_pair_limits,
				     COUNT_OF(queue_pair_limits), why, why_max);
	if (!error)
		error = limits_check(&config->tcp, "roce.tcp.", tcp_limits, COUNT_OF(tcp_limits),
				     why, why_max);
	return error;
}
