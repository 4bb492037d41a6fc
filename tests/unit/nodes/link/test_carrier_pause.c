/*  nodes/link/carrier: FGFC, PFC and PAUSE frames in their standard form, and RoCEv2 frames with
 *  their ICRC (EC-16, RC-4, RC-5). */
#include "nodes/link/link_send.h"
#include "tests/unit/nodes/link/carrier_ends.h"

TEST_GROUP(carrier_pause, .setup = setup, .teardown = ends_close, .timeout_s = 60);

/* ---- FGFC ---- */

static void fgfc_make(uint8_t *bytes)
{
	static const uint8_t mac[6] = { 2, 0x48, 0xff, 0, 1, 2 };
	struct fgfc_frame frame = {
		.name = { .fields = MATCH_PORTS, .source_port = 7, .kind = FLOW_IPV4 },
		.pause_ps = NODE_US
	};

	fgfc_frame_write(&frame, mac, bytes);
}

/* EC-16: a plain Ethernet frame on the veth, without a packet after it; _i: guarded */
TEST_RANGE(carrier_intake__fgfc_is_plain_ethernet, 0, 2)
{
	uint8_t bytes[FGFC_FRAME_BYTES], seen[FGFC_FRAME_BYTES + 8];
	const uint8_t *got;

	port.guarded = _i;
	ends_reopen();
	fgfc_make(bytes);
	link_send_fgfc(&a.link, now_ps - LEAD, bytes, sizeof(bytes));
	link_flush(&a.link, &(bool){ 0 });
	carrier_outlet(&a.carrier, now_ps + NODE_US);
	ck_assert_int_eq(recv(b.socket, seen, sizeof(seen), MSG_PEEK), (int)sizeof(bytes) + 4 * _i);
	ck_assert_mem_eq(seen, bytes, sizeof(bytes));
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_FGFC);
	ck_assert_uint_eq(header.wire_bytes, sizeof(bytes) + FRAME_FCS_BYTES);
	ck_assert_uint_eq(header.captured_bytes, sizeof(bytes));
	ck_assert_mem_eq(got, bytes, sizeof(bytes));
	settle();
	ck_assert_uint_eq(a.seen + a.lost, 0);
	ck_assert_uint_eq(b.stats->drops[DROP_BAD_RECORD] + b.stats->drops[DROP_MALFORMED], 0);
}

/* A host's frame that looks like FGFC remains a packet: a host cannot pause another host's flow.
 * _i: guarded */
TEST_RANGE(carrier_intake__fgfc_of_a_host_is_a_packet, 0, 2)
{
	uint8_t bytes[FGFC_FRAME_BYTES];
	const uint8_t *got;

	port.guarded = _i;
	ends_reopen();
	fgfc_make(bytes);
	ck_assert(send_bytes(&a, bytes, sizeof(bytes), sizeof(bytes), 0, 5));
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
	ck_assert_uint_eq(header.captured_bytes, sizeof(bytes));
	ck_assert_mem_eq(got, bytes, sizeof(bytes));
	link_reject(&b.link, &header);
	settle();
	ck_assert_uint_eq(a.seen, _i);
}

/* ---- PFC and PAUSE, ICRC ---- */

static const uint8_t port_mac[6] = { 0x02, 0x48, 0xff, 0x00, 0x01, 0x02 };

static void pause_expect(struct end *from, struct end *to, const struct pause_frame *pause)
{
	uint8_t bytes[PAUSE_FRAME_BYTES], seen[PAUSE_FRAME_BYTES + 8];
	struct pause_frame got_frame;
	const uint8_t *got;

	pause_frame_write(pause, port_mac, bytes);
	link_send_pause(&from->link, now_ps - LEAD, bytes, sizeof(bytes));
	link_flush(&from->link, &(bool){ 0 });
	carrier_outlet(&from->carrier, now_ps + NODE_US);
	ck_assert_int_eq(recv(to->socket, seen, sizeof(seen), MSG_PEEK), (int)sizeof(bytes));
	ck_assert_mem_eq(seen, bytes, sizeof(bytes));
	carry();
	got = receive(to);
	ck_assert_uint_eq(header.kind, RECORD_PAUSE);
	ck_assert_uint_eq(header.wire_bytes, sizeof(bytes) + FRAME_FCS_BYTES);
	ck_assert_int_eq(pause_frame_read(got, header.captured_bytes, &got_frame), 0);
	ck_assert_mem_eq(&got_frame, pause, sizeof(*pause));
	ck_assert(nothing_there(to));
}

/* RC-5: standard frames on the veth, in both directions; _i: at a fabric port */
TEST_RANGE(carrier_intake__pause_frames_are_standard, 0, 2)
{
	static const struct pause_frame pfc = { .enabled = 8, .quanta = { [3] = 65535 } };
	static const struct pause_frame pause = { .port = true, .quanta = { 100 } };

	setup_roce(_i);
	pause_expect(&a, &b, &pfc);
	pause_expect(&b, &a, &pfc);
	pause_expect(&a, &b, &pause);
	pause_expect(&b, &a, &pause);
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD) + drops(&b, DROP_BAD_RECORD) +
				  drops(&b, DROP_MALFORMED),
			  0);
}

