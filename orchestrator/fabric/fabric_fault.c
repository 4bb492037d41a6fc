#include "orchestrator/fabric/fabric_fault.h"

#include "orchestrator/fabric/fabric_exchange.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/fabric/manager_pair.h"

/* The virtual clock is stopped, and both ends keep their rings. */
static int ends_notify(struct fabric *fabric, uint32_t link, enum control_kind kind)
{
	const struct plan_link *ends = &fabric->plan->links[link];
	const uint32_t nodes[2] = { ends->node_a, ends->node_b },
		       ports[2] = { ends->port_a, ends->port_b };
	int error = 0;

	for (int i = 0; i < 2 && !error; i++) {
		struct control_message message = {
			.kind = kind,
			.number = ports[i],
			.port = &fabric->plan->nodes[nodes[i]].ports[ports[i]]
		};

		error = fabric_tell(fabric, nodes[i], &message);
	}
	return error;
}

static int link_down_at(void *owner, uint32_t link)
{
	struct fabric *fabric = owner;

	return fabric->options.real ? fabric_link_down(fabric, link)
				    : ends_notify(fabric, link, CONTROL_LINK_DOWN);
}

static int link_up_at(void *owner, uint32_t link)
{
	struct fabric *fabric = owner;

	return fabric->options.real ? fabric_link_up(fabric, link)
				    : ends_notify(fabric, link, CONTROL_LINK_UP);
}

int fabric_drain_report(void *owner, uint32_t node, uint32_t port, const struct channel_set *left)
{
	char text[CHANNEL_SET_TEXT_MAX];
	struct control_message message = {
		.kind = CONTROL_LINK_DOWN, .number = port, .text = CONTROL_SETTLED, .body = text
	};

	channel_set_write(left, text);
	return fabric_tell(owner, node, &message);
}

static int manage_at(void *owner)
{
	return fabric_manage(owner);
}

static int manager_kill_at(void *owner)
{
	manager_pair_kill(((struct fabric *)owner)->options.managers);
	return 0;
}

const struct stats_page *fabric_page_of(void *owner, uint32_t node)
{
	return ((struct fabric *)owner)->nodes[node].stats;
}

struct fault_fabric fabric_fault(struct fabric *fabric)
{
	return (struct fault_fabric){ .owner = fabric,
				      .report_left =
					      fabric->options.real ? NULL : fabric_drain_report,
				      .link_down = link_down_at,
				      .link_up = link_up_at,
				      .manage = manage_at,
				      .manager_dies =
					      fabric->options.managers ? manager_kill_at : NULL,
				      .page = fabric_page_of };
}
