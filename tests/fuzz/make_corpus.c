/*  make_corpus DIR - writes the seed inputs of the wire fuzzers below
 *  DIR/{frame,fabric_header,lid_header,ack_frame,fgfc_frame,roce_frame,pause_frame,
 *  tcp_frame,ring,carrier,host_offload,manager}/.
 *
 *  tests/fuzz/corpus/ holds what it wrote; run it again after a format changed. The inputs' own
 *  layouts are described at the top of each fuzzer. */
#include <errno.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nodes/base/bytes.h"
#include "nodes/base/ring.h"
#include "nodes/base/units.h"
#include "nodes/link/link.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/fgfc_frame.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/lid_header.h"
#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"
#include "nodes/wire/tcp_frame.h"
#include "nodes/wire/word_frame.h"
#include "orchestrator/manager/manager_message.h"

#define FRAME_BYTES 1514u
#define RING_STEP_BYTES 10u

static const char *top;

static void seed_write(const char *fuzzer, const char *name, const void *bytes, size_t size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", top, fuzzer);
	if (mkdir(path, 0777) < 0 && errno != EEXIST) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	snprintf(path, sizeof(path), "%s/%s/%s", top, fuzzer, name);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
}

/* a length and a generated frame of that length. Return: bytes of both */
static uint32_t generated(enum frame_kind kind, uint32_t traffic_class, uint8_t *bytes)
{
	struct frame_spec spec = { .kind = kind,
				   .destination = 1,
				   .traffic_class = traffic_class,
				   .flow = 5,
				   .frame_bytes = FRAME_BYTES };
	struct frame_payload payload = {
		.packet = 1, .message_bytes = 4000, .payload_bytes = 1000, .message_first = true
	};

	bytes_put16(bytes, FRAME_BYTES);
	return 2 + frame_write(&spec, &payload, bytes + 2);
}

static void frame_seeds(void)
{
	static const char *const names[FRAME_KINDS] = { "ethernet", "ipv4",      "ipv6", "roce",
							"hpc",      "roce_ipv6", "tcp" };
	static const uint8_t arp[44] = { 0,    60,   0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					 0x02, 0x48, 0,    0,    0,    1,    0x08, 0x06,
					 0,    1,    8,    0,    6,    4,    0,    1 };
	uint8_t bytes[2 + FRAME_HEADERS_MAX + 32];
	uint32_t size;

	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		size = generated((enum frame_kind)kind, 0, bytes);
		seed_write("frame", names[kind], bytes, size);
	}
	size = generated(FRAME_ETHERNET, 3, bytes);
	seed_write("frame", "ethernet_tagged", bytes, size);
	seed_write("frame", "arp", arp, sizeof(arp));

	size = generated(FRAME_IPV4, 0, bytes); /* with a tag between */
	memmove(bytes + 2 + 16, bytes + 2 + 12, size - 14);
	bytes_put32(bytes + 2 + 12, 0x8100a064);
	bytes_put16(bytes, FRAME_BYTES + 4);
	seed_write("frame", "ipv4_tagged", bytes, size + 4);

	size = generated(FRAME_IPV6, 0, bytes); /* with a destination options header between */
	memmove(bytes + 2 + 62, bytes + 2 + 54, size - 56);
	bytes_put64(bytes + 2 + 54, 17ull << 56);
	bytes[2 + 20] = 60;
	seed_write("frame", "ipv6_options", bytes, size + 8);
}

static void fabric_header_seeds(void)
{
	struct fabric_header header = { .flow_id = 1234,
					.data_flow = 65530,
					.fabric_address = 7,
					.units = (uint16_t)units_of_bytes(FRAME_BYTES),
					.egress_port = 3,
					.traffic_class = 2,
					.ordered = true };
	uint8_t bytes[2 + FABRIC_FRONT_BYTES];

	bytes_put16(bytes, FRAME_BYTES);
	fabric_envelope_write(1, 2, 3, 4, bytes + 2);
	fabric_header_write(&header, bytes + 2 + FABRIC_ENVELOPE_BYTES);
	seed_write("fabric_header", "ordered", bytes, sizeof(bytes));
	header.ordered = false;
	header.hops = 3;
	fabric_header_write(&header, bytes + 2 + FABRIC_ENVELOPE_BYTES);
	seed_write("fabric_header", "unordered", bytes, sizeof(bytes));
}

