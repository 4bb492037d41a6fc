#include "orchestrator/run/run_scenario.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/base/human.h"
#include "orchestrator/plan/plan_given.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/routing_text.h"
#include "orchestrator/run/real_advice.h"
#include "orchestrator/scenario/scenario_idle.h"

/* over a shorter time, late processes change rates (ours) */
#define REAL_MEASURED_MIN_PS (100 * NODE_MS)

/* notes on settings of the scenario that the real clock does not follow, or not well */
static void real_note(const struct scenario *scenario)
{
	node_time_t measured_ps = scenario->run.duration_ps - scenario->run.warmup_ps;
	bool veth = false;
	char time[HUMAN_TEXT_MAX];

	for (uint32_t i = 0; i < scenario->host_count; i++)
		veth |= scenario->hosts[i].link.medium == MEDIUM_VETH;
	for (uint32_t i = 0; i < scenario->link_count; i++)
		veth |= scenario->links[i].settings.medium == MEDIUM_VETH;
	if (veth)
		fprintf(stderr, "heddle run: all links are of shared memory; 'medium: veth' is for "
				"'heddle up'\n");
	if (measured_ps < REAL_MEASURED_MIN_PS)
		fprintf(stderr,
			"heddle run: rates are measured over %s, which is short under the real "
			"clock: try --set run.duration=2s\n",
			human_time(measured_ps, time));
}

int run_scenario_read(const struct run_options *options, uint32_t variant,
		      struct scenario *scenario, struct scenario_errors *errors)
{
	const struct option_settings *settings = &options->settings;

	return scenario_read_closed(options->scenario, settings->texts,
				    settings->closed ? settings->own : settings->count,
				    settings->count, variant, scenario, errors);
}

int run_scenario_load(const struct run_options *options, uint32_t variant, struct plan *plan)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	int error = run_scenario_read(options, variant, &scenario, &errors);

	if (!error)
		error = options->real ? plan_make_traffic(&scenario, plan, &errors)
				      : plan_make(&scenario, plan, &errors);
	if (error == -EINVAL)
		expect_check_early(&scenario, &errors);
	for (uint32_t i = 0; !error && i < plan->expectation_count; i++)
		expect_check(plan, &plan->expectations[i], &errors);
	if (!error && options->columns)
		compare_check(options->columns, plan, &errors);
	scenario_errors_print(&errors, stderr);
	if (error && !errors.count)
		options_wrong("run", "%s", strerror(-error));
	error = error || errors.count;
	/* all variants together: cmd_compare.c */
	if (!error && (variant == SCENARIO_NO_VARIANT || options->variant))
		error = option_control_check("run", &options->settings, &scenario, false);
	/* for tables: cmd_compare.c, run_sweep.c */
	if (!error && variant == SCENARIO_NO_VARIANT && !options->row)
		scenario_idle_note(&scenario, "run");
	if (!error && !options->row)
		routing_ungrouped_print(plan, "heddle run: too few port groups: ", stderr);
	if (!error && !options->row)
		plan_loops_print(plan, "heddle run: a routing loop, as configured: ", stderr);
	if (!error && options->real && !options->row) {
		real_note(&scenario);
		real_advice_print("run", plan, false);
	}
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	return error ? EXIT_USAGE : 0;
}
