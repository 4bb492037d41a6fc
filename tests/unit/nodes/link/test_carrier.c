/*  nodes/link/carrier: frames arrive as they were sent, in order. XOFF, the guard and control words
 *  work as over shared memory. Also: a full socket, a full ring, malformed bytes (TB-3, TB-4,
 *  TB-23).
 *
 *  Only packet sockets keep an 802.1Q tag beside the frame. So that is tested over a real veth
 *  pair, where the kernel allows a network namespace. */
#include "nodes/link/link_send.h"
#include "tests/unit/nodes/link/carrier_ends.h"

/* ---- to the socket ---- */

TEST_GROUP(carrier, .setup = setup, .teardown = ends_close, .timeout_s = 60);

/* a descriptor of nothing, and one of no socket */
TEST(carrier_init__no_socket)
{
	struct carrier carrier = { 0 };
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(carrier_init(&carrier, -1, &config, 0, a.stats->drops), -EBADF);
	carrier_fini(&carrier);
	ck_assert_int_eq(carrier_init(&carrier, ends[0], &config, 0, a.stats->drops), -ENOTSOCK);
	carrier_fini(&carrier);
	close(ends[0]);
	close(ends[1]);
}

/* a record is sent once its first bit has arrived */
TEST(carrier_outlet__sends_after_the_delay)
{
	node_time_t at = now_ps;

	ck_assert_uint_eq(carrier_outlet(&a.carrier, at), NODE_TIME_NEVER);
	send_packet(&a, 100, 0, 1);
	link_flush(&a.link, &(bool){ 0 });
	ck_assert_uint_eq(carrier_outlet(&a.carrier, at - 1), at);
	carrier_intake(&b.carrier, at);
	ck_assert(nothing_there(&b));
	ck_assert_uint_eq(carrier_outlet(&a.carrier, at), NODE_TIME_NEVER);
	carrier_intake(&b.carrier, at + 7);
	ck_assert_ptr_nonnull(receive(&b));
	ck_assert_uint_eq(header.at_ps, at + 7);
}

/* on the veth an edge frame is the plain frame, at its full length */
TEST(carrier_outlet__edge_frame_is_standard)
{
	uint8_t expected[1500] = { 0 }, got[2000];

	frame_make(FRAME_IPV6, 1500, 2, 9, expected);
	send_bytes(&a, expected, frame_headers_bytes(FRAME_IPV6), 1500, 2, 9);
	link_flush(&a.link, &(bool){ 0 });
	carrier_outlet(&a.carrier, now_ps);
	ck_assert_int_eq(recv(b.socket, got, sizeof(got), 0), 1500);
	ck_assert_mem_eq(got, expected, 1500);
}

/* A local socket accepts a few datagrams only. The others wait, none is lost, and the ring
 * fills. */
TEST(carrier_outlet__full_socket_loses_nothing)
{
	uint32_t sent = 0, got = 0;

	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	while (link_may_send(&a.link)) {
		send_packet(&a, 256, 0, sent++);
		now_ps += (256 + 4 + 20) * 40;
	}
	link_flush(&a.link, &(bool){ 0 });
	ck_assert_uint_gt(sent, 200);
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), now_ps + CARRIER_RETRY_PS);
	while (got < sent) {
		carrier_intake(&b.carrier, now_ps);
		for (; !nothing_there(&b); got++)
			ck_assert_uint_eq(packet_number(receive(&b), 256), got);
		carrier_outlet(&a.carrier, now_ps);
	}
	ck_assert(link_unstarve(&a.link));
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
}

/* The other end is closed: the ring does not keep frames for ever, and each one is counted. */
TEST(carrier_outlet__closed_peer_is_counted)
{
	close(b.socket);
	b.socket = -1;
	for (uint32_t i = 0; i < 3; i++)
		send_packet(&a, 100, 0, i);
	carry();
	ck_assert_uint_eq(drops(&a, DROP_LINK_DOWN), 3);
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
}

