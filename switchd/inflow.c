#include "switchd/inflow.h"

/* @bytes of @elapsed_ps, had it been one window */
static uint64_t scaled(uint64_t bytes, node_time_t window_ps, node_time_t elapsed_ps)
{
	return (uint64_t)((unsigned __int128)bytes * (uint64_t)window_ps / (uint64_t)elapsed_ps);
}

static void window_end(struct inflow *inflow, node_time_t window_ps, node_time_t now)
{
	node_time_t elapsed_ps = now - inflow->since_ps;

	if (elapsed_ps <= 0 || elapsed_ps < window_ps)
		return;
	inflow->last_bytes = scaled(inflow->bytes, window_ps, elapsed_ps);
	inflow->last_mixed_bytes = scaled(inflow->mixed_bytes, window_ps, elapsed_ps);
	inflow->last_hosts = inflow->hosts;
	inflow->since_ps = now;
	inflow->bytes = inflow->mixed_bytes = inflow->hosts = 0;
}

void inflow_add(struct inflow *inflow, uint64_t bytes, uint32_t host, node_time_t window_ps, node_time_t now)
{
	window_end(inflow, window_ps, now);
	inflow->bytes += bytes;
	inflow->mixed_bytes += host == inflow->host ? 0 : bytes;
	inflow->hosts |= 1ull << (host * 0x9e3779b1u >> 26);
	inflow->host = host;
}

bool inflow_is_tenant(struct inflow *inflow, uint32_t host, node_time_t absence_ps, node_time_t now)
{
	if (!inflow->tenant_at_ps || now - inflow->tenant_at_ps > absence_ps)
		inflow->tenant = host;
	if (host != inflow->tenant)
		return false;
	inflow->tenant_at_ps = now;
	return true;
}

uint64_t inflow_bytes(const struct inflow *inflow, node_time_t window_ps, node_time_t now)
{
	node_time_t elapsed_ps = now - inflow->since_ps;

	return elapsed_ps <= window_ps ? inflow->last_bytes : scaled(inflow->bytes, window_ps, elapsed_ps);
}

bool inflow_is_full(const struct inflow *inflow, uint64_t full_bytes)
{
	return inflow->last_bytes >= full_bytes / 8 * 7 && inflow->last_mixed_bytes >= inflow->last_bytes / 4;
}
