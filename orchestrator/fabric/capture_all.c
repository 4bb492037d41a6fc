#include "orchestrator/fabric/capture_all.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/deadline_heap.h"
#include "nodes/wire/pcapng.h"

#define READ_BYTES (1u << 15) /* at a time; a block is shorter */

/* the file of a node while it is merged */
struct stream {
	int fd;
	uint8_t *bytes;      /* READ_BYTES */
	uint32_t at, length; /* the next block; what is read */
	bool ended;          /* the file has no more */
	uint32_t interfaces; /* number of the interface of its port 0 */
	uint32_t port_count;
	int error;
};

/* ---- start ---- */

static int description_put(const struct plan *plan, uint32_t index, uint32_t port, FILE *out)
{
	const struct node_config *node = &plan->nodes[index];
	const struct port_config *end = &node->ports[port];
	uint8_t bytes[PCAPNG_HEADER_BYTES_MAX];
	char name[2 * NODE_NAME_MAX + 1], description[128], comment[256];
	struct pcapng_header header = {
		.comment = comment,
		.name = name,
		.description = description,
		.rate_bps = end->rate_bps,
		.snap_bytes = node->capture_sent_bytes < NODE_CAPTURE_WHOLE
				      ? node->capture_sent_bytes
				      : 0,
	};
	uint32_t length;

	snprintf(comment, sizeof(comment), "scenario %s, seed %llu, %s", plan->scenario,
		 (unsigned long long)plan->seed,
		 plan_is_real(plan) ? "real clock" : "virtual clock: stamps are fabric time");
	snprintf(name, sizeof(name), "%s:%s", node->name, end->peer_name);
	snprintf(description, sizeof(description), "port %u of %s, what it sends to %s", port,
		 node->name, end->peer_name);
	length = index || port ? pcapng_interface_write(&header, bytes)
			       : pcapng_header_write(&header, bytes);
	return fwrite(bytes, length, 1, out) == 1 ? 0 : -errno;
}

static int descriptions_put(const struct plan *plan, FILE *out)
{
	int error = 0;

	for (uint32_t i = 0; i < plan->node_count; i++)
		for (uint32_t port = 0; port < plan->nodes[i].port_count && !error; port++)
			error = description_put(plan, i, port, out);
	return !error && fflush(out) ? -errno : error;
}

int capture_all_open(struct capture_all *all, const char *path, uint32_t kept_bytes,
		     struct plan *plan, struct why *why)
{
	char folder[PATH_MAX];
	int error = atomic_file_open(&all->file, path);

	why->text[0] = 0;
	snprintf(folder, sizeof(folder), "%s", all->file.written);
	if (!error)
		error = node_files_open(&all->parts, plan->node_count,
					folder[0] ? dirname(folder) : NULL, why);
	for (uint32_t i = 0; !error && i < plan->node_count; i++)
		plan->nodes[i].capture_sent_bytes = kept_bytes;
	if (!error)
		error = descriptions_put(plan, all->file.stream);
	all->wanted = !error;
	if (error && !why->text[0])
		why_say(why, 0, "cannot write the capture %s: %s", path, atomic_file_why(error));
	if (error)
		capture_all_abort(all);
	return error;
}

/* ---- end ---- */

