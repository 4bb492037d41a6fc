#include "switchd/roce_queue.h"

void roce_queue_init(struct roce_queue *queue, const struct roce_config *roce, uint32_t traffic_class,
		     struct class_stats *stats)
{
	*queue = (struct roce_queue){ .roce = roce, .class = &roce->classes[traffic_class], .stats = stats };
}

static void enter(struct roce_queue *queue, enum roce_state state, node_time_t now)
{
	struct class_stats *stats = queue->stats;

	queue->state = state;
	stats->state = state;
	if (state > stats->state_max)
		stats->state_max = state;
	if (state == ROCE_ECN_FAILED && !stats->ecn_failed_ps)
		stats->ecn_failed_ps = now;
	if (state == ROCE_CNP_FAILED && !stats->cnp_failed_ps)
		stats->cnp_failed_ps = now;
}

static void on_short(struct roce_queue *queue, bool paused, node_time_t now)
{
	if (queue->state != ROCE_ECN_NORMAL)
		enter(queue, ROCE_ECN_NORMAL, now);
	else if (!paused)
		return;
	queue->calm_since_ps = now;
}

static void on_long(struct roce_queue *queue, node_time_t now)
{
	node_time_t period_ps = queue->roce->increase_period_ps;

	if (queue->state == ROCE_ECN_NORMAL) {
		queue->tried &= now - queue->calm_since_ps < period_ps;
		queue->above_since_ps = now;
		enter(queue, queue->tried ? ROCE_CNP_FAILED : ROCE_ECN_FAILED, now);
	} else if (queue->state == ROCE_ECN_FAILED && queue->roce->supplement &&
		   now - queue->above_since_ps >= period_ps) {
		queue->tried = true;
		enter(queue, ROCE_CNP_FAILED, now);
	}
}

void roce_queue_on_length(struct roce_queue *queue, uint64_t bytes, bool paused, node_time_t now)
{
	if (bytes > roce_queue_reference_bytes(queue))
		on_long(queue, now);
	else
		on_short(queue, paused, now);
}

bool roce_queue_supplements(const struct roce_queue *queue, const struct flow_line *line, node_time_t now)
{
	return queue->roce->supplement && queue->state != ROCE_ECN_NORMAL &&
	       line->queue_pair != FLOW_QUEUE_PAIR_UNKNOWN &&
	       now - node_time_max(line->first_ps, line->cnp_ps) >= queue->roce->increase_period_ps;
}

void roce_queue_on_supplement(struct roce_queue *queue, struct flow_line *line, node_time_t now)
{
	line->cnp_ps = now;
	line->cnps_supplemented++;
	queue->stats->cnps_supplemented++;
}
