/*  metric - the quantities that an expectation can name, and how each follows from the results:
 *  expect.h lists them. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_METRIC_H
#define HEDDLE_ORCHESTRATOR_RESULTS_METRIC_H

#include "orchestrator/base/quantity.h"
#include "orchestrator/results/results.h"

/* the arguments between the parentheses of a metric */
enum metric_arguments {
	METRIC_NOTHING,
	METRIC_MAYBE_WORKLOAD,
	METRIC_MAYBE_REASON,
	METRIC_WORKLOAD_OR_HOSTS,
	METRIC_HOSTS,
	METRIC_HOST,
	METRIC_PORT,
	METRIC_MAYBE_PORT,
	METRIC_PORT_MAYBE_CLASS,
	METRIC_MAYBE_WHERE, /* a node, or a port */
	METRIC_MAYBE_PLACE, /* a node, or a port; then optionally a class */
	METRIC_MAYBE_FAULT, /* its number in the scenario, from 1 on */
};

enum metric_shown_as {
	METRIC_AS_COUNT,
	METRIC_AS_BYTES,
	METRIC_AS_TIME,
	METRIC_AS_RATE,
	METRIC_AS_PERCENT,
	METRIC_AS_RATIO
};

/* the arguments of a metric, resolved */
struct metric_subject {
	const struct metric *metric;
	bool has_workload, has_reason, has_hosts, has_class, has_fault;
	uint32_t fault, workload, reason, source, destination, node, traffic_class;
	uint64_t ports; /* set; 0: of the whole fabric */
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
	size_t offset; /* of the field that the function reads */
};

extern const struct metric metric_table[];
extern const size_t metric_count;

/** metric_show() - writes @value of @metric for people, with its unit. */
void metric_show(const struct metric *metric, double value, char *shown, size_t shown_max);

#endif
