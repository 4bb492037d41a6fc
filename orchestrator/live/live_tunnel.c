#include "orchestrator/live/live_tunnel.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "orchestrator/live/live_describe.h"
#include "orchestrator/live/live_query.h"
#include "orchestrator/tunnel/tunnel_names.h"
#include "orchestrator/tunnel/tunnel_peer.h"

#define LOOK_MS 20
#define WAITS_NS 1000000000ull /* between two lines about a wait */

static const char *name_of(const struct live *live, uint32_t machine)
{
	return live->plan->machine_names[machine];
}

/* the machine at the far end of cut link @link */
static uint32_t machine_beyond(const struct plan *plan, uint32_t link)
{
	const struct plan_link *ends = &plan->links[link];

	return plan->machine_of[plan_elsewhere(plan, ends->node_a) ? ends->node_a : ends->node_b];
}

static bool is_cut(const struct plan *plan, uint32_t link)
{
	const struct plan_link *ends = &plan->links[link];

	return !ends->vacant &&
	       plan_elsewhere(plan, ends->node_a) != plan_elsewhere(plan, ends->node_b);
}

/* ---- waiting at the start ---- */

/* has `heddle up`, which waits at the other end of the pipe, ended? */
static bool asker_gone(int report_fd)
{
	struct pollfd polled = { report_fd, 0, 0 };

	return report_fd >= 0 && poll(&polled, 1, 0) > 0 && polled.revents & POLLERR;
}

/* tells what is waited for, once a second */
static void wait_tell(int report_fd, uint64_t *told_ns, const char *what)
{
	if (monotonic_ns() - *told_ns < WAITS_NS)
		return;
	*told_ns = monotonic_ns();
	if (report_fd >= 0)
		dprintf(report_fd, "%s\n", what);
}

int live_tunnel_open(struct live *live, const struct tunnel_options *options, struct why *why)
{
	uint64_t told_ns = monotonic_ns();
	int error;

	tunnel_init(&live->tunnel, options);
	if (!live->tunnel.options)
		return 0;
	while ((error = tunnel_connect(&live->tunnel, why)) == -EAGAIN) {
		if (interrupt_seen() || asker_gone(live->report_fd))
			return why_say(why, -EINTR, "interrupted");
		wait_tell(live->report_fd, &told_ns, why->text);
		usleep(LOOK_MS * 1000);
	}
	if (error)
		return error;
	error = tunnel_names_start(&live->tunnel);
	return error ? why_say(why, error,
			       "no process for the names of machines can be started: %s",
			       strerror(-error))
		     : 0;
}

static int tunnel_begin(void *owner, int clock_fd)
{
	struct live *live = owner;
	int error = tunnel_start(&live->tunnel, clock_fd, live->plan->link_count,
				 live->namespaces.rootless);

	live->history.tunnel = &live->tunnel;
	if (error)
		fabric_fail(&live->fabric, "the tunnel to other machines cannot be started: %s",
			    strerror(-error));
	return error;
}

static int doorbell(void *owner)
{
	return ((struct live *)owner)->tunnel.doorbell;
}

static int plug(void *owner, uint32_t link, const int fds[3])
{
	struct live *live = owner;
	struct tunnel_order order = { .kind = TUNNEL_PLUG,
				      .link = link,
				      .machine = machine_beyond(live->plan, link) };

	return tunnel_order(&live->tunnel, &order, fds, 3);
}

/* the first machine that is not as it must be; machine_count: all are */
static uint32_t first_missing(const struct live *live, bool ready)
{
	const struct tunnel *tunnel = &live->tunnel;
	uint32_t m = 0;

	while (m < live->plan->machine_count &&
	       (m == live->plan->machine ||
		(tunnel_connected(tunnel, m) && (!ready || tunnel->news[m].ready))))
		m++;
	return m;
}

static void missing_tell(struct live *live, uint32_t machine, bool ready, uint64_t *told_ns)
{
	const struct tunnel_address *address = &live->tunnel.options->machines[machine];
	const struct tunnel_counts *counts = &live->tunnel.page->peers[machine];
	const char *state = "";
	char what[TUNNEL_HOST_MAX + 256];

	if (live->tunnel.news[machine].state == TUNNEL_OTHER)
		state = ": it has another scenario, other settings, other machines or another "
			"version of heddle";
	else if (counts->drops[TUNNEL_DROP_FORGED])
		state = ": what comes from there is not sealed with this key";
	snprintf(what, sizeof(what),
		 ready ? "waiting for the nodes of machine %s (%s:%s)%s"
		       : "waiting for machine %s (%s:%s)%s",
		 address->name, address->host, address->port, state);
	wait_tell(live->report_fd, told_ns, what);
}

