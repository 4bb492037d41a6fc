#include "switchd/ethernet/roce_queue.h"

#include <stddef.h>

#include "nodes/base/ensure.h"

void roce_queue_init(struct roce_queue *queue, const struct roce_config *roce,
		     const struct roce_class_config *class, struct class_stats *stats)
{
	*queue = (struct roce_queue){ .roce = roce, .class = class, .stats = stats };
}

static void enter(struct roce_queue *queue, enum roce_state state, node_time_t now)
{
	struct class_stats *stats = queue->stats;

	ENSURE(state, !=, queue->state);
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

bool roce_queue_on_packet(struct roce_queue *queue, struct flow_line *line, node_time_t now)
{
	bool waits = line->queue_pair == FLOW_QUEUE_PAIR_UNKNOWN && !line->timer.list &&
		     line->first_ps != now;

	if (!queue->roce->supplement || line->timer.list == &queue->timers || waits)
		return false;
	flow_timer_restart(&line->timer, &queue->timers, now);
	return true;
}

static void note_cnp(struct roce_queue *queue, struct flow_line *line, node_time_t now)
{
	line->cnp_ps = now;
	if (queue->roce->supplement)
		flow_timer_restart(&line->timer, &queue->timers, now);
}

bool roce_queue_on_cnp(struct roce_queue *queue, struct flow_line *line, node_time_t now)
{
	bool stopped = !line->timer.list;

	note_cnp(queue, line, now);
	line->cnps_seen++;
	queue->stats->cnps_seen++;
	return stopped;
}

bool roce_queue_on_queue_pair(struct roce_queue *queue, struct flow_line *line)
{
	if (!queue->roce->supplement || line->timer.list)
		return false;
	flow_timer_expire(&line->timer, &queue->timers);
	return true;
}

node_time_t roce_queue_due_at(const struct roce_queue *queue)
{
	if (queue->state == ROCE_ECN_NORMAL)
		return NODE_TIME_NEVER;
	return flow_timers_due_at(&queue->timers, roce_queue_lacks_ps(queue->roce));
}

static struct flow_line *line_of(struct flow_timer *timer)
{
	return (struct flow_line *)((char *)timer - offsetof(struct flow_line, timer));
}

/* Has the flow of @line stopped feeding the queue, or can it get no CNP? */
static bool has_ended(const struct roce_queue *queue, const struct flow_line *line,
		      node_time_t oldest_ps)
{
	return line->queue_pair == FLOW_QUEUE_PAIR_UNKNOWN ||
	       line->seen_ps + queue->roce->idle_ps < oldest_ps;
}

struct flow_line *roce_queue_next(struct roce_queue *queue, node_time_t oldest_ps, node_time_t now)
{
	struct flow_line *line = line_of(queue->timers.oldest);

	if (line->pinned) {
		flow_timer_restart(&line->timer, &queue->timers, now);
		return NULL;
	}
	if (has_ended(queue, line, oldest_ps)) {
		flow_timer_stop(&line->timer);
		return NULL;
	}
	note_cnp(queue, line, now);
	line->cnps_supplemented++;
	queue->stats->cnps_supplemented++;
	return line;
}
