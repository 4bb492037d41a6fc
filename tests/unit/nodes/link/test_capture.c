/*  nodes/link/capture: which bytes of a frame are written to the file, in which order, when, and
 *  what happens if a write fails (TB-19). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nodes/link/capture.h"
#include "nodes/link/link.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/pcapng.h"
#include "nodes/wire/roce_frame.h"
#include "tests/testing.h"
#include "tests/unit/nodes/config/example_config.h"

#define RATE_BPS 200000000000ull
#define LATENCY_PS (350 * NODE_NS)
#define REACH_PS (RING_CAPTURED_MAX * 40ull) /* the longest frame at 200 Gb/s: 384 ns */
#define FRAMES_MAX 4096

static struct node_config config;
static struct capture capture;
static uint64_t error_told;
static int file, file_kept; /* a duplicate: the capture closes its own */
static uint8_t frame_bytes[RING_CAPTURED_MAX];

/* a frame as it is found in the file */
static struct found {
	uint64_t stamp_ns;
	uint32_t kept_bytes, frame_bytes;
	bool inbound, lost;
	const uint8_t *bytes;
} found[FRAMES_MAX];
static uint32_t found_count;
static uint8_t content[8u << 20];

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* reads every block of the file; the last one must end where the file ends */
static void file_read(void)
{
	ssize_t length = pread(file_kept, content, sizeof(content), 0);
	const uint8_t *at = content;

	found_count = 0;
	ck_assert_int_ge(length, 0);
	while (at < content + length) {
		uint32_t kept = word(at + 20), options = 28 + (kept + 3) / 4 * 4;

		ck_assert_uint_lt(found_count, FRAMES_MAX);
		ck_assert_uint_eq(word(at), 6);
		ck_assert_uint_eq(word(at + 4), pcapng_block_before(at + word(at + 4)));
		found[found_count++] = (struct found){ .stamp_ns = pcapng_packet_stamp(at),
						       .kept_bytes = kept,
						       .frame_bytes = word(at + 24),
						       .lost = (word(at + options) & 0xffff) == 1,
						       .inbound = at[word(at + 4) - 12] == 1,
						       .bytes = at + 28 };
		at += word(at + 4);
	}
	ck_assert_ptr_eq(at, content + length);
}

/* port 0 is an edge port, port 1 a fabric port */
static void begin(uint32_t port, uint32_t kept_bytes)
{
	config.ports[port].capture_bytes = kept_bytes;
	ck_assert_int_eq(capture_init(&capture, file, &config, port, &error_told), 0);
}

static void setup(void)
{
	example_node(&config, NODE_SWITCH, 2);
	config.switch_.latency_ps = LATENCY_PS;
	file = memfd_create("capture", 0);
	file_kept = dup(file);
	error_told = 0;
	for (uint32_t i = 0; i < sizeof(frame_bytes); i++)
		frame_bytes[i] = (uint8_t)(i + 1);
}

static void teardown(void)
{
	node_config_free(&config);
	close(file_kept);
}

static void take(node_time_t now, node_time_t at_ps, bool inbound)
{
	const struct capture_frame frame = { .at_ps = at_ps,
					     .wire_bytes = 64,
					     .captured_bytes = 60,
					     .kind = RECORD_PACKET,
					     .inbound = inbound };

	capture_take(&capture, now, &frame, frame_bytes);
}

static void take_kind(enum record_kind kind, uint32_t wire_bytes, uint32_t captured_bytes)
{
	const struct capture_frame frame = { .wire_bytes = wire_bytes,
					     .captured_bytes = captured_bytes,
					     .kind = kind };

	capture_take(&capture, 0, &frame, frame_bytes);
}

TEST_GROUP(capture, .setup = setup, .teardown = teardown);

/* ---- which bytes ---- */

TEST(take__lengths_at_an_edge)
{
	begin(0, NODE_CAPTURE_WHOLE);
	take_kind(RECORD_PACKET, 104, 100);
	take_kind(RECORD_PACKET, 4100, 48); /* generated: the rest is zeros */
	take_kind(RECORD_FGFC, 96, 92);
	take_kind(RECORD_PAUSE, 64, 60);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found_count, 4);
	ck_assert_uint_eq(found[0].frame_bytes, 100);
	ck_assert_uint_eq(found[1].frame_bytes, 4096);
	ck_assert_uint_eq(found[1].kept_bytes, 4096);
	ck_assert_mem_eq(found[1].bytes, frame_bytes, 48);
	for (uint32_t i = 48; i < 4096; i++)
		ck_assert_uint_eq(found[1].bytes[i], 0);
	ck_assert_uint_eq(found[2].frame_bytes, 92);
	ck_assert_uint_eq(found[3].frame_bytes, 60);
}

