/*  traffic_class - which class may send next on a link: minimum and maximum shares (FC-19).
 *
 *  Each class has two due times instead of tokens: `min_due`, when its guaranteed share entitles it
 *  to the next packet, and `max_due`, before which its maximum forbids one. A class past min_due
 *  goes first, the longest overdue of them. The minima add up to at most the link, so all are met.
 *  Spare capacity is lent to the class that got least of it so far in proportion to its minimum. No
 *  class is picked before its max_due. Both times are at most a burst before `now`, so an idle
 *  class saves up no more than that. */
#ifndef HEDDLE_NODES_LINK_TRAFFIC_CLASS_H
#define HEDDLE_NODES_LINK_TRAFFIC_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/config.h"

#define CLASS_BURST_BYTES 18432u /* two jumbo frames */
#define CLASS_CNP_PERMILLE 10u

struct class_share {
	uint64_t min_bps, max_bps; /* 0: no minimum; max_bps 0: no maximum but the link */
	node_time_t min_due_ps, max_due_ps;
	node_time_t min_burst_ps, max_burst_ps;
	uint64_t lent; /* bytes lent, over weight; wraps */
	uint32_t weight;
};

struct class_scheduler {
	uint32_t class_count;
	bool unshared; /* one class without a maximum: there is nothing to arrange */
	struct class_share share[NODE_CLASSES_MAX];
};

/** class_scheduler_init() - @classes  shares of a link of @rate_bps. */
void class_scheduler_init(struct class_scheduler *scheduler, uint32_t class_count,
			  const struct class_config *classes, uint64_t rate_bps);

/** class_scheduler_init_node() - the same for a link of the node that @config is of. In a fabric of
 *  kind roce the class of CNPs has CLASS_CNP_PERMILLE of it at least, beside the minima of the
 *  others, which may add up to all of it: CNPs are few, and without them nothing ends congestion
 *  (ours; switches are set up to send them first of all). */
void class_scheduler_init_node(struct class_scheduler *scheduler, const struct node_config *config,
			       uint64_t rate_bps);

/** class_set_of_lanes() - the classes that have a virtual lane in the set @lanes; each class has
 *  @lanes_each of them. O(lanes in the set). */
static inline uint32_t class_set_of_lanes(uint32_t lanes, uint32_t lanes_each)
{
	uint32_t classes = 0;

	if (lanes_each == 1)
		return lanes;
	for (; lanes; lanes &= lanes - 1)
		classes |= 1u << (uint32_t)__builtin_ctz(lanes) / lanes_each;
	return classes;
}

/* the part of class_scheduler_pick() that is not for a single class */
int class_scheduler_pick_shared(const struct class_scheduler *scheduler, uint32_t ready,
				node_time_t now, node_time_t *retry_at);

/** class_scheduler_pick() - of the classes in @ready (a bit each), the one to send now.
 *  Return: the class; -1 if none may, then *@retry_at is when one of them may (NODE_TIME_NEVER if
 *  @ready is 0). O(classes).
 */
static inline int class_scheduler_pick(const struct class_scheduler *scheduler, uint32_t ready,
				       node_time_t now, node_time_t *retry_at)
{
	*retry_at = NODE_TIME_NEVER;
	if (scheduler->unshared)
		return ready ? 0 : -1;
	return class_scheduler_pick_shared(scheduler, ready, now, retry_at);
}

/** class_scheduler_sent() - @traffic_class was picked and takes @bytes of the link (gap included)
 *  from @now on. */
void class_scheduler_sent(struct class_scheduler *scheduler, uint32_t traffic_class, uint32_t bytes,
			  node_time_t now);

#endif
