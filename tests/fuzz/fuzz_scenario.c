/*  Fuzzes the scenario reader and the plan (TB-23): orchestrator/scenario/scenario, yaml_reader,
 *  settings, size_file, plan.
 *
 *  Input: a scenario; if its first line is "# set: PATH=VALUE", with that setting. An input that
 *  begins with "bytes," is a size file instead. What is read without an error must make a plan, or
 *  be refused with an error: plans of more than NODES_MAX nodes or WORKLOADS_MAX workloads are left
 *  out, so that an input cannot ask for gigabytes. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_ideal.h"
#include "orchestrator/scenario/size_file.h"

#define NODES_MAX 256u
#define WORKLOADS_MAX 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 forgets a buffer of its own when a long quoted word is not closed; the program
 * ends then anyway */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so";
}

static void fuzz_sizes(const uint8_t *data, size_t size)
{
	struct size_point points[WORKLOAD_SIZES_MAX];
	struct scenario_errors errors = { 0 };
	char *text = strndup((const char *)data, size);
	uint32_t count;

	if (text && !size_file_parse("sizes", text, points, &count, &errors)) {
		assert(count && count <= WORKLOAD_SIZES_MAX &&
		       points[count - 1].cumulative_ppm == 1000000);
		for (uint32_t i = 1; i < count; i++)
			assert(points[i].bytes > points[i - 1].bytes &&
			       points[i].cumulative_ppm > points[i - 1].cumulative_ppm);
	} else {
		assert(!text || errors.count);
	}
	scenario_errors_free(&errors);
	free(text);
}

/* the setting in the first line, or "" */
static void setting_find(const uint8_t *data, size_t size, char *setting, size_t setting_max)
{
	static const char mark[] = "# set: ";
	size_t start = sizeof(mark) - 1, length = 0;

	setting[0] = 0;
	if (size < start || memcmp(data, mark, start))
		return;
	while (start + length < size && data[start + length] != '\n' && length + 1 < setting_max)
		length++;
	memcpy(setting, data + start, length);
	setting[length] = 0;
}

/* FC-2: what was read is said again in words that mean it */
static void match_check(const struct flow_match *match)
{
	char text[FLOW_MATCH_TEXT_MAX];
	struct why why;
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct flow_match again;

	assert(out && flow_match_valid(match));
	flow_match_print(match, out);
	fclose(out);
	assert(!flow_match_parse(text, &again, &why) && flow_match_equal(match, &again));
}

static void fuzz_plan(const struct scenario *scenario, struct scenario_errors *errors)
{
	struct plan plan;
	int error;

	if (scenario->switch_count + scenario->host_count > NODES_MAX ||
	    scenario->workload_count > WORKLOADS_MAX)
		return;
	error = plan_make(scenario, &plan, errors);
	assert(!error == !errors->count);
	if (error)
		return;
	assert(plan.lookahead_ps > 0 &&
	       plan.node_count == scenario->switch_count + scenario->host_count);
	for (uint32_t h = 0; h < scenario->host_count; h++)
		match_check(&scenario->hosts[h].match);
	for (uint32_t w = 0; w < plan.workload_count; w++)
		assert(plan_ideal_ps(&plan, 0, plan.host_count - 1, w, 100000) >=
		       plan.lookahead_ps);
	plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;
	char setting[200];
	const char *settings[] = { setting };
	int error;

	if (size >= 6 && !memcmp(data, "bytes,", 6)) {
		fuzz_sizes(data, size);
		return 0;
	}
	setting_find(data, size, setting, sizeof(setting));
	error = scenario_read_memory("fuzz.yaml", (const char *)data, size, settings, *setting != 0,
				     &scenario, &errors);
	assert(!error == !errors.count);
	if (!error)
		fuzz_plan(&scenario, &errors);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	return 0;
}