static void lid_header_seeds(void)
{
	struct lid_header header = { .dlid = 7,
				     .slid = 3,
				     .frame_bytes = FRAME_BYTES,
				     .service_level = 2,
				     .level = 1,
				     .fecn = true };
	uint8_t bytes[2 + LID_FRONT_BYTES];

	bytes_put16(bytes, FRAME_BYTES);
	word_frame_envelope_write(1, 2, 3, 4, bytes + 2);
	lid_header_write(&header, bytes + 2 + FABRIC_ENVELOPE_BYTES);
	seed_write("lid_header", "fecn", bytes, sizeof(bytes));
	header = (struct lid_header){
		.dlid = lid_group_first(16), .slid = 7, .frame_bytes = FRAME_BYTES, .becn = true
	};
	lid_header_write(&header, bytes + 2 + FABRIC_ENVELOPE_BYTES);
	seed_write("lid_header", "group", bytes, sizeof(bytes));
}

static void ack_frame_seeds(void)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint8_t envelope[FABRIC_ENVELOPE_BYTES],
		bytes[FABRIC_ENVELOPE_BYTES + ACK_FRAME_OVERHEAD_BYTES + 150];

	fabric_envelope_write(1, 2, 3, 4, envelope);
	for (uint32_t i = 0; i < ACK_FRAME_ACKS_MAX; i++)
		acks[i] = (struct ack){ .flow_id = 43 * i, .type = i % ACK_TYPES, .value = i + 1 };
	seed_write("ack_frame", "one", bytes, ack_frame_write(envelope, acks, 1, bytes));
	seed_write("ack_frame", "seven", bytes, ack_frame_write(envelope, acks, 7, bytes));
	seed_write("ack_frame", "full", bytes,
		   ack_frame_write(envelope, acks, ACK_FRAME_ACKS_MAX, bytes));
}

/* one that holds a flow of every kind, and one that holds it no longer */
static void fgfc_frame_seeds(void)
{
	static const char *const names[FRAME_KINDS] = { "layer_2", "ipv4",      "ipv6", "roce",
							"hpc",     "roce_ipv6", "tcp" };
	static const uint8_t source_mac[6] = { 2, 0x48, 0xff, 0, 1, 2 };
	uint8_t frame_bytes[2 + FRAME_HEADERS_MAX], bytes[FGFC_MASKED_BYTES];
	struct flow_match match;
	struct why why;

	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		uint32_t size = generated((enum frame_kind)kind, 1, frame_bytes);
		struct fgfc_frame frame = { .pause_ps = 50 * NODE_US, .credit_units = 16 };
		struct frame_fields fields;

		if (frame_parse(frame_bytes + 2, size - 2, FRAME_BYTES, &fields))
			abort();
		frame.name = flow_name_of(&fields, 1);
		fgfc_frame_write(&frame, source_mac, bytes);
		seed_write("fgfc_frame", names[kind], bytes, FGFC_FRAME_BYTES);
		if (kind)
			continue;
		frame = (struct fgfc_frame){ .name = flow_name_under(&frame.name,
								     MATCH_DESTINATION_MAC) };
		fgfc_frame_write(&frame, source_mac, bytes);
		seed_write("fgfc_frame", "end", bytes, FGFC_FRAME_BYTES);
	}
	for (int kind = 0; kind < FRAME_KINDS; kind++) { /* FC-2 */
		uint32_t size = generated((enum frame_kind)kind, 1, frame_bytes);
		struct fgfc_frame frame = { .pause_ps = 50 * NODE_US };
		struct frame_fields fields;
		struct flow_name whole;
		char name[40];

		if (frame_parse(frame_bytes + 2, size - 2, FRAME_BYTES, &fields) ||
		    flow_match_parse("source-mac/24,destination-ip/24,source-port/8,flow-label/"
				     "4,hpc-process/8,queue-pair/8",
				     &match, &why))
			abort();
		whole = flow_name_of(&fields, 1);
		frame.name = flow_name_masked(
			&whole, flow_name_mask(&match, (enum flow_kind)whole.kind, &frame.mask),
			&frame.mask);
		snprintf(name, sizeof(name), "masked_%s", names[kind]);
		seed_write("fgfc_frame", name, bytes, fgfc_frame_write(&frame, source_mac, bytes));
	}
}

