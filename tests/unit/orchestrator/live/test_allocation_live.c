/*  orchestrator/live, fabric: allocations of the daemon, and of a run with workers, that fail
 *  (TB-22). */
#include "orchestrator/fabric/fabric_pack.h"
#include "orchestrator/live/live_history.h"
#include "tests/allocation.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/generated_plan.h"

TEST_GROUP(allocation_live);

/* a note without memory is none */
static int history_attempt(void)
{
	struct live_history history = { 0 };
	const struct fabric fabric = { 0 };
	const struct plan plan = { 0 };
	int error;

	live_history_step(&history, &plan, &fabric, 0);
	live_history_step(&history, &plan, &fabric, LIVE_HISTORY_STEP_NS);
	error = history.notes[0].at_ns ? 0 : -ENOMEM;
	live_history_free(&history);
	return error;
}

TEST(live_history_step__survives_each_failure)
{
	all_fail("live_history_step()", history_attempt);
}

/* ---- workers ---- */

static struct plan plan;
static struct fabric_node *nodes;
static uint32_t ranks;

static char division[100];

static void division_note(void *observer, const char *text)
{
	(void)observer;
	snprintf(division, sizeof(division), "%s", text);
}

/* Without memory for one division of the nodes there is another one, which is as good for results:
 * that counts as a failure here. */
static int pack_attempt(void)
{
	struct fabric fabric = { .plan = &plan,
				 .options = { .ranks = ranks, .pack = 2, .stage = division_note },
				 .pack = { .page_fd = -1, .rings_fd = -1 },
				 .nodes = nodes };
	int error = fabric_pack_make(&fabric);

	fabric_pack_free(&fabric.pack);
	return error || ranks == 1 || strstr(division, "by group or pod") ? error : -ENOMEM;
}

TEST(fabric_pack_make__survives_each_failure)
{
	generated_plan("fat-tree, radix: 4", &plan);
	nodes = calloc(plan.node_count, sizeof(*nodes));
	for (ranks = 1; ranks <= 2; ranks++)
		all_fail(ranks == 1 ? "fabric_pack_make()" : "fabric_pack_make() with ranks",
			 pack_attempt);
	free(nodes);
	plan_free(&plan);
}