static int await(void *owner, bool ready)
{
	struct live *live = owner;
	struct tunnel_order order = { .kind = TUNNEL_AWAIT };
	struct pollfd polled = { .events = POLLIN };
	uint64_t told_ns = monotonic_ns();
	uint32_t missing;
	int error = ready ? tunnel_order(&live->tunnel, &order, NULL, 0) : 0;

	while (!error && (missing = first_missing(live, ready)) < live->plan->machine_count) {
		polled.fd = live->tunnel.control;
		poll(&polled, 1, LOOK_MS);
		tunnel_news_read(&live->tunnel);
		tunnel_names_look(&live->tunnel);
		if (fabric_watch_messages(&live->fabric, 0) || fabric_watch_children(&live->fabric))
			return -EIO;
		if (interrupt_seen() || asker_gone(live->report_fd))
			return -EINTR;
		if (!live->tunnel.pid) {
			fabric_fail(&live->fabric, "the tunnel process has ended: %s",
				    live->tunnel.fate);
			return -EIO;
		}
		missing_tell(live, missing, ready, &told_ns);
	}
	return error;
}

/* ---- what is up ---- */

static bool there(void *owner, uint32_t node)
{
	const struct live *live = owner;

	return tunnel_connected(&live->tunnel, live->plan->machine_of[node]);
}

static bool is_listed(const struct tunnel_state *state, uint32_t link)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (state->down[i] == link)
			return true;
	return false;
}

/* as other machines say */
static bool up(void *owner, uint32_t link)
{
	const struct live *live = owner;
	const struct plan_link *ends = &live->plan->links[link];

	for (int end = 0; end < 2; end++) {
		uint32_t node = end ? ends->node_b : ends->node_a;
		uint32_t machine = live->plan->machine_of[node];

		if (machine != live->plan->machine &&
		    (!tunnel_connected(&live->tunnel, machine) ||
		     is_listed(&live->tunnel.news[machine].down, link)))
			return false;
	}
	return !ends->down;
}

const struct fabric_tunnel live_tunnel_calls = { .start = tunnel_begin,
						 .doorbell = doorbell,
						 .plug = plug,
						 .await = await,
						 .there = there,
						 .up = up };

/* ---- following ---- */

void live_tunnel_child_ended(struct live *live, pid_t pid, int status)
{
	struct tunnel *tunnel = &live->tunnel;

	if (tunnel->options && pid == tunnel->names_pid)
		tunnel_names_ended(tunnel);
	if (!tunnel->options || pid != tunnel->pid)
		return;
	tunnel_ended(tunnel, status);
	if (!live->ending)
		live_note("the tunnel process (pid %d) is dead: %s; links to other machines are "
			  "down, 'heddle down' and 'heddle up' bring them back",
			  (int)pid, tunnel->fate);
}

static bool is_dead(const struct live *live, uint32_t node)
{
	return plan_here(live->plan, node) && !fabric_pid(&live->fabric, node);
}

/* is a link down with an end on this machine? */
static bool is_down_here(const struct live *live, uint32_t link)
{
	const struct plan *plan = live->plan;
	const struct plan_link *ends = &plan->links[link];

	return !ends->vacant && (plan_here(plan, ends->node_a) || plan_here(plan, ends->node_b)) &&
	       (ends->down || is_dead(live, ends->node_a) || is_dead(live, ends->node_b));
}

/* The links that are down at this side, for the other machines: those to them first, since they
 * send on them. Others change their routes. Return: false if there are more. */
static bool own_state(const struct live *live, struct tunnel_state *state)
{
	const struct plan *plan = live->plan;

	for (uint32_t n = 0; n < 2 * plan->link_count; n++) {
		uint32_t link = n % plan->link_count;

		if (is_cut(plan, link) != (n < plan->link_count) || !is_down_here(live, link))
			continue;
		if (state->count == TUNNEL_DOWN_MAX)
			return false;
		state->down[state->count++] = link;
	}
	return true;
}

