/*  Fuzzes orchestrator/prompt/breakpoint (TB-9, TB-23): lines that are typed at the prompt of a
 *  stopped fabric, or read from a script.
 *
 *  The fabric has no processes and no event left: every step ends at once, no node answers.
 *  Scripts and terminals end the prompt with one of its outcomes. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/prompt/breakpoint.h"
#include "orchestrator/scenario/scenario.h"

static struct plan plan;
static struct run run;
static FILE *out;

static void plan_get(void)
{
	static const char text[] =
		"name: t\nseed: 7\nrun: {duration: 100us, warmup: 10us}\n"
		"topology: {switches: [s1, s2], hosts: {A: s1, B: s2}, links: [[s1, s2]]}\n"
		"workloads: [{name: w, pattern: incast, to: B, size: 4KiB}]\n";
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	if (scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors) ||
	    plan_make(&scenario, &plan, &errors))
		abort();
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static void set_up(void)
{
	const struct fault_fabric no_faults = { 0 };
	size_t bytes;

	if (plan.node_count)
		return;
	plan_get();
	bytes = (clock_bytes(plan.node_count) + 63) / 64 * 64;
	run.fabric = (struct fabric){
		.plan = &plan, .clock_fd = -1, .epoll_fd = -1, .page_size = bytes
	};
	run.fabric.nodes = calloc(plan.node_count, sizeof(*run.fabric.nodes));
	run.fabric.wake = calloc(plan.node_count, sizeof(*run.fabric.wake));
	run.fabric.page = aligned_alloc(64, bytes);
	run.end_ps = plan.duration_ps;
	stderr = out = fopen("/dev/null", "w"); /* words only: sanitizers use the descriptor */
	if (!run.fabric.nodes || !run.fabric.wake || !run.fabric.page || !out ||
	    fault_schedule_init(&run.faults, &plan, &no_faults))
		abort();
	for (uint32_t i = 0; i < plan.node_count; i++) {
		run.fabric.nodes[i].control = run.fabric.nodes[i].doorbell = -1;
		run.fabric.nodes[i].stats = calloc(1, stats_bytes(&plan.nodes[i]));
		if (!run.fabric.nodes[i].stats)
			abort();
		stats_init(run.fabric.nodes[i].stats, &plan.nodes[i]);
	}
}

/* nothing is left to happen */
static void clock_reset(void)
{
	memset(run.fabric.page, 0, run.fabric.page_size);
	clock_init(run.fabric.page, plan.node_count, plan.lookahead_ps);
	if (clock_attach(&run.fabric.clock, run.fabric.page, run.fabric.page_size))
		abort();
	for (uint32_t i = 0; i < plan.node_count; i++)
		atomic_store(&run.fabric.clock.own_next[i], NODE_TIME_NEVER);
	run.fabric.failure[0] = 0;
	run.fabric.limit_ps = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct breakpoint *breakpoint;
	enum breakpoint_outcome outcome;
	FILE *in;

	if (size < 2)
		return 0;
	set_up();
	clock_reset();
	in = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
	if (!in)
		abort();
	breakpoint = breakpoint_open(in, data[0] & 1 ? "script" : NULL, out);
	outcome = breakpoint_prompt(breakpoint, &run);
	assert(outcome <= BREAKPOINT_BAD_SCRIPT);
	breakpoint_close(breakpoint);
	fclose(in);
	return 0;
}
