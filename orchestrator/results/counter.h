/*  counter - the numbers of statistics pages by the names that people use: 's2.p1.queue_bytes',
 *  'h3.delivered_bytes'.
 *
 *  NODE.PORT.COUNTER is a counter of struct port_stats. PORT is a number or the peer (port_name.h;
 *  with several links to it the sum). NODE.COUNTER is a counter of the whole node. Conditions
 *  compare one with a value: 's2.p1.queue_bytes > 10kB', 'now >= 60us'. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_COUNTER_H
#define HEDDLE_ORCHESTRATOR_RESULTS_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/stats/stats.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/plan/plan.h"

/* a counter of struct port_stats or of struct stats_page */
struct counter_name {
	const char *name;
	size_t offset;
	enum quantity_kind kind;
	bool congestion; /* of congestion control at a port: shown together, wherever ports are */
	bool moment;     /* a time; 0: never */
	/* of the choice among several paths: only in fabrics that have one (results_has_paths()) */
	bool paths;
	bool roce; /* only in fabrics of kind roce */
};

/* those of a port */
extern const struct counter_name port_counters[];
extern const size_t port_counter_count;

/* those of a traffic class of a port: of struct class_stats, fabric kind roce */
extern const struct counter_name class_counters[];
extern const size_t class_counter_count;

struct counter {
	bool now; /* the fabric's time; the other fields are unused then */
	uint32_t node;
	uint64_t ports; /* set; 0: of the whole node */
	size_t offset;  /* in port_stats or stats_page */
	enum quantity_kind kind;
};

struct condition {
	struct counter counter;
	bool less, equal, greater; /* the outcomes of the comparison that fulfil it */
	uint64_t value;
};

/** port_counter_value() - the value of @name, one of port_counters[], at a port. */
static inline uint64_t port_counter_value(const struct counter_name *name,
					  const struct port_stats *port)
{
	return *(const uint64_t *)((const char *)port + name->offset);
}

/** class_counter_value() - the value of @name, one of class_counters[], of a class of a port. */
static inline uint64_t class_counter_value(const struct counter_name *name,
					   const struct class_stats *class)
{
	return *(const uint64_t *)((const char *)class + name->offset);
}

/** condition_parse() - parses all of @text.  Return: 0, or -EINVAL with a sentence in @why
 *  (@why_max bytes). */
int condition_parse(const struct plan *plan, const char *text, struct condition *condition,
		    char *why, size_t why_max);

/** condition_holds() - true if the condition is met.  @page  of the node that
 *  condition->counter.node names.  @now  the fabric's time. */
bool condition_holds(const struct condition *condition, struct stats_page *page, node_time_t now);

#endif
