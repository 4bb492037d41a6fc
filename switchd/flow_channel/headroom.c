#include "switchd/flow_channel/headroom.h"

#include "nodes/base/ensure.h"

/* more than any input buffer has: only a false peer gives, or overdraws, so much */
#define HEADROOM_UNITS_MAX (1 << 24)

uint32_t headroom_start(struct ifct_entry *flow)
{
	flow->um = true;
	flow->committed_units = (int32_t)ifct_queue_extent(flow);
	return headroom_again(flow);
}

uint32_t headroom_again(struct ifct_entry *flow)
{
	int32_t queued = (int32_t)ifct_queue_extent(flow), total = (int32_t)ifct_total_extent(flow);
	int32_t coming = flow->committed_units - queued;

	if (coming < -total) /* the value of an ACK is not negative */
		coming = -total;
	flow->committed_units = queued + coming;
	return (uint32_t)(total + coming);
}

/* by how much credit differs from its packet: an eighth, at least a unit (ours) */
static uint32_t little(uint32_t units)
{
	return (units + 7) / 8;
}

/* by the water levels alone */
static uint32_t credit_at(const struct congestion_setting *setting, uint32_t queued, uint32_t units)
{
	if (queued > setting->high_units)
		return 0;
	if (queued > setting->target_units)
		return units - little(units);
	return units + little(units);
}

/* No more than the maximum queue_extent of the flow, and than the free buffer allows, with the
 * packet that overdraws it. */
static uint32_t credit_within(const struct ifct_entry *flow, uint32_t credit, uint32_t most_units,
			      uint32_t free_units, uint32_t mtu_units)
{
	uint32_t usable_units = free_units >= mtu_units ? free_units - (mtu_units - 1) : 0;
	int64_t most = (int64_t)ifct_queue_extent(flow) + usable_units;

	if (most > most_units)
		most = most_units;
	most -= flow->committed_units;
	return most <= 0 ? 0 : most < credit ? (uint32_t)most : credit;
}

uint32_t headroom_on_forward(struct ifct_entry *flow, const struct congestion_setting *setting,
			     uint32_t units, uint32_t free_units, uint32_t mtu_units)
{
	uint32_t queued = ifct_queue_extent(flow), credit;

	ENSURE(flow->um & 1, ==, 1);
	flow->committed_units -= (int32_t)units;
	if (flow->committed_units < -HEADROOM_UNITS_MAX)
		flow->committed_units = -HEADROOM_UNITS_MAX;
	if (!queued || queued < setting->drop_units) {
		flow->um = false;
		flow->committed_units = 0;
		return HEADROOM_END;
	}
	credit = credit_within(flow, credit_at(setting, queued, units), setting->queue_extent_units,
			       free_units, mtu_units);
	ENSURE(credit, <=, units + little(units));
	flow->committed_units += (int32_t)credit;
	return credit;
}

bool headroom_credited(bool metered, int32_t *headroom, uint32_t credit, uint32_t downstream_units)
{
	if (credit == HEADROOM_END) {
		*headroom = 0;
		return false;
	}
	*headroom =
		metered ? *headroom + (int32_t)credit : (int32_t)credit - (int32_t)downstream_units;
	if (*headroom > HEADROOM_UNITS_MAX)
		*headroom = HEADROOM_UNITS_MAX;
	return true;
}

void headroom_on_ack(struct ifct_entry *flow, uint32_t credit, uint32_t downstream_units)
{
	flow->dm = headroom_credited(flow->dm, &flow->headroom, credit, downstream_units);
}
