#include "orchestrator/live/live_history.h"

#include <stdlib.h>

#include "nodes/stats/stats.h"
#include "orchestrator/live/live_describe.h"

/* ---- a note ---- */

static void note_free(struct live_history_note *note)
{
	free(note->nodes);
	free(note->waited_ns);
	free(note->tunnels);
	*note = (struct live_history_note){ 0 };
}

void live_history_free(struct live_history *history)
{
	for (uint32_t i = 0; i < LIVE_HISTORY_NOTES; i++)
		note_free(&history->notes[i]);
	*history = (struct live_history){ 0 };
}

static bool runs(const struct fabric *fabric, uint32_t node)
{
	return fabric_pid(fabric, node) && !stats_view_check(&fabric->nodes[node].view);
}

/* memory for all nodes that run; false: there is none */
static bool note_make(struct live_history_note *note, const struct plan *plan,
		      const struct fabric *fabric)
{
	size_t ports = 0, nodes = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		nodes += runs(fabric, i);
		ports += runs(fabric, i) ? plan->nodes[i].port_count : 0;
	}
	note->nodes = calloc(nodes, sizeof(*note->nodes));
	note->waited_ns = calloc(ports, sizeof(*note->waited_ns));
	if (note->nodes && note->waited_ns)
		return true;
	note_free(note);
	return false;
}

static void node_note(struct live_history_node *note, const struct node_config *config,
		      const struct fabric *fabric)
{
	const struct fabric_node *state = &fabric->nodes[note->index];

	note->pid = fabric_pid(fabric, note->index);
	note->active_ns = state->stats->active_ns;
	note->host_overrun_frames = state->stats->drops[DROP_HOST_OVERRUN];
	note->lateness = state->stats->lateness;
	for (uint32_t p = 0; p < config->port_count; p++)
		if (!config->ports[p].vacant)
			note->peers_waited_ns[p] =
				live_describe_peer_waited_ns(fabric, &config->ports[p]);
}

static void note_fill(struct live_history_note *note, const struct plan *plan,
		      const struct fabric *fabric)
{
	uint64_t *waited_ns = note->waited_ns;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct live_history_node *node = &note->nodes[note->node_count];

		if (!runs(fabric, i))
			continue;
		node->index = i;
		node->peers_waited_ns = waited_ns;
		node_note(node, &plan->nodes[i], fabric);
		waited_ns += plan->nodes[i].port_count;
		note->node_count++;
	}
}

static void tunnels_note(struct live_history_note *note, const struct tunnel *tunnel,
			 uint32_t machines)
{
	note->tunnels = calloc(machines, sizeof(*note->tunnels));
	note->tunnel_pid = tunnel->pid_shown;
	for (uint32_t m = 0; note->tunnels && m < machines; m++)
		note->tunnels[m] = (struct live_history_tunnel){
			.lost_frames = tunnel->page->peers[m].lost_frames,
			.lateness = tunnel->page->peers[m].lateness,
		};
}

/* the note that the next one replaces */
static struct live_history_note *oldest(struct live_history *history)
{
	struct live_history_note *note = &history->notes[0];

	for (uint32_t i = 1; i < LIVE_HISTORY_NOTES; i++)
		if (history->notes[i].at_ns < note->at_ns)
			note = &history->notes[i];
	return note;
}

uint64_t live_history_step(struct live_history *history, const struct plan *plan,
			   const struct fabric *fabric, uint64_t now_ns)
{
	struct live_history_note *note = oldest(history);

	if (!history->due_ns)
		history->due_ns = LIVE_HISTORY_STEP_NS;
	if (now_ns < history->due_ns)
		return history->due_ns - now_ns;
	history->due_ns = now_ns + LIVE_HISTORY_STEP_NS;
	note_free(note);
	if (!note_make(note, plan, fabric))
		return LIVE_HISTORY_STEP_NS;
	note->at_ns = now_ns;
	note_fill(note, plan, fabric);
	if (history->tunnel)
		tunnels_note(note, history->tunnel, plan->machine_count);
	return LIVE_HISTORY_STEP_NS;
}

/* ---- as JSON ---- */

static json_t *ports_describe(const struct live_history_node *note,
			      const struct node_config *config)
{
	json_t *ports = json_array();

	for (uint32_t p = 0; p < config->port_count; p++)
		if (!config->ports[p].vacant)
			json_array_append_new(
				ports, json_pack("{s:i, s:s, s:I}", "port", (int)p, "peer",
						 config->ports[p].peer_name, "peers_waited_ns",
						 (json_int_t)note->peers_waited_ns[p]));
	return ports;
}

static json_t *node_describe(const struct live_history_node *note, const struct node_config *config)
{
	return json_pack("{s:s, s:i, s:I, s:I, s:o, s:{s:I}, s:o}", "name", config->name, "pid",
			 (int)note->pid, "active_ns", (json_int_t)note->active_ns,
			 "lateness_max_ns", (json_int_t)note->lateness.max_ns, "lateness_counts",
			 live_describe_lateness(&note->lateness), "drops",
			 stats_drop_name[DROP_HOST_OVERRUN], (json_int_t)note->host_overrun_frames,
			 "ports", ports_describe(note, config));
}

static json_t *tunnel_describe(const struct live_history_note *note, const struct plan *plan,
			       uint32_t machine)
{
	const struct live_history_tunnel *tunnel = &note->tunnels[machine];
	char name[TUNNEL_NODE_NAME_MAX];

	return json_pack("{s:s, s:i, s:I, s:I, s:o}", "name",
			 tunnel_node_name(plan->machine_names[machine], name), "pid",
			 (int)note->tunnel_pid, "lost_frames", (json_int_t)tunnel->lost_frames,
			 "lateness_max_ns", (json_int_t)tunnel->lateness.max_ns, "lateness_counts",
			 live_describe_lateness(&tunnel->lateness));
}

/* the note that is a minute old or more */
static const struct live_history_note *minute_ago(const struct live_history *history,
						  uint64_t now_ns)
{
	for (uint32_t i = 0; i < LIVE_HISTORY_NOTES; i++) {
		const struct live_history_note *note = &history->notes[i];

		if (note->at_ns && now_ns - note->at_ns >= LIVE_HISTORY_MINUTE_NS)
			return note;
	}
	return NULL;
}

json_t *live_history_describe(const struct live_history *history, const struct plan *plan,
			      uint64_t now_ns)
{
	const struct live_history_note *note = minute_ago(history, now_ns);
	json_t *nodes;

	if (!note)
		return NULL;
	nodes = json_array();
	for (uint32_t i = 0; i < note->node_count; i++)
		json_array_append_new(
			nodes, node_describe(&note->nodes[i], &plan->nodes[note->nodes[i].index]));
	for (uint32_t m = 0; note->tunnels && m < plan->machine_count; m++)
		if (m != plan->machine)
			json_array_append_new(nodes, tunnel_describe(note, plan, m));
	return json_pack("{s:I, s:o}", "uptime_ns", (json_int_t)(note->at_ns / plan->dilation),
			 "nodes", nodes);
}
