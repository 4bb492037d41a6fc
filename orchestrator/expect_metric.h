/*  expect_metric - the quantities that an expectation can speak of, and how each follows from the results: expect.h lists
 *  them. Called by expect.c only.                                                                                    */
#ifndef HEDDLE_ORCHESTRATOR_EXPECT_METRIC_H
#define HEDDLE_ORCHESTRATOR_EXPECT_METRIC_H

#include "orchestrator/quantity.h"
#include "orchestrator/results.h"

/* what stands between the parentheses behind a metric */
enum metric_arguments { NOTHING, MAYBE_WORKLOAD, MAYBE_REASON, WORKLOAD_OR_HOSTS, HOSTS, PORT };

enum metric_shown_as { AS_COUNT, AS_BYTES, AS_TIME, AS_RATE, AS_PERCENT, AS_RATIO };

/* a metric of something: its arguments, resolved */
struct metric_subject {
	const struct metric *metric;
	bool has_workload, has_reason, has_hosts;
	uint32_t workload, reason, source, destination, node;
	uint64_t ports; /* set */
};

/* Return: false if there is no such value. */
typedef bool metric_value_fn(const struct metric_subject *subject, const struct plan *plan,
			     const struct results *results, double *value);

struct metric {
	const char *name;
	enum quantity_kind kind;
	enum metric_arguments arguments;
	enum metric_shown_as shown_as;
	metric_value_fn *value;
	size_t offset; /* of the field that the function looks at */
};

extern const struct metric metric_table[];
extern const size_t metric_count;

/** metric_show() - @value of @metric for people, with its unit. */
void metric_show(const struct metric *metric, double value, char *shown, size_t shown_max);

#endif
