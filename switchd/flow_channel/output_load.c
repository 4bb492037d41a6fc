#include "switchd/flow_channel/output_load.h"

#include "nodes/base/number.h"

uint64_t output_load_last(const struct output_load_count *count, uint64_t window)
{
	if (count->window == window)
		return count->last_bytes;
	return count->window + 1 == window ? count->bytes : 0;
}

static void count_add(struct output_load_count *count, uint32_t bytes, uint64_t window)
{
	if (count->window != window)
		*count =
			(struct output_load_count){ .window = window,
						    .last_bytes = output_load_last(count, window) };
	count->bytes += bytes;
}

/* of the largest flow in the window before */
static uint64_t last_most(const struct output_load *out, uint64_t window)
{
	if (out->all.window == window)
		return out->last_most;
	return out->all.window + 1 == window ? out->most : 0;
}

void output_load_add(struct output_load *out, struct output_load_count *flow, uint32_t bytes,
		     uint64_t window)
{
	if (out->all.window != window) {
		out->last_most = last_most(out, window);
		out->most = 0;
	}
	count_add(&out->all, bytes, window);
	count_add(flow, bytes, window);
	out->most = number_max(out->most, flow->bytes);
}

void output_load_claim(struct output_load *out, uint64_t bytes, node_time_t until_ps,
		       node_time_t now)
{
	bool others = now < out->claim_until_ps;

	out->claim_bytes = bytes + (others ? out->claim_bytes : 0);
	out->claim_most = number_max(bytes, others ? out->claim_most : 0);
	out->claim_flows = 1 + (others ? out->claim_flows : 0);
	out->claim_until_ps = until_ps;
}

void output_load_leave(struct output_load *out, node_time_t until_ps, node_time_t now)
{
	out->left_flows = 1 + (now < out->left_until_ps ? out->left_flows : 0);
	out->left_until_ps = until_ps;
}

/* how many flows as large as the largest make @load */
static uint64_t large_flows(uint64_t load, uint64_t most)
{
	return most ? (load + most / 2) / most : 0;
}

/* bytes of the window before, or of this one, if they are more already */
static uint64_t load_now(const struct output_load *out, uint64_t window)
{
	uint64_t present = out->all.window == window ? out->all.bytes : 0;

	return number_max(output_load_last(&out->all, window), present);
}

uint64_t output_load_offer(const struct output_load *out, uint64_t full_bytes, uint64_t window,
			   node_time_t now)
{
	uint64_t load = load_now(out, window), most = last_most(out, window), room;

	if (now < out->claim_until_ps) {
		load += out->claim_bytes;
		most = number_max(most, out->claim_most);
	}
	room = full_bytes > load ? full_bytes - load : 0;
	return number_max(room, full_bytes / (large_flows(load, most) + 1));
}

uint64_t output_load_share(const struct output_load *out, uint64_t full_bytes, uint64_t window,
			   node_time_t now)
{
	uint64_t load = load_now(out, window), most = last_most(out, window);
	uint64_t room = full_bytes > load ? full_bytes - load : 0,
		 claims = now < out->claim_until_ps ? out->claim_flows : 0;

	return number_max(room / (claims + 1), full_bytes / (large_flows(load, most) + claims + 1));
}

uint64_t output_load_present(const struct output_load *out, const struct output_load_count *flow,
			     uint64_t full_bytes, uint64_t window, node_time_t now)
{
	uint64_t load = output_load_last(&out->all, window), own = output_load_last(flow, window);
	uint64_t flows = large_flows(load, last_most(out, window)),
		 left = now < out->left_until_ps ? out->left_flows : 0;

	if (!load)
		return 0;
	return number_max(own, full_bytes / ((flows > left ? flows - left : 0) + 1));
}

uint32_t output_load_large_flows(const struct output_load *out, uint64_t window)
{
	return (uint32_t)large_flows(output_load_last(&out->all, window), last_most(out, window));
}

bool output_load_is_most(const struct output_load *out, const struct output_load_count *flow,
			 uint64_t window)
{
	return output_load_last(flow, window) * 8 > output_load_last(&out->all, window) * 5;
}
