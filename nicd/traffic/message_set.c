#include "nicd/traffic/message_set.h"

#include <errno.h>

#include "nodes/base/table.h"

#define WAYS 8u
#define SETS_BITS 10u
#define LINES (WAYS << SETS_BITS)

int message_set_init(struct message_set *set)
{
	*set = (struct message_set){ .lines = table_alloc(LINES, sizeof(*set->lines)) };
	return set->lines ? 0 : -ENOMEM;
}

void message_set_fini(struct message_set *set)
{
	table_free(set->lines, LINES, sizeof(*set->lines));
	*set = (struct message_set){ 0 };
}

/* the line of the message; if it has none, a free one, or that of the message with the oldest
 * packet */
static struct message_set_line *line_of(struct message_set *set, uint32_t flow, uint32_t message)
{
	/* Fibonacci hashing */
	uint64_t hash = ((uint64_t)flow << 32 | message) * 0x9e3779b97f4a7c15ull;
	struct message_set_line *lines = &set->lines[(hash >> (64 - SETS_BITS)) * WAYS],
				*oldest = lines;

	for (uint32_t i = 0; i < WAYS; i++) {
		if (lines[i].got_bytes && lines[i].flow == flow && lines[i].message == message)
			return &lines[i];
		if (lines[i].seen < oldest->seen)
			oldest = &lines[i];
	}
	*oldest = (struct message_set_line){ .flow = flow, .message = message };
	return oldest;
}

bool message_set_add(struct message_set *set, uint32_t flow, uint32_t message, uint64_t bytes,
		     uint64_t message_bytes)
{
	struct message_set_line *line;

	if (bytes >= message_bytes)
		return bytes == message_bytes;
	line = line_of(set, flow, message);
	line->got_bytes += bytes;
	line->seen = ++set->packets;
	if (line->got_bytes < message_bytes)
		return false;
	bytes = line->got_bytes;
	*line = (struct message_set_line){ 0 };
	return bytes == message_bytes;
}
