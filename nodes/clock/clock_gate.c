#include "nodes/clock/clock_gate.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "nodes/clock/clock_scan.h"
#include "nodes/clock/futex.h"

#define YIELDS 32u /* before it sleeps; as many as a node's: turn.c */

int clock_gate_init(struct clock_gate *gate, const struct clock *clock)
{
	*gate = (struct clock_gate){ .clock = *clock,
				     .wake = calloc(clock->node_count, sizeof(*gate->wake)) };
	gate->seen = atomic_load(&clock->page->ended);
	atomic_store(&clock->page->gated, 1);
	return gate->wake ? 0 : -ENOMEM;
}

void clock_gate_fini(struct clock_gate *gate)
{
	free(gate->wake);
	*gate = (struct clock_gate){ 0 };
}

bool clock_gate_told(struct clock_gate *gate)
{
	uint32_t ended = atomic_load_explicit(&gate->clock.page->ended, memory_order_seq_cst);

	if (ended == gate->seen)
		return false;
	gate->seen = ended;
	return true;
}

bool clock_gate_wait(struct clock_gate *gate, uint64_t timeout_ns)
{
	struct clock_page *page = gate->clock.page;
	struct timespec timeout = { .tv_sec = (time_t)(timeout_ns / 1000000000u),
				    .tv_nsec = (long)(timeout_ns % 1000000000u) };

	for (uint32_t i = 0; i < YIELDS; i++) {
		if (clock_gate_told(gate))
			return true;
		sched_yield();
	}
	atomic_store_explicit(&page->gate_asleep, 1, memory_order_seq_cst);
	futex_wait(&page->ended, gate->seen, &timeout);
	atomic_store_explicit(&page->gate_asleep, 0, memory_order_seq_cst);
	return clock_gate_told(gate);
}

node_time_t clock_gate_earliest(struct clock_gate *gate)
{
	return clock_scan_merge(gate->clock.own_next, gate->clock.inbox_next,
				gate->clock.node_count);
}

bool clock_gate_open(struct clock_gate *gate, node_time_t start, node_time_t end)
{
	uint32_t active, count;

	clock_gate_earliest(gate);
	count = clock_open(&gate->clock, start, end, gate->wake, &active);
	for (uint32_t i = 0; i < count; i++)
		clock_ring(&gate->clock, gate->wake[i]);
	return active;
}

void clock_gate_run(struct clock_gate *gate)
{
	uint32_t stopped = CLOCK_STOPPED;

	atomic_compare_exchange_strong(&gate->clock.page->state, &stopped, CLOCK_RUNNING);
}
