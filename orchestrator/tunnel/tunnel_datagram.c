#include "orchestrator/tunnel/tunnel_datagram.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/base/ring.h"

#define MAGIC 0x48446c54u /* "HDlT" */
#define VERSION 1u
#define WORD_BYTES 8u
#define HELLO_BYTES (TUNNEL_DIGEST_BYTES + 3 * 8 + 4 + 4)
#define HELLO_BEGUN 1u
#define HELLO_READY 2u

/* ---- the front ---- */

void tunnel_front_write(const struct tunnel_front *front, uint8_t *bytes)
{
	bytes_put32(bytes, MAGIC);
	bytes[4] = VERSION;
	bytes[5] = front->from;
	bytes[6] = front->to;
	bytes[7] = 0;
	memcpy(bytes + 8, front->session, TUNNEL_SESSION_BYTES);
	bytes_put64(bytes + 24, front->number);
}

int tunnel_front_read(const uint8_t *bytes, size_t length, struct tunnel_front *front)
{
	if (length < TUNNEL_AROUND_BYTES)
		return -EMSGSIZE;
	if (bytes_get32(bytes) != MAGIC || bytes[4] != VERSION || bytes[7])
		return -EPROTO;
	front->from = bytes[5];
	front->to = bytes[6];
	memcpy(front->session, bytes + 8, TUNNEL_SESSION_BYTES);
	front->number = bytes_get64(bytes + 24);
	return 0;
}

/* ---- items ---- */

static size_t body_bytes(const struct tunnel_item *item, size_t space)
{
	switch (item->kind) {
	case TUNNEL_HELLO:
		return HELLO_BYTES;
	case TUNNEL_PING:
		return 8;
	case TUNNEL_PONG:
		return 24;
	case TUNNEL_STATE:
		return 4 * (size_t)item->state.count;
	case TUNNEL_COUNT:
		return 12;
	case TUNNEL_RECORD:
		return TUNNEL_RECORD_BYTES + item->record.piece_bytes;
	case TUNNEL_PAD:
		return space < TUNNEL_ITEM_BYTES ? SIZE_MAX / 2 : space - TUNNEL_ITEM_BYTES;
	default:
		return 0;
	}
}

static void hello_write(const struct tunnel_hello *hello, uint8_t *body)
{
	memcpy(body, hello->digest, TUNNEL_DIGEST_BYTES);
	body += TUNNEL_DIGEST_BYTES;
	bytes_put64(body, hello->challenge);
	bytes_put64(body + 8, hello->echo);
	bytes_put64(body + 16, hello->accepted);
	bytes_put32(body + 24, hello->heard_bytes);
	bytes_put32(body + 28, (hello->begun ? HELLO_BEGUN : 0) | (hello->ready ? HELLO_READY : 0));
}

static void record_write(const struct tunnel_record *record, uint8_t *body)
{
	bytes_put32(body, record->link);
	bytes_put32(body + 4, record->generation);
	bytes_put32(body + 8, record->number);
	bytes_put64(body + 12, record->at_ns);
	bytes_put32(body + 20, record->sequence);
	bytes_put16(body + 24, record->wire_bytes);
	body[26] = record->kind;
	body[27] = record->traffic_class;
	bytes_put16(body + 28, record->captured_bytes);
	bytes_put16(body + 30, record->offset);
	memcpy(body + TUNNEL_RECORD_BYTES, record->piece, record->piece_bytes);
}

static void body_write(const struct tunnel_item *item, uint8_t *body, size_t length)
{
	switch (item->kind) {
	case TUNNEL_HELLO:
		hello_write(&item->hello, body);
		break;
	case TUNNEL_PONG:
		bytes_put64(body + 8, item->times.arrived_ns);
		bytes_put64(body + 16, item->times.answer_ns);
		bytes_put64(body, item->times.sent_ns);
		break;
	case TUNNEL_PING:
		bytes_put64(body, item->times.sent_ns);
		break;
	case TUNNEL_STATE:
		for (uint32_t i = 0; i < item->state.count; i++)
			bytes_put32(body + 4 * (size_t)i, item->state.down[i]);
		break;
	case TUNNEL_COUNT:
		bytes_put32(body, item->count.link);
		bytes_put32(body + 4, item->count.generation);
		bytes_put32(body + 8, item->count.records);
		break;
	case TUNNEL_RECORD:
		record_write(&item->record, body);
		break;
	default:
		memset(body, 0, length);
		break;
	}
}

size_t tunnel_item_write(const struct tunnel_item *item, uint8_t *bytes, size_t space)
{
	size_t length = body_bytes(item, space);

	if (length > UINT16_MAX || TUNNEL_ITEM_BYTES + length > space)
		return 0;
	bytes[0] = (uint8_t)item->kind;
	bytes[1] = 0;
	bytes_put16(bytes + 2, (uint16_t)length);
	body_write(item, bytes + TUNNEL_ITEM_BYTES, length);
	return TUNNEL_ITEM_BYTES + length;
}

