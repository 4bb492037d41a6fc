#include "nodes/link/carrier.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"
#include "nodes/link/link.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fgfc_frame.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/lid_header.h"
#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"

/* A host's own frame of EtherType 0x88b5, or an FGFC, PFC or PAUSE frame, would look like one of
 * the link's: it goes quoted, [envelope][type 4][0]. */
#define TYPE_QUOTE 4u
#define QUOTE_BYTES (FABRIC_ENVELOPE_BYTES + 2u)
#define TYPE_NONE 16u /* not EtherType 0x88b5 */

#define ETHERNET_BYTES 14u
#define MACS_BYTES 12u
#define SEQUENCE_BYTES 4u
#define FRAME_ON_VETH_MAX (RING_CAPTURED_MAX + QUOTE_BYTES + SEQUENCE_BYTES)
#define SLOT_BYTES 9664u               /* of the receive buffer: a tag may be put back in front */
#define SOCKET_BUFFER_BYTES (16 << 20) /* what may wait in the kernel; taken only when used */

static_assert(CARRIER_TAG_BYTES + FRAME_ON_VETH_MAX <= SLOT_BYTES && SLOT_BYTES % 64 == 0,
	      "a slot holds any frame");
static_assert(CARRIER_AROUND_MAX >= FABRIC_FRONT_BYTES + SEQUENCE_BYTES,
	      "the veth lets fabric frames pass");
static_assert(LID_FRONT_BYTES == FABRIC_FRONT_BYTES,
	      "the inner frame stands at the same place in all fabric frames");
static_assert(CARRIER_AROUND_MAX >= QUOTE_BYTES + SEQUENCE_BYTES,
	      "the veth lets quoted frames pass");
static_assert(WORD_FRAME_WORDS_MAX * RING_LINE <= RING_CAPTURED_MAX,
	      "the words of a frame fit where the longest frame does");

/* what a generated frame does not capture */
static const uint8_t zeros[RING_CAPTURED_MAX + FABRIC_ENVELOPE_BYTES];

/* ---- set-up ---- */

static struct ring_page *page_map(size_t bytes, uint32_t data_bytes)
{
	struct ring_page *page =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	ring_init(page, data_bytes, RING_CAPTURED_MAX);
	return page;
}

static int option(int socket, int level, int name, int value)
{
	return setsockopt(socket, level, name, &value, sizeof(value)) ? -errno : 0;
}

/* Tags beside the frames, no own frames, a large buffer, and the number of frames that did not
 * fit. */
static int socket_prepare(int socket)
{
	int domain, error;
	socklen_t length = sizeof(domain);

	if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length))
		return -errno;
	if (domain != AF_PACKET)
		return 0;
	error = option(socket, SOL_PACKET, PACKET_AUXDATA, 1);
	if (!error)
		error = option(socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	if (!error)
		error = option(socket, SOL_SOCKET, SO_RXQ_OVFL, 1);
	/* for the privileged */
	if (!error && option(socket, SOL_SOCKET, SO_RCVBUFFORCE, SOCKET_BUFFER_BYTES))
		error = option(socket, SOL_SOCKET, SO_RCVBUF,
			       SOCKET_BUFFER_BYTES); /* as much as allowed */
	return error;
}

static void messages_init(struct carrier *carrier)
{
	for (uint32_t i = 0; i < CARRIER_BATCH; i++) {
		struct carrier_in *in = &carrier->in[i];

		carrier->out_messages[i].msg_hdr.msg_iov = carrier->out[i].parts;
		in->part = (struct iovec){ carrier->buffer + (size_t)i * SLOT_BYTES +
						   CARRIER_TAG_BYTES,
					   FRAME_ON_VETH_MAX };
		carrier->in_messages[i].msg_hdr =
			(struct msghdr){ .msg_iov = &in->part, .msg_iovlen = 1 };
	}
}

