/*  frames_to_pcap DIR - generated frames of every kind as files that any capture program reads.
 *
 *  DIR/hosts.pcap: for each kind in turn eight frames from host 0 to host 299: traffic class 0, then 5; of each the
 *  first, a middle and the last packet of a message, and a message of one packet; full frames, zeros where generated
 *  traffic carries nothing. DIR/headers.pcap: the same, only with what a ring record would carry. DIR/fabric.pcap: the
 *  same on a fabric link, and one ACK frame at the end.                                                              */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/units.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/fgfc_frame.h"
#include "nodes/wire/frame.h"

#define FRAME_BYTES 1514u
#define LAST_BYTES 1002u
#define FLOW 0x12345u

static FILE *pcap_open(const char *directory, const char *name)
{
	static const uint32_t header[] = { 0xa1b23c4d /* nanoseconds */, 2 | 4 << 16, 0, 0, 65535, 1 /* Ethernet */ };
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

static void pcap_write(FILE *file, const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	const uint32_t header[] = { 0, 0, captured_bytes, frame_bytes };

	if (fwrite(header, sizeof(header), 1, file) != 1 || fwrite(bytes, captured_bytes, 1, file) != 1) {
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

/* Frame @number of @kind, 0..7, at @bytes.  Return: its length. */
static uint32_t frame_make(enum frame_kind kind, uint32_t number, uint8_t *bytes)
{
	struct frame_spec spec = { .kind = kind,
				   .destination = 299,
				   .traffic_class = number < 4 ? 0 : 5,
				   .flow = FLOW,
				   .frame_bytes = number % 4 < 2 ? FRAME_BYTES : LAST_BYTES };
	struct frame_payload payload = { .flow_slot = 1,
					 .packet = 0x1000000 + number,
					 .message_bytes = 4000,
					 .payload_bytes = spec.frame_bytes - frame_overhead_bytes(kind),
					 .message_first = number % 4 == 0 || number % 4 == 3,
					 .message_last = number % 4 >= 2 };

	memset(bytes, 0, FRAME_BYTES);
	frame_write(&spec, &payload, bytes);
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
			uint32_t frame_bytes = frame_make((enum frame_kind)kind, number, frame);

			pcap_write(hosts, frame, frame_bytes, frame_bytes);
			pcap_write(headers, frame, frame_headers_bytes((enum frame_kind)kind), frame_bytes);
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
	return EXIT_SUCCESS;
}