/* the block at which the stream is; NULL: there is none any more */
static uint8_t *block_next(struct stream *stream)
{
	ssize_t got;

	if (pcapng_packet_length(stream->bytes + stream->at, stream->length - stream->at))
		return stream->bytes + stream->at;
	if (stream->error || stream->ended)
		return NULL;
	stream->length -= stream->at;
	memmove(stream->bytes, stream->bytes + stream->at, stream->length);
	stream->at = 0;
	while (stream->length < READ_BYTES && !stream->ended) {
		got = read(stream->fd, stream->bytes + stream->length, READ_BYTES - stream->length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			stream->error = -errno;
		stream->ended = got <= 0;
		stream->length += got > 0 ? (uint32_t)got : 0;
	}
	if (pcapng_packet_length(stream->bytes, stream->length))
		return stream->bytes;
	/* a node that died may have written half of a block */
	if (!stream->ended)
		stream->error = -EBADMSG;
	return NULL;
}

/* when the next block of stream @index is due: by nanoseconds */
static void schedule(struct deadline_heap *heap, struct stream *streams, uint32_t index)
{
	uint8_t *block = block_next(&streams[index]);
	uint64_t stamp_ns = block ? pcapng_packet_stamp(block) : 0;

	if (block && pcapng_packet_interface(block) >= streams[index].port_count) {
		streams[index].error = -EBADMSG;
		block = NULL;
	}
	deadline_heap_set(heap, index,
			  !block                        ? NODE_TIME_NEVER
			  : stamp_ns >= NODE_TIME_NEVER ? NODE_TIME_NEVER - 1
							: stamp_ns);
}

/* Return: 0 or -errno of FILE */
static int streams_merge(struct deadline_heap *heap, struct stream *streams, FILE *out)
{
	while (deadline_heap_next_at(heap) != NODE_TIME_NEVER) {
		uint32_t index = deadline_heap_first(heap);
		struct stream *stream = &streams[index];
		uint8_t *block = stream->bytes + stream->at;
		uint32_t length = pcapng_packet_length(block, stream->length - stream->at);

		pcapng_packet_interface_set(block,
					    stream->interfaces + pcapng_packet_interface(block));
		if (fwrite(block, length, 1, out) != 1)
			return errno ? -errno : -EIO;
		stream->at += length;
		schedule(heap, streams, index);
	}
	return 0;
}

static void streams_close(struct stream *streams, uint32_t count)
{
	for (uint32_t i = 0; streams && i < count; i++)
		free(streams[i].bytes);
	free(streams);
}

static struct stream *streams_open(const struct capture_all *all, const struct plan *plan)
{
	struct stream *streams = calloc(all->parts.count, sizeof(*streams));
	uint32_t interfaces = 0;

	for (uint32_t i = 0; streams && i < all->parts.count; i++) {
		streams[i] = (struct stream){ .fd = all->parts.fds[i],
					      .bytes = malloc(READ_BYTES),
					      .interfaces = interfaces,
					      .port_count = plan->nodes[i].port_count };
		interfaces += plan->nodes[i].port_count;
		if (!streams[i].bytes || lseek(all->parts.fds[i], 0, SEEK_SET)) {
			streams_close(streams, i + 1);
			return NULL;
		}
	}
	return streams;
}

/* the error that the node reported when it wrote, or that its file shows */
static int error_of(const struct fabric *fabric, uint32_t node, const struct stream *stream)
{
	uint64_t told;

	if (!fabric->nodes[node].stats || stats_view_check(&fabric->nodes[node].view))
		return -EBADMSG;
	told = stats_port(fabric->nodes[node].stats, 0)->capture_error;
	return told ? -(int)(told & 0xfff) : stream->error;
}

static int nodes_merge(struct capture_all *all, const struct fabric *fabric)
{
	struct stream *streams = streams_open(all, fabric->plan);
	struct deadline_heap heap = { 0 };
	int error = streams ? deadline_heap_init(&heap, all->parts.count) : -ENOMEM, first = 0;

	for (uint32_t i = 0; !error && i < all->parts.count; i++)
		schedule(&heap, streams, i);
	if (!error)
		error = streams_merge(&heap, streams, all->file.stream);
	if (error)
		fprintf(stderr, "heddle run: cannot write the capture %s: %s\n", all->file.path,
			strerror(-error));
	for (uint32_t i = 0; !error && i < all->parts.count && !first; i++) {
		first = error_of(fabric, i, &streams[i]);
		if (first)
			fprintf(stderr,
				"heddle run: the capture %s lacks frames that %s has sent: %s\n",
				all->file.path, fabric->plan->nodes[i].name, strerror(-first));
	}
	deadline_heap_fini(&heap);
	streams_close(streams, all->parts.count);
	return error ? error : first;
}

int capture_all_end(struct capture_all *all, struct fabric *fabric)
{
	int error, incomplete;

	if (!all->wanted)
		return 0;
	for (uint32_t i = 0; i < all->parts.count; i++) {
		if (!fabric->nodes[i].late)
			continue;
		fprintf(stderr,
			"heddle run: the capture %s is dropped: %s was killed before its part was "
			"complete\n",
			all->file.path, fabric->plan->nodes[i].name);
		capture_all_abort(all);
		return -EOWNERDEAD;
	}
	incomplete = nodes_merge(all, fabric);
	error = ferror(all->file.stream) ? 0 : atomic_file_commit(&all->file);
	if (error)
		fprintf(stderr, "heddle run: cannot write the capture %s: %s\n", all->file.path,
			strerror(-error));
	capture_all_abort(all);
	return error ? error : incomplete;
}

void capture_all_abort(struct capture_all *all)
{
	atomic_file_abort(&all->file);
	node_files_close(&all->parts);
	all->wanted = false;
}