int carrier_init(struct carrier *carrier, int socket, const struct node_config *config,
		 uint32_t port, uint64_t *drops)
{
	const struct port_config *p = &config->ports[port];

	*carrier = (struct carrier){
		.socket = socket,
		.plain = config->fabric == FABRIC_ROCE ||
			 (config->fabric == FABRIC_FLOW_CHANNEL && p->kind == PORT_EDGE),
		.roce = config->fabric == FABRIC_ROCE,
		.by_lid = config->fabric == FABRIC_PORT_GROUP,
		.guarded = p->guarded,
		.class_count = config->class_count,
		.lanes = node_lanes(config, p->kind),
		.drops = drops,
		.page_bytes = ring_bytes(p->ring_bytes),
	};
	class_map_init(&carrier->classes, config->classes, config->class_count);
	word_frame_envelope_write(config->index, port, p->peer_index, p->peer_port,
				  carrier->envelope);
	carrier->tx_page = page_map(carrier->page_bytes, p->ring_bytes);
	carrier->rx_page = page_map(carrier->page_bytes, p->ring_bytes);
	carrier->buffer = aligned_alloc(64, (size_t)CARRIER_BATCH * SLOT_BYTES);
	if (!carrier->tx_page || !carrier->rx_page || !carrier->buffer)
		return -ENOMEM;
	if (ring_rx_attach(&carrier->tx, carrier->tx_page, carrier->page_bytes) ||
	    ring_tx_attach(&carrier->rx, carrier->rx_page, carrier->page_bytes))
		return -EINVAL;
	messages_init(carrier);
	return socket_prepare(socket);
}

void carrier_fini(struct carrier *carrier)
{
	if (carrier->tx_page)
		munmap(carrier->tx_page, carrier->page_bytes);
	if (carrier->rx_page)
		munmap(carrier->rx_page, carrier->page_bytes);
	free(carrier->buffer);
	*carrier = (struct carrier){ 0 };
}

/* ---- both directions ---- */

/* the type of a frame of the link's own, else TYPE_NONE */
static uint32_t type_of(const uint8_t *bytes, uint32_t length)
{
	if (length <= FABRIC_ENVELOPE_BYTES || bytes_get16(bytes + MACS_BYTES) != ETHERTYPE_FABRIC)
		return TYPE_NONE;
	return bytes[FABRIC_ENVELOPE_BYTES] >> 4;
}

/* wire_bytes of a data frame and the length of the same on the veth, without quote and sequence */
static uint32_t wire_bytes_of(const struct carrier *carrier, uint32_t length)
{
	return length + FRAME_FCS_BYTES - (carrier->plain ? 0 : FABRIC_ENVELOPE_BYTES);
}

static uint32_t length_of(const struct carrier *carrier, uint32_t wire_bytes)
{
	return wire_bytes - FRAME_FCS_BYTES + (carrier->plain ? 0 : FABRIC_ENVELOPE_BYTES);
}

/* ---- out ---- */

static void part_add(struct msghdr *message, const void *bytes, uint32_t length)
{
	if (length)
		message->msg_iov[message->msg_iovlen++] =
			(struct iovec){ (void *)(uintptr_t)bytes, length };
}

/* Is it of the kind that ends at the link? RECORD_PACKET: no. */
static enum record_kind control_kind(const struct carrier *carrier, const uint8_t *bytes,
				     uint32_t length)
{
	struct pause_frame pause;

	if (carrier->roce)
		return pause_frame_read(bytes, length, &pause) ? RECORD_PACKET : RECORD_PAUSE;
	return fgfc_frame_is(bytes, length) ? RECORD_FGFC : RECORD_PACKET;
}

/* would the packet be taken for what it is not? */
static bool needs_quote(const struct carrier *carrier, const struct record *header,
			const uint8_t *bytes)
{
	return carrier->plain && header->kind == RECORD_PACKET &&
	       (type_of(bytes, header->captured_bytes) != TYPE_NONE ||
		control_kind(carrier, bytes, header->captured_bytes) != RECORD_PACKET);
}

