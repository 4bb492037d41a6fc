/*  orchestrator/fabric/capture_all: what all nodes have sent, merged by time; what a node's file
 *  may not have (TB-19). No node runs: the test writes the files of the nodes. */
#include "orchestrator/fabric/capture_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/wire/pcapng.h"
#include "tests/said.h"
#include "tests/testing.h"

#define NODES 3u

static struct scenario scenario;
static struct scenario_errors errors;
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct fabric fabric;
static struct capture_all all;
static char folder[] = "/tmp/heddle-XXXXXX";
static struct why why;
static uint8_t bytes[1 << 17];

/* s1 with h1 and h2: interface 0 and 1 are of s1, 2 of h1, 3 of h2 */
static void setup(void)
{
	static const char text[] = "name: t\nseed: 7\nrun: {duration: 1us}\ntopology: {switches: "
				   "[s1], hosts: {h1: s1, h2: s1}}\n";

	ck_assert_int_eq(
		scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors), 0);
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	ck_assert_uint_eq(plan.node_count, NODES);
	for (uint32_t i = 0; i < NODES; i++) {
		struct stats_page *page = calloc(1, stats_bytes(&plan.nodes[i]));

		stats_init(page, &plan.nodes[i]);
		nodes[i] = (struct fabric_node){ .stats = page };
		nodes[i].view =
			(struct stats_view){ .page = page, .their_head = (const uint8_t *)page };
	}
	fabric = (struct fabric){ .plan = &plan, .nodes = nodes };
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void teardown(void)
{
	capture_all_abort(&all);
	for (uint32_t i = 0; i < NODES; i++)
		free(nodes[i].stats);
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
	unlink("all.pcapng");
	ck_assert_int_eq(rmdir(folder), 0);
}

TEST_GROUP(capture_all, .setup = setup, .teardown = teardown);

static void opened(uint32_t kept_bytes)
{
	ck_assert_int_eq(capture_all_open(&all, "all.pcapng", kept_bytes, &plan, &why), 0);
	ck_assert(all.wanted);
	ck_assert_uint_eq(all.parts.count, NODES);
}

/* node @node has sent a frame of @length bytes by its port @port */
static void sends(uint32_t node, uint32_t port, uint64_t stamp_ns, uint32_t length)
{
	struct pcapng_packet packet = {
		.interface = port, .stamp_ns = stamp_ns, .kept_bytes = length, .frame_bytes = length
	};
	uint32_t block = pcapng_packet_bytes(&packet);

	ck_assert_uint_le(block, sizeof(bytes));
	memset(pcapng_packet_write(&packet, bytes), 0, length);
	ck_assert_int_eq(write(all.parts.fds[node], bytes, block), block);
}

static int ended(const char *sentence)
{
	int error;

	said_begin();
	error = capture_all_end(&all, &fabric);
	ck_assert_str_eq(said_end(), sentence);
	ck_assert(!all.wanted);
	ck_assert_uint_eq(all.parts.count, 0);
	return error;
}

/* the packets of the file, "interface@stamp " each; what precedes them is *@begin bytes */
static const char *packets(uint32_t *begin)
{
	static char text[1 << 16];
	int fd = open("all.pcapng", O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	uint32_t length, at = 0, block;

	ck_assert_int_ge(fd, 0);
	length = (uint32_t)read(fd, bytes, sizeof(bytes));
	close(fd);
	while (at < length && !pcapng_packet_length(bytes + at, length - at))
		at += 4;
	*begin = at;
	text[0] = 0;
	for (; (block = pcapng_packet_length(bytes + at, length - at)); at += block)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u@%llu ",
					 pcapng_packet_interface(bytes + at),
					 (unsigned long long)pcapng_packet_stamp(bytes + at));
	ck_assert_uint_eq(at, length);
	return text;
}

static void packets_are(const char *expected)
{
	uint32_t begin;

	ck_assert_str_eq(packets(&begin), expected);
}

TEST(capture_all_end__merged_by_time)
{
	struct stat own, part;

	opened(64);
	/* parts are on the disk of the file */
	ck_assert_int_eq(stat(folder, &own), 0);
	ck_assert_int_eq(fstat(all.parts.fds[0], &part), 0);
	ck_assert_uint_eq(own.st_dev, part.st_dev);
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_uint_eq(plan.nodes[i].capture_sent_bytes, 64);
	sends(0, 0, 10, 60);
	sends(0, 1, 30, 64);
	sends(0, 0, 30, 61);
	sends(1, 0, 5, 60);
	sends(1, 0, 20, 60);
	sends(2, 0, 20, 60);
	sends(2, 0, 30, 60);
	ck_assert_int_eq(ended(""), 0);
	packets_are("2@5 0@10 2@20 3@20 1@30 0@30 3@30 ");
	/* once more has no effect */
	ck_assert_int_eq(ended(""), 0);
}

/* an interface for each end of a link, whose text names it */
TEST(capture_all_open__names_the_interfaces)
{
	static const char *const names[] = { "s1:h1", "s1:h2", "h1:s1", "h2:s1" };
	uint32_t begin;
	uint8_t *at = bytes;

	opened(NODE_CAPTURE_WHOLE);
	ck_assert_int_eq(ended(""), 0);
	ck_assert_str_eq(packets(&begin), "");
	for (unsigned i = 0; i < 4; i++) {
		at = memmem(at, (size_t)(bytes + begin - at), names[i], 5);
		ck_assert_ptr_nonnull(at);
	}
	ck_assert_ptr_nonnull(memmem(bytes, begin, "port 1 of s1, what it sends to h2", 33));
	ck_assert_ptr_nonnull(memmem(
		bytes, begin, "scenario t, seed 7, virtual clock: stamps are fabric time", 57));
}

