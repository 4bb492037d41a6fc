#include "nodes/process/node_life.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/process/node_capture.h"
#include "nodes/process/node_join.h"
#include "nodes/process/node_report.h"
#include "nodes/stats/trace.h"

#define LAST_ENTRIES 16u /* of the trace ring, after a failed invariant */

void node_init(struct node *node, const struct node_ops *const *ops, int control)
{
	*node = (struct node){ .ops_of_fabric = ops, .control = control, .doorbell = -1 };
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		node->peer_doorbells[port] = node->sockets[port] = -1;
	for (uint32_t i = 0; i < NIC_HOST_QUEUES_MAX; i++)
		node->host_sockets[i] = -1;
}

/* the orchestrator names the invariant, and the trace ring shows what led there (TB-22) */
static void invariant_report(const void *owner, const char *text)
{
	const struct node *node = owner;

	trace_print_last(node->stats, LAST_ENTRIES, stderr);
	node_fail("%s", text);
}

/* from now on a failed invariant has a name, a time and a trace ring */
static void invariants_attach(struct node *node)
{
	node->ensure_context = (struct ensure_context){ .node = node->config->name,
							.now_ps = &node->stats->now_ps,
							.owner = node,
							.report = invariant_report };
	ensure_context_set(&node->ensure_context);
}

void node_act(const struct node *node)
{
	ensure_context_set(&node->ensure_context);
	node_report_to(node->control);
}

static int config_take(struct node *node, struct control_message *message, enum node_kind kind)
{
	if (message->kind != CONTROL_CONFIGURE)
		return node_fail("the first message must be the configuration");
	node->config = message->config;
	message->config = NULL;
	if (node->config->kind != kind)
		return node_fail("a %s was given the configuration of a %s",
				 kind == NODE_SWITCH ? "switch" : "NIC",
				 kind == NODE_SWITCH ? "NIC" : "switch");
	return 0;
}

static int dataplane_make(struct node *node)
{
	node->ops = node->ops_of_fabric[node->config->fabric];
	node->dataplane = node->ops->create(node->config, node->links, node->stats);
	if (!node->dataplane)
		return -ENOMEM;
	managed_init(&node->managed, node->config, node->links, node->ops, node->dataplane);
	return 0;
}

int node_configure(struct node *node, struct control_message *message, enum node_kind kind,
		   const struct node_worker *worker)
{
	int error = config_take(node, message, kind);

	if (!error)
		error = worker ? node_join_packed(node, message, worker) : node_join(node, message);
	if (error)
		return error;
	invariants_attach(node);
	return dataplane_make(node);
}

bool node_writes_files(const struct node *node)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		if (node->captures[port])
			return true;
	return node->config->events;
}

void node_captures_begin(struct node *node)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++)
		if (node->captures[port])
			capture_epoch(node->captures[port], node->clock.page->epoch_utc_ns);
}

void node_tell_broken(struct node *node, uint64_t broken)
{
	uint64_t fresh = broken & ~node->broken_told;

	node->broken_told |= fresh;
	for (; fresh; fresh &= fresh - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(fresh);

		node_fail("p%u from %s: ring record breaks the rules", port,
			  node->config->ports[port].peer_name);
	}
}

void node_end(struct node *node)
{
	if (node->loop)
		event_loop_close(node->loop);
	managed_fini(&node->managed);
	if (node->dataplane)
		node->ops->destroy(node->dataplane);
	ensure_context_set(NULL);
	node_capture_end(node);
	node_join_end(node);
	if (node->config)
		node_config_free(node->config);
	free(node->config);
}
