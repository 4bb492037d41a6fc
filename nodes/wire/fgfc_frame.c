#include "nodes/wire/fgfc_frame.h"

#include <errno.h>

#include "nodes/base/bytes.h"

#define MAC_BYTES 6u
#define VERSION 0u
#define VERSION_MASKED 1u

/* EtherType, OUI and protocol id, after the two MACs */
#define HEAD_AT 12u
#define TYPE_AT 19u

/* nearest bridge [802.1Q, 8.6.3] */
static const uint8_t group_mac[MAC_BYTES] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e };
static const uint8_t head[TYPE_AT - HEAD_AT] = { 0x88, 0xb7, 0x00, 0x0e, 0xab, 0x00, 0x00 };

static void name_write(const struct flow_name *name, uint8_t *bytes)
{
	bytes[TYPE_AT] = name->kind;
	bytes_put16(bytes + 22, name->fields);
	bytes[32] = name->traffic_class;
	bytes[33] = name->ip_protocol;
	bytes_put16(bytes + 34, name->vlan);
	memcpy(bytes + 36, name->source_mac, MAC_BYTES);
	memcpy(bytes + 42, name->destination_mac, MAC_BYTES);
	memcpy(bytes + 48, name->source_ip, sizeof(name->source_ip));
	memcpy(bytes + 64, name->destination_ip, sizeof(name->destination_ip));
	bytes_put16(bytes + 80, name->source_port);
	bytes_put16(bytes + 82, name->destination_port);
	bytes_put32(bytes + 84, name->flow_label);
	bytes_put32(bytes + 88, name->queue_pair);
}

static void mask_write(const struct flow_name *mask, uint8_t *bytes)
{
	bytes[92] = 0;
	bytes[93] = mask->ip_protocol;
	bytes_put16(bytes + 94, mask->vlan);
	memcpy(bytes + 96, mask->source_mac, MAC_BYTES);
	memcpy(bytes + 102, mask->destination_mac, MAC_BYTES);
	memcpy(bytes + 108, mask->source_ip, sizeof(mask->source_ip));
	memcpy(bytes + 124, mask->destination_ip, sizeof(mask->destination_ip));
	bytes_put16(bytes + 140, mask->source_port);
	bytes_put16(bytes + 142, mask->destination_port);
	bytes_put32(bytes + 144, mask->flow_label);
	bytes_put32(bytes + 148, mask->queue_pair);
}

static struct flow_name mask_read(const uint8_t *bytes)
{
	struct flow_name mask = {
		.source_port = bytes_get16(bytes + 140),
		.destination_port = bytes_get16(bytes + 142),
		.flow_label = bytes_get32(bytes + 144),
		.queue_pair = bytes_get32(bytes + 148),
		.vlan = bytes_get16(bytes + 94),
		.ip_protocol = bytes[93],
	};

	memcpy(mask.source_mac, bytes + 96, MAC_BYTES);
	memcpy(mask.destination_mac, bytes + 102, MAC_BYTES);
	memcpy(mask.source_ip, bytes + 108, sizeof(mask.source_ip));
	memcpy(mask.destination_ip, bytes + 124, sizeof(mask.destination_ip));
	return mask;
}

static struct flow_name name_read(const uint8_t *bytes)
{
	struct flow_name name = {
		.source_port = bytes_get16(bytes + 80),
		.destination_port = bytes_get16(bytes + 82),
		.flow_label = bytes_get32(bytes + 84),
		.queue_pair = bytes_get32(bytes + 88),
		.vlan = bytes_get16(bytes + 34),
		.fields = bytes_get16(bytes + 22),
		.traffic_class = bytes[32],
		.ip_protocol = bytes[33],
		.kind = bytes[TYPE_AT],
	};

	memcpy(name.source_mac, bytes + 36, MAC_BYTES);
	memcpy(name.destination_mac, bytes + 42, MAC_BYTES);
	memcpy(name.source_ip, bytes + 48, sizeof(name.source_ip));
	memcpy(name.destination_ip, bytes + 64, sizeof(name.destination_ip));
	return name;
}

uint32_t fgfc_frame_write(const struct fgfc_frame *frame, const uint8_t source_mac[6],
			  uint8_t *bytes)
{
	node_time_t pause_ps = node_time_min(frame->pause_ps, FGFC_PAUSE_PS_MAX);
	bool masked = flow_name_is_masked(&frame->mask);

	memcpy(bytes, group_mac, MAC_BYTES);
	memcpy(bytes + MAC_BYTES, source_mac, MAC_BYTES);
	memcpy(bytes + HEAD_AT, head, sizeof(head));
	bytes[20] = masked ? VERSION_MASKED : VERSION;
	bytes[21] = 0;
	bytes_put32(bytes + 24, (uint32_t)((pause_ps + NODE_NS - 1) / NODE_NS));
	bytes_put32(bytes + 28, frame->credit_units);
	name_write(&frame->name, bytes);
	if (masked)
		mask_write(&frame->mask, bytes);
	return masked ? FGFC_MASKED_BYTES : FGFC_FRAME_BYTES;
}

bool fgfc_frame_is(const uint8_t *bytes, uint32_t captured_bytes)
{
	return captured_bytes > TYPE_AT && !memcmp(bytes, group_mac, MAC_BYTES) &&
	       !memcmp(bytes + HEAD_AT, head, sizeof(head));
}

int fgfc_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct fgfc_frame *frame)
{
	bool masked = captured_bytes == FGFC_MASKED_BYTES;

	if ((!masked && captured_bytes != FGFC_FRAME_BYTES) ||
	    !fgfc_frame_is(bytes, captured_bytes) ||
	    bytes[20] != (masked ? VERSION_MASKED : VERSION) || bytes[21] || (masked && bytes[92]))
		return -EINVAL;
	*frame = (struct fgfc_frame){
		.name = name_read(bytes),
		.pause_ps = bytes_get32(bytes + 24) * NODE_NS,
		.credit_units = bytes_get32(bytes + 28),
	};
	if (masked)
		frame->mask = mask_read(bytes);
	if (frame->credit_units && !frame->pause_ps)
		return -EINVAL;
	return (masked ? flow_name_masked_valid(&frame->name, &frame->mask)
		       : flow_name_valid(&frame->name))
		       ? 0
		       : -EINVAL;
}
