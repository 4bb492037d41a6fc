/*  orchestrator/base/sha256: the examples of FIPS 180-4, and input in parts (TB-13). */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/sha256.h"
#include "tests/testing.h"

static const char *digest_of(const char *bytes, size_t length, char text[SHA256_TEXT_MAX])
{
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, bytes, length);
	return sha256_text(&sha, text);
}

TEST(sha256_text__examples_of_the_standard)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char text[SHA256_TEXT_MAX];

	ck_assert_str_eq(digest_of("", 0, text),
			 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	ck_assert_str_eq(digest_of("abc", 3, text),
			 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ck_assert_str_eq(digest_of(two_blocks, strlen(two_blocks), text),
			 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(sha256_add__parts_of_any_length)
{
	char bytes[300], whole[SHA256_TEXT_MAX], text[SHA256_TEXT_MAX];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	digest_of(bytes, sizeof(bytes), whole);
	for (size_t piece = 1; piece <= sizeof(bytes); piece++) {
		struct sha256 sha;

		sha256_begin(&sha);
		for (size_t at = 0; at < sizeof(bytes); at += piece) {
			size_t left = sizeof(bytes) - at;

			sha256_add(&sha, bytes + at, left < piece ? left : piece);
			sha256_text(&sha, text); /* reading the digest in between changes nothing */
		}
		ck_assert_str_eq(sha256_text(&sha, text), whole);
	}
}

TEST(sha256_base64__the_same_digest)
{
	char text[SHA256_BASE64_MAX];
	struct sha256 sha;

	sha256_begin(&sha);
	ck_assert_str_eq(sha256_base64(&sha, text), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST(sha256_bytes__the_same_digest)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_bytes(&sha, digest);
	ck_assert_uint_eq(digest[0], 0xe3);
	ck_assert_uint_eq(digest[31], 0x55);
}