/* ---- reading ---- */

static int hello_read(const uint8_t *body, size_t length, struct tunnel_hello *hello)
{
	uint32_t flags;

	if (length != HELLO_BYTES)
		return -EINVAL;
	memcpy(hello->digest, body, TUNNEL_DIGEST_BYTES);
	body += TUNNEL_DIGEST_BYTES;
	hello->challenge = bytes_get64(body);
	hello->echo = bytes_get64(body + 8);
	hello->accepted = bytes_get64(body + 16);
	hello->heard_bytes = bytes_get32(body + 24);
	flags = bytes_get32(body + 28);
	hello->begun = flags & HELLO_BEGUN;
	hello->ready = flags & HELLO_READY;
	return flags & ~(HELLO_BEGUN | HELLO_READY) ? -EINVAL : 0;
}

static int times_read(const uint8_t *body, size_t length, bool answer, struct tunnel_times *times)
{
	if (length != (answer ? 24 : 8))
		return -EINVAL;
	*times = (struct tunnel_times){ .sent_ns = bytes_get64(body) };
	if (answer) {
		times->arrived_ns = bytes_get64(body + 8);
		times->answer_ns = bytes_get64(body + 16);
	}
	return times->answer_ns < times->arrived_ns ? -EINVAL : 0;
}

static int state_read(const uint8_t *body, size_t length, struct tunnel_state *state)
{
	if (length % 4 || length / 4 > TUNNEL_DOWN_MAX)
		return -EINVAL;
	state->count = (uint32_t)(length / 4);
	for (uint32_t i = 0; i < state->count; i++)
		state->down[i] = bytes_get32(body + 4 * (size_t)i);
	return 0;
}

/* a word is one piece; any other record has all of its bytes, or a piece that lies inside */
static bool piece_is_valid(const struct tunnel_record *record)
{
	if (record->kind == RECORD_WORD)
		return !record->captured_bytes && !record->offset &&
		       record->piece_bytes == WORD_BYTES;
	return record->captured_bytes && record->captured_bytes <= RING_CAPTURED_MAX &&
	       record->piece_bytes &&
	       record->offset + record->piece_bytes <= record->captured_bytes;
}

static int record_read(const uint8_t *body, size_t length, struct tunnel_record *record)
{
	if (length < TUNNEL_RECORD_BYTES)
		return -EINVAL;
	*record = (struct tunnel_record){
		.link = bytes_get32(body),
		.generation = bytes_get32(body + 4),
		.number = bytes_get32(body + 8),
		.at_ns = bytes_get64(body + 12),
		.sequence = bytes_get32(body + 20),
		.wire_bytes = bytes_get16(body + 24),
		.kind = body[26],
		.traffic_class = body[27],
		.captured_bytes = bytes_get16(body + 28),
		.offset = bytes_get16(body + 30),
		.piece_bytes = (uint16_t)(length - TUNNEL_RECORD_BYTES),
		.piece = body + TUNNEL_RECORD_BYTES,
	};
	if (record->kind == RECORD_PAD || record->kind >= RECORD_KINDS ||
	    record->wire_bytes > RING_CAPTURED_MAX)
		return -EINVAL;
	return piece_is_valid(record) ? 0 : -EINVAL;
}

static int body_read(const uint8_t *body, size_t length, struct tunnel_item *item)
{
	switch (item->kind) {
	case TUNNEL_HELLO:
		return hello_read(body, length, &item->hello);
	case TUNNEL_PING:
	case TUNNEL_PONG:
		return times_read(body, length, item->kind == TUNNEL_PONG, &item->times);
	case TUNNEL_STATE:
		return state_read(body, length, &item->state);
	case TUNNEL_COUNT:
		if (length != 12)
			return -EINVAL;
		item->count = (struct tunnel_count){ bytes_get32(body), bytes_get32(body + 4),
						     bytes_get32(body + 8) };
		return 0;
	case TUNNEL_RECORD:
		return record_read(body, length, &item->record);
	case TUNNEL_BYE:
		return length ? -EINVAL : 0;
	default:
		return 0;
	}
}

int tunnel_item_read(const uint8_t *bytes, size_t length, struct tunnel_item *item)
{
	size_t body;

	if (length < TUNNEL_ITEM_BYTES || bytes[0] >= TUNNEL_ITEM_KINDS || bytes[1])
		return -EINVAL;
	body = bytes_get16(bytes + 2);
	if (TUNNEL_ITEM_BYTES + body > length)
		return -EINVAL;
	item->kind = (enum tunnel_item_kind)bytes[0];
	if (body_read(bytes + TUNNEL_ITEM_BYTES, body, item))
		return -EINVAL;
	return (int)(TUNNEL_ITEM_BYTES + body);
}
