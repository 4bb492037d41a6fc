/*  fabric_nodes_await(): every node sends READY, or the start has failed.
 *  fabric_descriptors_await(): some nodes do, so that others can start.
 *
 *  Under the virtual clock a node is waited for while it works, or waits for a core (watchdog.h):
 *  the time of a start is no property of the fabric. Under the real clock it has FABRIC_READY_MS
 *  since the last node became ready. */
#include "orchestrator/fabric/fabric_ready.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_watch.h"

/* Has a node died before it was ready, or reported why it is about to end? Then the start has
 * failed. */
static bool death_tell(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		const struct fabric_node *node = &fabric->nodes[i];

		if (!plan_here(fabric->plan, i) ||
		    (fabric_pid(fabric, i) && (node->ready || !node->fate[0])))
			continue;
		fabric_fail_node(fabric, i, "%s", node->fate);
		return true;
	}
	return false;
}

static bool owes_ready(const void *context, uint32_t node)
{
	const struct fabric *fabric = context;

	return !fabric->nodes[node].ready && fabric_pid(fabric, node);
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

	fabric_waits(fabric, began_ns,
		     "waiting for %s %s%s, %" PRIu32 " of %" PRIu32 " nodes are ready",
		     fabric_kind_name(fabric, late), fabric->plan->nodes[late].name,
		     fabric_process(fabric, late)->stopped_ns ? ", which is stopped" : "",
		     fabric->ready, expected);
}

static void wait_begin(const struct fabric *fabric, struct fabric_start_wait *wait)
{
	uint64_t patience_ns = fabric->options.watchdog_ns;

	wait->began_ns = wait->waited_from_ns = monotonic_ns();
	wait->ready_before = fabric->ready;
	if (patience_ns && patience_ns < FABRIC_READY_MS * 1000000ull)
		patience_ns = FABRIC_READY_MS * 1000000ull;
	watchdog_start(&wait->watchdog, patience_ns, wait->began_ns);
}

/* real clock: none became ready for FABRIC_READY_MS */
static bool start_is_late(const struct fabric *fabric, struct fabric_start_wait *wait)
{
	if (fabric->ready != wait->ready_before) {
		wait->ready_before = fabric->ready;
		wait->waited_from_ns = monotonic_ns();
	}
	return monotonic_ns() - wait->waited_from_ns > FABRIC_READY_MS * 1000000ull;
}

uint32_t fabric_unfiltered(const struct fabric *fabric)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		count += fabric->nodes[i].unfiltered;
	return count;
}

/* once for each fabric, to standard error: under `heddle up` the log */
static void unfiltered_tell(const struct fabric *fabric)
{
	uint32_t count = fabric_unfiltered(fabric);

	if (count)
		fprintf(stderr,
			"heddle: warning: %" PRIu32
			" nodes run without their system call filter, which the kernel or a "
			"sandbox refused; all else that confines them is in place\n",
			count);
}

int fabric_nodes_await(struct fabric *fabric)
{
	struct fabric_part part = { .what = "become ready", .owes = owes_ready, .context = fabric };
	struct fabric_start_wait wait;
	uint32_t expected = 0;

	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		expected += plan_here(fabric->plan, i);
	wait_begin(fabric, &wait);
	while (fabric->ready < expected) {
		if (fabric->options.real && death_tell(fabric))
			return -EIO;
		if (interrupt_seen())
			return -EINTR;
		if (fabric_watch_messages(fabric, FABRIC_SLICE_MS) ||
		    fabric_watch_children(fabric)) {
			if (fabric->options.real)
				death_tell(fabric);
			return -EIO;
		}
		ready_waits(fabric, wait.began_ns, expected);
		part.progress = fabric->ready;
		if (!fabric->options.real && fabric_watch_part(fabric, &wait.watchdog, &part))
			return -ETIMEDOUT;
		if (fabric->options.real && start_is_late(fabric, &wait)) {
			fabric_fail_node(fabric, first_late(fabric),
					 "did not become ready within %u s",
					 FABRIC_READY_MS / 1000);
			return -ETIMEDOUT;
		}
	}
	unfiltered_tell(fabric);
	return 0;
}

/* ---- descriptors in flight ---- */

/* nodes that start, without the one that waits for them */
struct taking {
	const struct fabric *fabric;
	uint32_t waiting;
};

static bool owes_taking(const void *context, uint32_t node)
{
	const struct taking *taking = context;

	return node != taking->waiting && owes_ready(taking->fabric, node);
}

int fabric_descriptors_await(struct fabric *fabric, uint32_t node, struct fabric_start_wait *wait)
{
	struct taking taking = { .fabric = fabric, .waiting = node };
	struct fabric_part part = { .what = "become ready",
				    .owes = owes_taking,
				    .context = &taking };
	uint32_t late = 0;

	if (!wait->began_ns)
		wait_begin(fabric, wait);
	if (interrupt_seen())
		return -EINTR;
	if (fabric_watch_messages(fabric, 1) || fabric_watch_children(fabric))
		return -EIO;
	while (late < fabric->plan->node_count && !owes_taking(&taking, late))
		late++;
	part.progress = fabric->ready;
	if (late == fabric->plan->node_count)
		fabric_waits(fabric, wait->began_ns,
			     "waiting until other programs of this user have received their file "
			     "descriptors");
	else
		fabric_waits(fabric, wait->began_ns,
			     "waiting for %s %s%s to receive its file descriptors, before %s %s "
			     "can start",
			     fabric_kind_name(fabric, late), fabric->plan->nodes[late].name,
			     fabric_process(fabric, late)->stopped_ns ? ", which is stopped," : "",
			     fabric_kind_name(fabric, node), fabric->plan->nodes[node].name);
	if (fabric->options.real && start_is_late(fabric, wait)) {
		fabric_fail_node(
			fabric, node,
			"cannot start: too many file descriptors have been in flight for %u s",
			FABRIC_READY_MS / 1000);
		return -ETIMEDOUT;
	}
	/* if none of this fabric's nodes is late, only other programs are waited for */
	return !fabric->options.real && late < fabric->plan->node_count &&
			       fabric_watch_part(fabric, &wait->watchdog, &part)
		       ? -ETIMEDOUT
		       : 0;
}