static void quote_write(const struct carrier *carrier, uint8_t *bytes)
{
	memcpy(bytes, carrier->envelope, FABRIC_ENVELOPE_BYTES);
	bytes_put16(bytes + FABRIC_ENVELOPE_BYTES, TYPE_QUOTE << 12);
}

/* The ICRC of a frame that ends after @length bytes with what was not captured, to @icrc. Return:
 * its bytes, if it has one. */
static uint32_t icrc_write(const struct carrier *carrier, const struct record *header,
			   const uint8_t *bytes, uint32_t length, uint8_t *icrc)
{
	uint32_t front_bytes = carrier->plain ? 0 : FABRIC_FRONT_BYTES;

	return header->kind == RECORD_PACKET && header->captured_bytes > front_bytes &&
			       roce_trailer(bytes + front_bytes,
					    header->captured_bytes - front_bytes,
					    length - front_bytes, icrc)
		       ? ROCE_ICRC_BYTES
		       : 0;
}

/* what is not captured is zeros, and perhaps an ICRC */
static void add_rest(struct carrier *carrier, const struct record *header, const uint8_t *bytes,
		     uint32_t length)
{
	struct carrier_out *out = &carrier->out[carrier->out_count];
	struct msghdr *message = &carrier->out_messages[carrier->out_count].msg_hdr;
	uint32_t tail_bytes = 0;

	if (length > header->captured_bytes) {
		tail_bytes = icrc_write(carrier, header, bytes, length, out->tail);
		part_add(message, zeros, length - header->captured_bytes - tail_bytes);
	}
	if (carrier->guarded) {
		bytes_put32(out->tail + tail_bytes, header->sequence);
		tail_bytes += SEQUENCE_BYTES;
	}
	part_add(message, out->tail, tail_bytes);
}

static void add_frame(struct carrier *carrier, const struct record *header, const uint8_t *bytes)
{
	struct carrier_out *out = &carrier->out[carrier->out_count];
	struct msghdr *message = &carrier->out_messages[carrier->out_count].msg_hdr;
	uint32_t length = header->kind == RECORD_ACKS ? header->captured_bytes
						      : length_of(carrier, header->wire_bytes);

	message->msg_iovlen = 0;
	if (needs_quote(carrier, header, bytes)) {
		quote_write(carrier, out->own);
		part_add(message, out->own, QUOTE_BYTES);
	}
	part_add(message, bytes, header->captured_bytes);
	add_rest(carrier, header, bytes, length);
	carrier->out_count++;
	carrier->words_open = false;
}

/* successive words share a frame, as many as it takes */
static void add_word(struct carrier *carrier, const struct record *header)
{
	struct word_frame_word word = {
		.kind = (uint8_t)(header->word >> 32),
		.traffic_class = (uint8_t)header->traffic_class,
		.value = (uint32_t)header->word,
	};
	struct carrier_out *out;
	struct msghdr *message;
	uint32_t length;

	if (carrier->words_open) {
		out = &carrier->out[carrier->out_count - 1];
		length = word_frame_add(out->own, &word);
		if (length) {
			out->parts[0].iov_len = length;
			return;
		}
	}
	out = &carrier->out[carrier->out_count];
	message = &carrier->out_messages[carrier->out_count++].msg_hdr;
	word_frame_start(carrier->envelope, out->own);
	message->msg_iovlen = 0;
	part_add(message, out->own, word_frame_add(out->own, &word));
	carrier->words_open = true;
}

/* fills the batch with what is due */
static void gather(struct carrier *carrier, node_time_t now)
{
	struct record header;
	const uint8_t *bytes;

	carrier->words_open = false;
	while (carrier->out_count < CARRIER_BATCH && (bytes = ring_peek(&carrier->tx, &header)) &&
	       header.at_ps <= now) {
		if (header.kind == RECORD_WORD)
			add_word(carrier, &header);
		else
			add_frame(carrier, &header, bytes);
		ring_pop(&carrier->tx, &header);
	}
}