static void own_state_tell(struct live *live)
{
	struct tunnel_order order = { .kind = TUNNEL_DOWN };
	bool all = own_state(live, &order.down);

	if (live->tunnel_told.count == order.down.count &&
	    !memcmp(live->tunnel_told.down, order.down.down,
		    order.down.count * sizeof(*order.down.down)))
		return;
	if (!tunnel_order(&live->tunnel, &order, NULL, 0))
		live->tunnel_told = order.down;
	if (!all)
		live_note("more than %u links are down: the other machines do not learn of all",
			  TUNNEL_DOWN_MAX);
}

static void state_note(const struct live *live, uint32_t machine)
{
	const struct tunnel_address *address = &live->tunnel.options->machines[machine];
	const char *name = name_of(live, machine);

	switch (live->tunnel.news[machine].state) {
	case TUNNEL_CONNECTED:
		live_note("machine %s is connected", name);
		break;
	case TUNNEL_SILENT:
		live_note("machine %s is silent: nothing has come from %s:%s for %u s; its links "
			  "are down",
			  name, address->host, address->port,
			  (unsigned)(TUNNEL_SILENT_NS / 1000000000ull));
		break;
	case TUNNEL_ENDED:
		live_note("machine %s has ended its fabric; its links are down", name);
		break;
	case TUNNEL_OTHER:
		live_note("machine %s has another scenario, other settings, other machines or "
			  "another version",
			  name);
		break;
	default:
		live_note("machine %s connects again; its links are down until then", name);
		break;
	}
}

/* takes cut links down and up as the machines at their far ends say */
static void cuts_follow(struct live *live, uint32_t machine, bool again)
{
	const struct plan *plan = live->plan;

	for (uint32_t i = 0; i < plan->link_count; i++) {
		bool now, was;
		int error;

		if (!is_cut(plan, i) || machine_beyond(plan, i) != machine)
			continue;
		now = up(live, i);
		was = !live->cut_down[i];
		live->cut_down[i] = !now;
		if (now == was && !(now && again))
			continue;
		error = now ? fabric_link_up(&live->fabric, i) : fabric_link_down(&live->fabric, i);
		if (error)
			live_note("link %u to machine %s cannot be %s: %s", i,
				  name_of(live, machine), now ? "made again" : "taken down",
				  live_reason(live, error));
	}
}

static bool machine_follow(struct live *live, uint32_t machine)
{
	const struct tunnel_news *news = &live->tunnel.news[machine];
	struct tunnel_news *seen = &live->tunnel_seen[machine];
	bool connected = tunnel_connected(&live->tunnel, machine);
	bool again = seen->connects && news->connects != seen->connects;
	bool changed = connected != live->tunnel_there[machine] || again ||
		       memcmp(&news->down, &seen->down, sizeof(news->down)) != 0;

	if (live->tunnel.pid && news->state != seen->state && seen->connects)
		state_note(live, machine);
	*seen = *news;
	live->tunnel_there[machine] = connected;
	if (changed)
		cuts_follow(live, machine, again);
	return changed;
}

bool live_tunnel_watch(struct live *live)
{
	bool changed = false;

	if (!live->tunnel.options)
		return false;
	tunnel_news_read(&live->tunnel);
	tunnel_names_look(&live->tunnel);
	own_state_tell(live);
	for (uint32_t m = 0; m < live->plan->machine_count; m++)
		if (m != live->plan->machine)
			changed |= machine_follow(live, m);
	return changed;
}

void live_tunnel_close(struct live *live)
{
	tunnel_end(&live->tunnel);
}

/* ---- description ---- */

static const char *state_of(const struct live *live, uint32_t machine)
{
	return live->tunnel.pid ? tunnel_peer_state_name[live->tunnel.news[machine].state] : "dead";
}

static uint64_t drops_of(const struct tunnel_counts *counts, json_t *drops)
{
	uint64_t sum = 0;

	for (int reason = 0; reason < TUNNEL_DROPS; reason++) {
		sum += counts->drops[reason];
		if (drops && counts->drops[reason])
			member_put(drops, tunnel_drop_name[reason], counts->drops[reason]);
	}
	return sum;
}

