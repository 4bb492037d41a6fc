/*  packed_fabric - a fabric whose nodes are packed into workers, on one machine or more, before it
 *  starts. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_FABRIC_PACKED_FABRIC_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_FABRIC_PACKED_FABRIC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/plan/plan.h"
#include "tests/descriptors.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/generated_plan.h"

#define AT_ONCE_MAX 200u /* sockets of a message */
#define WATCHDOG_NS 7000000000ull

static struct plan plan;
static struct fabric fabric;
static char stages[1000];

static inline void stage_note(void *observer, const char *text)
{
	(void)observer;
	snprintf(stages, sizeof(stages), "%s", text);
}

/* the fabric of @topology on @ranks ranks with @workers workers each */
static inline void pack_for(bool real, const char *topology, uint32_t ranks, uint32_t workers)
{
	generated_plan(topology, &plan);
	fabric = (struct fabric){ .plan = &plan,
				  .options = { .real = real,
					       .ranks = ranks,
					       .pack = workers,
					       .watchdog_ns = WATCHDOG_NS,
					       .loop = "epoll",
					       .stage = stage_note },
				  .pack = { .page_fd = -1, .rings_fd = -1 },
				  .nodes = calloc(plan.node_count, sizeof(*fabric.nodes)),
				  .clock_fd = memfd_create("clock", MFD_CLOEXEC),
				  .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	for (uint32_t i = 0; i < plan.node_count; i++)
		fabric.nodes[i].control = -1;
	ck_assert_int_eq(fabric_pack_make(&fabric), 0);
}

static inline void pack(const char *topology, uint32_t ranks, uint32_t workers)
{
	pack_for(false, topology, ranks, workers);
}

static inline void done(void)
{
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (fabric.nodes[i].control >= 0)
			close(fabric.nodes[i].control);
	fabric_pack_free(&fabric.pack);
	free(fabric.nodes);
	close(fabric.clock_fd);
	close(fabric.epoll_fd);
	plan_free(&plan);
}

#endif