/* the kernel refuses the first frame that was not sent: is it for now, or for good? */
static bool refused_for_now(struct carrier *carrier)
{
	if (errno == EINTR)
		return false;
	if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM)
		return true;
	carrier->drops[errno == EMSGSIZE ? DROP_OVERSIZE : DROP_LINK_DOWN]++;
	carrier->out_sent++;
	return false;
}

/* sends what is left of the batch; false if the socket takes no more now */
static bool send_batch(struct carrier *carrier)
{
	while (carrier->out_sent != carrier->out_count) {
		int sent = sendmmsg(carrier->socket, carrier->out_messages + carrier->out_sent,
				    carrier->out_count - carrier->out_sent,
				    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent > 0)
			carrier->out_sent += (uint32_t)sent;
		else if (refused_for_now(carrier))
			return false;
	}
	carrier->out_count = carrier->out_sent = 0;
	ring_release(&carrier->tx);
	return true;
}

node_time_t carrier_outlet(struct carrier *carrier, node_time_t now)
{
	struct record header;

	ring_refresh(&carrier->tx);
	for (;;) {
		if (!carrier->out_count)
			gather(carrier, now);
		if (!carrier->out_count)
			return ring_peek(&carrier->tx, &header) ? header.at_ps : NODE_TIME_NEVER;
		if (!send_batch(carrier))
			return now + CARRIER_RETRY_PS;
	}
}

/* ---- in ---- */

/* what the kernel adds to a frame: its outer tag, and how many frames found no buffer so far */
static void read_control(struct carrier *carrier, struct msghdr *message, struct carrier_in *in)
{
	for (struct cmsghdr *item = CMSG_FIRSTHDR(message); item;
	     item = CMSG_NXTHDR(message, item)) {
		struct tpacket_auxdata aux;
		uint32_t dropped;

		if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SO_RXQ_OVFL) {
			memcpy(&dropped, CMSG_DATA(item), sizeof(dropped));
			carrier->drops[DROP_BUFFER_OVERFLOW] += dropped - carrier->socket_drops;
			carrier->socket_drops = dropped;
		}
		if (item->cmsg_level != SOL_PACKET || item->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(item), sizeof(aux));
		if (!(aux.tp_status & TP_STATUS_VLAN_VALID) || in->length < MACS_BYTES)
			continue;
		in->bytes -= CARRIER_TAG_BYTES;
		in->length += CARRIER_TAG_BYTES;
		memmove(in->bytes, in->bytes + CARRIER_TAG_BYTES, MACS_BYTES);
		bytes_put16(in->bytes + MACS_BYTES, aux.tp_status & TP_STATUS_VLAN_TPID_VALID
							    ? aux.tp_vlan_tpid
							    : ETHERTYPE_TAG);
		bytes_put16(in->bytes + MACS_BYTES + 2, aux.tp_vlan_tci);
	}
}

/* the next batch from the socket.  Return: may it hold more? */
static bool receive_batch(struct carrier *carrier)
{
	int count;

	for (uint32_t i = 0; i < CARRIER_BATCH; i++) {
		struct msghdr *message = &carrier->in_messages[i].msg_hdr;

		message->msg_control = carrier->in[i].control;
		message->msg_controllen = sizeof(carrier->in[i].control);
	}
	count = recvmmsg(carrier->socket, carrier->in_messages, CARRIER_BATCH, MSG_DONTWAIT, NULL);
	carrier->in_count = count > 0 ? (uint32_t)count : 0;
	carrier->in_next = 0;
	for (uint32_t i = 0; i < carrier->in_count; i++) {
		struct msghdr *message = &carrier->in_messages[i].msg_hdr;
		struct carrier_in *in = &carrier->in[i];

		in->bytes = in->part.iov_base;
		in->length = carrier->in_messages[i].msg_len;
		read_control(carrier, message, in);
		if (message->msg_flags & MSG_TRUNC) {
			carrier->drops[DROP_OVERSIZE]++;
			in->length = 0;
		}
	}
	/* ENETDOWN: the device went down. Said once; frames may still wait */
	return count == CARRIER_BATCH || (count < 0 && (errno == EINTR || errno == ENETDOWN));
}

