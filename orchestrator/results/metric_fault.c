/*  metric_fault - the consequences of faults, for expectations. */
#include "orchestrator/results/metric_fault.h"

/* the fault after @row, first NULL, that has failed and that @e means; NULL: there is none */
static const struct result_fault *next_fault(const struct metric_subject *e,
					     const struct result_fault *row)
{
	const struct result_fault *faults = e->results->faults;

	for (row = row ? row + 1 : faults; row < faults + e->results->fault_count; row++)
		if (row->failed && (!e->has_fault || row == &faults[e->fault]))
			return row;
	return NULL;
}

bool metric_fault_counter(const struct metric_subject *e, double *value)
{
	const struct result_fault *row = NULL;
	bool known = false;

	*value = 0;
	for (; (row = next_fault(e, row)); known = true)
		*value += (double)statistic_value(&e->metric->statistic, row);
	return known;
}

bool metric_fault_least(const struct metric_subject *e, double *value)
{
	const struct result_fault *row = NULL;
	bool known = false;

	while ((row = next_fault(e, row))) {
		double share;

		if (!row->before_bps)
			continue;
		share = (double)row->least_bps / (double)row->before_bps;
		*value = known && *value < share ? *value : share;
		known = true;
	}
	return known;
}

/* a fault without recovery has no such time, and then the longest is unknown */
bool metric_fault_recovery(const struct metric_subject *e, double *value)
{
	const struct result_fault *row = NULL;
	node_time_t longest_ps = 0;
	bool known = false;

	for (; (row = next_fault(e, row)); known = true)
		longest_ps = node_time_max(longest_ps, row->recovery_ps);
	*value = (double)longest_ps;
	return known && longest_ps != NODE_TIME_NEVER;
}