TEST(take__lengths_on_a_fabric_link)
{
	begin(1, NODE_CAPTURE_WHOLE);
	take_kind(RECORD_PACKET, 12 + 1000 + 4, FABRIC_FRONT_BYTES + 48);
	take_kind(RECORD_ACKS, 13, 27); /* its FCS is captured */
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found[0].frame_bytes, FABRIC_FRONT_BYTES + 1000);
	ck_assert_uint_eq(found[1].frame_bytes, 27);
	ck_assert_uint_eq(found[1].kept_bytes, 27);
}

TEST(take__snap)
{
	begin(0, 50);
	take_kind(RECORD_PACKET, 104, 100);
	take_kind(RECORD_PACKET, 1004, 48);
	take_kind(RECORD_PACKET, 44, 40);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found[0].kept_bytes, 50);
	ck_assert_uint_eq(found[0].frame_bytes, 100);
	ck_assert_uint_eq(found[1].kept_bytes, 50);
	ck_assert_uint_eq(found[1].frame_bytes, 1000);
	ck_assert_uint_eq(found[2].kept_bytes, 40);
}

/* A generated RoCEv2 frame is whole in the file, and its ICRC is right. If its end is not kept,
 * there is no ICRC. */
TEST_RANGE(take__roce, 0, 2)
{
	const struct frame_spec spec = { .kind = FRAME_ROCE,
					 .destination = 1,
					 .frame_bytes = 1000 };
	const struct frame_payload payload = { .message_bytes = 100, .payload_bytes = 100 };
	struct capture_frame frame = { .wire_bytes = 1004, .kind = RECORD_PACKET };
	uint32_t port = (uint32_t)_i, front = port ? FABRIC_FRONT_BYTES : 0;

	frame.captured_bytes = front + frame_write(&spec, &payload, frame_bytes + front);
	frame.wire_bytes += port ? FABRIC_HEADER_BYTES : 0;
	begin(port, NODE_CAPTURE_WHOLE);
	capture_take(&capture, 0, &frame, frame_bytes);
	capture.kept_max = 999;
	capture_take(&capture, 0, &frame, frame_bytes);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found[0].frame_bytes, front + 1000);
	ck_assert_uint_ne(word(found[0].bytes + front + 996), 0);
	ck_assert(roce_icrc_holds(found[0].bytes + front, 1000, 1000));
	ck_assert_uint_eq(found[1].kept_bytes, 999);
	ck_assert_uint_eq(word(found[1].bytes + 995), 0);
}

TEST(take__lengths_are_bounded)
{
	begin(0, NODE_CAPTURE_WHOLE);
	take_kind(RECORD_PACKET, 3, 60);
	take_kind(RECORD_PACKET, 50, 60);
	take_kind(RECORD_PACKET, UINT32_MAX, 60);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found[0].frame_bytes, 60);
	ck_assert_uint_eq(found[1].frame_bytes, 60);
	ck_assert_uint_eq(found[2].frame_bytes, UINT32_MAX - 4);
	ck_assert_uint_eq(found[2].kept_bytes, RING_CAPTURED_MAX + FABRIC_ENVELOPE_BYTES);
}

TEST(sending__bytes_are_captured_when_they_are_written)
{
	struct capture_frame frame = {
		.at_ps = 5000, .wire_bytes = 64, .captured_bytes = 60, .kind = RECORD_PACKET
	};
	uint8_t place[60], *lost;

	begin(0, NODE_CAPTURE_WHOLE);
	ck_assert_ptr_eq(capture_sending(&capture, 0, &frame, place), place);
	memset(place, 'a', sizeof(place));
	capture_settle(&capture);
	memset(place, 0, sizeof(place));
	frame.lost = true;
	lost = capture_sending(&capture, 0, &frame, NULL);
	memset(lost, 'b', 60);
	take(0, 5000, true);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found_count, 3);
	ck_assert(found[0].bytes[59] == 'a' && !found[0].lost && !found[0].inbound);
	ck_assert(found[1].bytes[59] == 'b' && found[1].lost && !found[1].inbound);
	ck_assert(!found[2].lost && found[2].inbound);
}

/* ---- when ---- */

