#include "orchestrator/live/live_outside.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/live/live_room.h"

/* connects host @index to the machine's network.
 * @text  on success one sentence about it.
 * Return: 0, or -errno with the reason in @text. At most some seconds. */
static int outside_start(struct live *live, uint32_t index, struct why *text)
{
	struct live_outside_state *state = &live->outside[index];
	const struct host_net *host = &live->hosts[index];
	struct why why;
	bool routed;
	pid_t pid;
	int error = outside_connect(&live->connector, index, host->net_fd,
				    live->namespaces.rootless ? live->namespaces.user_fd : -1, &pid,
				    &why);

	if (error) {
		why_say(text, 0, "host %s: %s", plan_host_name(live->plan, index), why.text);
		return error;
	}
	*state = (struct live_outside_state){ .pid = pid };
	error = outside_configure(host->net_fd, live->namespaces.net_fd, &routed);
	if (error) {
		live_outside_stop(live, index);
		why_say(text, 0, "host %s: interface " OUTSIDE_INTERFACE ": %s",
			plan_host_name(live->plan, index), strerror(-error));
		return error;
	}
	why_say(text, 0,
		"host %s reaches the machine's network by " OUTSIDE_INTERFACE
		" (slirp4netns, pid %d); resolver " OUTSIDE_RESOLVER "%s",
		plan_host_name(live->plan, index), (int)pid,
		routed ? "" : "; the default route is its own, by another interface");
	return 0;
}

int live_outside_start_all(struct live *live, struct why *text)
{
	const struct plan *plan = live->plan;
	int error = 0;

	for (uint32_t i = 0; i < plan->host_count && !error; i++)
		if (plan_here(plan, plan_host_node(plan, i)) && !plan->hosts[i].interface &&
		    plan_host_settings(plan, i)->outside)
			error = outside_start(live, i, text);
	return error;
}

bool live_outside_stop(struct live *live, uint32_t index)
{
	struct live_outside_state *state = &live->outside[index];
	bool was = state->pid && !outside_disconnect(&live->connector, index);

	*state = (struct live_outside_state){ 0 };
	return was;
}

/* the connector is dead, and with it all that it has started */
static void all_lost(struct live *live)
{
	for (uint32_t i = 0; i < live->plan->host_count; i++) {
		struct live_outside_state *state = &live->outside[i];

		if (!state->pid)
			continue;
		live_note("heddle-outside (pid %d), which held the connection of host %s to the "
			  "machine's network, is dead",
			  (int)live->connector.pid, plan_host_name(live->plan, i));
		*state = (struct live_outside_state){ .fate = "heddle-outside is dead" };
	}
}

void live_outside_watch(struct live *live)
{
	struct outside_death death;

	while (outside_death_next(&live->connector, &death)) {
		struct live_outside_state *state = &live->outside[death.host];

		if (state->pid != death.pid) /* it was disconnected meanwhile */
			continue;
		live_note("slirp4netns (pid %d) of host %s is dead, %s: the host no longer reaches "
			  "the machine's network",
			  (int)death.pid, plan_host_name(live->plan, death.host), death.fate);
		snprintf(state->fate, sizeof(state->fate), "%s", death.fate);
		state->pid = 0;
	}
	if (live->connector.pid > 0 && live->connector.deaths_fd < 0)
		all_lost(live);
}

/* ---- requests ---- */

static json_t *connections_list(const struct live *live)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < live->plan->host_count; i++) {
		const struct live_outside_state *state = &live->outside[i];

		if (state->pid || state->fate[0])
			json_array_append_new(list,
					      json_pack("{s:s, s:s, s:i, s:s}", "host",
							plan_host_name(live->plan, i), "interface",
							OUTSIDE_INTERFACE, "pid", (int)state->pid,
							"fate", state->fate));
	}
	return json_pack("{s:s, s:o}", "fabric", live->place.name, "outside", list);
}

/* the host that the request names; -1: it is refused */
static int64_t host_find(struct live_query *query)
{
	const struct live *live = query->live;
	int64_t node = live_query_node(query, live_query_text(query, "host"));
	int64_t index = node - live->plan->switch_count;

	if (node < 0)
		return -1;
	if (live->plan->nodes[node].kind != NODE_NIC)
		query->refusal = live_refuse("%s is a switch: only hosts have a connection to the "
					     "outside",
					     live->plan->nodes[node].name);
	else if (live->hosts[index].attached)
		query->refusal =
			live_refuse("%s is an attached container: its own engine connects it to "
				    "the outside",
				    live->plan->nodes[node].name);
	else
		return index;
	return -1;
}

json_t *live_outside(struct live_query *query)
{
	struct live *live = query->live;
	const char *state = live_query_text(query, "state");
	struct why text;
	int64_t index;

	if (!live_query_text(query, "host"))
		return connections_list(live);
	if (!state || (strcmp(state, "on") != 0 && strcmp(state, "off") != 0))
		return live_refuse("expected 'on' or 'off', not '%s'", state ? state : "");
	query->refusal = live_query_outward(query, "a connection to the outside");
	index = query->refusal ? -1 : host_find(query);
	if (index < 0)
		return query->refusal;
	if (!strcmp(state, "on")) {
		if (outside_start(live, (uint32_t)index, &text))
			return live_refuse("%s", text.text);
	} else {
		why_say(&text, 0, "host %s %s the machine's network",
			plan_host_name(live->plan, (uint32_t)index),
			live_outside_stop(live, (uint32_t)index) ? "no longer reaches"
								 : "did not reach");
	}
	return json_pack("{s:s, s:s, s:i, s:b, s:s}", "host",
			 plan_host_name(live->plan, (uint32_t)index), "state", state, "pid",
			 (int)live->outside[index].pid, "own_resolver",
			 live_room_has_resolver(live, (uint32_t)index), "text", text.text);
}