/* what depends on the machine: its hosts, and the cut links to it */
static json_t *machine_describe(const struct live *live, uint32_t machine)
{
	const struct plan *plan = live->plan;
	json_t *hosts = json_array(), *links = json_array();

	for (uint32_t i = plan->switch_count; i < plan->node_count; i++)
		if (!plan_vacant(plan, i) && plan->machine_of[i] == machine)
			json_array_append_new(hosts, json_string(plan->nodes[i].name));
	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *ends = &plan->links[i];
		char text[2 * NODE_NAME_MAX];

		if (!is_cut(plan, i) || machine_beyond(plan, i) != machine)
			continue;
		snprintf(text, sizeof(text), "%s:%s", plan->nodes[ends->node_a].name,
			 plan->nodes[ends->node_b].name);
		json_array_append_new(links, json_string(text));
	}
	return json_pack("{s:s, s:b, s:o, s:o}", "name", name_of(live, machine), "here",
			 machine == plan->machine, "hosts", hosts, "links", links);
}

static void tunnel_put(const struct live *live, uint32_t machine, json_t *object)
{
	const struct tunnel_address *address = &live->tunnel.options->machines[machine];
	const struct tunnel_counts *counts = &live->tunnel.page->peers[machine];
	json_t *drops = json_object();
	char place[TUNNEL_HOST_MAX + 16];

	snprintf(place, sizeof(place), "%s:%s", address->host, address->port);
	json_object_set_new(object, "address", json_string(place));
	json_object_set_new(object, "state", json_string(state_of(live, machine)));
	member_put(object, "round_trip_ns", counts->round_trip_ns);
	member_put(object, "datagram_bytes", counts->datagram_bytes);
	member_put(object, "sent_datagrams", counts->sent_datagrams);
	member_put(object, "sent_bytes", counts->sent_bytes);
	member_put(object, "received_datagrams", counts->received_datagrams);
	member_put(object, "received_bytes", counts->received_bytes);
	member_put(object, "sent_frames", counts->sent_frames);
	member_put(object, "received_frames", counts->received_frames);
	member_put(object, "fragmented_frames", counts->fragmented);
	member_put(object, "lost_frames", counts->lost_frames);
	member_put(object, "late_frames", counts->late_frames);
	drops_of(counts, drops);
	json_object_set_new(object, "drops", drops);
}

/* the tunnel to a machine as a node: nothing absorbs its lateness, which is beyond the delays of
 * links already */
static json_t *node_describe(const struct live *live, uint32_t machine)
{
	const struct tunnel_counts *counts = &live->tunnel.page->peers[machine];
	struct lateness_stats lateness = counts->lateness;
	char name[TUNNEL_NODE_NAME_MAX];
	json_t *object, *drops = json_object();

	tunnel_node_name(name_of(live, machine), name);
	object = json_pack(
		"{s:s, s:s, s:i, s:s, s:I, s:s, s:I, s:I, s:b}", "kind", "tunnel", "name", name,
		"pid", (int)live->tunnel.pid_shown, "state", state_of(live, machine), "uptime_ns",
		(json_int_t)(monotonic_ns() - live->since_ns), "fate", live->tunnel.fate, "cpu_ns",
		(json_int_t)0, "memory_bytes", (json_int_t)0, "readable", true);
	member_put(object, "sent_packets", counts->sent_frames);
	member_put(object, "sent_bytes", counts->sent_bytes);
	member_put(object, "received_packets", counts->received_frames);
	member_put(object, "received_bytes", counts->received_bytes);
	member_put(object, "queue_bytes", 0);
	json_object_set_new(object, "ports", json_array());
	member_put(object, "dropped_packets", drops_of(counts, drops));
	member_put(object, "unwanted_packets", 0);
	json_object_set_new(object, "drops", drops);
	member_put(object, "lost_frames", counts->lost_frames);
	member_put(object, "links_absorb_ns", 0);
	member_put(object, "lateness_max_ns", lateness.max_ns);
	json_object_set_new(object, "lateness_counts", live_describe_lateness(&lateness));
	return object;
}

void live_tunnel_put(const struct live *live, json_t *object, json_t *nodes)
{
	json_t *machines;

	if (!live->tunnel.options || !live->tunnel.page)
		return;
	machines = json_array();
	for (uint32_t m = 0; m < live->plan->machine_count; m++) {
		json_t *machine = machine_describe(live, m);

		if (m != live->plan->machine) {
			tunnel_put(live, m, machine);
			json_array_append_new(nodes, node_describe(live, m));
		}
		json_array_append_new(machines, machine);
	}
	json_object_set_new(object, "machine", json_string(name_of(live, live->plan->machine)));
	json_object_set_new(object, "machines", machines);
	json_object_set_new(object, "tunnel_pid", json_integer(live->tunnel.pid));
	json_object_set_new(object, "tunnel_fate", json_string(live->tunnel.fate));
}
