#include "orchestrator/recording/recording_block.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

/* Level 1 is as small, level 6 takes twice as long and gives 6 % less: docs/performance.md */
#define LEVEL 4

int recording_block_pack(const char *kind, const void *content, size_t length, struct pack *pack)
{
	uLongf bytes = compressBound(length);
	size_t at = pack->length;
	uint32_t head;

	pack_u32(pack, 0);
	pack_bytes(pack, kind, RECORDING_KIND_BYTES);
	if (!pack_reserve(pack, bytes) ||
	    compress2(pack->bytes + pack->length, &bytes, content, length, LEVEL) != Z_OK)
		return -ENOMEM;
	head = htole32((uint32_t)bytes);
	memcpy(pack->bytes + at, &head, sizeof(head));
	pack->length += bytes;
	return 0;
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

int recording_block_inflate(const uint8_t *bytes, size_t length, size_t content_max,
			    struct pack *content)
{
	z_stream stream = { .next_in = (Bytef *)bytes, .avail_in = (uInt)length };
	int error;

	content->length = 0;
	if (length > UINT32_MAX)
		return -EFBIG;
	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	error = inflate_all(&stream, content_max, content);
	inflateEnd(&stream);
	return error;
}
