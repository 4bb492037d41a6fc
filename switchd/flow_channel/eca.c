#include "switchd/flow_channel/eca.h"

#include "nodes/base/ensure.h"
#include "nodes/base/units.h"

void eca_init(struct eca *eca, const struct congestion_config *config)
{
	*eca = (struct eca){ .config = config, .period_end_ps = config->dbf_clk_cnt * NODE_NS };
}

static uint32_t factor(uint64_t value, uint64_t thresh, uint32_t shift)
{
	uint64_t above = value > thresh ? (value - thresh) >> shift : 0;

	return above < ECA_MAX ? (uint32_t)above : ECA_MAX;
}

static uint32_t depth(const struct eca *eca)
{
	return (uint32_t)(eca->qu_bytes / UNIT_BYTES);
}

/* The depth was what it is now at the end of every period that has ended: in the first of them it
 * may have risen, in later ones it has not. */
static void advance(struct eca *eca, node_time_t now)
{
	node_time_t period_ps = eca->config->dbf_clk_cnt * NODE_NS;
	uint32_t now_units = depth(eca);

	if (now < eca->period_end_ps)
		return;
	eca->dbf = now - eca->period_end_ps < period_ps && now_units > eca->config->dbf_thresh_units
			   ? factor(now_units, eca->qu_depth_old, eca->config->dbf_shift)
			   : 0;
	eca->qu_depth_old = now_units;
	eca->period_end_ps += ((now - eca->period_end_ps) / period_ps + 1) * period_ps;
}

uint32_t eca_factor(struct eca *eca, node_time_t now)
{
	const struct congestion_config *config = eca->config;
	uint32_t lbf = factor(depth(eca), config->lbf_thresh_units, config->lbf_shift);
	uint32_t lpf = factor(eca->qu_pkt, config->lpf_thresh, config->lpf_shift);
	uint32_t most = lbf > lpf ? lbf : lpf;

	advance(eca, now);
	return most > eca->dbf ? most : eca->dbf;
}

uint32_t eca_enqueue(struct eca *eca, uint32_t bytes, node_time_t now)
{
	advance(eca, now);
	eca->qu_bytes += bytes;
	eca->qu_pkt++;
	return eca_factor(eca, now);
}

uint32_t eca_dequeue(struct eca *eca, uint32_t bytes, node_time_t now)
{
	uint32_t before = eca_factor(eca, now);

	ENSURE(eca->qu_bytes, >=, bytes);
	ENSURE(eca->qu_pkt, >, 0u);
	eca->qu_bytes -= bytes;
	eca->qu_pkt--;
	return before;
}
