#include "orchestrator/tunnel/tunnel_link.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/link/link.h"

#define PIECE_BYTES_MIN 128u /* shorter ones are not worth their item */
#define WORD_BYTES 8u
#define ITEM_BYTES (TUNNEL_ITEM_BYTES + TUNNEL_RECORD_BYTES)

int tunnel_link_init(struct tunnel_link *end, uint32_t link, uint8_t machine, uint32_t generation,
		     struct ring_page *from_node, size_t from_bytes, struct ring_page *to_node,
		     size_t to_bytes)
{
	*end = (struct tunnel_link){
		.link = link, .machine = machine, .generation = generation, .told = true
	};
	if (ring_rx_attach(&end->from_node, from_node, from_bytes) ||
	    ring_tx_attach(&end->to_node, to_node, to_bytes))
		return -EINVAL;
	return 0;
}

/* ---- sending ---- */

bool tunnel_link_waits(struct tunnel_link *end)
{
	struct record header;

	if (ring_peek(&end->from_node, &header))
		return true;
	ring_refresh(&end->from_node);
	return ring_peek(&end->from_node, &header);
}

static void head_done(struct tunnel_link *end, const struct record *header)
{
	ring_pop(&end->from_node, header);
	ring_release(&end->from_node);
	end->sent_bytes = 0;
}

/* how much of the record goes into @space; 0: it goes into the next datagram */
static uint32_t piece_of(uint32_t left, size_t space, bool empty)
{
	if (ITEM_BYTES + left <= space)
		return left;
	/* it is in pieces anyway, or there is nothing that it could wait for */
	if (empty ||
	    (ITEM_BYTES + left > TUNNEL_DATAGRAM_MIN && space >= ITEM_BYTES + PIECE_BYTES_MIN))
		return space > ITEM_BYTES ? (uint32_t)(space - ITEM_BYTES) : 0;
	return 0;
}

/* The length of the record @header; 0: it is not sent. A node may change a record of which pieces
 * have been sent (TB-23). */
static uint32_t length_of(const struct tunnel_link *end, const struct record *header)
{
	uint32_t length = header->kind == RECORD_WORD ? WORD_BYTES : header->captured_bytes;
	bool changed =
		end->sent_bytes && (header->kind == RECORD_WORD || end->sent_bytes >= length);

	return changed || header->wire_bytes > UINT16_MAX ? 0 : length;
}

size_t tunnel_link_send(struct tunnel_link *end, uint8_t *bytes, size_t space, bool empty,
			uint64_t epoch_ns, struct tunnel_counts *counts)
{
	struct record header;
	const uint8_t *captured = ring_peek(&end->from_node, &header);
	bool is_word = captured && header.kind == RECORD_WORD;
	struct tunnel_item item = { .kind = TUNNEL_RECORD };
	uint8_t word[WORD_BYTES];
	uint32_t all, piece;
	size_t length;

	if (!captured)
		return 0;
	all = length_of(end, &header);
	if (!all) {
		counts->drops[TUNNEL_DROP_MALFORMED]++;
		head_done(end, &header);
		return 0;
	}
	piece = piece_of(all - end->sent_bytes, space, empty);
	/* a word is never in pieces */
	if (!piece || (is_word && piece < all))
		return 0;
	bytes_put64(word, header.word);
	item.record = (struct tunnel_record){
		.link = end->link,
		.generation = end->generation,
		.number = end->number,
		.at_ns = epoch_ns + header.at_ps / NODE_NS,
		.sequence = header.sequence,
		.wire_bytes = (uint16_t)header.wire_bytes,
		.kind = (uint8_t)header.kind,
		.traffic_class = (uint8_t)header.traffic_class,
		.captured_bytes = is_word ? 0 : (uint16_t)header.captured_bytes,
		.offset = (uint16_t)end->sent_bytes,
		.piece_bytes = (uint16_t)piece,
		.piece = is_word ? word : captured + end->sent_bytes,
	};
	length = tunnel_item_write(&item, bytes, space);
	counts->fragmented += !end->sent_bytes && piece < all;
	end->sent_bytes += piece;
	if (end->sent_bytes < all)
		return length;
	head_done(end, &header); /* the producer may write there from now on */
	end->number++;
	counts->sent_frames++;
	return length;
}

void tunnel_link_drop(struct tunnel_link *end, uint64_t *drops)
{
	struct record header;

	while (tunnel_link_waits(end) && ring_peek(&end->from_node, &header)) {
		head_done(end, &header);
		(*drops)++;
	}
}

