#include "nodes/process/worker_real.h"

#include <unistd.h>

#include "nodes/process/node_join.h"
#include "nodes/process/node_life.h"
#include "nodes/process/node_serve.h"

int worker_real_enter(struct node *nodes, uint32_t count, struct event_loop *loop,
		      struct pace_group *group, const struct process_arguments *arguments)
{
	int error = event_loop_numbers(loop, count * EVENT_LOOP_FDS_MAX);

	if (!error)
		error = pace_group_init(group, count, loop, arguments->core,
					arguments->poll_ns * NODE_NS);
	for (uint32_t i = 0; i < count && !error; i++) {
		error = node_join_pace(&nodes[i], loop, i * EVENT_LOOP_FDS_MAX);
		pace_group_join(group, i, &nodes[i].pace);
	}
	/* all are there, so each finds which neighbours are of the group */
	for (uint32_t i = 0; i < count && !error; i++)
		error = node_join_ports(&nodes[i]);
	return error;
}

void worker_real_serve(struct node *node)
{
	if (!node_serve(node)) {
		pace_group_stir(node->pace.group, node->pace.place);
		return;
	}
	close(node->control); /* no event of it any more */
	node->control = -1;
	node_join_leave(node);
	pace_group_leave(node->pace.group, node->pace.place);
}

void worker_real_turn(struct node *node)
{
	struct pace *pace = &node->pace;

	pace_group_turn(pace->group, pace->place);
	if (pace->broken & ~node->broken_told)
		node_tell_broken(node, pace->broken);
}
