#include "switchd/ethernet/ethernet_set.h"

#include <errno.h>
#include <inttypes.h>

#include "nodes/wire/frame.h"
#include "switchd/ethernet/ethernet.h"
#include "switchd/ethernet/ethernet_path.h"
#include "switchd/ethernet/ethernet_queue.h"

#define PMAX_PPM_MAX 1000000u
#define REFERENCE_PERMILLE_MIN 1000u
#define REFERENCE_PERMILLE_MAX 1000000u
#define TIME_US_MAX 3600000000u

/* kmin and kmax for different rates may be in order at some ports only */
static int markings_check(const struct ethernet *eth, const struct roce_config *roce, char *why,
			  size_t why_max)
{
	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		for (uint32_t c = 0; c < eth->sw.class_count; c++) {
			uint64_t kmin_bytes, kmax_bytes;

			roce_marking_at(&roce->classes[c], eth->sw.config->ports[p].rate_bps,
					eth->ports[p].mtu_bytes + FRAME_FCS_BYTES, &kmin_bytes,
					&kmax_bytes);
			if (kmin_bytes <= kmax_bytes)
				continue;
			snprintf(why, why_max,
				 "at p%u kmin would be %" PRIu64 ", more than kmax, %" PRIu64, p,
				 kmin_bytes, kmax_bytes);
			return -EINVAL;
		}
	return 0;
}

static int settings_check(const void *dataplane, const void *changed, char *why, size_t why_max)
{
	const struct ethernet *eth = dataplane;
	int error = roce_config_check(changed, eth->sw.class_count, why, (unsigned)why_max);

	return error ? error : markings_check(eth, changed, why, why_max);
}

static void settings_changed(void *dataplane, node_time_t now)
{
	struct ethernet *eth = dataplane;

	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		ethernet_queue_levels(eth, p);
	ethernet_path_periods(eth, now);
}

#define AT(member) offsetof(struct roce_config, member)
#define OF_CLASS(member) AT(classes[0].member), .class_bytes = sizeof(struct roce_class_config)

/* a level that is set is the same for every port, whatever its rate */
static const struct switch_parameter parameters[] = {
	{ "ecn", PARAMETER_FLAG, OF_CLASS(ecn), .words = switch_on_off },
	{ "kmin", PARAMETER_BYTES, OF_CLASS(kmin_bytes), .max = ROCE_BYTES_MAX,
	  .clears = AT(classes[0].kmin_per_bps) },
	{ "kmax", PARAMETER_BYTES, OF_CLASS(kmax_bytes), .max = ROCE_BYTES_MAX,
	  .clears = AT(classes[0].kmax_per_bps) },
	{ "pmax", PARAMETER_NUMBER, OF_CLASS(pmax_ppm), .max = PMAX_PPM_MAX, .unit = "ppm" },
	{ "queue", PARAMETER_BYTES, OF_CLASS(queue_bytes_max), .max = ROCE_BYTES_MAX },
	{ "xoff", PARAMETER_BYTES, OF_CLASS(xoff_bytes), .max = ROCE_BYTES_MAX },
	{ "xon-offset", PARAMETER_BYTES, OF_CLASS(xon_offset_bytes), .max = ROCE_BYTES_MAX },
	{ "alpha", PARAMETER_NUMBER, OF_CLASS(alpha_permille), .max = ROCE_ALPHA_PERMILLE_MAX,
	  .unit = "permille" },
	{ "watchdog", PARAMETER_US, AT(watchdog_ps), .min = 1, .max = TIME_US_MAX },
	{ "supplement-period", PARAMETER_US, AT(increase_period_ps), .min = 1, .max = TIME_US_MAX },
	{ "reference", PARAMETER_NUMBER, AT(reference_permille), .min = REFERENCE_PERMILLE_MIN,
	  .max = REFERENCE_PERMILLE_MAX, .unit = "permille of kmax" },
	{ "path-high", PARAMETER_BYTES, AT(path_high_bytes), .max = ROCE_BYTES_MAX,
	  .clears = AT(path_per_bps) },
	{ "path-low", PARAMETER_BYTES, AT(path_low_bytes), .max = ROCE_BYTES_MAX,
	  .clears = AT(path_per_bps) },
	{ .name = NULL },
};

const struct switch_settings ethernet_settings = {
	.parameters = parameters,
	.offset = offsetof(struct ethernet, roce),
	.bytes = sizeof(struct roce_config),
	.check = settings_check,
	.changed = settings_changed,
};