size_t tunnel_link_count(struct tunnel_link *end, uint8_t *bytes, size_t space)
{
	struct tunnel_item item = { .kind = TUNNEL_COUNT,
				    .count = { end->link, end->generation, end->number } };
	size_t length;

	if (end->counted != end->number) {
		end->counted = end->number;
		end->told = false;
		return 0;
	}
	length = end->told ? 0 : tunnel_item_write(&item, bytes, space);
	end->told = end->told || length;
	return length;
}

/* ---- receiving ---- */

/* records before @number will not come any more */
static void advance(struct tunnel_link *end, uint32_t number, struct tunnel_counts *counts)
{
	counts->drops[TUNNEL_DROP_INCOMPLETE] += end->have_bytes != 0;
	counts->lost_frames += number - end->expected;
	end->expected = number;
	end->have_bytes = 0;
}

static void deliver(struct tunnel_link *end, const struct tunnel_record *record,
		    const uint8_t *captured, node_time_t at_ps, node_time_t now_ps,
		    struct tunnel_counts *counts)
{
	struct record *place = ring_has_room(&end->to_node)
				       ? ring_reserve(&end->to_node, record->captured_bytes)
				       : NULL;

	if (!place) {
		counts->drops[record->captured_bytes > end->to_node.shape.captured_max
				      ? TUNNEL_DROP_OVERSIZE
				      : TUNNEL_DROP_RING_FULL]++;
		counts->lost_frames++;
		return;
	}
	if (at_ps < now_ps)
		counts->late_frames++;
	stats_lateness_add(&counts->lateness, at_ps < now_ps ? (now_ps - at_ps) / NODE_NS : 0);
	end->last_at_ps = node_time_max(end->last_at_ps, at_ps);
	*place = (struct record){
		.at_ps = end->last_at_ps,
		.wire_bytes = record->wire_bytes,
		.captured_bytes = record->captured_bytes,
		.sequence = record->sequence,
		.kind = record->kind,
		.traffic_class = record->traffic_class,
		.word = record->kind == RECORD_WORD ? bytes_get64(captured) : 0,
	};
	memcpy(record_captured(place), captured, record->captured_bytes);
	ring_commit(&end->to_node, record->captured_bytes);
	counts->received_frames++;
	if (!end->written)
		end->written_at_ps = end->last_at_ps;
	end->written = true;
}

/* the record or the piece that is next */
static void piece_take(struct tunnel_link *end, const struct tunnel_record *record,
		       node_time_t at_ps, node_time_t now_ps, struct tunnel_counts *counts)
{
	bool word = record->kind == RECORD_WORD;

	if (record->offset != end->have_bytes) {
		end->have_bytes = 1; /* a part of it has come: it is incomplete */
		advance(end, record->number + 1, counts);
		return;
	}
	if (word || record->piece_bytes == record->captured_bytes) {
		deliver(end, record, record->piece, at_ps, now_ps, counts);
		end->expected++;
		return;
	}
	memcpy(end->pieces + record->offset, record->piece, record->piece_bytes);
	end->have_bytes += record->piece_bytes;
	if (end->have_bytes < record->captured_bytes)
		return;
	deliver(end, record, end->pieces, at_ps, now_ps, counts);
	end->have_bytes = 0;
	end->expected++;
}

void tunnel_link_take(struct tunnel_link *end, const struct tunnel_record *record,
		      node_time_t at_ps, node_time_t now_ps, struct tunnel_counts *counts)
{
	int32_t ahead;

	/* late, of a link that is no more */
	if (end->former && end->former_generation == record->generation) {
		counts->drops[TUNNEL_DROP_REORDERED]++;
		return;
	}
	if (!end->heard || end->of_generation != record->generation) {
		end->former = end->heard;
		end->former_generation = end->of_generation;
		end->heard = true;
		end->of_generation = record->generation;
		end->expected = record->number;
		end->have_bytes = 0;
	}
	ahead = (int32_t)(record->number - end->expected);
	if (ahead < 0) {
		counts->drops[TUNNEL_DROP_REORDERED]++;
		return;
	}
	if (ahead > 0)
		advance(end, record->number, counts);
	piece_take(end, record, at_ps, now_ps, counts);
}

void tunnel_link_counted(struct tunnel_link *end, const struct tunnel_count *count,
			 struct tunnel_counts *counts)
{
	if (end->heard && end->of_generation == count->generation &&
	    (int32_t)(count->records - end->expected) > 0)
		advance(end, count->records, counts);
}

bool tunnel_link_publish(struct tunnel_link *end)
{
	if (!end->written)
		return false;
	end->written = false;
	ring_publish(&end->to_node);
	/* pairs with the fence of a node that falls asleep: pace.c */
	atomic_thread_fence(memory_order_seq_cst);
	return ring_rouse(&end->to_node, end->written_at_ps);
}
