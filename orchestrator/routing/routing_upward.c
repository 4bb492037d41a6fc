#include "orchestrator/routing/routing_upward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_NONE UINT32_MAX /* no path to a switch with hosts */

/* @topology  as topology_whole() makes it: NICs that are down count, for they will return
 * @queue  filled with the switches of a level, in the order of the levels.  Return: how many */
static uint32_t levels_fill(const struct topology *topology, uint32_t *levels, uint32_t *queue)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < topology->switch_count; i++)
		levels[i] = topology_has_hosts(topology, i) ? 0 : LEVEL_NONE;
	for (uint32_t i = 0; i < topology->switch_count; i++)
		if (!levels[i])
			queue[count++] = i;
	for (uint32_t first = 0; first < count; first++) {
		uint32_t at = queue[first];

		for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
			uint32_t peer = topology->switches[at].ports[p].peer;

			if (!topology_leads_on(topology, at, p) || levels[peer] != LEVEL_NONE)
				continue;
			levels[peer] = levels[at] + 1;
			queue[count++] = peer;
		}
	}
	return count;
}

/* the ports of @at that go up; sets *@tree to false if one goes neither up nor down */
static uint64_t ports_upward(const struct topology *topology, const uint32_t *levels, uint32_t at,
			     bool *tree)
{
	uint64_t ports = 0;

	for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
		uint32_t peer = topology->switches[at].ports[p].peer;

		if (!topology_leads_on(topology, at, p))
			continue;
		if (levels[peer] == levels[at] && levels[at] != LEVEL_NONE)
			*tree = false;
		if (levels[peer] > levels[at])
			ports |= 1ull << p;
	}
	return ports;
}

/* of a switch without upward ports: the switches with hosts from which all paths to it begin with
 * the same upward port, by the number of that port */
struct top {
	uint32_t by_number[NODE_PORTS_MAX];
};

#define NUMBER_NONE 0u /* no path */
#define NUMBER_MANY 255u

/* counts the paths from switch @from to the tops.
 * @queue, @count  of levels_fill().   @numbers  space for all switches */
static void paths_count(const struct topology *whole, const struct routing *routing, uint32_t from,
			const uint32_t *queue, uint32_t count, uint8_t *numbers, struct top *tops)
{
	memset(numbers, NUMBER_NONE, whole->switch_count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = queue[i], number = numbers[at];
		uint64_t ports = routing_upward(routing, at)->ports;

		if (!ports && number != NUMBER_NONE && number != NUMBER_MANY)
			tops[at].by_number[number - 1]++;
		for (; ports && (at == from || number != NUMBER_NONE); ports &= ports - 1) {
			uint32_t port = (uint32_t)__builtin_ctzll(ports);
			uint8_t *peer = &numbers[whole->switches[at].ports[port].peer];

			number += at == from;
			*peer = *peer == NUMBER_NONE || *peer == number ? (uint8_t)number
									: NUMBER_MANY;
		}
	}
}

/* @queue, @count  of levels_fill().   @numbers, @tops  space for all switches, zeros */
static uint32_t agreement(const struct topology *whole, const struct routing *routing,
			  const uint32_t *queue, uint32_t count, uint8_t *numbers, struct top *tops)
{
	uint64_t same = 0, all = 0;

	for (uint32_t i = 0; i < whole->switch_count; i++)
		if (topology_has_hosts(whole, i) &&
		    __builtin_popcountll(routing_upward(routing, i)->ports) > 2)
			paths_count(whole, routing, i, queue, count, numbers, tops);
	for (uint32_t i = 0; i < whole->switch_count; i++) {
		uint64_t switches = 0;

		for (uint32_t n = 0; n < NODE_PORTS_MAX; n++) {
			uint64_t some = tops[i].by_number[n];

			switches += some;
			same += some ? some * (some - 1) : 0;
		}
		all += switches ? switches * (switches - 1) : 0;
	}
	return all ? (uint32_t)(1000 * same / all) : 1000;
}

/* @whole  failed parts included.   @levels, @queue, @numbers, @tops  space for all switches */
static void tables_fill(const struct topology *whole, uint32_t *levels, uint32_t *queue,
			uint8_t *numbers, struct top *tops, struct routing *routing)
{
	uint32_t count = levels_fill(whole, levels, queue);
	uint64_t all = 0;

	routing->tree = true;
	for (uint32_t i = 0; i < whole->switch_count; i++) {
		routing_upward(routing, i)->ports = ports_upward(whole, levels, i, &routing->tree);
		all |= routing_upward(routing, i)->ports;
	}
	routing->tree = routing->tree && all;
	for (uint32_t i = 0; !routing->tree && i < whole->switch_count; i++)
		routing_upward(routing, i)->ports = 0;
	routing->agreement_permille = agreement(whole, routing, queue, count, numbers, tops);
}

int routing_upward_make(const struct topology *topology, struct routing *routing)
{
	uint32_t *levels = calloc(topology->switch_count, sizeof(*levels));
	uint32_t *queue = calloc(topology->switch_count, sizeof(*queue));
	struct topology whole = { 0 };
	uint8_t *numbers = calloc(topology->switch_count, sizeof(*numbers));
	struct top *tops = calloc(topology->switch_count, sizeof(*tops));
	int error = levels && queue && numbers && tops ? topology_whole(topology, &whole) : -ENOMEM;

	if (!error)
		tables_fill(&whole, levels, queue, numbers, tops, routing);
	topology_free(&whole);
	free(tops);
	free(numbers);
	free(levels);
	free(queue);
	return error;
}
