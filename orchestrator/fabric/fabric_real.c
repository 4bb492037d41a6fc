#include "orchestrator/fabric/fabric_real.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/fabric_time.h"
#include "nodes/process/process_look.h"
#include "orchestrator/base/descriptor.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_ask.h"
#include "orchestrator/fabric/fabric_fault.h"
#include "orchestrator/fabric/fabric_start.h"
#include "orchestrator/fabric/fabric_watch.h"

#define LOOK_NS 5000000ull
#define IDLE_NS 20000000ull
/* shortest time between two looks at links that drain, of the machine */
#define DRAIN_LOOK_MIN_PS NODE_MS

node_time_t fabric_real_now(const struct fabric *fabric)
{
	return fabric_time_at(fabric->page, monotonic_ns());
}

/* Do all nodes sleep without an event due? @events handled by them so far. Each node states it in
 * its own statistics page, which no other node can write: a node with a wrong statement harms only
 * its own work (TB-23). */
static bool all_asleep(const struct fabric *fabric, uint64_t *events)
{
	*events = 0;
	for (uint32_t i = 0; i < fabric->plan->node_count; i++) {
		const struct stats_page *stats = fabric->nodes[i].stats;

		if (!stats ||
		    __atomic_load_n(&stats->sleeps_ps, __ATOMIC_RELAXED) != NODE_TIME_NEVER)
			return false;
		*events += stats->events;
	}
	return true;
}

/* A node that was woken states that it sleeps until it has a core. */
static bool none_wants_core(const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		if (process_wants_core(fabric_pid(fabric, i)))
			return false;
	return true;
}

/* A node states that it sleeps before it reads its rings for the last time, so one look is not
 * enough: all must have slept for IDLE_NS without an event in between, and none may wait for a core
 * with a frame in its ring. */
static void idle_look(struct fabric *fabric)
{
	uint64_t events, now_ns = monotonic_ns();

	if (fabric->link_drain.count || !all_asleep(fabric, &events)) {
		fabric->idle_since_ns = 0;
	} else if (!fabric->idle_since_ns || events != fabric->idle_events) {
		fabric->idle_since_ns = now_ns;
		fabric->idle_events = events;
	}
	fabric->idle = fabric->idle_since_ns && now_ns - fabric->idle_since_ns >= IDLE_NS &&
		       none_wants_core(fabric) && all_asleep(fabric, &events) &&
		       events == fabric->idle_events;
}

/* sleeps until @until_ns or a signal, at most LOOK_NS */
static void doze(uint64_t until_ns)
{
	uint64_t now_ns = monotonic_ns(), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec time = { .tv_nsec = (long)(left_ns < LOOK_NS ? left_ns : LOOK_NS) };

	nanosleep(&time, NULL);
}

/* ---- flows whose link failed (FC-15, FC-26) ---- */

/* a dead node waits for nothing; a stopped one receives the message when it continues */
static int drain_report(void *owner, uint32_t node, uint32_t port, const struct channel_set *left)
{
	struct fabric *fabric = owner;

	if (fabric_pid(fabric, node))
		fabric_drain_report(fabric, node, port, left);
	return 0;
}

int fabric_drain_init(struct fabric *fabric)
{
	const struct link_drain_fabric callbacks = { .owner = fabric,
						     .report_left = drain_report,
						     .page = fabric_page_of };

	fabric->drain_look_at = NODE_TIME_NEVER;
	return link_drain_init(&fabric->link_drain, fabric->plan, &callbacks);
}

/* @link has failed. @a_dead, @b_dead the node at that end was not notified */
static void drain_begin(struct fabric *fabric, uint32_t link, bool a_dead, bool b_dead)
{
	node_time_t now = fabric_real_now(fabric);

	link_drain_begin(&fabric->link_drain, link, a_dead, b_dead, now);
	fabric->drain_look_at =
		node_time_min(fabric->drain_look_at, link_drain_next_at(&fabric->link_drain, now));
}

uint64_t fabric_drain_step(struct fabric *fabric)
{
	node_time_t now = fabric_real_now(fabric);

	if (now >= fabric->drain_look_at) {
		link_drain_look(&fabric->link_drain, now);
		fabric->drain_look_at = link_drain_next_at(&fabric->link_drain, now);
	}
	if (fabric->drain_look_at == NODE_TIME_NEVER)
		return UINT64_MAX;
	return node_time_max(fabric_time_takes(fabric->page, fabric->drain_look_at - now),
			     DRAIN_LOOK_MIN_PS) /
	       NODE_NS;
}

