/*  Fuzzes orchestrator/tunnel: what another machine sends in a tunnel (SC-5, TB-23).
 *
 *  Input: datagrams, each with a length of two bytes in front. Even lengths: as from the network,
 *  they must change nothing but counters. Odd ones are items that are sealed with the key, in a
 *  session that is open: they must leave a ring that keeps its rules. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/tunnel/tunnel_link.h"
#include "orchestrator/tunnel/tunnel_peer.h"

#define DATA_BYTES 65536u
#define CAPTURED_MAX 2000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tunnel_self selves[2];
static struct tunnel_peer peers[2];
static struct tunnel_counts counts[2];
static struct tunnel_link end;
static uint64_t now_ns, seed;

static uint64_t number(void)
{
	return ++seed * 0x9e3779b97f4a7c15ull;
}

static void take(void *owner, struct tunnel_peer *peer, const struct tunnel_item *item,
		 uint64_t now)
{
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	struct tunnel_item answer = { .kind = TUNNEL_PONG,
				      .times = { item->times.sent_ns, now, now } };
	size_t length;

	(void)owner;
	if (item->kind == TUNNEL_RECORD) {
		assert(item->record.piece_bytes <= 8 ||
		       item->record.offset + item->record.piece_bytes <=
			       item->record.captured_bytes);
		tunnel_link_take(&end, &item->record, item->record.at_ns % NODE_S * NODE_NS,
				 NODE_MS, &counts[1]);
	} else if (item->kind == TUNNEL_COUNT) {
		tunnel_link_counted(&end, &item->count, &counts[1]);
	} else if (peer == &peers[1]) {
		length = tunnel_peer_seal(
			peer, bytes, tunnel_item_write(&answer, bytes + TUNNEL_FRONT_BYTES, 100));
		tunnel_peer_receive(&peers[0], bytes, length, now, take, NULL);
	}
}

/* both sides send what is due */
static void run(unsigned steps)
{
	static const struct tunnel_state none;
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	size_t length;

	for (unsigned i = 0; i < steps; i++, now_ns += 5000000)
		for (int side = 0; side < 2; side++)
			while ((length = tunnel_peer_due(&peers[side], &none, now_ns, bytes)))
				tunnel_peer_receive(&peers[!side], bytes, length, now_ns, take,
						    NULL);
}

static void open_both(void)
{
	now_ns = 1000000000;
	seed = 0;
	for (int side = 0; side < 2; side++) {
		selves[side] = (struct tunnel_self){ .machine = (uint8_t)side,
						     .machine_count = 2,
						     .random = number };
		selves[side].session[0] = (uint8_t)(1 + side);
		counts[side] = (struct tunnel_counts){ 0 };
		tunnel_peer_init(&peers[side], &selves[side], (uint8_t)!side, 1472, &counts[side]);
	}
	run(100);
	assert(peers[1].state == TUNNEL_CONNECTED || peers[1].session.known);
}

static void ring_check(struct ring_page *page)
{
	struct ring_rx ring;
	struct record record;

	tunnel_link_publish(&end);
	assert(!ring_rx_attach(&ring, page, ring_bytes(DATA_BYTES)));
	for (ring_refresh(&ring); ring_peek(&ring, &record); ring_pop(&ring, &record))
		assert(record.kind != RECORD_PAD && record.kind < RECORD_KINDS);
	assert(!ring.broken);
}

/* @items sealed with the key */
static void sealed(const uint8_t *items, size_t length)
{
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];

	memcpy(bytes + TUNNEL_FRONT_BYTES, items, length);
	length = tunnel_peer_seal(&peers[0], bytes, length);
	tunnel_peer_receive(&peers[1], bytes, length, now_ns, take, NULL);
}

/* @datagram from anywhere */
static void raw(const uint8_t *datagram, size_t length)
{
	uint8_t bytes[TUNNEL_DATAGRAM_MAX];
	struct tunnel_peer before = peers[1];
	uint64_t frames = counts[1].received_datagrams;

	memcpy(bytes, datagram, length);
	tunnel_peer_receive(&peers[1], bytes, length, now_ns, take, NULL);
	assert(counts[1].received_datagrams == frames);
	assert(!memcmp(&before, &peers[1], sizeof(before)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring_page *pages[2];

	open_both();
	for (int i = 0; i < 2; i++) {
		pages[i] = aligned_alloc(64, ring_bytes(DATA_BYTES));
		assert(pages[i]);
		memset(pages[i], 0, ring_bytes(DATA_BYTES));
		ring_init(pages[i], DATA_BYTES, CAPTURED_MAX);
	}
	assert(!tunnel_link_init(&end, 3, 0, 1, pages[0], ring_bytes(DATA_BYTES), pages[1],
				 ring_bytes(DATA_BYTES)));
	while (size >= 2) {
		size_t length = (size_t)data[0] << 8 | data[1];
		size_t max = TUNNEL_DATAGRAM_MAX - TUNNEL_AROUND_BYTES;
		bool odd = length & 1;

		data += 2;
		size -= 2;
		length = length < size ? length : size;
		length = length < max ? length : max;
		if (odd)
			sealed(data, length);
		else
			raw(data, length);
		data += length;
		size -= length;
	}
	ring_check(pages[1]);
	free(pages[0]);
	free(pages[1]);
	return 0;
}
