#include "orchestrator/base/sha256.h"

#include <nettle/base64.h>
#include <stdio.h>

void sha256_begin(struct sha256 *sha)
{
	sha256_init(&sha->context);
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t length)
{
	sha256_update(&sha->context, length, bytes);
}

void sha256_bytes(const struct sha256 *sha, uint8_t digest[SHA256_DIGEST_SIZE])
{
	/* the digest ends a computation, so it is made of a copy */
	struct sha256_ctx copy = sha->context;

	sha256_digest(&copy, SHA256_DIGEST_SIZE, digest);
}

const char *sha256_text(const struct sha256 *sha, char text[SHA256_TEXT_MAX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_bytes(sha, digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return text;
}

const char *sha256_base64(const struct sha256 *sha, char text[SHA256_BASE64_MAX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_bytes(sha, digest);
	base64_encode_raw(text, sizeof(digest), digest);
	text[SHA256_BASE64_MAX - 1] = 0;
	return text;
}
