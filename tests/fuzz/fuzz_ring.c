/*  Fuzzes nodes/base/ring (TB-23): a producer that writes nonsense into its ring, before and while
 *  the consumer reads.
 *
 *  Input: [page's magic and size: 1 byte, 0 keeps them good][steps 1][steps * {where 2, what
 *  8}][ring data ...]. The rest of the input is repeated over the data area. Each step overwrites
 *  eight bytes of the page - tail, head, a record - and the consumer then takes all it sees. It
 *  must stay in the page, end, and not continue after it has detected a broken rule. A producer
 *  that takes the same page must write only inside. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ring.h"
#include "nodes/link/link.h"

#define DATA_BYTES RING_BYTES_MIN
#define STEP_BYTES 10u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ring_page *page; /* of its own size, so that the sanitizer sees a step beyond it */

static void page_fill(const uint8_t *data, size_t size)
{
	size_t page_bytes = ring_bytes(DATA_BYTES);

	if (!page)
		page = aligned_alloc(RING_LINE, page_bytes);
	assert(page);
	memset(page, 0, sizeof(*page));
	/* two long segments, or many short ones */
	ring_init(page, DATA_BYTES, size % 2 ? LINK_HEADERS_MAX : RING_CAPTURED_MAX);
	for (size_t at = 0; at < DATA_BYTES; at += size) {
		if (!size) {
			memset(page->data, 0, DATA_BYTES);
			break;
		}
		memcpy(page->data + at, data, size < DATA_BYTES - at ? size : DATA_BYTES - at);
	}
}

/* takes everything that is there */
static void consume(struct ring_rx *rx)
{
	static uint8_t copy[RING_CAPTURED_MAX];
	struct record header;
	const uint8_t *bytes;
	uint32_t records = 0;

	ring_refresh(rx);
	while ((bytes = ring_peek(rx, &header))) {
		assert(header.kind > RECORD_PAD && header.kind < RECORD_KINDS);
		assert(header.captured_bytes <= RING_CAPTURED_MAX && header.at_ps >= rx->last_ps);
		assert(bytes >= page->data &&
		       bytes + header.captured_bytes <= page->data + DATA_BYTES);
		memcpy(copy, bytes, header.captured_bytes);
		ring_pop(rx, &header);
		assert(++records <= DATA_BYTES / RING_LINE);
	}
	ring_release(rx);
}

static void produce(struct ring_tx *tx)
{
	static const uint32_t sizes[] = { 0, 96, 70, RING_CAPTURED_MAX, 1500 };

	for (uint32_t i = 0; i < 64; i++) {
		uint32_t captured_bytes = sizes[i % 5];
		struct record *record = ring_reserve(tx, captured_bytes);

		if (!record)
			continue;
		assert((uint8_t *)record >= page->data);
		assert(record_captured(record) + captured_bytes <= page->data + DATA_BYTES);
		*record =
			(struct record){ .kind = RECORD_PACKET, .captured_bytes = captured_bytes };
		memset(record_captured(record), 0x5a, captured_bytes);
		ring_commit(tx, captured_bytes);
	}
	ring_publish(tx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring_rx rx;
	struct ring_tx tx;
	uint32_t steps;
	bool broken = false;

	if (size < 2)
		return 0;
	steps = data[1];
	if (size < 2 + steps * STEP_BYTES)
		return 0;
	page_fill(data + 2 + steps * STEP_BYTES, size - 2 - steps * STEP_BYTES);
	page->magic ^= data[0] & 15;
	page->data_bytes ^= (data[0] >> 4) * 0x1800u;
	if (ring_rx_attach(&rx, page, ring_bytes(DATA_BYTES)) < 0 ||
	    ring_tx_attach(&tx, page, ring_bytes(DATA_BYTES)) < 0)
		return 0;
	for (uint32_t i = 0; i < steps; i++) {
		const uint8_t *step = data + 2 + i * STEP_BYTES;
		uint32_t where = ((uint32_t)step[0] << 8 | step[1]) * 8 %
				 (uint32_t)(ring_bytes(DATA_BYTES) - 8);

		memcpy((uint8_t *)page + where, step + 2, 8);
		consume(&rx);
		assert(!broken || rx.broken);
		broken = rx.broken;
		if (i % 4 == 3)
			produce(&tx);
	}
	return 0;
}