/* a frame as received: what is left of it while it is taken apart */
struct span {
	const uint8_t *bytes;
	uint32_t length;
};

/* the frame's class as its sender saw it: switchd/flow_channel/arrival.c, nicd */
static int read_host_frame(const struct carrier *carrier, struct span *frame, struct record *record)
{
	struct frame_fields fields;

	if (type_of(frame->bytes, frame->length) == TYPE_QUOTE) {
		if (frame->length < QUOTE_BYTES ||
		    bytes_get16(frame->bytes + FABRIC_ENVELOPE_BYTES) != TYPE_QUOTE << 12)
			return -EINVAL;
		frame->bytes += QUOTE_BYTES;
		frame->length -= QUOTE_BYTES;
	} else {
		record->kind = (uint16_t)control_kind(carrier, frame->bytes, frame->length);
	}
	record->wire_bytes = wire_bytes_of(carrier, frame->length);
	if (record->kind == RECORD_FGFC || record->kind == RECORD_PAUSE)
		return 0;
	if (frame_parse(frame->bytes, frame->length, frame->length, &fields))
		return -EINVAL;
	record->kind = RECORD_PACKET;
	record->traffic_class = (uint16_t)class_map_class(&carrier->classes, &fields);
	return 0;
}

/* the virtual lane of a packet between switches stands in its fabric header */
static int read_fabric_frame(const struct carrier *carrier, const struct span *frame,
			     struct record *record)
{
	uint32_t traffic_class, level;

	if (frame->length <= FABRIC_FRONT_BYTES)
		return -EINVAL;
	record->kind = RECORD_PACKET;
	traffic_class = frame->bytes[FABRIC_ENVELOPE_BYTES] & 15u;
	level = frame->bytes[FABRIC_ENVELOPE_BYTES + FABRIC_LEVEL_BYTE] >> 5;
	record->traffic_class = (uint16_t)(traffic_class * carrier->lanes + level);
	record->wire_bytes = wire_bytes_of(carrier, frame->length);
	return traffic_class < carrier->class_count && level < carrier->lanes ? 0 : -EINVAL;
}

/* the same of a fabric of kind port-group, on any link */
static int read_lid_frame(const struct carrier *carrier, const struct span *frame,
			  struct record *record)
{
	struct lid_header header;

	if (frame->length <= LID_FRONT_BYTES ||
	    lid_header_read(frame->bytes, frame->length, frame->length - LID_FRONT_BYTES, &header))
		return -EINVAL;
	record->kind = RECORD_PACKET;
	record->traffic_class = (uint16_t)(header.service_level * carrier->lanes + header.level);
	record->wire_bytes = wire_bytes_of(carrier, frame->length);
	return header.service_level < carrier->class_count && header.level < carrier->lanes
		       ? 0
		       : -EINVAL;
}

static int read_ack_frame(const struct span *frame, struct record *record)
{
	if (frame->length < FABRIC_ENVELOPE_BYTES + ack_frame_wire_bytes(1) ||
	    frame->length > FABRIC_ENVELOPE_BYTES + ack_frame_wire_bytes(ACK_FRAME_ACKS_MAX))
		return -EINVAL;
	record->kind = RECORD_ACKS;
	record->wire_bytes = frame->length - FABRIC_ENVELOPE_BYTES;
	return 0;
}