/* A pause frame from a program of a host remains a packet: it does not pause the link. In a fabric
 * without PFC no frame pauses anything. _i: the latter. */
TEST_RANGE(carrier_intake__pause_of_a_host_is_a_packet, 0, 2)
{
	static const struct pause_frame pfc = { .enabled = 8, .quanta = { [3] = 65535 } };
	uint8_t bytes[PAUSE_FRAME_BYTES];
	const uint8_t *got;

	if (!_i)
		setup_roce(0);
	pause_frame_write(&pfc, port_mac, bytes);
	ck_assert(send_bytes(&a, bytes, sizeof(bytes), sizeof(bytes), 0, 5));
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
	ck_assert_mem_eq(got, bytes, sizeof(bytes));
	ck_assert_uint_eq(header.captured_bytes, sizeof(bytes));
}

/* a roce fabric has no FGFC: a frame that looks like it is a packet */
TEST(carrier_intake__fgfc_is_a_packet_in_roce)
{
	uint8_t bytes[FGFC_FRAME_BYTES];

	setup_roce(0);
	fgfc_make(bytes);
	ck_assert(send_bytes(&a, bytes, sizeof(bytes), sizeof(bytes), 0, 5));
	carry();
	ck_assert_mem_eq(receive(&b), bytes, sizeof(bytes));
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
}

/* RC-4: the generated frame has the ICRC of its bytes on the wire; _i: kind, port, guard */
TEST_RANGE(carrier_outlet__icrc_is_of_the_wire, 0, 8)
{
	enum frame_kind kind = _i & 1 ? FRAME_ROCE_IPV6 : FRAME_ROCE;
	uint8_t sent[FRAME_HEADERS_MAX], whole[1000];
	uint32_t captured;
	const uint8_t *got;

	if (_i & 2)
		setup_roce(1);
	port.guarded = _i & 4;
	ends_reopen();
	captured = frame_make(kind, 1000, 1, 7, sent);
	send_bytes(&a, sent, captured, 1000, 1, 7);
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.captured_bytes, 1000);
	ck_assert_mem_eq(got, sent, captured);
	ck_assert(roce_icrc_holds(got, 1000, 1000));
	memcpy(whole, sent, captured);
	roce_complete(whole, captured, 1000);
	ck_assert_mem_eq(got, whole, 1000);
}

/* after a fabric header too; a frame that is captured whole is sent unchanged */
TEST(carrier_outlet__icrc_in_fabric)
{
	uint8_t sent[FABRIC_FRONT_BYTES + 1000];
	uint32_t captured;
	const uint8_t *got;

	be_fabric_link();
	fabric_frame_make(1000, 3, 5, sent);
	captured =
		FABRIC_FRONT_BYTES + frame_make(FRAME_ROCE, 1000, 3, 5, sent + FABRIC_FRONT_BYTES);
	send_bytes(&a, sent, captured, 1000, 3, 5);
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.captured_bytes, sizeof(sent));
	ck_assert_mem_eq(got, sent, captured);
	ck_assert(roce_icrc_holds(got + FABRIC_FRONT_BYTES, 1000, 1000));
	link_reject(&b.link, &header);
	memset(sent + captured, 0, sizeof(sent) - captured);
	send_bytes(&a, sent, sizeof(sent), 1000, 3, 5);
	carry();
	got = receive(&b);
	ck_assert_mem_eq(got, sent, sizeof(sent));
	ck_assert(!roce_icrc_holds(got + FABRIC_FRONT_BYTES, 1000, 1000));
}

/* A lost FGFC frame is not reported; the frames before and after it are correct. */
TEST(carrier_guard__lost_fgfc_is_not_reported)
{
	uint8_t bytes[FGFC_FRAME_BYTES];
	uint32_t got = 0, fgfc = 0;

	port.guarded = true;
	port.loss_ppb = 300000000;
	ends_reopen();
	fgfc_make(bytes);
	for (uint32_t i = 0; i < 200; i++) {
		send_packet(&a, 200, 0, i);
		link_send_fgfc(&a.link, now_ps - LEAD, bytes, sizeof(bytes));
		carry();
		while (!nothing_there(&b)) {
			if (!receive(&b))
				continue;
			got += header.kind == RECORD_PACKET;
			fgfc += header.kind == RECORD_FGFC;
			if (header.kind == RECORD_PACKET)
				link_reject(&b.link, &header);
		}
		settle();
	}
	ck_assert_uint_eq(a.seen, got);
	ck_assert_uint_eq(a.lost, 200 - got);
	ck_assert(fgfc > 100 && fgfc < 180);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}