/* data whose end was not captured, and what answers it */
static void roce_frame_seeds(void)
{
	static const char *const names[2][3] = { { "data", "ack", "cnp" },
						 { "data_ipv6", "ack_ipv6", "cnp_ipv6" } };
	uint8_t bytes[2 + FRAME_HEADERS_MAX];

	for (int six = 0; six < 2; six++) {
		uint32_t size = generated(six ? FRAME_ROCE_IPV6 : FRAME_ROCE, 3, bytes);
		struct roce_header header;
		struct roce_reply reply;

		seed_write("roce_frame", names[six][0], bytes, size);
		if (roce_frame_read(bytes + 2, size - 2, FRAME_BYTES, &header))
			abort();
		reply = (struct roce_reply){ .ends = roce_ends_reversed(&header.ends),
					     .traffic_class = 3,
					     .queue_pair = ROCE_REQUESTER | 5,
					     .psn = header.psn,
					     .syndrome = ROCE_SYNDROME_NAK_PSN,
					     .msn = 1,
					     .signal = ROCE_SIGNAL_PAUSE };
		size = roce_ack_write(&reply, bytes + 2);
		bytes_put16(bytes, (uint16_t)size);
		seed_write("roce_frame", names[six][1], bytes, 2 + size);
		size = roce_cnp_write(&reply, bytes + 2);
		bytes_put16(bytes, (uint16_t)size);
		seed_write("roce_frame", names[six][2], bytes, 2 + size);
	}
}

static void pause_frame_seeds(void)
{
	static const struct pause_frame frames[3] = { { .enabled = 0x88,
							.quanta = { [3] = 65535 } },
						      { .quanta = { 65535 } },
						      { .port = true, .quanta = { 100 } } };
	static const char *const names[3] = { "pfc", "pfc_no_priority", "pause" };
	static const uint8_t source_mac[6] = { 2, 0x48, 0xff, 0, 1, 2 };
	uint8_t bytes[PAUSE_FRAME_BYTES];

	for (int i = 0; i < 3; i++) {
		pause_frame_write(&frames[i], source_mac, bytes);
		seed_write("pause_frame", names[i], bytes, sizeof(bytes));
	}
}

static void tcp_frame_seeds(void)
{
	struct tcp_ack ack = {
		.source = 1,
		.traffic_class = 2,
		.flow = 5,
		.fields = { .acknowledgement = 1000, .window = 65535, .flags = TCP_FLAG_ACK }
	};
	uint8_t bytes[2 + FRAME_HEADERS_MAX];

	bytes_put16(bytes, (uint16_t)tcp_ack_write(&ack, bytes + 2));
	seed_write("tcp_frame", "ack", bytes, 2 + FRAME_BYTES_MIN);
	seed_write("tcp_frame", "data", bytes, generated(FRAME_TCP, 2, bytes));
}