/* What record is this frame? Leaves in @frame what it captures.   Return: 0, or -EINVAL. */
static int read_frame(const struct carrier *carrier, struct span *frame, struct record *record)
{
	uint32_t type = type_of(frame->bytes, frame->length);

	record->sequence = carrier->sequence;
	if (carrier->guarded) {
		if (frame->length < ETHERNET_BYTES + SEQUENCE_BYTES)
			return -EINVAL;
		frame->length -= SEQUENCE_BYTES;
		record->sequence = bytes_get32(frame->bytes + frame->length);
	}
	if (carrier->plain)
		return type == TYPE_NONE || type == TYPE_QUOTE
			       ? read_host_frame(carrier, frame, record)
			       : -EINVAL;
	if (carrier->by_lid)
		return type == LID_TYPE_DATA ? read_lid_frame(carrier, frame, record) : -EINVAL;
	if (type == FABRIC_TYPE_DATA)
		return read_fabric_frame(carrier, frame, record);
	return type == FABRIC_TYPE_ACKS ? read_ack_frame(frame, record) : -EINVAL;
}

/* a record into the ring, where it fits */
static void put(struct carrier *carrier, const struct record *record, const uint8_t *bytes)
{
	struct record *place = ring_reserve(&carrier->rx, record->captured_bytes);

	ENSURE(place, !=, NULL);
	*place = *record;
	place->at_ps = carrier->last_at_ps;
	if (record->captured_bytes)
		memcpy(record_captured(place), bytes, record->captured_bytes);
	ring_commit(&carrier->rx, record->captured_bytes);
}

/* false if it does not fit into the ring */
static bool deliver_frame(struct carrier *carrier, struct span frame)
{
	struct record record = { 0 };

	if (read_frame(carrier, &frame, &record)) {
		carrier->drops[DROP_MALFORMED]++;
		return true;
	}
	record.captured_bytes = frame.length;
	if (record.captured_bytes > RING_CAPTURED_MAX || record.wire_bytes > RING_CAPTURED_MAX) {
		carrier->drops[DROP_OVERSIZE]++;
		return true;
	}
	if (!ring_has_room(&carrier->rx))
		return false;
	put(carrier, &record, frame.bytes);
	carrier->sequence++;
	return true;
}

/* the same; all words of a frame take less of the ring than the longest frame */
static bool deliver_words(struct carrier *carrier, struct span frame)
{
	struct word_frame_word words[WORD_FRAME_WORDS_MAX];
	int count = word_frame_read(frame.bytes, frame.length, words);

	if (count < 0) {
		carrier->drops[DROP_MALFORMED]++;
		return true;
	}
	if (!ring_has_room(&carrier->rx))
		return false;
	for (int i = 0; i < count; i++) {
		struct record record = {
			.kind = RECORD_WORD,
			.wire_bytes = LINK_WORD_BYTES,
			.traffic_class = words[i].traffic_class,
			.word = (uint64_t)words[i].kind << 32 | words[i].value,
		};

		put(carrier, &record, NULL);
	}
	return true;
}

static bool deliver(struct carrier *carrier, const struct carrier_in *in)
{
	struct span frame = { in->bytes, in->length };

	if (!frame.length)
		return true;
	if (type_of(frame.bytes, frame.length) == FABRIC_TYPE_WORDS)
		return deliver_words(carrier, frame);
	return deliver_frame(carrier, frame);
}

bool carrier_intake(struct carrier *carrier, node_time_t now)
{
	bool more = carrier->in_count == CARRIER_BATCH;

	if (carrier->in_next == carrier->in_count)
		more = receive_batch(carrier);
	carrier->last_at_ps = node_time_max(carrier->last_at_ps, now);
	while (carrier->in_next != carrier->in_count &&
	       deliver(carrier, &carrier->in[carrier->in_next]))
		carrier->in_next++;
	ring_publish(&carrier->rx);
	return carrier->in_next != carrier->in_count || more;
}
