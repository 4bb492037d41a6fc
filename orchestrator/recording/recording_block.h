/*  recording_block - a block of a recording: length, kind, and content as a zlib stream [RFC 1950]
 *  (docs/recording.md). The only home of zlib.
 *
 *  zlib, since a browser and the library of every language read its streams; what else compresses
 *  here (libdeflate) does not inflate in parts. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_BLOCK_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_BLOCK_H

#include <stdint.h>

#include "orchestrator/recording/pack.h"

#define RECORDING_HEAD "heddle recording 1\n"
#define RECORDING_TAIL "heddle end\n"
#define RECORDING_HEAD_BYTES (sizeof(RECORDING_HEAD) - 1)
#define RECORDING_TAIL_BYTES (8 + sizeof(RECORDING_TAIL) - 1) /* with the place of the index */
#define RECORDING_KIND_BYTES 4u
#define RECORDING_BLOCK_HEAD_BYTES (4 + RECORDING_KIND_BYTES)
/* a document or table that is longer is in several blocks */
#define RECORDING_PART_BYTES_MAX (16u << 20)
#define RECORDING_CONTENT_BYTES_MAX (256u << 20) /* of any block */
/* A small file cannot fill memory: a content of more bytes than _ANY is at most _RATIO times as
 * long as its stream. Ours: those of runs are 3 to 20 times as long. */
#define RECORDING_CONTENT_BYTES_ANY (1u << 20)
#define RECORDING_CONTENT_RATIO 64u

/** recording_block_pack() - adds a block of @kind (RECORDING_KIND_BYTES letters) with @length bytes
 *  at @content to @pack. What zlib would make too small for a reader is compressed less.
 *  Return: 0 or -ENOMEM. */
int recording_block_pack(const char *kind, const void *content, size_t length, struct pack *pack);

/** recording_block_content_max() - what a stream of @length bytes may hold, in bytes. Pure. */
size_t recording_block_content_max(size_t length);

/** recording_block_inflate() - sets @content to what the zlib stream of @length bytes at @bytes
 *  holds.
 *  Return: 0; -EBADMSG: it is no such stream; -EFBIG: it has more than
 *  recording_block_content_max(); -ENOMEM. */
int recording_block_inflate(const uint8_t *bytes, size_t length, struct pack *content);

#endif
