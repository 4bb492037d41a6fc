#include "switchd/ethernet/flow_watch.h"

#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "nodes/base/table.h"

int flow_watch_init(struct flow_watch *watch, uint32_t flows_max)
{
	uint32_t ways = flows_max < FLOW_WATCH_WAYS ? flows_max : FLOW_WATCH_WAYS;

	*watch = (struct flow_watch){ .sets = flows_max / ways, .ways = ways };
	watch->hashes = table_alloc((size_t)watch->sets * ways, sizeof(*watch->hashes));
	watch->lines = table_alloc((size_t)watch->sets * ways, sizeof(*watch->lines));
	if (!watch->hashes || !watch->lines) {
		flow_watch_fini(watch);
		return -ENOMEM;
	}
	return 0;
}

void flow_watch_fini(struct flow_watch *watch)
{
	table_free(watch->hashes, (size_t)watch->sets * watch->ways, sizeof(*watch->hashes));
	table_free(watch->lines, (size_t)watch->sets * watch->ways, sizeof(*watch->lines));
	*watch = (struct flow_watch){ 0 };
}

static uint64_t hash_of(const struct flow_key *key)
{
	_Static_assert(sizeof(*key) == 36, "no padding");
	return XXH3_64bits(key, sizeof(*key)) | 1; /* 0 is free */
}

static uint32_t set_of(const struct flow_watch *watch, uint64_t hash)
{
	return (uint32_t)((hash >> 32) * watch->sets >> 32) * watch->ways;
}

static struct flow_line *find(const struct flow_watch *watch, const struct flow_key *key,
			      uint64_t hash)
{
	uint32_t set = set_of(watch, hash);

	for (uint32_t i = set; i < set + watch->ways; i++)
		if (watch->hashes[i] == hash && !memcmp(&watch->lines[i].key, key, sizeof(*key)))
			return &watch->lines[i];
	return NULL;
}

/* a free line of the set, else the one to forget first; NULL: none may be forgotten */
static struct flow_line *make_room(struct flow_watch *watch, uint32_t set)
{
	struct flow_line *least = NULL;

	for (uint32_t i = set; i < set + watch->ways; i++) {
		struct flow_line *line = &watch->lines[i];

		if (!watch->hashes[i]) {
			watch->used++;
			return line;
		}
		if (!line->pinned && (!least || line->seen_ps < least->seen_ps))
			least = line;
	}
	if (least) {
		flow_timer_stop(&least->timer);
		watch->forgotten++;
	} else {
		watch->unwatched++;
	}
	return least;
}

struct flow_line *flow_watch_data(struct flow_watch *watch, const struct frame_fields *fields,
				  node_time_t now)
{
	struct flow_key key = { .source_port = fields->source_port,
				.ip_version = fields->ip_version };
	struct flow_line *line;
	uint64_t hash;

	memcpy(key.source_ip, fields->source_ip, sizeof(key.source_ip));
	memcpy(key.destination_ip, fields->destination_ip, sizeof(key.destination_ip));
	hash = hash_of(&key);
	line = find(watch, &key, hash);
	if (!line) {
		line = make_room(watch, set_of(watch, hash));
		if (!line)
			return NULL;
		watch->hashes[line - watch->lines] = hash;
		*line = (struct flow_line){ .key = key,
					    .queue_pair = FLOW_QUEUE_PAIR_UNKNOWN,
					    .first_ps = now };
		memcpy(line->source_mac, fields->source_mac, sizeof(line->source_mac));
		memcpy(line->destination_mac, fields->destination_mac,
		       sizeof(line->destination_mac));
	}
	line->seen_ps = now;
	return line;
}

struct flow_line *flow_watch_reply(struct flow_watch *watch, const struct frame_fields *fields)
{
	struct flow_key key = { .source_port = fields->source_port,
				.ip_version = fields->ip_version };

	memcpy(key.source_ip, fields->destination_ip, sizeof(key.source_ip));
	memcpy(key.destination_ip, fields->source_ip, sizeof(key.destination_ip));
	return find(watch, &key, hash_of(&key));
}

struct roce_reply flow_line_cnp(const struct flow_line *line, uint32_t cnp_class, uint8_t signal)
{
	struct roce_reply reply = {
		.ends = { .ip_version = (uint8_t)line->key.ip_version,
			  .source_port = line->key.source_port },
		.traffic_class = (uint8_t)cnp_class,
		.queue_pair = line->queue_pair == FLOW_QUEUE_PAIR_UNKNOWN ? 0 : line->queue_pair,
		.signal = signal,
	};

	memcpy(reply.ends.source_mac, line->destination_mac, sizeof(line->destination_mac));
	memcpy(reply.ends.destination_mac, line->source_mac, sizeof(line->source_mac));
	memcpy(reply.ends.source_ip, line->key.destination_ip, sizeof(line->key.destination_ip));
	memcpy(reply.ends.destination_ip, line->key.source_ip, sizeof(line->key.source_ip));
	return reply;
}
