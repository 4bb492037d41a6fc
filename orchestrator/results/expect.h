/*  expect - what a scenario expects of its results, one line of text each (TB-10, TB-13).
 *
 *      METRIC OP VALUE [+- TOLERANCE]          share(hA, hL) == 1/144 +- 2%
 *
 *  OP        == != < <= > >=
 *  VALUE     a number with the unit of the metric: 12, 98%, 1/11, 20us, 150Gb/s, 64KiB
 *  TOLERANCE with %: of VALUE; else absolute, in the unit of the metric. == and != apply it on both
 *            sides, the others widen their bound by it.
 *  METRIC    lost under_way reordered inside channels unreported waits
 *            messages[(workload)] flows[(workload)]
 *            delivered (share of what was injected) delivered_bytes injected_bytes drops[(reason)]
 *            jain[(workload)] goodput[(workload)] goodput(source, destination)
 *            share(source, destination): part of what the destination received in the measured
 *            interval
 *            fct.p50|p99|p999[(workload)] slowdown.p50|p99|p999[(workload)]
 *            utilisation(node:port) queue.max(node:port) queue.mean(node:port)
 *            goodput.share[(workload)]: part of what the senders' or the receivers' links carry,
 *            whichever is less
 *    congestion, of a port or of all ports of switches:
 *            eca.max eca.acks limited extent.max extent.sum buffer.max buffer.share metered stops
 *            blocked.extent|rate|empty|headroom|port headroom.starts|stops|bytes
 *            fgfc.held|frames|refused
 *            reaction(host) reaction.trips(host) reached(host): reaction.h
 *    deadlocks: PFC cycles that were found at the end; a fabric that stalled with data inside
 *            counts as one
 *    fabric kind roce, else without value; `place` is a port, a switch or a host, without it all
 *    switches:
 *            queue.max(port, class) queue.mean(port, class) delay.mean|throughput(port[, class])
 *            (place[, class]): delay.max input.max headroom.max drops.at marked paused stuck
 *                  xoff.first state.max ecn-failed.first cnp-failed.first cnps.seen|supplemented
 *                  signals.pause|resume
 *            (place): pauses pauses.sent path.pauses path.resumes signals.forwarded
 *            (workload): cnps cnps.made resent timeouts naks errors rate.min rate.mean
 *  A port is named by its peer, 's3:s4', or by its number, 's3:p2' or 's3:2'. With several links to
 *  the peer, utilisation and queue.mean are their mean, what ends in .max or .share is the largest,
 *  a count the sum.
 *  A metric without a value (a percentile of no messages) fulfils nothing. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_EXPECT_H
#define HEDDLE_ORCHESTRATOR_RESULTS_EXPECT_H

#include "nodes/base/why.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/results.h"
#include "orchestrator/scenario/scenario.h"

/** expect_check() - checks that @text is understood and that all names in it exist in @plan.
 *  Return: 0, or -EINVAL with one error added to @errors, its column inside the text. */
int expect_check(const struct plan *plan, const struct scenario_text *text,
		 struct scenario_errors *errors);

/** expect_check_early() - the same for all expectations of a scenario that was refused, so that all
 *  mistakes are reported together. Names are checked where their sections were read without an
 *  error, ports are not. No effect if memory is short. O(nodes). */
void expect_check_early(const struct scenario *scenario, struct scenario_errors *errors);

/** expect_evaluate() - fills results->expectations, one for each of the plan. Texts that
 *  expect_check() refuses count as failed. What is fulfilled has `reached` 1. Else it is value /
 *  bound for >= and >, bound / value for <= and <, and 0 for the others or without a value.
 *  Return: 0 or -ENOMEM. */
int expect_evaluate(const struct plan *plan, struct results *results);

/** expect_metric_check(), expect_metric_evaluate() - the same for a text that is only a metric,
 *  without comparison and value. Its result is `ok` if there is a value. */
int expect_metric_check(const struct plan *plan, const struct scenario_text *text,
			struct scenario_errors *errors);
struct result_expectation expect_metric_evaluate(const struct plan *plan, const char *text,
						 const struct results *results);

/** expect_metric_show() - @value of the metric that @text begins with, for people, to @shown;
 *  "": there is no such metric. */
void expect_metric_show(const char *text, double value, char *shown, size_t shown_max);

/** expect_value_text() - @value of the metric that @metric begins with, as the value of an
 *  expectation; QUANTITY_TEXT_MAX bytes at @text. Rounded to its unit; below 0 it is 0.
 *  Return: @text; NULL: there is no such metric. */
const char *expect_value_text(const char *metric, double value, char *text);

/** expect_value_judge() - does @value of the metric that @metric begins with fulfil @comparison,
 *  such as "> 12us" or "== 30Gb/s +- 2%"?
 *  Return: 0 with @ok; -EINVAL with a sentence in @why. */
int expect_value_judge(const char *metric, double value, const char *comparison, bool *ok,
		       struct why *why);

/** expect_speaks_of() - true if one of the plan's expectations is about @metric. */
bool expect_speaks_of(const struct plan *plan, const char *metric);

/** expect_failed() - the number of expectations that were not fulfilled. */
uint32_t expect_failed(const struct results *results);

#endif
