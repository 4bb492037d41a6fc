#include "switchd/flow_channel/input_load.h"

/* @bytes of @elapsed_ps, had it been one window */
static uint64_t scaled(uint64_t bytes, node_time_t window_ps, node_time_t elapsed_ps)
{
	return (uint64_t)((unsigned __int128)bytes * (uint64_t)window_ps / (uint64_t)elapsed_ps);
}

static void window_end(struct input_load *input_load, node_time_t window_ps, node_time_t now)
{
	node_time_t elapsed_ps = now - input_load->since_ps;

	if (elapsed_ps <= 0 || elapsed_ps < window_ps)
		return;
	input_load->last_bytes = scaled(input_load->bytes, window_ps, elapsed_ps);
	input_load->last_mixed_bytes = scaled(input_load->mixed_bytes, window_ps, elapsed_ps);
	input_load->last_hosts = input_load->hosts;
	input_load->since_ps = now;
	input_load->bytes = input_load->mixed_bytes = input_load->hosts = 0;
}

void input_load_add(struct input_load *input_load, uint64_t bytes, uint32_t host,
		    node_time_t window_ps, node_time_t now)
{
	window_end(input_load, window_ps, now);
	input_load->bytes += bytes;
	input_load->mixed_bytes += host == input_load->host ? 0 : bytes;
	input_load->hosts |= 1ull << (host * 0x9e3779b1u >> 26);
	input_load->host = host;
}

bool input_load_is_oldest(struct input_load *input_load, uint32_t host, node_time_t absence_ps,
			  node_time_t now)
{
	if (!input_load->oldest_at_ps || now - input_load->oldest_at_ps > absence_ps)
		input_load->oldest = host;
	if (host != input_load->oldest)
		return false;
	input_load->oldest_at_ps = now;
	return true;
}

uint64_t input_load_bytes(const struct input_load *input_load, node_time_t window_ps,
			  node_time_t now)
{
	node_time_t elapsed_ps = now - input_load->since_ps;

	return elapsed_ps <= window_ps ? input_load->last_bytes
				       : scaled(input_load->bytes, window_ps, elapsed_ps);
}

bool input_load_is_full(const struct input_load *input_load, uint64_t full_bytes)
{
	return input_load->last_bytes >= full_bytes / 8 * 7 &&
	       input_load->last_mixed_bytes >= input_load->last_bytes / 4;
}