/* One step that sets the tail to @tail, and records of @captured_bytes over the data area. */
static void ring_seed(const char *name, uint64_t tail, uint32_t captured_bytes)
{
	const uint16_t where = offsetof(struct ring_page, tail) / 8;
	uint8_t bytes[2 + RING_STEP_BYTES + 256] = { 0, 1 };
	struct record record = { .at_ps = 1000,
				 .wire_bytes = 1500,
				 .captured_bytes = captured_bytes,
				 .kind = RECORD_PACKET };
	uint32_t size =
		(uint32_t)(sizeof(record) + captured_bytes + RING_LINE - 1) / RING_LINE * RING_LINE;

	bytes_put16(bytes + 2, where);
	memcpy(bytes + 4, &tail, sizeof(tail));
	memcpy(bytes + 2 + RING_STEP_BYTES, &record, sizeof(record));
	seed_write("ring", name, bytes, 2 + RING_STEP_BYTES + size);
}

/* on a link of either kind: a word frame, then a generated frame and its sequence
 * number */
/* port-group, unguarded: credit, and a packet */
static void lid_carrier_seed(const uint8_t *envelope)
{
	struct word_frame_word word = { .kind = LINK_WORD_CREDIT, .traffic_class = 3, .value = 64 };
	struct lid_header header = {
		.dlid = 2, .slid = 1, .frame_bytes = 60, .service_level = 1, .level = 1
	};
	uint8_t bytes[2 + 2 + WORD_FRAME_BYTES_MAX + 2 + LID_FRONT_BYTES + 60] = { 12 };
	uint32_t length, at = 4;

	word_frame_start(envelope, bytes + at);
	length = word_frame_add(bytes + at, &word);
	bytes_put16(bytes + 2, (uint16_t)length);
	at += length;
	bytes_put16(bytes + at, LID_FRONT_BYTES + 60);
	memcpy(bytes + at + 2, envelope, FABRIC_ENVELOPE_BYTES);
	lid_header_write(&header, bytes + at + 2 + FABRIC_ENVELOPE_BYTES);
	seed_write("carrier", "port_group", bytes, at + 2 + LID_FRONT_BYTES + 60);
}

static void carrier_seeds(void)
{
	uint8_t bytes[2 + 2 + WORD_FRAME_BYTES_MAX + 2 + FRAME_BYTES + 4] = { 0 };
	struct word_frame_word word = { .kind = LINK_WORD_STOP, .value = 1 };
	struct pause_frame pfc = { .enabled = 2, .quanta = { [1] = 65535 } };
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];
	uint32_t length, at = 4;

	word_frame_envelope_write(1, 0, 0, 0, envelope);
	word_frame_start(envelope, bytes + at);
	word_frame_add(bytes + at, &word);
	length = word_frame_add(bytes + at, &word);
	bytes_put16(bytes + 2, (uint16_t)length);
	at += length;
	generated(FRAME_IPV4, 1, bytes + at);
	bytes_put16(bytes + at, FRAME_BYTES + 4);
	at += 2 + FRAME_BYTES + 4;
	seed_write("carrier", "edge", bytes, at);
	bytes[0] = 1;
	seed_write("carrier", "fabric", bytes, at);
	bytes[0] = 6; /* roce, unguarded: PFC, and a host's frame */
	pause_frame_write(&pfc, envelope, bytes + 4);
	bytes_put16(bytes + 2, PAUSE_FRAME_BYTES);
	at = 4 + PAUSE_FRAME_BYTES;
	generated(FRAME_ROCE, 1, bytes + at);
	at += 2 + FRAME_BYTES;
	seed_write("carrier", "roce", bytes, at);
	lid_carrier_seed(envelope);
}

/* TCP over IPv4 in one piece of 3000 bytes, to be cut, as a kernel hands it over; and a short frame
 * of the same flow */
