#include "switchd/common/path_watch.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/stats/trace.h"

#define WAYS 4u /* lines that a flow may have */

int path_watch_init(struct path_watch *watch, const struct node_config *config)
{
	*watch = (struct path_watch){ 0 };
	if (!config->events)
		return 0;
	for (uint32_t c = 0; c < config->class_count; c++)
		watch->unordered |= (uint32_t)config->classes[c].unordered << c;
	watch->lines = calloc(PATH_LINES, sizeof(*watch->lines));
	return watch->lines ? 0 : -ENOMEM;
}

void path_watch_fini(struct path_watch *watch)
{
	free(watch->lines);
	*watch = (struct path_watch){ 0 };
}

/* the line of @flow; one without ports if it had none */
static struct path_line *line_of(struct path_watch *watch, uint64_t flow)
{
	uint64_t hash = flow * 0x9e3779b97f4a7c15u;
	struct path_line *set = &watch->lines[(hash >> 40) % (PATH_LINES / WAYS) * WAYS], *line;

	for (line = set; line < set + WAYS; line++) {
		if (line->flow == flow)
			return line;
		if (!line->flow)
			break;
	}
	if (line == set + WAYS)
		line = set + (hash >> 20) % WAYS;
	*line = (struct path_line){ .flow = flow };
	return line;
}

void path_watch_packet(struct path_watch *watch, struct stats_page *stats, uint32_t port,
		       const struct packet *packet, node_time_t now)
{
	struct frame_payload payload;
	struct path_line *line;
	struct trace_entry entry;

	if (packet->copy || frame_payload_read(packet->bytes, packet_first_bytes(packet),
					       packet->frame_bytes, &payload))
		return;
	if (watch->note)
		watch->note(watch->owner, packet, payload.flow_slot);
	line = line_of(watch, ((uint64_t)payload.source + 1) << 24 | payload.flow_slot);
	if (line->ports >> port & 1)
		return;
	if (!(watch->unordered >> packet->traffic_class & 1))
		line->ports = 0;
	line->ports |= 1ull << port;
	entry = (struct trace_entry){ .at_ps = now,
				      .kind = TRACE_PATH,
				      .port = (uint8_t)port,
				      .traffic_class = packet->traffic_class,
				      .detail = payload.flow_slot,
				      .value = packet->in_port };
	trace_hosts(&entry, packet->bytes);
	trace(stats, entry);
}
