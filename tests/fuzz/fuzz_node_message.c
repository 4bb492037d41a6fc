/*  Fuzzes orchestrator/fabric/fabric_watch (TB-23, TB-24): the meaning of messages that a node
 *  sends unasked, under either clock.
 *
 *  Input: how the fabric runs, which node sends, then messages, each with its length in front.
 *  What nodes/control/control lets pass reaches the fabric; the counts of nodes stay right, and
 *  every sentence that is kept ends. */
#include <assert.h>
#include <stdio.h>

#include "nodes/control/control.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "tests/fuzz/real_fabric.h"

static struct plan plan;
static struct fabric fabric;

static void set_up(uint8_t how)
{
	struct fabric_node *nodes = fabric.nodes;

	if (!plan.node_count) {
		real_plan(&plan);
		nodes = calloc(plan.node_count, sizeof(*nodes));
		stderr = fopen("/dev/null", "w"); /* words only: sanitizers use the descriptor */
		if (!nodes || !stderr)
			abort();
	}
	memset(nodes, 0, plan.node_count * sizeof(*nodes));
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options = { .real = how & 1, .whole = how & 2 },
				  .alive = plan.node_count };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t ready = 0;

	if (size < 2)
		return 0;
	set_up(data[0]);
	for (size_t at = 1; at + 2 <= size;) {
		uint32_t node = data[at] % plan.node_count;
		size_t length = data[at + 1];
		struct control_message message;
		struct why why;

		at += 2;
		if (length > size - at)
			length = size - at;
		if (!control_unpack(data + at, length, &message, &why)) {
			fabric_watch_message(&fabric, node, &message);
			control_message_free(&message);
		}
		at += length;
	}
	for (uint32_t i = 0; i < plan.node_count; i++) {
		ready += fabric.nodes[i].ready;
		assert(memchr(fabric.nodes[i].fate, 0, FABRIC_FATE_MAX));
		assert(memchr(fabric.nodes[i].loop, 0, FABRIC_LOOP_MAX));
	}
	assert(ready == fabric.ready && memchr(fabric.failure, 0, FABRIC_FAILURE_MAX));
	return 0;
}
