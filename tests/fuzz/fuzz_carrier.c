/*  Fuzzes nodes/link/carrier (TB-3, TB-23): frames that any process may put on a veth link.
 *
 *  Input: two bytes for the kind of link, then frames, each with a length of two bytes in front.
 *  They pass a real socket into the receive ring. The records in the ring then keep its rules:
 *  kinds, classes, lengths. fuzz_dataplane and fuzz_ring test what the link does with them. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/ring.h"
#include "nodes/link/carrier.h"
#include "nodes/stats/stats.h"

#define FRAMES_MAX 40u
#define CLASSES 2u
/* a frame of NODE_MTU_MAX with all that may be in front of it and after it */
#define LONGEST_BYTES 9664u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t drops[DROP_REASONS];

static void records_check(struct carrier *carrier, const struct node_config *config)
{
	struct ring_page *page = carrier_rx_page(carrier);
	struct ring_rx rx;
	struct record record;

	assert(!ring_rx_attach(&rx, page, ring_bytes(config->ports[0].ring_bytes)));
	for (ring_refresh(&rx); ring_peek(&rx, &record); ring_pop(&rx, &record)) {
		assert(record.kind == RECORD_PACKET || record.kind == RECORD_ACKS ||
		       record.kind == RECORD_WORD ||
		       (record.kind == RECORD_PAUSE && config->fabric == FABRIC_ROCE) ||
		       (record.kind == RECORD_FGFC && config->ports[0].kind == PORT_EDGE &&
			config->fabric == FABRIC_FLOW_CHANNEL));
		assert(config->fabric == FABRIC_FLOW_CHANNEL || record.kind != RECORD_ACKS);
		assert(record.kind != RECORD_PACKET ||
		       record.traffic_class <
			       CLASSES * node_lanes(config,
						    config->ports[0].kind)); /* of words: link.c */
		/* link.c checks what of it is accepted */
		assert(record.captured_bytes <= LONGEST_BYTES);
	}
	assert(!rx.broken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct port_config port = { .kind = PORT_EDGE,
				    .medium = MEDIUM_VETH,
				    .peer_name = "peer",
				    .peer_index = 1,
				    .rate_bps = 1000000000,
				    .mtu_bytes = 1514,
				    .gap_bytes = 20,
				    .guarded = true,
				    .channels = 64,
				    .buffer_units = 1024,
				    .stop_units = 512,
				    .ring_bytes = 1u << 17 };
	struct node_config config = { .kind = NODE_SWITCH,
				      .name = "node",
				      .clock = CLOCK_REAL,
				      .node_count = 2,
				      .class_count = CLASSES,
				      .port_count = 1,
				      .ports = &port };
	struct carrier carrier;
	int sockets[2];

	if (size < 2)
		return 0;
	port.kind = data[0] & 1 ? PORT_FABRIC : PORT_EDGE;
	config.fabric = data[0] & 8   ? FABRIC_PORT_GROUP
			: data[0] & 2 ? FABRIC_ROCE
				      : FABRIC_FLOW_CHANNEL;
	config.lanes = config.fabric == FABRIC_PORT_GROUP ? 2 : 1;
	port.guarded = !(data[0] & 4);
	data += 2;
	size -= 2;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets))
		return 0;
	if (!carrier_init(&carrier, sockets[0], &config, 0, drops)) {
		for (uint32_t i = 0; i < FRAMES_MAX && size >= 2; i++) {
			size_t length = (size_t)data[0] << 8 | data[1];

			data += 2;
			size -= 2;
			length = length < size ? length : size;
			(void)!send(sockets[1], data, length, 0);
			data += length;
			size -= length;
		}
		while (carrier_intake(&carrier, 1000))
			;
		records_check(&carrier, &config);
	}
	carrier_fini(&carrier);
	close(sockets[0]);
	close(sockets[1]);
	return 0;
}
