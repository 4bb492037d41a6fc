/*  frames_to_pcap DIR - generated frames of every kind as files that any capture program reads.
 *
 *  DIR/hosts.pcap: for each kind in turn eight frames from host 0 to host 299: traffic class 0,
 *  then 5; of each the first, a middle and the last packet of a message, and a message of one
 *  packet; full frames, zeros where generated traffic carries nothing, and ICRCs. DIR/headers.pcap:
 *  the same, only with what a ring record would carry. DIR/fabric.pcap: the same on a fabric link,
 *  and one ACK frame at the end. DIR/fgfc.pcap: FGFC frames that name the first frame of each kind.
 *  DIR/roce.pcap: over IPv4, then over IPv6 an ECN-capable data frame, the same marked, and what
 *  answers it: ACK, NAK, CNP, and CNPs with the signals 1 and 2. DIR/tcp.pcap: an ECN-capable
 *  segment, the ACK that says it was marked, and the next one. DIR/pause.pcap: PFC for the
 *  priorities 0 and 3 (go on) and 7, PFC without a priority, PAUSE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/units.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/fgfc_frame.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"
#include "nodes/wire/tcp_frame.h"

#define FRAME_BYTES 1514u
#define LAST_BYTES 1002u
#define FLOW 0x12345u
#define TCP_HEADERS_BYTES 54u

static FILE *pcap_open(const char *directory, const char *name)
{
	static const uint32_t header[] = { 0xa1b23c4d /* nanoseconds */,
					   2 | 4 << 16,
					   0,
					   0,
					   65535,
					   1 /* Ethernet */ };
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "wb");
	if (!file || fwrite(header, sizeof(header), 1, file) != 1) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	return file;
}

static void pcap_write(FILE *file, const uint8_t *bytes, uint32_t captured_bytes,
		       uint32_t frame_bytes)
{
	const uint32_t header[] = { 0, 0, captured_bytes, frame_bytes };

	if (fwrite(header, sizeof(header), 1, file) != 1 ||
	    fwrite(bytes, captured_bytes, 1, file) != 1) {
		perror("frames_to_pcap: cannot write");
		exit(EXIT_FAILURE);
	}
}

static void pcap_close(FILE *file)
{
	if (fclose(file)) {
		perror("frames_to_pcap: cannot write");
		exit(EXIT_FAILURE);
	}
}

/* where TCP segment @number begins */
static uint32_t sequence_of(uint32_t number)
{
	uint32_t sequence = 0;

	for (uint32_t i = 0; i < number; i++)
		sequence += (i % 4 < 2 ? FRAME_BYTES : LAST_BYTES) - TCP_HEADERS_BYTES;
	return sequence;
}

/* Frame @number of @kind, 0..7, at @bytes.  Return: its length. */
static uint32_t frame_make(enum frame_kind kind, uint32_t number, bool ecn_capable, uint8_t *bytes)
{
	struct frame_spec spec = { .kind = kind,
				   .destination = 299,
				   .traffic_class = number < 4 ? 0 : 5,
				   .flow = FLOW,
				   .frame_bytes = number % 4 < 2 ? FRAME_BYTES : LAST_BYTES,
				   .ecn_capable = ecn_capable };
	struct tcp_fields tcp = { sequence_of(number), 1, 65535, TCP_FLAG_ACK };
	struct frame_payload payload = { .flow_slot = 1,
					 .packet = 0x1000000 + number,
					 .message_bytes = 4000,
					 .payload_bytes =
						 spec.frame_bytes - frame_overhead_bytes(kind),
					 .message_first = number % 4 == 0 || number % 4 == 3,
					 .message_last = number % 4 >= 2 };

	frame_write(&spec, &payload, bytes);
	if (kind == FRAME_TCP)
		tcp_fields_write(&tcp, bytes);
	roce_complete(bytes, frame_headers_bytes(kind), spec.frame_bytes);
	return spec.frame_bytes;
}

static void fabric_frame_write(FILE *file, const uint8_t *frame, uint32_t frame_bytes)
{
	struct fabric_header header = { .flow_id = 1234,
					.fabric_address = 7,
					.units = (uint16_t)units_of_bytes(frame_bytes),
					.egress_port = 3,
					.ordered = true };
	uint8_t bytes[FABRIC_FRONT_BYTES + FRAME_BYTES];

	fabric_envelope_write(6, 10, 7, 11, bytes);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	memcpy(bytes + FABRIC_FRONT_BYTES, frame, frame_bytes);
	pcap_write(file, bytes, FABRIC_FRONT_BYTES + frame_bytes, FABRIC_FRONT_BYTES + frame_bytes);
}

static void ack_frame_to(FILE *file)
{
	static const struct ack acks[2] = { { .flow_id = 1234, .value = 6 },
					    { .flow_id = 1, .type = ACK_LOSS, .value = 4 } };
	uint8_t envelope[FABRIC_ENVELOPE_BYTES], bytes[FABRIC_ENVELOPE_BYTES + 16];
	uint32_t length;

	fabric_envelope_write(6, 10, 7, 11, envelope);
	length = ack_frame_write(envelope, acks, 2, bytes);
	pcap_write(file, bytes, length, length);
}

