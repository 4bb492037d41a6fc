/*  tunnel_seal - encrypts and authenticates the datagrams of one session in one direction (SC-5).
 *  The only user of nettle beside sha256.h.
 *
 *  ChaCha20-Poly1305 [RFC 8439]. The key of a session follows from the key of the fabric, the
 *  session's random number and the two machines, by HKDF with SHA-256 [RFC 5869]. A session is one
 *  process, so no key is used twice. The nonce is the number of the datagram, which never repeats
 *  in a session. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_SEAL_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_SEAL_H

#include <nettle/chacha-poly1305.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TUNNEL_KEY_BYTES 32u
#define TUNNEL_SESSION_BYTES 16u
#define TUNNEL_TAG_BYTES 16u

struct tunnel_seal {
	struct chacha_poly1305_ctx context;
};

/** tunnel_seal_init() - for datagrams of @session from machine @from to machine @to. Two rounds of
 *  SHA-256. */
void tunnel_seal_init(struct tunnel_seal *seal, const uint8_t key[TUNNEL_KEY_BYTES],
		      const uint8_t session[TUNNEL_SESSION_BYTES], uint8_t from, uint8_t to);

/** tunnel_seal_close() - encrypts @length bytes at @text in place.
 *  @head  authenticated, not encrypted.   @number  of the datagram, once in a session.
 *  @tag   TUNNEL_TAG_BYTES, filled; may follow the text. */
void tunnel_seal_close(struct tunnel_seal *seal, uint64_t number, const uint8_t *head,
		       size_t head_bytes, uint8_t *text, size_t length, uint8_t *tag);

/** tunnel_seal_open() - the opposite.   Return: false if the datagram was not sealed with this key,
 *  number and head; then @text is worthless. */
bool tunnel_seal_open(struct tunnel_seal *seal, uint64_t number, const uint8_t *head,
		      size_t head_bytes, uint8_t *text, size_t length, const uint8_t *tag);

#endif
