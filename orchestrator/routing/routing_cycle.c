#include "orchestrator/routing/routing_cycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "orchestrator/routing/routing_via.h"

#define NO_CHANNEL UINT32_MAX

struct finder {
	const struct topology *topology;
	const struct routing *routing;
	uint32_t levels; /* that are distinguished: with LANES_KEEP only one */
	uint32_t channel_count;
	uint64_t *next; /* by channel: the output ports that its packets wait for at its end */
	/* by switch: levels on which packets to the current target may leave it */
	uint16_t *levels_at;
	/* by switch: the same for packets that reached it as their intermediate */
	uint16_t *turned;
	bool *has_hosts; /* by switch */
	uint32_t *queue; /* a ring of the switches whose levels_at has grown */
	bool *is_queued;
	uint32_t *from;     /* by channel: its predecessor in the search */
	uint64_t *to_visit; /* by channel: ports that the search has not followed yet */
	uint8_t *state;     /* by channel: enum search_state */
};

enum search_state { UNSEEN, ON_PATH, DONE };

static uint32_t channel_index(const struct finder *finder, uint32_t at, uint32_t port,
			      uint32_t level)
{
	return (at * NODE_PORTS_MAX + port) * finder->levels + level;
}

static uint32_t channel_switch(const struct finder *finder, uint32_t channel)
{
	return channel / finder->levels / NODE_PORTS_MAX;
}

static uint32_t channel_port(const struct finder *finder, uint32_t channel)
{
	return channel / finder->levels % NODE_PORTS_MAX;
}

/* ---- the dependency graph ---- */

/* Levels of packets on the next link, if they are @levels on this one. A level beyond the last
 * does not exist: such a packet has no candidate. */
static uint16_t levels_after(const struct finder *finder, uint16_t levels)
{
	uint32_t after =
		finder->routing->lane_rule == LANES_BY_HOP ? (uint32_t)levels << 1 : levels;

	return (uint16_t)(after & ((1u << finder->levels) - 1));
}

static void levels_add(struct finder *finder, uint32_t at, uint16_t levels, uint32_t *end)
{
	if (!(levels & ~finder->levels_at[at]))
		return;
	finder->levels_at[at] |= levels;
	if (finder->is_queued[at])
		return;
	finder->is_queued[at] = true;
	finder->queue[(*end)++ % finder->topology->switch_count] = at;
}

/* Packets to @target leave @at by @port: adds what they wait for at the end of the link.   @turns
 * the ports by which they continue after @target, which then is an intermediate */
static void link_follow(struct finder *finder, uint32_t target, uint32_t at, uint32_t port,
			uint64_t turns, uint32_t *end)
{
	uint32_t peer = finder->topology->switches[at].ports[port].peer;
	uint64_t next =
		peer == target ? turns : routing_route(finder->routing, peer, target)->ports;

	for (uint32_t level = 0; level < finder->levels; level++)
		if (finder->levels_at[at] >> level & 1)
			finder->next[channel_index(finder, at, port, level)] |= next;
	levels_add(finder, peer, levels_after(finder, finder->levels_at[at]), end);
}

/* Packets to @target start at the levels in levels_at. @turns: link_follow(). */
static void target_follow(struct finder *finder, uint32_t target, uint64_t turns)
{
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < finder->topology->switch_count; i++)
		if (finder->levels_at[i] && i != target) {
			finder->is_queued[i] = true;
			finder->queue[end++] = i;
		}
	while (first < end) {
		uint32_t at = finder->queue[first++ % finder->topology->switch_count];

		finder->is_queued[at] = false;
		if (at == target)
			continue;
		for (uint64_t ports = routing_route(finder->routing, at, target)->ports; ports;
		     ports &= ports - 1)
			link_follow(finder, target, at, (uint32_t)__builtin_ctzll(ports), turns,
				    &end);
	}
}

