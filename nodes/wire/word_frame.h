/*  word_frame - link control words on a link of real Ethernet frames (TB-3).
 *
 *  In shared memory a control word is a record of its own; on a veth link the words that follow
 *  each other go together in one frame: [envelope 14][type 3 (4 bits), version 0
 *  (4)][count][reserved 2], then count words of eight bytes, [kind][traffic class][reserved
 *  2][value 4]. The envelope's MACs are those of the two link ends, 02:48:fe:nn:nn:pp of node index
 *  and port: unlike a switch, a NIC has no fabric address. */
#ifndef HEDDLE_NODES_WIRE_WORD_FRAME_H
#define HEDDLE_NODES_WIRE_WORD_FRAME_H

#include <stdint.h>

#include "nodes/wire/fabric_header.h"

#define FABRIC_TYPE_WORDS 3u
#define WORD_FRAME_WORDS_MAX 32u
#define WORD_FRAME_FRONT_BYTES (FABRIC_ENVELOPE_BYTES + 4u)
#define WORD_FRAME_BYTES_MAX (WORD_FRAME_FRONT_BYTES + 8u * WORD_FRAME_WORDS_MAX)

struct word_frame_word {
	uint8_t kind; /* enum link_word; any byte passes here */
	uint8_t traffic_class;
	uint32_t value;
};

/** word_frame_envelope_write() - the envelope of frames that belong to the link and not to the
 *  fabric. */
void word_frame_envelope_write(uint32_t node_index, uint32_t port, uint32_t peer_index,
			       uint32_t peer_port, uint8_t bytes[FABRIC_ENVELOPE_BYTES]);

/** word_frame_start() - an empty word frame after its envelope. @bytes
 *  WORD_FRAME_BYTES_MAX long. */
void word_frame_start(const uint8_t envelope[FABRIC_ENVELOPE_BYTES], uint8_t *bytes);

/** word_frame_add() - one word more. Return: the frame's length now, or 0 if it was full (nothing
 *  changed). */
uint32_t word_frame_add(uint8_t *bytes, const struct word_frame_word *word);

/** word_frame_read() - parses one into @words (WORD_FRAME_WORDS_MAX entries).
 *  Return: their number, or -EINVAL (wrong EtherType, type, version, count or length, reserved bits
 *  set). */
int word_frame_read(const uint8_t *bytes, uint32_t length, struct word_frame_word *words);

#endif
