#include "orchestrator/recording/recording_block.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

/* Level 1 is as small, level 6 takes twice as long and gives 6 % less: docs/performance.md */
#define LEVEL 4
#define MEM_LEVEL 8 /* zlib's default */

/* Writes the stream of @length bytes at @content after what @pack has, whose length stays.
 * @bytes  of the stream. Return: 0 or -ENOMEM */
static int deflate_all(const void *content, size_t length, int strategy, struct pack *pack,
		       size_t *bytes)
{
	z_stream stream = { .next_in = (Bytef *)content, .avail_in = (uInt)length };
	int status;

	if (pack->failed ||
	    deflateInit2(&stream, LEVEL, Z_DEFLATED, MAX_WBITS, MEM_LEVEL, strategy) != Z_OK)
		return -ENOMEM;
	*bytes = deflateBound(&stream, length);
	if (!pack_reserve(pack, *bytes)) {
		deflateEnd(&stream);
		return -ENOMEM;
	}
	stream.next_out = pack->bytes + pack->length;
	stream.avail_out = (uInt)*bytes;
	status = deflate(&stream, Z_FINISH);
	*bytes = stream.total_out;
	deflateEnd(&stream);
	return status == Z_STREAM_END ? 0 : -ENOMEM;
}

int recording_block_pack(const char *kind, const void *content, size_t length, struct pack *pack)
{
	size_t at = pack->length, bytes;
	uint32_t head;
	int error;

	pack_u32(pack, 0);
	pack_bytes(pack, kind, RECORDING_KIND_BYTES);
	error = deflate_all(content, length, Z_DEFAULT_STRATEGY, pack, &bytes);
	/* a byte has at least one bit without the search for repetitions */
	if (!error && length > recording_block_content_max(bytes))
		error = deflate_all(content, length, Z_HUFFMAN_ONLY, pack, &bytes);
	if (error)
		return error;
	head = htole32((uint32_t)bytes);
	memcpy(pack->bytes + at, &head, sizeof(head));
	pack->length += bytes;
	return 0;
}

size_t recording_block_content_max(size_t length)
{
	size_t max = length < RECORDING_CONTENT_BYTES_MAX ? length * RECORDING_CONTENT_RATIO
							  : RECORDING_CONTENT_BYTES_MAX;

	if (max < RECORDING_CONTENT_BYTES_ANY)
		return RECORDING_CONTENT_BYTES_ANY;
	return max < RECORDING_CONTENT_BYTES_MAX ? max : RECORDING_CONTENT_BYTES_MAX;
}

/* Return: 0, and the stream has ended; -errno */
static int inflate_all(z_stream *stream, size_t content_max, struct pack *content)
{
	int status = Z_OK;

	while (status == Z_OK) {
		size_t free_bytes;

		if (content->length > content_max)
			return -EFBIG;
		if (!pack_reserve(content, 4096))
			return -ENOMEM;
		free_bytes = content->size - content->length;
		stream->next_out = content->bytes + content->length;
		stream->avail_out = (uInt)(free_bytes < 1u << 30 ? free_bytes : 1u << 30);
		free_bytes = stream->avail_out;
		status = inflate(stream, Z_NO_FLUSH);
		content->length += free_bytes - stream->avail_out;
		/* no progress: the stream lacks its end */
		if (status == Z_BUF_ERROR)
			return -EBADMSG;
	}
	if (content->length > content_max)
		return -EFBIG;
	return status == Z_STREAM_END && !stream->avail_in ? 0
	       : status == Z_MEM_ERROR                     ? -ENOMEM
							   : -EBADMSG;
}

int recording_block_inflate(const uint8_t *bytes, size_t length, struct pack *content)
{
	z_stream stream = { .next_in = (Bytef *)bytes, .avail_in = (uInt)length };
	int error;

	content->length = 0;
	if (length > UINT32_MAX)
		return -EFBIG;
	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	error = inflate_all(&stream, recording_block_content_max(length), content);
	inflateEnd(&stream);
	return error;
}
