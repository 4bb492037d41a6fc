#include "switchd/ethernet/ethernet_set.h"

#include <errno.h>
#include <inttypes.h>

#include "nodes/wire/frame.h"
#include "switchd/ethernet/ethernet.h"
#include "switchd/ethernet/ethernet_path.h"
#include "switchd/ethernet/ethernet_queue.h"

/* kmin and kmax for different rates may be in order at some ports only */
static int markings_check(const struct ethernet *eth, const struct roce_config *roce,
			  struct why *why)
{
	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		for (uint32_t c = 0; c < eth->sw.class_count; c++) {
			uint64_t kmin_bytes, kmax_bytes;

			roce_marking_at(&roce->classes[c], eth->sw.config->ports[p].rate_bps,
					eth->ports[p].mtu_bytes + FRAME_FCS_BYTES, &kmin_bytes,
					&kmax_bytes);
			if (kmin_bytes <= kmax_bytes)
				continue;
			return why_say(why, -EINVAL,
				       "at p%u kmin would be %" PRIu64 ", more than kmax, %" PRIu64,
				       p, kmin_bytes, kmax_bytes);
		}
	return 0;
}

static int settings_check(const void *dataplane, const void *changed, struct why *why)
{
	const struct ethernet *eth = dataplane;
	int error = roce_config_check(changed, eth->sw.class_count, why);

	return error ? error : markings_check(eth, changed, why);
}

static void settings_changed(void *dataplane, node_time_t now)
{
	struct ethernet *eth = dataplane;

	for (uint32_t p = 0; p < eth->sw.port_count; p++)
		ethernet_queue_levels(eth, p);
	ethernet_path_periods(eth, now);
}

const struct switch_settings ethernet_settings = {
	.table = &roce_parameters,
	.offset = offsetof(struct ethernet, roce),
	.check = settings_check,
	.changed = settings_changed,
};
