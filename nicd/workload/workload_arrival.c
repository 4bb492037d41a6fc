#include "nicd/workload/workload_arrival.h"

#include "nodes/base/ensure.h"

static node_time_t later(node_time_t at, uint64_t ps)
{
	return at + ps < at ? NODE_TIME_NEVER : at + ps;
}

static uint64_t poisson_gap_ps(struct workload_arrival *arrival)
{
	uint64_t gap_ps = random_exponential_ps(&arrival->random, arrival->gap_ps);

	return gap_ps ? gap_ps : 1;
}

/* messages in flight on all connections, at most */
static uint32_t window_of(const struct workload_config *config)
{
	uint64_t window = (uint64_t)config->window * config->connections;

	return window < UINT32_MAX ? (uint32_t)window : UINT32_MAX;
}

void workload_arrival_init(struct workload_arrival *arrival, const struct workload_config *config,
			   uint64_t mean_ubytes, uint64_t rate_bps, uint64_t stream)
{
	*arrival = (struct workload_arrival){
		.kind = config->arrival,
		.window = window_of(config),
		.burst_messages = config->burst_messages,
		.burst_period_ps = config->burst_period_ps,
	};
	random_init(&arrival->random, config->seed, stream);
	workload_arrival_load(arrival, mean_ubytes, rate_bps, config->load_permille);
	workload_arrival_run_from(arrival, config, config->from_ps);
}

/* can there be a message at all? */
static bool is_empty(const struct workload_arrival *arrival, const struct workload_config *config)
{
	return (arrival->kind == ARRIVAL_CLOSED && !arrival->window) ||
	       (arrival->kind == ARRIVAL_BURST && !arrival->burst_messages) ||
	       ((arrival->kind == ARRIVAL_PACED || arrival->kind == ARRIVAL_POISSON) &&
		!config->load_permille);
}

void workload_arrival_run_from(struct workload_arrival *arrival,
			       const struct workload_config *config, node_time_t from)
{
	arrival->start_ps = node_time_max(later(from, config->start_ps), config->again_ps);
	arrival->stop_ps = config->stop_ps ? later(from, config->stop_ps) : NODE_TIME_NEVER;
	if (from == NODE_TIME_NEVER)
		arrival->stop_ps = 0;
	arrival->left = config->messages_max ? config->messages_max : UINT64_MAX;
	arrival->burst_left = arrival->burst_messages;
	arrival->carried = 0;
	arrival->due_ps = arrival->start_ps;
	if (arrival->kind == ARRIVAL_POISSON)
		arrival->due_ps = later(arrival->due_ps, poisson_gap_ps(arrival));
	if (is_empty(arrival, config) || arrival->due_ps >= arrival->stop_ps ||
	    (arrival->kind == ARRIVAL_CLOSED && arrival->in_flight >= arrival->window))
		arrival->due_ps = NODE_TIME_NEVER;
}

void workload_arrival_load(struct workload_arrival *arrival, uint64_t mean_ubytes,
			   uint64_t rate_bps, uint32_t load_permille)
{
	/* gap = bytes / 10^6 * 8 bits / (rate * load / 1000) seconds, in picoseconds */
	unsigned __int128 parts = (unsigned __int128)mean_ubytes * 8 * (NODE_S / 1000);
	uint64_t whole = load_permille ? rate_bps * load_permille : 1;
	unsigned __int128 gap_ps = parts / whole;

	arrival->carried = 0;
	arrival->gap_whole = whole;
	arrival->gap_ps = gap_ps < NODE_TIME_NEVER ? (uint64_t)gap_ps : NODE_TIME_NEVER;
	arrival->gap_part = (uint64_t)(parts % whole);
	if (!arrival->gap_ps) {
		arrival->gap_ps = 1;
		arrival->gap_part = 0;
	}
}

static uint64_t paced_gap_ps(struct workload_arrival *arrival)
{
	arrival->carried += arrival->gap_part;
	if (arrival->carried < arrival->gap_whole)
		return arrival->gap_ps;
	arrival->carried -= arrival->gap_whole;
	return later(arrival->gap_ps, 1);
}

/* there is one burst only if it has no period */
static node_time_t burst_next(struct workload_arrival *arrival, node_time_t due)
{
	if (--arrival->burst_left)
		return due;
	arrival->burst_left = arrival->burst_messages;
	return arrival->burst_period_ps ? later(due, arrival->burst_period_ps) : NODE_TIME_NEVER;
}

static node_time_t next_due(struct workload_arrival *arrival, node_time_t due)
{
	switch (arrival->kind) {
	case ARRIVAL_PACED:
		return later(due, paced_gap_ps(arrival));
	case ARRIVAL_POISSON:
		return later(due, poisson_gap_ps(arrival));
	case ARRIVAL_BURST:
		return burst_next(arrival, due);
	case ARRIVAL_CLOSED:
		return arrival->in_flight < arrival->window ? due : NODE_TIME_NEVER;
	case ARRIVAL_KINDS:
		break;
	}
	return NODE_TIME_NEVER;
}

node_time_t workload_arrival_take(struct workload_arrival *arrival)
{
	node_time_t due = arrival->due_ps, next;

	ENSURE(arrival->left, !=, 0u);
	arrival->in_flight++;
	arrival->left--;
	next = next_due(arrival, due);
	arrival->due_ps = arrival->left && next < arrival->stop_ps ? next : NODE_TIME_NEVER;
	return due;
}

void workload_arrival_on_sent(struct workload_arrival *arrival, node_time_t at)
{
	ENSURE(arrival->in_flight, !=, 0u);
	arrival->in_flight--;
	if (arrival->kind == ARRIVAL_CLOSED && arrival->left && at < arrival->stop_ps)
		arrival->due_ps =
			node_time_min(arrival->due_ps, node_time_max(at, arrival->start_ps));
}
