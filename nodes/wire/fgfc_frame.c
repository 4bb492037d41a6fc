#include "nodes/wire/fgfc_frame.h"

#include <errno.h>

#include "nodes/base/bytes.h"

#define MAC_BYTES 6u
#define VERSION 0u
#define VERSION_MASKED 1u

/* EtherType, OUI and protocol id, after the two MACs */
#define HEAD_AT 12u
#define TYPE_AT 19u
#define FIELDS_AT 22u

/* nearest bridge [802.1Q, 8.6.3] */
static const uint8_t group_mac[MAC_BYTES] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e };
static const uint8_t head[TYPE_AT - HEAD_AT] = { 0x88, 0xb7, 0x00, 0x0e, 0xab, 0x00, 0x00 };

/* The name of a flow, then its mask: the class (of a mask 0) and the fields, NAME_BYTES each. */
#define NAME_AT 32u
#define MASK_AT (NAME_AT + NAME_BYTES)
#define NAME_BYTES 60u

_Static_assert(MASK_AT == FGFC_FRAME_BYTES && MASK_AT + NAME_BYTES == FGFC_MASKED_BYTES,
	       "a frame ends with its name, or with the mask");

static void name_write(const struct flow_name *name, uint8_t traffic_class, uint8_t *bytes)
{
	bytes[0] = traffic_class;
	bytes[1] = name->ip_protocol;
	bytes_put16(bytes + 2, name->vlan);
	memcpy(bytes + 4, name->source_mac, MAC_BYTES);
	memcpy(bytes + 10, name->destination_mac, MAC_BYTES);
	memcpy(bytes + 16, name->source_ip, sizeof(name->source_ip));
	memcpy(bytes + 32, name->destination_ip, sizeof(name->destination_ip));
	bytes_put16(bytes + 48, name->source_port);
	bytes_put16(bytes + 50, name->destination_port);
	bytes_put32(bytes + 52, name->flow_label);
	bytes_put32(bytes + 56, name->queue_pair);
}

/* without kind and fields, which only a name has */
static struct flow_name name_read(const uint8_t *bytes)
{
	struct flow_name name = {
		.source_port = bytes_get16(bytes + 48),
		.destination_port = bytes_get16(bytes + 50),
		.flow_label = bytes_get32(bytes + 52),
		.queue_pair = bytes_get32(bytes + 56),
		.vlan = bytes_get16(bytes + 2),
		.traffic_class = bytes[0],
		.ip_protocol = bytes[1],
	};

	memcpy(name.source_mac, bytes + 4, MAC_BYTES);
	memcpy(name.destination_mac, bytes + 10, MAC_BYTES);
	memcpy(name.source_ip, bytes + 16, sizeof(name.source_ip));
	memcpy(name.destination_ip, bytes + 32, sizeof(name.destination_ip));
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
	bytes[TYPE_AT] = frame->name.kind;
	bytes_put16(bytes + FIELDS_AT, frame->name.fields);
	name_write(&frame->name, frame->name.traffic_class, bytes + NAME_AT);
	if (masked)
		name_write(&frame->mask, 0, bytes + MASK_AT);
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
	    bytes[20] != (masked ? VERSION_MASKED : VERSION) || bytes[21] ||
	    (masked && bytes[MASK_AT]))
		return -EINVAL;
	*frame = (struct fgfc_frame){
		.name = name_read(bytes + NAME_AT),
		.pause_ps = bytes_get32(bytes + 24) * NODE_NS,
		.credit_units = bytes_get32(bytes + 28),
	};
	frame->name.kind = bytes[TYPE_AT];
	frame->name.fields = bytes_get16(bytes + FIELDS_AT);
	if (masked)
		frame->mask = name_read(bytes + MASK_AT);
	if (frame->credit_units && !frame->pause_ps)
		return -EINVAL;
	return (masked ? flow_name_masked_valid(&frame->name, &frame->mask)
		       : flow_name_valid(&frame->name))
		       ? 0
		       : -EINVAL;
}
