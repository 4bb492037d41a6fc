/*  cmd_capture - `heddle capture LINK FILE|-`: the frames of a link of a running fabric, as pcapng
 *  (SE-13).
 *
 *  The node puts them into a ring in shared memory (nodes/link/capture.h, "tap"); this process
 *  takes them out, sorts them by time and writes them. It looks into the ring every TICK_MS, so
 *  neither the node nor the daemon has anything to do for it. It ends with Ctrl-C, when the reader
 *  of its output has gone, and when the fabric or the node has ended. */
#include "orchestrator/operate/cmd_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/base/ring.h"
#include "nodes/base/write_whole.h"
#include "nodes/link/capture.h"
#include "nodes/wire/pcapng.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/capture_report.h"

#define TICK_MS 20

struct tap {
	const char *fabric;
	uint32_t snap;                                         /* 0: all of a frame */
	char node[NODE_NAME_MAX], link[2 * NODE_NAME_MAX + 1]; /* the names of its ends */
	bool to_output;                                        /* FILE is - */
	/* the ring */
	struct ring_page *page;
	size_t page_bytes;
	struct ring_rx ring;
	uint8_t bytes[RING_CAPTURED_MAX];
	/* what came out of it */
	struct capture capture;
	uint64_t error; /* of the file: errno */
	uint64_t kept;
	struct capture_report seen;
	bool json;
	uint32_t frames;     /* as the node counts them: those that did not fit too */
	node_time_t last_ps; /* fabric time of the last record */
	uint64_t last_ns;    /* when it was taken from the ring */
	uint64_t dilation;   /* of the fabric's time */
};

#define AT(member) offsetof(struct tap, member)

static const struct option_row options[] = {
	CLIENT_FABRIC(AT(fabric)),
	OPTION_TAKE("--snap", "N", AT(snap), option_snap, NULL,
		    "no more than N bytes of each packet"),
	OPTION_FLAG("--json", AT(json), "the counts at the end for programs; not with -"),
};

static const struct command_words words = {
	"capture",
	"usage: heddle capture [-f FABRIC] LINK FILE|- [--snap N] [--json]\n"
	"Writes the frames on a link of a running fabric to FILE, as pcapng, both directions,\n"
	"until Ctrl-C. LINK is node:peer or node:port, such as s1:h3. With - they go to standard "
	"output:\n"
	"  heddle capture s1:s2 - | wireshark -k -i -\n"
	"Ends also when the reader has gone, or the fabric. The fabric never waits: what a slow "
	"reader\n"
	"misses is counted. The end says what was captured in each direction, and what the port "
	"has\n"
	"counted meanwhile: frames, and bytes on the link (with FCS).\n",
	"exit status: 0 fine, 1 refused by the fabric, 2 wrong usage or no such fabric, or FILE "
	"cannot be\n"
	"written, 4 the fabric does not answer\n",
	OPTIONS(options),
	OPERANDS("link and file", 2, 2),
};

/* ---- the file ---- */

/* A file that is there keeps its content until the fabric has accepted: file_clear().
 * *@made: there was none. */
static int file_open(const char *path, bool *made)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
	int fd;

	*made = false;
	if (strcmp(path, "-")) {
		fd = open(path, flags | O_EXCL, 0666);
		*made = fd >= 0;
		if (fd < 0 && errno == EEXIST)
			fd = open(path, flags, 0666);
	} else {
		fd = isatty(STDOUT_FILENO) ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	}
	if (fd < 0 && !strcmp(path, "-") && isatty(STDOUT_FILENO)) {
		options_wrong("capture", "standard output is a terminal: give a FILE, or a pipe to "
					 "a reader");
		return -1;
	}
	if (fd < 0)
		options_wrong("capture", "cannot write %s: %s", path, strerror(errno));
	return fd;
}

/* removes what was in FILE, if it is a regular file. Return: 0 or -errno */
static int file_clear(const struct tap *tap, int fd)
{
	struct stat file;

	if (tap->to_output)
		return 0;
	if (fstat(fd, &file) || (S_ISREG(file.st_mode) && ftruncate(fd, 0)))
		return -errno;
	return 0;
}

