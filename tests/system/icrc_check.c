/*  icrc_check FILE - are the ICRCs of all RoCEv2 frames in a pcap file right?
 *
 *  It shares no code with the nodes. It reads packets from the annex RoCEv2 of the
 *  InfiniBand specification (A17.3.3) and has a CRC-32 of its own, bit by bit. A line for each
 *  opcode: how many frames have it, and how many of them a wrong ICRC; a line for each frame that
 *  is wrong. Exit status 0 if there are RoCEv2 frames and none is wrong.
 *  The file: little endian, link type Ethernet, as `tshark -F pcap -w FILE` writes it. Frames must
 *  be whole. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ETHERNET 14
#define UDP 8
#define BTH 12
#define ICRC 4
#define ROCE_PORT 4791
#define LRH 8 /* there is none: eight bytes of ones stand for it */
#define FRAME_MAX 65536

static uint32_t crc32_step(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	for (int bit = 0; bit < 8; bit++)
		crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
	return crc;
}

static uint32_t crc32(const uint8_t *bytes, size_t count)
{
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < count; i++)
		crc = crc32_step(crc, bytes[i]);
	return ~crc;
}

static uint16_t be16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

/* What routers may change, to ones: IPv4 TOS, TTL, checksum; IPv6 traffic class, flow label, hop
 * limit; UDP checksum; the byte of BTH after P_Key. @ip is a copy. */
static void mask(uint8_t *ip, int ip_bytes)
{
	if (ip_bytes == 20) {
		ip[1] = ip[8] = ip[10] = ip[11] = 0xff;
	} else {
		ip[0] |= 0x0f;
		ip[1] = ip[2] = ip[3] = ip[7] = 0xff;
	}
	ip[ip_bytes + 6] = ip[ip_bytes + 7] = 0xff;
	ip[ip_bytes + UDP + 4] = 0xff;
}

/* length of the IP header of a RoCEv2 frame, 0 if it is none */
static int roce_ip_bytes(const uint8_t *frame, size_t frame_bytes)
{
	const uint8_t *ip = frame + ETHERNET;
	int ip_bytes;

	if (frame_bytes < ETHERNET + 20 + UDP + BTH + ICRC)
		return 0;
	if (be16(frame + 12) == 0x0800 && ip[0] == 0x45 && ip[9] == 17)
		ip_bytes = 20;
	else if (be16(frame + 12) == 0x86dd && ip[6] == 17)
		ip_bytes = 40;
	else
		return 0;
	return be16(ip + ip_bytes + 2) == ROCE_PORT ? ip_bytes : 0;
}

static bool icrc_right(const uint8_t *frame, size_t frame_bytes, int ip_bytes)
{
	static uint8_t image[LRH + FRAME_MAX];
	/* IP and what UDP says */
	size_t packet_bytes = (size_t)ip_bytes + be16(frame + ETHERNET + ip_bytes + 4);
	const uint8_t *icrc = frame + ETHERNET + packet_bytes - ICRC;
	uint32_t crc;

	if (ETHERNET + packet_bytes > frame_bytes ||
	    packet_bytes < (size_t)ip_bytes + UDP + BTH + ICRC)
		return false;
	memset(image, 0xff, LRH);
	memcpy(image + LRH, frame + ETHERNET, packet_bytes);
	mask(image + LRH, ip_bytes);
	crc = crc32(image, LRH + packet_bytes - ICRC);
	return crc == ((uint32_t)icrc[0] | (uint32_t)icrc[1] << 8 | (uint32_t)icrc[2] << 16 |
		       (uint32_t)icrc[3] << 24);
}

int main(int argc, char **argv)
{
	static uint8_t frame[FRAME_MAX];
	unsigned long count[256] = { 0 }, wrong[256] = { 0 }, all = 0, all_wrong = 0;
	uint32_t header[6], record[4]; /* record: seconds, fraction, captured, length */
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!file || fread(header, sizeof(header), 1, file) != 1 || (header[0] & 0xff) == 0xa1 ||
	    header[5] != 1) {
		fprintf(stderr,
			"icrc_check: %s is no pcap file of this machine's byte order and link type "
			"Ethernet\n",
			argc == 2 ? argv[1] : "FILE");
		return 2;
	}
	for (unsigned long number = 1; fread(record, sizeof(record), 1, file) == 1; number++) {
		int ip_bytes;
		uint8_t opcode;

		if (record[2] > FRAME_MAX || record[2] != record[3] ||
		    fread(frame, record[2], 1, file) != 1) {
			fprintf(stderr, "icrc_check: frame %lu is not whole\n", number);
			return 2;
		}
		ip_bytes = roce_ip_bytes(frame, record[2]);
		if (!ip_bytes)
			continue;
		opcode = frame[ETHERNET + ip_bytes + UDP];
		count[opcode]++;
		all++;
		if (!icrc_right(frame, record[2], ip_bytes)) {
			wrong[opcode]++;
			all_wrong++;
			printf("frame %lu has a wrong ICRC\n", number);
		}
	}
	fclose(file);
	for (int opcode = 0; opcode < 256; opcode++)
		if (count[opcode])
			printf("opcode 0x%02x: %lu frames, %lu wrong\n", opcode, count[opcode],
			       wrong[opcode]);
	return all && !all_wrong ? 0 : 1;
}
