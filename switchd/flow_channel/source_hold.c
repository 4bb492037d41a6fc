#include "switchd/flow_channel/source_hold.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "nodes/base/table.h"

#define WAYS 4u
#define SETS_BITS 9u
/* as many as a port has flow channels: each source has one at least */
#define LINES (WAYS << SETS_BITS)

int source_hold_init(struct source_hold *hold, node_time_t hold_ps)
{
	*hold = (struct source_hold){ .lines = table_alloc(LINES, sizeof(*hold->lines)),
				      .hold_ps = hold_ps };
	return hold->lines ? 0 : -ENOMEM;
}

void source_hold_fini(struct source_hold *hold)
{
	table_free(hold->lines, LINES, sizeof(*hold->lines));
	*hold = (struct source_hold){ 0 };
}

static struct source_hold_line *set_of(const struct source_hold *hold,
				       const struct source_hold_key *key)
{
	uint64_t whole = (uint64_t)key->fabric_address << 24 | (uint64_t)key->egress_port << 16 |
			 (uint64_t)key->in_port << 8 | key->traffic_class;

	/* Fibonacci hashing */
	return &hold->lines[(whole * 0x9e3779b97f4a7c15ull >> (64 - SETS_BITS)) * WAYS];
}

static bool is_of(const struct source_hold_line *line, const struct source_hold_key *key)
{
	return line->key.fabric_address == key->fabric_address &&
	       line->key.egress_port == key->egress_port && line->key.in_port == key->in_port &&
	       line->key.traffic_class == key->traffic_class;
}

void source_hold_note(struct source_hold *hold, const struct source_hold_key *key, uint32_t port,
		      uint32_t via, node_time_t now)
{
	struct source_hold_line *set = set_of(hold, key), *line = set;

	for (uint32_t i = 0; i < WAYS; i++) {
		if (is_of(&set[i], key)) {
			line = &set[i];
			break;
		}
		if (set[i].until_ps < line->until_ps)
			line = &set[i];
	}
	*line = (struct source_hold_line){ .until_ps = now + hold->hold_ps,
					   .key = *key,
					   .via = (uint16_t)via,
					   .port = (uint8_t)port };
}

const struct source_hold_line *source_hold_find(const struct source_hold *hold,
						const struct source_hold_key *key, node_time_t now)
{
	const struct source_hold_line *set = set_of(hold, key);

	for (uint32_t i = 0; i < WAYS; i++)
		if (now < set[i].until_ps && is_of(&set[i], key))
			return &set[i];
	return NULL;
}

const struct source_hold_line *source_hold_next(const struct source_hold *hold, uint32_t *at,
						node_time_t now)
{
	while (*at < LINES) {
		const struct source_hold_line *line = &hold->lines[(*at)++];

		if (now < line->until_ps)
			return line;
	}
	return NULL;
}
