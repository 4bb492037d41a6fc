#include "nodes/wire/pcapng.h"

#include <endian.h>
#include <string.h>

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET 6u
#define PACKET_HEAD_BYTES 28u /* type to frame length */
#define PACKET_BYTES_MIN (PACKET_HEAD_BYTES + 4u)
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define VERSION_MAJOR 1u
#define VERSION_MINOR 0u
#define LINK_TYPE_ETHERNET 1u

#define OPTION_END 0u
#define OPTION_COMMENT 1u
#define SECTION_APPLICATION 4u
#define INTERFACE_NAME 2u
#define INTERFACE_DESCRIPTION 3u
#define INTERFACE_RATE 8u
#define INTERFACE_RESOLUTION 9u
#define INTERFACE_FCS_BYTES 13u
#define PACKET_FLAGS 2u
#define OPTION_HEAD_BYTES 4u
#define FLAGS_BYTES 4u

#define FLAG_INBOUND 1u
#define FLAG_OUTBOUND 2u
#define NANOSECONDS 9u

static uint8_t *put16(uint8_t *to, uint32_t value)
{
	uint16_t little = htole16((uint16_t)value);

	memcpy(to, &little, sizeof(little));
	return to + sizeof(little);
}

static uint8_t *put32(uint8_t *to, uint32_t value)
{
	uint32_t little = htole32(value);

	memcpy(to, &little, sizeof(little));
	return to + sizeof(little);
}

static uint32_t get32(const uint8_t *from)
{
	uint32_t little;

	memcpy(&little, from, sizeof(little));
	return le32toh(little);
}

static uint32_t padded(uint32_t bytes)
{
	return (bytes + 3) & ~3u;
}

static uint8_t *put_option(uint8_t *to, uint32_t code, const void *value, uint32_t bytes)
{
	to = put16(to, code);
	to = put16(to, bytes);
	memset(to, 0, padded(bytes));
	memcpy(to, value, bytes);
	return to + padded(bytes);
}

static uint32_t text_bytes(const char *text)
{
	size_t bytes = strlen(text);

	return bytes < PCAPNG_TEXT_MAX ? (uint32_t)bytes : PCAPNG_TEXT_MAX;
}

static uint8_t *put_text(uint8_t *to, uint32_t code, const char *text)
{
	return text ? put_option(to, code, text, text_bytes(text)) : to;
}

/* the end of the block that begins at @block; @to its options' end.  Return: the place after it */
static uint8_t *block_end(uint8_t *block, uint8_t *to)
{
	uint32_t bytes;

	to = put16(to, OPTION_END);
	to = put16(to, 0);
	bytes = (uint32_t)(to - block) + 4;
	put32(block + 4, bytes);
	return put32(to, bytes);
}

static uint8_t *section_write(const struct pcapng_header *header, uint8_t *block)
{
	uint8_t *to = put32(block, BLOCK_SECTION) + 4;

	to = put32(to, BYTE_ORDER_MAGIC);
	to = put16(to, VERSION_MAJOR);
	to = put16(to, VERSION_MINOR);
	memset(to, 0xff, 8); /* length of the section: not known yet */
	to = put_text(to + 8, SECTION_APPLICATION, "heddle");
	return block_end(block, put_text(to, OPTION_COMMENT, header->comment));
}

static uint8_t *interface_put(const struct pcapng_header *header, uint8_t *block)
{
	uint8_t *to = put32(block, BLOCK_INTERFACE) + 4;
	const uint8_t resolution = NANOSECONDS, fcs_bytes = 0;
	const uint64_t rate = htole64(header->rate_bps);

	to = put16(to, LINK_TYPE_ETHERNET);
	to = put16(to, 0);
	to = put32(to, header->snap_bytes);
	to = put_text(to, INTERFACE_NAME, header->name);
	to = put_text(to, INTERFACE_DESCRIPTION, header->description);
	to = put_option(to, INTERFACE_RATE, &rate, sizeof(rate));
	to = put_option(to, INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	return block_end(block, put_option(to, INTERFACE_FCS_BYTES, &fcs_bytes, sizeof(fcs_bytes)));
}

uint32_t pcapng_header_write(const struct pcapng_header *header, uint8_t *bytes)
{
	return (uint32_t)(interface_put(header, section_write(header, bytes)) - bytes);
}

uint32_t pcapng_interface_write(const struct pcapng_header *header, uint8_t *bytes)
{
	return (uint32_t)(interface_put(header, bytes) - bytes);
}

uint32_t pcapng_packet_bytes(const struct pcapng_packet *packet)
{
	uint32_t comment =
		packet->comment ? OPTION_HEAD_BYTES + padded(text_bytes(packet->comment)) : 0;

	return PACKET_HEAD_BYTES + padded(packet->kept_bytes) + comment + OPTION_HEAD_BYTES +
	       FLAGS_BYTES + OPTION_HEAD_BYTES + 4;
}

uint8_t *pcapng_packet_write(const struct pcapng_packet *packet, uint8_t *bytes)
{
	const uint32_t flags = htole32(packet->inbound ? FLAG_INBOUND : FLAG_OUTBOUND);
	uint32_t room = padded(packet->kept_bytes);
	uint8_t *to = put32(bytes, BLOCK_PACKET) + 4, *frame;

	to = put32(to, packet->interface);
	to = put32(to, (uint32_t)(packet->stamp_ns >> 32));
	to = put32(to, (uint32_t)packet->stamp_ns);
	to = put32(to, packet->kept_bytes);
	frame = put32(to, packet->frame_bytes);
	memset(frame + packet->kept_bytes, 0, room - packet->kept_bytes);
	to = put_text(frame + room, OPTION_COMMENT, packet->comment);
	block_end(bytes, put_option(to, PACKET_FLAGS, &flags, sizeof(flags)));
	return frame;
}

uint64_t pcapng_packet_stamp(const uint8_t *bytes)
{
	return (uint64_t)get32(bytes + 12) << 32 | get32(bytes + 16);
}

uint32_t pcapng_packet_interface(const uint8_t *bytes)
{
	return get32(bytes + 8);
}

void pcapng_packet_interface_set(uint8_t *bytes, uint32_t interface)
{
	put32(bytes + 8, interface);
}

uint32_t pcapng_packet_length(const uint8_t *bytes, uint32_t left)
{
	uint32_t length, kept;

	if (left < PACKET_BYTES_MIN || get32(bytes) != BLOCK_PACKET)
		return 0;
	length = get32(bytes + 4);
	kept = get32(bytes + 20);
	if (length < PACKET_BYTES_MIN || length > left || length % 4 ||
	    kept > length - PACKET_BYTES_MIN || get32(bytes + length - 4) != length)
		return 0;
	return length;
}

uint32_t pcapng_block_before(const uint8_t *bytes)
{
	return get32(bytes - 4);
}
