/*  source_hold - which paths sources of endpoint congestion take, so that later flows between
 *  the same two take them too (FC-24).
 *
 *  Every switch that a congestion ACK passes stores (input port, class, destination) -> output
 *  port until hold_ps after the last ACK. A new flow between them takes that port, so the
 *  congestion stays on one path. All other flows, its victims too, select as usual.
 *  Memory: a fixed table, real where used; sets of four. A full set forgets the line that would
 *  end first. The cost is that flows of that line are free to select a little earlier.
 *  Place: a stage. ack_path.c notes, choose.c looks up. 'now' is given. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_SOURCE_HOLD_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_SOURCE_HOLD_H

#include <stdint.h>

#include "nodes/base/time.h"

/* source and destination of a flow, as far as a switch knows them */
struct source_hold_key {
	uint8_t in_port, traffic_class;
	uint16_t fabric_address;
	uint8_t egress_port;
};

struct source_hold_line {
	node_time_t until_ps; /* 0: never used */
	struct source_hold_key key;
	uint16_t via; /* first switch of a detour; 0: a minimal path */
	uint8_t port;
};

struct source_hold {
	struct source_hold_line *lines;
	node_time_t hold_ps;
};

/** source_hold_init() - @hold_ps  how long a line counts.  Return: 0 or -ENOMEM. */
int source_hold_init(struct source_hold *hold, node_time_t hold_ps);
void source_hold_fini(struct source_hold *hold);

/** source_hold_note() - a congestion ACK for a flow of @key, whose path is @port and @via, has
 *  arrived: the line counts for hold_ps from @now. O(1). */
void source_hold_note(struct source_hold *hold, const struct source_hold_key *key, uint32_t port,
		      uint32_t via, node_time_t now);

/** source_hold_find() - the line that binds flows of @key at @now; NULL: none does. O(1). */
const struct source_hold_line *source_hold_find(const struct source_hold *hold,
						const struct source_hold_key *key, node_time_t now);

/** source_hold_next() - to show the table: the first line from number *@at on that binds at
 *  @now, and the number after it in *@at; NULL: there are no more. */
const struct source_hold_line *source_hold_next(const struct source_hold *hold, uint32_t *at,
						node_time_t now);

#endif
