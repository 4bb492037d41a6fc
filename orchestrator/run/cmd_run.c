/*  cmd_run - `heddle run SCENARIO`: from a file to an exit status (TB-10).
 *
 *  options -> scenario -> plan -> run and what it writes: run_options, run_scenario, run_execute,
 *  run_output. Nothing is started before the whole input is checked. With --compare this is done
 *  once for each variant of the scenario: cmd_compare.c. */
#include "orchestrator/run/cmd_run.h"

#include "orchestrator/run/cmd_compare.h"
#include "orchestrator/run/run_execute.h"
#include "orchestrator/run/run_ranks.h"
#include "orchestrator/run/run_report.h"
#include "orchestrator/run/run_scenario.h"
#include "orchestrator/run/run_sweep.h"
#include "orchestrator/run/run_view.h"

int run_single(struct run_options *options)
{
	struct run_output output = { 0 };
	struct run_report report = { 0 };
	struct run_view view = { 0 };
	struct plan plan = { 0 };
	uint32_t variant = SCENARIO_NO_VARIANT;
	int status = options->variant ? run_variant_find(options, NULL, &variant) : 0;

	status = status
		 ?: run_scenario_load(options, variant, &plan)
		 ?: run_output_check(options, plan.origin)
		 ?: run_report_open(&report, options->report, options->report_lab);
	options->recording = run_report_recording(&report);
	status = status
		 ?: run_view_open(&view, options)
		 ?: run_output_open(&output, options, &plan)
		 ?: run_view_start(&view, options, output.record.file.stream)
		 ?: run_execute(options, &plan, &output);
	status = run_report_end(&report, status);
	run_output_end(&output);
	run_output_folder_end(options);
	run_view_stay(&view, options, status);
	run_view_end(&view);
	plan_free(&plan);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run_options options;
	int status = run_options_read(&options, argc, argv);

	if (status < 0)
		status = run_ranks_join(&options);
	if (status >= 0)
		return status;
	if (options.compare)
		return run_compare(&options);
	if (options.sweep || options.seeds)
		return run_sweep(&options);
	return run_single(&options);
}
