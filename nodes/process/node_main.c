/*  node_main - a node as a process: receives its configuration over the control socket, joins the
 *  clock, runs its windows.
 *
 *  A node knows nothing of the machine. Descriptor 3 is its control socket. The first message
 *  configures it and brings the clock page, the statistics page and the rings (control.h). Then
 *  node_run() repeats: wait for a window, run it, wake the nodes that the next one needs. Control
 *  messages are handled when the node sleeps.
 *  Nothing survives the orchestrator: the kernel kills a node whose parent dies, and a closed
 *  control socket ends it. Usage: NAME --parent=PID [--loop=auto|io_uring|fallback] [--core=N]
 *  [--poll=NS] */
#include "nodes/process/node_main.h"

#include <errno.h>
#include <stdbool.h>

#include "nodes/clock/turn.h"
#include "nodes/process/node_join.h"
#include "nodes/process/node_life.h"
#include "nodes/process/node_process.h"
#include "nodes/process/node_report.h"
#include "nodes/process/node_serve.h"
#include "nodes/process/process.h"

static int node_start(struct node *node, enum node_kind kind,
		      const struct process_arguments *arguments);
static int node_run(struct node *node);
static int node_run_real(struct node *node);

int node_main(int argc, char **argv, enum node_kind kind,
	      const struct node_ops *const ops[FABRIC_KINDS])
{
	struct process_arguments arguments;
	struct node node;
	int status = process_begin(argc, argv, &arguments);

	if (status)
		return status;
	node_init(&node, ops, CONTROL_FD);
	status = node_start(&node, kind, &arguments);
	if (!status)
		status = node.config->clock == CLOCK_REAL ? node_run_real(&node) : node_run(&node);
	node_end(&node);
	return status;
}

/* ---- start ---- */

static int pace_enter(struct node *node, const struct process_arguments *arguments)
{
	int error = node_join_pace(node, node->loop, 0);

	home_core_init(&node->home, arguments->core);
	node->pace.home = &node->home;
	pace_poll(&node->pace, arguments->poll_ns * NODE_NS);
	return error ? error : node_join_ports(node);
}

/* how the node waits, and what it does then */
static int clock_enter(struct node *node, const struct process_arguments *arguments,
		       struct why *loop)
{
	node->loop = event_loop_open(arguments->loop_kind, node->control, loop);
	if (!node->loop)
		return node_fail("%s", loop->text);
	if (node->config->clock == CLOCK_REAL)
		return pace_enter(node, arguments);
	node_window_init(&node->window, &node->clock, node->config, node->links, node->ops,
			 node->dataplane);
	return 0;
}

/*  Return: 0, or an exit status */
static int node_start(struct node *node, enum node_kind kind,
		      const struct process_arguments *arguments)
{
	bool unfiltered;
	struct control_message message = { 0 };
	struct why why;
	int error = control_receive(node->control, &message, 1, &why), status;

	if (error == -EINVAL) {
		node_fail("the configuration is wrong: %s", why.text);
		return PROCESS_WRONG;
	}
	if (error)
		return PROCESS_LOST;
	error = node_configure(node, &message, kind, NULL);
	if (!error)
		error = clock_enter(node, arguments, &why);
	if (error == -ENOMEM)
		node_fail("there is not enough memory for this node");
	control_message_free(&message);
	if (error)
		return PROCESS_WRONG;
	status = process_confine(arguments, node->config->clock, node_writes_files(node),
				 &unfiltered);
	if (status)
		return status;
	return process_ready(node->control, unfiltered, why.text) ? PROCESS_LOST : 0;
}

/* ---- the life of a node ---- */

/*  Return: the exit status */
static int node_run(struct node *node)
{
	struct turn turn;

	turn_init(&turn, &node->clock, node->loop, node->config->index, turn_cores());
	for (;;) {
		enum turn_kind kind = turn_wait(&turn);

		if (kind == TURN_ENDED)
			return PROCESS_FINE;
		if (kind == TURN_RUN) {
			uint32_t count = node_window_run(&node->window, node->wake);

			event_loop_wake(node->loop, node->clock.asleep, node->wake, count);
			if (node->window.broken != node->broken_told)
				node_tell_broken(node, node->window.broken);
		} else {
			if (node_serve(node))
				return PROCESS_LOST;
		}
	}
}

/*  Return: the exit status */
static int node_run_real(struct node *node)
{
	bool control = true;

	while (!pace_begun(&node->pace, &control)) {
		int status = control && node_serve(node) ? PROCESS_LOST : 0;

		if (status)
			return status;
	}
	node_captures_begin(node);
	control = true;
	do {
		int status = control && node_serve(node) ? PROCESS_LOST : 0;

		if (status)
			return status;
		pace_turn(&node->pace);
		if (node->pace.broken & ~node->broken_told)
			node_tell_broken(node, node->pace.broken);
	} while (pace_wait(&node->pace, &control));
	return PROCESS_FINE;
}
