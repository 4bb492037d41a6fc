#include "orchestrator/fabric/run.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/fabric/fabric_end.h"
#include "orchestrator/fabric/fabric_real.h"

#define RUN_SLICE_NS 50000000ull /* a slowed run advances twenty times a second */
#define STALLED_SHOWN 8

static enum fabric_state wait_a_little(struct run *run, node_time_t limit)
{
	if (!run->fabric.options.real)
		return fabric_wait(&run->fabric, 200);
	manager_pair_watch(&run->managers);
	return fabric_real_wait(&run->fabric, limit, 200);
}

static void progress_tell(struct run *run)
{
	progress_update(&run->progress, fabric_now(&run->fabric), run->fabric.plan->duration_ps,
			atomic_load(&run->fabric.page->windows));
}

/* what is done now and then while the clock runs */
static void look(struct run *run)
{
	progress_tell(run);
	if (run->follow)
		run->follow(run->follower, &run->fabric);
}

/* advances the clock to @limit at full speed */
static enum run_outcome go(struct run *run, node_time_t limit)
{
	enum fabric_state state;

	if (!run->fabric.options.real)
		fabric_resume(&run->fabric, limit);
	while ((state = wait_a_little(run, limit)) == FABRIC_RUNNING)
		look(run);
	return state == FABRIC_STOPPED  ? RUN_REACHED
	       : state == FABRIC_FAILED ? RUN_FAILED
					: RUN_INTERRUPTED;
}

/* waits until the wall clock reaches @until_ns, and checks the nodes once */
static enum run_outcome pause_until(struct run *run, uint64_t until_ns)
{
	uint64_t now_ns = monotonic_ns();
	enum fabric_state state;

	if (now_ns < until_ns) {
		struct timespec left = { .tv_sec = (time_t)((until_ns - now_ns) / 1000000000ull),
					 .tv_nsec = (long)((until_ns - now_ns) % 1000000000ull) };

		nanosleep(&left, NULL);
	}
	state = fabric_wait(&run->fabric, 0);
	look(run);
	return state == FABRIC_FAILED        ? RUN_FAILED
	       : state == FABRIC_INTERRUPTED ? RUN_INTERRUPTED
					     : RUN_REACHED;
}

/* the clock is stopped; @last: here the run, or a step, ends */
static void show(struct run *run, bool last)
{
	if (run->show && run->slow_ps_per_s)
		run->show(run->viewer, last);
}

/* in slices, so that fabric time keeps its ratio to wall time */
static enum run_outcome go_slowly(struct run *run, node_time_t until)
{
	node_time_t slice_ps = run->slow_ps_per_s / (1000000000ull / RUN_SLICE_NS);
	node_time_t limit = fabric_now(&run->fabric);
	uint64_t next_ns = monotonic_ns();
	enum run_outcome outcome = RUN_REACHED;

	if (!slice_ps)
		slice_ps = 1;
	while (outcome == RUN_REACHED && clock_earliest(&run->fabric.clock) < until) {
		limit = until - limit < slice_ps ? until : limit + slice_ps;
		outcome = go(run, limit);
		next_ns += RUN_SLICE_NS;
		if (outcome == RUN_REACHED)
			outcome = pause_until(run, next_ns);
		if (outcome == RUN_REACHED)
			show(run, false);
	}
	return outcome;
}

static enum run_outcome go_as_asked(struct run *run, node_time_t until)
{
	return run->slow_ps_per_s ? go_slowly(run, until) : go(run, until);
}

static void stage_tell(const struct run *run, const char *what)
{
	char time[QUANTITY_TEXT_MAX];

	fabric_stage(&run->fabric, "%s %s", what,
		     quantity_format(QUANTITY_TIME, fabric_now(&run->fabric), time));
}

/* applies the faults that are due, while the clock is stopped */
static enum run_outcome fault_step(struct run *run)
{
	bool acts = fault_schedule_acts_now(&run->faults);
	int error;

	if (acts)
		stage_tell(run, "applies faults at");
	error = fault_schedule_step(&run->faults);
	if (acts && !error)
		stage_tell(run, "continues from");
	run->torn = error == -EINTR;
	return !error ? RUN_REACHED : error == -EINTR ? RUN_INTERRUPTED : RUN_FAILED;
}

enum run_outcome run_to(struct run *run, node_time_t until)
{
	enum run_outcome outcome = RUN_REACHED;
	node_time_t fault_at;

	until = node_time_min(until, run->end_ps);
	stage_tell(run, "runs from");
	while (outcome == RUN_REACHED &&
	       (fault_at = fault_schedule_next_at(&run->faults)) < until) {
		outcome = go_as_asked(run, fault_at);
		if (outcome == RUN_REACHED)
			outcome = fault_step(run);
	}
	if (outcome == RUN_REACHED)
		outcome = go_as_asked(run, until);
	if (outcome == RUN_REACHED && run->steps)
		progress_tell(run);
	else
		progress_wipe(&run->progress);
	if (outcome == RUN_REACHED && !run->steps)
		show(run, true);
	if (outcome == RUN_REACHED)
		stage_tell(run, "is stopped at");
	return outcome;
}

void run_steps_end(struct run *run)
{
	run->steps = false;
	progress_wipe(&run->progress);
	show(run, true);
}

int run_pause(struct run *run)
{
	int error = run->torn ? -EINTR : fabric_pause(&run->fabric);

	if (!error && !run->steps)
		show(run, true);
	return error;
}

bool run_over(const struct run *run)
{
	return clock_earliest(&run->fabric.clock) >= run->end_ps;
}

bool run_stalled(const struct run *run, struct why *why)
{
	const struct plan *plan = run->fabric.plan;
	uint32_t holders = 0;

	if (!fabric_over(&run->fabric))
		return false;
	why->text[0] = 0;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		uint64_t bytes = fabric_holds(&run->fabric, i);
		char text[HUMAN_TEXT_MAX];

		if (!bytes || fault_schedule_cut_off(&run->faults, i))
			continue;
		if (holders++ < STALLED_SHOWN)
			why_add(why, "%s%s holds %s", why->text[0] ? ", " : "", plan->nodes[i].name,
				human_bytes(bytes, text));
	}
	if (holders > STALLED_SHOWN)
		why_add(why, " and %u more nodes", holders - STALLED_SHOWN);
	return holders != 0;
}