enum fabric_state fabric_real_wait(struct fabric *fabric, node_time_t until_ps, uint32_t timeout_ms)
{
	uint64_t began_ns = monotonic_ns(), end_ns = began_ns + timeout_ms * 1000000ull;
	uint64_t until_ns = fabric_time_monotonic_ns(fabric->page, until_ps);
	enum fabric_state state = FABRIC_RUNNING;

	while (state == FABRIC_RUNNING) {
		fabric_drain_step(fabric);
		idle_look(fabric);
		if (fabric_watch_children(fabric) || fabric_watch_messages(fabric, 0))
			state = FABRIC_FAILED;
		else if (interrupt_seen())
			state = FABRIC_INTERRUPTED;
		else if (fabric->idle || monotonic_ns() >= until_ns)
			state = FABRIC_STOPPED;
		else if (monotonic_ns() >= end_ns)
			break;
		else
			doze(until_ns < end_ns ? until_ns : end_ns);
	}
	fabric->run_ns += monotonic_ns() - began_ns;
	return state;
}

int fabric_tell(struct fabric *fabric, uint32_t node, struct control_message *message)
{
	const char *why;
	int error;

	if (!fabric_pid(fabric, node))
		return -ESRCH;
	error = fabric_ask(fabric, node, message);
	why = !error && message->body && message->body[0] ? message->body
							  : strerror(-(int)message->number);
	if (error && error != -EINTR)
		fabric_fail_node(fabric, node, "%s",
				 fabric_process(fabric, node)->stopped_ns
					 ? "is stopped and does not answer"
					 : "does not answer");
	else if (message->number)
		fabric_fail_node(fabric, node, "refuses: %.*s", (int)strcspn(why, "\n"), why);
	if (!error)
		error = (int)message->number;
	control_message_free(message);
	return error;
}

/* @vacant: the port has no link any more */
static int end_down(struct fabric *fabric, uint32_t node, uint32_t port, bool vacant)
{
	const struct port_config *was = &fabric->plan->nodes[node].ports[port];
	struct port_config without = { .vacant = true,
				       .channels = was->channels,
				       .mtu_bytes = was->mtu_bytes };
	struct control_message message = { .kind = CONTROL_LINK_DOWN,
					   .number = port,
					   .port = vacant ? &without : NULL };

	return fabric_pid(fabric, node) ? fabric_tell(fabric, node, &message) : 0;
}

static int link_take_down(struct fabric *fabric, uint32_t link, bool vacant)
{
	const struct plan_link *ends = &fabric->plan->links[link];
	int error = end_down(fabric, ends->node_a, ends->port_a, vacant);
	int error_b = end_down(fabric, ends->node_b, ends->port_b, vacant);

	drain_begin(fabric, link, error || !fabric_pid(fabric, ends->node_a),
		    error_b || !fabric_pid(fabric, ends->node_b));
	return error ? error : error_b;
}

int fabric_link_down(struct fabric *fabric, uint32_t link)
{
	return link_take_down(fabric, link, false);
}

static int end_up(struct fabric *fabric, uint32_t node, uint32_t port)
{
	struct control_message message = { .kind = CONTROL_LINK_UP,
					   .number = port,
					   .port = &fabric->plan->nodes[node].ports[port] };
	int error;

	if (!fabric_pid(fabric, node))
		return 0;
	error = fabric_port_descriptors(fabric, node, port, message.fds, &message.fd_count);
	return error ? error : fabric_tell(fabric, node, &message);
}

/* should @link carry frames: not down, and both nodes alive? */
static bool link_carries(const struct fabric *fabric, const struct plan_link *link)
{
	bool cut = plan_elsewhere(fabric->plan, link->node_a) ||
		   plan_elsewhere(fabric->plan, link->node_b);

	return !link->down && fabric_there(fabric, link->node_a) &&
	       fabric_there(fabric, link->node_b) &&
	       (!cut || fabric->options.tunnel->up(fabric->options.owner,
						   (uint32_t)(link - fabric->plan->links)));
}

int fabric_link_up(struct fabric *fabric, uint32_t link)
{
	const struct plan_link *ends = &fabric->plan->links[link];
	int error = fabric_link_down(fabric, link);

	if (!error && link_carries(fabric, ends)) {
		error = end_up(fabric, ends->node_a, ends->port_a)
				?: end_up(fabric, ends->node_b, ends->port_b);
		if (error)
			fabric_link_down(fabric, link);
	}
	fabric_link_release(fabric, link);
	return error;
}

static int end_set(struct fabric *fabric, uint32_t node, uint32_t port)
{
	struct control_message message = { .kind = CONTROL_LINK_SET,
					   .number = port,
					   .port = &fabric->plan->nodes[node].ports[port] };

	return plan_elsewhere(fabric->plan, node) ? 0 : fabric_tell(fabric, node, &message);
}