TEST(order__received_later_but_passed_earlier)
{
	begin(0, NODE_CAPTURE_WHOLE);
	take(1000000, 1350000, false);
	take(1010000, 1420000, false);
	take(1100000, 900000, true);
	take(1400000, 1350000, true); /* at the same time as the first: after it */
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found[0].stamp_ns, 900);
	ck_assert_uint_eq(found[1].stamp_ns, 1350);
	ck_assert(!found[1].inbound);
	ck_assert_uint_eq(found[2].stamp_ns, 1350);
	ck_assert(found[2].inbound);
	ck_assert_uint_eq(found[3].stamp_ns, 1420);
}

TEST(order__late_frame_is_stamped_after_the_written_ones)
{
	begin(0, NODE_CAPTURE_WHOLE);
	take(10 * NODE_US, 10 * NODE_US, false);
	take(10 * NODE_US, NODE_US, true);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found[0].stamp_ns, (10 * NODE_US - REACH_PS) / NODE_NS);
	ck_assert_uint_eq(found[1].stamp_ns, 10000);
}

/* Sent and received frames alternate, over several buffers: stamps are unchanged and in order. */
TEST(order__kept_over_several_buffers)
{
	uint32_t count = 3 * CAPTURE_WRITE_BYTES / 4096;
	off_t first;

	begin(0, NODE_CAPTURE_WHOLE);
	for (uint32_t i = 0; i < count; i++) {
		const struct capture_frame in = { .at_ps = 200 * NODE_NS * (i + 1),
						  .wire_bytes = 4000,
						  .captured_bytes = 100,
						  .kind = RECORD_PACKET,
						  .inbound = true };
		node_time_t now = in.at_ps + 160 * NODE_NS;

		capture_take(&capture, now, &in, frame_bytes);
		take(now, now + LATENCY_PS, false);
	}
	first = lseek(file_kept, 0, SEEK_END);
	ck_assert_int_ge(first, CAPTURE_WRITE_BYTES);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found_count, 2 * count);
	for (uint32_t i = 0, in = 0, out = 0; i < found_count; i++) {
		if (i)
			ck_assert_uint_ge(found[i].stamp_ns, found[i - 1].stamp_ns);
		if (found[i].inbound)
			ck_assert_uint_eq(found[i].stamp_ns, 200 * ++in);
		else
			ck_assert_uint_eq(found[i].stamp_ns, 200 * ++out + 160 + 350);
	}
	ck_assert_uint_eq(error_told, 0);
}

/* With a latency of 1 s, more frames are sent than the buffer holds before the first one leaves.
 * Nothing is lost, and stamps do not go back. */
TEST(order__full_buffer_loses_nothing)
{
	uint32_t count;

	config.switch_.latency_ps = NODE_S;
	begin(0, NODE_CAPTURE_WHOLE);
	ck_assert_uint_eq(capture.buffer->bytes_max, CAPTURE_WRITE_BYTES + CAPTURE_HOLD_MAX);
	capture.buffer->bytes_max = 5000; /* so that the test needs fewer frames */
	count = 100;
	for (uint32_t i = 0; i < count; i++) {
		take(NODE_US * i, NODE_US * i + NODE_S, false);
		take(NODE_US * i, NODE_US * i, true);
	}
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found_count, 2 * count);
	for (uint32_t i = 1; i < found_count; i++)
		ck_assert_uint_ge(found[i].stamp_ns, found[i - 1].stamp_ns);
}

/* Two links of a node, one file: what is sent only, by time, then by port, however late a frame is
 * told. */
TEST(order__links_of_a_node_share_a_file)
{
	const struct capture_frame sent = { .at_ps = LATENCY_PS + 5 * NODE_NS,
					    .wire_bytes = 64,
					    .captured_bytes = 60,
					    .kind = RECORD_PACKET };
	struct capture_frame received = sent;
	struct capture links[2];
	struct capture_buffer *buffer;
	uint8_t place[60];

	config.capture_sent_bytes = NODE_CAPTURE_WHOLE;
	buffer = capture_buffer_open(file, &config, &error_told);
	ck_assert_ptr_nonnull(buffer);
	for (uint32_t port = 0; port < 2; port++)
		capture_init_shared(&links[port], buffer, &config, port);
	received.inbound = true;
	/* its sender writes the bytes after the call; another link comes before this one is told
	 * more */
	ck_assert_ptr_eq(capture_sending(&links[1], 5 * NODE_NS, &sent, place), place);
	memset(place, 0x11, sizeof(place));
	capture_take(&links[0], 5 * NODE_NS, &received, frame_bytes);
	capture_take(&links[0], 5 * NODE_NS, &sent, frame_bytes);
	memset(place, 0xff, sizeof(place));
	ck_assert_uint_eq(capture_step(&links[0], LATENCY_PS + 5 * NODE_NS + CAPTURE_REST_PS),
			  NODE_TIME_NEVER);
	for (uint32_t port = 0; port < 2; port++)
		capture_fini(&links[port]);
	capture_buffer_close(buffer);
	file_read();
	ck_assert_uint_eq(found_count, 2);
	for (uint32_t port = 0; port < 2; port++) {
		ck_assert_uint_eq(pcapng_packet_interface(found[port].bytes - 28), port);
		ck_assert_uint_eq(found[port].stamp_ns, 355);
		ck_assert(!found[port].inbound);
	}
	ck_assert_uint_eq(found[1].bytes[0], 0x11);
}

