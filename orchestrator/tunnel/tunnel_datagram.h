/*  tunnel_datagram - the bytes of a datagram between two machines (SC-5). Pure.
 *
 *    magic 4, version 1, from 1, to 1, zero 1, session 16, number 8 | items | tag 16
 *
 *  Items are sealed (tunnel_seal.h); what is in front of them is authenticated. All numbers are in
 *  network byte order. An item is {kind 1, zero 1, length of the body 2, body}. The kinds and
 *  their bodies: docs/wire-format.md, "Tunnels". Items come from a machine with the key of the
 *  fabric, the front may come from anywhere. Neither is trusted. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_DATAGRAM_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orchestrator/tunnel/tunnel_seal.h"

#define TUNNEL_FRONT_BYTES 32u
#define TUNNEL_AROUND_BYTES (TUNNEL_FRONT_BYTES + TUNNEL_TAG_BYTES)
/* the longest: a frame of 9000 bytes in one piece, where the path carries that */
#define TUNNEL_DATAGRAM_MAX 9728u
#define TUNNEL_DATAGRAM_MIN 548u /* ours: the least that is tried */
#define TUNNEL_ITEM_BYTES 4u
#define TUNNEL_RECORD_BYTES 32u /* of a record's body, in front of its piece */
#define TUNNEL_DIGEST_BYTES 32u
#define TUNNEL_DOWN_MAX 64u /* links in one TUNNEL_STATE */

enum tunnel_item_kind {
	TUNNEL_PAD,    /* any body, ignored */
	TUNNEL_HELLO,  /* opens a session and keeps it open */
	TUNNEL_PING,   /* asks for the clock */
	TUNNEL_PONG,   /* the answer */
	TUNNEL_BYE,    /* the fabric of the sender ends */
	TUNNEL_STATE,  /* links that are down at the sender */
	TUNNEL_COUNT,  /* how many records of a link were sent so far */
	TUNNEL_RECORD, /* a record of a link, or a piece of one */
	TUNNEL_ITEM_KINDS
};

struct tunnel_front {
	uint8_t from, to; /* machines */
	uint8_t session[TUNNEL_SESSION_BYTES];
	uint64_t number;
};

struct tunnel_hello {
	uint8_t digest[TUNNEL_DIGEST_BYTES]; /* of the scenario and the machines */
	uint64_t challenge, echo;            /* the sender's, and the receiver's last one */
	uint64_t accepted;    /* the first bytes of the receiver's session; 0: none yet */
	uint32_t heard_bytes; /* the longest datagram that came lately */
	bool begun;           /* the sender's fabric time runs */
	bool ready;           /* ... or waits for that of others only */
};

/* times: CLOCK_MONOTONIC of the machine that writes them, ns */
struct tunnel_times {
	uint64_t sent_ns;               /* of the ping */
	uint64_t arrived_ns, answer_ns; /* PONG: at the machine that answers */
};

struct tunnel_state {
	uint32_t count;
	uint32_t down[TUNNEL_DOWN_MAX]; /* link indices */
};

struct tunnel_count {
	uint32_t link, generation, records;
};

/* a record of the ring, with its time on the sender's clock */
struct tunnel_record {
	uint32_t link;
	uint32_t generation; /* of the sender's end of the link: another one counts from 0 */
	uint32_t number;     /* of the record in its generation */
	uint64_t at_ns;
	uint32_t sequence;
	uint16_t wire_bytes;
	uint8_t kind, traffic_class;
	uint16_t captured_bytes, offset; /* of the record; of the piece in it */
	uint16_t piece_bytes;
	const uint8_t *piece; /* in the datagram; the word of a RECORD_WORD: 8 bytes */
};

struct tunnel_item {
	enum tunnel_item_kind kind;
	union {
		struct tunnel_hello hello;
		struct tunnel_times times; /* PING, PONG */
		struct tunnel_state state;
		struct tunnel_count count;
		struct tunnel_record record;
	};
};

/** tunnel_front_write() - TUNNEL_FRONT_BYTES of @front. */
void tunnel_front_write(const struct tunnel_front *front, uint8_t *bytes);

/** tunnel_front_read() - Return: 0; -EMSGSIZE: @length is too short; -EPROTO: it is no datagram of
 *  a tunnel, or of another version. */
int tunnel_front_read(const uint8_t *bytes, size_t length, struct tunnel_front *front);

/** tunnel_item_write() - appends @item at @bytes, of which @space are free.
 *  TUNNEL_PAD fills all of the space (at least TUNNEL_ITEM_BYTES).
 *  Return: its length; 0: it does not fit. */
size_t tunnel_item_write(const struct tunnel_item *item, uint8_t *bytes, size_t space);

/** tunnel_item_read() - the item at @bytes, of which @length are left, checked.
 *  Return: its length, > 0; -EINVAL: it is none. */
int tunnel_item_read(const uint8_t *bytes, size_t length, struct tunnel_item *item);

#endif
