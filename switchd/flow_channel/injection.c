#include "switchd/flow_channel/injection.h"

#include "nodes/base/ensure.h"
#include "nodes/base/units.h"

void injection_init(struct injection *injection, const struct congestion_config *config)
{
	uint32_t row = 0, count = congestion_setting_count(config);

	*injection = (struct injection){ .config = config };
	for (uint32_t eca = 0; eca < 256; eca++) {
		while (row + 1 < count && config->settings[row + 1].eca_min <= eca)
			row++;
		injection->setting_of[eca] = (uint8_t)row;
	}
	for (row = 0; row < CONGESTION_SETTINGS; row++) {
		const struct congestion_setting *setting = &config->settings[row];

		/* the first is full speed: no need to count */
		injection->byte_ps[row] = row && config->rate_limit && setting->rate_bps
						  ? 8 * NODE_S / setting->rate_bps
						  : 0;
		injection->byte_time_ps[row] = setting->byte_time_ps << setting->byte_time_scale;
	}
}

/* EC-8: at a port and with a setting that has limit-after-ack */
static bool limits_after_ack(const struct injection *injection, const struct ifct_entry *flow,
			     bool ingress)
{
	return ingress && injection_setting(injection, flow)->limit_after_ack &&
	       injection->config->limit_after_ack;
}

/* above the limit. A flow that must leave its output (BLOCK_FOR_REDIRECT) waits anyway, and must
 * not forget it. */
static void block_until_empty(const struct injection *injection, struct ifct_entry *flow,
			      bool ingress)
{
	if (flow->fc_state == RUNNING && limits_after_ack(injection, flow, ingress) &&
	    ifct_flow_extent(flow) > injection_setting(injection, flow)->flow_extent_units)
		flow->fc_state = BLOCK_UNTIL_EMPTY;
}

void injection_on_eca(const struct injection *injection, struct ifct_entry *flow, uint32_t factor,
		      bool ingress)
{
	ENSURE(factor, >, 0u);
	ENSURE(factor, <=, (uint32_t)UINT8_MAX);
	flow->ep_congestion = (uint8_t)factor;
	flow->setting = injection->setting_of[flow->ep_congestion];
	block_until_empty(injection, flow, ingress);
}

void injection_on_ack(const struct injection *injection, struct ifct_entry *flow, uint32_t units,
		      bool clears, bool ingress, node_time_t now)
{
	bool leaves = flow->fc_state == BLOCK_FOR_REDIRECT;
	node_time_t wake_up_ps;

	if (clears) {
		flow->ep_congestion = 0;
		flow->setting = 0;
		flow->wake_up_ps = 0;
	}
	if (flow->fc_state == RUNNING || ((leaves || !clears) && ifct_flow_extent(flow)))
		return;
	if (!leaves)
		flow->fc_state = RUNNING;
	wake_up_ps = now + (uint64_t)units * UNIT_BYTES * injection->byte_time_ps[flow->setting];
	if (!clears && !leaves)
		flow->wake_up_ps = wake_up_ps;
	else if (!clears && limits_after_ack(injection, flow, ingress))
		flow->wake_up_ps = node_time_max(flow->wake_up_ps, wake_up_ps);
}

enum injection_verdict injection_check(const struct injection *injection,
				       const struct ifct_entry *flow, node_time_t now)
{
	if (flow->fc_state != RUNNING)
		return INJECTION_EMPTY;
	if (injection->config->flow_limit &&
	    ifct_flow_extent(flow) > injection_setting(injection, flow)->flow_extent_units)
		return INJECTION_EXTENT;
	return now < flow->wake_up_ps ? INJECTION_LATER : INJECTION_GO;
}

void injection_forwarded(const struct injection *injection, struct ifct_entry *flow,
			 uint32_t frame_bytes, bool ingress, node_time_t requested_ps)
{
	if (injection->byte_ps[flow->setting])
		flow->wake_up_ps = node_time_max(requested_ps, flow->wake_up_ps) +
				   (uint64_t)frame_bytes * injection->byte_ps[flow->setting];
	block_until_empty(injection, flow, ingress);
}
