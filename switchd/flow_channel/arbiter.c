#include "switchd/flow_channel/arbiter.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/ensure.h"

int arbiter_init(struct arbiter *arbiter, enum arbiter_kind kind, struct ifct *ifcts,
		 uint32_t port_count, uint32_t quantum_bytes)
{
	*arbiter = (struct arbiter){
		.ifcts = ifcts,
		.group_count = kind == ARBITER_BY_PORT ? port_count : 1,
		.quantum_bytes = (int32_t)quantum_bytes,
		.empty = true,
	};
	arbiter->groups = malloc(arbiter->group_count * sizeof(*arbiter->groups));
	if (!arbiter->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < arbiter->group_count; i++)
		arbiter->groups[i] = (struct arbiter_group){ .flows.first = FLOW_REF_NONE };
	return 0;
}

void arbiter_fini(struct arbiter *arbiter)
{
	free(arbiter->groups);
	*arbiter = (struct arbiter){ 0 };
}

static void append_group(struct arbiter *arbiter, uint8_t index)
{
	if (arbiter->empty)
		arbiter->head = index;
	else
		arbiter->groups[arbiter->tail].next = index;
	arbiter->tail = index;
	arbiter->empty = false;
}

static void drop_first_group(struct arbiter *arbiter)
{
	struct arbiter_group *group = &arbiter->groups[arbiter->head];

	ENSURE(arbiter->empty, ==, false);
	group->turn = false;
	if (arbiter->head == arbiter->tail)
		arbiter->empty = true;
	else
		arbiter->head = group->next;
}

void arbiter_add(struct arbiter *arbiter, uint32_t ref)
{
	struct ifct_entry *flow = flow_of(arbiter->ifcts, ref);
	uint8_t index = arbiter->group_count > 1 ? (uint8_t)flow_ref_port(ref) : 0;
	struct arbiter_group *group = &arbiter->groups[index];
	bool group_was_empty = group->flows.first == FLOW_REF_NONE;

	ENSURE(flow->queue.head, !=, NULL);
	arbiter->flow_count++;
	flow->deficit_bytes = 0;
	flow->turn = false;
	flow_list_push(arbiter->ifcts, &group->flows, ref);
	if (!group_was_empty)
		return;
	group->deficit_bytes = 0;
	group->turn = false;
	append_group(arbiter, index);
}

/* the first group's turn is over: it goes to the end */
static void rotate_groups(struct arbiter *arbiter)
{
	uint8_t index = arbiter->head;

	drop_first_group(arbiter);
	append_group(arbiter, index);
}

static void rotate_flows(struct arbiter *arbiter, struct arbiter_group *group)
{
	flow_of(arbiter->ifcts, group->flows.first)->turn = false;
	if (group->flows.first != group->flows.last)
		flow_list_push(arbiter->ifcts, &group->flows,
			       flow_list_pop(arbiter->ifcts, &group->flows));
}

/* A turn adds one quantum, and no frame is longer than that: each loop ends after one round at
 * most. */
uint32_t arbiter_turn(struct arbiter *arbiter)
{
	for (;;) {
		struct arbiter_group *group = &arbiter->groups[arbiter->head];
		struct ifct_entry *flow = flow_of(arbiter->ifcts, group->flows.first);
		int32_t bytes = (int32_t)flow->queue.head->frame_bytes;

		if (!group->turn) {
			group->turn = true;
			group->deficit_bytes += arbiter->quantum_bytes;
		}
		if (!flow->turn) {
			flow->turn = true;
			flow->deficit_bytes += arbiter->quantum_bytes;
		}
		if (flow->deficit_bytes < bytes)
			rotate_flows(arbiter, group);
		else if (arbiter->group_count > 1 && group->deficit_bytes < bytes)
			rotate_groups(arbiter);
		else
			return group->flows.first;
	}
}

void arbiter_served(struct arbiter *arbiter, uint32_t bytes)
{
	struct arbiter_group *group = &arbiter->groups[arbiter->head];
	struct ifct_entry *flow = flow_of(arbiter->ifcts, group->flows.first);

	ENSURE(flow->deficit_bytes, >=, (int32_t)bytes);
	group->deficit_bytes -= (int32_t)bytes;
	flow->deficit_bytes -= (int32_t)bytes;
	if (arbiter->group_count == 1)
		group->deficit_bytes = 0; /* a group alone shares with none */
	if (!flow->queue.head)
		arbiter_remove_first(arbiter);
}

void arbiter_remove_first(struct arbiter *arbiter)
{
	struct arbiter_group *group = &arbiter->groups[arbiter->head];

	ENSURE(arbiter->flow_count, >, 0u);
	arbiter->flow_count--;
	flow_list_pop(arbiter->ifcts, &group->flows);
	if (group->flows.first == FLOW_REF_NONE)
		drop_first_group(arbiter);
}

uint32_t arbiter_look(const struct arbiter *arbiter, uint32_t *refs, uint32_t max)
{
	uint32_t count = 0, index = arbiter->head;

	while (!arbiter->empty && count < max) {
		const struct arbiter_group *group = &arbiter->groups[index];

		for (uint32_t ref = group->flows.first; ref != FLOW_REF_NONE && count < max;
		     ref = flow_of(arbiter->ifcts, ref)->next_ref)
			refs[count++] = ref;
		if (index == arbiter->tail)
			break;
		index = group->next;
	}
	return count;
}