/* applies the plan's settings to @link. @replace: by a new link */
static int link_follow(struct fabric *fabric, uint32_t link, bool replace)
{
	const struct plan_link *ends = &fabric->plan->links[link];
	int error_a, error_b;

	if (!link_carries(fabric, ends))
		return 0;
	if (replace)
		return fabric_link_up(fabric, link);
	error_a = end_set(fabric, ends->node_a, ends->port_a);
	error_b = end_set(fabric, ends->node_b, ends->port_b);
	return error_a ? error_a : error_b;
}

int fabric_link_set(struct fabric *fabric, uint32_t link, const struct link_config *to_b,
		    const struct link_config *to_a)
{
	const struct plan_link *ends = &fabric->plan->links[link];
	struct port_config *a = &fabric->plan->nodes[ends->node_a].ports[ends->port_a];
	struct port_config *b = &fabric->plan->nodes[ends->node_b].ports[ends->port_b];
	const struct port_config a_was = *a, b_was = *b;
	bool replace, loses = link_loses(to_b) || link_loses(to_a);
	int error;

	/* in the plan, from which a link is made when it returns */
	port_direction_put(a, b, to_b);
	port_direction_put(b, a, to_a);
	if (plan_fabric(fabric->plan) != FABRIC_ROCE && loses)
		a->guarded = b->guarded = true;
	replace = a->guarded != a_was.guarded;
	error = link_follow(fabric, link, replace);
	if (error) {
		*a = a_was;
		*b = b_was;
		link_follow(fabric, link, replace);
	}
	return error;
}

int fabric_node_isolate(struct fabric *fabric, uint32_t node)
{
	const struct node_config *config = &fabric->plan->nodes[node];
	int error = 0;

	for (uint32_t port = 0; port < config->port_count; port++) {
		uint32_t link = config->ports[port].link_index;
		int error_port;

		if (config->ports[port].vacant)
			continue;
		error_port = end_down(fabric, config->ports[port].peer_index,
				      config->ports[port].peer_port, false);
		drain_begin(fabric, link, fabric->plan->links[link].node_a == node,
			    fabric->plan->links[link].node_b == node);
		error = error ? error : error_port;
	}
	return error;
}

/* sets the state of the links of @node, which starts with all of them up */
static int node_link(struct fabric *fabric, uint32_t node)
{
	const struct node_config *config = &fabric->plan->nodes[node];
	int error = 0;

	for (uint32_t port = 0; port < config->port_count && !error; port++) {
		const struct port_config *own = &config->ports[port];

		if (own->vacant)
			continue;
		error = link_carries(fabric, &fabric->plan->links[own->link_index])
				? end_up(fabric, own->peer_index, own->peer_port)
				: end_down(fabric, node, port, false);
	}
	return error;
}

static void links_release(struct fabric *fabric, uint32_t node)
{
	const struct node_config *config = &fabric->plan->nodes[node];

	for (uint32_t port = 0; port < config->port_count; port++)
		if (!config->ports[port].vacant)
			fabric_link_release(fabric, config->ports[port].link_index);
}

static void node_kill(struct fabric *fabric, uint32_t node)
{
	uint64_t until_ns = monotonic_ns() + FABRIC_END_MS * 1000000ull;

	if (fabric->nodes[node].pid)
		kill(fabric->nodes[node].pid, SIGKILL);
	while (fabric->nodes[node].pid && monotonic_ns() < until_ns) {
		fabric_watch_children(fabric);
		usleep(200);
	}
}

int fabric_node_restart(struct fabric *fabric, uint32_t node)
{
	int error;

	if (fabric_pid(fabric, node))
		return -EEXIST;
	error = fabric_node_isolate(fabric, node)
			?: fabric_node_again(fabric, node)
			?: node_link(fabric, node);
	links_release(fabric, node);
	if (error) {
		node_kill(fabric, node);
		fabric_node_isolate(fabric, node);
	}
	return error;
}

/* ---- what joins and leaves ---- */

int fabric_link_remove(struct fabric *fabric, uint32_t link)
{
	return link_take_down(fabric, link, true);
}

void fabric_node_remove(struct fabric *fabric, uint32_t node)
{
	struct fabric_node *state = &fabric->nodes[node];

	if (!fabric_pack_leave(fabric, node))
		node_kill(fabric, node);
	descriptor_close(&state->control);
	descriptor_close(&state->doorbell);
	stats_view_unmap(&state->view);
	fabric->ready -= state->ready;
	*state = (struct fabric_node){ .control = -1, .doorbell = -1, .lead = node, .slot = node };
}
