/*  nodes/process/node_capture: frames of a port go to a ring of another process while the node
 *  runs, and the counters of the port go with both answers (SE-13). */
#include "tests/unit/nodes/process/one_node.h"

#define FRAMES 2000u

/* a request for port 1 with the memory @fd (-1: none) */
static int capture_ask(int64_t port, const char *kept, int fd)
{
	struct control_message request = { .kind = CONTROL_CAPTURE, .number = port };

	strcpy(request.text, kept);
	if (fd >= 0)
		request.fds[request.fd_count++] = fd;
	return ask(&request);
}

static void opened(void)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	start();
}

TEST(node_capture__counters_of_the_port)
{
	struct port_stats *stats;

	opened();
	stats = stats_port(node.stats, 1);
	stats->tx_frames = 10;
	stats->words = 3;
	stats->tx_bytes = 1000;
	stats->rx_frames = 5;
	stats->rx_bytes = 600;
	ck_assert_int_eq(capture_ask(1, "64", ring_make(RING_BYTES_MIN)), 0);
	ck_assert_str_eq(words(), "7 976 5 600"); /* a word has 8 bytes */
	ck_assert_ptr_nonnull(node.captures[1]);
	ck_assert_ptr_eq(node.links[1].capture, node.captures[1]);
	ck_assert_uint_eq(node.taps[1].bytes, ring_bytes(RING_BYTES_MIN));
	stats->tx_frames = 12;
	ck_assert_int_eq(capture_ask(1, "", -1), 0);
	ck_assert_str_eq(words(), "9 976 5 600 0 0 0 0");
	ck_assert_ptr_null(node.captures[1]);
	ck_assert_ptr_null(node.links[1].capture);
	ck_assert_ptr_null(node.taps[1].memory);
	ck_assert_int_eq(capture_ask(1, "", -1), -ENOENT);
	end();
}

/* Frames that the ring has no space for are counted by direction: no frame is in neither. */
TEST(node_capture__what_did_not_fit)
{
	struct capture_frame frame = { .wire_bytes = 128,
				       .captured_bytes = 100,
				       .kind = RECORD_PACKET };
	uint8_t bytes[RING_CAPTURED_MAX] = { 0 };
	int fd = ring_make(RING_BYTES_MIN);
	void *page =
		mmap(NULL, ring_bytes(RING_BYTES_MIN), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct ring_rx ring;
	uint32_t taken[2] = { 0 }, frames;
	unsigned long missed[4];
	node_time_t now;

	opened();
	ck_assert_int_eq(capture_ask(0, "64", fd), 0);
	for (uint32_t i = 0; i < FRAMES; i++) {
		frame.inbound = i % 2;
		capture_take(node.captures[0], i, &frame, bytes);
	}
	ck_assert_int_eq(ring_rx_attach(&ring, page, ring_bytes(RING_BYTES_MIN)), 0);
	ring_refresh(&ring);
	while (capture_tap_next(&ring, &now, &frame, bytes, &frames))
		taken[frame.inbound]++;
	ck_assert_uint_gt(taken[0], 0);
	ck_assert_uint_lt(taken[0] + taken[1], FRAMES);
	ck_assert_int_eq(capture_ask(0, "", -1), 0);
	ck_assert_int_eq(sscanf(words(), "0 0 0 0 %lu %lu %lu %lu", &missed[0], &missed[1],
				&missed[2], &missed[3]),
			 4);
	ck_assert_uint_eq(missed[0], FRAMES / 2 - taken[0]);
	ck_assert_uint_eq(missed[1], 128 * missed[0]);
	ck_assert_uint_eq(missed[2], FRAMES / 2 - taken[1]);
	ck_assert_uint_eq(missed[3], 128 * missed[2]);
	munmap(page, ring_bytes(RING_BYTES_MIN));
	end();
}

TEST(node_capture__another_ring_replaces_it)
{
	struct capture *first;
	void *ring;

	opened();
	ck_assert_int_eq(capture_ask(2, "1", ring_make(RING_BYTES_MIN)), 0);
	first = node.captures[2];
	ring = node.taps[2].memory;
	ck_assert_int_eq(capture_ask(2, "65535", ring_make(RING_BYTES_MIN)), 0);
	ck_assert_ptr_ne(node.captures[2], first);
	ck_assert_ptr_ne(node.taps[2].memory, ring);
	ck_assert_ptr_eq(node.links[2].capture, node.captures[2]);
	end(); /* which ends it too */
}

TEST(node_capture__bytes_to_keep)
{
	opened();
	ck_assert_int_eq(capture_ask(0, "0", ring_make(RING_BYTES_MIN)), -EINVAL);
	ck_assert_int_eq(capture_ask(0, "65536", ring_make(RING_BYTES_MIN)), -EINVAL);
	ck_assert_int_eq(capture_ask(0, "65535", ring_make(RING_BYTES_MIN)), 0);
	end();
}

TEST(node_capture__memory_is_checked)
{
	opened();
	ck_assert_int_eq(capture_ask(0, "64", memory_make(1 << 20, F_SEAL_GROW)), -EINVAL);
	ck_assert_int_eq(capture_ask(0, "64", open("/dev/zero", O_RDWR)), -EINVAL);
	ck_assert_int_eq(
		capture_ask(0, "64", memory_make(sizeof(struct ring_page) - 1, MEMORY_SEALS)),
		-EINVAL);
	ck_assert_int_eq(capture_ask(0, "64", memory_make(1 << 20, MEMORY_SEALS)), -EINVAL);
	ck_assert_ptr_null(node.captures[0]);
	ck_assert_ptr_null(node.taps[0].memory);
	end();
}

/* a ring that the node could not write */
TEST(node_capture__memory_is_read_only)
{
	opened();
	ck_assert_int_eq(
		capture_ask(0, "64",
			    memory_make(ring_bytes(RING_BYTES_MIN), F_SEAL_SHRINK | F_SEAL_WRITE)),
		-EPERM);
	ck_assert_ptr_null(node.captures[0]);
	ck_assert_ptr_null(node.taps[0].memory);
	end();
}

TEST(node_capture__port_with_a_file)
{
	configuration_make(FABRIC_FLOW_CHANNEL);
	config->ports[0].capture_bytes = 64;
	give(memory_make(0, 0));
	start();
	ck_assert_int_eq(capture_ask(0, "64", ring_make(RING_BYTES_MIN)), -EBUSY);
	ck_assert_int_eq(capture_ask(0, "", -1), -ENOENT);
	ck_assert_ptr_nonnull(node.captures[0]);
	ck_assert_int_eq(capture_ask(1, "64", ring_make(RING_BYTES_MIN)), 0);
	end();
}

TEST(node_capture__no_such_port_and_no_virtual_clock)
{
	opened();
	ck_assert_int_eq(capture_ask(-1, "64", ring_make(RING_BYTES_MIN)), -EINVAL);
	ck_assert_int_eq(capture_ask(3, "64", ring_make(RING_BYTES_MIN)), -EINVAL);
	end();
	virtual_configuration_make(FABRIC_FLOW_CHANNEL);
	start_virtual();
	ck_assert_int_eq(capture_ask(0, "64", ring_make(RING_BYTES_MIN)), -EINVAL);
	end();
}