/* consecutive control words share a frame, and keep their order among frames */
TEST(carrier_outlet__words_share_a_frame)
{
	uint8_t bytes[2000];
	struct word_frame_word words[WORD_FRAME_WORDS_MAX];

	for (uint32_t i = 0; i < 4; i++) {
		link_stop_set(&a.link, i % 2, i < 2);
		link_send_words(&a.link, now_ps - LEAD, false);
	}
	send_packet(&a, 100, 0, 0);
	link_stop_set(&a.link, 3, true);
	link_send_words(&a.link, now_ps, false);
	link_flush(&a.link, &(bool){ 0 });
	carrier_outlet(&a.carrier, now_ps + NODE_US);
	ck_assert_int_eq(
		word_frame_read(bytes, (uint32_t)recv(b.socket, bytes, sizeof(bytes), 0), words),
		4);
	ck_assert_uint_eq(words[1].kind, LINK_WORD_STOP);
	ck_assert_uint_eq(words[1].value, 3);
	ck_assert_uint_eq(words[3].value, 0);
	ck_assert_int_eq(recv(b.socket, bytes, sizeof(bytes), 0), 100);
	ck_assert_int_eq(
		word_frame_read(bytes, (uint32_t)recv(b.socket, bytes, sizeof(bytes), 0), words),
		1);
	ck_assert_int_eq(recv(b.socket, bytes, sizeof(bytes), 0), -1);
}

/* ---- from the socket ---- */

/* every kind of host frame in each class; a class beyond the configured ones becomes the last
 * one */
TEST(carrier_intake__edge_frames_pass_unchanged)
{
	for (uint32_t kind = 0; kind < FRAME_KINDS; kind++) {
		for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++) {
			uint32_t clamped = c < CLASSES ? c : CLASSES - 1, captured;
			uint8_t sent[1000] = { 0 };
			const uint8_t *got;

			captured = frame_make(kind, 1000, c, 7, sent);
			send_bytes(&a, sent, captured, 1000, clamped, 7);
			roce_complete(sent, captured, 1000);
			carry();
			got = receive(&b);
			ck_assert_ptr_nonnull(got);
			ck_assert_uint_eq(header.kind, RECORD_PACKET);
			ck_assert_uint_eq(header.traffic_class, clamped);
			ck_assert_uint_eq(header.captured_bytes, 1000);
			ck_assert_uint_eq(link_frame_bytes(&b.link, header.wire_bytes), 1000);
			ck_assert_mem_eq(got, sent, 1000);
			ck_assert_uint_eq(packet_number(got, 1000), 7);
			link_reject(&b.link, &header);
			settle();
		}
	}
	ck_assert_uint_eq(drops(&a, DROP_BAD_RECORD) + drops(&b, DROP_BAD_RECORD), 0);
}

TEST(carrier_intake__shortest_and_longest)
{
	static const uint32_t lengths[] = { 14, 42, 60, 9216 };
	static uint8_t sent[9216];

	memcpy(sent, (uint8_t[]){ 2, 0x48, 0, 0, 0, 1, 2, 0x48, 0, 0, 0, 2, 0x90, 0 }, 14);
	memset(sent + 14, 0xa5, sizeof(sent) - 14);
	for (uint32_t i = 0; i < 4; i++) {
		send_bytes(&a, sent, lengths[i], lengths[i], 0, i);
		carry();
		ck_assert_mem_eq(receive(&b), sent, lengths[i]);
		ck_assert_uint_eq(header.wire_bytes, lengths[i] + 4);
		ck_assert_uint_eq(header.captured_bytes, lengths[i]);
		link_reject(&b.link, &header);
	}
}

/* A host's frame with the EtherType of links is delivered like any other. It is no control word. */
TEST(carrier_intake__word_of_a_host_is_a_packet)
{
	uint8_t bytes[100] = { 0 };
	struct word_frame_word word = { .kind = LINK_WORD_STOP, .value = 5 };

	for (uint32_t guarded = 0; guarded < 2; guarded++) {
		port.guarded = guarded;
		ends_reopen();
		word_frame_start(a.carrier.envelope, bytes);
		word_frame_add(bytes, &word);
		send_bytes(&a, bytes, 26, 26, 0, 0);
		bytes[14] = 4 << 4;
		send_bytes(&a, bytes, 100, 100, 0, 0);
		carry();
		ck_assert_ptr_nonnull(receive(&b));
		ck_assert_uint_eq(header.captured_bytes, 26);
		ck_assert_mem_eq(receive(&b), bytes, 100);
		ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
		link_reject(&b.link, &header);
	}
}

