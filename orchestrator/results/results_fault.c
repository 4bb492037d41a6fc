#include "orchestrator/results/results_fault.h"

#include <inttypes.h>
#include <string.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/screen.h"

static const char *const kind_name[FAULT_KINDS] = { "link", "switch", "fabric-manager" };

static json_t *time_json(node_time_t time_ps)
{
	return time_ps == NODE_TIME_NEVER ? json_null() : json_integer((json_int_t)time_ps);
}

json_t *results_fault_json(const struct plan *plan, const struct results *results)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < results->fault_count; i++) {
		const struct plan_fault *fault = &plan->faults.list[i];
		const struct result_fault *row = &results->faults[i];

		json_array_append_new(
			array,
			json_pack("{s:s, s:s, s:I, s:o, s:b, s:b, s:I, s:I, s:I, s:I, s:o}", "kind",
				  kind_name[fault->kind], "what", fault->name, "at_ps",
				  (json_int_t)fault->at_ps, "until_ps", time_json(fault->until_ps),
				  "failed", row->failed, "returned", row->returned, "lost_packets",
				  (json_int_t)row->lost, "astray_packets", (json_int_t)row->astray,
				  "before_bps", (json_int_t)row->before_bps, "least_bps",
				  (json_int_t)row->least_bps, "recovery_ps",
				  time_json(row->recovery_ps)));
	}
	return array;
}

static const char *time_text(node_time_t time_ps, const char *never, char text[HUMAN_TEXT_MAX])
{
	return time_ps == NODE_TIME_NEVER ? never : human_time(time_ps, text);
}

static void row_write(const struct plan *plan, const struct results *results, uint32_t i,
		      int columns, FILE *out)
{
	const struct plan_fault *fault = &plan->faults.list[i];
	const struct result_fault *row = &results->faults[i];
	char at[HUMAN_TEXT_MAX], until[HUMAN_TEXT_MAX], before[HUMAN_TEXT_MAX],
		least[HUMAN_TEXT_MAX], recovery[HUMAN_TEXT_MAX];

	fprintf(out, "%-*s  %10s  %10s", columns, fault->name, human_time(fault->at_ps, at),
		time_text(fault->until_ps, "the end", until));
	if (row->failed)
		fprintf(out, "  %6" PRIu64 "  %6" PRIu64 "  %12s  %12s  %10s", row->lost,
			row->astray, row->before_bps ? human_rate(row->before_bps, before) : "-",
			row->before_bps ? human_rate(row->least_bps, least) : "-",
			time_text(row->recovery_ps, row->before_bps ? "not yet" : "-", recovery));
	fputc('\n', out);
}

void results_fault_write(const struct plan *plan, const struct results *results, bool colour,
			 FILE *out)
{
	size_t columns = strlen("failed");

	if (!results->fault_count)
		return;
	for (uint32_t i = 0; i < results->fault_count; i++)
		if (strlen(plan->faults.list[i].name) > columns)
			columns = strlen(plan->faults.list[i].name);
	fprintf(out, "\n%s%-*s  %10s  %10s  %6s  %6s  %12s  %12s  %10s%s\n",
		screen_paint(colour, SCREEN_BOLD), (int)columns, "failed", "at", "until", "lost",
		"astray", "before", "least", "recovered", screen_paint(colour, SCREEN_PLAIN));
	for (uint32_t i = 0; i < results->fault_count; i++)
		row_write(plan, results, i, (int)columns, out);
}
