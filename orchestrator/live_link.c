#include "orchestrator/live_link.h"

#include <inttypes.h>
#include <string.h>

#include "orchestrator/fabric_real.h"
#include "orchestrator/quantity.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

json_t *live_link_describe(const struct live *live, uint32_t index)
{
	const struct plan_link *fixed = &live->plan->links[index];
	const struct live_link *link = &live->links[index];
	bool dead = !live->fabric.nodes[fixed->node_a].pid || !live->fabric.nodes[fixed->node_b].pid;

	return json_pack("{s:i, s:s, s:i, s:s, s:i, s:I, s:I, s:I, s:I, s:i, s:s}", "link", (int)index, "node_a",
			 live->plan->nodes[fixed->node_a].name, "port_a", (int)fixed->port_a, "node_b",
			 live->plan->nodes[fixed->node_b].name, "port_b", (int)fixed->port_b, "rate_bps",
			 (json_int_t)link->rate_bps, "delay_ps", (json_int_t)link->delay_ps, "loss_ppb",
			 (json_int_t)link->loss_ppb, "bit_error_e15", (json_int_t)link->bit_error_e15, "mtu_bytes",
			 (int)fixed->mtu_bytes, "state",
			 link->down ? "down"
			 : dead     ? "dead end"
				    : "up");
}

json_t *live_links(struct asking *asking)
{
	json_t *links = json_array();

	for (uint32_t i = 0; i < asking->live->plan->link_count; i++)
		if (!asking->live->plan->links[i].vacant)
			json_array_append_new(links, live_link_describe(asking->live, i));
	return json_pack("{s:s, s:o}", "fabric", asking->live->place.name, "links", links);
}

int64_t live_link_find(const struct asking *asking, json_t **refusal)
{
	const char *port_name = text_of(asking, "port");
	int64_t node = node_find(asking, text_of(asking, "node"), refusal), port;
	const struct node_config *config;

	if (node < 0)
		return -1;
	if (!port_name) {
		*refusal = refuse("the request names no port");
		return -1;
	}
	config = &asking->live->plan->nodes[node];
	port = port_find(config, port_name, refusal);
	if (port < 0)
		return -1;
	if (config->ports[port].vacant) {
		*refusal = refuse("nothing is plugged into port %" PRId64 " of %s", port, config->name);
		return -1;
	}
	return config->ports[port].link_index;
}

/* one key of link-set: what it may be, and where it goes */
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

json_t *live_link_read(const struct asking *asking, struct live_link *link, unsigned *given)
{
	uint64_t values[COUNT_OF(link_keys)] = { link->rate_bps, link->delay_ps, link->loss_ppb, link->bit_error_e15 };

	for (size_t i = 0; i < COUNT_OF(link_keys); i++) {
		const struct link_key *key = &link_keys[i];
		const char *text = text_of(asking, key->name);
		char why[256], low[QUANTITY_TEXT_MAX], high[QUANTITY_TEXT_MAX];
		uint64_t value;

		if (!text)
			continue;
		if (quantity_parse(key->kind, text, &value, why, sizeof(why)))
			return refuse("%s: %s", key->name, why);
		if (value % key->divisor || value / key->divisor < key->min || value / key->divisor > key->max)
			return refuse("%s: '%s' is out of range; expected %s to %s%s", key->name, text,
				      quantity_format(key->kind, key->min * key->divisor, low),
				      quantity_format(key->kind, key->max * key->divisor, high),
				      key->divisor > 1 ? " in steps of 1e-9" : "");
		values[i] = value / key->divisor;
		++*given;
	}
	*link = (struct live_link){ .rate_bps = values[LINK_RATE],
				    .delay_ps = values[LINK_DELAY],
				    .loss_ppb = (uint32_t)values[LINK_LOSS],
				    .bit_error_e15 = values[LINK_BIT_ERRORS],
				    .down = link->down };
	return NULL;
}

/* tells one end of a link how it is from now on; an end that is dead is told when it is started again */
static int end_set(struct live *live, uint32_t node, uint32_t port, const struct live_link *link)
{
	struct port_config config = live->plan->nodes[node].ports[port];
	int error;

	if (!live->fabric.nodes[node].pid)
		return 0;
	config.rate_bps = link->rate_bps;
	config.delay_ps = link->delay_ps;
	config.loss_ppb = link->loss_ppb;
	config.bit_error_e15 = link->bit_error_e15;
	error = fabric_link_set(&live->fabric, node, port, &config);
	if (!error && node >= live->plan->switch_count) /* the host's own token bucket follows */
		error = host_net_rate(&live->hosts[node - live->plan->switch_count], &live->namespaces, link->rate_bps);
	return error;
}

json_t *live_link_set(struct asking *asking)
{
	json_t *refusal = NULL;
	struct live *live = asking->live;
	int64_t index = live_link_find(asking, &refusal);
	const struct plan_link *fixed;
	struct live_link link;
	unsigned given = 0;
	uint32_t where;
	int error;

	if (index < 0)
		return refusal;
	link = live->links[index];
	refusal = live_link_read(asking, &link, &given);
	if (!refusal && !given)
		refusal = refuse("set what? Expected one or more of rate=, delay=, loss=, bit-errors=");
	if (refusal)
		return refusal;
	fixed = &live->plan->links[index];
	where = fixed->node_a;
	error = end_set(live, fixed->node_a, fixed->port_a, &link);
	if (!error) {
		where = fixed->node_b;
		error = end_set(live, fixed->node_b, fixed->port_b, &link);
		if (error) /* both directions or none */
			end_set(live, fixed->node_a, fixed->port_a, &live->links[index]);
	}
	if (error)
		return refuse("%s does not take it: %s", live->plan->nodes[where].name, strerror(-error));
	live->links[index] = link;
	return live_link_describe(live, (uint32_t)index);
}

static json_t *link_switch(struct asking *asking, bool down)
{
	json_t *refusal = NULL;
	struct live *live = asking->live;
	int64_t index = live_link_find(asking, &refusal);
	int error;

	if (index < 0)
		return refusal;
	if (live->links[index].down == down)
		return live_link_describe(live, (uint32_t)index);
	error = down ? fabric_link_down(&live->fabric, (uint32_t)index)
		     : fabric_link_up(&live->fabric, (uint32_t)index);
	if (error)
		return refuse("the link cannot be taken %s: %s", down ? "down" : "up", strerror(-error));
	live->links[index].down = down;
	return live_link_describe(live, (uint32_t)index);
}

json_t *live_link_down(struct asking *asking)
{
	return link_switch(asking, true);
}

json_t *live_link_up(struct asking *asking)
{
	return link_switch(asking, false);
}
