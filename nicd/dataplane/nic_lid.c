/*  nic_lid - the NIC's side of fabric kind port-group (nic.h): local route headers, and BECN for
 *  FECN (PG-1, PG-10).
 *
 *  Sending. The DLID follows from the destination's MAC (address.h), without a table. The MAC of no
 *  host gives the group of all hosts, which switches flood. Each packet is at level 0 of the
 *  virtual lanes of its class.
 *
 *  Receiving. The header is read from a private copy and removed. Its DLID must be this host, a
 *  group, or permissive (the end of the link, whichever it is), its SLID a host, and its lane the
 *  one of the packet.
 *
 *  Lasting FECN is answered with a BECN frame (becn_frame.h), in the class of the packet with the
 *  FECN, to each source at most once in becn_interval_ps. A source is in the queue once, so the
 *  queue has space for all hosts. FECN of a BECN frame is not answered: two hosts would answer each
 *  other for ever. */
#include "nicd/dataplane/nic_lid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/dataplane/nic_gate.h"
#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/address.h"
#include "nodes/wire/becn_frame.h"
#include "nodes/wire/word_frame.h"

#define LID_NONE 0u /* no source */

int nic_lid_init(struct nic *nic)
{
	struct nic_lid *lid = &nic->lid;

	if (!nic->by_lid)
		return 0;
	lid->sources = calloc(RATE_LIDS, sizeof(*lid->sources));
	return lid->sources ? 0 : -ENOMEM;
}

void nic_lid_fini(struct nic *nic)
{
	free(nic->lid.sources);
}

void nic_lid_plug_in(struct nic *nic)
{
	const struct port_config *port = &nic->config->ports[0];

	word_frame_envelope_write(nic->config->index, 0, port->peer_index, port->peer_port,
				  nic->lid.envelope);
	nic->lid.lanes = node_lanes(nic->config, port->kind);
}

/* ---- sending ---- */

uint32_t nic_lid_of_mac(const struct nic *nic, const uint8_t mac[6])
{
	uint32_t host_index = address_host_of_mac(mac), lid_bits = nic->config->port_group.lid_bits;

	return host_index != ADDRESS_NO_HOST &&
			       lid_kind(lid_of_host(host_index), lid_bits) == LID_HOST
		       ? lid_of_host(host_index)
		       : lid_group_first(lid_bits);
}

void nic_lid_write(const struct nic *nic, uint32_t traffic_class, const struct nic_packet *packet,
		   uint8_t *bytes)
{
	struct lid_header header = {
		.dlid = packet->dlid,
		.slid = lid_of_host(nic->config->nic.host_index),
		.frame_bytes = (uint16_t)packet->frame_bytes,
		.service_level = (uint8_t)traffic_class,
		.becn = packet->becn,
	};

	memcpy(bytes, nic->lid.envelope, sizeof(nic->lid.envelope));
	lid_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
}

static void becn_queue(struct nic *nic, uint32_t lid, uint32_t traffic_class)
{
	struct nic_lid *l = &nic->lid;

	ENSURE(l->sources[lid].queued, ==, false);
	l->sources[lid].next = LID_NONE;
	l->sources[lid].queued = true;
	if (l->first[traffic_class])
		l->sources[l->last[traffic_class]].next = lid;
	else
		l->first[traffic_class] = lid;
	l->last[traffic_class] = lid;
	l->ready |= 1u << traffic_class;
}

static uint32_t becn_next(struct nic *nic, uint32_t traffic_class)
{
	struct nic_lid *l = &nic->lid;
	uint32_t lid = l->first[traffic_class];

	ENSURE(lid, !=, LID_NONE);
	ENSURE(l->sources[lid].queued, ==, true);
	l->first[traffic_class] = l->sources[lid].next;
	l->sources[lid].queued = false;
	if (!l->first[traffic_class])
		l->ready &= ~(1u << traffic_class);
	return lid;
}

