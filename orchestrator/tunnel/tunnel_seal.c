#include "orchestrator/tunnel/tunnel_seal.h"

#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>

#include "nodes/base/bytes.h"

#define CONTEXT "heddle tunnel 1"

void tunnel_seal_init(struct tunnel_seal *seal, const uint8_t key[TUNNEL_KEY_BYTES],
		      const uint8_t session[TUNNEL_SESSION_BYTES], uint8_t from, uint8_t to)
{
	uint8_t info[sizeof(CONTEXT) + 2] = CONTEXT, pseudo_random[SHA256_DIGEST_SIZE];
	uint8_t session_key[CHACHA_POLY1305_KEY_SIZE];
	struct hmac_sha256_ctx hmac;

	info[sizeof(CONTEXT)] = from;
	info[sizeof(CONTEXT) + 1] = to;
	hmac_sha256_set_key(&hmac, TUNNEL_SESSION_BYTES, session);
	hkdf_extract(&hmac, (nettle_hash_update_func *)hmac_sha256_update,
		     (nettle_hash_digest_func *)hmac_sha256_digest, SHA256_DIGEST_SIZE,
		     TUNNEL_KEY_BYTES, key, pseudo_random);
	hmac_sha256_set_key(&hmac, SHA256_DIGEST_SIZE, pseudo_random);
	hkdf_expand(&hmac, (nettle_hash_update_func *)hmac_sha256_update,
		    (nettle_hash_digest_func *)hmac_sha256_digest, SHA256_DIGEST_SIZE, sizeof(info),
		    info, sizeof(session_key), session_key);
	chacha_poly1305_set_key(&seal->context, session_key);
	explicit_bzero(session_key, sizeof(session_key));
	explicit_bzero(pseudo_random, sizeof(pseudo_random));
	explicit_bzero(&hmac, sizeof(hmac));
}

static void begin(struct tunnel_seal *seal, uint64_t number, const uint8_t *head, size_t head_bytes)
{
	uint8_t nonce[CHACHA_POLY1305_NONCE_SIZE] = { 0 };

	bytes_put32(nonce + 4, (uint32_t)(number >> 32));
	bytes_put32(nonce + 8, (uint32_t)number);
	chacha_poly1305_set_nonce(&seal->context, nonce);
	chacha_poly1305_update(&seal->context, head_bytes, head);
}

void tunnel_seal_close(struct tunnel_seal *seal, uint64_t number, const uint8_t *head,
		       size_t head_bytes, uint8_t *text, size_t length, uint8_t *tag)
{
	begin(seal, number, head, head_bytes);
	chacha_poly1305_encrypt(&seal->context, length, text, text);
	chacha_poly1305_digest(&seal->context, TUNNEL_TAG_BYTES, tag);
}

bool tunnel_seal_open(struct tunnel_seal *seal, uint64_t number, const uint8_t *head,
		      size_t head_bytes, uint8_t *text, size_t length, const uint8_t *tag)
{
	uint8_t expected[TUNNEL_TAG_BYTES], given[TUNNEL_TAG_BYTES];

	memcpy(given, tag, sizeof(given));
	begin(seal, number, head, head_bytes);
	chacha_poly1305_decrypt(&seal->context, length, text, text);
	chacha_poly1305_digest(&seal->context, sizeof(expected), expected);
	return memeql_sec(expected, given, sizeof(given));
}
