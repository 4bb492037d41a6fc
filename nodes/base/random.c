#include "nodes/base/random.h"

/* xoshiro256** and the seeding that its authors advise, splitmix64 [Blackman, Vigna:
 * prng.di.unimi.it] */
static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

/* the stream is mixed before it meets the seed, so that neighbouring seeds and streams have nothing
 * in common */
void random_init(struct random *random, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;

	state = splitmix(&state) ^ stream;
	for (int i = 0; i < 4; i++)
		random->state[i] = splitmix(&state);
}

uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

#define LN2_Q32 2977044472u /* ln 2 * 2^32 */

/*  -ln(u) for u = @bits / 2^64, as a 32-bit fraction.
 *  u = m * 2^-k with 1 <= m < 2, so -ln(u) = k ln 2 - ln(m); and ln(m) = 2 artanh(s) = 2 (s + s^3/3
 *  + s^5/5 + ...) with s = (m - 1) / (m + 1) < 1/3. Ten terms leave less than 2^-32. */
static uint64_t minus_log(uint64_t bits)
{
	unsigned zeros = (unsigned)__builtin_clzll(bits);
	/* 31-bit fraction: 2^31 <= m < 2^32 */
	uint64_t m = (bits << zeros) >> 32;
	/* 32-bit fraction, as everything below */
	uint64_t s = ((m - (1ull << 31)) << 32) / (m + (1ull << 31));
	uint64_t square = (s * s) >> 32;
	uint64_t power = s, sum = s;

	for (uint32_t term = 3; term < 20; term += 2) {
		power = (power * square) >> 32;
		sum += power / term;
	}
	return (uint64_t)(zeros + 1) * LN2_Q32 - 2 * sum;
}

uint64_t random_exponential_ps(struct random *random, uint64_t mean_ps)
{
	uint64_t bits = random_next(random);
	unsigned __int128 product;

	if (!bits)
		bits = 1;
	product = ((unsigned __int128)mean_ps * minus_log(bits) + (1u << 31)) >> 32;
	return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}
