/*  The end of a fabric: fabric_end.h. */
#include "orchestrator/fabric/fabric_end.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/futex.h"
#include "nodes/process/process_look.h"
#include "orchestrator/fabric/fabric_watch.h"

#define LOOK_US 500

/* does @node have captures, which are complete only after it has left? */
static bool captures(const struct fabric *fabric, uint32_t node)
{
	const struct node_config *config = &fabric->plan->nodes[node];

	if (config->capture_sent_bytes)
		return true;
	for (uint32_t port = 0; port < config->port_count; port++)
		if (config->ports[port].capture_bytes)
			return true;
	return false;
}

/* ... or a node that is packed with it? */
static bool process_captures(const struct fabric *fabric, uint32_t lead)
{
	for (uint32_t i = lead; i < fabric->plan->node_count; i++)
		if (fabric->nodes[i].lead == lead && captures(fabric, i))
			return true;
	return false;
}

/* may @node leave after the time limit? With a capture, while it waits for a core; without a
 * watchdog also while it waits for the reader of its file */
static bool may_be_late(const struct fabric *fabric, uint32_t node)
{
	return process_captures(fabric, node) &&
	       (!fabric->options.watchdog_ns || process_wants_core(fabric->nodes[node].pid));
}

/* Virtual clock: does @node, whose time to leave is over, still want a core, and has it had less
 * than @limit_ns of CPU time since? On a busy machine it leaves later; the run ends the same. */
static bool waits_for_core(struct fabric *fabric, uint32_t node, uint64_t limit_ns)
{
	struct fabric_node *state = &fabric->nodes[node];
	uint64_t cpu_ns = process_cpu_ns(state->pid);

	if (fabric->options.real || !process_wants_core(state->pid))
		return false;
	if (!state->late_cpu_ns)
		state->late_cpu_ns = cpu_ns;
	return cpu_ns - state->late_cpu_ns < limit_ns;
}

/* has @node used its time to leave? A node that a signal has stopped cannot leave, so it has the
 * watchdog's time if that is less */
static bool overdue(struct fabric *fabric, uint32_t node, uint64_t began_ns)
{
	const struct fabric_node *state = &fabric->nodes[node];
	uint64_t now_ns = monotonic_ns(), limit_ns = FABRIC_END_MS * 1000000ull,
		 watchdog_ns = fabric->options.watchdog_ns;

	if (state->stopped_ns && watchdog_ns && watchdog_ns < limit_ns)
		limit_ns = watchdog_ns;
	return now_ns - began_ns >= limit_ns && !may_be_late(fabric, node) &&
	       !waits_for_core(fabric, node, limit_ns);
}

/* reaps until all living nodes are overdue. Return: their number */
static uint32_t leave_await(struct fabric *fabric)
{
	uint64_t began_ns = monotonic_ns();

	for (;;) {
		bool wait = false;

		fabric_watch_deaths(fabric);
		for (uint32_t i = 0; i < fabric->plan->node_count && !wait; i++)
			wait = fabric->nodes[i].pid && !overdue(fabric, i, began_ns);
		if (!wait) {
			fabric_watch_deaths(fabric); /* one may have left during the look */
			return fabric->alive;
		}
		usleep(LOOK_US);
	}
}

/* wakes @node, which then reads the clock's state */
static void node_ring(struct fabric *fabric, uint32_t node)
{
	uint64_t one = 1;

	if (fabric->options.real && fabric->nodes[node].doorbell >= 0)
		(void)!write(fabric->nodes[node].doorbell, &one, sizeof(one));
	else
		clock_ring(&fabric->clock, fabric->nodes[node].slot);
}

/* virtual clock: waits until the open window ends. Return: 0; -EIO */
static int window_await(struct fabric *fabric)
{
	uint64_t began_ns = monotonic_ns();

	while (!clock_stopped(&fabric->clock)) {
		if (fabric_watch_children(fabric) || fabric_watch_messages(fabric, 0) ||
		    fabric_watch_clock(fabric))
			return -EIO;
		if (!fabric->options.watchdog_ns &&
		    monotonic_ns() - began_ns >= FABRIC_END_MS * 1000000ull) {
			fabric_fail(fabric, "the clock did not stop within %u s",
				    FABRIC_END_MS / 1000);
			return -EIO;
		}
		fabric_stops_wait(fabric, FABRIC_SLICE_MS);
	}
	return 0;
}

int fabric_pause(struct fabric *fabric)
{
	int error;

	atomic_store(&fabric->page->limit_ps, 0);
	error = window_await(fabric);
	/* up to where the fabric ran: nodes take it for the time at which they are asked */
	if (!error)
		atomic_store(&fabric->page->limit_ps, fabric_now(fabric));
	return error;
}

int fabric_stop(struct fabric *fabric)
{
	int error = 0;

	if (fabric->halted || !fabric->page || !fabric->nodes)
		return 0;
	fabric->halted = true;
	/* at the end of the open window, so that the counters of all nodes are of one moment */
	if (!clock_stopped(&fabric->clock))
		fabric->limit_ps = NODE_TIME_NEVER;
	atomic_store(&fabric->page->limit_ps, 0);
	if (!fabric->options.real && fabric->ready == fabric->plan->node_count)
		error = window_await(fabric);
	fabric->stopped_at_ps = fabric_now(fabric);
	fabric->empty = fabric_over(fabric);
	return error;
}

/* @node has not left in time */
static void late_end(struct fabric *fabric, uint32_t node)
{
	char process[FABRIC_PROCESS_MAX];

	if (fabric->options.real) {
		fabric_fail_node(fabric, node, "did not leave within %u s and was killed",
				 FABRIC_END_MS / 1000);
		return;
	}
	fabric->nodes[node].late = true;
	fprintf(stderr, "heddle: %s did not leave in time and is killed%s\n",
		fabric_process_name(fabric, node, process),
		fabric->failure[0] ? "" : "; the result is complete");
}

static void kill_all(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		if (fabric->nodes[i].pid)
			kill(fabric->nodes[i].pid, SIGKILL);
	}
	for (uint64_t began_ns = monotonic_ns();
	     fabric->alive && monotonic_ns() - began_ns < FABRIC_END_MS * 1000000ull;) {
		fabric_watch_deaths(fabric);
		usleep(LOOK_US);
	}
}

int fabric_end(struct fabric *fabric)
{
	uint64_t began_ns = monotonic_ns();

	if (!fabric->page || !fabric->nodes)
		return 0;
	fabric_stop(fabric);
	fabric_stage(fabric, "requests %u process%s to leave", fabric->alive,
		     fabric->alive == 1 ? "" : "es");
	atomic_store(&fabric->page->state, CLOCK_ENDED);
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		if (fabric->nodes[i].pid)
			node_ring(fabric, i);
	if (leave_await(fabric)) {
		for (uint32_t i = 0; i < fabric->plan->node_count; i++)
			if (fabric->nodes[i].pid)
				late_end(fabric, i);
		kill_all(fabric);
	}
	if (!fabric->options.real)
		fabric_watch_last_words(fabric);
	fabric_stage(fabric, "all nodes have left");
	fabric->end_ns = monotonic_ns() - began_ns;
	return fabric->failure[0] ? -EIO : 0;
}

void fabric_kill(struct fabric *fabric)
{
	if (!fabric->alive)
		return;
	/* an earlier death is the cause; keep its message */
	fabric_watch_deaths(fabric);
	fabric_fail(fabric, "the nodes were killed");
	kill_all(fabric);
}
