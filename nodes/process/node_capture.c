#include "nodes/process/node_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/link/capture.h"

/* another process holds this memory too: it must not be able to take it away (SIGBUS) */
static int ring_map(struct mapping *ring, int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat stat;
	void *memory;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &stat) ||
	    stat.st_size < (off_t)sizeof(struct ring_page))
		return -EINVAL;
	memory = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	*ring = (struct mapping){ .memory = memory, .bytes = (size_t)stat.st_size };
	return 0;
}

static void ring_unmap(struct mapping *ring)
{
	if (ring->memory)
		munmap(ring->memory, ring->bytes);
	*ring = (struct mapping){ 0 };
}

static void end(struct node *node, uint32_t port)
{
	link_capture(&node->links[port], NULL);
	capture_fini(node->captures[port]);
	free(node->captures[port]);
	node->captures[port] = NULL;
	ring_unmap(&node->taps[port]);
}

/* A ring that is there already is replaced: its end was sent while this node was stopped, and got
 * lost. */
static int begin(struct node *node, uint32_t port, const struct control_message *message)
{
	unsigned long kept_bytes = strtoul(message->text, NULL, 10);
	struct capture *capture;
	struct mapping ring;
	int error;

	if (node->captures[port] && !node->taps[port].memory)
		return -EBUSY;
	if (!kept_bytes || kept_bytes > NODE_CAPTURE_WHOLE)
		return -EINVAL;
	error = ring_map(&ring, message->fds[0]);
	if (error)
		return error;
	capture = calloc(1, sizeof(*capture));
	error = capture ? capture_init_tap(capture, node->config, port, (uint32_t)kept_bytes,
					   ring.memory, ring.bytes)
			: -ENOMEM;
	if (error) {
		ring_unmap(&ring);
		free(capture);
		return error;
	}
	if (node->captures[port]) {
		capture_settle(node->captures[port]);
		end(node, port);
	}
	node->taps[port] = ring;
	node->captures[port] = capture;
	link_capture(&node->links[port], capture);
	return 0;
}

/* What the port has counted until now, sent and received, without link control words, which are no
 * frames: four numbers. */
static void counted_write(const struct node *node, uint32_t port, FILE *out)
{
	const struct port_stats *stats = stats_port(node->stats, port);

	fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
		stats->tx_frames - stats->words, stats->tx_bytes - stats->words * LINK_WORD_BYTES,
		stats->rx_frames, stats->rx_bytes);
}

static void missed_write(const struct capture_tap *tap, FILE *out)
{
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, tap->missed_sent.frames,
		tap->missed_sent.bytes, tap->missed_received.frames, tap->missed_received.bytes);
}

int node_capture(struct node *node, const struct control_message *message, FILE *out)
{
	uint32_t port = (uint32_t)message->number;

	if (message->number < 0 || message->number >= (int64_t)node->config->port_count ||
	    node->config->clock != CLOCK_REAL)
		return -EINVAL;
	counted_write(node, port, out);
	if (message->fd_count)
		return begin(node, port, message);
	if (!node->taps[port].memory)
		return -ENOENT;
	capture_settle(node->captures[port]);
	missed_write(node->captures[port]->tap, out);
	end(node, port);
	return 0;
}

void node_capture_end(struct node *node)
{
	for (uint32_t port = 0; port < NODE_PORTS_MAX; port++) {
		if (!node->taps[port].memory)
			continue;
		capture_settle(node->captures[port]);
		end(node, port);
	}
}
