/*  orchestrator/tunnel/tunnel_seal: the bytes of a sealed datagram are those of RFC 5869 and RFC
 *  8439, as another program has computed them; all that it is made of counts (SC-5). */
#include <string.h>

#include "orchestrator/tunnel/tunnel_seal.h"
#include "tests/testing.h"

#define FROM 3u
#define TO 5u
#define NUMBER 0x0123456789abcdefull
#define TEXT "items of a datagram"
#define TEXT_BYTES (sizeof(TEXT) - 1)

static const uint8_t head[] = "the front";
static uint8_t key[TUNNEL_KEY_BYTES], session[TUNNEL_SESSION_BYTES];
static uint8_t text[TEXT_BYTES], tag[TUNNEL_TAG_BYTES];

static void setup(void)
{
	struct tunnel_seal seal;

	for (uint8_t i = 0; i < TUNNEL_KEY_BYTES; i++)
		key[i] = i;
	for (uint8_t i = 0; i < TUNNEL_SESSION_BYTES; i++)
		session[i] = 0x40 + i;
	memcpy(text, TEXT, TEXT_BYTES);
	tunnel_seal_init(&seal, key, session, FROM, TO);
	tunnel_seal_close(&seal, NUMBER, head, sizeof(head), text, TEXT_BYTES, tag);
}

TEST_GROUP(tunnel_seal, .setup = setup);

TEST(tunnel_seal_close__bytes)
{
	static const uint8_t sealed[TEXT_BYTES] = { 0x16, 0x52, 0xaa, 0x16, 0x0e, 0x97, 0xd5,
						    0xf8, 0x48, 0x4e, 0x4f, 0x2a, 0xcf, 0x97,
						    0xb5, 0x78, 0xeb, 0xf1, 0xc0 },
			     wanted[TUNNEL_TAG_BYTES] = { 0x77, 0x2c, 0x0f, 0xbc, 0xa7, 0x2a,
							  0xf2, 0x8e, 0x96, 0x09, 0x9a, 0xc5,
							  0xd8, 0x65, 0xed, 0x4e };

	ck_assert_mem_eq(text, sealed, sizeof(sealed));
	ck_assert_mem_eq(tag, wanted, sizeof(wanted));
}

/* is it opened as a datagram @number between these machines? */
static bool opens(uint8_t from, uint8_t to, uint64_t number)
{
	uint8_t copy[TEXT_BYTES];
	struct tunnel_seal seal;

	memcpy(copy, text, sizeof(copy));
	tunnel_seal_init(&seal, key, session, from, to);
	return tunnel_seal_open(&seal, number, head, sizeof(head), copy, sizeof(copy), tag) &&
	       !memcmp(copy, TEXT, sizeof(copy));
}

TEST(tunnel_seal_open__all_counts)
{
	ck_assert(opens(FROM, TO, NUMBER));
	ck_assert(!opens(TO, FROM, NUMBER)); /* sent back to its sender */
	ck_assert(!opens(FROM, TO + 1, NUMBER));
	for (int bit = 0; bit < 64; bit++)
		ck_assert(!opens(FROM, TO, NUMBER ^ 1ull << bit));
	for (uint32_t i = 0; i < TUNNEL_KEY_BYTES; i++) {
		key[i] ^= 1;
		ck_assert(!opens(FROM, TO, NUMBER));
		key[i] ^= 1;
	}
	for (uint32_t i = 0; i < TUNNEL_SESSION_BYTES; i++) {
		session[i] ^= 1;
		ck_assert(!opens(FROM, TO, NUMBER));
		session[i] ^= 1;
	}
	for (uint32_t i = 0; i < TUNNEL_TAG_BYTES; i++) {
		tag[i] ^= 1;
		ck_assert(!opens(FROM, TO, NUMBER));
		tag[i] ^= 1;
	}
	ck_assert(opens(FROM, TO, NUMBER));
}

/* the tag may follow the text in the same memory; nothing else is written */
TEST(tunnel_seal_close__tag_after_the_text)
{
	uint8_t bytes[TEXT_BYTES + TUNNEL_TAG_BYTES + 1];
	struct tunnel_seal seal;

	memcpy(bytes, TEXT, TEXT_BYTES);
	bytes[sizeof(bytes) - 1] = 0x55;
	tunnel_seal_init(&seal, key, session, FROM, TO);
	tunnel_seal_close(&seal, NUMBER, head, sizeof(head), bytes, TEXT_BYTES, bytes + TEXT_BYTES);
	ck_assert_mem_eq(bytes, text, TEXT_BYTES);
	ck_assert_mem_eq(bytes + TEXT_BYTES, tag, TUNNEL_TAG_BYTES);
	ck_assert_uint_eq(bytes[sizeof(bytes) - 1], 0x55);
	ck_assert(tunnel_seal_open(&seal, NUMBER, head, sizeof(head), bytes, TEXT_BYTES,
				   bytes + TEXT_BYTES));
	ck_assert_mem_eq(bytes, TEXT, TEXT_BYTES);
}