static bool header_write(const struct tap *tap, const json_t *answer, int fd)
{
	uint8_t bytes[PCAPNG_HEADER_BYTES_MAX];
	uint32_t length;
	char comment[256], description[128];
	struct pcapng_header header = {
		.comment = comment,
		.name = tap->link,
		.description = description,
		.rate_bps = (uint64_t)member_number(answer, "rate_bps"),
		.snap_bytes = tap->snap,
	};

	snprintf(comment, sizeof(comment), "fabric %s, scenario %s, real clock",
		 member_text(answer, "fabric"), member_text(answer, "scenario"));
	snprintf(description, sizeof(description), "port %d of %s; inbound is to %s",
		 (int)member_number(answer, "port"), tap->node, tap->node);
	length = pcapng_header_write(&header, bytes);
	return write_whole(fd, bytes, length) == length;
}

/* ---- the ring ---- */

/* the part of a node's configuration that its frames depend on */
static int capture_open(struct tap *tap, const json_t *answer, int fd)
{
	struct port_config port = { .kind = (enum port_kind)member_number(answer, "port_kind"),
				    .rate_bps = (uint64_t)member_number(answer, "rate_bps"),
				    .capture_bytes = NODE_CAPTURE_WHOLE };
	struct node_config node = {
		.kind = NODE_SWITCH,
		.fabric = (enum fabric_kind)member_number(answer, "fabric_kind"),
		.ports = &port,
		.port_count = 1,
		.switch_.latency_ps = (node_time_t)member_number(answer, "latency_ps"),
	};
	int error;

	if (tap->snap)
		port.capture_bytes = tap->snap;
	error = capture_init(&tap->capture, fd, &node, 0, &tap->error);
	if (!error)
		capture_epoch(&tap->capture, (uint64_t)member_number(answer, "epoch_ns"));
	tap->dilation = member_number(answer, "dilation") > 1
				? (uint64_t)member_number(answer, "dilation")
				: 1;
	return error;
}

static int ring_open(struct tap *tap, int fd)
{
	struct stat stat;
	void *memory;

	if (fstat(fd, &stat) || stat.st_size < (off_t)sizeof(struct ring_page))
		return -EINVAL;
	memory = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	tap->page = memory;
	tap->page_bytes = (size_t)stat.st_size;
	return ring_rx_attach(&tap->ring, tap->page, tap->page_bytes);
}

/* all that is in the ring, to the file */
static void ring_drain(struct tap *tap)
{
	struct capture_frame frame;
	node_time_t now;

	ring_refresh(&tap->ring);
	while (!tap->error &&
	       capture_tap_next(&tap->ring, &now, &frame, tap->bytes, &tap->frames)) {
		tap->last_ps = now;
		tap->last_ns = monotonic_ns();
		tap->kept++;
		capture_report_add(&tap->seen, &frame);
		capture_take(&tap->capture, now, &frame, tap->bytes);
	}
	/* an idle link has no later record that would tell the time */
	if (tap->kept)
		capture_step(&tap->capture, tap->last_ps + (monotonic_ns() - tap->last_ns) *
								   NODE_NS / tap->dilation);
}

/* ---- from begin to end ---- */

/* until Ctrl-C, or until the reader has gone; false: until the node or the fabric has */
static bool frames_take(struct tap *tap, struct client *client)
{
	struct pollfd polled[] = { { client->socket, POLLIN, 0 },
				   { tap->capture.buffer->fd, 0, 0 } };

	while (!interrupt_seen()) {
		if (poll(polled, 2, TICK_MS) < 0 && errno != EINTR)
			return true;
		ring_drain(tap);
		if (polled[0].revents)
			return false;
		if (tap->error || tap->ring.broken ||
		    polled[1].revents & (POLLERR | POLLHUP | POLLNVAL))
			return true;
	}
	return true;
}

/* asks the daemon to end the capture, if the node is @there.   Return: what the node has counted;
 * NULL: nothing is known */
static json_t *frames_end(struct client *client, const json_t *begun, bool there)
{
	json_t *answer = NULL;
	char id[24];

	snprintf(id, sizeof(id), "%" PRIu64, (uint64_t)member_number(begun, "id"));
	if (there)
		client_ask(client, json_pack("{s:s, s:s}", "ask", "capture-end", "id", id), &answer,
			   NULL, NULL);
	return answer;
}

/* the frames that did not fit; the node also knows of those after the last that did */
static uint64_t missed_of(const struct tap *tap, const json_t *report)
{
	const json_t *sent = json_object_get(report, "sent"),
		     *received = json_object_get(report, "received");

	if (!json_object_get(sent, "missed_frames"))
		return tap->frames - (uint32_t)tap->kept;
	return (uint64_t)(member_number(sent, "missed_frames") +
			  member_number(received, "missed_frames"));
}

