#include "nodes/stats/stats.h"

#include <assert.h>
#include <string.h>

#define LINE_OF(field) (offsetof(struct port_stats, field) / 64)

static_assert(LINE_OF(tx_frames) == 0 && LINE_OF(queue_byte_ns_sum) == 0,
	      "a frame that is sent writes one line of cache");
static_assert(LINE_OF(rx_frames) == 1 && LINE_OF(ifct_used_max) == 1,
	      "a frame that arrives writes one line of cache");
static_assert(LINE_OF(ack_frames) == 2 && LINE_OF(paused_since_ps) == 2,
	      "an ACK, and a stop by the peer, write one line of cache");

const char *const stats_drop_name[DROP_REASONS] = {
	[DROP_LINK_LOSS] = "link_loss",
	[DROP_MALFORMED] = "malformed",
	[DROP_BAD_RECORD] = "bad_record",
	[DROP_NO_DESTINATION] = "no_destination",
	[DROP_NO_ROUTE] = "no_route",
	[DROP_BUFFER_OVERFLOW] = "buffer_overflow",
	[DROP_OVERSIZE] = "oversize",
	[DROP_BAD_CHANNEL] = "bad_channel",
	[DROP_BAD_ACK] = "bad_ack",
	[DROP_UNKNOWN_FLOW] = "unknown_flow",
	[DROP_FLOW_TABLE_FULL] = "flow_table_full",
	[DROP_RING_FULL] = "ring_full",
	[DROP_LINK_DOWN] = "link_down",
	[DROP_FLOOD_LIMIT] = "flood_limit",
	[DROP_NO_LISTENER] = "no_listener",
	[DROP_HOST] = "host_refused",
	[DROP_FGFC_QUEUE] = "fgfc_queue",
	[DROP_HOST_OVERRUN] = "host_overrun",
	[DROP_QUEUE_FULL] = "queue_full",
	[DROP_HEADROOM] = "headroom",
	[DROP_BAD_ICRC] = "bad_icrc",
	[DROP_OUT_OF_ORDER] = "out_of_order",
	[DROP_DUPLICATE] = "duplicate",
	[DROP_NO_LANE] = "no_lane",
	[DROP_BAD_LID] = "bad_lid",
	[DROP_TTL] = "ttl_expired",
};

/* four buckets to an octave from 4 ns on: the two bits after the highest one; below 4 ns, a bucket
 * for each */
uint32_t stats_lateness_bucket(uint64_t ns)
{
	uint32_t octave, bucket;

	if (ns < 4)
		return (uint32_t)ns;
	octave = 63 - (uint32_t)__builtin_clzll(ns);
	bucket = (octave - 1) * 4 + (uint32_t)(ns >> (octave - 2) & 3);
	return bucket < STATS_LATENESS_BUCKETS ? bucket : STATS_LATENESS_BUCKETS - 1;
}

uint64_t stats_lateness_ns(uint32_t bucket)
{
	if (bucket >= STATS_LATENESS_BUCKETS)
		return UINT64_MAX;
	return bucket < 4 ? bucket : (4ull + bucket % 4) << (bucket / 4 - 1);
}

uint64_t stats_lateness_quantile(const struct lateness_stats *lateness, uint32_t permille)
{
	uint64_t wanted = (lateness->events * permille + 999) / 1000, seen = 0;

	for (uint32_t b = 0; b < STATS_LATENESS_BUCKETS && wanted; b++) {
		uint64_t end_ns = stats_lateness_ns(b + 1) - 1;

		seen += lateness->count[b];
		if (seen >= wanted)
			return end_ns < lateness->max_ns ? end_ns : lateness->max_ns;
	}
	return lateness->max_ns;
}

/* takes @count items of @size from the end of the page; returns their offset */
static uint64_t section(uint64_t *end, uint64_t count, size_t size)
{
	uint64_t offset = (*end + 63) / 64 * 64;

	*end = offset + count * size;
	return offset;
}

static void layout(struct stats_page *page, const struct node_config *config)
{
	uint64_t end = sizeof(*page);
	bool nic = config->kind == NODE_NIC;
	uint32_t classes =
		config->fabric == FABRIC_ROCE ? NODE_CLASSES_MAX * config->port_count : 0;

	*page = (struct stats_page){ .magic = STATS_MAGIC,
				     .version = STATS_VERSION,
				     .node_kind = config->kind,
				     .port_count = config->port_count,
				     .flows_max = nic ? config->nic.flows_max : 0,
				     .messages_max = nic ? config->nic.messages_max : 0,
				     .trace_max = STATS_TRACE_MAX,
				     .series_max = config->series ? STATS_SERIES_MAX : 0 };
	page->port_offset = section(&end, page->port_count, STATS_PORT_BYTES);
	page->class_offset = section(&end, classes, sizeof(struct class_stats));
	page->flow_tx_offset = section(&end, page->flows_max, sizeof(struct flow_tx_stats));
	page->flow_rx_offset = section(&end, page->flows_max, sizeof(struct flow_rx_stats));
	page->trace_offset = section(&end, page->trace_max, sizeof(struct trace_entry));
	page->series_offset = section(&end, page->series_max, sizeof(struct series_entry));
	page->message_offset = section(&end, page->messages_max, sizeof(struct message_stats));
	page->size_bytes = (end + 4095) / 4096 * 4096;
}

size_t stats_bytes(const struct node_config *config)
{
	struct stats_page page;

	layout(&page, config);
	return page.size_bytes;
}

void stats_init(struct stats_page *page, const struct node_config *config)
{
	layout(page, config);
}