/* holds the flow of @frame for 50 us, with credit for 16 units */
static void fgfc_frame_to(FILE *file, const uint8_t *frame, uint32_t frame_bytes)
{
	static const uint8_t source_mac[6] = { 0x02, 0x48, 0xff, 0x00, 0x06, 0x0a };
	struct fgfc_frame fgfc = { .pause_ps = 50 * NODE_US, .credit_units = 16 };
	uint8_t bytes[FGFC_FRAME_BYTES];
	struct frame_fields fields;

	if (frame_parse(frame, frame_bytes, frame_bytes, &fields)) {
		fputs("frames_to_pcap: cannot parse its own frame\n", stderr);
		exit(EXIT_FAILURE);
	}
	fgfc.name = flow_name_of(&fields, 0);
	fgfc_frame_write(&fgfc, source_mac, bytes);
	pcap_write(file, bytes, sizeof(bytes), sizeof(bytes));
}

static void roce_to(FILE *file, enum frame_kind kind)
{
	uint8_t bytes[FRAME_BYTES];
	uint32_t length = frame_make(kind, 0, true, bytes);
	struct roce_reply reply = { .traffic_class = 6,
				    .queue_pair = ROCE_REQUESTER | 1,
				    .psn = 0xabcdef,
				    .syndrome = ROCE_SYNDROME_ACK,
				    .msn = 9 };
	struct roce_header header;

	roce_ack_request(bytes, true);
	roce_complete(bytes, frame_headers_bytes(kind), length);
	pcap_write(file, bytes, length, length);
	ecn_mark(bytes, length);
	pcap_write(file, bytes, length, length); /* with the ICRC of before: it holds */
	if (roce_frame_read(bytes, length, length, &header) ||
	    !roce_icrc_holds(bytes, length, length)) {
		fputs("frames_to_pcap: cannot read its own frame\n", stderr);
		exit(EXIT_FAILURE);
	}
	reply.ends = roce_ends_reversed(&header.ends);
	length = roce_ack_write(&reply, bytes);
	pcap_write(file, bytes, length, length);
	reply.syndrome = ROCE_SYNDROME_NAK_PSN;
	length = roce_ack_write(&reply, bytes);
	pcap_write(file, bytes, length, length);
	for (reply.signal = ROCE_SIGNAL_NONE; reply.signal <= ROCE_SIGNAL_RESUME; reply.signal++) {
		length = roce_cnp_write(&reply, bytes);
		pcap_write(file, bytes, length, length);
	}
}

static void tcp_to(FILE *file)
{
	uint8_t bytes[FRAME_BYTES];
	uint32_t length = frame_make(FRAME_TCP, 0, true, bytes);
	struct tcp_ack ack = { .source = 299,
			       .traffic_class = 5,
			       .flow = FLOW,
			       .fields = { 1, sequence_of(1), 512, TCP_FLAG_ACK | TCP_FLAG_ECE } };

	ecn_mark(bytes, length);
	pcap_write(file, bytes, length, length);
	length = tcp_ack_write(&ack, bytes);
	pcap_write(file, bytes, length, length);
	length = frame_make(FRAME_TCP, 1, true, bytes);
	tcp_fields_write(
		&(struct tcp_fields){ sequence_of(1), 1, 65535, TCP_FLAG_ACK | TCP_FLAG_CWR },
		bytes);
	pcap_write(file, bytes, length, length);
}

static void pause_to(FILE *file)
{
	static const struct pause_frame frames[] = { { .enabled = 0x89,
						       .quanta = { 65535, [7] = 0x1234 } },
						     { .quanta = { 65535 } },
						     { .port = true, .quanta = { 100 } } };
	static const uint8_t source_mac[6] = { 0x02, 0x48, 0xff, 0x00, 0x06, 0x0a };
	uint8_t bytes[PAUSE_FRAME_BYTES];

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		pause_frame_write(&frames[i], source_mac, bytes);
		pcap_write(file, bytes, sizeof(bytes), sizeof(bytes));
	}
}

/* the files of frames that are no generated ones */
static void others_to(const char *directory)
{
	FILE *roce = pcap_open(directory, "roce.pcap"), *tcp = pcap_open(directory, "tcp.pcap");
	FILE *pause = pcap_open(directory, "pause.pcap");

	roce_to(roce, FRAME_ROCE);
	roce_to(roce, FRAME_ROCE_IPV6);
	tcp_to(tcp);
	pause_to(pause);
	pcap_close(roce);
	pcap_close(tcp);
	pcap_close(pause);
}

int main(int argc, char **argv)
{
	FILE *hosts, *headers, *fabric, *fgfc;
	uint8_t frame[FRAME_BYTES];

	if (argc != 2) {
		fputs("usage: frames_to_pcap DIR\n", stderr);
		return EXIT_FAILURE;
	}
	hosts = pcap_open(argv[1], "hosts.pcap");
	headers = pcap_open(argv[1], "headers.pcap");
	fabric = pcap_open(argv[1], "fabric.pcap");
	fgfc = pcap_open(argv[1], "fgfc.pcap");
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		for (uint32_t number = 0; number < 8; number++) {
			uint32_t frame_bytes =
				frame_make((enum frame_kind)kind, number, false, frame);

			pcap_write(hosts, frame, frame_bytes, frame_bytes);
			pcap_write(headers, frame, frame_headers_bytes((enum frame_kind)kind),
				   frame_bytes);
			fabric_frame_write(fabric, frame, frame_bytes);
			if (!number)
				fgfc_frame_to(fgfc, frame, frame_bytes);
		}
	}
	ack_frame_to(fabric);
	pcap_close(hosts);
	pcap_close(headers);
	pcap_close(fabric);
	pcap_close(fgfc);
	others_to(argv[1]);
	return EXIT_SUCCESS;
}