TEST(carrier_intake__fabric_frames_pass_unchanged)
{
	uint8_t expected[FABRIC_FRONT_BYTES + 1000] = { 0 };
	const uint8_t *got;

	be_fabric_link();
	fabric_frame_make(1000, 3, 5, expected);
	send_packet(&a, 1000, 3, 5);
	carry();
	got = receive(&b);
	ck_assert_uint_eq(header.kind, RECORD_PACKET);
	ck_assert_uint_eq(header.traffic_class, 3);
	ck_assert_uint_eq(header.wire_bytes, 1016);
	ck_assert_uint_eq(header.captured_bytes, sizeof(expected));
	ck_assert_mem_eq(got, expected, sizeof(expected));
}

TEST(carrier_intake__ack_frames_pass_unchanged)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];

	be_fabric_link();
	for (uint32_t count = 1; count <= ACK_FRAME_ACKS_MAX; count++) {
		const uint8_t *got;

		send_acks(&a, count);
		carry();
		got = receive(&b);
		ck_assert_uint_eq(header.kind, RECORD_ACKS);
		ck_assert_uint_eq(header.wire_bytes, ack_frame_wire_bytes(count));
		ck_assert_int_eq(ack_frame_read(got, header.captured_bytes, acks), (int)count);
	}
}

/* many frames in both directions at once, with XOFF in time: nothing is lost, order is kept */
TEST_RANGE(carrier_intake__xoff_in_time_loses_nothing, 0, 2)
{
	uint32_t sent = 0, got = 0, stopped_rounds = 0;

	if (_i)
		be_fabric_link();
	for (uint32_t round = 0; got < 2000; round++) {
		for (uint32_t i = 0; i < 16 && !link_stopped(&a.link, sent % CLASSES); i++, sent++)
			send_packet(&a, 700, sent % CLASSES, sent);
		stopped_rounds += sent == got;
		link_stop_set(&b.link, round % CLASSES, round % (2 * CLASSES) < CLASSES);
		send_packet(&b, 700, 0, 1);
		carry();
		receive_all(&a);
		while (!nothing_there(&b)) {
			const uint8_t *bytes = receive(&b);

			if (!bytes)
				continue;
			ck_assert_uint_eq(
				packet_number(
					bytes + (port.kind == PORT_FABRIC ? FABRIC_FRONT_BYTES : 0),
					700),
				got++);
			link_reject(&b.link, &header);
		}
		link_send_words(&a.link, now_ps, true);
		link_send_words(&b.link, now_ps, true);
		carry();
	}
	settle();
	ck_assert_uint_gt(stopped_rounds, 10);
	for (uint32_t r = 0; r < DROP_REASONS; r++)
		ck_assert_msg(!drops(&a, r) && !drops(&b, r), "%s", stats_drop_name[r]);
}

/* the ring is full: frames wait in the socket, and arrive when there is space */
TEST(carrier_intake__full_ring_loses_nothing)
{
	uint32_t sent = 0, got = 0;

	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	for (; sent < 60; sent++)
		send_packet(&a, 9000, 0, sent);
	carry();
	ck_assert(carrier_intake(&b.carrier, now_ps)); /* 60 times 9 kB exceed 128 kB */
	ck_assert(!ring_has_room(&b.carrier.rx));
	while (got < sent) {
		while (!nothing_there(&b))
			ck_assert_uint_eq(packet_number(receive(&b), 9000), got++);
		carry();
	}
	ck_assert(!carrier_intake(&b.carrier, now_ps));
}

/* ---- guard ---- */

/* TB-4: losses on the link and frames removed from the veth are detected and reported */
TEST_RANGE(carrier_guard__losses_are_reported, 0, 2)
{
	uint8_t bytes[2000];

	if (_i)
		be_fabric_link();
	port.guarded = true;
	ends_reopen();
	send_packet(&a, 300, 0, 1);
	a.link.loss.any = true;
	a.link.loss.ppb = 1000000000;
	ck_assert(!send_packet(&a, 300, 0, 2));
	a.link.loss.any = false;
	a.link.loss.ppb = 0;
	send_packet(&a, 300, 0, 3);
	carry();
	ck_assert_uint_eq(receive_all(&b), 2);
	send_packet(&a, 300, 0, 4);
	link_flush(&a.link, &(bool){ 0 });
	now_ps += NODE_US;
	carrier_outlet(&a.carrier, now_ps);
	/* a frame is removed from the veth */
	ck_assert_int_gt(recv(b.socket, bytes, sizeof(bytes), 0), 300);
	settle();
	ck_assert_uint_eq(a.lost, 2);
	ck_assert_uint_eq(a.lost_tags, 1 << 2 | 1 << 4);
	ck_assert_uint_eq(a.seen, 2);
}

