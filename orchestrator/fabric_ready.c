/*  fabric_nodes_await() of fabric_start.h: every node says READY, or the start has failed.
 *
 *  Under the virtual clock a node is waited for as long as it works, or would if it had a core (watchdog.h): how long a start takes says
 *  nothing of the fabric. Under the real clock it has FABRIC_READY_MS since the last one became ready.                  */
#include "orchestrator/fabric_ready.h"

#include <errno.h>
#include <inttypes.h>

#include "orchestrator/fabric_watch.h"
#include "orchestrator/interrupt.h"
#include "orchestrator/wall_time.h"

/* one died before it was ready: then there is no fabric */
static void dead_tell(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		if (!fabric->nodes[i].pid && !plan_vacant(fabric->plan, i))
			fabric_fail_node(fabric, i, "%s", fabric->nodes[i].fate);
}

static uint32_t nodes_ready(const void *context)
{
	return ((const struct fabric *)context)->ready;
}

static bool owes_ready(const void *context, uint32_t node)
{
	const struct fabric *fabric = context;

	return !fabric->nodes[node].ready && !plan_vacant(fabric->plan, node);
}

static uint32_t first_late(const struct fabric *fabric)
{
	uint32_t late = 0;

	while (late + 1 < fabric->plan->node_count && !owes_ready(fabric, late))
		late++;
	return late;
}

static void ready_waits(struct fabric *fabric, uint64_t began_ns, uint32_t expected)
{
	uint32_t late = first_late(fabric);

	fabric_waits(fabric, began_ns, "waiting for %s %s%s, %" PRIu32 " of %" PRIu32 " nodes are ready",
		     fabric_kind_name(fabric, late), fabric->plan->nodes[late].name,
		     fabric->nodes[late].stopped_ns ? ", which is stopped" : "", fabric->ready, expected);
}

/* real clock: none became ready for FABRIC_READY_MS */
static bool start_is_late(struct fabric *fabric, uint32_t *ready_before, uint64_t *waited_from_ns)
{
	if (fabric->ready != *ready_before) {
		*ready_before = fabric->ready;
		*waited_from_ns = wall_ns();
	}
	if (wall_ns() - *waited_from_ns <= FABRIC_READY_MS * 1000000ull)
		return false;
	fabric_fail_node(fabric, first_late(fabric), "did not become ready within %u s", FABRIC_READY_MS / 1000);
	return true;
}

int fabric_nodes_await(struct fabric *fabric)
{
	uint64_t began_ns = wall_ns(), waited_from_ns = began_ns, patience_ns = fabric->options.watchdog_ns;
	uint32_t ready_before = fabric->ready, expected = 0;
	struct fabric_part part = {
		.what = "become ready", .progress = nodes_ready, .owes = owes_ready, .context = fabric
	};
	struct watchdog watchdog;

	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		expected += !plan_vacant(fabric->plan, i);
	if (patience_ns && patience_ns < FABRIC_READY_MS * 1000000ull)
		patience_ns = FABRIC_READY_MS * 1000000ull;
	watchdog_start(&watchdog, patience_ns, began_ns);
	while (fabric->ready < expected) {
		if (fabric->options.real && fabric->alive < expected) {
			dead_tell(fabric);
			return -EIO;
		}
		if (interrupt_seen())
			return -EINTR;
		if (fabric_watch_messages(fabric, FABRIC_SLICE_MS) || fabric_watch_children(fabric))
			return -EIO;
		ready_waits(fabric, began_ns, expected);
		if (fabric->options.real ? start_is_late(fabric, &ready_before, &waited_from_ns)
					 : fabric_watch_part(fabric, &watchdog, &part))
			return -ETIMEDOUT;
	}
	return 0;
}
