/*  counter - the numbers of statistics pages by the names that people use: 's2.p1.queue_bytes',
 *  'h3.delivered_bytes'.
 *
 *  NODE.PORT.COUNTER is a counter of struct port_stats. PORT is a number or the peer (port_name.h;
 *  with several links to it the sum, the maximum of what ends in _max, the earliest of moments).
 *  NODE.COUNTER is a counter of the whole node. Conditions compare one with a value:
 *  's2.p1.queue_bytes > 10kB', 'now >= 60us'. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_COUNTER_H
#define HEDDLE_ORCHESTRATOR_RESULTS_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/why.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/base/word_list.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/statistics.h"

struct counter {
	bool now; /* the fabric's time; the other fields are unused then */
	uint32_t node;
	uint64_t ports;                    /* set; 0: of the whole node */
	const struct statistic *statistic; /* of port_statistics or node_statistics */
	enum quantity_kind kind;
};

struct condition {
	struct counter counter;
	bool less, equal, greater; /* the outcomes of the comparison that fulfil it */
	uint64_t value;
};

/** condition_parse() - parses all of @text.  Return: 0, or -EINVAL with a sentence in @why. */
int condition_parse(const struct plan *plan, const char *text, struct condition *condition,
		    struct why *why);

/** condition_holds() - true if the condition is met.  @page  of the node that
 *  condition->counter.node names.  @now  the fabric's time. */
bool condition_holds(const struct condition *condition, struct stats_page *page, node_time_t now);

/** condition_time() - the time at which a condition about `now` becomes true, for good or for a
 *  moment ('=='); NODE_TIME_NEVER for any other one. */
node_time_t condition_time(const struct condition *condition);

/** counter_words() - adds to @words names of counters that @typed may become, up to the next dot:
 *  'now' and 'NODE.', then 'NODE.PEER.' and 'NODE.COUNTER', then 'NODE.PEER.COUNTER'. */
void counter_words(const struct plan *plan, const char *typed, struct word_list *words);

#endif
