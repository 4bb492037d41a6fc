#include "nodes/wire/word_frame.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/config/config.h"
#include "nodes/wire/frame.h"

#define WORD_BYTES 8u
#define FIRST_BYTE (FABRIC_TYPE_WORDS << 4) /* version 0 */

static_assert(NODE_COUNT_MAX <= 1 << 16, "a node index has 16 bits of a MAC");
static_assert(WORD_FRAME_WORDS_MAX < 256, "the count has one byte");

static void end_mac_write(uint32_t node_index, uint32_t port, uint8_t *mac)
{
	bytes_put16(mac, 0x0248);
	bytes_put32(mac + 2, 0xfe000000u | (node_index & 0xffff) << 8 | (port & 0xff));
}

void word_frame_envelope_write(uint32_t node_index, uint32_t port, uint32_t peer_index,
			       uint32_t peer_port, uint8_t bytes[FABRIC_ENVELOPE_BYTES])
{
	end_mac_write(peer_index, peer_port, bytes);
	end_mac_write(node_index, port, bytes + 6);
	bytes_put16(bytes + 12, ETHERTYPE_FABRIC);
}

void word_frame_start(const uint8_t envelope[FABRIC_ENVELOPE_BYTES], uint8_t *bytes)
{
	memcpy(bytes, envelope, FABRIC_ENVELOPE_BYTES);
	bytes_put32(bytes + FABRIC_ENVELOPE_BYTES, FIRST_BYTE << 24);
}

uint32_t word_frame_add(uint8_t *bytes, const struct word_frame_word *word)
{
	uint8_t *count = bytes + FABRIC_ENVELOPE_BYTES + 1;
	uint8_t *at = bytes + WORD_FRAME_FRONT_BYTES + *count * WORD_BYTES;

	if (*count == WORD_FRAME_WORDS_MAX)
		return 0;
	bytes_put32(at, (uint32_t)word->kind << 24 | (uint32_t)word->traffic_class << 16);
	bytes_put32(at + 4, word->value);
	++*count;
	return WORD_FRAME_FRONT_BYTES + *count * WORD_BYTES;
}

int word_frame_read(const uint8_t *bytes, uint32_t length, struct word_frame_word *words)
{
	const uint8_t *body = bytes + FABRIC_ENVELOPE_BYTES, *at = bytes + WORD_FRAME_FRONT_BYTES;
	uint32_t count;

	if (length < WORD_FRAME_FRONT_BYTES || bytes_get16(bytes + 12) != ETHERTYPE_FABRIC ||
	    body[0] != FIRST_BYTE || bytes_get16(body + 2))
		return -EINVAL;
	count = body[1];
	if (count < 1 || count > WORD_FRAME_WORDS_MAX ||
	    length != WORD_FRAME_FRONT_BYTES + count * WORD_BYTES)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++, at += WORD_BYTES) {
		if (bytes_get16(at + 2))
			return -EINVAL;
		words[i] = (struct word_frame_word){
			.kind = at[0],
			.traffic_class = at[1],
			.value = bytes_get32(at + 4),
		};
	}
	return (int)count;
}