TEST(carrier_guard__lost_ack_frame_is_reported)
{
	uint8_t bytes[2000];

	be_fabric_link();
	port.guarded = true;
	ends_reopen();
	send_acks(&a, 3);
	link_flush(&a.link, &(bool){ 0 });
	now_ps += NODE_US;
	carrier_outlet(&a.carrier, now_ps);
	ck_assert_int_eq(recv(b.socket, bytes, sizeof(bytes), 0),
			 FABRIC_ENVELOPE_BYTES + (int)ack_frame_wire_bytes(3) + 4);
	send_acks(&a, 5);
	carry();
	ck_assert_ptr_nonnull(receive(&b));
	ck_assert_uint_eq(header.wire_bytes, ack_frame_wire_bytes(5));
	ck_assert_uint_eq(header.sequence, 1);
	settle();
	ck_assert_uint_eq(a.acks_lost, 1);
}

/* one in five is lost: every frame is either delivered or reported lost, never both */
TEST(carrier_guard__every_frame_is_accounted_for)
{
	uint32_t got = 0;

	port.guarded = true;
	port.loss_ppb = 200000000;
	ends_reopen();
	for (uint32_t i = 0; i < 500; i++) {
		send_packet(&a, 200, 0, i);
		if (i % 8)
			continue;
		carry();
		got += receive_all(&b);
		settle();
	}
	carry();
	got += receive_all(&b);
	settle();
	ck_assert_uint_eq(a.seen, got);
	ck_assert_uint_eq(a.lost, 500 - got);
	ck_assert_uint_gt(a.lost, 50);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD), 0);
}

/* ---- malformed frames ---- */

static void inject(const void *bytes, uint32_t length)
{
	ck_assert_int_eq(send(a.socket, bytes, length, 0), length);
	carrier_intake(&b.carrier, now_ps);
}

TEST_RANGE(carrier_intake__malformed_is_dropped, 0, 2)
{
	uint8_t bytes[9700] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5 };
	uint32_t count = 0;

	if (_i)
		be_fabric_link();
	inject(bytes, 5);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	for (uint32_t type = 0; type < 16; type++) {
		if (type == 4 || (port.kind == PORT_FABRIC && type == FABRIC_TYPE_DATA))
			continue;
		bytes[14] = (uint8_t)(type << 4);
		inject(bytes, 20); /* unknown types, or cut short */
		ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	}
	bytes[14] = 4 << 4 | 1; /* of another version */
	inject(bytes, 60);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	/* an unknown class; on an edge link an unknown type */
	bytes[14] = FABRIC_TYPE_DATA << 4 | CLASSES;
	inject(bytes, 60);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	bytes[14] = FABRIC_TYPE_DATA << 4; /* without a frame */
	inject(bytes, FABRIC_FRONT_BYTES);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), ++count);
	inject(bytes, sizeof(bytes));
	ck_assert_uint_eq(drops(&b, DROP_OVERSIZE), 1);
	ck_assert(nothing_there(&b));
	ck_assert(!b.link.rx.ring.broken);
}

TEST(carrier_intake__longest_that_the_ring_takes)
{
	static uint8_t bytes[RING_CAPTURED_MAX + 8] = {
		2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x90, 0
	};

	inject(bytes, RING_CAPTURED_MAX - 4);
	ck_assert_ptr_nonnull(receive(&b));
	for (uint32_t length = RING_CAPTURED_MAX - 3; length < sizeof(bytes); length++)
		inject(bytes, length);
	ck_assert_uint_eq(drops(&b, DROP_OVERSIZE), 11);
	ck_assert(nothing_there(&b));
	ck_assert(!b.link.rx.ring.broken);
}

