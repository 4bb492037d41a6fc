#include "orchestrator/sha256.h"

#include <stdio.h>
#include <string.h>

/* the first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first 8 */
static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const uint32_t first_state[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t rotate(uint32_t value, unsigned bits)
{
	return value >> bits | value << (32 - bits);
}

static void schedule_fill(const uint8_t block[64], uint32_t words[64])
{
	for (unsigned i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t near = words[i - 2], far = words[i - 15];

		words[i] = (rotate(near, 17) ^ rotate(near, 19) ^ near >> 10) + words[i - 7] +
			   (rotate(far, 7) ^ rotate(far, 18) ^ far >> 3) + words[i - 16];
	}
}

static void block_take(uint32_t state[8], const uint8_t block[64])
{
	uint32_t words[64], a[8];

	schedule_fill(block, words);
	memcpy(a, state, sizeof(a));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t choice = (a[4] & a[5]) ^ (~a[4] & a[6]),
			 majority = (a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]);
		uint32_t first = a[7] + (rotate(a[4], 6) ^ rotate(a[4], 11) ^ rotate(a[4], 25)) + choice +
				 round_constants[i] + words[i];
		uint32_t second = (rotate(a[0], 2) ^ rotate(a[0], 13) ^ rotate(a[0], 22)) + majority;

		memmove(a + 1, a, 7 * sizeof(a[0]));
		a[4] += first;
		a[0] = first + second;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += a[i];
}

void sha256_init(struct sha256 *sha)
{
	*sha = (struct sha256){ 0 };
	memcpy(sha->state, first_state, sizeof(first_state));
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t length)
{
	const uint8_t *next = bytes;

	while (length) {
		size_t used = sha->bytes % sizeof(sha->block), room = sizeof(sha->block) - used;
		size_t taken = length < room ? length : room;

		memcpy(sha->block + used, next, taken);
		sha->bytes += taken;
		next += taken;
		length -= taken;
		if (taken == room)
			block_take(sha->state, sha->block);
	}
}

/* a bit 1, zeros, and the number of bits in the last eight bytes of a block */
static void pad(struct sha256 *sha)
{
	static const uint8_t one = 0x80, zero = 0;
	uint64_t bits = sha->bytes * 8;
	uint8_t count[8];

	for (unsigned i = 0; i < 8; i++)
		count[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(sha, &one, 1);
	while (sha->bytes % sizeof(sha->block) != sizeof(sha->block) - sizeof(count))
		sha256_add(sha, &zero, 1);
	sha256_add(sha, count, sizeof(count));
}

const char *sha256_text(const struct sha256 *sha, char text[SHA256_TEXT_MAX])
{
	struct sha256 whole = *sha;

	pad(&whole);
	for (unsigned i = 0; i < 8; i++)
		snprintf(text + (size_t)8 * i, 9, "%08x", whole.state[i]);
	return text;
}