/* what may still come in the same nanosecond, on a lower port, goes in front: so its blocks wait */
TEST(order__a_nanosecond_is_written_when_it_is_over)
{
	struct capture link;
	struct capture_buffer *buffer;
	struct capture_frame frame = { .at_ps = CAPTURE_REST_PS,
				       .wire_bytes = 64,
				       .captured_bytes = 60,
				       .kind = RECORD_PACKET };

	config.capture_sent_bytes = NODE_CAPTURE_WHOLE;
	buffer = capture_buffer_open(file, &config, &error_told);
	capture_init_shared(&link, buffer, &config, 0);
	capture_take(&link, 0, &frame, frame_bytes);
	ck_assert_uint_eq(capture_step(&link, CAPTURE_REST_PS), 2 * CAPTURE_REST_PS);
	ck_assert_int_eq(lseek(file_kept, 0, SEEK_END), 0);
	ck_assert_uint_eq(capture_step(&link, 2 * CAPTURE_REST_PS), NODE_TIME_NEVER);
	ck_assert_int_gt(lseek(file_kept, 0, SEEK_END), 0);
	capture_fini(&link);
	capture_buffer_close(buffer);
}

/* ---- a tap ---- */

static struct ring_page *tap_page;
static struct ring_rx tap_ring;
static struct capture_frame tapped;
static node_time_t tapped_now;
static uint8_t tapped_bytes[RING_CAPTURED_MAX];
static uint32_t tapped_frames;

static void tap_begin(uint32_t kept_bytes)
{
	size_t bytes = ring_bytes(RING_BYTES_MIN);

	close(file); /* a ring has none */
	tap_page = aligned_alloc(RING_LINE, (bytes + RING_LINE - 1) / RING_LINE * RING_LINE);
	memset(tap_page, 0, bytes);
	ring_init(tap_page, RING_BYTES_MIN, RING_CAPTURED_MAX);
	ck_assert_int_eq(capture_init_tap(&capture, &config, 1, kept_bytes, tap_page, bytes), 0);
	ck_assert_int_eq(ring_rx_attach(&tap_ring, tap_page, bytes), 0);
}

static bool tap_next(void)
{
	ring_refresh(&tap_ring);
	return capture_tap_next(&tap_ring, &tapped_now, &tapped, tapped_bytes, &tapped_frames);
}

static void tap_end(void)
{
	capture_fini(&capture);
	free(tap_page);
}

/* received now, sent later: as they were taken; the time of the node never goes back */
TEST(tap__frames_as_they_were_taken)
{
	const struct capture_frame lost = { .at_ps = 9 * NODE_US,
					    .wire_bytes = 4100,
					    .captured_bytes = 60,
					    .kind = RECORD_PACKET,
					    .lost = true };
	uint8_t *place;

	tap_begin(NODE_CAPTURE_WHOLE);
	take(5 * NODE_US, 4 * NODE_US, true);
	place = capture_sending(&capture, 6 * NODE_US, &lost, NULL);
	ck_assert_ptr_nonnull(place);
	memset(place, 0x77, 60);
	ck_assert(tap_next());
	ck_assert_uint_eq(tapped_now, 5 * NODE_US);
	ck_assert_uint_eq(tapped.at_ps, 4 * NODE_US);
	ck_assert(tapped.inbound && !tapped.lost);
	ck_assert_mem_eq(tapped_bytes, frame_bytes, 60);
	ck_assert(!tap_next()); /* its sender may not have written it */
	capture_settle(&capture);
	ck_assert_uint_eq(capture_step(&capture, NODE_S), NODE_TIME_NEVER);
	ck_assert(tap_next());
	ck_assert_uint_eq(tapped.at_ps, 9 * NODE_US);
	ck_assert_uint_eq(tapped.wire_bytes, 4100);
	ck_assert_uint_eq(tapped.captured_bytes, 60);
	ck_assert(tapped.lost && !tapped.inbound);
	ck_assert_uint_eq(tapped_bytes[59], 0x77);
	ck_assert_uint_eq(tapped_frames, 2);
	tap_end();
}

