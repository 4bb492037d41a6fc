#include "orchestrator/live/live_link.h"

#include <inttypes.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/fabric/fabric_real.h"

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

/* one key of link-set: its unit and range */
static const struct link_key {
	const char *name;
	enum quantity_kind kind;
	uint64_t divisor, min, max; /* of the value kept: quantity / divisor */
} link_keys[] = {
	{ "rate", QUANTITY_RATE, 1, 1000000, 800000000000 },
	{ "delay", QUANTITY_TIME, 1, 0, NODE_S },
	{ "loss", QUANTITY_SHARE, QUANTITY_SHARE_ONE / 1000000000, 0, 900000000 },
	{ "bit-errors", QUANTITY_SHARE, 1, 0, QUANTITY_SHARE_ONE / 1000 },
};

enum { LINK_RATE, LINK_DELAY, LINK_LOSS, LINK_BIT_ERRORS };

json_t *live_link_read(const struct live_query *query, struct live_link *link, unsigned *given)
{
	uint64_t values[COUNT_OF(link_keys)] = { link->rate_bps, link->delay_ps, link->loss_ppb,
						 link->bit_error_e15 };

	for (size_t i = 0; i < COUNT_OF(link_keys); i++) {
		const struct link_key *key = &link_keys[i];
		const char *text = live_query_text(query, key->name);
		char why[256], low[QUANTITY_TEXT_MAX], high[QUANTITY_TEXT_MAX];
		uint64_t value;

		if (!text)
			continue;
		if (quantity_parse(key->kind, text, &value, why, sizeof(why)))
			return live_refuse("%s: %s", key->name, why);
		if (value % key->divisor || value / key->divisor < key->min ||
		    value / key->divisor > key->max)
			return live_refuse(
				"%s: '%s' is out of range; expected %s to %s%s", key->name, text,
				quantity_format(key->kind, key->min * key->divisor, low),
				quantity_format(key->kind, key->max * key->divisor, high),
				key->divisor > 1 ? " in steps of 1e-9" : "");
		values[i] = value / key->divisor;
		++*given;
	}
	*link = (struct live_link){ .rate_bps = values[LINK_RATE],
				    .delay_ps = values[LINK_DELAY],
				    .loss_ppb = (uint32_t)values[LINK_LOSS],
				    .bit_error_e15 = values[LINK_BIT_ERRORS] };
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

static int link_apply(struct live *live, uint32_t index, const struct live_link *link)
{
	const struct plan_link *ends = &live->plan->links[index];
	struct port_config settings = { 0 };
	int error;

	live_link_put(link, &settings);
	error = fabric_link_set(&live->fabric, index, &settings);
	return error ? error : host_rate_follow(live, ends, link->rate_bps);
}

json_t *live_link_set(struct live_query *query)
{
	json_t *refusal = NULL;
	struct live *live = query->live;
	int64_t index = live_link_find(query, &refusal);
	const struct plan_link *ends;
	struct live_link link, was;
	unsigned given = 0;
	int error;

	if (index < 0)
		return refusal;
	ends = &live->plan->links[index];
	was = link = live_link_of(&live->plan->nodes[ends->node_a].ports[ends->port_a]);
	refusal = live_link_read(query, &link, &given);
	if (!refusal && !given)
		refusal = live_refuse("nothing to set: expected one or more of rate=, delay=, "
				      "loss=, bit-errors=");
	if (refusal)
		return refusal;
	error = link_apply(live, (uint32_t)index, &link);
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
