/*  orchestrator/operate/cmd_capture: frames that a node has put into a ring, until Ctrl-C or the
 *  end of the fabric; files and rings that cannot be (SE-13). */
#include "orchestrator/operate/cmd_capture.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "nodes/base/ring.h"
#include "nodes/link/capture.h"
#include "orchestrator/command/client.h"
#include "tests/unit/orchestrator/operate/exec_daemon.h"

static struct ring_page *tap_page;
static size_t tap_bytes;
static int tap_fd;
static char tap_path[64], line[256];

static void setup(void)
{
	testing_input();
	daemon_setup();
	exec_runs();
	tap_bytes = ring_bytes(RING_BYTES_MIN);
	tap_fd = memfd_create("tap", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(tap_fd, (off_t)tap_bytes), 0);
	tap_page = mmap(NULL, tap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, tap_fd, 0);
	ck_assert_ptr_ne(tap_page, MAP_FAILED);
	ring_init(tap_page, RING_BYTES_MIN, RING_CAPTURED_MAX);
	snprintf(tap_path, sizeof(tap_path), "/proc/self/fd/%d", tap_fd);
	exec_paths[0] = tap_path;
	exec_answer = "{\"fabric\": \"lab\", \"scenario\": \"two\", \"peer\": \"s2\", \"port\": 3, "
		      "\"rate_bps\": 1000000000, \"id\": 12, \"epoch_ns\": 1000}\n";
	ck_assert_int_eq(chdir(root), 0);
}

static void teardown(void)
{
	exec_ends();
	munmap(tap_page, tap_bytes);
	close(tap_fd);
	unlink("f");
	ck_assert_int_eq(chdir("/"), 0);
	daemon_teardown();
}

TEST_GROUP(cmd_capture, .setup = setup, .teardown = teardown);

/* the node has taken two frames that it sent and one that it received, and one more that did not
 * fit */
static void frames_put(void)
{
	struct port_config port = { .kind = PORT_FABRIC, .rate_bps = 1000000000 };
	struct node_config node = { .kind = NODE_SWITCH, .port_count = 1, .ports = &port };
	static uint8_t bytes[RING_CAPTURED_MAX];
	struct capture capture;

	ck_assert_int_eq(capture_init_tap(&capture, &node, 0, 60, tap_page, tap_bytes), 0);
	for (uint32_t i = 0; i < 3; i++) {
		const struct capture_frame frame = { .at_ps = (1 + i) * NODE_US,
						     .wire_bytes = 100 + i,
						     .captured_bytes = 60,
						     .kind = i == 1 ? RECORD_ACKS : RECORD_PACKET,
						     .inbound = i == 2 };

		capture.tap->frames += i == 2;
		capture_take(&capture, (2 + i) * NODE_US, &frame, bytes);
	}
	capture_fini(&capture);
}

static off_t file_size(void)
{
	struct stat file = { 0 };

	ck_assert_int_eq(stat("f", &file), 0);
	return file.st_size;
}

/* Ctrl-C comes once the capture runs */
static void *interrupts(void *unused)
{
	while (!strstr(asked, "\"capture\"") || access("f", F_OK) || file_size() < 100)
		usleep(1000);
	while (atomic_load(&tap_page->head) != atomic_load(&tap_page->tail))
		usleep(1000);
	kill(getpid(), SIGINT);
	return unused;
}

static int captures(const char *words)
{
	pthread_t thread;
	int status;

	ck_assert_int_eq(pthread_create(&thread, NULL, interrupts, NULL), 0);
	status = command_run(cmd_capture, words);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	return status;
}

/* the node has counted what did not fit, also after the last frame that did */
TEST(cmd_capture__until_an_interrupt)
{
	off_t empty;

	other_answer = "{\"sent\": {\"missed_frames\": 4, \"missed_bytes\": 400, "
		       "\"counted_frames\": 6, \"counted_bytes\": 600}, \"received\": "
		       "{\"missed_frames\": 1, \"missed_bytes\": 99}}\n";
	ck_assert_int_eq(captures("capture|s1:2|f"), 0);
	empty = file_size();
	ck_assert_str_eq(said, "heddle capture: s1:s2 of lab, until Ctrl-C\n"
			       "heddle capture: 0 frames, 5 did not fit\n"
			       "  sent      0 frames, 0 bytes; missed 4 frames, 400 bytes; counted "
			       "6, 600\n"
			       "  received  0 frames, 0 bytes; missed 1 frames, 99 bytes\n");
	ck_assert_str_eq(asked, "{\"ask\":\"capture\",\"node\":\"s1\",\"port\":\"2\"}\n"
				"{\"ask\":\"capture-end\",\"id\":\"12\"}\n");
	ck_assert_int_gt(empty, 100);
}

