/*  pcapng - the blocks of a capture file: one section, Ethernet interfaces, then packets (TB-19).
 *
 *  IETF draft-ietf-opsawg-pcapng. Little endian on any machine, so that the same run gives the same
 *  bytes. Stamps count nanoseconds (if_tsresol 9). Frames have no FCS, and the file says so
 *  (if_fcslen 0). */
#ifndef HEDDLE_NODES_WIRE_PCAPNG_H
#define HEDDLE_NODES_WIRE_PCAPNG_H

#include <stdbool.h>
#include <stdint.h>

#define PCAPNG_TEXT_MAX 512u /* of an option; what is longer is cut */
#define PCAPNG_HEADER_BYTES_MAX (4 * (PCAPNG_TEXT_MAX + 8) + 128)

/* what precedes the packets. Texts are UTF-8; NULL: none. */
struct pcapng_header {
	const char *comment;            /* the subject of the file */
	const char *name, *description; /* of the interface */
	uint64_t rate_bps;
	uint32_t snap_bytes; /* no packet holds more; 0: no limit */
};

struct pcapng_packet {
	uint32_t interface; /* its number, from 0 on in the order of the descriptions */
	uint64_t stamp_ns;
	uint32_t kept_bytes, frame_bytes; /* in the file; of the frame itself */
	bool inbound;                     /* else outbound */
	const char *comment;              /* NULL: none */
};

/** pcapng_header_write() - section header and interface description to @bytes
 *  (PCAPNG_HEADER_BYTES_MAX). Return: their length. */
uint32_t pcapng_header_write(const struct pcapng_header *header, uint8_t *bytes);

/** pcapng_interface_write() - one more interface description to @bytes (PCAPNG_HEADER_BYTES_MAX).
 *  Return: its length. */
uint32_t pcapng_interface_write(const struct pcapng_header *header, uint8_t *bytes);

/** pcapng_packet_bytes() - length of the block of @packet, a multiple of 4. */
uint32_t pcapng_packet_bytes(const struct pcapng_packet *packet);

/** pcapng_packet_write() - the block of @packet to @bytes, all but the frame. Return: where its
 *  kept_bytes are to be written. */
uint8_t *pcapng_packet_write(const struct pcapng_packet *packet, uint8_t *bytes);

/** pcapng_packet_stamp() - stamp of the packet whose block begins at @bytes. */
uint64_t pcapng_packet_stamp(const uint8_t *bytes);

/** pcapng_packet_interface(), pcapng_packet_interface_set() - its interface. */
uint32_t pcapng_packet_interface(const uint8_t *bytes);
void pcapng_packet_interface_set(uint8_t *bytes, uint32_t interface);

/** pcapng_packet_length() - length of the packet block at @bytes, of which @left are there; 0: it
 *  is not whole, or not consistent. Nothing about @bytes is trusted. */
uint32_t pcapng_packet_length(const uint8_t *bytes, uint32_t left);

/** pcapng_block_before() - length of the block that ends in front of @bytes. */
uint32_t pcapng_block_before(const uint8_t *bytes);

#endif
