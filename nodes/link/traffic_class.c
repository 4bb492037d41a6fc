#include "nodes/link/traffic_class.h"

#include "nodes/base/ensure.h"

/* @permille of @rate_bps, rounded down to whole b/s */
static uint64_t share_of(uint64_t rate_bps, uint32_t permille)
{
	return rate_bps * permille / 1000;
}

static void minimum_set(struct class_share *share, uint64_t min_bps)
{
	share->min_bps = min_bps;
	share->min_burst_ps = min_bps ? node_time_of_bytes(CLASS_BURST_BYTES, min_bps) : 0;
}

void class_scheduler_init(struct class_scheduler *scheduler, uint32_t class_count,
			  const struct class_config *classes, uint64_t rate_bps)
{
	*scheduler = (struct class_scheduler){ .class_count = class_count };
	for (uint32_t c = 0; c < class_count; c++) {
		struct class_share *share = &scheduler->share[c];

		minimum_set(share, share_of(rate_bps, classes[c].min_permille));
		share->max_bps = classes[c].max_permille < 1000
					 ? share_of(rate_bps, classes[c].max_permille)
					 : 0;
		share->weight = classes[c].min_permille ? classes[c].min_permille : 1;
		if (share->max_bps)
			share->max_burst_ps = node_time_of_bytes(CLASS_BURST_BYTES, share->max_bps);
	}
	scheduler->unshared = class_count == 1 && !scheduler->share[0].max_bps;
}

void class_scheduler_init_node(struct class_scheduler *scheduler, const struct node_config *config,
			       uint64_t rate_bps)
{
	struct class_share *cnps = &scheduler->share[config->roce.cnp_class];
	uint64_t cnps_bps = share_of(rate_bps, CLASS_CNP_PERMILLE);
	bool any = false;

	class_scheduler_init(scheduler, config->class_count, config->classes, rate_bps);
	for (uint32_t c = 0; c < config->class_count; c++)
		any |= scheduler->share[c].min_bps != 0;
	if (config->fabric == FABRIC_ROCE && any && cnps->min_bps < cnps_bps)
		minimum_set(cnps, cnps_bps);
}

/* was less lent by count @a than by count @b? Counts of long runs wrap; they differ by a burst over
 * weight at most. */
static bool is_less(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

static bool entitled(const struct class_share *share, node_time_t now)
{
	return share->min_bps && share->min_due_ps <= now;
}

int class_scheduler_pick_shared(const struct class_scheduler *scheduler, uint32_t ready,
				node_time_t now, node_time_t *retry_at)
{
	int best = -1;
	bool best_entitled = false;

	ENSURE(ready >> scheduler->class_count, ==, 0u);
	for (; ready; ready &= ready - 1) {
		int c = __builtin_ctz(ready);
		const struct class_share *share = &scheduler->share[c],
					 *other = &scheduler->share[best < 0 ? c : best];
		bool first = entitled(share, now);

		if (share->max_bps && share->max_due_ps > now) {
			*retry_at = node_time_min(*retry_at, share->max_due_ps);
			continue;
		}
		if (best < 0 || first > best_entitled ||
		    (first && best_entitled && share->min_due_ps < other->min_due_ps) ||
		    (!first && !best_entitled && is_less(share->lent, other->lent))) {
			best = c;
			best_entitled = first;
		}
	}
	return best;
}

/* the due time after one for @bytes at @bps, at most a burst before @now */
static node_time_t next_due(node_time_t due, node_time_t burst, uint64_t bps, uint32_t bytes,
			    node_time_t now)
{
	node_time_t earliest = now > burst ? now - burst : 0;

	return node_time_max(due, earliest) + node_time_of_bytes(bytes, bps);
}

/* Of the classes that had something to send, the lent one had got least. A class that had nothing
 * may have got less: it saves up no more than a burst. */
static void lend(struct class_scheduler *scheduler, uint32_t traffic_class, uint32_t bytes)
{
	struct class_share *share = &scheduler->share[traffic_class];

	for (uint32_t c = 0; c < scheduler->class_count; c++) {
		struct class_share *other = &scheduler->share[c];
		uint64_t arrears = (uint64_t)CLASS_BURST_BYTES * 1000 / other->weight;

		if (is_less(other->lent + arrears, share->lent))
			other->lent = share->lent - arrears;
	}
	share->lent += (uint64_t)bytes * 1000 / share->weight;
}

void class_scheduler_sent(struct class_scheduler *scheduler, uint32_t traffic_class, uint32_t bytes,
			  node_time_t now)
{
	struct class_share *share = &scheduler->share[traffic_class];
	bool was_entitled = entitled(share, now);

	if (scheduler->unshared)
		return;
	if (share->min_bps && was_entitled)
		share->min_due_ps = next_due(share->min_due_ps, share->min_burst_ps, share->min_bps,
					     bytes, now);
	if (share->max_bps)
		share->max_due_ps = next_due(share->max_due_ps, share->max_burst_ps, share->max_bps,
					     bytes, now);
	if (!was_entitled)
		lend(scheduler, traffic_class, bytes);
}