TEST(cmd_capture__frames)
{
	frames_put();
	ck_assert_int_eq(captures("capture|s1:s2|f|--snap|64"), 0);
	ck_assert_str_eq(said, "heddle capture: s1:s2 of lab, until Ctrl-C\n"
			       "heddle capture: 3 frames, 1 did not fit\n"
			       "  sent      2 frames, 201 bytes (1 packets, 1 ACK frames)\n"
			       "  received  1 frames, 102 bytes (1 packets)\n");
	ck_assert_str_eq(asked, "{\"ask\":\"capture\",\"node\":\"s1\",\"port\":\"s2\",\"snap\":"
				"\"64\"}\n{\"ask\":\"capture-end\",\"id\":\"12\"}\n");
	/* with the bytes of three frames, each in a block of its own */
	ck_assert_int_gt(file_size(), 3 * 60 + 3 * 32);
}

TEST(cmd_capture__counts_for_programs)
{
	frames_put();
	ck_assert_int_eq(captures("capture|s1:s2|f|--json"), 0);
	ck_assert_ptr_eq(strstr(printed, "{\n  \"link\": \"s1:s2\",\n  \"sent\": {\n    "
					 "\"frames\": 2,\n    \"bytes\": 201,"),
			 printed);
	ck_assert_ptr_null(strstr(said, "  sent"));
}

/* what was in a file goes once the fabric has accepted, not before */
TEST(cmd_capture__refused)
{
	FILE *file = fopen("f", "we");

	fputs("mine", file);
	fclose(file);
	exec_answer = "{\"error\": \"s1 has no port 9\"}\n";
	exec_paths[0] = NULL;
	ck_assert_int_eq(command_run(cmd_capture, "capture|s1:9|f"), CLIENT_REFUSED);
	ck_assert_str_eq(said, "heddle capture: s1 has no port 9\n");
	ck_assert_int_eq(file_size(), 4);
	ck_assert_int_eq(command_run(cmd_capture, "capture|s1:9|no/f"), CLIENT_USAGE);
	ck_assert_str_eq(said, "heddle capture: cannot write no/f: No such file or directory\n");
}

/* the first 31 bytes may be the name of another node */
TEST(cmd_capture__name_too_long)
{
	asked[0] = 0;
	exec_answer = "{\"error\": \"refused\"}\n";
	exec_paths[0] = NULL;
	ck_assert_int_eq(command_run(cmd_capture, "capture|abcdefghijklmnopqrstuvwxyz012345:1|f"),
			 CLIENT_USAGE);
	ck_assert_ptr_nonnull(strstr(said, "not 'abcdefghijklmnopqrstuvwxyz012345:1'"));
	ck_assert_str_eq(asked, "");
}

/* no ring, one that is too short, or no descriptor at all */
TEST_RANGE(cmd_capture__no_ring, 0, 4)
{
	if (_i == 0)
		memset(tap_page, 0, tap_bytes);
	if (_i == 1)
		ck_assert_int_eq(ftruncate(tap_fd, sizeof(struct ring_page) - 1), 0);
	if (_i == 2)
		exec_paths[0] = NULL;
	if (_i == 3)
		exec_paths[0] = "/dev/null";
	ck_assert_int_eq(command_run(cmd_capture, "capture|s1:s2|f"), CLIENT_FAILED);
	ck_assert_str_eq(said, "heddle capture: the frames cannot be read: Invalid argument\n");
	ck_assert_str_eq(asked, "{\"ask\":\"capture\",\"node\":\"s1\",\"port\":\"s2\"}\n");
}

/* a node that has destroyed the ring; a file that is full */
TEST_RANGE(cmd_capture__ends_early, 0, 2)
{
	frames_put();
	if (!_i)
		atomic_store(&tap_page->tail, 1u << 30);
	snprintf(line, sizeof(line), "capture|s1:s2|%s", _i ? "/dev/full" : "f");
	ck_assert_int_eq(command_run(cmd_capture, line), _i ? CLIENT_USAGE : 0);
	ck_assert_ptr_nonnull(strstr(said, _i ? "heddle capture: cannot write: No space left on "
						"device\n"
					      : "heddle capture: s1 wrote an invalid record; the "
						"capture ends there\n"));
}