void nic_lid_send_becn(struct nic *nic, uint32_t traffic_class)
{
	uint32_t lid = becn_next(nic, traffic_class);
	struct nic_packet packet = { .dlid = lid,
				     .frame_bytes = BECN_FRAME_BYTES,
				     .captured_bytes = BECN_FRAME_BYTES,
				     .tag = SEND_NONE,
				     .becn = true };
	uint8_t *bytes = nic_start(nic, traffic_class, &packet);

	if (bytes)
		becn_frame_write(nic->config->nic.host_index, lid - 1, bytes);
	nic->link->stats->becns++;
	if (trace_often(nic->stats))
		trace(nic->stats, (struct trace_entry){
					  .at_ps = nic->now_ps, .kind = TRACE_CNP, .source = lid });
}

/* ---- receiving ---- */

/* the packet from @lid had FECN: queues a BECN, if the last one is old enough */
static void notice_fecn(struct nic *nic, uint32_t lid, uint32_t traffic_class)
{
	const struct port_group_config *config = &nic->config->port_group;
	struct nic_lid_source *source = &nic->lid.sources[lid];

	if (!config->becn || source->queued ||
	    (source->told && nic->now_ps - source->told_ps < config->becn_interval_ps))
		return;
	source->told = true;
	source->told_ps = nic->now_ps;
	becn_queue(nic, lid, traffic_class);
}

static bool is_for_us(const struct nic *nic, uint32_t dlid)
{
	enum lid_kind kind = lid_kind(dlid, nic->config->port_group.lid_bits);

	return dlid == lid_of_host(nic->config->nic.host_index) || kind == LID_GROUP ||
	       kind == LID_PERMISSIVE;
}

/* FECN and BECN of the header. No other host has a LID of RATE_LIDS or more, or that of this
 * host */
static void notice(struct nic *nic, const struct lid_header *header, bool is_becn_frame)
{
	bool from_host = header->slid && header->slid < RATE_LIDS &&
			 header->slid != lid_of_host(nic->config->nic.host_index);

	if (from_host && header->becn)
		nic_gate_on_becn(nic, header->slid);
	if (from_host && header->fecn && header->lasting && !is_becn_frame)
		notice_fecn(nic, header->slid, header->service_level);
}

/*  Return: DROP_REASONS if the header is good, else the reason of the drop */
static enum drop_reason read_header(const struct nic *nic, const struct record *record,
				    const uint8_t *front, uint32_t frame_bytes,
				    struct lid_header *header)
{
	if (lid_header_read(front, record->captured_bytes, frame_bytes, header) ||
	    nic_lane(nic, header->service_level) + header->level != record->traffic_class ||
	    header->level >= nic->lid.lanes)
		return DROP_MALFORMED;
	return is_for_us(nic, header->dlid) &&
			       lid_kind(header->slid, nic->config->port_group.lid_bits) == LID_HOST
		       ? DROP_REASONS
		       : DROP_BAD_LID;
}

bool nic_lid_arrive(struct nic *nic, struct record *record, const uint8_t **shared,
		    uint32_t frame_bytes)
{
	uint32_t length = record->captured_bytes < LID_FRONT_BYTES + BECN_FRAME_BYTES
				  ? record->captured_bytes
				  : LID_FRONT_BYTES + BECN_FRAME_BYTES;
	uint8_t bytes[LID_FRONT_BYTES + BECN_FRAME_BYTES];
	struct lid_header header;
	enum drop_reason reason;
	bool is_becn_frame;

	memcpy(bytes, *shared, length);
	reason = read_header(nic, record, bytes, frame_bytes, &header);
	if (reason != DROP_REASONS) {
		receive_drop(&nic->receive, reason, frame_bytes, nic->now_ps);
		return false;
	}
	is_becn_frame = header.becn && length == LID_FRONT_BYTES + frame_bytes &&
			becn_frame_is(bytes + LID_FRONT_BYTES, frame_bytes);
	notice(nic, &header, is_becn_frame);
	if (is_becn_frame) {
		nic->stats->delivered_packets++;
		nic->stats->delivered_bytes += frame_bytes;
		return false;
	}
	*shared += LID_FRONT_BYTES;
	record->captured_bytes -= LID_FRONT_BYTES;
	record->traffic_class = header.service_level;
	return true;
}