static void end_say(const struct tap *tap, const json_t *end)
{
	json_t *report = capture_report_json(&tap->seen, tap->link, end);

	if (tap->ring.broken)
		fprintf(stderr,
			"heddle capture: %s wrote an invalid record; the capture ends there\n",
			tap->node);
	fprintf(stderr, "heddle capture: %" PRIu64 " frames, %" PRIu64 " did not fit\n", tap->kept,
		missed_of(tap, report));
	if (tap->json)
		client_json_print(report);
	else
		capture_report_print(report, stderr);
	json_decref(report);
}

static int frames_copy(struct tap *tap, struct client *client, const json_t *begun)
{
	json_t *end;
	bool there;

	fprintf(stderr, "heddle capture: %s of %s, until Ctrl-C\n", tap->link, client->fabric);
	there = frames_take(tap, client);
	end = frames_end(client, begun, there);
	ring_drain(tap);
	capture_fini(&tap->capture);
	if (!there)
		fprintf(stderr, "heddle capture: %s has ended, or the fabric has\n", tap->node);
	end_say(tap, end);
	json_decref(end);
	if (!tap->error || tap->error == EPIPE)
		return CLIENT_FINE;
	return options_wrong("capture", "cannot write: %s", strerror((int)tap->error));
}

/* Return: the exit status; @fd is taken */
static int tap_run(struct tap *tap, struct client *client, const char *port, int fd)
{
	json_t *answer = NULL;
	unsigned count = 1;
	int ring_fd = -1, error = 0, status;
	char snap[16];

	snprintf(snap, sizeof(snap), "%" PRIu32, tap->snap);
	status = client_ask(client,
			    json_pack("{s:s, s:s, s:s, s:s*}", "ask", "capture", "node", tap->node,
				      "port", port, "snap", tap->snap ? snap : NULL),
			    &answer, &ring_fd, &count);
	if (status) {
		close(fd);
		return status;
	}
	snprintf(tap->link, sizeof(tap->link), "%s:%s", tap->node, member_text(answer, "peer"));
	if (count != 1)
		ring_fd = -1;
	error = ring_fd < 0 ? -EINVAL : ring_open(tap, ring_fd);
	if (!error)
		error = file_clear(tap, fd);
	if (!error && !header_write(tap, answer, fd))
		tap->error = (uint64_t)errno;
	if (!error)
		error = capture_open(tap, answer, fd);
	if (ring_fd >= 0)
		close(ring_fd);
	if (error) {
		close(fd);
		options_wrong("capture", "the frames cannot be read: %s", strerror(-error));
		status = CLIENT_FAILED;
	} else {
		status = frames_copy(tap, client, answer);
	}
	json_decref(answer);
	if (tap->page)
		munmap(tap->page, tap->page_bytes);
	return status;
}

int cmd_capture(int argc, char **argv)
{
	struct tap *tap = calloc(1, sizeof(*tap));
	struct client client;
	const char *colon;
	bool made;
	int fd, count, status = tap ? options_read(&words, argc, argv, tap, &count) : CLIENT_FAILED;

	if (status >= 0)
		goto out;
	colon = strchr(argv[1], ':');
	status = CLIENT_USAGE;
	if (!colon || colon == argv[1] || !colon[1] || colon - argv[1] >= NODE_NAME_MAX) {
		options_wrong("capture",
			      "a link is written node:peer or node:port, such as s1:s2 or s1:3, "
			      "not '%s'",
			      argv[1]);
		goto out;
	}
	snprintf(tap->node, sizeof(tap->node), "%.*s", (int)(colon - argv[1]), argv[1]);
	tap->to_output = !strcmp(argv[2], "-");
	if (tap->to_output && tap->json) {
		options_wrong("capture",
			      "standard output has the frames already: --json needs a FILE");
		goto out;
	}
	status = client_open(&client, "capture", tap->fabric);
	if (status)
		goto out;
	interrupt_catch();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	fd = file_open(argv[2], &made);
	status = fd < 0 ? CLIENT_USAGE : tap_run(tap, &client, colon + 1, fd);
	if (made && !tap->page)
		(void)unlink(argv[2]);
	client_close(&client);
out:
	free(tap);
	return status;
}
