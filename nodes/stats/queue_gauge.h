/*  queue_gauge - how much waits for an output port, over time: now, at most, and on average
 *  (TB-13).
 *
 *  A packet counts from its request (its header reaches the output port before its payload, FC-11)
 *  until it is put on the link, so the gauge shows the load to come. The integral is kept in bytes
 *  times nanoseconds with its remainder, exactly; it stays at its largest value, which 10 GB reach
 *  in 1.8 s. */
#ifndef HEDDLE_NODES_STATS_QUEUE_GAUGE_H
#define HEDDLE_NODES_STATS_QUEUE_GAUGE_H

#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/base/number.h"
#include "nodes/base/time.h"
#include "nodes/stats/stats.h"

struct queue_gauge {
	uint64_t bytes;
	node_time_t since_ps; /* of the present value */
	/* of the integral, byte picoseconds below one byte nanosecond */
	uint64_t remainder;
	node_time_t from_ps, to_ps; /* the measured interval */
};

/** queue_gauge_of() - nothing waits; the interval that @config measures. */
static inline struct queue_gauge queue_gauge_of(const struct node_config *config)
{
	return (struct queue_gauge){ .from_ps = config->measure_from_ps,
				     .to_ps = config->measure_to_ps };
}

/** queue_gauge_integrate() - adds the present value up to @now to the integral *@byte_ns_sum. */
static inline void queue_gauge_integrate(struct queue_gauge *gauge, uint64_t *byte_ns_sum,
					 node_time_t now)
{
	node_time_t begin = node_time_max(gauge->since_ps, gauge->from_ps);
	node_time_t end = node_time_min(now, gauge->to_ps);
	uint64_t rest, sum;

	gauge->since_ps = now;
	if (end <= begin || !gauge->bytes)
		return;
	/* whole nanoseconds apart: a queue may stand for minutes, and bytes times picoseconds would
	 * not fit */
	rest = gauge->bytes * ((end - begin) % NODE_NS) + gauge->remainder;
	if (__builtin_mul_overflow(gauge->bytes, (end - begin) / NODE_NS, &sum) ||
	    __builtin_add_overflow(sum, rest / NODE_NS, &sum) ||
	    __builtin_add_overflow(sum, *byte_ns_sum, &sum))
		sum = UINT64_MAX;
	*byte_ns_sum = sum;
	gauge->remainder = rest % NODE_NS;
}

/** queue_gauge_settle() - the same, to that in @stats. */
static inline void queue_gauge_settle(struct queue_gauge *gauge, struct port_stats *stats,
				      node_time_t now)
{
	queue_gauge_integrate(gauge, &stats->queue_byte_ns_sum, now);
}

/* @bytes more wait from @now on, and the three numbers that statistics have of it */
static inline void queue_gauge_change(struct queue_gauge *gauge, int64_t bytes, node_time_t now,
				      uint64_t *byte_ns_sum, uint64_t *queue_bytes,
				      uint64_t *queue_bytes_max)
{
	queue_gauge_integrate(gauge, byte_ns_sum, now);
	gauge->bytes += (uint64_t)bytes;
	ENSURE((int64_t)gauge->bytes, >=, 0);
	*queue_bytes = gauge->bytes;
	*queue_bytes_max = number_max(*queue_bytes_max, gauge->bytes);
}

/** queue_gauge_add() - @bytes more (or, negative, less) wait from @now on. */
static inline void queue_gauge_add(struct queue_gauge *gauge, struct port_stats *stats,
				   int64_t bytes, node_time_t now)
{
	queue_gauge_change(gauge, bytes, now, &stats->queue_byte_ns_sum, &stats->queue_bytes,
			   &stats->queue_bytes_max);
}

/** queue_gauge_add_class() - the same for the queue of one class. */
static inline void queue_gauge_add_class(struct queue_gauge *gauge, struct class_stats *stats,
					 int64_t bytes, node_time_t now)
{
	queue_gauge_change(gauge, bytes, now, &stats->queue_byte_ns_sum, &stats->queue_bytes,
			   &stats->queue_bytes_max);
}

#endif