/* more than is read at a time */
TEST(capture_all_end__many_frames)
{
	uint32_t begin;
	const char *text;

	opened(NODE_CAPTURE_WHOLE);
	for (uint32_t i = 0; i < 30; i++) {
		sends(1, 0, 2 * i, 1500);
		sends(2, 0, 2 * i + 1, 1500);
	}
	ck_assert_int_eq(ended(""), 0);
	text = packets(&begin);
	for (unsigned long i = 0; i < 60; i++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "%lu@%lu ", 2 + i % 2, i);
		ck_assert_int_eq(strncmp(text, expected, strlen(expected)), 0);
		text += strlen(expected);
	}
	ck_assert_str_eq(text, "");
}

/* the largest stamps are at the end, not lost */
TEST(capture_all_end__late_stamps)
{
	opened(64);
	sends(1, 0, UINT64_MAX, 60);
	sends(2, 0, 7, 60);
	ck_assert_int_eq(ended(""), 0);
	packets_are("3@7 2@18446744073709551615 ");
}

/* a node that died may have written half of a block; what another node wrote after it is there */
TEST(capture_all_end__half_of_a_block)
{
	struct stat file;

	opened(64);
	sends(1, 0, 1, 60);
	sends(1, 0, 2, 60);
	sends(2, 0, 3, 60);
	ck_assert_int_eq(fstat(all.parts.fds[1], &file), 0);
	ck_assert_int_eq(ftruncate(all.parts.fds[1], file.st_size - 1), 0);
	ck_assert_int_eq(ended(""), 0);
	packets_are("2@1 3@3 ");
}

#define LACKS "heddle run: the capture all.pcapng lacks frames that h1 has sent: "

/* cut where it is wrong: a port that the node does not have, or no block */
TEST(capture_all_end__wrong_file_of_a_node)
{
	opened(64);
	sends(0, 1, 1, 60);
	sends(1, 0, 2, 60);
	sends(1, 1, 3, 60);
	sends(1, 0, 4, 60);
	ck_assert_int_eq(ended(LACKS "Bad message\n"), -EBADMSG);
	packets_are("1@1 2@2 ");
}

TEST(capture_all_end__no_block)
{
	opened(64);
	sends(1, 0, 2, 60);
	memset(bytes, 0xff, sizeof(bytes));
	ck_assert_int_eq(write(all.parts.fds[1], bytes, 1 << 16), 1 << 16);
	ck_assert_int_eq(ended(LACKS "Bad message\n"), -EBADMSG);
	packets_are("2@2 ");
}

/* the first node that lacks something is named, and its own reason */
TEST(capture_all_end__node_could_not_write)
{
	opened(64);
	stats_port(nodes[1].stats, 0)->capture_error = ENOSPC;
	stats_port(nodes[2].stats, 0)->capture_error = EIO;
	sends(2, 0, 1, 60);
	ck_assert_int_eq(ended(LACKS "No space left on device\n"), -ENOSPC);
	packets_are("3@1 ");
	/* it has destroyed its page */
	opened(64);
	nodes[1].view.their_head = (const uint8_t *)nodes[0].stats;
	ck_assert_int_eq(ended(LACKS "Bad message\n"), -EBADMSG);
	free(nodes[1].stats);
	nodes[1].stats = NULL;
	opened(64);
	ck_assert_int_eq(ended(LACKS "Bad message\n"), -EBADMSG);
}

TEST(capture_all_end__node_was_killed)
{
	opened(64);
	nodes[1].late = true;
	ck_assert_int_eq(ended("heddle run: the capture all.pcapng is dropped: h1 was killed "
			       "before its part was complete\n"),
			 -EOWNERDEAD);
	ck_assert_int_eq(access("all.pcapng", F_OK), -1);
}

TEST(capture_all_end__cannot_read)
{
	opened(64);
	sends(2, 0, 1, 60);
	close(all.parts.fds[1]);
	all.parts.fds[1] = open(".", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(ended(LACKS "Is a directory\n"), -EISDIR);
	packets_are("3@1 ");
}

TEST(capture_all_open__no_folder)
{
	ck_assert_int_eq(capture_all_open(&all, "none/all.pcapng", 64, &plan, &why), -ENOENT);
	ck_assert(!all.wanted);
	ck_assert_ptr_nonnull(strstr(why.text, "cannot write the capture none/all.pcapng: "));
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_uint_eq(plan.nodes[i].capture_sent_bytes, 0);
	ck_assert_int_eq(ended(""), 0);
}

TEST(capture_all_open__full_disk)
{
	ck_assert_int_eq(capture_all_open(&all, "/dev/full", 64, &plan, &why), -ENOSPC);
	ck_assert_str_eq(why.text, "cannot write the capture /dev/full: No space left on device");
	ck_assert(!all.wanted);
}

/* the disk is full, or a folder has the name meanwhile: nothing is left of the file */
TEST(capture_all_end__cannot_be_written)
{
	opened(64);
	sends(2, 0, 1, 60);
	fclose(all.file.stream);
	all.file.stream = fopen("/dev/full", "we");
	setvbuf(all.file.stream, NULL, _IONBF, 0);
	ck_assert_int_eq(ended("heddle run: cannot write the capture all.pcapng: No space left on "
			       "device\n"),
			 -ENOSPC);
	ck_assert_int_eq(access("all.pcapng", F_OK), -1);
	opened(64);
	sends(2, 0, 1, 60);
	ck_assert_int_eq(mkdir("all.pcapng", 0700), 0);
	ck_assert_int_eq(ended("heddle run: cannot write the capture all.pcapng: Is a directory\n"),
			 -EISDIR);
	ck_assert_int_eq(rmdir("all.pcapng"), 0);
}