static void host_offload_seeds(void)
{
	static const uint8_t headers[54] = {
		2,    0x48, 0,    0, 0,  2, 2, 0x48, 0,  0, 0,    1,    8,  0, 0x45, 0, 0x0b, 0xaa,
		0,    1,    0x40, 0, 64, 6, 0, 0,    10, 0, 0,    1,    10, 0, 0,    2, 0x1f, 0x90,
		0x1f, 0x91, 0,    0, 0,  1, 0, 0,    0,  1, 0x50, 0x10, 1,  0, 0,    0, 0,    0
	};
	struct virtio_net_hdr header = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
					 .gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
					 .hdr_len = 54,
					 .gso_size = 1000,
					 .csum_start = 34,
					 .csum_offset = 16 };
	uint8_t bytes[sizeof(header) + 3000] = { 0 };

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), headers, sizeof(headers));
	seed_write("host_offload", "tcp", bytes, sizeof(bytes));
	memset(bytes, 0, sizeof(header));
	bytes_put16(bytes + sizeof(header) + 16, 86);
	seed_write("host_offload", "plain", bytes, sizeof(header) + 100);
}

static void manager_seed(const char *name, const struct manager_message *message)
{
	uint8_t *packed = NULL, bytes[4096] = { 'M' };
	int length = manager_message_pack(message, &packed);

	if (length < 0 || (size_t)length >= sizeof(bytes))
		abort();
	memcpy(bytes + 1, packed, (size_t)length);
	seed_write("manager", name, bytes, 1 + (size_t)length);
	free(packed);
}

/* every kind of message between a fabric manager and the process that keeps the fabric */
static void manager_seeds(void)
{
	static const char *const names[2][ASK_KINDS] = {
		{ "ask_discover", "ask_read", "ask_begin", "ask_write", "ask_read_back",
		  "ask_commit" },
		{ "discovered", "read", "begun", "written", "read_back", "committed" }
	};
	static const struct route_said said[] = { { 1, 2, 3 }, { 3, 2, 1 } };
	struct node_identity identity = { .name = "s0",
					  .index = 1,
					  .fabric_address = 1,
					  .port_count = 2,
					  .table_blocks = { 1, 0, 1 } };
	struct manager_message hello = { .kind = MANAGER_HELLO,
					 .node_count = 6,
					 .request = { .fabric = FABRIC_ROCE,
						      .lanes = 1,
						      .lanes_max = 8,
						      .said_count = 2,
						      .said = said } };
	struct manager_message report = { .kind = MANAGER_REPORT,
					  .error = -EINVAL,
					  .report = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
						      "there are no tables" } };

	identity.ports[1] = (struct port_identity){
		.kind = PORT_FABRIC, .plugged = true, .up = true, .rate_bps = 1000
	};
	manager_seed("hello", &hello);
	manager_seed("sweep", &(struct manager_message){ .kind = MANAGER_SWEEP });
	manager_seed("report", &report);
	for (int answer = 0; answer < 2; answer++)
		for (int ask = 0; ask < ASK_KINDS; ask++) {
			struct manager_message message = {
				.kind = answer ? MANAGER_ANSWER : MANAGER_QUESTION,
				.index = 1,
				.count = 3,
				.question = { .ask = (enum manager_ask)ask,
					      .node = 2,
					      .block = { .table = TABLE_HOSTS, .number = 1 },
					      .identity = &identity }
			};

			manager_seed(names[answer][ask], &message);
		}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: make_corpus DIR\n", stderr);
		return EXIT_FAILURE;
	}
	top = argv[1];
	frame_seeds();
	fabric_header_seeds();
	lid_header_seeds();
	ack_frame_seeds();
	fgfc_frame_seeds();
	roce_frame_seeds();
	pause_frame_seeds();
	tcp_frame_seeds();
	ring_seed("one_line", 1024, 20);
	ring_seed("two_lines", 12800, 96);
	ring_seed("whole", RING_BYTES_MIN, 200);
	ring_seed("odd_tail", 100, 96);
	carrier_seeds();
	host_offload_seeds();
	manager_seeds();
	return EXIT_SUCCESS;
}
