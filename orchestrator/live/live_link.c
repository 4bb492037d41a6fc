#include "orchestrator/live/live_link.h"

#include <inttypes.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/live/parameter.h"

json_t *live_link_describe(const struct live *live, uint32_t index)
{
	const struct plan_link *fixed = &live->plan->links[index];
	const struct port_config *link = &live->plan->nodes[fixed->node_a].ports[fixed->port_a];
	bool dead =
		!live->fabric.nodes[fixed->node_a].pid || !live->fabric.nodes[fixed->node_b].pid;

	return json_pack(
		"{s:i, s:s, s:i, s:s, s:i, s:I, s:I, s:I, s:I, s:i, s:s}", "link", (int)index,
		"node_a", live->plan->nodes[fixed->node_a].name, "port_a", (int)fixed->port_a,
		"node_b", live->plan->nodes[fixed->node_b].name, "port_b", (int)fixed->port_b,
		"rate_bps", (json_int_t)link->rate_bps, "delay_ps", (json_int_t)link->delay_ps,
		"loss_ppb", (json_int_t)link->loss_ppb, "bit_error_e15",
		(json_int_t)link->bit_error_e15, "mtu_bytes", (int)fixed->mtu_bytes, "state",
		fixed->down ? "down"
		: dead      ? "dead end"
			    : "up");
}

json_t *live_links(struct live_query *query)
{
	json_t *links = json_array();

	for (uint32_t i = 0; i < query->live->plan->link_count; i++)
		if (!query->live->plan->links[i].vacant)
			json_array_append_new(links, live_link_describe(query->live, i));
	return json_pack("{s:s, s:o}", "fabric", query->live->place.name, "links", links);
}

int64_t live_link_find(const struct live_query *query, json_t **refusal)
{
	const char *port_name = live_query_text(query, "port");
	int64_t node = live_query_node(query, live_query_text(query, "node"), refusal), port;
	const struct node_config *config;

	if (node < 0)
		return -1;
	if (!port_name) {
		*refusal = live_refuse("the request names no port");
		return -1;
	}
	config = &query->live->plan->nodes[node];
	port = live_query_port(config, port_name, refusal);
	if (port < 0)
		return -1;
	if (config->ports[port].vacant) {
		*refusal = live_refuse("port %" PRId64 " of %s has no link", port, config->name);
		return -1;
	}
	return config->ports[port].link_index;
}

json_t *live_link_read(const struct live_query *query, struct port_config *port, unsigned *given)
{
	for (size_t r = 0; r < port_parameters.count; r++) {
		const struct parameter *row = &port_parameters.rows[r];
		const char *text = row->live ? live_query_text(query, row->key) : NULL;
		uint64_t value;
		char why[256];

		if (!text)
			continue;
		if (parameter_read(row, row->key, text, &value, why, sizeof(why)))
			return live_refuse("%s", why);
		parameter_put(row, port, value);
		++*given;
	}
	return NULL;
}

/* the token bucket of the host at this link, if there is one, follows the new rate */
static int host_rate_follow(struct live *live, const struct plan_link *ends, uint64_t rate_bps)
{
	if (ends->node_a < live->plan->switch_count)
		return 0;
	return host_net_rate(&live->hosts[ends->node_a - live->plan->switch_count],
			     &live->namespaces, rate_bps);
}

static int link_apply(struct live *live, uint32_t index, const struct port_config *port)
{
	int error = fabric_link_set(&live->fabric, index, port);

	return error ? error : host_rate_follow(live, &live->plan->links[index], port->rate_bps);
}

json_t *live_link_set(struct live_query *query)
{
	json_t *refusal = NULL;
	struct live *live = query->live;
	int64_t index = live_link_find(query, &refusal);
	const struct plan_link *ends;
	struct port_config port, was;
	unsigned given = 0;
	int error;

	if (index < 0)
		return refusal;
	ends = &live->plan->links[index];
	was = port = live->plan->nodes[ends->node_a].ports[ends->port_a];
	refusal = live_link_read(query, &port, &given);
	if (!refusal && !given)
		refusal = live_refuse("nothing to set: expected one or more of rate=, delay=, "
				      "loss=, bit-errors=");
	if (refusal)
		return refusal;
	error = link_apply(live, (uint32_t)index, &port);
	if (error) /* both directions, and the host, or none */
		link_apply(live, (uint32_t)index, &was);
	return error ? live_refuse("the link is unchanged: %s", live_reason(live, error))
		     : live_link_describe(live, (uint32_t)index);
}

static json_t *link_switch(struct live_query *query, bool down)
{
	json_t *refusal = NULL;
	struct live *live = query->live;
	int64_t index = live_link_find(query, &refusal);
	struct plan_link *link;
	int error;

	if (index < 0)
		return refusal;
	link = &live->plan->links[index];
	if (link->down == down)
		return live_link_describe(live, (uint32_t)index);
	link->down = down;
	error = down ? fabric_link_down(&live->fabric, (uint32_t)index)
		     : fabric_link_up(&live->fabric, (uint32_t)index);
	if (error) {
		link->down = true; /* at least one end is */
		return live_refuse("the link cannot be taken %s: %s", down ? "down" : "up",
				   live_reason(live, error));
	}
	error = manager_pair_sweep(&live->managers);
	return error ? live_refuse("the link is %s, but the routes are unchanged: %s",
				   down ? "down" : "up", live_reason(live, error))
		     : live_link_describe(live, (uint32_t)index);
}

json_t *live_link_down(struct live_query *query)
{
	return link_switch(query, true);
}

json_t *live_link_up(struct live_query *query)
{
	return link_switch(query, false);
}
