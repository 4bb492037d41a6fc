/*  metric_fault - the consequences of faults, for expectations. */
#include "orchestrator/results/metric_fault.h"

static bool is_meant(const struct metric_subject *e, const struct results *results, uint32_t i)
{
	return results->faults[i].failed && (!e->has_fault || e->fault == i);
}

bool metric_fault_counter(const struct metric_subject *e, const struct plan *plan,
			  const struct results *results, double *value)
{
	bool known = false;

	(void)plan;
	*value = 0;
	for (uint32_t i = 0; i < results->fault_count; i++) {
		if (!is_meant(e, results, i))
			continue;
		known = true;
		*value += (double)statistic_value(&e->metric->statistic, &results->faults[i]);
	}
	return known;
}

bool metric_fault_least(const struct metric_subject *e, const struct plan *plan,
			const struct results *results, double *value)
{
	bool known = false;

	(void)plan;
	for (uint32_t i = 0; i < results->fault_count; i++) {
		const struct result_fault *row = &results->faults[i];
		double share;

		if (!is_meant(e, results, i) || !row->before_bps)
			continue;
		share = (double)row->least_bps / (double)row->before_bps;
		*value = known && *value < share ? *value : share;
		known = true;
	}
	return known;
}

/* a fault without recovery has no such time, and then the longest is unknown */
bool metric_fault_recovery(const struct metric_subject *e, const struct plan *plan,
			   const struct results *results, double *value)
{
	bool known = false;

	(void)plan;
	*value = 0;
	for (uint32_t i = 0; i < results->fault_count; i++) {
		if (!is_meant(e, results, i))
			continue;
		if (results->faults[i].recovery_ps == NODE_TIME_NEVER)
			return false;
		known = true;
		if ((double)results->faults[i].recovery_ps > *value)
			*value = (double)results->faults[i].recovery_ps;
	}
	return known;
}