TEST(tap__a_packet_is_cut_an_ack_frame_is_not)
{
	tap_begin(20);
	take_kind(RECORD_PACKET, 104, 100);
	take_kind(RECORD_ACKS, 30, 44);
	ck_assert(tap_next());
	ck_assert_uint_eq(tapped.captured_bytes, 20);
	ck_assert(tap_next());
	ck_assert_uint_eq(tapped.captured_bytes, 44);
	tap_end();
}

/* what does not fit is counted, and a gap in the numbers shows it to the reader */
TEST(tap__full_ring_counts)
{
	uint32_t fit = 0;

	tap_begin(NODE_CAPTURE_WHOLE);
	for (int i = 0; i < 1000; i++)
		take(NODE_US, NODE_US, true);
	while (tap_next())
		fit++;
	ck_assert_uint_gt(fit, 100);
	ck_assert_uint_eq(
		fit + capture.tap->missed_received.frames + capture.tap->missed_sent.frames, 1000);
	take(NODE_US, NODE_US, true);
	ck_assert(tap_next());
	ck_assert_uint_eq(tapped_frames, 1001);
	tap_end();
}

TEST(tap__no_ring)
{
	uint8_t nothing[sizeof(struct ring_page)] __attribute__((aligned(RING_LINE))) = { 0 };

	close(file);
	ck_assert_int_eq(capture_init_tap(&capture, &config, 1, 100, (struct ring_page *)nothing,
					  sizeof(nothing)),
			 -EINVAL);
}

TEST(init__buffer_holds_one_latency)
{
	begin(0, NODE_CAPTURE_WHOLE);
	/* 350 ns at 200 Gb/s are 8750 bytes; plus three of the longest frames, and 8 bytes of block
	 * overhead for each of the link */
	ck_assert_uint_eq(capture.buffer->bytes_max,
			  CAPTURE_WRITE_BYTES + 8 * (8750 + 3 * RING_CAPTURED_MAX));
	capture_fini(&capture);
}

TEST(step__writes_after_the_resting_time)
{
	begin(0, NODE_CAPTURE_WHOLE);
	capture_epoch(&capture, 1700000000000000000);
	ck_assert_uint_eq(capture_step(&capture, 5 * NODE_MS), NODE_TIME_NEVER);
	take(10 * NODE_MS, 10 * NODE_MS, true);
	ck_assert_uint_eq(capture_step(&capture, 11 * NODE_MS), 110 * NODE_MS);
	ck_assert_int_eq(lseek(file_kept, 0, SEEK_END), 0);
	ck_assert_uint_eq(capture_step(&capture, 110 * NODE_MS), NODE_TIME_NEVER);
	file_read();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(found[0].stamp_ns, 1700000000010000000);
	/* a frame that has not left yet waits for the next write */
	take(200 * NODE_MS, 301 * NODE_MS, false);
	ck_assert_uint_eq(capture_step(&capture, 300 * NODE_MS), 400 * NODE_MS);
	file_read();
	ck_assert_uint_eq(found_count, 1);
	ck_assert_uint_eq(capture_step(&capture, 400 * NODE_MS), NODE_TIME_NEVER);
	file_read();
	ck_assert_uint_eq(found_count, 2);
	capture_fini(&capture);
}

/* ---- failed writes ---- */

TEST(write__full_disk_ends_with_the_last_whole_block)
{
	struct rlimit limit;
	rlim_t limit_was;
	uint8_t place[60];
	const struct capture_frame frame = { .wire_bytes = 64, .captured_bytes = 60 };

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit_was = limit.rlim_cur;
	limit.rlim_cur = 1000;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	begin(0, NODE_CAPTURE_WHOLE);
	for (uint32_t i = 0; i < 100; i++)
		take(0, NODE_NS * i, true);
	ck_assert_uint_eq(capture_step(&capture, NODE_S), NODE_TIME_NEVER);
	limit.rlim_cur = limit_was; /* the results of this test are files, too */
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_uint_eq(error_told, EFBIG);
	file_read();
	ck_assert_uint_eq(found_count, 1000 / 104); /* a block is 28 + 60 + 8 + 4 + 4 */
	/* nothing more is written */
	take(NODE_S, NODE_S, true);
	ck_assert_ptr_eq(capture_sending(&capture, NODE_S, &frame, place), place);
	ck_assert_ptr_null(capture_sending(&capture, NODE_S, &frame, NULL));
	capture_settle(&capture);
	ck_assert_uint_eq(capture_step(&capture, 2 * NODE_S), NODE_TIME_NEVER);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found_count, 1000 / 104);
}