/* Frames of random length and bytes, and real ones with some bytes changed: the ring never breaks,
 * and the next frame passes. */
TEST_RANGE(carrier_intake__random_bytes_are_harmless, 0, 4)
{
	struct random random;

	port.guarded = _i & 1;
	port.kind = _i & 2 ? PORT_FABRIC : PORT_EDGE;
	port.buffer_units = port.stop_units = 0;
	ends_reopen();
	random_init(&random, 11, (uint64_t)_i);
	for (uint32_t round = 0; round < 20000; round++) {
		uint32_t length = 1 + (uint32_t)random_below(&random, 400), changes = 0;
		uint8_t bytes[400 + LINK_ACK_BYTES_MAX] = { 0 };

		switch (random_below(&random, 4)) {
		case 0:
			changes = length;
			break;
		case 1:
			fabric_frame_make(300, 0, 0, bytes);
			break;
		case 2:
			ack_frame_make(1 + (uint32_t)random_below(&random, 48), bytes);
			break;
		default:
			word_frame_start(a.carrier.envelope, bytes);
			bytes[15] = (uint8_t)random_below(&random, 40);
			length = WORD_FRAME_FRONT_BYTES + 8u * bytes[15];
		}
		changes += (uint32_t)random_below(&random, 8);
		for (uint32_t i = 0; i < changes; i++)
			bytes[random_below(&random, length)] = (uint8_t)random_next(&random);
		inject(bytes, length);
		receive_all(&b);
		ck_assert(!b.link.rx.ring.broken);
	}
	ck_assert_uint_gt(drops(&b, DROP_MALFORMED), 1000);
	b.link.rx.sequence_expected = b.link.guard.seen_told = a.link.tx.sequence;
	send_packet(&a, 100, 0, 1);
	carry();
	ck_assert_uint_eq(receive_all(&b), 1);
}

/* ---- a real veth ---- */

static int packet_socket(const char *device)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(0x0003 /* all */) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);

	address.sll_ifindex = (int)if_nametoindex(device);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Opens both ends again, over a veth pair in a namespace of this process.  Return: false if the
 * kernel allows none. */
static bool ends_reopen_veth(void)
{
	if ((unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET)) ||
	    system("ip link add v0 mtu 9300 type veth peer name v1 mtu 9300 && "
		   "ip link set v0 addrgenmode none up && ip link set v1 addrgenmode none up"))
		return false;
	/* an end drops frames (qdisc noop) until the kernel has noticed its carrier */
	if (system("while ip link show v0 | grep -q noop || ip link show v1 | grep -q noop; do "
		   "sleep 0.01; done"))
		return false;
	ends_close();
	end_open(&a, packet_socket("v0"));
	end_open(&b, packet_socket("v1"));
	return true;
}

/* TB-3: tagged and untagged frames pass unchanged; none returns to its sender */
TEST_RANGE(carrier__frames_pass_a_veth_unchanged, 0, 2)
{
	port.guarded = _i & 1;
	if (!ends_reopen_veth()) {
		fprintf(stderr, "skipped %s: no network namespace or no ip\n", __func__);
		return;
	}
	ck_assert_uint_le(carrier_device_mtu(&port), 9300);
	for (uint32_t c = 0; c < CLASSES; c++) {
		uint8_t sent[9216] = { 0 };

		send_bytes(&a, sent, frame_make(FRAME_ETHERNET, 9216, c, c, sent), 9216, c, c);
		do /* the kernel delivers at its own time; the time limit ends a hang */
			carry();
		while (nothing_there(&b));
		ck_assert_mem_eq(receive(&b), sent, sizeof(sent));
		ck_assert_uint_eq(header.traffic_class, c);
		ck_assert_uint_eq(header.captured_bytes, sizeof(sent));
		ck_assert(nothing_there(&a));
		link_reject(&b.link, &header);
	}
	do
		settle();
	while (port.guarded && a.seen < CLASSES);
	ck_assert_uint_eq(b.link.rx.held_units[1], 0);
	ck_assert_uint_eq(a.seen, port.guarded ? CLASSES : 0);
	ck_assert_uint_eq(drops(&b, DROP_BAD_RECORD) + drops(&b, DROP_MALFORMED), 0);
}