/* Packets of @at's own hosts to @target that leave by a non-minimal port, at the first level. */
static void non_minimal_follow(struct finder *finder, uint32_t target, uint32_t at)
{
	const uint64_t *non_minimal = finder->routing->switches[at].non_minimal;

	if (!non_minimal || !finder->has_hosts[at] || at == target)
		return;
	for (uint64_t ports = non_minimal[target]; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);
		uint32_t peer = finder->topology->switches[at].ports[port].peer;

		if (peer == target)
			continue;
		finder->next[channel_index(finder, at, port, 0)] |=
			routing_route(finder->routing, peer, target)->ports;
		finder->levels_at[peer] |= levels_after(finder, 1);
	}
}

static bool is_via_of(const struct finder *finder, uint32_t via, uint32_t source)
{
	const struct switch_tables *tables = &finder->routing->switches[source];

	return finder->has_hosts[source] &&
	       routing_vias_have(tables->vias, tables->via_count,
				 finder->topology->switches[via].fabric_address);
}

/* Packets with @via as their intermediate go there, and then to every switch with hosts. */
static void via_follow(struct finder *finder, uint32_t via)
{
	uint32_t switch_count = finder->topology->switch_count;
	uint64_t turns = 0;
	bool is_used = false;

	for (uint32_t i = 0; i < switch_count; i++) {
		finder->levels_at[i] = is_via_of(finder, via, i) && i != via;
		is_used |= finder->levels_at[i];
		if (i != via && finder->has_hosts[i])
			turns |= routing_route(finder->routing, via, i)->ports;
	}
	if (!is_used)
		return;
	target_follow(finder, via, turns);
	finder->turned[via] = finder->levels_at[via];
}

static void dependencies_find(struct finder *finder)
{
	uint32_t switch_count = finder->topology->switch_count;

	for (uint32_t i = 0; i < switch_count; i++)
		finder->has_hosts[i] = topology_has_hosts(finder->topology, i);
	for (uint32_t via = 0; via < switch_count; via++)
		via_follow(finder, via);
	for (uint32_t target = 0; target < switch_count; target++) {
		if (!finder->has_hosts[target])
			continue;
		for (uint32_t i = 0; i < switch_count; i++)
			finder->levels_at[i] = finder->has_hosts[i] | finder->turned[i];
		for (uint32_t i = 0; i < switch_count; i++)
			non_minimal_follow(finder, target, i);
		target_follow(finder, target, 0);
	}
}

/* ---- the cycle ---- */

/* The next channel that @channel waits for and that was not followed yet, removed from @ports;
 * NO_CHANNEL: none. */
static uint32_t successor_take(const struct finder *finder, uint32_t channel, uint64_t *ports)
{
	uint32_t at = channel_switch(finder, channel), level = channel % finder->levels, port;
	uint32_t peer = finder->topology->switches[at].ports[channel_port(finder, channel)].peer;

	if (finder->routing->lane_rule == LANES_BY_HOP)
		level++;
	if (!*ports || level == finder->levels)
		return NO_CHANNEL;
	port = (uint32_t)__builtin_ctzll(*ports);
	*ports &= *ports - 1;
	return channel_index(finder, peer, port, level);
}

/* Depth first from @start.   Return: a channel on a cycle, or NO_CHANNEL. */
static uint32_t search_from(struct finder *finder, uint32_t start)
{
	uint32_t at = start;

	finder->from[start] = NO_CHANNEL;
	while (at != NO_CHANNEL) {
		uint32_t next;

		if (finder->state[at] == UNSEEN) {
			finder->state[at] = ON_PATH;
			finder->to_visit[at] = finder->next[at];
		}
		next = successor_take(finder, at, &finder->to_visit[at]);
		if (next == NO_CHANNEL) {
			finder->state[at] = DONE;
			at = finder->from[at];
		} else if (finder->state[next] == ON_PATH) {
			return next;
		} else if (finder->state[next] == UNSEEN) {
			finder->from[next] = at;
			at = next;
		}
	}
	return NO_CHANNEL;
}

/* Breadth first from @start back to it: then finder->from follows a shortest cycle, backwards.
 * @queue  space for all channels.
 * Return: the number of its channels. */