TEST(write__lost_reader_ends_the_capture)
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	close(file);
	file = ends[1];
	begin(0, NODE_CAPTURE_WHOLE);
	take(0, 0, true);
	ck_assert_uint_eq(error_told, 0);
	capture_fini(&capture);
	ck_assert_uint_eq(error_told, EPIPE);
}

/* what the file system could not keep is known at the latest when the file is closed */
TEST(write__close_fails)
{
	begin(0, NODE_CAPTURE_WHOLE);
	close(file);
	capture_fini(&capture);
	ck_assert_uint_eq(error_told, EBADF);
}

/* ---- from a link ---- */

/* The files of both ends hold what @link sends, loses and receives; the stamps differ by the
 * delay. */
TEST(link__stamps_of_both_ends_differ_by_the_delay)
{
	size_t bytes = ring_bytes(1u << 20);
	struct ring_page *rings[2];
	struct stats_page *stats;
	static struct link a, b;
	struct record record;
	uint8_t *place;
	bool packet;

	config.ports[0].bit_error_e15 = config.ports[0].loss_ppb = 0;
	config.ports[0].guarded = false;
	config.ports[0].delay_ps = 2 * NODE_US;
	stats = aligned_alloc(64, (stats_bytes(&config) + 63) / 64 * 64);
	memset(stats, 0, stats_bytes(&config));
	stats_init(stats, &config);
	for (int i = 0; i < 2; i++) {
		rings[i] = memset(aligned_alloc(64, (bytes + 63) / 64 * 64), 0, bytes);
		ring_init(rings[i], 1u << 20, RING_CAPTURED_MAX);
	}
	begin(0, NODE_CAPTURE_WHOLE);
	ck_assert_int_eq(link_init(&a, &config, 0, rings[0], bytes, rings[1], bytes, stats), 0);
	ck_assert_int_eq(link_init(&b, &config, 0, rings[1], bytes, rings[0], bytes, stats), 0);
	link_capture(&a, &capture);
	place = link_send_packet(&a, 0, 1004, 48, 1000, 0, 0);
	memset(place, 'p', 48);
	a.loss.any = true;
	a.loss.ppb = 1000000000;
	place = link_send_packet(&a, a.tx.busy_until_ps, 504, 48, 500, 0, 0);
	ck_assert_ptr_nonnull(place);
	memset(place, 'l', 48);
	link_send_fgfc(&a, a.tx.busy_until_ps, frame_bytes, 92);
	a.loss.any = false;
	a.loss.ppb = 0;
	link_send_pause(&a, a.tx.busy_until_ps, frame_bytes, 60);
	link_flush(&a, &packet);
	/* in the other direction */
	memset(link_send_packet(&b, 0, 2004, 48, 2000, 0, 0), 'r', 48);
	link_flush(&b, &packet);
	link_refresh(&a, 0);
	ck_assert_uint_eq(link_next_at(&a), LATENCY_PS + 2 * NODE_US + 2004 * 40);
	ck_assert_ptr_nonnull(link_receive(&a, &record, link_next_at(&a)));
	link_done(&a, &record);
	capture_fini(&capture);
	file_read();
	ck_assert_uint_eq(found_count, 5);
	ck_assert(found[0].bytes[47] == 'p' && found[0].stamp_ns == 350 &&
		  found[0].frame_bytes == 1000);
	ck_assert(found[1].bytes[47] == 'l' && found[1].lost && found[1].frame_bytes == 500);
	ck_assert_uint_eq(found[1].stamp_ns, 350 + (1004 + 20) * 40 / 1000);
	ck_assert(found[2].lost && found[2].frame_bytes == 92);
	ck_assert(!found[3].lost && found[3].frame_bytes == 60);
	ck_assert(found[4].bytes[47] == 'r' && found[4].inbound && found[4].stamp_ns == 350 + 2000);
	ck_assert_uint_eq(stats_port(stats, 0)->lost_frames, 2);
	link_fini(&a);
	link_fini(&b);
	free(rings[0]);
	free(rings[1]);
	free(stats);
}
