/*  sha256 - the digest of a sequence of bytes, as `sha256sum` prints it [FIPS 180-4]. The only home
 *  of nettle.
 *
 *  A result names its scenario by it (TB-13), so anyone can check it without Heddle. No I/O, no
 *  allocation. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_SHA256_H
#define HEDDLE_ORCHESTRATOR_BASE_SHA256_H

#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT_MAX 65u   /* 64 hexadecimal digits and the terminating 0 */
#define SHA256_BASE64_MAX 45u /* 44 characters of base64 and the terminating 0 */

struct sha256 {
	struct sha256_ctx context;
};

/** sha256_begin() - starts with an empty sequence. */
void sha256_begin(struct sha256 *sha);

/** sha256_add() - appends @length bytes at @bytes; borrowed. O(length). */
void sha256_add(struct sha256 *sha, const void *bytes, size_t length);

/** sha256_bytes() - the digest of all bytes so far. @sha is unchanged. */
void sha256_bytes(const struct sha256 *sha, uint8_t digest[SHA256_DIGEST_SIZE]);

/** sha256_text() - the same in lower-case hexadecimal digits.
 *  @text  SHA256_TEXT_MAX bytes.  Return: @text. */
const char *sha256_text(const struct sha256 *sha, char text[SHA256_TEXT_MAX]);

/** sha256_base64() - the same in base64 [RFC 4648], as HTTP policies have it.
 *  @text  SHA256_BASE64_MAX bytes.  Return: @text. */
const char *sha256_base64(const struct sha256 *sha, char text[SHA256_BASE64_MAX]);

#endif