static uint32_t cycle_close(struct finder *finder, uint32_t start, uint32_t *queue)
{
	uint32_t first = 0, end = 0, length = 1;

	for (uint32_t i = 0; i < finder->channel_count; i++)
		finder->from[i] = NO_CHANNEL;
	queue[end++] = start;
	while (finder->from[start] == NO_CHANNEL && first < end) {
		uint32_t at = queue[first++], next;
		uint64_t ports = finder->next[at];

		while ((next = successor_take(finder, at, &ports)) != NO_CHANNEL) {
			if (finder->from[next] != NO_CHANNEL)
				continue;
			finder->from[next] = at;
			queue[end++] = next;
		}
	}
	for (uint32_t at = finder->from[start]; at != start; at = finder->from[at])
		length++;
	return length;
}

static void channel_print(const struct finder *finder, uint32_t channel, FILE *out)
{
	const struct topology_switch *node =
		&finder->topology->switches[channel_switch(finder, channel)];

	if (node->name[0])
		fprintf(out, "%s:%u", node->name, channel_port(finder, channel));
	else
		fprintf(out, "%u:%u", node->fabric_address, channel_port(finder, channel));
}

/* writes the cycle through @start as text */
static int cycle_print(struct finder *finder, uint32_t start, char **words)
{
	uint32_t *channels = calloc(finder->channel_count, sizeof(*channels)), length;
	size_t size;
	FILE *out = channels ? open_memstream(words, &size) : NULL;

	if (!out) {
		free(channels);
		return -ENOMEM;
	}
	length = cycle_close(finder, start, channels);
	for (uint32_t i = length, at = start; i-- > 0; at = finder->from[at])
		channels[i] = finder->from[at];
	for (uint32_t i = 0; i < length; i++) {
		channel_print(finder, channels[i], out);
		fprintf(out, " -> ");
	}
	channel_print(finder, channels[0], out);
	free(channels);
	return fclose(out) ? -ENOMEM : 0;
}

/* ---- the search ---- */

static int finder_alloc(struct finder *finder)
{
	size_t switches = finder->topology->switch_count + 1, channels = finder->channel_count + 1;

	finder->next = calloc(channels, sizeof(*finder->next));
	finder->levels_at = calloc(switches, sizeof(*finder->levels_at));
	finder->turned = calloc(switches, sizeof(*finder->turned));
	finder->has_hosts = calloc(switches, sizeof(*finder->has_hosts));
	finder->queue = calloc(switches, sizeof(*finder->queue));
	finder->is_queued = calloc(switches, sizeof(*finder->is_queued));
	finder->from = calloc(channels, sizeof(*finder->from));
	finder->to_visit = calloc(channels, sizeof(*finder->to_visit));
	finder->state = calloc(channels, sizeof(*finder->state));
	return finder->next && finder->levels_at && finder->turned && finder->has_hosts &&
			       finder->queue && finder->is_queued && finder->from &&
			       finder->to_visit && finder->state
		       ? 0
		       : -ENOMEM;
}

static void finder_free(struct finder *finder)
{
	free(finder->next);
	free(finder->levels_at);
	free(finder->turned);
	free(finder->has_hosts);
	free(finder->queue);
	free(finder->is_queued);
	free(finder->from);
	free(finder->to_visit);
	free(finder->state);
}

int routing_cycle_find(const struct topology *topology, const struct routing *routing, char **cycle)
{
	struct finder finder = { .topology = topology, .routing = routing };
	uint32_t found = NO_CHANNEL;
	int error;

	*cycle = NULL;
	finder.levels = routing->lane_rule == LANES_BY_HOP ? routing->lanes : 1;
	finder.channel_count = topology->switch_count * NODE_PORTS_MAX * finder.levels;
	error = finder_alloc(&finder);
	if (!error)
		dependencies_find(&finder);
	for (uint32_t i = 0; !error && found == NO_CHANNEL && i < finder.channel_count; i++)
		if (finder.next[i] && finder.state[i] == UNSEEN)
			found = search_from(&finder, i);
	if (found != NO_CHANNEL)
		error = cycle_print(&finder, found, cycle);
	finder_free(&finder);
	return error;
}
