/*  fabric_time - fabric time and the machine's time under the real clock (TB-8), and dilation
 *  (SC-8). Pure.
 *
 *  Fabric time is CLOCK_MONOTONIC since the clock page's epoch, divided by the page's dilation. It
 *  is the only place where one becomes the other. All that is configured or measured in a fabric is
 *  in fabric time. What a process costs (a wake-up, a change of processes, a retry) is in the
 *  machine's time.
 *  Source: Gupta et al., "To Infinity and Beyond: Time-Warped Network Emulation", NSDI 2006. */
#ifndef HEDDLE_NODES_CLOCK_FABRIC_TIME_H
#define HEDDLE_NODES_CLOCK_FABRIC_TIME_H

#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/clock/clock.h"

/** fabric_time_at() - fabric time when CLOCK_MONOTONIC is @monotonic_ns; 0 before it has begun. */
static inline node_time_t fabric_time_at(const struct clock_page *page, uint64_t monotonic_ns)
{
	node_time_t passed_ps;

	if (monotonic_ns <= page->epoch_ns)
		return 0;
	passed_ps = (monotonic_ns - page->epoch_ns) * NODE_NS;
	return page->dilation == 1 ? passed_ps : passed_ps / page->dilation;
}

/** fabric_time_of() - how much fabric time passes in @machine_ps. */
static inline node_time_t fabric_time_of(const struct clock_page *page, node_time_t machine_ps)
{
	return page->dilation == 1 ? machine_ps : machine_ps / page->dilation;
}

/** fabric_time_takes() - in how much of the machine's time @fabric_ps pass; NODE_TIME_NEVER: more
 *  than can be told. */
static inline node_time_t fabric_time_takes(const struct clock_page *page, node_time_t fabric_ps)
{
	return fabric_ps > NODE_TIME_NEVER / page->dilation ? NODE_TIME_NEVER
							    : fabric_ps * page->dilation;
}

/** fabric_time_monotonic_ns() - CLOCK_MONOTONIC at fabric time @at_ps, rounded up; UINT64_MAX: it
 *  is too far away. */
static inline uint64_t fabric_time_monotonic_ns(const struct clock_page *page, node_time_t at_ps)
{
	node_time_t machine_ps = fabric_time_takes(page, at_ps);
	uint64_t since_ns = machine_ps / NODE_NS + (machine_ps % NODE_NS != 0);

	return since_ns > UINT64_MAX - page->epoch_ns ? UINT64_MAX : page->epoch_ns + since_ns;
}

#endif
