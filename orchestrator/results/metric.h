/*  metric - the quantities that an expectation can name, and how each follows from the results:
 *  expect.h lists them. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_METRIC_H
#define HEDDLE_ORCHESTRATOR_RESULTS_METRIC_H

#include "orchestrator/base/quantity.h"
#include "orchestrator/results/results.h"
#include "orchestrator/results/statistics.h"

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

/* the ports of a metric of a counter that has no argument */
enum metric_scope {
	METRIC_SWITCHES, /* so that a host's link counts once */
	METRIC_NICS,
	METRIC_NODES,
};

/* a metric with its arguments, resolved, and what its value is computed from: borrowed */
struct metric_subject {
	const struct metric *metric;
	const struct plan *plan;
	const struct results *results;
	bool has_workload, has_reason, has_hosts, has_class, has_fault;
	uint32_t fault, workload, reason, source, destination, node, traffic_class;
	uint64_t ports; /* set; 0: of the whole fabric */
};

/* Return: false if there is no such value. */
typedef bool metric_value_fn(const struct metric_subject *subject, double *value);

struct metric {
	const char *name;
	enum metric_arguments arguments;
	enum quantity_kind kind; /* of a value that is compared with it */
	enum metric_shown_as shown_as;
	metric_value_fn *value;
	struct statistic statistic; /* the counter that the function reads, if it reads one */
	enum metric_scope scope;
};

extern const struct metric metric_table[];
extern const size_t metric_count;

/** metric_scaled() - @value of the counter of @metric in the metric's unit: bytes, picoseconds. */
double metric_scaled(const struct metric *metric, uint64_t value);

/** metric_has_port() - true if @subject means port @port of @node: one that it names, or, if it
 *  names none, all of its metric's scope. */
bool metric_has_port(const struct metric_subject *subject, uint32_t node, uint32_t port);

/** metric_show() - writes @value of @metric for people, with its unit. */
void metric_show(const struct metric *metric, double value, char *shown, size_t shown_max);

#endif
