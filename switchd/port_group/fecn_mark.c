#include "switchd/port_group/fecn_mark.h"

#include "nodes/base/units.h"

static uint64_t units_carried(uint64_t rate_bps, node_time_t span_ps)
{
	return (uint64_t)((unsigned __int128)rate_bps * span_ps / (8 * NODE_S * UNIT_BYTES));
}

static void look(struct fecn_mark *mark, uint32_t units, uint64_t rate_bps, node_time_t window_ps,
		 node_time_t now)
{
	node_time_t span_ps = now - mark->seen_ps;

	if (span_ps < window_ps)
		return;
	mark->falling =
		span_ps < FECN_IDLE_WINDOWS * window_ps &&
		units + units_carried(rate_bps, span_ps) / FECN_DRAIN_PARTS <= mark->seen_units;
	mark->seen_units = units;
	mark->seen_ps = now;
}

void fecn_mark_on_packet(struct fecn_mark *mark, uint32_t slid, uint32_t units, uint64_t rate_bps,
			 node_time_t window_ps, node_time_t now)
{
	if (mark->slid && slid != mark->slid) {
		mark->mixed = true;
		mark->mixed_ps = now;
	}
	mark->slid = slid;
	look(mark, units, rate_bps, window_ps, now);
}
